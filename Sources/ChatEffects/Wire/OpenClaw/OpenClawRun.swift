// A reply of an OpenClaw gateway. A run is a reply that grows; a history has finished messages without its name, so a
// run recognises its own by the text and the time.

import ChatDomain

/// A reply of this connection.
struct OpenClawRun: DomainValue {
    let id: MessageID
    var conversation = ConversationID.main
    /// The message that it answers, if it is one of this connection.
    var question: ClientID?
    /// The latest time that the gateway had sent when it accepted the question: what is older is no answer.
    var asked: WallTime?
    /// The text so far; nil until there was one, and empty when the gateway has taken it back.
    var text: ExactText?
    /// The length of the text before the first gap, behind which an increment may be missing; nil without a gap.
    var sure: Int64?

    /// The name under which the reply fails without words; nil if nothing here waits for it.
    var unanswered: Chat.ReplyReference? { question.map { .question($0) } ?? text.map { _ in .reply(id) } }

    /// Whether the text of a finished message is the whole of this reply. Its beginning is known here, or its end, if an
    /// earlier connection had the beginning and increments alone came on this one. A reply without text is recognised only
    /// when it answers a message of this connection, and by its time: a run that nobody has asked for may end in
    /// silence, and one that is just accepted has no answer yet.
    func isCompleted(by whole: ExactText, at time: WallTime?) -> Bool {
        let known = text?.cut(toByteCount: sure ?? .max) ?? ""
        guard known.isEmpty else {
            return whole.utf8.starts(with: known.utf8)
                || sure == nil && whole.utf8.reversed().starts(with: known.utf8.reversed())
        }
        return question != nil && isAsked(before: time)
    }

    /// Takes the whole text so far. Nothing is taken back from a reply that has had none.
    mutating func replace(by whole: ExactText) {
        sure = nil
        if text != nil || !whole.isEmpty { text = whole }
    }

    /// Takes an increment, as far as the text stays within the limit.
    mutating func append(_ piece: ExactText, limit: Int64) {
        let room = max(limit - (text?.byteCount ?? 0), 0)
        if text == nil, !piece.isEmpty { text = "" }
        text?.append(piece.cut(toByteCount: room))
    }

    /// Whether its message was accepted before this time, as far as both are known.
    func isAsked(before time: WallTime?) -> Bool {
        guard let asked, let time else { return true }
        return asked < time
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

    /// The name of a reply's run; that of a run without words is the key of its question.
    static func run(of reply: Chat.ReplyReference) -> ExactText {
        switch reply {
        case .reply(let id): id.text
        case .question(let client): client.text
        }
    }
}
