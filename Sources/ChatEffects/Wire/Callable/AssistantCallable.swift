// The assistant as a callable function: one HTTP POST with a JSON body and a JSON answer. The progress is the status
// and the bounded body so far, which is decoded once, at the end. For an error status with an unknown body, the status
// decides.

import ChatDomain

/// The backend of the assistant, by the convention of callable functions.
public struct AssistantCallable: Backend {
    /// The feature that this backend serves.
    public typealias Subject = Assistant

    /// The answer so far.
    public typealias Progress = HTTPAnswer

    /// The path of the function.
    let path: ExactText
    /// The person's time zone as an IANA name, for questions about days.
    let timeZone: ExactText

    /// Creates a codec for a function at a path.
    public init(path: ExactText = "/chatWithAI", timeZone: ExactText = "UTC") {
        self.path = path
        self.timeZone = timeZone
    }

    /// Encodes the request of a question.
    public func open(_ request: Assistant.Request) -> (exchange: Exchange, progress: HTTPAnswer) {
        let (text, conversation, user, secret) =
            switch request {
            case .ask(let text, let conversation, let user, let secret): (text, conversation, user, secret)
            }
        var bytes: [UInt8] = []
        JSONWriter.object(into: &bytes) { body in
            body.object("data") { data in
                data.member("message", text)
                if let conversation { data.member("conversationId", conversation.text) }
                data.member("userId", user.text)
                data.member("timezone", timeZone)
            }
        }
        let exchange = Exchange.http(
            method: "POST", path: path, headers: [Header("content-type", "application/json")],
            body: Payload(bytes: bytes), credential: secret)
        return (exchange, HTTPAnswer())
    }

    /// Decodes an arrival; the answer is an event once it is complete.
    public func receive(
        _ arrival: Arrival, progress: inout HTTPAnswer, reaction: inout Reaction<Assistant.Event>
    ) {
        guard progress.receive(arrival, &reaction) else { return }
        let json = progress.json
        if let event = json.flatMap({ Self.event($0, progress) }) {
            reaction.events.append(event)
        } else if progress.isGood {
            reaction.end = .failed(.malformed)
        } else {
            reaction.end = progress.refusal(json.map { Self.reason($0) } ?? "")
        }
    }

    /// The event of a body; `nil` if the body is no answer, and the status says more.
    private static func event(_ json: JSONValue, _ answer: HTTPAnswer) -> Assistant.Event? {
        if let error = json["error"], error.object != nil {
            return rejection(error, answer).map { .failed($0) }
        }
        guard let result = json["result"] else { return nil }
        if result["success"]?.bool == false {
            return answer.isGood ? .failed(.other(sentence(result))) : nil
        }
        let said = result["response"]?.string ?? result["message"]?.string
        if said?.isBlank ?? true, result["functionCall"]?.object != nil { return .failed(.other(unshown)) }
        guard let text = said else { return nil }
        // The placeholder for a conversation that could not be saved is no id.
        let conversation = result["conversationId"]?.string.flatMap { $0 == "error-saving" ? nil : $0 }
        return .answered(
            text, conversation: conversation.map { ConversationID($0) },
            time: result["timestamp"]?.time, tokens: result["tokensUsed"]?.integer)
    }

    /// The sentence for an answer without text that is a function call.
    private static let unshown: ExactText = "The answer is an action, which cannot be shown here."

    /// The rejection of an error; `nil` if its word is unknown or missing and the status says more.
    private static func rejection(_ error: JSONValue, _ answer: HTTPAnswer) -> AssistantRefusal? {
        switch error["status"]?.string {
        case "UNAUTHENTICATED": .unauthenticated
        case "RESOURCE_EXHAUSTED": .exhausted(retryAfter: answer.retryAfter)
        case "DEADLINE_EXCEEDED": .deadlineExceeded
        case "UNAVAILABLE", "INTERNAL": .unavailable
        case "PERMISSION_DENIED", "INVALID_ARGUMENT": .other(sentence(error))
        default: answer.isGood ? .other(sentence(error)) : nil
        }
    }

    /// The sentence of a refusal, from any place in the body.
    private static func reason(_ json: JSONValue) -> ExactText {
        if let error = json["error"], error.object != nil { return sentence(error) }
        return sentence(json["result"] ?? json)
    }

    private static func sentence(_ json: JSONValue) -> ExactText {
        (json["message"]?.string ?? json["error"]?.string ?? "")
            .withoutControlCharacters.cut(toByteCount: ClawlineAnswer.sentenceLimit)
    }
}
