// The content of a row, from its message and its circumstance (R3). Start with `row`. Guarantees: a question does not
// say that its reply is missing while a reply is visible; only one of the two offers a retry, the failed question or
// else the partial reply (C12). Conversations and messages are passed by reference, because a copy would retain each
// of their parts.

extension Chat {
    /// Makes the rows of one conversation.
    struct RowMaker {
        let conversation: Boxed<Conversation>
        /// Whether uploads wait because the server said so (C14).
        let isHeldBack: Bool
        /// The messages that wait for more than their turn, by their keys.
        private var held: [(key: ClientID, hold: Hold)] = []
        /// The row of the reply on the open stream.
        private(set) var openReply: Int64?
        /// The visible text of that reply.
        private var inView = LongText()

        /// The facts outside a message that its row depends on.
        enum Circumstance: Equatable {
            /// The row depends on the message only.
            case none
            /// The reply grows; its text is not in the message.
            case growing
            /// The message waits in the outbox, and for this.
            case waiting(Hold)
            /// The question counts as unanswered; a reply may still be visible.
            case unanswered(hasReply: Bool)
            /// The reply is incomplete.
            case partial(canRetry: Bool)
        }

        /// What a message in the outbox waits for.
        enum Hold {
            /// Its turn.
            case turn
            /// The person's consent, because it is old (limits).
            case consent
            /// The time before which the server takes no upload (C14).
            case uploads
        }

        /// Collects the facts that all rows share. O(messages in the outbox).
        init(_ state: State) {
            conversation = state.places[state.current]
            isHeldBack = state.shared.uploads.pausedUntil != nil
            if !conversation.wrappedValue.outbox.queue.isEmpty {
                for outgoing in conversation.wrappedValue.outbox.queue.waiting {
                    let hold = hold(of: outgoing)
                    if hold != .turn { held.append((outgoing.id, hold)) }
                }
            }
            guard case .streamed(let stream) = conversation.wrappedValue.replyPath,
                stream.wrappedValue.isRunning, let question = stream.wrappedValue.question?.client
            else { return }
            openReply = conversation.wrappedValue.transcript.answer(to: question)
            if openReply != nil { inView = stream.wrappedValue.inView }
        }
    }
}

extension Chat.RowMaker {
    func hold(of outgoing: Outgoing) -> Hold {
        if outgoing.consent == .asked { return .consent }
        let isHeld = isHeldBack && !outgoing.entry.isReady && outgoing.entry.percent == nil
        return isHeld ? .uploads : .turn
    }

    /// The remark about a message in the outbox.
    func remark(_ hold: Hold, _ wording: Wording) -> Chat.Row.Remark {
        switch hold {
        case .turn: Chat.Row.Remark(offer: .edit)
        case .consent: Chat.Row.Remark(note: wording.heldMessage, offer: .consent)
        case .uploads: Chat.Row.Remark(note: wording.serverAskedToWait, offer: .edit)
        }
    }

    /// The circumstance of a message. O(log n).
    func circumstance(of message: Boxed<Message>, at ordinal: Int64) -> Circumstance {
        switch message.wrappedValue.author {
        case .assistant where openReply == ordinal: return .growing
        case .here(let written):
            switch written.status {
            case .queued, .uploading:
                return .waiting(held.first { $0.key == written.key }?.hold ?? .turn)
            case .failed(.unanswered): return .unanswered(hasReply: showsReply(to: written.client))
            case .sending, .slow, .accepted, .delivered, .failed: return .none
            }
        case .assistant, .system:
            switch message.wrappedValue.body {
            case .text: return .none
            case .growing: return .growing
            case .interrupted:
                return .partial(canRetry: conversation.wrappedValue.offersRetry(of: message.wrappedValue))
            }
        case .elsewhere: return .none
        }
    }

    /// Whether a complete or growing reply to the question is visible.
    private func showsReply(to question: ClientID) -> Bool {
        guard let ordinal = conversation.wrappedValue.transcript.answer(to: question),
            let reply = conversation.wrappedValue.transcript.box(at: ordinal), !reply.wrappedValue.isHidden
        else { return false }
        switch reply.wrappedValue.body {
        case .text(let text): return !text.isEmpty
        case .growing: return growingText(reply.wrappedValue.id) != nil
        case .interrupted: return false
        }
    }

    private func growingText(_ id: MessageID?) -> LongText? {
        guard let index = id.flatMap({ conversation.wrappedValue.pushed.growingIndex(of: $0) }) else {
            return nil
        }
        let shown = conversation.wrappedValue.pushed.growing[index].shown
        return shown.isEmpty ? nil : shown
    }

    /// The row of a message that is not deleted; `nil` if it has nothing to show.
    func row(
        _ message: Boxed<Message>, at ordinal: Int64, _ circumstance: Circumstance,
        _ wording: Wording
    ) -> Chat.Row? {
        guard let text = text(message, at: ordinal) else { return nil }
        let status = status(message, circumstance)
        return Chat.Row(
            id: id(message, at: ordinal), role: message.wrappedValue.role,
            sender: message.wrappedValue.sender,
            text: text, attachments: message.wrappedValue.attachments, time: message.wrappedValue.time,
            status: status, isGrowing: circumstance == .growing, flags: message.wrappedValue.flags,
            remark: remark(message, status, circumstance, wording)
        )
    }

    func status(_ message: Boxed<Message>, _ circumstance: Circumstance) -> Chat.SendStatus? {
        guard case .here(let written) = message.wrappedValue.author else { return nil }
        return circumstance == .unanswered(hasReply: true) ? .delivered : written.status
    }

    func text(_ message: Boxed<Message>, at ordinal: Int64) -> LongText? {
        switch message.wrappedValue.body {
        case _ where openReply == ordinal: inView
        case .text(let whole): whole
        case .interrupted(let partial, let ending):
            partial.isEmpty && ending.reason == .stopped ? nil : partial
        case .growing: growingText(message.wrappedValue.id)
        }
    }

    private func id(_ message: Boxed<Message>, at ordinal: Int64) -> Chat.Row.ID {
        switch (message.wrappedValue.author, conversation.wrappedValue.replyPath) {
        case (.here(let written), _): .written(written.client)
        case (.assistant(let question?, _), .streamed): .answer(to: question)
        default: message.wrappedValue.id.map { .received($0) } ?? .unnamed(ordinal)
        }
    }

    func remark(
        _ message: Boxed<Message>, _ status: Chat.SendStatus?, _ circumstance: Circumstance,
        _ wording: Wording
    ) -> Chat.Row.Remark {
        switch (circumstance, status) {
        case (.growing, _): return Chat.Row.Remark(offer: .stop)
        case (.waiting(let hold), _): return remark(hold, wording)
        case (.partial(let canRetry), _):
            guard case .interrupted(let partial, let ending) = message.wrappedValue.body else { break }
            return Chat.Row.Remark(
                note: Chat.sentence(ending.reason, hasText: !partial.isEmpty, canRetry: canRetry, wording),
                offer: canRetry ? .retry : .nothing, waitUntil: ending.reason.waitUntil)
        case (_, .failed(let failure)): return Chat.Row.Remark(failure, wording)
        case (_, .some): return Chat.Row.Remark(offer: .edit)
        case (_, nil): break
        }
        return Chat.Row.Remark(offer: .nothing)
    }
}

extension Chat.Row.Remark {
    /// The remark about a failed message. A missing file offers no retry, because it cannot come back.
    init(_ failure: SendFailure, _ wording: Wording) {
        self.init(note: Chat.sentence(failure, wording), offer: failure == .fileMissing ? .nothing : .retry)
        if case .unanswered(let ending) = failure { waitUntil = ending.reason.waitUntil }
    }
}

extension Chat {
    fileprivate static func sentence(_ failure: SendFailure, _ wording: Wording) -> ExactText? {
        switch failure {
        case .rejected(let reason):
            wording.sendFailed(reason.isEmpty ? wording.reasons.refused : reason.withoutControlCharacters)
        case .uploadFailed(let reason):
            reason.isEmpty ? wording.uploadFailed : wording.sendFailed(reason.withoutControlCharacters)
        case .filesNotTaken: wording.filesNotTaken
        case .fileMissing: wording.fileMissing
        case .unanswered(let ending): sentence(ending.reason, hasText: false, wording)
        }
    }

    static func sentence(
        _ reason: Streaming.Reason, hasText: Bool, canRetry: Bool = true, _ wording: Wording
    ) -> ExactText? {
        Streaming.sentence(reason, hasText: hasText, canRetry: canRetry, wording)?.withoutControlCharacters
    }
}
