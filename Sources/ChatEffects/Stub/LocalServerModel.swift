// The in-process backend as a model behind the OpenAI Chat Completions interface: the coach's reply in that interface's
// chunks, with its usage and `[DONE]`, or as one whole answer. It needs no credentials, like a model on this device.

import ChatDomain

extension LocalServer {
    /// The path of the interface below the usual base of a local model.
    static var modelPath: ExactText { "/v1/chat/completions" }

    /// Handles a request for a completion: the last message is the question.
    mutating func askModel(_ call: CallNumber, _ payload: Payload) {
        requests.append(Request(call: call, token: nil))
        var bytes: [UInt8] = []
        for case .bytes(let part) in payload.parts { bytes += part }
        let wish = try? JSONReader().value(of: bytes)
        guard let question = wish?["messages"]?.array?.last?["content"]?.string, !question.isEmpty else {
            let body = modelError("invalid_request_error", "There is no message")
            return schedule(.respond(call, status: 400, body: body), after: .zero, mayFail: false)
        }
        let reply = CoachReply(to: question, isModel: true)
        let isStream = wish?["stream"]?.bool ?? false
        schedule(
            isStream ? .coach(call, reply, next: 0) : .coachWhole(call, reply), after: behaviour.answerDelay)
    }

    /// A chunk with a word of a reply; without one, its end.
    static func modelChunk(_ word: ExactText?) -> [UInt8] {
        var data: [UInt8] = []
        JSONWriter.object(into: &data) { chunk in
            chunk.member("object", "chat.completion.chunk")
            chunk.array("choices") { choices in
                choices.object { choice in
                    choice.member("index", 0)
                    choice.object("delta") { delta in
                        if let word { delta.member("content", word) }
                    }
                    if word == nil { choice.member("finish_reason", "stop") }
                }
            }
        }
        return event(data)
    }

    /// The chunk with the usage, and the end of the stream.
    static func modelEnd(of reply: CoachReply) -> [UInt8] {
        var data: [UInt8] = []
        JSONWriter.object(into: &data) { chunk in
            chunk.member("object", "chat.completion.chunk")
            chunk.array("choices") { _ in }
            writeUsage(of: reply, into: &chunk)
        }
        return event(data) + event(Array("[DONE]".utf8))
    }

    /// A whole answer.
    static func modelAnswer(_ reply: CoachReply) -> [UInt8] {
        var body: [UInt8] = []
        JSONWriter.object(into: &body) { answer in
            answer.member("object", "chat.completion")
            answer.array("choices") { choices in
                choices.object { choice in
                    choice.member("index", 0)
                    choice.object("message") { message in
                        message.member("role", "assistant")
                        message.member("content", reply.text)
                    }
                    choice.member("finish_reason", "stop")
                }
            }
            writeUsage(of: reply, into: &answer)
        }
        return body
    }

    /// An error in the words of the interface.
    func modelError(_ type: ExactText, _ message: ExactText) -> [UInt8] {
        var body: [UInt8] = []
        JSONWriter.object(into: &body) { answer in
            answer.object("error") { error in
                error.member("message", message)
                error.member("type", type)
            }
        }
        return body
    }
}
