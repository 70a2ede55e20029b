// A reply of an OpenClaw gateway. A run is a reply that grows, under the key of the question that started it; a history
// has finished messages without its name, so a run recognises its own by the key of its question, or by text and time.

import ChatDomain

/// A reply of this connection.
struct OpenClawRun: DomainValue {
    /// The progress of a run.
    enum Stage: DomainValue {
        /// Nothing of it has come.
        case asked
        /// It thinks or speaks.
        case begun
        /// It has ended without words: another run answers its question.
        case yielded
        /// It has ended, or another run has taken its question.
        case over
    }

    let id: MessageID
    var conversation = ConversationID.main
    /// The message that it answers, if it is one of this connection.
    var question: ClientID?
    /// The latest time that the gateway had sent when it accepted the question: what is older is no answer.
    var asked: WallTime?
    var stage = Stage.asked
    /// The text so far; nil until there was one, and empty when the gateway has taken it back.
    var text: ExactText?
    /// The length of the text before the first gap, behind which an increment may be missing; nil without a gap.
    var sure: Int64?

    var isOpen: Bool { stage == .asked || stage == .begun }

    /// The key of the question that it answers; a run has the name of its own.
    var key: ClientID { question ?? ClientID(id.text) }

    /// The name under which it fails: a run without a text fails its question.
    var reference: Chat.ReplyReference { text == nil ? .question(key) : .reply(id) }

    /// Whether it has the name of a question of this app, perhaps of an earlier connection or of another device.
    var isNamedByQuestion: Bool { id.text.byteCount == 38 && id.text.utf8.starts(with: "c_".utf8) }

    /// The text before the first gap.
    var known: ExactText { text?.cut(toByteCount: sure ?? .max) ?? "" }

    /// Whether an answer of a history is the whole of this reply. Its beginning is known here, or its end, if an earlier
    /// connection had the beginning and increments alone came on this one. A reply without text is recognised only when
    /// it answers a message of this connection, by the key of that or by the time: a run that nobody has asked for may
    /// end in silence, and one that is just accepted has no answer yet.
    func isCompleted(by answer: OpenClawHistory.Exchange) -> Bool {
        guard known.isEmpty else {
            return answer.text.utf8.starts(with: known.utf8)
                || sure == nil && answer.text.utf8.reversed().starts(with: known.utf8.reversed())
        }
        return question != nil && (answer.key == key || isAsked(before: answer.time))
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
    /// The name of a reply's run; that of a run without words is the key of its question.
    static func run(of reply: Chat.ReplyReference) -> ExactText {
        switch reply {
        case .reply(let id): id.text
        case .question(let client): client.text
        }
    }
}
