// The UI message stream of the AI SDK, between an app's own server and its pages. A reply ends with `[DONE]`, or with
// the stream after `finish`. Parts of other kinds (reasoning, tools, files, the app's own data) are not shown.
//
//     data: {"type":"start","messageId":"m1"}
//     data: {"type":"text-delta","id":"1","delta":"Hel"}
//     data: {"type":"finish"}
//     data: [DONE]

import ChatDomain

/// The UI message stream of the AI SDK. The path of the server is that of its chat route.
public struct AISDKMessageStream: ModelAPI {
    private enum Field {
        static let type = 0
        static let delta = 1
        static let id = 2
        static let error = 3
        static let finish = 4
    }

    private static let scanner = JSONFieldScanner(
        ["type", "delta", "messageId", "errorText", "finishReason"], .greatReply)

    /// Creates the API.
    public init() {}

    /// The limits of the answer's events.
    public var policy: SSEPolicy { .great() }

    /// Empty: the server's path is the whole path.
    public func path(_ server: ModelServer, isStreamed: Bool) -> ExactText { "" }

    /// Writes the body of a request. There is only the streamed form.
    public func write(
        _ question: Streaming.Question, _ server: ModelServer, isStreamed: Bool,
        to body: inout JSONObjectWriter
    ) {
        body.member("id", question.conversation.text)
        body.array("messages") { messages in
            for (index, said) in question.prompt.enumerated() {
                messages.object { message in
                    message.member("id", "\(index)")
                    message.member("role", said.roleName)
                    message.array("parts") { parts in
                        parts.object { part in
                            part.member("type", "text")
                            part.member("text", said.text)
                        }
                    }
                }
            }
        }
        body.member("trigger", "submit-message")
        if !server.model.isEmpty { body.member("model", server.model) }
    }

    /// Decodes an event.
    public func event(_ event: borrowing SSEEvent, facts: inout ReplyFacts) -> Streaming.Event {
        event.hasData("[DONE]")
            ? facts.marked() : Self.scanner.event(event, &facts) { Self.event($0, &$1) }
    }

    private static func event(_ fields: borrowing JSONFields, _ facts: inout ReplyFacts) -> Streaming.Event {
        if fields.has("text-delta", at: Field.type) {
            let text = fields.string(Field.delta)
            facts.withdrawEnd(before: text)
            return .text(text)
        }
        if fields.has("start", at: Field.type) {
            facts.name(fields.string(Field.id))
            return .quiet
        }
        if fields.has("finish", at: Field.type) {
            facts.end(ending(fields.string(Field.finish) ?? ""))
            return .quiet
        }
        if fields.has("error", at: Field.type) { return .failed(fields.string(Field.error) ?? "") }
        if fields.has("abort", at: Field.type) { return .failed(ReplyFacts.stoppedSentence) }
        if fields.has("start-step", at: Field.type) || fields.has("finish-step", at: Field.type) {
            facts.hasStepText = false
            return .quiet
        }
        // The retracted text is already shown, and cannot be distinguished from the new text.
        if fields.has("reset-step", at: Field.type) {
            return facts.hasStepText ? .failed(Self.resetSentence) : .quiet
        }
        return isKnown(fields) ? .quiet : .skipped
    }

    private static func ending(_ reason: ExactText) -> ReplyFacts.Ending {
        switch reason {
        case "", "stop", "unknown": .complete  // unknown: the model has told none
        case "length": .cut
        case "content-filter": .withheld("content filter")
        case "tool-calls": .toolAwaited
        default: ReplyFacts.early(reason)  // `error`, `other` and later reasons
        }
    }

    private static let resetSentence: ExactText = "The server began its answer anew. Please try again."

    private static func isKnown(_ fields: borrowing JSONFields) -> Bool {
        fields.hasPrefix("text-", at: Field.type) || fields.hasPrefix("reasoning-", at: Field.type)
            || fields.hasPrefix("tool-", at: Field.type) || fields.hasPrefix("data-", at: Field.type)
            || fields.hasPrefix("source-", at: Field.type) || fields.has("message-metadata", at: Field.type)
            || fields.has("file", at: Field.type)
    }
}
