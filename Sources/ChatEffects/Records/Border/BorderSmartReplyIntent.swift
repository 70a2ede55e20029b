// The canonical encoding of a front end's intents for smart replies; see BorderIntent.swift. An app's own kind is an
// object, so that it cannot equal a shipped kind.

import ChatDomain

extension SmartReplies.Action {
    /// Writes name and fields; returns `false` for an action that no front end may send.
    func writeIntent(to object: inout JSONObjectWriter) -> Bool {
        switch self {
        case .requested(let kind, let target):
            object.intent("smartReplies.requested")
            switch kind {
            case .short, .friendly, .professional, .funny: object.member("kind", kind.wireName)
            case .own(let name): object.object("kind") { $0.member("own", name) }
            }
            object.member("conversation", target.conversation.text)
            object.member("message", target.message.text)
            object.member("text", target.text)
        case .retried: object.intent("smartReplies.retried")
        case .taken: object.intent("smartReplies.taken")
        case .dismissed: object.intent("smartReplies.dismissed")
        case .left: object.intent("smartReplies.left")
        case .backgrounded, .memoryWarned, .accessChanged: return false
        case .received, .ended, .stored, .timerFired: return false
        }
        return true
    }

    init?(intent: ExactText, _ fields: Fields) throws(FieldError) {
        switch intent {
        case "smartReplies.requested":
            self = .requested(
                try Self.kind(fields),
                SmartReplies.Target(
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
