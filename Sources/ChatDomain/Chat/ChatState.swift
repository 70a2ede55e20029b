// What chat knows.
//
// A conversation is shown in three stretches, always in this order: the transcript (everything that was ever
// on a wire, each message in its place, growing replies among them), and after it the outbox (what was never
// on a wire, in the order written). A message moves from the outbox to the transcript once, when it is sent.

extension Chat {
    /// Everything that chat knows.
    public struct State: DomainValue {
        /// Who is signed in.
        public var account: Account?
        /// Whether the chat is on the screen.
        public var isShown = false
        /// Whether this device has a network, as far as anybody has said.
        public var isNetworkUp = true
        /// Whether the app is in front.
        public var presence: Presence = .foreground
        /// The connection.
        public var connection: Connection = .disconnected
        /// Keeps attempts to connect apart (C2).
        public var backoff: Backoff
        /// Keeps authentications apart (C2).
        public var authentications: Throttle
        /// Keeps messages apart (C8).
        public var sending: Throttle
        /// The conversation.
        public var conversation: Conversation
        /// Something the person should be told (C15).
        public var banner: Banner?
        /// Whether something was missed on this connection and has been asked for again (C5).
        public var isRefetching = false
        /// Whether what is stored has been loaded, or was waited for long enough. Nothing is connected
        /// before, because the cursor is stored.
        public var isRestored = false

        /// The state before anybody is signed in.
        public init(configuration: Configuration) {
            backoff = Backoff(configuration.backoff)
            authentications = Throttle(configuration.authentications)
            sending = Throttle(configuration.sending)
            conversation = Conversation(id: .main, seed: 0, configuration: configuration)
        }
    }

    /// Whether the app is in front.
    public enum Presence: DomainValue {
        /// It is.
        case foreground
        /// It has not been since then.
        case background(since: Instant)
    }

    /// The connection (C1).
    public enum Connection: DomainValue {
        /// There is none, and none is wanted.
        case disconnected
        /// The transport is being opened.
        case connecting(Attempt)
        /// The server is finding out who this is.
        case authenticating(Attempt)
        /// The server tells what came since the cursor; so many messages are still to come.
        case replaying(Attempt, remaining: Int64)
        /// Messages go both ways.
        case connected(Attempt)
        /// The next attempt waits for its time, or for the network.
        case reconnecting(ReconnectCause)
        /// No further attempt is made without the person.
        case failed(ConnectionFailure)
    }

    /// What the next attempt to connect waits for.
    public enum ReconnectCause: DomainValue {
        /// For its time, after so many attempts.
        case backoff(attempts: Int64)
        /// For the network.
        case offline
    }

    /// Why no further attempt to connect is made.
    public enum ConnectionFailure: DomainValue {
        /// Attempts are exhausted; the last broke like this (C2).
        case exhausted(CallEnd)
        /// Another connection has taken the session (C3).
        case sessionReplaced
        /// The server does not accept the credentials (C3, P10).
        case credentialsRefused(CredentialsRefusal)
        /// The server wants to be left alone until then (C3).
        case toldToWait(until: WallTime)
    }

    /// Something the person should be told.
    public enum Banner: DomainValue {
        /// A message was written to no avail: there is no room in the outbox (SPEC section 8).
        case outboxFull
        /// A message has as many files as it may have (SPEC section 8).
        case tooManyAttachments
        /// A file is too large (SPEC section 8).
        case attachmentTooLarge
        /// A message is too long (SPEC section 8).
        case textTooLong
        /// Messages could not be saved on this device (C7).
        case notSaved(StorageFailure)
        /// What is stored could not be read (R5).
        case notRestored(StorageFailure)
        /// The server reported an error.
        case serverError(ExactText)
        /// The server no longer has all that came since the last visit (C5).
        case replayTruncated
    }

    /// One conversation.
    public struct Conversation: DomainValue {
        /// Its name.
        public let id: ConversationID
        /// Everything that was ever on a wire.
        public var transcript: Transcript
        /// The replies that are growing, in the order of first appearance.
        public var growing: [GrowingReply] = []
        /// What is not with the server yet.
        public var outbox: Outbox
        /// What stands in the composer.
        public var draft = Draft()
        /// What was put on a wire and has neither an id of the server nor been refused, oldest first (C10).
        public var unresolved: [ClientID] = []
        /// Echoes that name no message and matched none: what they echo may not have been loaded yet.
        public var strays: [MessageID] = []
        /// The accepted messages whose replies have not begun, oldest first (C12).
        public var awaitingReply: [ClientID] = []
        /// The message on the wire to which a reply has begun before anybody has said that it arrived (C10).
        public var answeredEarly: ClientID?
        /// The last finished message of the server that was applied (C5).
        public var cursor: MessageID?
        /// The interrupted replies that were loaded from storage, of which the replay has yet to say whether
        /// they still exist (C5).
        public var storedPartials: [MessageID] = []
        /// The files of what has been delivered, whose bytes are to be erased.
        public var delivered: [Attachment] = []
        /// Who types.
        public var typing = Typing()
        /// Where the person looks.
        public var viewport = Viewport.atEnd

        /// An empty conversation.
        public init(id: ConversationID, seed: UInt64, configuration: Configuration) {
            self.id = id
            transcript = Transcript(seed: seed, pageLength: configuration.pageLength)
            outbox = Outbox(limit: configuration.outboxLimit)
        }
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
    }

    /// What stands in the composer, and how it stands to storage (L5).
    public struct Draft: DomainValue {
        /// The text.
        public var text: ExactText = ""
        /// The files, in the order in which they were picked.
        public var attachments: [Attachment] = []
        /// The files whose bytes are being stored; nothing is sent meanwhile.
        public var copies: [Copying] = []
        /// How it stands to storage.
        public var storage: Storage = .unknown
        /// Whether it differs from its record.
        public var isDirty = false
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

extension Chat.Connection {
    /// The attempt under which the socket was opened, while there is one.
    public var attempt: Attempt? {
        switch self {
        case .connecting(let attempt), .authenticating(let attempt), .replaying(let attempt, _),
            .connected(let attempt):
            attempt
        case .disconnected, .reconnecting, .failed: nil
        }
    }

    /// The attempt under which the socket was opened, once the server knows who this is.
    public var link: Attempt? {
        switch self {
        case .replaying(let attempt, _), .connected(let attempt): attempt
        case .disconnected, .connecting, .authenticating, .reconnecting, .failed: nil
        }
    }

    /// Why the server no longer accepts the credentials, if it does not.
    public var refusal: CredentialsRefusal? {
        if case .failed(.credentialsRefused(let refusal)) = self { refusal } else { nil }
    }
}

extension ConversationID {
    /// The conversation of backends that have only one.
    public static var main: ConversationID { "main" }
}
