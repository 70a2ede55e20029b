// The common parts of the APIs of models: their errors, and the messages of a question.

import ChatDomain

/// The errors of model servers, as the body of a refusal or inside a stream.
enum ModelError {
    /// Whether a 429 means that the account has no credit, not that questions come too fast.
    static func isOutOfCredit(_ body: JSONValue) -> Bool {
        let code: ExactText = "insufficient_quota"
        return body["error"]?["code"]?.string == code || body["error"]?["type"]?.string == code
    }

    /// The wait that an error demands, as Google's do: `{"error":{"details":[{"retryDelay":"45.8s"}]}}`.
    static func wait(_ body: JSONValue) -> Interval? {
        for detail in (body.array?.first ?? body)["error"]?["details"]?.array ?? [] {
            guard let delay = detail["retryDelay"]?.string, delay.utf8.last == UInt8(ascii: "s") else {
                continue
            }
            return Interval(decimal: delay.utf8.dropLast(), unit: "e9")
        }
        return nil
    }
}

extension JSONValue {
    /// The first of the answers in this array, in whatever order they stand. A further one is another answer, and no
    /// server is asked for one. O(n).
    var firstAnswer: JSONValue? { array?.first { ($0["index"]?.integer ?? 0) == 0 } }
}

extension JSONFields {
    /// The sentence of an error, from the first of these fields that has one.
    func errorSentence(_ fields: Int...) -> ExactText {
        for field in fields {
            guard let sentence = value(field)?.errorSentence, !sentence.isEmpty else { continue }
            return sentence
        }
        return ""
    }
}

extension Streaming.Event {
    /// A known event without text: a sign of life.
    static var quiet: Streaming.Event { .token("") }

    /// Text, if there is any.
    static func text(_ text: ExactText?) -> Streaming.Event { text.map { .token($0) } ?? .quiet }
}

extension JSONFieldScanner {
    /// The meaning of an event's fields; skipped when its data is not JSON.
    @inline(__always) func event(
        _ event: borrowing SSEEvent, _ facts: inout ReplyFacts,
        _ meaning: (borrowing JSONFields, inout ReplyFacts) -> Streaming.Event
    ) -> Streaming.Event {
        do throws(JSONError) {
            return try scan(event.data) { (fields) throws(JSONError) -> Streaming.Event in
                meaning(fields, &facts)
            }
        } catch {
            return .skipped
        }
    }
}

extension Streaming.Question {
    /// All messages that a model is to answer, oldest first; the last is the question. Messages of `system` are left
    /// out: an app shows them in the name of its system, and no model has said them. Neighbours of one role, as after a
    /// reply that was stopped before its text, are one message: the templates of many models refuse roles that do not
    /// alternate.
    var prompt: [Streaming.PromptMessage] {
        var prompt: [Streaming.PromptMessage] = []
        for said in earlier + [Streaming.PromptMessage(role: .user, text: text)] where said.role != .system {
            guard let last = prompt.last, last.role == said.role else {
                prompt.append(said)
                continue
            }
            var text = last.text
            text.append("\n\n")
            text.append(said.text)
            prompt[prompt.count - 1] = Streaming.PromptMessage(role: said.role, text: text)
        }
        return prompt
    }
}

extension Streaming.PromptMessage {
    /// The role in nearly all APIs.
    var roleName: ExactText { role == .assistant ? "assistant" : "user" }
}

extension SSEPolicy {
    /// 64 MiB for an event that repeats the whole answer or brings an image, which takes tens of MiB in base 64.
    static let greatEvents: Int64 = 64 * 1024 * 1024

    /// The limits of an API whose events may be great.
    static func great(foreignLines: ForeignLines = .ignored) -> SSEPolicy {
        SSEPolicy(
            lineLimit: greatEvents, eventLimit: greatEvents, unterminatedEvent: .dispatchAtEnd,
            foreignLines: foreignLines)
    }
}

extension JSONPolicy {
    /// Malformed text in a reply is replaced: the rest is worth showing.
    static var reply: JSONPolicy { JSONPolicy(malformedText: .replace) }

    /// The same for great events.
    static var greatReply: JSONPolicy { JSONPolicy(size: SSEPolicy.greatEvents, malformedText: .replace) }
}
