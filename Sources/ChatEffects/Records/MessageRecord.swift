// The fields of a message in a stored page:
//
//     {"id":"s_1","role":"assistant","answers":"c_1","text":"Hel",
//      "ending":{"reason":{"kind":"endedEarly"},"needsNewKey":true},"time":1767225600000,"placed":true}
//
// Absent values are omitted; a user's message with a `client` was written on this device. Text round-trips in every
// byte. The fields of earlier versions are in EarlierRecords.swift.

import ChatDomain

extension Message {
    func write(to object: inout JSONObjectWriter) {
        if let id { object.member("id", id.text) }
        object.member("role", role.word)
        switch author {
        case .here(let written): written.write(to: &object)
        case .elsewhere(let device, let isUnanswered):
            if let device { object.member("device", device.text) }
            if isUnanswered { object.member("unanswered", true) }
        case .assistant(let question, let isNamed):
            if let question { object.member("answers", question.text) }
            if isNamed { object.member("named", true) }
        case .system: break
        }
        if let sender { object.member("sender", sender) }
        switch body {
        case .text(let text): object.member("text", text.string)
        case .interrupted(let text, let ending):
            object.member("text", text.string)
            object.object("ending") { ending.write(to: &$0) }
        case .growing: object.member("text", "")  // unreachable: a page omits growing replies
        }
        object.member("time", time.millisecondsSince1970)
        object.member("placed", isPlaced)
        if isHidden { object.member("hidden", true) }
        attachments.write(to: &object)
        guard !flags.isEmpty else { return }
        object.array("flags") { array in for flag in flags { array.element(flag) } }
    }

    init(_ fields: Fields) throws(FieldError) {
        let text = LongText(try fields.text("text").string)
        var body = Body.text(text)
        if let value = fields.optional("ending") {
            body = .interrupted(text, try ReplyEnding(Fields(value, in: "ending")))
        }
        let author: Author =
            switch try Chat.Role(word: fields.text("role")) {
            case .user:
                if let client: ClientID = try fields.optionalIdentifier("client") {
                    .here(try Written(client, fields))
                } else {
                    .elsewhere(
                        try fields.optionalIdentifier("device"),
                        isUnanswered: try fields.optionalBool("unanswered") ?? false)
                }
            case .assistant:
                .assistant(
                    to: try fields.optionalIdentifier("answers"),
                    isNamed: try fields.optionalBool("named") ?? false)
            case .system: .system
            }
        try self.init(author, body, fields)
    }

    /// The fields that all versions share.
    init(_ author: Author, _ body: Body, _ fields: Fields) throws(FieldError) {
        self.init(
            id: try fields.optionalIdentifier("id"), author: author, body: body,
            time: try fields.time("time"), isPlaced: try fields.bool("placed"),
            isHidden: try fields.optionalBool("hidden") ?? false,
            attachments: try [Chat.Attachment](in: fields),
            sender: try fields.optionalText("sender"), flags: try fields.optionalTexts("flags"))
    }
}

extension Message.Written {
    fileprivate func write(to object: inout JSONObjectWriter) {
        object.member("client", client.text)
        if key != client { object.member("key", key.text) }
        if !former.isEmpty {
            object.objects("former", former) { copy, object in
                object.member("key", copy.key.text)
                if let echo = copy.echo { object.member("echo", echo.text) }
            }
        }
        object.member("status", status.word)
        if case .failed(let failure) = status { object.object("failure") { failure.write(to: &$0) } }
        if isReplyUnwanted { object.member("unwanted", true) }
    }

    fileprivate init(_ client: ClientID, _ fields: Fields) throws(FieldError) {
        var former: [Message.Former] = []
        if fields.optional("former") != nil {
            former = try fields.objects("former") { (copy) throws(FieldError) in
                Message.Former(key: try copy.identifier("key"), echo: try copy.optionalIdentifier("echo"))
            }
        }
        var status = try Chat.SendStatus(word: fields.text("status"))
        if case .failed = status { status = .failed(try SendFailure(fields.fields("failure"))) }
        self.init(
            client: client, key: try fields.optionalIdentifier("key"), status: status, former: former,
            isReplyUnwanted: try fields.optionalBool("unwanted") ?? false)
    }
}

extension Chat.Role {
    fileprivate var word: ExactText {
        switch self {
        case .user: "user"
        case .assistant: "assistant"
        case .system: "system"
        }
    }

    init(word: ExactText) throws(FieldError) {
        switch word {
        case "user": self = .user
        case "assistant": self = .assistant
        case "system": self = .system
        default: throw FieldError("role", .unknownWord(word))
        }
    }
}

extension Chat.SendStatus {
    fileprivate var word: ExactText {
        switch self {
        case .queued, .uploading: "queued"  // an upload does not outlive the process
        case .sending: "sending"
        case .slow: "slow"
        case .accepted: "accepted"
        case .delivered: "delivered"
        case .failed: "failed"
        }
    }

    /// The status with that name; the caller decodes the cause of a failure.
    init(word: ExactText) throws(FieldError) {
        switch word {
        case "queued": self = .queued
        case "sending": self = .sending
        case "slow": self = .slow
        case "accepted": self = .accepted
        case "delivered": self = .delivered
        case "failed": self = .failed(.fileMissing)
        default: throw FieldError("status", .unknownWord(word))
        }
    }
}

extension ReplyEnding {
    fileprivate func write(to object: inout JSONObjectWriter) {
        object.object("reason") { reason.write(to: &$0) }
        object.member("needsNewKey", needsNewKey)
    }

    fileprivate init(_ fields: Fields) throws(FieldError) {
        self.init(
            try Streaming.Reason(fields.fields("reason")), needsNewKey: try fields.bool("needsNewKey"))
    }
}

extension SendFailure {
    fileprivate func write(to object: inout JSONObjectWriter) {
        switch self {
        case .rejected(let sentence):
            object.member("kind", "rejected")
            object.member("sentence", sentence)
        case .uploadFailed(let sentence):
            object.member("kind", "uploadFailed")
            object.member("sentence", sentence)
        case .fileMissing: object.member("kind", "fileMissing")
        case .filesNotTaken: object.member("kind", "filesNotTaken")
        case .unanswered(let ending):
            object.member("kind", "unanswered")
            ending.write(to: &object)
        }
    }

    fileprivate init(_ fields: Fields) throws(FieldError) {
        switch try fields.text("kind") {
        case "rejected": self = .rejected(try fields.text("sentence"))
        case "uploadFailed": self = .uploadFailed(try fields.text("sentence"))
        case "fileMissing": self = .fileMissing
        case "filesNotTaken": self = .filesNotTaken
        case "unanswered": self = .unanswered(try ReplyEnding(fields))
        case let word: throw FieldError("kind", .unknownWord(word))
        }
    }
}
