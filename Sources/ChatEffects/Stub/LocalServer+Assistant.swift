// The in-process backend's assistant: a callable function (PROTOCOLS section 6) that answers a question with
// “You asked: ” and its text, in a conversation that it begins with the first.

import ChatDomain

extension LocalServer {
    /// Takes in a request that is no socket.
    mutating func request(
        _ call: CallNumber, path: ExactText, _ headers: [Header], _ payload: Payload
    ) {
        guard isOnline else { return schedule(.end(call, .failed(.offline)), after: .zero) }
        exchanges.append(call)
        guard headers.contains(where: { $0.name == "authorization" }) else {
            return schedule(
                .respond(call, status: 401, body: Self.error("UNAUTHENTICATED", "Please sign in")),
                after: .zero, mayFail: false)
        }
        var bytes: [UInt8] = []
        for case .bytes(let part) in payload.parts { bytes += part }
        switch path {
        case AssistantCallable().path: ask(call, bytes)
        case SmartReplyCodec().streamPath: suggest(call, bytes, isStream: true)
        case SmartReplyCodec().wholePath: suggest(call, bytes, isStream: false)
        case CoachStreamCodec().streamPath: askCoach(call, bytes, isStream: true)
        case CoachStreamCodec().wholePath: askCoach(call, bytes, isStream: false)
        case CoachStreamCodec().refreshPath, SmartReplyCodec().refreshPath:
            schedule(.refresh(call), after: .zero)
        default: schedule(.respond(call, status: 404, body: []), after: .zero, mayFail: false)
        }
    }

    private mutating func ask(_ call: CallNumber, _ bytes: [UInt8]) {
        let data = (try? JSONReader().value(of: bytes))?["data"]
        guard let question = data?["message"]?.string, !question.isEmpty else {
            return schedule(
                .respond(call, status: 400, body: Self.error("INVALID_ARGUMENT", "There is no message")),
                after: .zero, mayFail: false)
        }
        schedule(
            .answer(call, question, conversation: data?["conversationId"]?.string),
            after: behaviour.answerDelay)
    }

    /// Answers a question.
    mutating func answer(
        _ call: CallNumber, _ question: ExactText, conversation: ExactText?, _ outcomes: inout [Outcome]
    ) {
        var name = conversation ?? ""
        if name.isEmpty {
            lastID += 1
            name = ExactText("conversation-\(lastID)")
        }
        var body: [UInt8] = []
        JSONWriter.object(into: &body) { answer in
            answer.object("result") { result in
                result.member("success", true)
                result.member("response", "You asked: " + question.string)
                result.member("conversationId", name)
                result.member("timestamp", moment.wall.millisecondsSince1970)
            }
        }
        respond(call, 200, body, &outcomes)
    }

    /// Gives the whole answer to a request.
    mutating func respond(
        _ call: CallNumber, _ status: Int64, _ body: [UInt8], _ outcomes: inout [Outcome]
    ) {
        guard exchanges.contains(call) else { return }
        outcomes.append(.arrived(call, .head(status: status, headers: [])))
        outcomes.append(.arrived(call, .body(body)))
        end(call, .completed, &outcomes)
    }

    /// The body of an error, and the HTTP status that belongs to it.
    static func error(_ status: ExactText, _ message: ExactText) -> [UInt8] {
        var body: [UInt8] = []
        JSONWriter.object(into: &body) { answer in
            answer.object("error") { error in
                error.member("status", status)
                error.member("message", message)
            }
        }
        return body
    }

    /// The HTTP status of a callable function's error.
    static func httpStatus(of status: ExactText) -> Int64 {
        switch status.string {
        case "UNAUTHENTICATED": 401
        case "PERMISSION_DENIED": 403
        case "INVALID_ARGUMENT": 400
        case "RESOURCE_EXHAUSTED": 429
        case "DEADLINE_EXCEEDED": 504
        case "UNAVAILABLE": 503
        default: 500
        }
    }
}
