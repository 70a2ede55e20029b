// The canonical encoding of what a front end tells the app, the same to the byte everywhere:
//
//     {"intent":"chat.draftEdited","text":"Hi"}
//
// Only what a front end may say has one: neither what one feature tells another nor what the world answered
// can be forged by whoever sits on the other side of the border.

import ChatDomain

extension App.Action {
    /// Appends the canonical encoding. Does nothing and answers false when this is no person's doing.
    public func encodeIntent(into bytes: inout [UInt8]) -> Bool {
        guard let intent else { return false }
        JSONWriter.object(into: &bytes) { object in
            object.member("intent", intent)
            switch self {
            case .networkChanged(let isUp): object.member("isUp", isUp)
            case .pairing(let action): action.writeFields(to: &object)
            case .chat(.draftEdited(let text)): object.member("text", text)
            case .assistant(.draftEdited(let text)), .assistant(.exampleTapped(let text)):
                object.member("text", text)
            case .assistant(.retried(let question)): object.member("question", "\(question.number)")
            case .launched, .foregrounded, .backgrounded, .chat, .assistant, .received, .ended, .stored,
                .timerFired:
                break
            }
        }
        return true
    }

    /// The name by which a front end says this, if it may.
    private var intent: ExactText? {
        switch self {
        case .launched: "launched"
        case .networkChanged: "networkChanged"
        case .foregrounded: "foregrounded"
        case .backgrounded: "backgrounded"
        case .pairing(let action): action.intent
        case .chat(let action): action.intent
        case .assistant(let action): action.intent
        case .received, .ended, .stored, .timerFired: nil
        }
    }

    /// Reads the canonical encoding; the error says which field is wrong, and `unknownWord` in the field
    /// “intent” that there is no such intent.
    public init(intent json: JSONValue) throws(FieldError) {
        let fields = try Fields(json, in: "intent")
        let name = try fields.text("intent")
        switch name {
        case "launched": self = .launched
        case "networkChanged": self = .networkChanged(isUp: try fields.bool("isUp"))
        case "foregrounded": self = .foregrounded
        case "backgrounded": self = .backgrounded
        default:
            if let action = try Pairing.Action(intent: name, fields) {
                self = .pairing(action)
            } else if let action = try Chat.Action(intent: name, fields) {
                self = .chat(action)
            } else if let action = try Assistant.Action(intent: name, fields) {
                self = .assistant(action)
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

extension Chat.Action {
    fileprivate var intent: ExactText? {
        switch self {
        case .shown: "chat.shown"
        case .left: "chat.left"
        case .draftEdited: "chat.draftEdited"
        case .sent: "chat.sent"
        case .reconnectRequested: "chat.reconnectRequested"
        case .olderRequested: "chat.olderRequested"
        case .bannerDismissed: "chat.bannerDismissed"
        case .signedIn, .signedOut, .networkChanged, .foregrounded, .backgrounded: nil
        case .received, .ended, .stored, .timerFired: nil
        }
    }

    fileprivate init?(intent: ExactText, _ fields: Fields) throws(FieldError) {
        switch intent {
        case "chat.shown": self = .shown
        case "chat.left": self = .left
        case "chat.draftEdited": self = .draftEdited(try fields.text("text"))
        case "chat.sent": self = .sent
        case "chat.reconnectRequested": self = .reconnectRequested
        case "chat.olderRequested": self = .olderRequested
        case "chat.bannerDismissed": self = .bannerDismissed
        default: return nil
        }
    }
}

extension Assistant.Action {
    fileprivate var intent: ExactText? {
        switch self {
        case .opened: "assistant.opened"
        case .closed: "assistant.closed"
        case .draftEdited: "assistant.draftEdited"
        case .exampleTapped: "assistant.exampleTapped"
        case .sent: "assistant.sent"
        case .retried: "assistant.retried"
        case .logInDismissed: "assistant.logInDismissed"
        case .signedIn, .signedOut, .networkChanged: nil
        case .received, .ended, .stored, .timerFired: nil
        }
    }

    fileprivate init?(intent: ExactText, _ fields: Fields) throws(FieldError) {
        switch intent {
        case "assistant.opened": self = .opened
        case "assistant.closed": self = .closed
        case "assistant.draftEdited": self = .draftEdited(try fields.text("text"))
        case "assistant.exampleTapped": self = .exampleTapped(try fields.text("text"))
        case "assistant.sent": self = .sent
        case "assistant.retried":
            let text = try fields.text("question")
            guard let number = UInt64(text.string), "\(number)" == text.string else {
                throw FieldError("question", .outOfRange)
            }
            self = .retried(QuestionID(number: number))
        case "assistant.logInDismissed": self = .logInDismissed
        default: return nil
        }
    }
}
