// The parts of the chat screen beside its rows (R3): composer, banner, connection line, typing and scrolling. Each
// function reads the state in place and copies no conversation and no draft.

extension Chat {
    /// The composer.
    public struct Composer: PlainValue {
        /// The text.
        public let text: ExactText
        /// The files.
        public let attachments: [Attachment]
        /// Whether the send button is enabled.
        public let canSend: Bool
    }

    /// The composer. O(leading white space of the text).
    public static func composer(_ state: State) -> Composer {
        composer(state.conversation.draft, state.shared)
    }

    private static func composer(_ draft: Draft, _ shared: Shared) -> Composer {
        let hasSomething = !draft.attachments.isEmpty || !draft.text.isBlank
        return Composer(
            text: draft.text, attachments: draft.attachments,
            canSend: hasSomething && draft.isCopied && shared.wish.account != nil)
    }

    /// The scrolling of the rows.
    public enum Scroll: PlainValue {
        /// Scroll to the newest message.
        case toEnd
        /// Keep the position, and show the number of unread messages.
        case stay(unread: Int64)
    }

    /// The scrolling of the rows (C22).
    public static func scroll(_ state: State) -> Scroll {
        switch state.conversation.viewport {
        case .atEnd: .toEnd
        case .elsewhere, .away: .stay(unread: state.conversation.transcript.unread)
        }
    }

    /// Whether messages are stored that are older than the rows, so that `olderRequested` shows more (C22).
    public static func hasOlder(_ state: State) -> Bool {
        state.conversation.transcript.pages.previousPage != nil
    }

    /// The text of the banner; `nil` if there is none.
    public static func banner(_ state: State, _ wording: Wording) -> ExactText? {
        switch state.conversation.banner {
        case nil: nil
        case .outboxFull: wording.outboxFull
        case .textTooLong: wording.longMessage
        case .tooManyAttachments: wording.tooManyAttachments
        case .attachmentTooLarge: wording.attachmentTooLarge
        case .filesNotTaken: wording.filesNotTaken
        case .tooManyConversations: wording.tooManyConversations
        case .conversationHasUnsent: wording.conversationHasUnsent
        case .notSaved(let failure): wording.notSaved(wording.reason(failure))
        case .notRestored(let failure): wording.notRestored(wording.reason(failure))
        case .serverError(let sentence): sentence.withoutControlCharacters
        case .messageTooLong: wording.messageTooLong
        case .replayTruncated: wording.replayTruncated
        }
    }

    /// The text of the connection line; `nil` if there is nothing to report.
    public static func connectionLine(_ state: State, _ wording: Wording) -> ExactText? {
        switch state.shared.carrier {
        case .socket(let connection): line(connection.wrappedValue.phase, wording)
        case .streams(let streams):
            if !state.shared.wish.isNetworkUp || streams.obstacle == .offline {
                wording.offline
            } else if streams.obstacle == .credentialsRefused {
                wording.signInAgain
            } else {
                state.shared.sending.pausedUntil == nil ? nil : wording.serverAskedToWait
            }
        }
    }

    private static func line(_ phase: Connection.Phase, _ wording: Wording) -> ExactText? {
        switch phase {
        case .connected, .replaying: nil
        case .disconnected: wording.notConnected
        case .connecting, .authenticating: wording.connecting
        case .reconnecting(.offline): wording.offline
        case .reconnecting(.backoff): wording.reconnecting
        case .failed(.exhausted(let end)): wording.connectFailed(wording.reason(end))
        case .failed(.sessionReplaced): wording.sessionReplaced
        case .failed(.credentialsRefused): wording.signInAgain
        case .failed(.toldToWait): wording.serverAskedToWait
        }
    }

    /// Whether the typing indicator shows: a reply is expected and none of its text is visible (S1, C18).
    public static func isTyping(_ state: State) -> Bool {
        isTyping(state.places[state.current], state.shared.link)
    }

    /// Whether a message is in flight or waits for its reply; `false` without a connection (C15).
    public static func isSending(_ state: State) -> Bool {
        isSending(state.places[state.current], state.shared.link)
    }

    /// `isTyping` of one conversation. Takes a reference, because a copy would retain each of its parts.
    static func isTyping(_ conversation: Boxed<Conversation>, _ link: Attempt?) -> Bool {
        if conversation.wrappedValue.typing.isIncoming { return true }
        switch conversation.wrappedValue.replyPath {
        case .streamed(let stream): return stream.wrappedValue.isTyping
        case .pushed:
            for index in conversation.wrappedValue.pushed.growing.indices
            where conversation.wrappedValue.pushed.growing[index].shown.isEmpty { return true }
            return isSending(conversation, link)
        }
    }

    private static func isSending(_ conversation: Boxed<Conversation>, _ link: Attempt?) -> Bool {
        switch conversation.wrappedValue.replyPath {
        case .streamed(let stream):
            guard case .waiting = stream.wrappedValue.phase else { return false }
            return stream.wrappedValue.isTyping
        case .pushed: return link != nil && conversation.wrappedValue.pushed.turns.awaitsWanted
        }
    }
}

extension Chat.Conversation {
    /// Whether a reply is awaited or grows, including a stopped one and one to another device.
    package var awaitsReply: Bool {
        switch replyPath {
        case .streamed(let stream): stream.wrappedValue.isRunning
        case .pushed: !pushed.growing.isEmpty || pushed.turns.isAnyWaiting
        }
    }
}

extension Turns {
    /// Whether a question of this device is in flight or awaits a reply that was not stopped. O(turns).
    fileprivate var awaitsWanted: Bool {
        // By index, because iterating would copy each turn.
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
