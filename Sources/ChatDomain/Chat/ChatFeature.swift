// Chat: the connection, what is sent, and what arrives (SPEC C1–C22).
//
// Start with the state in ChatState.swift, then read the switch in ChatReducer.swift; it leads to three
// chapters: Connection, Sending, Receiving. This file holds the vocabulary.

/// The feature that owns the conversations.
public struct Chat: Feature {
    /// The numbers that an app may change.
    public var configuration: Configuration

    /// Creates the feature.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    /// What a person did and what the world answered.
    public enum Action: FeatureAction {
        // The front end.
        /// The chat is on the screen.
        case shown
        /// The chat was left.
        case left
        /// The text of the composer changed.
        case draftEdited(ExactText)
        /// The person sends what stands in the composer.
        case sent
        /// The person wants to try to connect again.
        case reconnectRequested
        /// The person scrolled to the oldest message shown (C21).
        case olderRequested
        /// The person has read the banner (C15).
        case bannerDismissed

        // The root.
        /// Somebody is signed in, on this device.
        case signedIn(Account)
        /// Nobody is signed in any more.
        case signedOut
        /// This device has a network, or has none.
        case networkChanged(isUp: Bool)
        /// The app is in front.
        case foregrounded
        /// The app is no longer in front.
        case backgrounded

        // What the world answered.
        case received(Event, on: Call)
        case ended(Call, CallEnd)
        case stored(StorageAnswer<Record>, under: Key, Attempt)
        case timerFired(Timer)
    }

    /// The calls that chat may have open.
    public enum Call: DomainValue {
        /// The connection that pushes.
        case socket(Attempt)
    }

    /// What is asked when a call is opened.
    public enum Request: DomainValue {
        /// Connect, authenticate, and tell what came after the cursor.
        case connect(SecretHandle, DeviceID, cursor: MessageID?)
    }

    /// What is sent on an open call.
    public enum Frame: DomainValue {
        /// A message of the person, under its idempotency key.
        case say(ClientID, ExactText)
    }

    /// What an open call brings.
    public enum Event: DomainValue {
        /// The transport is open; authentication has begun.
        case opened
        /// The server knows who this is, and will replay this many finished messages first.
        case authenticated(replayCount: Int64, isTruncated: Bool, isReset: Bool)
        /// The server does not accept the credentials.
        case credentialsRefused(CredentialsRefusal)
        /// The server does not know the cursor (C5).
        case cursorRefused
        /// Another connection has taken this session (C3).
        case sessionReplaced
        /// The server has a message (C10).
        case acknowledged(ClientID)
        /// The server does not take a message (C11).
        case rejected(ClientID, reason: ExactText)
        /// The server takes a message later, not now (C11).
        case deferred(ClientID)
        /// A message: an echo, a whole reply, or a growing one with all of its text so far.
        case message(IncomingMessage)
        /// A finished message that the backend could not read: it counts as replayed, or a replay would never
        /// end (S12).
        case unreadableMessage
        /// More text of a growing reply.
        case delta(MessageID, ExactText)
        /// A reply, named by itself or by the question, will not be finished.
        case replyFailed(ReplySubject, reason: ExactText)
        /// The server reports an error that concerns nothing in particular.
        case failed(ExactText)
    }

    /// What a failed reply is named by.
    public enum ReplySubject: DomainValue {
        /// The reply's own id.
        case reply(MessageID)
        /// The question that it would have answered.
        case question(ClientID)
    }

    /// Where chat keeps its records; all of them below the user they belong to (P10).
    public enum Key: DomainValue {
        /// What stands in the composer.
        case draft(UserID, ConversationID)
        /// What is written and not yet with the server.
        case outbox(UserID, ConversationID)
        /// Which pages there are.
        case contents(UserID, ConversationID)
        /// A stretch of the transcript, with the cursor that was valid when it was written.
        case page(UserID, ConversationID, Int64)
    }

    /// What chat keeps.
    public enum Record: DomainValue {
        case draft(ExactText)
        case outbox([OutboxEntry])
        case contents(Contents)
        case page(Page)
    }

    /// The deadlines of chat.
    public enum Timer: DomainValue {
        /// The transport takes too long to open (C1).
        case connecting
        /// Authentication takes too long (C1).
        case authenticating
        /// The replay as a whole takes too long (C1).
        case replay
        /// The replay has stopped (C1).
        case replayProgress
        /// The next attempt to connect (C2).
        case reconnect
        /// The connection has been stable long enough to forget the backoff (C2).
        case stable
        /// The app has been in the background long enough to close the socket (C4).
        case background
        /// No acknowledgement: the message is slow (C9).
        case slow
        /// Still none: the connection counts as lost (C9).
        case acknowledgement
        /// The next message may be sent (C8).
        case rate
        /// The reply to an accepted message does not come (C12).
        case reply(ClientID)
        /// What is stored takes too long to be loaded; connecting goes on without it (L3).
        case restoring
        /// The outbox takes too long to be saved (C7).
        case outboxSave
        /// The draft is to be saved (L5).
        case draftSave
        /// A batch of a growing reply is to be shown (S2).
        case batch(MessageID)
        /// A growing reply has been silent for too long (S7).
        case silence(MessageID)
    }
}

extension Chat {
    /// The numbers of chat, with the defaults of SPEC sections 3 and 8.
    public struct Configuration: DomainValue {
        /// How long the transport may take to open (C1).
        public var connectLimit = Interval.seconds(10)
        /// How long authentication may take (C1).
        public var authenticationLimit = Interval.seconds(12)
        /// How long one replayed message may take, and the bounds of the whole replay (C1).
        public var replayPerMessage = Interval.milliseconds(250)
        /// The shortest and the longest that a replay may take (C1).
        public var replayLimits = Interval.seconds(30)...Interval.seconds(300)
        /// How long a replay may stand still (C1).
        public var replayProgressLimit = Interval.seconds(30)
        /// How long to wait between attempts to connect (C2).
        public var backoff = Backoff.Configuration()
        /// How often to authenticate (C2).
        public var authentications = Throttle.Configuration(limit: 4, window: .seconds(60))
        /// How long a connection must last to count as stable (C2).
        public var stableAfter = Interval.seconds(5)
        /// The longest wait that a server may ask for and be waited for (C3).
        public var toldWaitLimit = Interval.seconds(30)
        /// How long the app may be in the background before the socket is closed (C4).
        public var backgroundGrace = Interval.seconds(2)
        /// How long in the background forgets the backoff (C2).
        public var backgroundForgets = Interval.seconds(60)
        /// How many messages may be sent in all (C8).
        public var sending = Throttle.Configuration(limit: 5, window: .seconds(1))
        /// After how long without acknowledgement a message is slow (C9).
        public var slowAfter = Interval.seconds(5)
        /// How long after that the connection counts as lost (C9).
        public var lostAfterSlow = Interval.seconds(30)
        /// When to try again what the server deferred (C11).
        public var deferral = Interval.milliseconds(200)...Interval.milliseconds(500)
        /// How long an accepted message may wait for its reply (C12).
        public var replyLimit = Interval.seconds(120)
        /// How long a growing reply may be silent (S7).
        public var silenceLimit = Interval.seconds(30)
        /// How long a batch of tokens gathers (S2).
        public var batchInterval = Interval.milliseconds(75)
        /// How long the outbox may take to be saved before sending goes on without it (C7).
        public var storageLimit = Interval.seconds(5)
        /// How long after the last key a draft is saved, at most (L5).
        public var draftDelay = Interval.seconds(1)
        /// How many messages may wait in a conversation (SPEC section 8).
        public var outboxLimit: Int64 = 50
        /// How long a message may be, in UTF-8 bytes (SPEC section 8).
        public var textLimit: Int64 = 65_536
        /// How long a reply may be, in UTF-8 bytes (C21).
        public var replyTextLimit: Int64 = 1_048_576
        /// How many replies may grow at once (SPEC section 8).
        public var growingLimit = 16
        /// How many messages of a conversation are kept in memory; also the memory by which duplicates are
        /// recognised, so at least 1,000 (C21, SPEC section 8).
        public var transcriptLimit: Int64 = 10_000
        /// How many messages one stored page holds. A page is rewritten whenever one of its messages
        /// changes, so it is small; a transcript of 10,000 has 200 of them.
        public var pageLength: Int64 = 50

        /// Creates the defaults.
        public init() {}
    }
}

/// Who is signed in, on which device: what chat needs to connect.
public struct Account: DomainValue {
    /// The person.
    public let user: UserID
    /// The name of the token.
    public let secret: SecretHandle
    /// This installation.
    public let device: DeviceID

    /// Creates an account.
    public init(user: UserID, secret: SecretHandle, device: DeviceID) {
        self.user = user
        self.secret = secret
        self.device = device
    }
}

/// A message on its way, as the outbox keeps it.
public struct OutboxEntry: DomainValue {
    /// The idempotency key.
    public let client: ClientID
    /// What it says.
    public let text: ExactText
    /// When it was written.
    public let written: WallTime
    /// Whether it was ever put on a wire: the server may have it (C13).
    public var wasSent: Bool

    /// Creates an entry.
    public init(client: ClientID, text: ExactText, written: WallTime, wasSent: Bool) {
        self.client = client
        self.text = text
        self.written = written
        self.wasSent = wasSent
    }
}

/// Which pages of a transcript there are. What lies below the oldest is history that the server has
/// withdrawn (C5).
public struct Contents: DomainValue {
    /// The oldest page.
    public let oldestPage: Int64
    /// The newest page.
    public let newestPage: Int64

    /// Creates contents.
    public init(oldestPage: Int64, newestPage: Int64) {
        self.oldestPage = oldestPage
        self.newestPage = newestPage
    }
}

/// A stretch of a transcript.
public struct Page: DomainValue {
    /// The messages, oldest first; none of them growing.
    public let messages: [Message]
    /// The last finished message of the server that had been applied (C5).
    public let cursor: MessageID?

    /// Creates a page.
    public init(messages: [Message], cursor: MessageID?) {
        self.messages = messages
        self.cursor = cursor
    }
}
