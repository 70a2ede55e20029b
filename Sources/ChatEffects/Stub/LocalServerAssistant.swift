// The in-process backend's assistant: a callable function that answers “You asked: ” and the question's text, in a
// conversation that the first answer begins.

import ChatDomain

extension LocalServer {
    /// Handles a question.
    mutating func ask(_ call: CallNumber, _ bytes: [UInt8]) {
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
        respond(call, 200, body: body, &outcomes)
    }

    /// The body of an error with that status of callable functions.
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
}
