// The root (R1, R2): it owns the features and is one itself. Its types have a case for each child; its reducer routes.

/// The whole app as one feature.
public struct ChatApp: Feature {
    /// How this device gets in.
    public var pairing: Pairing
    /// The conversations.
    public var chat: Chat
    /// The questions to the assistant.
    public var assistant: Assistant
    /// The suggestions of what to answer.
    public var smartReplies: SmartReplies

    /// Creates the app.
    public init(
        pairing: Pairing, chat: Chat = Chat(), assistant: Assistant = Assistant(),
        smartReplies: SmartReplies = SmartReplies()
    ) {
        (self.pairing, self.chat, self.assistant) = (pairing, chat, assistant)
        self.smartReplies = smartReplies
    }

    /// What a person did and what the world answered.
    public enum Action: FeatureAction {
        // The front end.
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
        /// The person leaves, and nothing that was stored of them is to stay on this device (P10).
        case dataErased
        /// Something happened on the pairing screen.
        case pairing(Pairing.Action)
        /// Something happened on the chat screen.
        case chat(Chat.Action)
        /// Something happened on the assistant's screen.
        case assistant(Assistant.Action)
        /// Something happened around the suggestions.
        case smartReplies(SmartReplies.Action)

        // What the world answered.
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

    /// What the features ask of the network.
    public enum Request: PlainValue {
        case pairing(Pairing.Request)
        case chat(Chat.Request)
        case assistant(Assistant.Request)
        case smartReplies(SmartReplies.Request)
    }

    /// What the features send on open calls. A pairing decision travels on chat's connection.
    public enum Frame: PlainValue {
        case pairing(Pairing.Frame)
        case chat(Chat.Frame)
    }

    /// What calls bring. A pairing request may arrive on chat's connection.
    public enum Event: PlainValue {
        case pairing(Pairing.Event)
        case chat(Chat.Event)
        case assistant(Assistant.Event)
        case smartReplies(SmartReplies.Event)
    }

    /// Where the features keep their records.
    public enum Key: DomainValue {
        case pairing(Pairing.Key)
        case chat(Chat.Key)
        case assistant(Assistant.Key)
        /// All that is kept of a person. It is only ever erased.
        case person(UserID)
    }

    /// What the features keep.
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

    /// What the features know. What does not change with every token is boxed, for those who hold earlier states.
    public struct State: DomainValue {
        /// What pairing knows.
        @Boxed public internal(set) var pairing: Pairing.State
        /// What chat knows.
        public internal(set) var chat: Chat.State
        /// What the assistant knows.
        @Boxed public internal(set) var assistant: Assistant.State
        /// What smart replies know.
        @Boxed public internal(set) var smartReplies: SmartReplies.State
        /// Whether this device has a network, as far as anybody has said.
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
