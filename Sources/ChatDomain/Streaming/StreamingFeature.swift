// Streaming: one question, and the reply that grows over an HTTP stream until it ends (S1–S13, S16, S17). It carries
// a coach's reply, a suggestion and a model's answer; the caller owns the messages. A stream brings increments in
// order; whole texts and numbered chunks (S15) arrive over a socket and belong to chat. This file holds the
// vocabulary, StreamingState.swift the phases, StreamingReducer.swift the transitions.

/// The feature that asks one question and streams its reply.
public struct Streaming: Feature {
    /// The settings of the app, and the capabilities of its backend.
    public var configuration: Configuration

    /// Creates the feature.
    public init(configuration: Configuration = Configuration()) { self.configuration = configuration }

    /// A report of the person, the root or the effects.
    public enum Action: FeatureAction {
        // From the front end.
        /// The person asks a question; a growing reply ends. `keeping` stays in view until new text replaces it (S6).
        case asked(Question, keeping: LongText = LongText())
        /// The person asks the same question again (S6).
        case retried
        /// The person stops the reply (S10).
        case stopped
        /// The person left the view (S11).
        case left
        /// The question and its reply can be discarded.
        case dismissed

        // From the root.
        /// The app left the foreground (S11).
        case backgrounded
        /// The credentials changed, or are gone (S9, P10).
        case accessChanged(Access?)

        // From the effects.
        case received(Event, on: Call)
        case ended(Call, CallEnd)
        case stored(StorageAnswer<Record>, under: Key, Attempt)
        case timerFired(Timer)
    }

    /// The calls of streaming; at most one is open.
    public enum Call: DomainValue {
        /// The question, answered by a stream.
        case stream(Attempt)
        /// The question, answered whole (S13).
        case fallback(Attempt)
        /// New credentials for old ones. The driver shares one such call among all callers (S9).
        case refresh(Attempt)
    }

    /// The request of a call.
    public enum Request: PlainValue {
        indirect case stream(Question, SecretHandle)
        indirect case whole(Question, SecretHandle)
        /// New credentials in place of these.
        case refreshCredentials(SecretHandle)
    }

    /// An event of an open call.
    public enum Event: PlainValue {
        /// The server accepted the question; some backends name the reply already.
        case began(MessageID?)
        /// An increment of text.
        case token(ExactText)
        /// All marks of the reply, before its end or with the whole. They are kept, and not shown here.
        case flagged([ExactText])
        /// The reply is complete.
        indirect case done(MessageID?, Usage?)
        /// The server gave up, with this sentence (S5).
        case failed(ExactText)
        /// The server refuses the question, with this sentence. Another form of the same question is refused as well,
        /// so none is requested (S13).
        case refused(ExactText)
        /// A 429 whose wait is a time of day: the server accepts no question before it (S9).
        case limited(until: WallTime)
        /// The whole reply at once.
        indirect case whole(ExactText, MessageID?, Usage?)
        /// New credentials; the driver has stored them.
        indirect case refreshed(Access)
        /// An event outside the protocol; it is counted (S12).
        case skipped
    }

    /// The deadlines of streaming.
    public enum Timer: DomainValue {
        /// Pending text is due to be shown (S2).
        case batch
        /// No first text arrived (S7).
        case firstToken
        /// No further text arrived (S7).
        case silence
        /// The stream exceeded its total duration (S7).
        case total
        /// The backoff after a connection lost before any text is over (S8).
        case retry
        /// No whole reply arrived (S13).
        case fallback
        /// No new credentials arrived (S9).
        case refresh
    }

    /// No frame is sent.
    public typealias Frame = Never
    /// Nothing is stored: the caller owns the messages.
    public typealias Key = Never
    /// Nothing is stored: the caller owns the messages.
    public typealias Record = Never
}

extension Streaming {
    /// The capabilities of the backend, and the settings with their defaults (Rules, limits).
    public struct Configuration: DomainValue {
        /// Whether the backend also answers whole (S13).
        public var hasFallback: Bool
        /// Whether credentials can be renewed without the person (S9).
        public var canRefresh: Bool
        /// How long text is batched before it is shown, 50 to 100 ms (S2).
        public var batchInterval = Interval.milliseconds(75)
        /// The deadline for the first text (S7).
        public var firstTokenLimit = Interval.seconds(30)
        /// The longest silence between texts (S7).
        public var silenceLimit = Interval.seconds(30)
        /// The longest duration of a stream (S7).
        public var totalLimit = Interval.seconds(300)
        /// The backoff before the retry (S8).
        public var retryDelay = Interval.milliseconds(400)
        /// The deadline for a whole reply (S13).
        public var fallbackLimit = Interval.seconds(30)
        /// The deadline for new credentials (S9).
        public var refreshLimit = Interval.seconds(10)
        /// Credentials with at most this long to live are renewed (S9): time to open and check a stream, plus clock
        /// skew.
        public var refreshMargin = Interval.seconds(60)
        /// The longest wait of the server that is believed (S9): a day, where quotas end.
        public var greatestToldWait = Interval.hours(24)
        /// The longest reply, in UTF-8 bytes (C21).
        public var replyTextLimit: Int64 = 1_048_576
        /// The longest sentence of the server that is kept, in UTF-8 bytes (L8): more than a person reads.
        public var sentenceLimit: Int64 = 1_024
        /// The target for the first text (S16); missing it has no effect.
        public var firstTokenTarget = Interval.milliseconds(500)

        /// Creates the defaults for a backend.
        public init(hasFallback: Bool = false, canRefresh: Bool = false) {
            self.hasFallback = hasFallback
            self.canRefresh = canRefresh
        }
    }

    /// A question.
    public struct Question: DomainValue {
        /// The conversation of the question.
        public let conversation: ConversationID
        /// The caller's permanent id of the question.
        public let client: ClientID
        /// The idempotency key; renewed after the server accepted the question and failed (S6).
        public internal(set) var key: ClientID
        /// The text of the question.
        public let text: ExactText
        /// The kind of reply. Once the server has taken a question, it is not the first any more.
        public internal(set) var purpose: Purpose
        /// The earlier messages, oldest first, for backends without memory.
        public let earlier: [PromptMessage]
        /// The person who asks, if known: for backends where conversations of all persons share one name.
        public let person: UserID?

        /// Creates a question; by default `client` is also its key.
        public init(
            conversation: ConversationID, client: ClientID, key: ClientID? = nil, text: ExactText,
            purpose: Purpose = .message(isFirst: false), earlier: [PromptMessage] = [], person: UserID? = nil
        ) {
            (self.conversation, self.client, self.key) = (conversation, client, key ?? client)
            (self.text, self.purpose, self.earlier, self.person) = (text, purpose, earlier, person)
        }
    }

    /// The kind of reply to a question.
    public enum Purpose: DomainValue {
        /// A reply to a message of the person, perhaps the first of the conversation.
        case message(isFirst: Bool)
        /// A suggested answer to somebody's message.
        case smartReply(SmartReplies.Kind)
    }

    /// A message of a prompt: an earlier one, or the question itself.
    public struct PromptMessage: DomainValue {
        /// The author of the message.
        public let role: Chat.Role
        /// The text of the message.
        public let text: ExactText

        /// Creates a message.
        public init(role: Chat.Role, text: ExactText) {
            self.role = role
            self.text = text
        }
    }

    /// The credentials for asking.
    public struct Access: DomainValue {
        /// The handle of the token.
        public let secret: SecretHandle
        /// When the token expires, if known.
        public let expires: WallTime?

        /// Creates an access.
        public init(secret: SecretHandle, expires: WallTime? = nil) {
            self.secret = secret
            self.expires = expires
        }
    }
}

/// The cost of a reply, in tokens of the model.
public struct Usage: DomainValue {
    /// Tokens of the prompt.
    public let prompt: Int64
    /// Tokens of the reply.
    public let completion: Int64
    /// Tokens in total.
    public let total: Int64

    /// Creates a usage.
    public init(prompt: Int64, completion: Int64, total: Int64) {
        (self.prompt, self.completion, self.total) = (prompt, completion, total)
    }
}
