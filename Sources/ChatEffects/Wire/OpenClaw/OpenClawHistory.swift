// A history of a gateway's session: the questions, and the answer behind each. Newer gateways name a question by the key
// of its `chat.send`. What a run says before it calls a tool is in the history too, and is no answer.

import ChatDomain

/// The newest questions of a session, oldest first.
struct OpenClawHistory {
    /// A question with its answer.
    struct Exchange: DomainValue {
        /// The key of the question, if the gateway tells it.
        var key: ClientID?
        /// The text of the answer; empty while there is none.
        var text: ExactText = ""
        /// The time of the answer, or of a question without one.
        var time: WallTime?
    }

    private(set) var exchanges: [Exchange] = []
    /// Whether the newest message calls a tool.
    private(set) var isUnderWay = false

    /// Whether the gateway tells the keys of questions.
    var isNamed: Bool { exchanges.contains { $0.key != nil } }

    /// Reads the messages of a history. While a run goes on, what it has said before the result of a tool is no answer;
    /// at its end (`isEnded`) it may be.
    init(_ messages: [JSONValue], isEnded: Bool) {
        var role: ExactText?
        for message in messages {
            role = message["role"]?.string
            switch role {
            case "user": exchanges.append(Exchange(key: Self.key(message)))
            case "assistant": if exchanges.isEmpty { exchanges.append(Exchange()) }
            default: continue
            }
            isUnderWay = OpenClawSession.callsTool(message)
            let place = exchanges.endIndex - 1
            exchanges[place].time = message["timestamp"]?.time
            let isAnswer = role == "assistant" && !isUnderWay
            exchanges[place].text = isAnswer ? OpenClawSession.text(message) ?? "" : ""
        }
        let isLast = role == "user" || role == "assistant"
        if !isEnded, !isLast, !exchanges.isEmpty { exchanges[exchanges.endIndex - 1].text = "" }
    }

    /// The key of a question; some gateways add a word to it.
    private static func key(_ message: JSONValue) -> ClientID? {
        let key = message["__openclaw"]?["idempotencyKey"]?.string ?? message["idempotencyKey"]?.string
        guard let key, key.utf8.reversed().starts(with: ":user".utf8.reversed()) else {
            return key?.identifier()
        }
        return ExactText(decoding: Array(key.utf8.dropLast(":user".utf8.count))).identifier()
    }
}

extension OpenClawSession {
    static func callsTool(_ message: JSONValue) -> Bool {
        if message["stopReason"]?.string == "toolUse" { return true }
        return message["content"]?.array?.contains { $0["type"]?.string == "toolCall" } == true
    }

    /// The text of a message: that of its parts of type `text`, or the whole of one without parts.
    static func text(_ message: JSONValue) -> ExactText? {
        if let text = message["content"]?.string ?? message["text"]?.string { return text }
        guard let parts = message["content"]?.array else { return nil }
        var text: ExactText?
        for part in parts where part["type"]?.string == "text" {
            guard let piece = part["text"]?.string else { continue }
            var joined = text ?? ""
            joined.append(piece)
            text = joined
        }
        return text
    }

    /// The text of a message that has one.
    static func words(_ message: JSONValue?) -> ExactText? {
        message.flatMap(text).flatMap { $0.isEmpty ? nil : $0 }
    }
}
