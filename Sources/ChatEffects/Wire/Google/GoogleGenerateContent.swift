// Google's generateContent. There is no last event: a reply is complete when its stream ends after a finish reason.
//
//     data: {"candidates":[{"content":{"parts":[{"text":"Hel"}]}}],"usageMetadata":{"promptTokenCount":1}}
//     data: {"candidates":[{"content":{"parts":[{"text":"lo"}]},"finishReason":"STOP"}]}

import ChatDomain

/// Google's generateContent.
public struct GoogleGenerateContent: ModelAPI {
    private enum Field {
        static let text = 0
        static let thought = 1
        static let secondPart = 2
        static let parts = 3
        static let finish = 4
        static let candidates = 5
        static let block = 6
        static let prompt = 7
        static let completion = 8
        static let thinking = 9
        static let total = 10
        static let id = 11
        static let error = 12
        static let call = 13
        static let usage = 14
        static let candidate = 15
    }

    private static let scanner: JSONFieldScanner = {
        let content: [JSONPath.Step] = ["candidates", 0, "content", "parts"]
        return JSONFieldScanner(
            [
                JSONPath(content + [0, "text"]), JSONPath(content + [0, "thought"]), JSONPath(content + [1]),
                JSONPath(content), JSONPath("candidates", 0, "finishReason"), "candidates",
                JSONPath("promptFeedback", "blockReason"), JSONPath("usageMetadata", "promptTokenCount"),
                JSONPath("usageMetadata", "candidatesTokenCount"),
                JSONPath("usageMetadata", "thoughtsTokenCount"),
                JSONPath("usageMetadata", "totalTokenCount"), "responseId", "error",
                JSONPath(content + [0, "functionCall"]), "usageMetadata", JSONPath("candidates", 0, "index"),
            ], .greatReply)
    }()

    /// Creates the API.
    public init() {}

    /// The limits of the answer's events. An error within a stream is a bare object between events.
    public var policy: SSEPolicy { .great(foreignLines: .bareObject) }

    /// The path of a form, which names the model.
    public func path(_ server: ModelServer, isStreamed: Bool) -> ExactText {
        var path: ExactText = server.model.utf8.contains(UInt8(ascii: "/")) ? "/" : "/models/"
        path.append(server.model)
        path.append(isStreamed ? ":streamGenerateContent?alt=sse" : ":generateContent")
        return path
    }

    /// Writes the body of a request.
    public func write(
        _ question: Streaming.Question, _ server: ModelServer, isStreamed: Bool,
        to body: inout JSONObjectWriter
    ) {
        if let instructions = server.instructions {
            body.object("systemInstruction") { Self.write(instructions, to: &$0) }
        }
        body.array("contents") { contents in
            for said in question.prompt {
                contents.object { content in
                    content.member("role", said.role == .assistant ? "model" : "user")
                    Self.write(said.text, to: &content)
                }
            }
        }
        if let limit = server.replyLimit {
            body.object("generationConfig") { $0.member("maxOutputTokens", limit) }
        }
    }

    private static func write(_ text: ExactText, to content: inout JSONObjectWriter) {
        content.array("parts") { parts in parts.object { $0.member("text", text) } }
    }

    /// Decodes an event.
    public func event(_ event: borrowing SSEEvent, facts: inout ReplyFacts) -> Streaming.Event {
        Self.scanner.event(event, &facts) { Self.event($0, &$1) }
    }

    private static func event(_ fields: borrowing JSONFields, _ facts: inout ReplyFacts) -> Streaming.Event {
        if fields.isGiven(Field.error) {
            return .failed(fields.errorSentence(Field.error))
        }
        if let reason = fields.string(Field.block) { facts.ending = .withheld(reason) }
        guard
            fields.isPresent(Field.candidates) || fields.isPresent(Field.block)
                || fields.isPresent(Field.usage)
        else { return .skipped }
        if facts.id == nil { facts.name(fields.string(Field.id)) }
        cost(
            fields.integer(Field.prompt), fields.integer(Field.completion), fields.integer(Field.thinking),
            fields.integer(Field.total), &facts)
        guard (fields.integer(Field.candidate) ?? 0) == 0 else {
            // The answer may stand behind a further one.
            guard let candidate = fields.value(Field.candidates)?.firstAnswer else { return .quiet }
            let text = text(candidate["content"]?["parts"], &facts)
            return hear(text, finish: candidate["finishReason"]?.string, &facts)
        }
        return hear(text(fields, &facts), finish: fields.string(Field.finish), &facts)
    }

    private static func hear(
        _ text: ExactText?, finish reason: ExactText?, _ facts: inout ReplyFacts
    ) -> Streaming.Event {
        facts.withdrawEnd(before: text)
        if let reason { finish(reason, &facts) }
        return .text(text)
    }

    /// Keeps the cost. The model's thoughts cost the same as its text.
    private static func cost(
        _ prompt: Int64?, _ text: Int64?, _ thoughts: Int64?, _ total: Int64?, _ facts: inout ReplyFacts
    ) {
        let completion = saturatingSum(max(text ?? 0, 0), max(thoughts ?? 0, 0))
        facts.cost(prompt: prompt, completion: completion, total: total)
    }

    /// The text of the parts, without the model's thoughts.
    private static func text(_ fields: borrowing JSONFields, _ facts: inout ReplyFacts) -> ExactText? {
        guard fields.isPresent(Field.secondPart) else {
            if fields.isGiven(Field.call) { facts.hasCall = true }
            return fields.bool(Field.thought) == true ? nil : fields.string(Field.text)
        }
        return text(fields.value(Field.parts), &facts)
    }

    private static func text(_ parts: JSONValue?, _ facts: inout ReplyFacts) -> ExactText {
        var text = ExactText("")
        for part in parts?.array ?? [] {
            if part["functionCall"]?.object != nil { facts.hasCall = true }
            if part["thought"]?.bool != true { text.append(part["text"]?.string ?? "") }
        }
        return text
    }

    private static func finish(_ reason: ExactText, _ facts: inout ReplyFacts) {
        switch reason {
        case "STOP": _ = facts.completed()
        case "FINISH_REASON_UNSPECIFIED": break
        case "MAX_TOKENS": facts.ending = .cut
        case "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL": facts.ending = .toolAwaited
        // SAFETY, RECITATION, BLOCKLIST, PROHIBITED_CONTENT, SPII, LANGUAGE, OTHER and later reasons.
        default: facts.ending = .withheld(reason)
        }
    }

    /// Decodes a whole answer.
    public func whole(_ answer: JSONValue, facts: inout ReplyFacts) -> Streaming.Event? {
        let candidate = answer["candidates"]?.firstAnswer
        let block = answer["promptFeedback"]?["blockReason"]?.string
        guard candidate != nil || block != nil else { return nil }
        let text = Self.text(candidate?["content"]?["parts"], &facts)
        if let block { facts.ending = .withheld(block) }
        Self.finish(candidate?["finishReason"]?.string ?? "STOP", &facts)
        facts.name(answer["responseId"]?.string)
        let usage = answer["usageMetadata"]
        Self.cost(
            usage?["promptTokenCount"]?.integer, usage?["candidatesTokenCount"]?.integer,
            usage?["thoughtsTokenCount"]?.integer, usage?["totalTokenCount"]?.integer, &facts)
        return .whole(text, facts.id, facts.usage)
    }
}
