// What stands around the rows (R3): composer, banner, connection line, typing and scrolling. Each is read where it
// lies: nothing copies a conversation or a draft.

extension Chat {
    /// What stands in the composer and what can be done with it.
    public struct Composer: PlainValue {
        /// The text.
        public let text: ExactText
        /// The files.
        public let attachments: [Attachment]
        /// Whether sending would do anything.
        public let canSend: Bool
        /// Whether files are taken here at all.
        public let takesFiles: Bool
    }

    /// The composer. O(white space at the beginning of the text).
    public static func composer(_ state: State) -> Composer {
        composer(state.conversation.draft, state.shared)
    }

    private static func composer(_ draft: Draft, _ shared: Shared) -> Composer {
        let hasSomething = !draft.attachments.isEmpty || !draft.text.isBlank
        return Composer(
            text: draft.text, attachments: draft.attachments,
            canSend: hasSomething && draft.copies.isEmpty && shared.wish.account != nil,
            takesFiles: shared.isSocket)
    }

    /// What is to be done about the place that the person looks at.
    public enum Scroll: PlainValue {
        /// Keep the newest message in sight.
        case toEnd
        /// Stay, and say how many messages have come since.
        case stay(unread: Int64)
    }

    /// Where to scroll to (C22).
    public static func scroll(_ state: State) -> Scroll {
        switch state.conversation.viewport {
        case .atEnd: .toEnd
        case .elsewhere(let unread), .away(let unread, _): .stay(unread: unread)
        }
    }

    /// The banner, if there is something to say.
    public static func banner(_ state: State, _ copy: Copy) -> ExactText? {
        switch state.conversation.banner {
        case nil: nil
        case .outboxFull: copy.outboxFull
        case .textTooLong: copy.longMessage
        case .tooManyAttachments: copy.tooManyAttachments
        case .attachmentTooLarge: copy.attachmentTooLarge
        case .filesNotTaken: copy.filesNotTaken
        case .tooManyConversations: copy.tooManyConversations
        case .conversationHasUnsent: copy.conversationHasUnsent
        case .notSaved(let failure): copy.notSaved(copy.reason(failure))
        case .notRestored(let failure): copy.notRestored(copy.reason(failure))
        case .serverError(let sentence): sentence.withoutControlCharacters
        case .replayTruncated: copy.replayTruncated
        }
    }

    /// The line about the connection, if there is something to say.
    public static func connectionLine(_ state: State, _ copy: Copy) -> ExactText? {
        switch state.shared.carrier {
        case .socket(let connection): line(connection.wrappedValue.phase, copy)
        case .streams(let streams):
            if !state.shared.wish.isNetworkUp || streams.obstacle == .offline {
                copy.offline
            } else if streams.obstacle == .credentialsRefused {
                copy.signInAgain
            } else {
                state.shared.sending.pausedUntil == nil ? nil : copy.serverAskedToWait
            }
        }
    }

    private static func line(_ phase: Connection.Phase, _ copy: Copy) -> ExactText? {
        switch phase {
        case .connected, .replaying: nil
        case .disconnected: copy.notConnected
        case .connecting, .authenticating: copy.connecting
        case .reconnecting(.offline): copy.offline
        case .reconnecting(.backoff): copy.reconnecting
        case .failed(.exhausted(let end)): copy.connectFailed(reason(end, copy))
        case .failed(.sessionReplaced): copy.sessionReplaced
        case .failed(.credentialsRefused): copy.signInAgain
        case .failed(.toldToWait): copy.serverAskedToWait
        }
    }

    private static func reason(_ end: CallEnd, _ copy: Copy) -> ExactText {
        switch end {
        case .failed(let failure): copy.reason(failure)
        case .refused(_, _, let message):
            message.isEmpty ? copy.reasons.refused : message.withoutControlCharacters
        case .completed, .closed: copy.reasons.lost
        }
    }

    /// Whether a reply is coming of which nothing can be seen yet (S1).
    public static func isTyping(_ state: State) -> Bool {
        isTyping(state.places[state.current], state.shared.link)
    }

    /// Whether a message is on its way (C15): not after the connection has ended, however it stands.
    public static func isSending(_ state: State) -> Bool {
        isSending(state.places[state.current], state.shared.link)
    }

    /// Whether a reply is coming of which nothing can be seen (S1). By reference: a value would have its parts
    /// retained.
    static func isTyping(_ conversation: Boxed<Conversation>, _ link: Attempt?) -> Bool {
        if conversation.wrappedValue.typing.isIncoming { return true }
        switch conversation.wrappedValue.exchange {
        case .streamed(let stream): return stream.wrappedValue.isTyping
        case .pushed:
            for index in conversation.wrappedValue.pushed.growing.indices
            where conversation.wrappedValue.pushed.growing[index].shown.isEmpty { return true }
            return isSending(conversation, link)
        }
    }

    private static func isSending(_ conversation: Boxed<Conversation>, _ link: Attempt?) -> Bool {
        switch conversation.wrappedValue.exchange {
        case .streamed(let stream):
            guard case .waiting = stream.wrappedValue.phase else { return false }
            return stream.wrappedValue.isTyping
        case .pushed: return link != nil && conversation.wrappedValue.pushed.turns.awaitsWanted
        }
    }
}

extension Chat.Conversation {
    /// Whether a reply is waited for here, or grows; whoever wants it.
    public var awaitsReply: Bool {
        switch exchange {
        case .streamed(let stream): stream.wrappedValue.isRunning
        case .pushed: !pushed.growing.isEmpty || pushed.turns.isAnyWaiting
        }
    }
}

extension Turns {
    /// Whether a reply that the person wants is waited for, or its question is on a wire. O(turns).
    fileprivate var awaitsWanted: Bool {
        // By index, because a turn that is taken out has its texts retained.
        for index in turns.indices where turns[index].isWanted {
            guard case .written = turns[index].question else { continue }
            switch turns[index].stage {
            case .sent, .waiting: return true
            case .overdue, .answered, .failed: continue
            }
        }
        return false
    }
}

extension Chat.Shared {
    fileprivate var isSocket: Bool {
        if case .socket = carrier { true } else { false }
    }
}
