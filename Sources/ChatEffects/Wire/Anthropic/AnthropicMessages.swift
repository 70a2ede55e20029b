// Anthropic's Messages. The reason of the end and the cost come before the last event of a message. A message that
// waits for a tool, or that the server has only paused, may be followed by another on the same stream.
//
//     data: {"type":"message_start","message":{"id":"msg_1","usage":{"input_tokens":1,"output_tokens":1}}}
//     data: {"type":"content_block_delta","delta":{"type":"text_delta","text":"Hel"}}
//     data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}
//     data: {"type":"message_stop"}

import ChatDomain

/// Anthropic's Messages.
public struct AnthropicMessages: ModelAPI {
    private enum Field {
        static let type = 0
        static let kind = 1
        static let text = 2
        static let reason = 3
        static let id = 4
        /// The first of the three fields that add up to the prompt.
        static let firstInput = 5
        static let output = 8
        static let started = 9
        static let firstStartInput = 10
        static let error = 13
        static let startReason = 14
        static let content = 15
        static let block = 16
    }

    private static let scanner = JSONFieldScanner(
        [
            "type", JSONPath("delta", "type"), JSONPath("delta", "text"), JSONPath("delta", "stop_reason"),
            JSONPath("message", "id"), JSONPath("usage", "input_tokens"),
            JSONPath("usage", "cache_creation_input_tokens"), JSONPath("usage", "cache_read_input_tokens"),
            JSONPath("usage", "output_tokens"), JSONPath("message", "usage", "output_tokens"),
            JSONPath("message", "usage", "input_tokens"),
            JSONPath("message", "usage", "cache_creation_input_tokens"),
            JSONPath("message", "usage", "cache_read_input_tokens"), "error",
            JSONPath("message", "stop_reason"), JSONPath("message", "content"), "content_block",
        ], .reply)

    /// The most tokens of a reply if the app sets no limit: the API demands a number, and every model allows this.
    private static let usualReplyLimit: Int64 = 4_096

    /// Creates the API.
    public init() {}

    /// The version of the API.
    public var headers: [Header] { [Header("anthropic-version", "2023-06-01")] }

    /// The path of both forms.
    public func path(_ server: ModelServer, isStreamed: Bool) -> ExactText { "/messages" }

    /// Writes the body of a request.
    public func write(
        _ question: Streaming.Question, _ server: ModelServer, isStreamed: Bool,
        to body: inout JSONObjectWriter
    ) {
        body.member("model", server.model)
        body.member("max_tokens", server.replyLimit ?? Self.usualReplyLimit)
        if let instructions = server.instructions { body.member("system", instructions) }
        body.array("messages") { messages in
            for said in question.prompt {
                messages.object { message in
                    message.member("role", said.roleName)
                    message.member("content", said.text)
                }
            }
        }
        if isStreamed { body.member("stream", true) }
    }

    /// Decodes an event.
    public func event(_ event: borrowing SSEEvent, facts: inout ReplyFacts) -> Streaming.Event {
        Self.scanner.event(event, &facts) { Self.event($0, &$1) }
    }

    private static func event(_ fields: borrowing JSONFields, _ facts: inout ReplyFacts) -> Streaming.Event {
        if fields.has("content_block_delta", at: Field.type) {
            return fields.has("text_delta", at: Field.kind) ? .text(fields.string(Field.text)) : .quiet
        }
        if fields.has("message_start", at: Field.type) {
            facts.name(fields.string(Field.id))
            // A message that begins with its content may be over.
            facts.ending = fields.string(Field.startReason).flatMap(ending)
            cost(fields, &facts, firstInput: Field.firstStartInput, output: Field.started)
            return .text(fields.value(Field.content).map(text))
        }
        if fields.has("message_delta", at: Field.type) {
            if let ending = fields.string(Field.reason).flatMap(ending) { facts.ending = ending }
            cost(fields, &facts, firstInput: Field.firstInput, output: Field.output)
            return .quiet
        }
        if fields.has("message_stop", at: Field.type) {
            let last = facts.completed()
            return facts.ending == .toolAwaited ? .quiet : last
        }
        if fields.has("content_block_start", at: Field.type) {
            return .text(fields.value(Field.block).map { text(.array([$0])) })
        }
        if fields.has("error", at: Field.type) || fields.isGiven(Field.error) {
            return .failed(fields.errorSentence(Field.error))
        }
        let isKnown = fields.has("content_block_stop", at: Field.type) || fields.has("ping", at: Field.type)
        return isKnown ? .quiet : .skipped
    }

    private static func ending(_ reason: ExactText) -> ReplyFacts.Ending? {
        switch reason {
        case "": nil
        case "end_turn", "stop_sequence": .complete
        case "tool_use", "pause_turn": .toolAwaited
        case "max_tokens", "model_context_window_exceeded": .cut
        case "refusal": .withheld("refusal")
        default: ReplyFacts.early(reason)
        }
    }

    /// The text of the blocks that are shown.
    private static func text(_ content: JSONValue) -> ExactText {
        var text = ExactText("")
        for block in content.array ?? [] where block["type"]?.string == "text" {
            text.append(block["text"]?.string ?? "")
        }
        return text
    }

    /// Keeps the cost. A value that the end of a message does not repeat is that of its start.
    private static func cost(
        _ fields: borrowing JSONFields, _ facts: inout ReplyFacts, firstInput: Int, output: Int
    ) {
        var prompt = facts.usage?.prompt
        if let input = fields.integer(firstInput) {
            prompt = sum(input, fields.integer(firstInput + 1), fields.integer(firstInput + 2))
        }
        facts.cost(prompt: prompt, completion: fields.integer(output), total: nil)
    }

    /// The tokens of the prompt: those that are new, and those that enter and leave the server's memory of prompts.
    private static func sum(_ input: Int64, _ created: Int64?, _ read: Int64?) -> Int64 {
        saturatingSum(max(input, 0), saturatingSum(max(created ?? 0, 0), max(read ?? 0, 0)))
    }

    /// Decodes a whole answer.
    public func whole(_ answer: JSONValue, facts: inout ReplyFacts) -> Streaming.Event? {
        guard let content = answer["content"], content.array != nil else { return nil }
        facts.end(answer["stop_reason"]?.string.flatMap(Self.ending))
        facts.name(answer["id"]?.string)
        let usage = answer["usage"]
        let prompt = usage?["input_tokens"]?.integer.map {
            Self.sum(
                $0, usage?["cache_creation_input_tokens"]?.integer,
                usage?["cache_read_input_tokens"]?.integer)
        }
        facts.cost(prompt: prompt, completion: usage?["output_tokens"]?.integer, total: nil)
        return .whole(Self.text(content), facts.id, facts.usage)
    }
}
