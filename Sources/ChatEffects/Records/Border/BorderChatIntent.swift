// The canonical encoding of a person's actions in chat. One field names a row of the screen: `client`, `id`, `answers`
// or `ordinal`.

import ChatDomain

extension Chat.Action {
    /// Writes name and fields; returns `false` for an action that no front end may send.
    func writeIntent(to object: inout JSONObjectWriter) -> Bool {
        switch self {
        case .shown: object.intent("chat.shown")
        case .left: object.intent("chat.left")
        case .draftEdited(let text):
            object.intent("chat.draftEdited")
            object.member("text", text)
        case .sent: object.intent("chat.sent")
        case .attachmentPicked(let file):
            object.intent("chat.attachmentPicked")
            object.member("kind", file.kind.word)
            object.member("mimeType", file.mimeType)
            object.member("name", file.name)
            object.member("base64", Base64.encode(file.bytes))
        case .attachmentRemoved(let id):
            object.intent("chat.attachmentRemoved")
            object.member("id", id.text)
        case .retried(let row):
            object.intent("chat.retried")
            row.write(to: &object)
        case .deleted(let row):
            object.intent("chat.deleted")
            row.write(to: &object)
        case .messageEdited(let client, let text):
            object.intent("chat.messageEdited")
            object.member("client", client.text)
            object.member("text", text)
        case .heldApproved(let client):
            object.intent("chat.heldApproved")
            object.member("client", client.text)
        case .replyStopped(let row):
            object.intent("chat.replyStopped")
            row.write(to: &object)
        case .waitingStopped: object.intent("chat.waitingStopped")
        case .scrolled(let isAtEnd):
            object.intent("chat.scrolled")
            object.member("isAtEnd", isAtEnd)
        case .reconnectRequested: object.intent("chat.reconnectRequested")
        case .conversationCreated(let title):
            object.intent("chat.conversationCreated")
            object.member("title", title)
        case .conversationSwitched(let id):
            object.intent("chat.conversationSwitched")
            object.member("id", id.text)
        case .conversationClosed(let id):
            object.intent("chat.conversationClosed")
            object.member("id", id.text)
        case .olderRequested: object.intent("chat.olderRequested")
        case .bannerDismissed: object.intent("chat.bannerDismissed")
        case .signedIn, .signedOut, .dataErased, .networkChanged, .foregrounded, .backgrounded, .memoryWarned:
            return false
        case .received, .ended, .stored, .timerFired: return false
        }
        return true
    }

    init?(intent: ExactText, _ fields: Fields) throws(FieldError) {
        switch intent {
        case "chat.shown": self = .shown
        case "chat.left": self = .left
        case "chat.draftEdited": self = .draftEdited(try fields.text("text"))
        case "chat.sent": self = .sent
        case "chat.reconnectRequested": self = .reconnectRequested
        case "chat.attachmentPicked":
            guard let bytes = Base64.decode(try fields.text("base64")) else {
                throw FieldError("base64", .outOfRange)
            }
            self = .attachmentPicked(
                PickedFile(
                    kind: try Chat.Attachment.Kind(word: fields.text("kind")),
                    mimeType: try fields.text("mimeType"), name: try fields.text("name"), bytes: bytes))
        case "chat.attachmentRemoved": self = .attachmentRemoved(try fields.identifier("id"))
        case "chat.retried": self = .retried(try Chat.Row.ID(fields))
        case "chat.deleted": self = .deleted(try Chat.Row.ID(fields))
        case "chat.messageEdited":
            self = .messageEdited(try fields.identifier("client"), try fields.text("text"))
        case "chat.heldApproved": self = .heldApproved(try fields.identifier("client"))
        case "chat.replyStopped": self = .replyStopped(try Chat.Row.ID(fields))
        case "chat.conversationCreated": self = .conversationCreated(title: try fields.text("title"))
        case "chat.conversationSwitched": self = .conversationSwitched(to: try fields.identifier("id"))
        case "chat.conversationClosed": self = .conversationClosed(try fields.identifier("id"))
        case "chat.waitingStopped": self = .waitingStopped
        case "chat.scrolled": self = .scrolled(isAtEnd: try fields.bool("isAtEnd"))
        case "chat.olderRequested": self = .olderRequested
        case "chat.bannerDismissed": self = .bannerDismissed
        default: return nil
        }
    }
}

extension Chat.Row.ID {
    fileprivate func write(to object: inout JSONObjectWriter) {
        switch self {
        case .written(let client): object.member("client", client.text)
        case .received(let id): object.member("id", id.text)
        case .answer(let question): object.member("answers", question.text)
        case .unnamed(let ordinal): object.member("ordinal", ordinal)
        }
    }

    fileprivate init(_ fields: Fields) throws(FieldError) {
        if let client: ClientID = try fields.optionalIdentifier("client") {
            self = .written(client)
        } else if let id: MessageID = try fields.optionalIdentifier("id") {
            self = .received(id)
        } else if let question: ClientID = try fields.optionalIdentifier("answers") {
            self = .answer(to: question)
        } else {
            self = .unnamed(try fields.integer("ordinal"))
        }
    }
}
