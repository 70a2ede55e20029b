// A model without a server between: each question carries the earlier messages. A `ModelServer` describes where the
// model is, and a `ModelAPI` its protocol; a `ModelBackend` makes of both a backend for the streams of a chat.
//
//     ModelBackend(OpenAIChat(), ModelServer(path: "/v1", model: "llama3.2", key: .none))

import ChatDomain

/// A model and its server. The driver has the host.
public struct ModelServer: DomainValue {
    /// The form of the key in a request.
    public enum Key: DomainValue {
        /// No key, as for servers on one's own machine.
        case none
        /// `Authorization: Bearer`.
        case bearer
        /// A header of its own, with this name in lower case.
        case header(ExactText)
    }

    /// The path before that of the API, without a slash at its end.
    public var path: ExactText
    /// The name of the model.
    public var model: ExactText
    /// The instructions before the conversation.
    public var instructions: ExactText?
    /// The most tokens of a reply; nil for the server's own limit.
    public var replyLimit: Int64?
    /// The form of the key. Its handle comes with each question; the driver inserts the key.
    public var key: Key

    /// Describes a server.
    public init(
        path: ExactText, model: ExactText, instructions: ExactText? = nil, replyLimit: Int64? = nil,
        key: Key = .bearer
    ) {
        self.path = path
        self.model = model
        self.instructions = instructions
        self.replyLimit = replyLimit
        self.key = key
    }
}

/// The API of a model: the encoding of a question. `ReplyDialect` is the decoding of its answer.
public protocol ModelAPI: DomainValue, ReplyDialect {
    /// The headers of each request besides those of its content and its key.
    var headers: [Header] { get }

    /// The limits of the answer's events; that of an event is also that of a whole answer.
    var policy: SSEPolicy { get }

    /// The path of a request, after that of the server.
    func path(_ server: ModelServer, isStreamed: Bool) -> ExactText

    /// Writes the body of a request.
    func write(
        _ question: Streaming.Question, _ server: ModelServer, isStreamed: Bool,
        to body: inout JSONObjectWriter)
}

extension ModelAPI {
    /// None.
    public var headers: [Header] { [] }

    /// The usual limits. Every event is a JSON text, which is recognisably complete, so an event whose final empty line
    /// is missing is accepted: some model servers end their streams so.
    public var policy: SSEPolicy { SSEPolicy(unterminatedEvent: .dispatchAtEnd) }

    /// A reason that the person can act on, in the server's words: an unknown model, a question too long for it, an
    /// account without credit. A refused key, a wait and a server that is down have reasons of their own.
    public func refusal(_ status: Int64, _ body: JSONValue) -> Streaming.Event? {
        let sentence = sentence(body)
        guard (400...499).contains(status), status != 401, status != 408, !sentence.isEmpty else {
            return nil
        }
        // No wait gives an account credit.
        guard status != 429 || ModelError.isOutOfCredit(body) else { return nil }
        // A path that is unknown may be that of one form alone (S13).
        return status == 404 ? .failed(sentence) : .refused(sentence)
    }
}

/// The backend of a model.
public struct ModelBackend<API: ModelAPI>: Backend {
    /// The feature that this backend serves.
    public typealias Subject = Streaming

    /// The answer so far.
    public typealias Progress = StreamedAnswer

    /// The API of the model.
    let api: API
    /// The server of the model.
    let server: ModelServer

    /// Creates a backend.
    public init(_ api: API, _ server: ModelServer) {
        self.api = api
        self.server = server
    }

    /// Encodes a question. A key is not renewed, so the feature's `canRefresh` stays off.
    public func open(_ request: Streaming.Request) -> (exchange: Exchange, progress: StreamedAnswer) {
        switch request {
        case .stream(let question, let secret):
            (exchange(question, secret, isStreamed: true), .stream(api.policy))
        case .whole(let question, let secret):
            (exchange(question, secret, isStreamed: false), .whole(api.policy))
        case .refreshCredentials(let secret): StreamedAnswer.refreshing(secret, path: server.path)
        }
    }

    private func exchange(
        _ question: Streaming.Question, _ secret: SecretHandle, isStreamed: Bool
    ) -> Exchange {
        var path = server.path
        path.append(api.path(server, isStreamed: isStreamed))
        var headers = [
            Header("content-type", "application/json"),
            Header("accept", isStreamed ? "text/event-stream" : "application/json"),
        ]
        headers += api.headers
        if case .header(let name) = server.key { headers.append(Header(secret: name)) }
        var bytes: [UInt8] = []
        JSONWriter.object(into: &bytes) { api.write(question, server, isStreamed: isStreamed, to: &$0) }
        return .http(
            method: "POST", path: path, headers: headers, body: Payload(bytes: bytes),
            credential: server.key == .none ? nil : secret)
    }

    /// Decodes an arrival.
    public func receive(
        _ arrival: Arrival, progress: inout StreamedAnswer, reaction: inout Reaction<Streaming.Event>
    ) {
        progress.receive(arrival, in: api, &reaction)
    }
}
