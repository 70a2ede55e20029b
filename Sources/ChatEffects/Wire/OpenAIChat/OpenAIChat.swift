// OpenAI's Chat Completions, which most model servers speak (llama.cpp, vLLM, Ollama, LM Studio, Mistral, DeepSeek and
// others). A reply ends with `[DONE]`, or with the stream after a finish reason; the cost comes between. Older llama.cpp
// servers write an error as a line `error: {"message":…}`, and `[DONE]` behind it.
//
//     data: {"id":…,"choices":[{"delta":{"content":"Hel"},"finish_reason":null}]}
//     data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}
//     data: [DONE]

import ChatDomain

/// OpenAI's Chat Completions and its dialects.
public struct OpenAIChat: ModelAPI {
    private enum Field {
        static let content = 0
        static let finish = 1
        static let id = 2
        static let choices = 3
        static let prompt = 4
        static let completion = 5
        static let total = 6
        static let message = 7
        static let error = 8
        static let refusal = 9
        static let object = 10
        static let choice = 11
    }

    private static let scanner = JSONFieldScanner(
        [
            JSONPath("choices", 0, "delta", "content"), JSONPath("choices", 0, "finish_reason"), "id",
            "choices",
            JSONPath("usage", "prompt_tokens"), JSONPath("usage", "completion_tokens"),
            JSONPath("usage", "total_tokens"), "message", "error",
            JSONPath("choices", 0, "delta", "refusal"), "object", JSONPath("choices", 0, "index"),
        ], .reply)

    /// The differences between the servers of this API in what they refuse.
    public enum Dialect: DomainValue {
        /// Nearly all servers.
        case usual
        /// OpenAI's own: its newer models know the limit of a reply only as `max_completion_tokens`.
        case openAI
        /// Mistral's: it tells the cost without being asked, and refuses to be asked.
        case mistral
    }

    private let dialect: Dialect

    /// Creates the API as a server speaks it.
    public init(_ dialect: Dialect = .usual) { self.dialect = dialect }

    /// The limits of the answer's events.
    public var policy: SSEPolicy { SSEPolicy(unterminatedEvent: .dispatchAtEnd, foreignLines: .errorField) }

    /// The path of both forms.
    public func path(_ server: ModelServer, isStreamed: Bool) -> ExactText { "/chat/completions" }

    /// Writes the body of a request.
    public func write(
        _ question: Streaming.Question, _ server: ModelServer, isStreamed: Bool,
        to body: inout JSONObjectWriter
    ) {
        body.member("model", server.model)
        body.array("messages") { messages in
            if let instructions = server.instructions {
                messages.object { Self.write("system", instructions, to: &$0) }
            }
            for said in question.prompt { messages.object { Self.write(said.roleName, said.text, to: &$0) } }
        }
        if let limit = server.replyLimit {
            body.member(dialect == .openAI ? "max_completion_tokens" : "max_tokens", limit)
        }
        guard isStreamed else { return }
        body.member("stream", true)
        if dialect != .mistral { body.object("stream_options") { $0.member("include_usage", true) } }
    }

    private static func write(_ role: ExactText, _ text: ExactText, to message: inout JSONObjectWriter) {
        message.member("role", role)
        message.member("content", text)
    }

    /// Decodes an event.
    public func event(_ event: borrowing SSEEvent, facts: inout ReplyFacts) -> Streaming.Event {
        guard !event.hasData("[DONE]") else { return facts.marked() }
        let isError = event.hasType("error")
        return Self.scanner.event(event, &facts) { isError ? Self.failure($0) : Self.event($0, &$1) }
    }

    private static func failure(_ fields: borrowing JSONFields) -> Streaming.Event {
        .failed(fields.errorSentence(Field.error, Field.message))
    }

    private static func event(_ fields: borrowing JSONFields, _ facts: inout ReplyFacts) -> Streaming.Event {
        if fields.isGiven(Field.error) || fields.has("error", at: Field.object) {
            return failure(fields)
        }
        guard fields.isPresent(Field.choices) else { return .skipped }
        if facts.id == nil { facts.name(fields.string(Field.id)) }
        if fields.isGiven(Field.prompt) {
            facts.cost(
                prompt: fields.integer(Field.prompt), completion: fields.integer(Field.completion),
                total: fields.integer(Field.total))
        }
        guard (fields.integer(Field.choice) ?? 0) == 0 else {
            // The answer may stand behind a further one.
            guard let choice = fields.value(Field.choices)?.firstAnswer else { return .quiet }
            let delta = choice["delta"]
            return hear(
                text(delta?["content"]), refusal: delta?["refusal"]?.string,
                finish: choice["finish_reason"]?.string, &facts)
        }
        return hear(
            fields.string(Field.content) ?? text(fields.value(Field.content)),
            refusal: fields.string(Field.refusal), finish: fields.string(Field.finish), &facts)
    }

    private static func hear(
        _ text: ExactText?, refusal: ExactText?, finish: ExactText?, _ facts: inout ReplyFacts
    ) -> Streaming.Event {
        // A refusal of the model replaces the content, piece by piece.
        facts.decline(refusal)
        facts.withdrawEnd(before: text)
        facts.end(finish.flatMap(ending))
        return .text(text)
    }

    /// The end for a finish reason in the words of any dialect; nil for none.
    private static func ending(_ reason: ExactText) -> ReplyFacts.Ending? {
        switch reason {
        case "", "null": nil
        case "stop", "eos", "eos_token", "stop_sequence", "end_turn": .complete
        case "length", "max_tokens", "model_length": .cut
        case "content_filter", "sensitive": .withheld("content filter")
        case "tool_calls", "function_call": .toolAwaited
        // `error`, `abort`, `insufficient_system_resource` and later reasons.
        default: ReplyFacts.early(reason)
        }
    }

    /// The text of a content, which may be an array of parts, without the model's thoughts.
    private static func text(_ content: JSONValue?) -> ExactText? {
        guard let parts = content?.array else { return content?.string }
        var text = ExactText("")
        for part in parts where part["type"]?.string == "text" { text.append(part["text"]?.string ?? "") }
        return text
    }

    /// Decodes a whole answer.
    public func whole(_ answer: JSONValue, facts: inout ReplyFacts) -> Streaming.Event? {
        guard let choice = answer["choices"]?.firstAnswer, let message = choice["message"],
            message.object != nil
        else { return nil }
        let text = Self.text(message["content"]) ?? ""
        facts.decline(message["refusal"]?.string)
        facts.end(choice["finish_reason"]?.string.flatMap(Self.ending))
        facts.name(answer["id"]?.string)
        let usage = answer["usage"]
        facts.cost(
            prompt: usage?["prompt_tokens"]?.integer, completion: usage?["completion_tokens"]?.integer,
            total: usage?["total_tokens"]?.integer)
        return .whole(text, facts.id, facts.usage)
    }
}
