// The canonical encoding of outcomes, equal in every byte on all platforms:
//
//     {"outcome":"arrived","call":"7","arrival":{"kind":"text","text":"{\"type\":\"ack\"}"}}
//
// Arrivals are encoded unchanged. The bytes of an answer may contain a token, so a recorder of encoded outcomes must
// omit the outcomes of such calls (L10).

import ChatDomain

extension Outcome {
    /// Appends the canonical encoding.
    public func encode(into bytes: inout [UInt8]) {
        JSONWriter.object(into: &bytes) { write(to: &$0) }
    }

    private func write(to object: inout JSONObjectWriter) {
        switch self {
        case .arrived(let call, let arrival):
            object.member("outcome", "arrived")
            object.identity("call", call.value)
            object.object("arrival") { arrival.write(to: &$0) }
        case .loaded(let ticket, let bytes):
            object.member("outcome", "loaded")
            object.identity("ticket", ticket.value)
            object.bytes(bytes)
        case .missing(let ticket):
            object.member("outcome", "missing")
            object.identity("ticket", ticket.value)
        case .saved(let ticket):
            object.member("outcome", "saved")
            object.identity("ticket", ticket.value)
        case .erased(let ticket):
            object.member("outcome", "erased")
            object.identity("ticket", ticket.value)
        case .failed(let ticket, let failure):
            object.member("outcome", "failed")
            object.identity("ticket", ticket.value)
            object.object("failure") { failure.write(to: &$0) }
        }
    }

    /// Decodes the canonical encoding. Throws for the first invalid field.
    public init(_ json: JSONValue) throws(FieldError) {
        let fields = try Fields(json, in: "outcome")
        switch try fields.text("outcome") {
        case "arrived": self = .arrived(try CallNumber(fields), try Arrival(fields.fields("arrival")))
        case "loaded": self = .loaded(try StorageTicket(fields), try fields.bytes())
        case "missing": self = .missing(try StorageTicket(fields))
        case "saved": self = .saved(try StorageTicket(fields))
        case "erased": self = .erased(try StorageTicket(fields))
        case "failed":
            self = .failed(try StorageTicket(fields), try StorageFailure(fields.fields("failure")))
        case let word: throw FieldError("outcome", .unknownWord(word))
        }
    }
}

extension Arrival {
    fileprivate func write(to object: inout JSONObjectWriter) {
        switch self {
        case .opened: object.member("kind", "opened")
        case .head(let status, let headers):
            object.member("kind", "head")
            object.member("status", status)
            Header.write(headers, to: &object)
        case .body(let bytes):
            object.member("kind", "body")
            object.bytes(bytes)
        case .text(let bytes):
            object.member("kind", "text")
            object.bytes(bytes)
        case .tooLong: object.member("kind", "tooLong")
        case .signOfLife: object.member("kind", "signOfLife")
        case .sent(let bytes, let total):
            object.member("kind", "sent")
            object.member("bytes", bytes)
            object.member("of", total)
        case .ended(let end):
            object.member("kind", "ended")
            object.object("end") { end.write(to: &$0) }
        }
    }

    fileprivate init(_ fields: Fields) throws(FieldError) {
        switch try fields.text("kind") {
        case "opened": self = .opened
        case "head":
            self = .head(status: try fields.integer("status"), headers: try Header.read(fields))
        case "body": self = .body(try fields.bytes())
        case "text": self = .text(try fields.bytes())
        case "tooLong": self = .tooLong
        case "signOfLife": self = .signOfLife
        case "sent": self = .sent(try fields.integer("bytes"), of: try fields.integer("of"))
        case "ended": self = .ended(try CallEnd(fields.fields("end")))
        case let word: throw FieldError("kind", .unknownWord(word))
        }
    }
}

extension CallEnd {
    fileprivate func write(to object: inout JSONObjectWriter) {
        switch self {
        case .completed: object.member("kind", "completed")
        case .closed(let code, let reason):
            object.member("kind", "closed")
            object.member("code", code)
            object.member("reason", reason)
        case .refused(let status, let retryAfter, let message):
            object.member("kind", "refused")
            object.member("status", status)
            if let retryAfter { object.member("retryAfter", retryAfter.wholeMilliseconds) }
            object.member("message", message)
        case .failed(let failure):
            object.member("kind", "failed")
            object.member("failure", failure.word)
        }
    }

    fileprivate init(_ fields: Fields) throws(FieldError) {
        switch try fields.text("kind") {
        case "completed": self = .completed
        case "closed": self = .closed(code: try fields.integer("code"), reason: try fields.text("reason"))
        case "refused":
            self = .refused(
                status: try fields.integer("status"), retryAfter: try fields.optionalInterval("retryAfter"),
                message: try fields.text("message"))
        case "failed": self = .failed(try CallFailure(word: fields.text("failure")))
        case let word: throw FieldError("kind", .unknownWord(word))
        }
    }
}

extension CallFailure {
    var word: ExactText {
        switch self {
        case .offline: "offline"
        case .unreachable: "unreachable"
        case .lost: "lost"
        case .timedOut: "timedOut"
        case .insecure: "insecure"
        case .tooLarge: "tooLarge"
        case .malformed: "malformed"
        case .secretMissing: "secretMissing"
        case .recordMissing: "recordMissing"
        }
    }

    init(word: ExactText) throws(FieldError) {
        switch word {
        case "offline": self = .offline
        case "unreachable": self = .unreachable
        case "lost": self = .lost
        case "timedOut": self = .timedOut
        case "insecure": self = .insecure
        case "tooLarge": self = .tooLarge
        case "malformed": self = .malformed
        case "secretMissing": self = .secretMissing
        case "recordMissing": self = .recordMissing
        default: throw FieldError("failure", .unknownWord(word))
        }
    }
}

extension StorageFailure {
    fileprivate func write(to object: inout JSONObjectWriter) {
        switch self {
        case .full: object.member("kind", "full")
        case .unreadable: object.member("kind", "unreadable")
        case .damaged: object.member("kind", "damaged")
        case .newer(let version):
            object.member("kind", "newer")
            object.member("version", version)
        case .unavailable: object.member("kind", "unavailable")
        }
    }

    fileprivate init(_ fields: Fields) throws(FieldError) {
        switch try fields.text("kind") {
        case "full": self = .full
        case "unreadable": self = .unreadable
        case "damaged": self = .damaged
        case "newer": self = .newer(version: try fields.integer("version"))
        case "unavailable": self = .unavailable
        case let word: throw FieldError("kind", .unknownWord(word))
        }
    }
}

extension Interval {
    /// Rounded up, so that a server's retry-after is never shortened.
    fileprivate var wholeMilliseconds: Int64 {
        let isWhole = nanoseconds % 1_000_000 == 0 || nanoseconds < 0
        return isWhole || milliseconds == Fields.latestMilliseconds ? milliseconds : milliseconds + 1
    }
}

extension Fields {
    fileprivate func optionalInterval(_ name: ExactText) throws(FieldError) -> Interval? {
        guard let value = optional(name) else { return nil }
        let range = -Fields.latestMilliseconds...Fields.latestMilliseconds
        return .milliseconds(try Fields.integer(value, name, in: range))
    }
}
