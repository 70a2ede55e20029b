// Streaming: one question, and the reply that grows over an HTTP stream until it has ended (S1–S13, S16, S17). A coach's
// reply, a suggestion and a model's answer each are one use of it; the messages themselves belong to whoever asks. A
// stream brings increments in their order; whole texts and numbered pieces (S15) come over a socket, and are chat's.
//
// Start with the phases in StreamingState.swift, then read the switch in StreamingReducer.swift. This file
// holds the vocabulary.

/// The feature that asks one question and lets its reply grow.
public struct Streaming: Feature {
    /// The numbers that an app may change, and what its backend can do.
    public var configuration: Configuration

    /// Creates the feature.
    public init(configuration: Configuration = Configuration()) { self.configuration = configuration }

    /// What a person did and what the world answered.
    public enum Action: FeatureAction {
        // The front end.
        /// A question is asked, and a growing reply stops. What is left of an earlier reply stays until text takes
        /// its place (S6).
        case asked(Question, keeping: LongText = LongText())
        /// The person wants the same question to be asked again (S6).
        case retried
        /// The person wants no more of the reply (S10).
        case stopped
        /// The view was left (S11).
        case left
        /// The question and its reply are needed no longer.
        case dismissed

        // The root.
        /// The app is no longer in front (S11).
        case backgrounded
        /// There are other credentials, or none any more (S9, P10).
        case accessChanged(Access?)

        // What the world answered.
        case received(Event, on: Call)
        case ended(Call, CallEnd)
        case stored(StorageAnswer<Record>, under: Key, Attempt)
        case timerFired(Timer)
    }

    /// The calls that streaming may have open, one at a time.
    public enum Call: DomainValue {
        /// The question, answered by a stream.
        case stream(Attempt)
        /// The question, answered whole (S13).
        case fallback(Attempt)
        /// New credentials for old ones. The driver makes one such call at a time for all who wait (S9).
        case refresh(Attempt)
    }

    /// What is asked when a call is opened.
    public enum Request: PlainValue {
        /// A reply as a stream.
        indirect case stream(Question, SecretHandle)
        /// A reply as a whole.
        indirect case whole(Question, SecretHandle)
        /// Credentials in the place of these.
        case refreshCredentials(SecretHandle)
    }

    /// What an open call brings.
    public enum Event: PlainValue {
        /// The server has taken the question; some name the reply already.
        case began(MessageID?)
        /// More text.
        case token(ExactText)
        /// All marks of the reply, told before its end or with the whole. They are kept, and shown by nobody here.
        case flagged([ExactText])
        /// The reply is complete.
        case done(MessageID?, Usage?)
        /// The server gives up, in these words (S5).
        case failed(ExactText)
        /// The server takes no question before that time (S9): a 429 whose wait is a time of day.
        case limited(until: WallTime)
        /// The whole reply at once.
        case whole(ExactText, MessageID?, Usage?)
        /// New credentials, which the driver has stored.
        case refreshed(Access)
        /// Something that is not of the protocol; it is counted (S12).
        case skipped
    }

    /// The deadlines of streaming.
    public enum Timer: String, DomainValue {
        /// What is pending is to be shown (S2).
        case batch
        /// No text has come (S7).
        case firstToken
        /// No more text comes (S7).
        case silence
        /// The stream has lasted long enough (S7).
        case whole
        /// A connection was lost before any text; ask again (S8).
        case retry
        /// The whole reply does not come either (S13).
        case fallback
        /// No new credentials come (S9).
        case refresh
    }

    /// Nothing is sent on an open call.
    public typealias Frame = Never
    /// Nothing is stored: the messages belong to whoever asks.
    public typealias Key = Never
    /// Nothing is stored: the messages belong to whoever asks.
    public typealias Record = Never
}

extension Streaming {
    /// What a backend can do, and the numbers of streaming with the defaults of Docs/Rules.md.
    public struct Configuration: DomainValue {
        /// Whether the backend also answers as a whole (S13).
        public var hasFallback: Bool
        /// Whether credentials can be made new without the person (S9).
        public var canRefresh: Bool
        /// How long text gathers before it is shown, from 50 to 100 ms (S2).
        public var batchInterval = Interval.milliseconds(75)
        /// How long to wait for the first text (S7).
        public var firstTokenLimit = Interval.seconds(30)
        /// How long to wait for more text (S7).
        public var silenceLimit = Interval.seconds(30)
        /// How long a stream may last in all (S7).
        public var wholeLimit = Interval.seconds(300)
        /// How long to wait before asking again (S8).
        public var retryDelay = Interval.milliseconds(400)
        /// How long to wait for a whole reply (S13).
        public var fallbackLimit = Interval.seconds(30)
        /// How long to wait for new credentials (S9).
        public var refreshLimit = Interval.seconds(10)
        /// Credentials with no more than this left are renewed (S9): time to open and check a stream, on clocks that
        /// differ.
        public var refreshMargin = Interval.seconds(60)
        /// How long a reply may be, in UTF-8 bytes (C21).
        public var replyTextLimit: Int64 = 1_048_576
        /// How much is kept of a sentence of the server, in UTF-8 bytes (L8): more than anybody reads.
        public var sentenceLimit: Int64 = 1_024
        /// How soon the first text should come (S16). Nothing happens when it does not.
        public var firstTokenTarget = Interval.milliseconds(500)

        /// Creates the defaults for a backend.
        public init(hasFallback: Bool = false, canRefresh: Bool = false) {
            self.hasFallback = hasFallback
            self.canRefresh = canRefresh
        }
    }

    /// What is asked.
    public struct Question: DomainValue {
        /// Where it belongs.
        public let conversation: ConversationID
        /// Its idempotency key; another one after the server had accepted the question and failed (S6).
        public internal(set) var client: ClientID
        /// How whoever asks knows it, for good.
        public let origin: ClientID
        /// What it says.
        public let text: ExactText
        /// What kind of reply is wanted.
        public let purpose: Purpose
        /// What was said before, for backends that remember nothing; oldest first.
        public let earlier: [Turn]
        /// Who asks, where that is known: for backends that tell conversations of all persons apart by one name.
        public let person: UserID?

        /// Creates a question; one that goes for the first time is known by its idempotency key.
        public init(
            conversation: ConversationID, client: ClientID, origin: ClientID? = nil, text: ExactText,
            purpose: Purpose = .message(isFirst: false), earlier: [Turn] = [], person: UserID? = nil
        ) {
            self.conversation = conversation
            self.client = client
            self.origin = origin ?? client
            self.text = text
            self.purpose = purpose
            self.earlier = earlier
            self.person = person
        }
    }

    /// What kind of reply a question wants.
    public enum Purpose: DomainValue {
        /// A reply to a message of the person, perhaps the first of the conversation.
        case message(isFirst: Bool)
        /// A suggestion of what to answer to somebody's message.
        case smartReply(SmartReplies.Kind)
    }

    /// One message of what was said before.
    public struct Turn: DomainValue {
        /// Who said it.
        public let role: Message.Role
        /// What was said.
        public let text: ExactText

        /// Creates a turn.
        public init(role: Message.Role, text: ExactText) {
            self.role = role
            self.text = text
        }
    }

    /// The right to ask.
    public struct Access: DomainValue {
        /// The name of the token.
        public let secret: SecretHandle
        /// When it ends, if that is known.
        public let expires: WallTime?

        /// Creates an access.
        public init(secret: SecretHandle, expires: WallTime? = nil) {
            self.secret = secret
            self.expires = expires
        }
    }
}

/// What a reply has cost, in tokens of the model (Docs/Rules.md).
public struct Usage: DomainValue {
    /// Tokens of what was asked.
    public let prompt: Int64
    /// Tokens of what was answered.
    public let completion: Int64
    /// Tokens in all.
    public let total: Int64

    /// Creates a usage.
    public init(prompt: Int64, completion: Int64, total: Int64) {
        self.prompt = prompt
        self.completion = completion
        self.total = total
    }
}
