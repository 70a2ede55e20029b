// The fields of the reason for an incomplete reply, in a stored page:
//
//     {"kind":"refused","status":429,"until":1767225600000}

import ChatDomain

extension Streaming.Reason {
    func write(to object: inout JSONObjectWriter) {
        object.member("kind", word)
        switch self {
        case .broken(let failure): object.member("failure", failure.word)
        case .reported(let sentence): object.member("sentence", sentence)
        case .refused(let status, let until):
            object.member("status", status)
            if let until { object.member("until", until.millisecondsSince1970) }
        case .stopped, .left, .signInFirst, .signInAgain, .endedEarly, .timedOut, .gap, .tooLong, .empty,
            .noReply:
            break
        }
    }

    private var word: ExactText {
        switch self {
        case .stopped: "stopped"
        case .left: "left"
        case .signInFirst: "signInFirst"
        case .signInAgain: "signInAgain"
        case .broken: "broken"
        case .endedEarly: "endedEarly"
        case .timedOut: "timedOut"
        case .gap: "gap"
        case .reported: "reported"
        case .refused: "refused"
        case .tooLong: "tooLong"
        case .empty: "empty"
        case .noReply: "noReply"
        }
    }

    init(_ fields: Fields) throws(FieldError) {
        switch try fields.text("kind") {
        case "stopped": self = .stopped
        case "left": self = .left
        case "signInFirst": self = .signInFirst
        case "signInAgain": self = .signInAgain
        case "broken": self = .broken(try CallFailure(word: fields.text("failure")))
        case "endedEarly": self = .endedEarly
        case "timedOut": self = .timedOut
        case "gap": self = .gap
        case "reported": self = .reported(try fields.text("sentence"))
        case "refused":
            self = .refused(
                status: try fields.integer("status"), until: try fields.optionalTime("until"))
        case "tooLong": self = .tooLong
        case "empty": self = .empty
        case "noReply": self = .noReply
        case let word: throw FieldError("kind", .unknownWord(word))
        }
    }
}
