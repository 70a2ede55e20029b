// One conversation, and nothing that it shares with another (C19).
//
// It is shown in three stretches, always in this order: the transcript (everything that was ever on a wire,
// each message in its place, growing replies among them), what was never on a wire because a file of it could not
// be uploaded, and the outbox (what waits to go, in the order written). A message moves from the outbox to the transcript once, when it is sent.

extension Chat {
    /// One conversation.
    public struct Conversation: DomainValue {
        /// Its name.
        public let id: ConversationID
        /// Everything that was ever on a wire.
        public var transcript: Transcript
        /// The replies that are growing, in the order of first appearance.
        public var growing: [GrowingReply] = []
        /// The replies that found no place to grow when they began: each is shown when it is complete (SPEC section
        /// 8), for what comes of it later would be shown without its beginning.
        public internal(set) var crowdedOut: [MessageID] = []
        /// The latest question and the growth of its reply, where each has a stream of its own; nothing where a
        /// socket pushes.
        @Boxed public internal(set) var stream: Streaming.State? = nil
        /// What is not with the server yet.
        public var outbox: Outbox
        /// What stands in the composer.
        public var draft = Draft()
        /// What was put on a wire and has neither an id of the server nor been refused, oldest first (C10).
        public var unresolved: [ClientID] = []
        /// What goes again under another id, as long as its first copy may still be echoed (C12).
        public var superseded: [Superseded] = []
        /// Echoes that name no message and matched none: what they echo may not have been loaded yet.
        public var strays: [MessageID] = []
        /// The like of earlier launches, on the pages that are loaded. What they echo stands on an older page.
        public var storedStrays: [MessageID] = []
        /// The accepted messages whose replies have not begun, oldest first (C12).
        public var awaitingReply: [ClientID] = []
        /// The message on the wire to which a reply has begun before anybody has said that it arrived (C10).
        public var answeredEarly: ClientID?
        /// The messages, accepted or on the wire, whose replies the person does not want any more (S10).
        public var unwanted: [ClientID] = []
        /// Which questions the latest replies answer, where nobody but their order says so.
        public var answers: [Answer] = []
        /// The partials of replies that were asked for again, and stay until text comes in their place (S6).
        public var replaced: [Replaced] = []
        /// The change of the outbox that tells under which other id a message goes. Before it has ended no page is
        /// saved, or the next launch would find a message under both (L6).
        var renamed = WriteBehind.Revision.loaded
        /// The last finished message of the server that was applied (C5).
        public var cursor: MessageID?
        /// The last finished message of the replay that is under way.
        public var replayed: MessageID?
        /// The interrupted replies that were loaded from storage, of which the replay has yet to say whether
        /// they still exist (C5).
        public var storedPartials: [MessageID] = []
        /// The files of what has been delivered, whose bytes are to be erased.
        public var delivered: [Attachment] = []
        /// Who types.
        public var typing = Typing()
        /// Where the person looks.
        public var viewport = Viewport.atEnd
        /// Something the person should be told (C15).
        public var banner: Banner?
        /// Whether what is stored has been loaded, or was waited for long enough.
        public var isRestored = false

        /// An empty conversation.
        public init(id: ConversationID, seed: UInt64, configuration: Configuration) {
            self.id = id
            transcript = Transcript(seed: seed, pageLength: configuration.pageLength)
            outbox = Outbox(limit: configuration.outboxLimit)
            if case .streams = configuration.carriage { stream = Streaming.State() }
        }
    }

    /// An id under which a message was sent that has another by now.
    public struct Superseded: DomainValue {
        /// The id under which a copy of it was put on a wire.
        public let old: ClientID
        /// The id that it has now.
        public var by: ClientID
    }

    /// The partial of a reply that broke off, whose question was asked again (S6).
    public struct Replaced: DomainValue {
        /// The partial.
        public let partial: MessageID
        /// What is to take its place.
        public var by: ReplySubject
    }

    /// Who types in a conversation (C18).
    public struct Typing: DomainValue {
        /// Whether somebody else does.
        public var isIncoming = false
        /// The server's time for the newest message of somebody else: what is older says nothing.
        public var newestMessage: WallTime?
        /// Whether the server was told that the person does.
        public var isOutgoing = false
        /// When it was told last that the person begins to.
        public var lastStart: Instant?

        /// Nobody types.
        public init() {}
    }

    /// Where the person looks (C22).
    public enum Viewport: DomainValue {
        /// At the newest message, and wants to stay there.
        case atEnd
        /// Elsewhere, and so many messages have come since.
        case elsewhere(unread: Int64)
        /// In another conversation, and so many messages have come since.
        case away(unread: Int64, wasAtEnd: Bool)
    }

    /// What stands in the composer, and how it stands to storage (L5).
    public struct Draft: DomainValue {
        /// The text.
        public var text: ExactText = ""
        /// The files, in the order in which they were picked.
        public var attachments: [Attachment] = []
        /// Its name, once it has been saved. The message that it becomes carries it, so that a later launch knows
        /// whether what is stored was sent, however often the person writes the same text (L5, L6).
        public var id: DraftID?
        /// The files whose bytes are being stored; nothing is sent meanwhile.
        public var copies: [Copying] = []
        /// How it stands to storage.
        public var storage: Storage = .unknown
        /// Whether it differs from its record.
        public var isDirty = false
        /// The save of its record that is under way, the latest of them.
        public var saving: Attempt?
        /// The change of the outbox that carries what was sent from here last. Before that is durable, the
        /// record is not cleared.
        public var sent = WriteBehind.Revision.loaded

        /// How a draft stands to storage.
        public enum Storage: DomainValue {
            /// Nothing was loaded yet. It is not before the outbox has been, so that a draft that was sent is
            /// not offered again.
            case unknown
            /// It is being loaded.
            case loading(Attempt)
            /// It is as stored, or about to be.
            case known
            /// What was stored cannot be read, and must not be overwritten.
            case unreadable
        }

        /// An empty draft.
        public init() {}

        /// Puts another text here, which is to be saved.
        mutating func edit(_ new: ExactText) {
            text = new
            isDirty = true
        }
    }
}

extension Chat.Conversation {
    /// Whether the person has written something here that the server is not known to have.
    var hasUnsent: Bool {
        outbox.count > 0 || !outbox.refused.isEmpty || !draft.text.isEmpty || !draft.attachments.isEmpty
    }

    /// Whether that is so, or cannot be known yet, because what is stored has not been loaded.
    var mayHaveUnsent: Bool {
        switch (outbox.storage, draft.storage) {
        case (.unknown, _), (.loading, _), (_, .unknown), (_, .loading): true
        default: hasUnsent
        }
    }

    /// Whether a message that is shown here is not with the server and will not go by itself. O(n) for n messages in
    /// memory.
    var showsUnsent: Bool {
        transcript.rows.contains { row in
            guard case .failed(let failure) = row.value.status, !row.value.isHidden else { return false }
            return failure.isUnsent
        }
    }

    /// Makes it one that is begun here: nothing is stored of it, and nothing is to be before the list of
    /// conversations names it (L5).
    mutating func begin(listedBy revision: WriteBehind.Revision) {
        isRestored = true
        outbox.storage = .unlisted(revision)
        draft.storage = .known
        transcript.pages.restored(nil)
        transcript.pages.storage = .idle
    }

    /// Has what is stored of it loaded, unless it is here.
    mutating func load(for account: Account, _ context: inout Context) -> [Chat.Effect] {
        let (outbox, contents) = (context.nextAttempt(), context.nextAttempt())
        transcript.pages.storage = .loadingContents(contents)
        let loadingContents = Chat.Effect.load(.contents(account.user, id), contents)
        guard !self.outbox.storage.mayBeSaved else { return [loadingContents] }
        self.outbox.storage = .loading(outbox)
        return [.load(.outbox(account.user, id), outbox), loadingContents]
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
