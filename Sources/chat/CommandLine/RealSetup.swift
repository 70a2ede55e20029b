// The app in front of a real server: the same features as in front of the one in the process, with the backend that
// speaks to the server. Start at `machine`.

import ChatDomain
import ChatEffects

/// What an app needs to know of its server.
struct RealSetup {
    let wall: WallTime

    /// The app's backend, whatever speaks for pairing and for chat.
    typealias Codec<PairingBackend: Backend, Carriage: ChatBackend> = ChatAppBackend<
        PairingBackend, Carriage, AssistantCallable, SmartReplyCodec
    > where PairingBackend.Subject == Pairing

    /// The machine before the first input.
    func machine<PairingBackend: Backend, Carriage: ChatBackend>(
        _ pairing: PairingBackend, _ carriage: Carriage, _ configuration: Chat.Configuration
    ) -> Machine<Codec<PairingBackend, Carriage>> where PairingBackend.Subject == Pairing {
        let app = ChatApp(
            pairing: Pairing(configuration: .init(device: Setup.device)),
            chat: Chat(configuration: configuration))
        let backend = Codec(
            pairing: pairing, chat: carriage, assistant: AssistantCallable(), smartReplies: SmartReplyCodec())
        return Machine(
            app, state: ChatApp.State(app), backend: backend, moment: Moment(now: .origin, wall: wall),
            entropy: .seeded(.random(in: .min ... .max)))
    }

    /// The machine of a server that answers with a stream for each question. Its person is known already.
    func machine(
        _ streams: NamedStreams
    ) -> Machine<Codec<ClawlinePairing, ChatCarriages<NoCarriage, NamedStreams>>> {
        machine(
            ClawlinePairing(), ChatCarriages(streams: streams),
            Chat.Configuration(carriage: .streams(Streaming.Configuration())))
    }
}

/// A backend of streams that is chosen when the program runs, so that the program is compiled for one of them.
enum NamedStreams: Backend {
    case coach(CoachStreamCodec)
    case openAI(ModelBackend<OpenAIChat>)
    case openAIResponses(ModelBackend<OpenAIResponses>)
    case anthropic(ModelBackend<AnthropicMessages>)
    case google(ModelBackend<GoogleGenerateContent>)
    case aiSDK(ModelBackend<AISDKMessageStream>)

    typealias Subject = Streaming

    /// The progress of a call to the coach, or to a model.
    typealias Progress = Either<CoachStreamCodec.Progress, StreamedAnswer>

    /// The streams of a server; `nil` if it answers over a connection.
    init?(
        _ name: BackendName, model: ExactText, hasKey: Bool, projectKey: ExactText?,
        dialect: OpenAIChat.Dialect = .usual
    ) {
        /// A key goes into this header, or without one is a bearer token.
        func server(header: ExactText? = nil) -> ModelServer {
            ModelServer(
                path: "", model: model, key: hasKey ? header.map { .header($0) } ?? .bearer : .none)
        }
        switch name {
        case .clawline, .openClaw, .clawdbot: return nil
        // The server knows the person by the key.
        case .coach: self = .coach(CoachStreamCodec(row: .init(person: nil), apiKey: projectKey))
        case .openAI: self = .openAI(ModelBackend(OpenAIChat(dialect), server()))
        case .openAIResponses: self = .openAIResponses(ModelBackend(OpenAIResponses(), server()))
        case .anthropic: self = .anthropic(ModelBackend(AnthropicMessages(), server(header: "x-api-key")))
        case .google: self = .google(ModelBackend(GoogleGenerateContent(), server(header: "x-goog-api-key")))
        case .aiSDK: self = .aiSDK(ModelBackend(AISDKMessageStream(), server()))
        }
    }

    func open(_ request: Streaming.Request) -> (exchange: Exchange, progress: Progress) {
        switch self {
        case .coach(let codec):
            let (exchange, progress) = codec.open(request)
            return (exchange, .first(progress))
        case .openAI(let backend): return Self.open(backend, request)
        case .openAIResponses(let backend): return Self.open(backend, request)
        case .anthropic(let backend): return Self.open(backend, request)
        case .google(let backend): return Self.open(backend, request)
        case .aiSDK(let backend): return Self.open(backend, request)
        }
    }

    func receive(
        _ arrival: Arrival, progress: inout Progress, reaction: inout Reaction<Streaming.Event>
    ) {
        // The progress is consumed, so that its buffers grow in place.
        switch consume progress {
        case .first(var call):
            if case .coach(let codec) = self {
                codec.receive(arrival, progress: &call, reaction: &reaction)
            }
            progress = .first(call)
        case .second(var call):
            switch self {
            case .coach: break  // a call to the coach has the other progress
            case .openAI(let backend): backend.receive(arrival, progress: &call, reaction: &reaction)
            case .openAIResponses(let backend): backend.receive(arrival, progress: &call, reaction: &reaction)
            case .anthropic(let backend): backend.receive(arrival, progress: &call, reaction: &reaction)
            case .google(let backend): backend.receive(arrival, progress: &call, reaction: &reaction)
            case .aiSDK(let backend): backend.receive(arrival, progress: &call, reaction: &reaction)
            }
            progress = .second(call)
        }
    }

    private static func open<API: ModelAPI>(
        _ backend: ModelBackend<API>, _ request: Streaming.Request
    ) -> (exchange: Exchange, progress: Progress) {
        let (exchange, progress) = backend.open(request)
        return (exchange, .second(progress))
    }
}
