// The state of one conversation, which no other conversation can reach (C19). The steps of chat are its methods, in
// the folders beside this one. Start with `Conversation`. A screen shows the transcript (every message that was ever
// in flight), then the parked messages, then the queue. A message moves to the transcript once, when it is sent.

extension Chat {
    /// One conversation.
    public struct Conversation: DomainValue {
        /// The id of the conversation.
        public internal(set) var id: ConversationID
        /// The received messages, and the sent ones once they were in flight.
        package internal(set) var transcript: ChatTranscript
        var replyPath: ReplyPath
        /// The storage of `pushed`. Boxed, so that reading it copies nothing.
        fileprivate var received = Boxed(wrappedValue: Pushed())
        /// The messages that the server is not known to have.
        @Boxed package internal(set) var outbox: Outbox
        /// The content of the composer.
        @Boxed package internal(set) var draft = Draft()
        /// The files of delivered messages; their bytes are erased at the end of the step.
        var filesToErase: [Attachment] = []
        package var typing = Typing()
        /// The scroll position. At the end all is read (C22), also what a replay is still to bring again (C5).
        var viewport = Viewport.atEnd {
            didSet {
                guard viewport == .atEnd else { return }
                transcript.readAll()
                if pushed.retelling != nil { pushed.retelling?.readAll() }
            }
        }
        /// The notice to the person (C15).
        package internal(set) var banner: Banner?
        /// Whether the stored records are loaded, or their deadline has passed.
        package var isRestored = false

        /// Creates an empty conversation. `seed` is the seed of the transcript's hashes.
        init(id: ConversationID, seed: UInt64, configuration: Configuration) {
            self.id = id
            transcript = ChatTranscript(seed: seed, pageLength: configuration.pageLength)
            outbox = Outbox(limit: configuration.outboxLimit)
            replyPath =
                switch configuration.carriage {
                case .socket: .pushed
                case .streams: .streamed(Boxed(wrappedValue: Streaming.State()))
                }
        }
    }

    /// The path of replies. The carriage decides it, and it never changes.
    enum ReplyPath: DomainValue {
        /// Over the socket; the state is `pushed`.
        case pushed
        /// On the stream of the latest question, with its state.
        case streamed(Boxed<Streaming.State>)
    }

    /// The receiving side of a conversation on a socket.
    package struct Pushed: DomainValue {
        /// The sent copies without an echo, and the echoes without a message (C10).
        package var copies = Copies()
        /// The questions without a reply, and the reply of each answered question (C12).
        package var turns = Turns()
        /// The growing replies, in the order of first appearance (C17).
        var growing: [GrowingReply] = []
        /// The replies beyond the limit of growing ones (limits), and numbered ones that ended without text (S15). Each
        /// is shown when it is complete; only chunks are gathered, because the beginning of the others is lost.
        package var crowdedOut: [GrowingReply] = []
        /// The replies that have ended here and not at the server, each since its last sign (C9, C20).
        package var muted: [GrowingReply] = []
        /// The last finished message of the server that was applied (C5).
        var cursor: MessageID?
        /// The messages from before a reset or a replay without a cursor, while that replay lasts (C5).
        var retelling: Retelling?
        /// The interrupted replies from storage that a replay has not confirmed yet (C5).
        var untold: [MessageID] = []

        /// Whether the server is to begin or to finish a reply, also one that is muted here.
        func isAnswerDue(_ step: Chat.Step) -> Bool {
            turns.isAnyWaiting || !growing.isEmpty
                || muted.contains {
                    $0.growth.silence(at: step.now, limit: step.configuration.totalLimit) != nil
                }
        }

        /// Forgets a reply that has ended at the server.
        mutating func unmute(_ id: MessageID) { muted.removeAll { $0.id == id } }

        /// Whether the cursor is at a message. Inlined, so that neither is copied.
        @inline(__always) func isCursor(at message: Message) -> Bool { cursor != nil && message.id == cursor }

        /// Whether the reply is beyond the limit of growing ones.
        func isCrowdedOut(_ id: MessageID) -> Bool { crowdedOut.contains { $0.id == id } }

        /// The index of a growing reply. An index, because a reply taken out of the array is copied.
        @inline(__always) func growingIndex(of id: MessageID) -> Int? {
            for index in growing.indices where growing[index].id == id { return index }
            return nil
        }
    }

    /// The typing indicators of a conversation (C18).
    package struct Typing: DomainValue {
        /// Whether another participant types.
        package var isIncoming = false
        /// The server's time of the newest received message; an older typing event is stale.
        var newestMessage: WallTime?
        /// Whether a typing start was sent and no stop yet.
        package var isOutgoing = false
        var lastStart: Instant?
    }

    /// The scroll position (C22).
    enum Viewport: DomainValue {
        /// At the newest message; the view follows it.
        case atEnd
        /// Above the newest message.
        case elsewhere
        /// In another conversation.
        case away(wasAtEnd: Bool)
    }
}

extension Chat.Conversation {
    /// The receiving side of a socket. On streams it stays empty: changes are discarded.
    package var pushed: Chat.Pushed {
        @inline(__always) get { received.wrappedValue }
        @inline(__always) _modify {
            defer { if case .streamed = replyPath { received.wrappedValue = Chat.Pushed() } }
            yield &received.wrappedValue
        }
    }

    /// The state of the latest question's stream; `nil` on a socket.
    package var stream: Streaming.State? {
        if case .streamed(let box) = replyPath { box.wrappedValue } else { nil }
    }

    /// The last finished message of the server that was applied (C5).
    var cursor: MessageID? { pushed.cursor }

    /// The growing replies of a socket, in the order of first appearance.
    package var growing: [GrowingReply] { pushed.growing }

    /// The outbox by reference, to detect a change in O(1).
    var outboxReference: Boxed<Outbox> { _outbox }

    /// Whether the person can see anything here that the server does not have. O(outbox).
    var hasUnsent: Bool { holdsUnsent || transcript.unsent > 0 }

    /// Whether the outbox or the composer holds anything that the person did not delete.
    var holdsUnsent: Bool {
        outbox.all.contains { !isDeleted($0) } || !draft.text.isEmpty || !draft.attachments.isEmpty
    }

    /// Whether the person has deleted a message in flight; it stays in the outbox until its fate is known (C13).
    package func isDeleted(_ outgoing: Outgoing) -> Bool { transcript.message(outgoing.id)?.isHidden == true }

    /// Whether `hasUnsent` holds, or may hold because a record is not loaded yet.
    var mayHaveUnsent: Bool { !outbox.record.isRead || !draft.record.isRead || hasUnsent }

    /// Counts a received message, unless the person is at the end (C22).
    mutating func countUnread(_ ordinal: Int64?) {
        if let ordinal, viewport != .atEnd { transcript.markNew(ordinal) }
    }

    mutating func scroll(isAtEnd: Bool) {
        switch (viewport, isAtEnd) {
        case (_, true): viewport = .atEnd
        case (.atEnd, false): viewport = .elsewhere
        case (.elsewhere, false), (.away, false): break
        }
    }
}

extension Chat.Viewport {
    /// The viewport after a switch to another conversation.
    var left: Chat.Viewport {
        switch self {
        case .atEnd: .away(wasAtEnd: true)
        case .elsewhere: .away(wasAtEnd: false)
        case .away: self
        }
    }

    /// The viewport after a switch back.
    var entered: Chat.Viewport {
        switch self {
        case .away(wasAtEnd: true): .atEnd
        case .away(wasAtEnd: false): .elsewhere
        case .atEnd, .elsewhere: self
        }
    }
}

extension ConversationID {
    /// The conversation that always exists; the only one of some backends.
    public static var main: ConversationID { "main" }
}
