// How a message is spelled in a stored page:
//
//     {"id":"s_1","role":"assistant","text":"Hel","interruption":{"kind":"lost"},"time":1767225600000,"placed":true}
//
// Only what a message has is written. Text comes back to the byte.

import ChatDomain

extension Message {
    func write(to object: inout JSONObjectWriter) {
        if let id { object.member("id", id.text) }
        if let client { object.member("client", client.text) }
        object.member("role", role.word)
        switch body {
        case .text(let text): object.member("text", text.string)
        case .interrupted(let text, let interruption):
            object.member("text", text.string)
            object.object("interruption") { interruption.write(to: &$0) }
        case .growing: object.member("text", "")  // unreachable from a page, which leaves these out
        }
        object.member("time", time.millisecondsSince1970)
        if let status {
            object.member("status", status.word)
            if case .failed(let failure) = status { object.object("failure") { failure.write(to: &$0) } }
        }
        if let device { object.member("device", device.text) }
        object.member("placed", isPlaced)
        if isHidden { object.member("hidden", true) }
        if isReplyUnwanted { object.member("unwanted", true) }
        attachments.write(to: &object)
        guard !unechoed.isEmpty else { return }
        object.array("unechoed") { array in
            for client in unechoed { array.element(client.text) }
        }
    }

    init(_ fields: Fields) throws(FieldError) {
        let text = LongText(try fields.text("text").string)
        var body = Body.text(text)
        if let value = fields.optional("interruption") {
            body = .interrupted(text, try Interruption(Fields(value, in: "interruption")))
        }
        self.init(
            id: try fields.optionalIdentifier("id"), client: try fields.optionalIdentifier("client"),
            role: try Role(word: fields.text("role")), body: body, time: try fields.time("time"),
            status: try Status(fields), device: try fields.optionalIdentifier("device"),
            isPlaced: try fields.bool("placed"), isHidden: try fields.optionalBool("hidden") ?? false,
            isReplyUnwanted: try fields.optionalBool("unwanted") ?? false,
            attachments: try [Attachment](in: fields), unechoed: try fields.optionalIdentifiers("unechoed"))
    }
}

extension Message.Role {
    fileprivate var word: ExactText {
        switch self {
        case .user: "user"
        case .assistant: "assistant"
        case .system: "system"
        }
    }

    fileprivate init(word: ExactText) throws(FieldError) {
        switch word {
        case "user": self = .user
        case "assistant": self = .assistant
        case "system": self = .system
        default: throw FieldError("role", .unknownWord(word))
        }
    }
}

extension Message.Status {
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

    fileprivate init?(_ fields: Fields) throws(FieldError) {
        guard let word = try fields.optionalText("status") else { return nil }
        switch word {
        case "queued": self = .queued
        case "sending": self = .sending
        case "slow": self = .slow
        case "accepted": self = .accepted
        case "delivered": self = .delivered
        case "failed": self = .failed(try SendFailure(fields.fields("failure")))
        default: throw FieldError("status", .unknownWord(word))
        }
    }
}

extension Interruption {
    fileprivate func write(to object: inout JSONObjectWriter) {
        switch self {
        case .lost: object.member("kind", "lost")
        case .timedOut: object.member("kind", "timedOut")
        case .failed(let reason):
            object.member("kind", "failed")
            object.member("reason", reason)
        case .tooLong: object.member("kind", "tooLong")
        case .stopped: object.member("kind", "stopped")
        case .ended(let reason, let needsNewID):
            object.member("kind", "ended")
            object.object("reason") { reason.write(to: &$0) }
            object.member("needsNewID", needsNewID)
        }
    }

    fileprivate init(_ fields: Fields) throws(FieldError) {
        switch try fields.text("kind") {
        case "lost": self = .lost
        case "timedOut": self = .timedOut
        case "failed": self = .failed(try fields.text("reason"))
        case "tooLong": self = .tooLong
        case "stopped": self = .stopped
        case "ended":
            self = .ended(
                try Streaming.Reason(fields.fields("reason")), needsNewID: try fields.bool("needsNewID"))
        case let word: throw FieldError("kind", .unknownWord(word))
        }
    }
}

extension SendFailure {
    fileprivate func write(to object: inout JSONObjectWriter) {
        switch self {
        case .rejected(let reason):
            object.member("kind", "rejected")
            object.member("reason", reason)
        case .noReply: object.member("kind", "noReply")
        case .uploadFailed: object.member("kind", "uploadFailed")
        case .fileMissing: object.member("kind", "fileMissing")
        case .filesNotTaken: object.member("kind", "filesNotTaken")
        case .replyFailed(let reason):
            object.member("kind", "replyFailed")
            object.member("reason", reason)
        case .ended(let reason, let needsNewID):
            object.member("kind", "ended")
            object.object("reason") { reason.write(to: &$0) }
            object.member("needsNewID", needsNewID)
        }
    }

    fileprivate init(_ fields: Fields) throws(FieldError) {
        switch try fields.text("kind") {
        case "rejected": self = .rejected(try fields.text("reason"))
        case "noReply": self = .noReply
        case "uploadFailed": self = .uploadFailed
        case "fileMissing": self = .fileMissing
        case "filesNotTaken": self = .filesNotTaken
        case "replyFailed": self = .replyFailed(try fields.text("reason"))
        case "ended":
            self = .ended(
                try Streaming.Reason(fields.fields("reason")), needsNewID: try fields.bool("needsNewID"))
        case let word: throw FieldError("kind", .unknownWord(word))
        }
    }
}
