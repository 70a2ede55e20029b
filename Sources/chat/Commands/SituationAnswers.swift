// Commands for suggestions, the assistant and pairing requests.

import ChatDomain

extension Situation {
    // MARK: Suggestions

    /// The suggestion so far, or the reason for its failure; nil if this conversation has none.
    var suggestion: Streaming.Bubble? {
        guard state.smartReplies.phase.wish?.target.conversation == state.chat.conversation.id else {
            return nil
        }
        return Streaming.bubble(state.smartReplies.reply, wording)
    }

    func suggest(_ kind: SmartReplies.Kind) -> [Step] {
        let last = rows.last { row in
            row.messageID != nil && !row.isGrowing && row.role != .system
        }
        guard let last, let id = last.messageID else {
            return [.refuse("There is no message to answer yet.")]
        }
        let target = SmartReplies.Target(
            conversation: state.chat.conversation.id, message: id, text: ExactText(last.text.string))
        return [.act([.smartReplies(.requested(kind, target))])]
    }

    var take: [Step] {
        guard let text = state.smartReplies.selected else {
            return [.refuse("There is no suggestion. /suggest asks for one.")]
        }
        return [.act([.smartReplies(.taken), .chat(.draftEdited(ExactText(text.string)))])]
    }

    var dismiss: [Step] {
        var actions: [ChatApp.Action] = []
        if state.smartReplies.phase != .idle { actions.append(.smartReplies(.dismissed)) }
        if Chat.banner(state.chat, wording) != nil { actions.append(.chat(.bannerDismissed)) }
        if state.pairing.notice != nil { actions.append(.pairing(.noticeDismissed)) }
        guard !actions.isEmpty else { return [.refuse("There is nothing to dismiss.")] }
        return [.act(actions), .tell("Dismissed.")]
    }

    // MARK: The assistant

    func ask(_ text: String?) -> [Step] {
        if let text {
            return [
                .act([.assistant(.opened), .assistant(.draftEdited(ExactText(text)))]),
                .act([.assistant(.sent)]),
                .recallQuestion,
            ]
        }
        guard !Assistant.rows(state.assistant, wording).isEmpty else {
            let examples = wording.examples.enumerated().map { index, example in
                Line(.assistant, head: "  \(index + 1). ", example.string, hanging: 5)
            }
            return [
                .act([.assistant(.opened)]),
                .say(
                    [Line(.assistant, wording.welcome.string)] + examples
                        + [Line(.program, "/ask TEXT asks; /example NUMBER begins with one of these.")]),
            ]
        }
        return [.say("/ask TEXT asks another question; /forget closes the assistant.")]
    }

    func example(_ number: Int) -> [Step] {
        guard let welcome = Assistant.welcome(state.assistant, wording) else {
            return state.assistant.conversation == nil
                ? [.refuse("/ask shows the examples.")]
                : [.refuse("Examples are for the first question.")]
        }
        guard welcome.examples.indices.contains(number - 1) else {
            return [.refuse("The examples are 1 to \(welcome.examples.count).")]
        }
        let text = welcome.examples[number - 1]
        return [
            .act([.assistant(.exampleTapped(text))]),
            .fill("/ask \(text.string)", orSay: "Ask it with your own words in it: /ask \(text.string)"),
        ]
    }

    var forget: [Step] {
        guard state.assistant.conversation != nil else { return [.refuse("The assistant is not open.")] }
        return [.act([.assistant(.closed)]), .tell("The assistant is closed and has forgotten all.")]
    }

    func canRetry(_ question: QuestionID) -> Bool {
        Assistant.rows(state.assistant, wording).contains { row in
            if case .failed = row.mark { row.id == .question(question) } else { false }
        }
    }

    /// The last printed question that can be retried; nil if there is none.
    var lastQuestionToRetry: (id: QuestionID, number: Int)? {
        for row in Assistant.rows(state.assistant, wording).reversed() {
            guard case .question(let id) = row.id, case .failed = row.mark,
                let number = numbers.shownNumber(of: .question(id))
            else { continue }
            return (id, number)
        }
        return nil
    }

    // MARK: Pairing requests

    var requests: [Line] {
        let rows = Pairing.incomingRows(state.pairing)
        guard rows.isEmpty else {
            return rows.map { row in
                let number = numbers.shownNumber(of: .request(row.request.device)) ?? 0
                return Line(.program, head: "\(number). ", row.request.summary)
            }
        }
        let isAdmin = state.pairing.session?.credentials.isAdmin == true
        let sentence =
            isAdmin ? "No device asks to come in." : "Only an admin is asked: sign in as admin to be one."
        return [Line(.program, sentence)]
    }

    func approve(_ who: Command.Who, as user: String?) -> [Step] {
        let waiting = Pairing.incomingRows(state.pairing).map { $0.request }
        let meant: [PairingRequest]
        switch who {
        case .number(let number):
            meant = waiting.filter { numbers.subject(number) == .request($0.device) }
        case .name(let name):
            meant = waiting.filter { $0.claimedName.string.lowercased() == name.lowercased() }
        }
        guard let first = meant.first else { return noSuchDevice }
        guard meant.count == 1 else {
            return [.refuse("Several are called so; /requests shows their numbers.")]
        }
        let account = user.map { "let in as \($0)" } ?? "let in as somebody new"
        return decide(.pairing(.approved(first.device, as: user.map { UserID($0) })), account, first)
    }

    func deny(_ number: Int, _ reason: String?) -> [Step] {
        let waiting = Pairing.incomingRows(state.pairing).map { $0.request }
        guard let meant = waiting.first(where: { numbers.subject(number) == .request($0.device) }) else {
            return noSuchDevice
        }
        return decide(
            .pairing(.denied(meant.device, reason: reason.map { ExactText($0) })), "turned away", meant)
    }

    private var noSuchDevice: [Step] {
        [.refuse("No such device asks to come in; /requests lists them.")]
    }

    private func decide(_ decision: ChatApp.Action, _ done: String, _ request: PairingRequest) -> [Step] {
        // A repeated notice is printed again.
        let act: [Step] = [.act([.pairing(.noticeDismissed)]), .act([decision])]
        guard state.pairing.incoming.link != nil else { return act }
        return act + [.tell("\(request.claimedName.string) is \(done).")]
    }
}

extension PairingRequest {
    /// The claimed name and the device.
    var summary: String {
        "\(claimedName.string) asks to come in, with \(info.model.string) (\(info.platform.string))"
    }
}
