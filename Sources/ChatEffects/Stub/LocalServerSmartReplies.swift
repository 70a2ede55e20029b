// The in-process backend's smart replies: a suggestion word by word as server-sent events, or as one whole answer. Its
// text names its kind and its message.

import ChatDomain

extension LocalServer {
    /// Handles a request for a suggestion.
    mutating func suggest(_ call: CallNumber, _ bytes: [UInt8], isStream: Bool) {
        let wish = try? JSONReader().value(of: bytes)
        guard let message = wish?["messageText"]?.string, let kind = wish?["replyType"]?.string else {
            return schedule(
                .respond(call, status: 400, body: Self.error("INVALID_ARGUMENT", "There is no message")),
                after: .zero, mayFail: false)
        }
        let text = "A \(kind.string) answer to “\(message.string)”"
        guard isStream else {
            var body: [UInt8] = []
            JSONWriter.object(into: &body) { $0.member("reply", text) }
            return schedule(.whole(call, body), after: behaviour.answerDelay)
        }
        let words = text.split(separator: " ", omittingEmptySubsequences: false).map { ExactText(String($0)) }
        schedule(.suggestion(call, words, next: 0), after: behaviour.answerDelay)
    }

    /// Sends the head of a suggestion, one of its words, or its end.
    mutating func suggest(
        _ call: CallNumber, _ words: [ExactText], next: Int64, _ outcomes: inout [Outcome]
    ) {
        guard isOpen(call) else { return }
        let index = Int(next) - 1
        if index < 0 {
            outcomes.append(.arrived(call, .head(status: 200, headers: Self.eventStream)))
        } else if index < words.count {
            let separator = index == 0 ? "" : " "
            var data: [UInt8] = []
            JSONWriter.object(into: &data) { $0.member("content", separator + words[index].string) }
            outcomes.append(.arrived(call, .body(Self.event(data))))
        } else {
            outcomes.append(.arrived(call, .body(Self.event(Array("[DONE]".utf8)))))
            return end(call, .completed, &outcomes)
        }
        schedule(.suggestion(call, words, next: next + 1), after: behaviour.wordInterval)
    }

    /// Refuses a suggestion: with a status before its head, as an event after it.
    mutating func refuseSuggestion(
        _ call: CallNumber, next: Int64, _ code: ExactText, _ message: ExactText, _ outcomes: inout [Outcome]
    ) {
        guard next > 0 else {
            return respond(call, Self.httpStatus(of: code), body: Self.error(code, message), &outcomes)
        }
        guard isOpen(call) else { return }
        var data: [UInt8] = []
        JSONWriter.object(into: &data) { $0.member("error", message) }
        outcomes.append(.arrived(call, .body(Self.event(data))))
        end(call, .completed, &outcomes)
    }

    /// The headers of a stream. They name its type: what has none is sent as JSON.
    static let eventStream = [Header("content-type", "text/event-stream")]

    /// The data as a server-sent event.
    static func event(_ data: [UInt8]) -> [UInt8] {
        Array("data: ".utf8) + data + Array("\n\n".utf8)
    }
}
