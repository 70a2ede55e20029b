// One conversation, and nothing that it shares with another (C19). The steps of chat are its methods, in the folders
// beside this one.
//
// It is shown in three stretches: the transcript (everything that was ever in flight), messages parked because of a
// file, and the outbox. A message moves to the transcript once, when it is sent.

extension Chat {
    /// One conversation.
    public struct Conversation: DomainValue {
        /// Its name.
        public let id: ConversationID
        /// Everything that was ever on a wire.
        public internal(set) var transcript: Transcript
        var exchange: Exchange
        /// What a socket has brought; behind a reference that is always there, so that it is read where it lies.
        fileprivate var received = Boxed(wrappedValue: Pushed())
        /// What is not with the server yet.
        @Boxed package internal(set) var outbox: Outbox
        /// What stands in the composer.
        @Boxed package internal(set) var draft = Draft()
        /// The files of what has been delivered, whose bytes are to be erased.
        var delivered: [Attachment] = []
        /// Who types.
        var typing = Typing()
        /// Where the person looks.
        var viewport = Viewport.atEnd
        /// Something the person should be told (C15).
        package internal(set) var banner: Banner?
        /// Whether what is stored has been loaded, or was waited for long enough.
        var isRestored = false

        /// An empty conversation.
        init(id: ConversationID, seed: UInt64, configuration: Configuration) {
            self.id = id
            transcript = Transcript(seed: seed, pageLength: configuration.pageLength)
            outbox = Outbox(limit: configuration.outboxLimit)
            exchange =
                switch configuration.carriage {
                case .socket: .pushed
                case .streams: .streamed(Boxed(wrappedValue: Streaming.State()))
                }
        }
    }

    /// What the replies come by; it follows from the carriage and never changes.
    enum Exchange: DomainValue {
        /// A socket that pushes.
        case pushed
        /// A stream for each question: the latest question and the growth of its reply.
        case streamed(Boxed<Streaming.State>)
    }

    /// What a conversation knows of what a socket has brought and may still bring.
    struct Pushed: DomainValue {
        /// Which echoes are still to come, and which have found no message (C10).
        var copies = Copies()
        /// Which question waits for a reply, and which reply answers which (C12).
        var turns = Turns()
        /// The replies that are growing, in the order of first appearance (C17).
        var growing: [GrowingReply] = []
        /// The replies that found no place to grow (limits). Each is shown when it is complete, since its
        /// beginning is missing; numbered pieces are put together.
        var crowdedOut: [GrowingReply] = []
        /// The last finished message of the server that was applied (C5).
        var cursor: MessageID?
        /// What was known before the server began to tell its history anew, while it does (C5).
        var retelling: Retelling?
        /// The broken replies of which the replay has yet to say whether they exist (C5).
        var untold: [MessageID] = []

        /// Where a reply grows. By index, because a reply that is taken out has its texts retained.
        @inline(__always) func growingIndex(of id: MessageID) -> Int? {
            for index in growing.indices where growing[index].id == id { return index }
            return nil
        }
    }

    /// Who types in a conversation (C18).
    struct Typing: DomainValue {
        /// Whether somebody else does.
        var isIncoming = false
        /// The server's time for the newest message of somebody else: what is older says nothing.
        var newestMessage: WallTime?
        var isOutgoing = false
        var lastStart: Instant?
    }

    /// Where the person looks (C22).
    enum Viewport: DomainValue {
        /// At the newest message, and wants to stay there.
        case atEnd
        /// Elsewhere, and so many messages have come since.
        case elsewhere(unread: Int64)
        /// In another conversation, and so many messages have come since.
        case away(unread: Int64, wasAtEnd: Bool)
    }
}

extension Chat.Conversation {
    /// What a socket has brought. Where streams carry chat it is empty, and a change of it is none.
    var pushed: Chat.Pushed {
        @inline(__always) _read { yield received.wrappedValue }
        @inline(__always) _modify {
            defer { if case .streamed = exchange { received.wrappedValue = Chat.Pushed() } }
            yield &received.wrappedValue
        }
    }

    /// The latest question and the growth of its reply, where each has a stream of its own.
    var stream: Streaming.State? {
        if case .streamed(let box) = exchange { box.wrappedValue } else { nil }
    }

    /// The last finished message of the server that was applied (C5).
    var cursor: MessageID? { pushed.cursor }

    /// The replies that are growing, in the order of first appearance.
    package var growing: [GrowingReply] { pushed.growing }

    /// The same reference as long as nothing of the outbox has changed.
    var outboxReference: Boxed<Outbox> { _outbox }

    var hasUnsent: Bool {
        outbox.count > 0 || !outbox.refused.isEmpty || !draft.text.isEmpty || !draft.attachments.isEmpty
    }

    /// Whether that is so, or cannot be known before the records are loaded.
    var mayHaveUnsent: Bool { !outbox.record.isRead || !draft.record.isRead || hasUnsent }

    /// Whether a row shows a message that is not with the server and will not go by itself. O(messages in memory).
    var showsUnsent: Bool {
        transcript.rows.contains { row in
            let message = row.value.wrappedValue
            guard case .failed(let failure) = message.status, !message.isHidden else { return false }
            return failure.isUnsent
        }
    }

    /// Somebody else's message has come; who looks elsewhere has not seen it (C22).
    mutating func countUnread() {
        switch viewport {
        case .atEnd: break
        case .elsewhere(let unread): viewport = .elsewhere(unread: saturatingSum(unread, 1))
        case .away(let unread, let wasAtEnd):
            viewport = .away(unread: saturatingSum(unread, 1), wasAtEnd: wasAtEnd)
        }
    }

    mutating func scroll(isAtEnd: Bool) {
        switch (viewport, isAtEnd) {
        case (_, true): viewport = .atEnd
        case (.atEnd, false): viewport = .elsewhere(unread: 0)
        case (.elsewhere, false), (.away, false): break
        }
    }
}

extension Chat.Viewport {
    /// The same after the person has turned to another conversation.
    var left: Chat.Viewport {
        switch self {
        case .atEnd: .away(unread: 0, wasAtEnd: true)
        case .elsewhere(let unread): .away(unread: unread, wasAtEnd: false)
        case .away: self
        }
    }

    /// The same when the person has come back.
    var entered: Chat.Viewport {
        switch self {
        case .away(_, wasAtEnd: true): .atEnd
        case .away(let unread, wasAtEnd: false): .elsewhere(unread: unread)
        case .atEnd, .elsewhere: self
        }
    }
}

extension ConversationID {
    /// The conversation that there always is, and the only one of backends that have one.
    public static var main: ConversationID { "main" }
}
