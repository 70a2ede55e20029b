// Smart replies: suggestions of what to answer to the last message of a conversation, one at a time (S14). A suggestion
// grows as every streamed reply does, so this feature owns a `Streaming.State` and speaks
// its calls and timers; what it adds is the kind, the selection, the cache and the tap that can be felt.
//
// Start with the three phases below, then read SmartRepliesReducer.swift.

/// The feature that suggests what to answer.
public struct SmartReplies: Feature {
    /// The numbers that an app may change.
    public var configuration: Configuration

    /// Creates the feature.
    public init(configuration: Configuration = Configuration()) { self.configuration = configuration }

    /// What a person did and what the world answered.
    public enum Action: FeatureAction {
        // The front end.
        /// The person wants a suggestion. One that still grows is replaced.
        case requested(Kind, Subject)
        /// The person wants the suggestion that failed once more.
        case retried
        /// The person has taken the suggestion over.
        case taken
        /// The person wants no suggestion.
        case dismissed
        /// The view was left (S11).
        case left

        // The root.
        /// The app is no longer in front (S11).
        case backgrounded
        /// The system is short of memory (R2).
        case memoryWarned
        /// There are other credentials, or none any more (S9, P10).
        case accessChanged(Streaming.Access?)

        // What the world answered.
        case received(Event, on: Call)
        case ended(Call, CallEnd)
        case stored(StorageAnswer<Record>, under: Key, Attempt)
        case timerFired(Timer)
    }

    /// The calls of the reply.
    public typealias Call = Streaming.Call
    /// What is asked for the reply.
    public typealias Request = Streaming.Request
    /// What calls bring for the reply.
    public typealias Event = Streaming.Event
    /// The deadlines of the reply.
    public typealias Timer = Streaming.Timer
    /// Nothing is sent on an open call.
    public typealias Frame = Never
    /// Nothing is stored.
    public typealias Key = Never
    /// Nothing is stored.
    public typealias Record = Never

    /// What a suggestion should be like.
    public enum Kind: DomainValue {
        /// Short.
        case short
        /// Friendly.
        case friendly
        /// Professional.
        case professional
        /// Funny.
        case funny
        /// As the app names it, on the wire too.
        case own(ExactText)

        /// The kinds that every app has.
        public static var shipped: [Kind] { [.short, .friendly, .professional, .funny] }
    }

    /// What a suggestion is for.
    public struct Subject: DomainValue {
        /// The conversation.
        public let conversation: ConversationID
        /// Its last message.
        public let message: MessageID
        /// What that says.
        public let text: ExactText

        /// Creates a subject.
        public init(conversation: ConversationID, message: MessageID, text: ExactText) {
            self.conversation = conversation
            self.message = message
            self.text = text
        }
    }

    /// What a person wants to have suggested.
    public struct Wish: DomainValue {
        /// What it should be like.
        public let kind: Kind
        /// What it is for.
        public let subject: Subject

        var key: ReplyCache.Key {
            ReplyCache.Key(conversation: subject.conversation, message: subject.message, kind: kind)
        }
    }

    /// Where the suggestion is.
    public enum Phase: DomainValue {
        /// There is none.
        case idle
        /// It was asked for; the reply tells how far it has come, or why it failed.
        case asked(Wish)
        /// It is complete, and selected until it is taken or dismissed.
        case selected(Wish, LongText)
    }

    /// Everything that smart replies know.
    public struct State: DomainValue {
        /// Where the suggestion is.
        public internal(set) var phase: Phase = .idle
        /// The reply that grows.
        public internal(set) var reply: Streaming.State
        /// What was suggested before.
        public internal(set) var cache: ReplyCache

        /// The state before anything is asked for.
        public init(configuration: Configuration = Configuration(), access: Streaming.Access? = nil) {
            reply = Streaming.State(access: access)
            cache = ReplyCache(limit: configuration.cacheLimit, lifetime: configuration.cacheLifetime)
        }

        /// The suggestion, once it is complete.
        public var selected: LongText? {
            if case .selected(_, let text) = phase { text } else { nil }
        }
    }

    /// The numbers of smart replies, with the defaults of S14.
    public struct Configuration: DomainValue {
        /// How a reply is streamed. There is a whole form; 64 KiB exceed any quick answer and keep a full cache below
        /// 7 MB (L8).
        public var streaming: Streaming.Configuration
        /// So many suggestions are remembered.
        public var cacheLimit: Int64 = 100
        /// How long one is remembered.
        public var cacheLifetime = Interval.hours(24)
        /// Whether each visible update asks for a light tap.
        public var hasHaptics = true
        /// The app's own kinds, after those that ship.
        public var ownKinds: [ExactText] = []

        /// Creates the defaults.
        public init() {
            streaming = Streaming.Configuration(hasFallback: true)
            streaming.replyTextLimit = 65_536
        }
    }
}
