// The canonical encoding of a person's actions in chat. One field names a row of the screen: `client`, `id`, `answers`
// or `ordinal`.

import ChatDomain

extension Chat.Action {
    var intent: ExactText? {
        switch self {
        case .shown: "chat.shown"
        case .left: "chat.left"
        case .draftEdited: "chat.draftEdited"
        case .sent: "chat.sent"
        case .reconnectRequested: "chat.reconnectRequested"
        case .attachmentPicked: "chat.attachmentPicked"
        case .attachmentRemoved: "chat.attachmentRemoved"
        case .retried: "chat.retried"
        case .deleted: "chat.deleted"
        case .messageEdited: "chat.messageEdited"
        case .heldApproved: "chat.heldApproved"
        case .replyStopped: "chat.replyStopped"
        case .waitingStopped: "chat.waitingStopped"
        case .conversationCreated: "chat.conversationCreated"
        case .conversationSwitched: "chat.conversationSwitched"
        case .conversationClosed: "chat.conversationClosed"
        case .scrolled: "chat.scrolled"
        case .olderRequested: "chat.olderRequested"
        case .bannerDismissed: "chat.bannerDismissed"
        case .signedIn, .signedOut, .dataErased, .networkChanged, .foregrounded, .backgrounded,
            .memoryWarned:
            nil
        case .received, .ended, .stored, .timerFired: nil
        }
    }

    func writeFields(to object: inout JSONObjectWriter) {
        switch self {
        case .draftEdited(let text): object.member("text", text)
        case .attachmentPicked(let file):
            object.member("kind", file.kind.word)
            object.member("mimeType", file.mimeType)
            object.member("name", file.name)
            object.member("base64", Base64.encode(file.bytes))
        case .attachmentRemoved(let id): object.member("id", id.text)
        case .retried(let row), .deleted(let row), .replyStopped(let row): row.write(to: &object)
        case .messageEdited(let client, let text):
            object.member("client", client.text)
            object.member("text", text)
        case .heldApproved(let client): object.member("client", client.text)
        case .conversationCreated(let title): object.member("title", title)
        case .conversationSwitched(let id), .conversationClosed(let id): object.member("id", id.text)
        case .scrolled(let isAtEnd): object.member("isAtEnd", isAtEnd)
        default: break
        }
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
                    kind: try Attachment.Kind(word: fields.text("kind")),
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
