// The assistant as a callable function: one HTTP POST with a JSON body, one JSON answer.
// What is remembered of a call is the status and the body so far, which is bounded; it is read once, at the
// end. Where the status is an error's and the body has no word of the convention, the status tells what it is.

import ChatDomain

/// Speaks the convention of callable functions for the assistant.
public struct AssistantCallable: DomainValue {
    /// The greatest answer that is read (limits).
    public static let answerLimit: Int64 = 1_048_576

    /// Where the function is.
    public let path: ExactText
    /// The person's time zone, as the IANA database names it, for questions about days.
    public let timeZone: ExactText

    /// Creates a codec for a function at a path.
    public init(path: ExactText = "/chatWithAI", timeZone: ExactText = "UTC") {
        self.path = path
        self.timeZone = timeZone
    }

    /// What has come of an answer.
    public struct Progress: DomainValue {
        var status: Int64 = 0
        var retryAfter: Interval?
        var body: [UInt8] = []

        var isGood: Bool { (200...299).contains(status) }
    }

    /// Says how a question is asked.
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

    /// Reads what arrives; the answer is told once it is complete.
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
        // Text that is not Unicode is mended, not refused: the whole answer would be missing.
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

    /// What the body says; `nil` when it is no answer, and the status says more about that than the body does.
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

    /// A word that is not of the convention, or none, says nothing beside an error's status.
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

    /// Why a question was refused, wherever the body says it.
    private static func reason(_ json: JSONValue) -> ExactText {
        if let error = json["error"], error.object != nil { return sentence(error) }
        return sentence(json["result"] ?? json)
    }

    private static func sentence(_ json: JSONValue) -> ExactText {
        (json["message"]?.string ?? json["error"]?.string ?? "")
            .withoutControlCharacters.cut(toByteCount: ClawlineAnswer.sentenceLimit)
    }

    /// The wait of a `Retry-After` header in seconds (RFC 9110, section 10.2.3); its other form, a date, would
    /// need the server's clock.
    static func retryAfter(_ headers: [Header]) -> Interval? {
        guard let value = headers.first(where: { $0.name == "retry-after" })?.value.trimmed.string,
            let seconds = Int64(value), seconds >= 0
        else { return nil }
        return .seconds(seconds)
    }
}
