// The canonical encoding of a front end's intents for the app, equal in every byte on all platforms:
//
//     {"intent":"chat.draftEdited","text":"Hi"}
//
// Only the actions of a front end have an encoding: the other side of the border can forge neither an action between
// features nor an answer of the outside world.

import ChatDomain

extension App.Action {
    /// Appends the canonical encoding and returns true. Returns false, without output, for any other action.
    public func encodeIntent(into bytes: inout [UInt8]) -> Bool {
        guard let intent else { return false }
        JSONWriter.object(into: &bytes) { object in
            object.member("intent", intent)
            switch self {
            case .networkChanged(let isUp): object.member("isUp", isUp)
            case .pairing(let action): action.writeFields(to: &object)
            case .chat(let action): action.writeFields(to: &object)
            case .assistant(let action): action.writeFields(to: &object)
            case .smartReplies(let action): action.writeFields(to: &object)
            case .launched, .foregrounded, .backgrounded, .memoryWarned, .dataErased, .received, .ended,
                .stored,
                .timerFired:
                break
            }
        }
        return true
    }

    /// The name of the intent; nil for an action that no front end may send.
    private var intent: ExactText? {
        switch self {
        case .launched: "launched"
        case .networkChanged: "networkChanged"
        case .foregrounded: "foregrounded"
        case .backgrounded: "backgrounded"
        case .memoryWarned: "memoryWarned"
        case .dataErased: "dataErased"
        case .pairing(let action): action.intent
        case .chat(let action): action.intent
        case .assistant(let action): action.intent
        case .smartReplies(let action): action.intent
        case .received, .ended, .stored, .timerFired: nil
        }
    }

    /// Decodes the canonical encoding. Throws for the first invalid field; `unknownWord` in the field “intent” means
    /// that there is no such intent.
    public init(intent json: JSONValue) throws(FieldError) {
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

extension Pairing.Action {
    fileprivate var intent: ExactText? {
        switch self {
        case .launched: "pairing.launched"
        case .nameEdited: "pairing.nameEdited"
        case .submitted: "pairing.submitted"
        case .cancelled: "pairing.cancelled"
        case .retried: "pairing.retried"
        case .signedOut: "pairing.signedOut"
        case .approved: "pairing.approved"
        case .denied: "pairing.denied"
        case .noticeDismissed: "pairing.noticeDismissed"
        case .networkReturned, .credentialsRefused, .linkOpened, .linkClosed: nil
        case .signedOutForGood, .dataErased, .dataNotErased: nil
        case .received, .ended, .stored, .timerFired: nil
        }
    }

    fileprivate func writeFields(to object: inout JSONObjectWriter) {
        switch self {
        case .nameEdited(let text): object.member("text", text)
        case .approved(let device, let user):
            object.member("device", device.text)
            object.member("user", user.text)
        case .denied(let device, let reason):
            object.member("device", device.text)
            if let reason { object.member("reason", reason) }
        default: break
        }
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
            self = .approved(try fields.identifier("device"), as: try fields.identifier("user"))
        case "pairing.denied":
            self = .denied(try fields.identifier("device"), reason: try fields.optionalText("reason"))
        case "pairing.noticeDismissed": self = .noticeDismissed
        default: return nil
        }
    }
}
