// OpenAI's Responses. The last event of a response repeats all of it. A response that calls a tool may be followed by
// another on the same stream, so neither it nor one without text ends the reply before the stream ends. Proxies that do
// not stream tell a text only at its end, as a whole.
//
//     data: {"type":"response.created","response":{"id":"resp_1"}}
//     data: {"type":"response.output_text.delta","delta":"Hel"}
//     data: {"type":"response.completed","response":{"id":"resp_1","usage":{"input_tokens":1,"output_tokens":2}}}

import ChatDomain

/// OpenAI's Responses.
public struct OpenAIResponses: ModelAPI {
    private enum Field {
        static let type = 0
        static let delta = 1
        static let id = 2
        static let input = 3
        static let output = 4
        static let total = 5
        static let reason = 6
        static let failure = 7
        static let message = 8
        static let error = 9
        static let item = 10
        static let refusal = 11
        static let status = 12
        static let text = 13
        static let items = 14
    }

    private static let scanner = JSONFieldScanner(
        [
            "type", "delta", JSONPath("response", "id"), JSONPath("response", "usage", "input_tokens"),
            JSONPath("response", "usage", "output_tokens"), JSONPath("response", "usage", "total_tokens"),
            JSONPath("response", "incomplete_details", "reason"), JSONPath("response", "error"),
            "message", "error", JSONPath("item", "type"), "refusal", JSONPath("response", "status"), "text",
            JSONPath("response", "output"),
        ], .greatReply)

    /// Creates the API.
    public init() {}

    /// The limits of the answer's events.
    public var policy: SSEPolicy { .great() }

    /// The path of both forms.
    public func path(_ server: ModelServer, isStreamed: Bool) -> ExactText { "/responses" }

    /// Writes the body of a request. The server stores nothing: the conversation is the app's.
    public func write(
        _ question: Streaming.Question, _ server: ModelServer, isStreamed: Bool,
        to body: inout JSONObjectWriter
    ) {
        body.member("model", server.model)
        if let instructions = server.instructions { body.member("instructions", instructions) }
        body.array("input") { input in
            for said in question.prompt {
                input.object { message in
                    message.member("role", said.roleName)
                    message.member("content", said.text)
                }
            }
        }
        if let limit = server.replyLimit { body.member("max_output_tokens", limit) }
        body.member("store", false)
        if isStreamed { body.member("stream", true) }
    }

    /// Decodes an event.
    public func event(_ event: borrowing SSEEvent, facts: inout ReplyFacts) -> Streaming.Event {
        Self.scanner.event(event, &facts) { Self.event($0, &$1) }
    }

    private static func event(_ fields: borrowing JSONFields, _ facts: inout ReplyFacts) -> Streaming.Event {
        let type = Field.type
        if fields.has("response.output_text.delta", at: type) { return .text(fields.string(Field.delta)) }
        if fields.has("response.created", at: type) {
            facts.name(fields.string(Field.id))
            (facts.ending, facts.hasCall, facts.hasStepText) = (nil, false, false)
        } else if fields.has("response.content_part.added", at: type) {
            facts.hasStepText = false
        } else if fields.has("response.output_text.done", at: type) {
            // Behind the pieces of a part it repeats them.
            guard !facts.hasStepText, let text = fields.string(Field.text), !text.isBlank else {
                return .quiet
            }
            return .token(text)
        } else if fields.has("response.output_item.added", at: type) {
            if isCall(fields.string(Field.item)) { facts.hasCall = true }
        } else if fields.has("response.refusal.delta", at: type) {
            facts.decline(fields.string(Field.delta))
        } else if fields.has("response.refusal.done", at: type) {
            facts.ending = .failed(fields.string(Field.refusal) ?? "")
        } else if fields.has("response.incomplete", at: type) {
            return last(fields, status: "incomplete", &facts)
        } else if fields.has("response.completed", at: type) {
            return last(fields, status: fields.string(Field.status), &facts)
        } else if fields.has("response.failed", at: type) {
            return .failed(fields.errorSentence(Field.failure))
        } else if fields.has("error", at: type) || fields.isGiven(Field.error) {
            return .failed(fields.errorSentence(Field.error, Field.message))
        } else if !fields.hasPrefix("response.", at: type), !fields.has("keepalive", at: type) {
            return .skipped
        }
        return .quiet
    }

    /// The last event of a response. Some servers call each response completed, and tell only by its status that it is
    /// not (vLLM, LiteLLM).
    private static func last(
        _ fields: borrowing JSONFields, status: ExactText?, _ facts: inout ReplyFacts
    ) -> Streaming.Event {
        facts.name(fields.string(Field.id))
        facts.cost(
            prompt: fields.integer(Field.input), completion: fields.integer(Field.output),
            total: fields.integer(Field.total))
        let text = facts.hasText ? "" : text(fields.value(Field.items)?.array ?? [], &facts)
        end(status, fields.string(Field.reason), error: fields.errorSentence(Field.failure), &facts)
        if !text.isBlank { return .token(text) }
        switch facts.ending {
        case .toolAwaited: return .quiet
        case .complete where !facts.hasText: return .quiet
        default: return facts.last ?? .quiet
        }
    }

    /// The text of a response's items.
    private static func text(_ items: [JSONValue], _ facts: inout ReplyFacts) -> ExactText {
        var text = ExactText("")
        for item in items {
            if isCall(item["type"]?.string) { facts.hasCall = true }
            guard item["type"]?.string == "message" else { continue }
            for part in item["content"]?.array ?? [] {
                switch part["type"]?.string {
                case "output_text": text.append(part["text"]?.string ?? "")
                case "refusal": facts.end(.failed(part["refusal"]?.string ?? ""))
                default: break
                }
            }
        }
        return text
    }

    /// Notes the end that a status tells.
    private static func end(
        _ status: ExactText?, _ reason: ExactText?, error: ExactText, _ facts: inout ReplyFacts
    ) {
        switch status {
        case nil, "completed": _ = facts.completed()
        case "incomplete": facts.end(incomplete(reason))
        case "failed": facts.end(.failed(error))
        case let status?: facts.end(ReplyFacts.early(status))
        }
    }

    private static func isCall(_ item: ExactText?) -> Bool {
        item == "function_call" || item == "custom_tool_call"
    }

    /// The end of a response that is not complete.
    private static func incomplete(_ reason: ExactText?) -> ReplyFacts.Ending {
        switch reason {
        case nil, "max_output_tokens", "max_tokens": .cut
        case "content_filter": .withheld("content filter")
        case let reason?: ReplyFacts.early(reason)
        }
    }

    /// Decodes a whole answer.
    public func whole(_ answer: JSONValue, facts: inout ReplyFacts) -> Streaming.Event? {
        guard let output = answer["output"]?.array else { return nil }
        let text = Self.text(output, &facts)
        Self.end(
            answer["status"]?.string, answer["incomplete_details"]?["reason"]?.string,
            error: answer["error"]?.errorSentence ?? "", &facts)
        facts.name(answer["id"]?.string)
        let usage = answer["usage"]
        facts.cost(
            prompt: usage?["input_tokens"]?.integer, completion: usage?["output_tokens"]?.integer,
            total: usage?["total_tokens"]?.integer)
        return .whole(text, facts.id, facts.usage)
    }
}
