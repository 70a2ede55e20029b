// Smart replies over HTTP: one POST, answered by server-sent events that end with [DONE], or by one whole answer.
// StreamedAnswer.swift has the parts shared with other conventions.

import ChatDomain

/// The backend of smart replies.
public struct SmartReplyCodec: Backend {
    /// The feature that this backend serves.
    public typealias Subject = SmartReplies

    /// The answer so far.
    public typealias Progress = StreamedAnswer

    /// The path for streamed replies.
    let streamPath: ExactText
    /// The path for whole replies.
    let wholePath: ExactText
    /// The path where the driver refreshes credentials, for a feature that is configured to.
    let refreshPath: ExactText

    private static let scanner = JSONFieldScanner(["content", "error"], JSONPolicy(malformedText: .replace))

    /// Creates a codec for the functions at these paths.
    public init(
        streamPath: ExactText = "/generateSmartReplyStreaming", wholePath: ExactText = "/generateSmartReply",
        refreshPath: ExactText = "/refresh"
    ) {
        self.streamPath = streamPath
        self.wholePath = wholePath
        self.refreshPath = refreshPath
    }

    /// Encodes a request.
    public func open(_ request: Streaming.Request) -> (exchange: Exchange, progress: StreamedAnswer) {
        switch request {
        case .stream(let question, let secret):
            (
                exchange(streamPath, question, secret, accept: "text/event-stream"),
                StreamedAnswer.stream()
            )
        case .whole(let question, let secret):
            (exchange(wholePath, question, secret, accept: "application/json"), .whole())
        case .refreshCredentials(let secret):
            StreamedAnswer.refreshing(secret, path: refreshPath)
        }
    }

    /// Decodes an arrival.
    public func receive(
        _ arrival: Arrival, progress: inout StreamedAnswer, reaction: inout Reaction<Streaming.Event>
    ) {
        progress.receive(arrival, in: self, &reaction)
    }

    private func exchange(
        _ path: ExactText, _ question: Streaming.Question, _ secret: SecretHandle, accept: ExactText
    ) -> Exchange {
        var bytes: [UInt8] = []
        JSONWriter.object(into: &bytes) { body in
            body.member("conversationId", question.conversation.text)
            body.member("messageText", question.text)
            if case .smartReply(let kind) = question.purpose { body.member("replyType", kind.wireName) }
        }
        return .http(
            method: "POST", path: path,
            headers: [Header("content-type", "application/json"), Header("accept", accept)],
            body: Payload(bytes: bytes), credential: secret)
    }
}

extension SmartReplyCodec: ReplyDialect {
    /// Decodes an event.
    public func event(_ event: borrowing SSEEvent, facts: inout ReplyFacts) -> Streaming.Event {
        if event.hasData("[DONE]") { return .done(nil, nil) }
        do throws(JSONError) {
            return try Self.scanner.scan(event.data) { (fields) throws(JSONError) -> Streaming.Event in
                if let content = fields.string(0) { return .token(content) }
                if let sentence = fields.string(1) { return .failed(sentence) }
                return .skipped
            }
        } catch {
            return .skipped
        }
    }

    /// Decodes a whole answer.
    public func whole(_ answer: JSONValue, facts: inout ReplyFacts) -> Streaming.Event? {
        answer["reply"]?.string.map { .whole($0, nil, nil) }
    }
}

extension SmartReplies.Kind {
    /// The kind's name in the convention.
    var wireName: ExactText {
        switch self {
        case .short: "short"
        case .friendly: "friendly"
        case .professional: "professional"
        case .funny: "funny"
        case .own(let name): name
        }
    }
}
