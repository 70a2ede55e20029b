// The assistant as a callable function: one HTTP POST with a JSON body and a JSON answer. The progress is the status
// and the bounded body so far, which is decoded once, at the end. For an error status with an unknown body, the status
// decides.

import ChatDomain

/// A codec for the assistant's convention of callable functions.
public struct AssistantCallable: DomainValue {
    /// The greatest accepted answer, in bytes (limits).
    public static let answerLimit: Int64 = 1_048_576

    /// The path of the function.
    public let path: ExactText
    /// The person's time zone as an IANA name, for questions about days.
    public let timeZone: ExactText

    /// Creates a codec for a function at a path.
    public init(path: ExactText = "/chatWithAI", timeZone: ExactText = "UTC") {
        self.path = path
        self.timeZone = timeZone
    }

    /// The answer so far.
    public struct Progress: DomainValue {
        var status: Int64 = 0
        var retryAfter: Interval?
        var body: [UInt8] = []

        var isGood: Bool { (200...299).contains(status) }
    }

    /// Encodes a question.
    func open(_ request: Assistant.Request) -> (exchange: Exchange, progress: Progress) {
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
        return (exchange, Progress())
    }

    /// Decodes an arrival; the event follows when the answer is complete.
    func receive(
        _ arrival: Arrival, progress: inout Progress, reaction: inout Reaction<App.Event>
    ) {
        switch arrival {
        case .head(let status, let headers):
            progress.status = status
            progress.retryAfter = Self.retryAfter(headers)
        case .body(let bytes):
            guard Int64(progress.body.count) + Int64(bytes.count) <= Self.answerLimit else {
                reaction.end = .failed(.tooLarge)
                return
            }
            progress.body += bytes
        case .ended(.completed):
            finish(progress, &reaction)
        case .ended, .sent: break
        case .opened, .text, .signOfLife: reaction.skipped += 1
        }
    }

    private func finish(_ progress: Progress, _ reaction: inout Reaction<App.Event>) {
        // Malformed Unicode is repaired, not refused: otherwise the whole answer would be lost.
        let json = try? JSONReader(JSONPolicy(malformedText: .replace)).value(of: progress.body)
        if let event = json.flatMap({ Self.event($0, progress) }) {
            reaction.events.append(.assistant(event))
        } else if progress.isGood {
            reaction.end = .failed(.malformed)
        } else {
            reaction.end = .refused(
                status: progress.status, retryAfter: progress.retryAfter,
                message: json.map { Self.reason($0) } ?? "")
        }
    }

    /// Decodes the body; `nil` when it is no answer, or when the status is more specific than the body.
    private static func event(_ json: JSONValue, _ progress: Progress) -> Assistant.Event? {
        if let error = json["error"], error.object != nil {
            return rejection(error, progress).map { .failed($0) }
        }
        guard let result = json["result"] else { return nil }
        if result["success"]?.bool == false {
            return progress.isGood ? .failed(.other(sentence(result))) : nil
        }
        guard let text = result["response"]?.string ?? result["message"]?.string else { return nil }
        return .answered(
            text, conversation: result["conversationId"]?.string.map { ConversationID($0) },
            time: result["timestamp"]?.time, tokens: result["tokensUsed"]?.integer)
    }

    /// An unknown or missing error word counts as nothing beside an error status.
    private static func rejection(_ error: JSONValue, _ progress: Progress) -> Rejection? {
        switch error["status"]?.string {
        case "UNAUTHENTICATED": .unauthenticated
        case "RESOURCE_EXHAUSTED": .exhausted(retryAfter: progress.retryAfter)
        case "DEADLINE_EXCEEDED": .deadlineExceeded
        case "UNAVAILABLE", "INTERNAL": .unavailable
        case "PERMISSION_DENIED", "INVALID_ARGUMENT": .other(sentence(error))
        default: progress.isGood ? .other(sentence(error)) : nil
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

    /// The seconds of a `Retry-After` header (RFC 9110, section 10.2.3); nil if there is none. Its other form, a date,
    /// would need the server's clock.
    static func retryAfter(_ headers: [Header]) -> Interval? {
        guard let value = headers.first(where: { $0.name == "retry-after" })?.value.trimmed.string,
            let seconds = Int64(value), seconds >= 0
        else { return nil }
        return .seconds(seconds)
    }
}
