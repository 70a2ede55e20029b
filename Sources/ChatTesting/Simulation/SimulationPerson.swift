// The actions of a person: everything that the front ends offer, in every phase, whether it makes sense or not.
// Actions that fit the state are preferred, because most of the others are refused at once.

import ChatDomain
import ChatEffects

extension Simulation {
    mutating func personActs() {
        let chat = state.chat
        if state.account == nil, dice.below(2) == 0 { return comeIn() }
        switch dice.below(96) {
        case 0..<16: type()
        case 16..<32: act(.chat(.sent))
        case 32: if let row = anyRow() { act(.chat(.deleted(row.id))) }
        case 33, 34: if let row = anyRow() { act(.chat(.retried(row.id))) }
        case 35: if let client = anyClient() { act(.chat(.messageEdited(client, text()))) }
        case 36, 37:
            let held = chat.conversation.outbox.queue.waiting.filter { $0.consent == .asked }
            act(.chat(.heldApproved(dice.pick(held)?.id ?? "c_nobody")))
        case 38:
            let growing = chat.conversation.growing.map { $0.id }
            act(.chat(.replyStopped(.received(dice.pick(growing) ?? "s_1"))))
        case 39: act(.chat(.waitingStopped))
        case 40, 41: act(.chat(.attachmentPicked(file())))
        case 42:
            let files = chat.conversation.draft.attachments.map { $0.id }
            act(.chat(.attachmentRemoved(dice.pick(files) ?? "nobody")))
        case 43: act(.chat(.conversationCreated(title: text())))
        case 44, 45, 46: act(.chat(.conversationSwitched(to: anyConversation())))
        case 47: act(.chat(.conversationClosed(anyConversation())))
        case 48: act(.chat(.scrolled(isAtEnd: dice.below(2) == 0)))
        case 49: act(.chat(.olderRequested))
        case 50: act(.chat(.bannerDismissed))
        case 51, 52, 53: ask()
        case 54, 55: suggest()
        case 56: act(.backgrounded)
        case 57, 58, 59: act(.foregrounded)
        case 60: act(.chat(.left))
        case 61, 62, 63: act(.chat(.shown))
        case 64: changeNetwork(isUp: false)
        case 65, 66: changeNetwork(isUp: true)
        case 67, 68: act(.chat(.reconnectRequested))
        case 69: comeIn()
        case 70: if dice.below(6) == 0 { act(.pairing(.signedOut)) }
        case 71: decide()
        case 72, 73, 74: if let last = devices[here].last { act(last) }
        case 75..<79: deleteOne()
        case 79, 80: scrollUp()
        case 81, 82: turnElsewhere()
        case 83: if dice.below(2) == 0 { beAway() }
        case 84: act(.chat(.scrolled(isAtEnd: true)))
        default: type(); act(.chat(.sent))
        }
    }

    /// Carries out an action and enters it in the ledger.
    mutating func act(_ action: ChatApp.Action) {
        trace("\(action)")
        devices[here].last = action
        let before = state
        send(action)
        devices[here].ledger.note(action, before, state)
        noteDeletion(action, before)
        notePlace(action, before)
        if state.saysStorageFails { devices[here].ledger.isTold = true }
        switch action {
        case .chat(.replyStopped(.received(let id))), .chat(.deleted(.received(let id))):
            devices[here].excused.append(id)
        case .chat(.waitingStopped):
            let stopped = before.chat.conversation
            let unnamed = stopped.pushed.turns.turns.count { $0.stage == .sent || $0.stage.isWaiting }
            devices[here].muted[stopped.id, default: 0] += unnamed + (stopped.outbox.keyOut == nil ? 0 : 1)
            devices[here].excused += stopped.growing.map { $0.id }
        default: break
        }
    }

    // MARK: Chat

    mutating func type() {
        let chat = state.chat
        if dice.below(6) == 0, chat.conversation.draft.text.byteCount < 300 {
            return act(.chat(.draftEdited(ExactText(chat.conversation.draft.text.string + text().string))))
        }
        act(.chat(.draftEdited(text())))
    }

    /// A text with a mark that can be found again, among odd characters.
    private mutating func text() -> ExactText {
        if dice.below(12) == 0 { return ["", " ", "\n\t", "\u{200B}", "\u{0}"][dice.below(5)] }
        let (user, home) = (state.account?.user, state.chat.conversation.id)
        if dice.below(10) == 0 {
            // Perhaps with a mark that the same person has used on another device.
            let device = dice.below(3) == 0 ? dice.below(devices.count) : here
            guard let again = devices[device].ledger.recent(of: user, in: home, newest: lastMark, &dice)
            else {
                return ""
            }
            return ExactText("t\(again).")
        }
        let mark = "t\(newMark())."
        switch dice.below(12) {
        case 0: return ExactText("  \(mark)\u{A0}\n")
        case 1: return ExactText("\(mark)\u{301}")
        case 2: return ExactText("\u{202E}\(mark) \u{2066}abc")
        case 3: return ExactText("\(mark)\u{0}\u{1B}[2J\u{7F}")
        case 4: return ExactText("\(mark)\r\n👩‍👩‍👧🇩🇪\u{1F3FF}")
        case 5: return ExactText("\(mark) \\\"{}\u{2028}")
        case 6 where dice.below(4) == 0:
            // Just below, at and just above the limit.
            let room = Int(min(app.chat.configuration.textLimit, 300)) - mark.utf8.count - 1
            return ExactText(mark + String(repeating: "x", count: room + dice.below(3)))
        default: return ExactText("\(mark) is it")
        }
    }

    private mutating func newMark() -> Int {
        lastMark += 1
        return lastMark
    }

    private mutating func file() -> PickedFile {
        let isImage = dice.below(2) == 0
        let bytes = [0, 1, 7, 8, 9, 40, 41][dice.below(7)]
        return PickedFile(
            kind: isImage ? .image : .document, mimeType: isImage ? "image/png" : "text/plain",
            name: ExactText("a\u{202E}\u{0}/b"), bytes: Array(repeating: 7, count: bytes))
    }

    mutating func anyRow() -> Chat.Row? {
        let rows = Chat.rows(state.chat, newest: 12, .neutral)
        if let wanting = dice.pick(rows.filter { $0.offer == .retry }), dice.below(2) == 0 { return wanting }
        return dice.pick(rows)
    }

    private mutating func anyClient() -> ClientID? {
        guard case .written(let client) = anyRow()?.id else { return dice.below(4) == 0 ? "c_nobody" : nil }
        return client
    }

    private mutating func anyConversation() -> ConversationID {
        dice.below(12) == 0 ? "nowhere" : dice.pick(state.chat.list.entries)?.id ?? .main
    }

    // MARK: The other features

    private mutating func ask() {
        switch dice.below(12) {
        case 0: act(.assistant(.closed))
        case 1, 2: act(.assistant(.opened))
        case 3: act(.assistant(.exampleTapped("What did [client] say about [topic]?")))
        case 4: act(.assistant(.logInDismissed))
        case 5, 6:
            let failed = state.assistant.conversation?.finished.map { $0.question.id } ?? []
            act(.assistant(.retried(dice.pick(failed) ?? QuestionID(number: 1))))
        default:
            act(.assistant(.draftEdited(text())))
            act(.assistant(.sent))
        }
    }

    private mutating func suggest() {
        switch dice.below(8) {
        case 0: act(.smartReplies(.taken))
        case 1: act(.smartReplies(.dismissed))
        case 2: act(.smartReplies(.left))
        case 3: act(.smartReplies(.retried))
        default:
            let message = MessageID("s_\(dice.below(4))")
            let target = SmartReplies.Target(
                conversation: state.chat.conversation.id, message: message, text: text())
            act(.smartReplies(.requested([.short, .funny, .own("x\u{0}")][dice.below(3)], target)))
        }
    }

    /// An action on the pairing screen. Another name is another person, and the server decides again.
    private mutating func comeIn() {
        switch dice.below(8) {
        case 0: act(.pairing(.cancelled))
        case 1, 2: act(.pairing(.retried))
        case 3: act(.pairing(.noticeDismissed))
        case 4: act(.pairing(.nameEdited(["", " \u{202E}", "\u{0}"][dice.below(3)])))
        default:
            if state.account == nil {
                switch state.pairing.phase {
                case .idle, .enteringName, .failed: forgetAsking()
                case .restoring, .waitingForApproval, .paired: break
                }
            }
            act(.pairing(.retried))
            let me = devices[here].person
            act(.pairing(.nameEdited(dice.below(6) == 0 ? ["Kaywood", " bo\u{301} "][dice.below(2)] : me)))
            act(.pairing(.submitted))
        }
    }

    private mutating func decide() {
        let device = dice.pick(state.pairing.incoming.rows.rows.map { $0.key }) ?? "nobody"
        if dice.below(2) == 0 {
            act(.pairing(.approved(device, as: "bo")))
        } else {
            act(.pairing(.denied(device, reason: dice.below(2) == 0 ? nil : "no")))
        }
    }
}
