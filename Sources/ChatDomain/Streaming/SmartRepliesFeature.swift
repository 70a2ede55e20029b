// Smart replies: suggested answers to the last message of a conversation, one at a time (S14). A suggestion grows as
// every streamed reply does, so this feature owns a `Streaming.State` and shares its calls and timers. It adds the
// kind, the selection, the cache and the haptic tap. The reducer is in SmartRepliesReducer.swift.

/// The feature that suggests answers.
public struct SmartReplies: Feature {
    /// The settings of the app, behind one reference: a machine holds them, and machines are copied.
    @Boxed public var configuration: Configuration

    /// Creates the feature.
    public init(configuration: Configuration = Configuration()) {
        _configuration = Boxed(wrappedValue: configuration)
    }

    /// A report of the person, the root or the effects.
    public enum Action: FeatureAction {
        // From the front end.
        /// The person requests a suggestion; it replaces one that still grows.
        case requested(Kind, Target)
        /// The person retries the failed suggestion.
        case retried
        /// The person took the suggestion over.
        case taken
        case dismissed
        /// The person left the view (S11).
        case left

        // From the root.
        /// The app left the foreground (S11).
        case backgrounded
        /// The system is short of memory (R2).
        case memoryWarned
        /// The credentials changed, or are gone (S9, P10).
        case accessChanged(Streaming.Access?)

        // From the effects.
        case received(Event, on: Call)
        case ended(Call, CallEnd)
        case stored(StorageAnswer<Record>, under: Key, Attempt)
        case timerFired(Timer)
    }

    /// The calls of the reply.
    public typealias Call = Streaming.Call
    /// The requests of the reply.
    public typealias Request = Streaming.Request
    /// The events of the reply.
    public typealias Event = Streaming.Event
    /// The deadlines of the reply.
    public typealias Timer = Streaming.Timer
    /// No frame is sent.
    public typealias Frame = Never
    /// Nothing is stored.
    public typealias Key = Never
    /// Nothing is stored.
    public typealias Record = Never

    /// The style of a suggestion.
    public enum Kind: DomainValue {
        case short
        case friendly
        case professional
        case funny
        /// A kind of the app, under this name on the wire too.
        case own(ExactText)

        /// The kinds of every app.
        public static var shipped: [Kind] { [.short, .friendly, .professional, .funny] }
    }

    /// The message that a suggestion answers.
    public struct Target: DomainValue {
        /// The conversation.
        public let conversation: ConversationID
        /// Its last message.
        public let message: MessageID
        /// The text of that message.
        public let text: ExactText

        /// Creates a target.
        public init(conversation: ConversationID, message: MessageID, text: ExactText) {
            (self.conversation, self.message, self.text) = (conversation, message, text)
        }
    }

    /// The request of the person.
    package struct Wish: DomainValue {
        let kind: Kind
        package let target: Target

        var key: ReplyCache.Key {
            ReplyCache.Key(conversation: target.conversation, message: target.message, kind: kind)
        }
    }

    /// The phase of the suggestion.
    package enum Phase: DomainValue {
        case idle
        /// Requested; the reply holds the progress, or the failure.
        case asked(Wish)
        /// Complete, and selected until it is taken or dismissed.
        case selected(Wish, LongText)
    }

    /// The state of smart replies.
    public struct State: DomainValue {
        /// The phase of the suggestion.
        package internal(set) var phase: Phase = .idle
        /// The reply that grows.
        package internal(set) var reply: Streaming.State
        var cache: ReplyCache

        /// Creates the state before any request.
        public init(configuration: Configuration = Configuration(), access: Streaming.Access? = nil) {
            reply = Streaming.State(access: access)
            cache = ReplyCache(limit: configuration.cacheLimit, lifetime: configuration.cacheLifetime)
        }

        /// The suggestion, once it is complete.
        package var selected: LongText? { if case .selected(_, let text) = phase { text } else { nil } }
    }

    /// The settings of smart replies, with the defaults of S14.
    public struct Configuration: DomainValue {
        /// The settings of a streamed reply. It has a whole form; 64 KiB exceed any quick answer and keep a full cache
        /// below 7 MB (L8).
        public var streaming: Streaming.Configuration
        /// The most cached suggestions.
        public var cacheLimit: Int64 = 100
        /// How long a cached suggestion is valid.
        public var cacheLifetime = Interval.hours(24)
        /// Whether each visible update triggers a light haptic tap.
        public var hasHaptics = true
        /// The app's own kinds, listed after the shipped ones.
        public var ownKinds: [ExactText] = []

        /// Creates the defaults.
        public init() {
            streaming = Streaming.Configuration(hasFallback: true)
            streaming.replyTextLimit = 65_536
        }
    }
}
