// Versions 1 and 2 of outbox and page, for decoding only. They name a message by the key of its last copy, and the
// copy before it as `replaces`. A page lists the keys of former copies as `unechoed`; the name of a reply is “r_” and the
// key of its question, and the end of a reply has other words.

import ChatDomain

extension OutboxEntry {
    /// Decodes an entry of version 1 or 2.
    init(earlier fields: Fields) throws(FieldError) {
        self.init(
            key: try fields.identifier("client"), client: try fields.optionalIdentifier("replaces"),
            text: try fields.text("text"), written: try fields.time("written"),
            wasSent: try fields.bool("wasSent"), attachments: try [Chat.Attachment](in: fields),
            draft: try fields.optionalIdentifier("draft"))
    }
}

extension Page {
    /// Converts the message names of version 1 or 2 to the current ones. O(n).
    static func renamed(_ messages: [Message]) -> [Message] {
        var names: [(key: ClientID, name: ClientID)] = []
        var renamed: [Message] = []
        for var message in messages {
            if let written = message.written, written.key != written.client {
                names.append((written.key, written.client))
            }
            if case .assistant(let key, _) = message.author {
                let name = key.flatMap { key in names.last { $0.key == key }?.name } ?? key
                message = message.answering(name ?? Page.question(before: message, renamed.last))
            }
            renamed.append(message)
        }
        return renamed
    }

    /// The question of a partial reply from a socket; nil if unknown. No record names it, but it is directly before.
    private static func question(before partial: Message, _ last: Message?) -> ClientID? {
        guard case .interrupted = partial.body, let last, !last.isHidden else { return nil }
        return last.client
    }
}

extension Message {
    /// Decodes a message of version 1 or 2.
    init(earlier fields: Fields) throws(FieldError) {
        let text = LongText(try fields.text("text").string)
        var body = Body.text(text)
        if let value = fields.optional("interruption") {
            body = .interrupted(text, try ReplyEnding(interruption: Fields(value, in: "interruption")))
        }
        let client: ClientID? = try fields.optionalIdentifier("client")
        let status = try Chat.SendStatus(earlier: fields)
        let author: Author =
            switch try Chat.Role(word: fields.text("role")) {
            case .user:
                if let client {
                    .here(try Written(earlier: client, status ?? .delivered, fields))
                } else {
                    .elsewhere(try fields.optionalIdentifier("device"))
                }
            case .assistant: .assistant(to: client.flatMap { $0.questionOfReply })
            case .system: .system
            }
        try self.init(author, body, fields)
    }

    /// This message as the reply to a question.
    fileprivate func answering(_ question: ClientID?) -> Message {
        Message(
            id: id, author: .assistant(to: question), body: body, time: time, isPlaced: isPlaced,
            isHidden: isHidden, attachments: attachments, sender: sender, flags: flags)
    }
}

extension Message.Written {
    fileprivate init(
        earlier key: ClientID, _ status: Chat.SendStatus, _ fields: Fields
    ) throws(FieldError) {
        let copies: [ClientID] = try fields.optionalIdentifiers("unechoed")
        let former = copies.filter { $0 != key }.map { Message.Former(key: $0) }
        self.init(
            client: former.first?.key ?? key, key: key, status: status, former: former,
            isReplyUnwanted: try fields.optionalBool("unwanted") ?? false)
    }
}

extension Chat.SendStatus {
    fileprivate init?(earlier fields: Fields) throws(FieldError) {
        guard let word = try fields.optionalText("status") else { return nil }
        self = try Chat.SendStatus(word: word)
        if case .failed = self { self = .failed(try SendFailure(earlier: fields.fields("failure"))) }
    }
}

extension ClientID {
    /// The key of the question, if this is the name of a reply; otherwise nil.
    fileprivate var questionOfReply: ClientID? {
        let bytes = text.utf8
        guard bytes.starts(with: "r_".utf8) else { return nil }
        return ClientID(ExactText(decoding: Array(bytes.dropFirst(2))))
    }
}

// A reply pushed over a socket needed a new key for every retry, whatever its end.

extension ReplyEnding {
    fileprivate init(interruption fields: Fields) throws(FieldError) {
        switch try fields.text("kind") {
        case "lost": self.init(.broken(.lost), needsNewKey: true)
        case "timedOut": self.init(.timedOut, needsNewKey: true)
        case "failed": self.init(.reported(try fields.text("reason")), needsNewKey: true)
        case "tooLong": self.init(.tooLong, needsNewKey: true)
        case "stopped": self.init(.stopped, needsNewKey: true)
        case "ended": try self.init(ended: fields)
        case let word: throw FieldError("kind", .unknownWord(word))
        }
    }

    /// The `ended` of earlier versions belongs to a reply with its own stream.
    fileprivate init(ended fields: Fields) throws(FieldError) {
        self.init(
            try Streaming.Reason(fields.fields("reason")), needsNewKey: try fields.bool("needsNewID"))
    }
}

extension SendFailure {
    fileprivate init(earlier fields: Fields) throws(FieldError) {
        switch try fields.text("kind") {
        case "rejected": self = .rejected(try fields.text("reason"))
        case "noReply": self = .unanswered(ReplyEnding(.noReply, needsNewKey: true))
        case "uploadFailed": self = .uploadFailed("")
        case "fileMissing": self = .fileMissing
        case "filesNotTaken": self = .filesNotTaken
        case "replyFailed":
            self = .unanswered(ReplyEnding(.reported(try fields.text("reason")), needsNewKey: true))
        case "ended": self = .unanswered(try ReplyEnding(ended: fields))
        case let word: throw FieldError("kind", .unknownWord(word))
        }
    }
}
