// The backends that the program knows by name, and what each needs from the person: a key, a model, an address.

/// A backend that `--backend` names.
enum BackendName: String, CaseIterable {
    case clawline
    case openClaw = "openclaw"
    case clawdbot
    case coach
    case openAI = "openai"
    case openAIResponses = "openai-responses"
    case anthropic, google
    case aiSDK = "ai-sdk"

    /// How a server answers.
    enum Kind {
        /// Over a connection on which a device pairs: the person says a name first.
        case paired
        /// Over a connection that is open to any client.
        case open
        /// With a stream for each question.
        case streams
    }

    /// How this server answers.
    var kind: Kind {
        switch self {
        case .clawline, .openClaw: .paired
        case .clawdbot: .open
        case .coach, .openAI, .openAIResponses, .anthropic, .google, .aiSDK: .streams
        }
    }

    /// Whether `--model` is asked for.
    enum ModelOption {
        case needed, possible, none
    }

    /// Whether this backend takes the name of a model.
    var modelOption: ModelOption {
        switch self {
        case .openAI, .openAIResponses, .anthropic, .google: .needed
        case .aiSDK: .possible
        case .clawline, .openClaw, .clawdbot, .coach: .none
        }
    }

    /// The variables of the environment that may hold the key, in order.
    var keyVariables: [String] {
        switch self {
        case .clawline, .openClaw, .clawdbot: []
        case .coach, .aiSDK: ["CHAT_API_KEY"]
        case .openAI, .openAIResponses: ["CHAT_API_KEY", "OPENAI_API_KEY"]
        case .anthropic: ["CHAT_API_KEY", "ANTHROPIC_API_KEY"]
        case .google: ["CHAT_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"]
        }
    }

    /// The variable that a person without a key is told of: this backend's own, if it has one.
    var usualKeyVariable: String { keyVariables.dropFirst().first ?? "CHAT_API_KEY" }

    /// The default address; nil if there is none.
    var usualAddress: String? {
        switch self {
        case .clawline, .openClaw, .clawdbot, .coach, .aiSDK: nil
        case .openAI, .openAIResponses: "https://api.openai.com/v1"
        case .anthropic: "https://api.anthropic.com/v1"
        case .google: "https://generativelanguage.googleapis.com/v1beta"
        }
    }
}
