// The canonical encoding of a front end's intents for the app, equal in every byte on all platforms:
//
//     {"intent":"chat.draftEdited","text":"Hi"}
//
// Only an action of the front end has one: neither an action between features nor an answer to an effect can be
// forged from the other side of the border. An intent is read whole or not at all: a field that the action does not
// write is an error, so an intent of a later version is never half understood.
//
// Name and fields of an action are in one switch without `default`: a new action does not compile until it is
// written here.

import ChatDomain

extension ChatApp.Action {
    /// Appends the canonical encoding. Appends nothing and returns `false` for an action that no front end may send.
    public func encodeIntent(into bytes: inout [UInt8]) -> Bool {
        let start = bytes.count
        var isIntent = false
        JSONWriter.object(into: &bytes) { isIntent = writeIntent(to: &$0) }
        if !isIntent { bytes.removeSubrange(start...) }
        return isIntent
    }

    private func writeIntent(to object: inout JSONObjectWriter) -> Bool {
        switch self {
        case .launched: object.intent("launched")
        case .networkChanged(let isUp):
            object.intent("networkChanged")
            object.member("isUp", isUp)
        case .foregrounded: object.intent("foregrounded")
        case .backgrounded: object.intent("backgrounded")
        case .memoryWarned: object.intent("memoryWarned")
        case .dataErased: object.intent("dataErased")
        case .pairing(let action): return action.writeIntent(to: &object)
        case .chat(let action): return action.writeIntent(to: &object)
        case .assistant(let action): return action.writeIntent(to: &object)
        case .smartReplies(let action): return action.writeIntent(to: &object)
        case .received, .ended, .stored, .timerFired: return false
        }
        return true
    }

    /// Reads the canonical encoding, in any order of its fields.
    ///
    /// Throws an error that names the field that is wrong, missing or not expected; `unknownWord` in the field
    /// “intent” when there is no such intent.
    public init(intent json: JSONValue) throws(FieldError) {
        self = try ChatApp.Action(fieldsOf: json)
        var bytes: [UInt8] = []
        if encodeIntent(into: &bytes), let written = try? JSONReader(JSONPolicy(size: .max)).value(of: bytes)
        {
            try json.rejectMembers(besides: written)
        }
    }

    private init(fieldsOf json: JSONValue) throws(FieldError) {
        let fields = try Fields(json, in: "intent")
        let name = try fields.text("intent")
        switch name {
        case "launched": self = .launched
        case "networkChanged": self = .networkChanged(isUp: try fields.bool("isUp"))
        case "foregrounded": self = .foregrounded
        case "backgrounded": self = .backgrounded
        case "memoryWarned": self = .memoryWarned
        case "dataErased": self = .dataErased
        default:
            if let action = try Pairing.Action(intent: name, fields) {
                self = .pairing(action)
            } else if let action = try Chat.Action(intent: name, fields) {
                self = .chat(action)
            } else if let action = try Assistant.Action(intent: name, fields) {
                self = .assistant(action)
            } else if let action = try SmartReplies.Action(intent: name, fields) {
                self = .smartReplies(action)
            } else {
                throw FieldError("intent", .unknownWord(name))
            }
        }
    }
}

extension JSONValue {
    /// Throws an error that names the first member that the other value lacks, here or in an object below. A member
    /// that is null counts as absent.
    fileprivate func rejectMembers(besides written: JSONValue) throws(FieldError) {
        for member in object?.members ?? [] where !member.value.isNull {
            guard let counterpart = written[member.name] else { throw FieldError(member.name, .unexpected) }
            try member.value.rejectMembers(besides: counterpart)
        }
    }
}

extension JSONObjectWriter {
    /// Names the intent; its fields follow.
    mutating func intent(_ name: ExactText) { member("intent", name) }
}

extension Pairing.Action {
    /// Writes name and fields; returns `false` for an action that no front end may send.
    fileprivate func writeIntent(to object: inout JSONObjectWriter) -> Bool {
        switch self {
        case .launched: object.intent("pairing.launched")
        case .nameEdited(let text):
            object.intent("pairing.nameEdited")
            object.member("text", text)
        case .submitted: object.intent("pairing.submitted")
        case .cancelled: object.intent("pairing.cancelled")
        case .retried: object.intent("pairing.retried")
        case .signedOut: object.intent("pairing.signedOut")
        case .approved(let device, let user):
            object.intent("pairing.approved")
            object.member("device", device.text)
            if let user { object.member("user", user.text) }
        case .denied(let device, let reason):
            object.intent("pairing.denied")
            object.member("device", device.text)
            if let reason { object.member("reason", reason) }
        case .noticeDismissed: object.intent("pairing.noticeDismissed")
        case .networkReturned, .credentialsRefused, .linkOpened, .linkClosed: return false
        case .signedOutForGood, .dataErased, .dataNotErased: return false
        case .received, .ended, .stored, .timerFired: return false
        }
        return true
    }

    fileprivate init?(intent: ExactText, _ fields: Fields) throws(FieldError) {
        switch intent {
        case "pairing.launched": self = .launched
        case "pairing.nameEdited": self = .nameEdited(try fields.text("text"))
        case "pairing.submitted": self = .submitted
        case "pairing.cancelled": self = .cancelled
        case "pairing.retried": self = .retried
        case "pairing.signedOut": self = .signedOut
        case "pairing.approved":
            self = .approved(try fields.identifier("device"), as: try fields.optionalIdentifier("user"))
        case "pairing.denied":
            self = .denied(try fields.identifier("device"), reason: try fields.optionalText("reason"))
        case "pairing.noticeDismissed": self = .noticeDismissed
        default: return nil
        }
    }
}
