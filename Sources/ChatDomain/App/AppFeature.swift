// The root (R1, R2): it owns the features and is itself one. Its types have a case for each child; its reducer routes.

/// The whole app as one feature.
public struct ChatApp: Feature {
    /// The feature that lets this device in.
    public var pairing: Pairing
    /// The conversations.
    public var chat: Chat
    /// The questions to the assistant.
    public var assistant: Assistant
    /// The suggested answers.
    public var smartReplies: SmartReplies

    /// Creates the app.
    public init(
        pairing: Pairing, chat: Chat = Chat(), assistant: Assistant = Assistant(),
        smartReplies: SmartReplies = SmartReplies()
    ) {
        (self.pairing, self.chat, self.assistant) = (pairing, chat, assistant)
        self.smartReplies = smartReplies
    }

    /// A report of the person, the system or the effects.
    public enum Action: FeatureAction {
        // From the front end.
        /// The app has started.
        case launched
        /// This device has a network, or has none (R2).
        case networkChanged(isUp: Bool)
        /// The app is in front.
        case foregrounded
        /// The app is no longer in front.
        case backgrounded
        /// The system is short of memory (R2).
        case memoryWarned
        /// The person signs out, and their stored data is to be erased from this device (P10).
        case dataErased
        /// An action of pairing.
        case pairing(Pairing.Action)
        /// An action of chat.
        case chat(Chat.Action)
        /// An action of the assistant.
        case assistant(Assistant.Action)
        /// An action of the suggestions.
        case smartReplies(SmartReplies.Action)

        // From the effects.
        case received(Event, on: Call)
        case ended(Call, CallEnd)
        indirect case stored(StorageAnswer<Record>, under: Key, Attempt)
        case timerFired(Timer)
    }

    /// The calls of the features.
    public enum Call: DomainValue {
        case pairing(Pairing.Call)
        case chat(Chat.Call)
        case assistant(Assistant.Call)
        case smartReplies(SmartReplies.Call)
    }

    /// The requests of the features.
    public enum Request: PlainValue {
        case pairing(Pairing.Request)
        case chat(Chat.Request)
        case assistant(Assistant.Request)
        case smartReplies(SmartReplies.Request)
    }

    /// The frames of the features on open calls. A pairing decision is sent on chat's connection.
    public enum Frame: PlainValue {
        case pairing(Pairing.Frame)
        case chat(Chat.Frame)
    }

    /// The events of open calls. A pairing request may arrive on chat's connection.
    public enum Event: PlainValue {
        case pairing(Pairing.Event)
        case chat(Chat.Event)
        case assistant(Assistant.Event)
        case smartReplies(SmartReplies.Event)
    }

    /// The keys of the features' records.
    public enum Key: DomainValue {
        case pairing(Pairing.Key)
        case chat(Chat.Key)
        case assistant(Assistant.Key)
        /// All stored data of a person; it can only be erased.
        case person(UserID)
    }

    /// The records of the features.
    public enum Record: PlainValue {
        case pairing(Pairing.Record)
        case chat(Chat.Record)
        case assistant(Assistant.Record)
    }

    /// The deadlines of the features.
    public enum Timer: DomainValue {
        case pairing(Pairing.Timer)
        case chat(Chat.Timer)
        case assistant(Assistant.Timer)
        case smartReplies(SmartReplies.Timer)
    }

    /// The states of the features. A part that does not change with every token is boxed, so that held states share it.
    public struct State: DomainValue {
        /// The state of pairing.
        @Boxed public internal(set) var pairing: Pairing.State
        /// The state of chat.
        public internal(set) var chat: Chat.State
        /// The state of the assistant.
        @Boxed public internal(set) var assistant: Assistant.State
        /// The state of smart replies.
        @Boxed public internal(set) var smartReplies: SmartReplies.State
        /// Whether this device has a network; assumed until the system reports otherwise.
        public internal(set) var isNetworkUp = true

        /// The state before the app is launched.
        public init(_ app: ChatApp) {
            pairing = Pairing.State(configuration: app.pairing.configuration)
            chat = Chat.State(configuration: app.chat.configuration)
            assistant = Assistant.State(configuration: app.assistant.configuration)
            smartReplies = SmartReplies.State(configuration: app.smartReplies.configuration)
        }
    }
}
