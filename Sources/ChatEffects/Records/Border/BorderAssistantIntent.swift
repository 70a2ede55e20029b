// The canonical encoding of a front end's intents for the assistant; see BorderIntent.swift.

import ChatDomain

extension Assistant.Action {
    /// Writes name and fields; returns `false` for an action that no front end may send.
    func writeIntent(to object: inout JSONObjectWriter) -> Bool {
        switch self {
        case .opened: object.intent("assistant.opened")
        case .closed: object.intent("assistant.closed")
        case .draftEdited(let text):
            object.intent("assistant.draftEdited")
            object.member("text", text)
        case .exampleTapped(let text):
            object.intent("assistant.exampleTapped")
            object.member("text", text)
        case .sent: object.intent("assistant.sent")
        case .retried(let question):
            object.intent("assistant.retried")
            object.member("question", "\(question.number)")
        case .logInDismissed: object.intent("assistant.logInDismissed")
        case .signedIn, .signedOut, .networkChanged: return false
        case .received, .ended, .stored, .timerFired: return false
        }
        return true
    }

    init?(intent: ExactText, _ fields: Fields) throws(FieldError) {
        switch intent {
        case "assistant.opened": self = .opened
        case "assistant.closed": self = .closed
        case "assistant.draftEdited": self = .draftEdited(try fields.text("text"))
        case "assistant.exampleTapped": self = .exampleTapped(try fields.text("text"))
        case "assistant.sent": self = .sent
        case "assistant.retried":
            let text = try fields.text("question")
            guard let number = UInt64(text.string), ExactText("\(number)") == text else {
                throw FieldError("question", .outOfRange)
            }
            self = .retried(QuestionID(number: number))
        case "assistant.logInDismissed": self = .logInDismissed
        default: return nil
        }
    }
}
