// The canonical encoding of a front end's intents for smart replies; see BorderIntent.swift. An app's own kind is an
// object, so that it cannot equal a shipped kind.

import ChatDomain

extension SmartReplies.Action {
    var intent: ExactText? {
        switch self {
        case .requested: "smartReplies.requested"
        case .retried: "smartReplies.retried"
        case .taken: "smartReplies.taken"
        case .dismissed: "smartReplies.dismissed"
        case .left: "smartReplies.left"
        case .backgrounded, .memoryWarned, .accessChanged: nil
        case .received, .ended, .stored, .timerFired: nil
        }
    }

    func writeFields(to object: inout JSONObjectWriter) {
        guard case .requested(let kind, let subject) = self else { return }
        switch kind {
        case .short, .friendly, .professional, .funny: object.member("kind", kind.wireName)
        case .own(let name): object.object("kind") { $0.member("own", name) }
        }
        object.member("conversation", subject.conversation.text)
        object.member("message", subject.message.text)
        object.member("text", subject.text)
    }

    init?(intent: ExactText, _ fields: Fields) throws(FieldError) {
        switch intent {
        case "smartReplies.requested":
            self = .requested(
                try Self.kind(fields),
                SmartReplies.Subject(
                    conversation: try fields.identifier("conversation"),
                    message: try fields.identifier("message"), text: try fields.text("text")))
        case "smartReplies.retried": self = .retried
        case "smartReplies.taken": self = .taken
        case "smartReplies.dismissed": self = .dismissed
        case "smartReplies.left": self = .left
        default: return nil
        }
    }

    private static func kind(_ fields: Fields) throws(FieldError) -> SmartReplies.Kind {
        if let own = try? fields.fields("kind") { return .own(try own.text("own")) }
        let name = try fields.text("kind")
        guard let kind = SmartReplies.Kind.shipped.first(where: { $0.wireName == name }) else {
            throw FieldError("kind", .unknownWord(name))
        }
        return kind
    }
}
