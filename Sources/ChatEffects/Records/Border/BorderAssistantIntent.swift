// The canonical encoding of a front end's intents for the assistant; see BorderIntent.swift.

import ChatDomain

extension Assistant.Action {
    var intent: ExactText? {
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

    func writeFields(to object: inout JSONObjectWriter) {
        switch self {
        case .draftEdited(let text), .exampleTapped(let text): object.member("text", text)
        case .retried(let question): object.member("question", "\(question.number)")
        default: break
        }
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
            guard let number = UInt64(text.string), "\(number)" == text.string else {
                throw FieldError("question", .outOfRange)
            }
            self = .retried(QuestionID(number: number))
        case "assistant.logInDismissed": self = .logInDismissed
        default: return nil
        }
    }
}
