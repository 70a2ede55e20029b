// What chat knows: who is signed in, the one connection, and the conversations, of which the person looks at
// one. What belongs to one of them stands in Conversation.swift.

extension Chat {
    /// Everything that chat knows.
    public struct State: DomainValue {
        /// Who is signed in.
        public var account: Account?
        /// Whether the chat is on the screen.
        public var isShown = false
        /// Whether this device has a network, as far as anybody has said.
        public var isNetworkUp = true
        /// What a question has found to stand in the way of all others, until that may be gone.
        public var obstacle: Obstacle?
        /// Whether the app is in front.
        public var presence: Presence = .foreground
        /// The connection.
        public var connection: Connection = .disconnected
        /// Keeps attempts to connect apart (C2).
        public var backoff: Backoff
        /// Keeps authentications apart (C2).
        public var authentications: Throttle
        /// Whether it recalls those of an earlier process.
        public var pacing: PacingStorage = .unknown
        /// Keeps messages apart (C8).
        public var sending: Throttle
        /// Keeps files apart, when the server asks for that (C14).
        public var uploads = Throttle(.unlimited)
        /// The conversation that the person looks at.
        public var conversation: Conversation
        /// The other conversations, in no order that means anything.
        public var parked: [Conversation] = []
        /// Which conversations there are (C19).
        public var list = ConversationList()
        /// Who has left before the disk had all that they had written; the latest last (L5).
        public internal(set) var departed: [Departed] = []
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

    /// What stands in the way of all questions, where each has a stream of its own.
    public enum Obstacle: DomainValue {
        /// There is no network (C2).
        case offline
        /// The server does not accept the credentials (S9). Nothing is asked until there are new ones, or the
        /// person wants it to be tried.
        case credentialsRefused
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
        /// No attempt is made by time alone: the person, a network that comes back (C2) or a minute in the
        /// background ends it.
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
        /// What carries the conversation takes no files.
        case filesNotTaken
        /// A message is too long (SPEC section 8).
        case textTooLong
        /// There are as many conversations as there may be (L8).
        case tooManyConversations
        /// A conversation is not closed while something in it is not sent (C19, L5).
        case conversationHasUnsent
        /// Messages could not be saved on this device (C7).
        case notSaved(StorageFailure)
        /// What is stored could not be read (R5).
        case notRestored(StorageFailure)
        /// The server reported an error.
        case serverError(ExactText)
        /// The server no longer has all that came since the last visit (C5).
        case replayTruncated
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
