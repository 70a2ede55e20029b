// How a row follows from a message (R3), and from the little beside the message that changes it: a reply that grows,
// the person's word that a held message waits for, and what has become of the question or the reply that belong
// together.
//
// A question and its reply never contradict each other: a question does not say that its reply is missing while that is
// shown; and only one of the two offers a retry, the question when it has failed, else what is left of the reply (C12).

extension Chat.Conversation {
    /// What rows follow from besides their messages, looked up once for all of them.
    struct Surroundings {
        /// The keys of the messages that wait for the person's word (section 8).
        var held: [ClientID] = []
        /// The row of the reply that a stream is open for.
        var openReply: Int64?
        /// What is in view of that reply.
        var inView = LongText()
    }

    /// What a row follows from besides its message.
    enum Circumstance: Equatable {
        /// Nothing.
        case none
        /// The reply grows, and its text is not in the message.
        case growing
        /// The message waits in the outbox; perhaps for the person's word.
        case waiting(isHeld: Bool)
        /// The question is said to have no reply; perhaps one is shown all the same.
        case unanswered(hasReply: Bool)
        /// The reply is not complete; perhaps its question can be asked again.
        case partial(canRetry: Bool)
    }

    /// What the rows follow from besides their messages. O(messages in the outbox).
    var surroundings: Surroundings {
        var found = Surroundings()
        if !outbox.queue.isEmpty {
            for outgoing in outbox.queue.waiting where outgoing.consent == .asked {
                found.held.append(outgoing.id)
            }
        }
        if case .streamed(let stream) = exchange, stream.wrappedValue.isRunning,
            let question = stream.wrappedValue.question?.origin
        {
            found.openReply = transcript.answer(to: question)
            if found.openReply != nil { found.inView = stream.wrappedValue.inView }
        }
        return found
    }

    /// What the row of a message follows from besides the message. O(log n).
    func circumstance(of message: Message, at ordinal: Int64, _ around: Surroundings) -> Circumstance {
        switch message.author {
        case .assistant where around.openReply == ordinal: return .growing
        case .here(let written):
            switch written.status {
            case .queued, .uploading: return .waiting(isHeld: around.held.contains(written.key))
            case .failed(.unanswered):
                return .unanswered(hasReply: transcript.answer(to: written.client).map(showsReply) ?? false)
            case .sending, .slow, .accepted, .delivered, .failed: return .none
            }
        case .assistant:
            switch message.body {
            case .text: return .none
            case .growing: return .growing
            case .interrupted: return .partial(canRetry: offersRetry(of: message))
            }
        case .elsewhere, .system: return .none
        }
    }

    /// Whether a row shows a reply that is complete or grows.
    private func showsReply(_ ordinal: Int64) -> Bool {
        guard let row = transcript.box(at: ordinal), !row.wrappedValue.isHidden else { return false }
        switch row.wrappedValue.body {
        case .text(let text): return !text.isEmpty
        case .growing: return growingText(row.wrappedValue.id) != nil
        case .interrupted: return false
        }
    }

    /// What is shown of a reply that a socket pushes, if anything is.
    private func growingText(_ id: MessageID?) -> LongText? {
        guard case .pushed(let pushed) = exchange,
            let index = pushed.wrappedValue.growing.firstIndex(where: { $0.id == id })
        else { return nil }
        let shown = pushed.wrappedValue.growing[index].shown
        return shown.isEmpty ? nil : shown
    }

    /// The row of a message; none when nothing of it is to be seen.
    func row(
        _ message: Message, at ordinal: Int64, _ circumstance: Circumstance, _ around: Surroundings,
        _ copy: Copy
    ) -> Chat.Row? {
        guard !message.isHidden else { return nil }
        let text: LongText
        switch message.body {
        case _ where around.openReply == ordinal: text = around.inView
        case .text(let whole): text = whole
        case .interrupted(let partial, let ending):
            if partial.isEmpty, ending.reason == .stopped { return nil }
            text = partial
        case .growing:
            guard let shown = growingText(message.id) else { return nil }
            text = shown
        }
        var status = message.status
        if circumstance == .unanswered(hasReply: true) { status = .delivered }
        return Chat.Row(
            id: rowID(message, at: ordinal), role: message.role, sender: message.sender, text: text,
            attachments: message.attachments, time: message.time, status: status,
            isGrowing: circumstance == .growing,
            remark: remark(message.body, status, circumstance, copy))
    }

    private func rowID(_ message: Message, at ordinal: Int64) -> Chat.Row.ID {
        switch (message.author, exchange) {
        case (.here(let written), _): .written(written.client)
        case (.assistant(let question?), .streamed): .answer(to: question)
        default: message.id.map { .received($0) } ?? .unnamed(ordinal)
        }
    }

    private func remark(
        _ body: Message.Body, _ status: Message.Status?, _ circumstance: Circumstance, _ copy: Copy
    ) -> Chat.Row.Remark {
        switch (circumstance, body, status) {
        case (.growing, _, _): Chat.Row.Remark(offer: .stop)
        case (.waiting(isHeld: true), _, _): Chat.Row.Remark(note: copy.heldMessage, offer: .consent)
        case (.partial(let canRetry), .interrupted(let partial, let ending), _):
            Chat.Row.Remark(
                note: Chat.sentence(ending.reason, hasText: !partial.isEmpty, copy),
                offer: canRetry ? .retry : .nothing, waitUntil: ending.reason.waitUntil)
        case (_, _, .failed(let failure)): Chat.Row.Remark(failure, copy)
        case (_, _, .some): Chat.Row.Remark(offer: .edit)
        case (_, _, nil): Chat.Row.Remark(offer: .nothing)
        }
    }
}

extension Chat.Row.Remark {
    /// Why a message was not sent or not answered, and what can be done about it: a file that is gone does not come
    /// back.
    init(_ failure: SendFailure, _ copy: Copy) {
        self.init(note: Chat.sentence(failure, copy), offer: failure == .fileMissing ? .nothing : .retry)
        if case .unanswered(let ending) = failure { waitUntil = ending.reason.waitUntil }
    }
}

extension Chat {
    /// What is said of a message that was not sent, or not answered.
    private static func sentence(_ failure: SendFailure, _ copy: Copy) -> ExactText? {
        switch failure {
        case .rejected(let reason): copy.sendFailed(reason.isEmpty ? copy.reasons.refused : shown(reason))
        case .uploadFailed(let reason): reason.isEmpty ? copy.uploadFailed : copy.sendFailed(shown(reason))
        case .filesNotTaken: copy.filesNotTaken
        case .fileMissing: copy.fileMissing
        case .unanswered(let ending): sentence(ending.reason, hasText: false, copy)
        }
    }

    /// What is said of a reply that is not complete.
    fileprivate static func sentence(
        _ reason: Streaming.Reason, hasText: Bool, _ copy: Copy
    ) -> ExactText? {
        Streaming.sentence(reason, hasText: hasText, copy)?.withoutControlCharacters
    }

    private static func shown(_ reason: ExactText) -> ExactText { reason.withoutControlCharacters }
}
