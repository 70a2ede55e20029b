// The normal form of what chat tells and is told: calls, timers, keys, records, requests, frames and events. Which names
// are replaced, ChatNormalForm.swift says.

extension AttachmentID {
    /// Replaces the name of a file that was picked here; one that follows from a received message stays.
    mutating func normalize(_ form: inout NormalForm) {
        let bytes = text.utf8
        let isMinted = bytes.count == 38 && bytes[0] == UInt8(ascii: "f") && bytes[1] == UInt8(ascii: "_")
        if isMinted { form.rename(&self) }
    }
}

extension Attachment: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        var (id, source) = (id, source)
        id.normalize(&form)
        if case .file(.running(var attempt, let percent)) = source {
            form.rename(&attempt)
            source = .file(.running(attempt, percent: percent))
        }
        self = Attachment(
            id: id, owner: owner, kind: kind, mimeType: mimeType, name: name, byteCount: byteCount,
            source: source, uploads: uploads)
    }
}

extension OutboxEntry: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        var (key, message, written, draft) = (key, message, written, draft)
        form.rename(&key)
        form.rename(&message)
        form.relate(&written)
        form.rename(&draft)
        attachments.normalize(&form)
        self = OutboxEntry(
            key: key, message: message, text: text, written: written, wasSent: wasSent,
            attachments: attachments, draft: draft)
    }
}

extension Chat.Call: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        switch self {
        case .socket(var attempt):
            form.rename(&attempt)
            self = .socket(attempt)
        case .upload(var file, var attempt):
            file.normalize(&form)
            form.rename(&attempt)
            self = .upload(file, attempt)
        case .stream(var conversation, var call):
            conversation.normalize(&form)
            call.normalize(&form)
            self = .stream(conversation, call)
        }
    }
}

extension Chat.Request: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        switch self {
        case .connect(var secret, var device, var cursors):
            secret.normalize(&form)
            form.rename(&device)
            cursors.normalize(&form)
            self = .connect(secret, device, cursors: cursors)
        case .upload(var secret, var file):
            secret.normalize(&form)
            file.normalize(&form)
            self = .upload(secret, file)
        case .ask(var request):
            request.normalize(&form)
            self = .ask(request)
        }
    }
}

extension Chat.Cursor: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        var conversation = conversation
        conversation.normalize(&form)
        self = Chat.Cursor(conversation: conversation, last: last)
    }
}

extension Chat.Frame: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        switch self {
        case .say(var client, var conversation, let text, var attachments):
            form.rename(&client)
            conversation.normalize(&form)
            attachments.normalize(&form)
            self = .say(client, in: conversation, text, attachments: attachments)
        case .typing(let isActive, var conversation):
            conversation.normalize(&form)
            self = .typing(isActive, in: conversation)
        case .refetch(var cursors):
            cursors.normalize(&form)
            self = .refetch(cursors: cursors)
        }
    }
}

extension Chat.Event: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        switch self {
        case .acknowledged(var client):
            form.rename(&client)
            self = .acknowledged(client)
        case .rejected(var client, let reason):
            form.rename(&client)
            self = .rejected(client, reason: reason)
        case .deferred(var client):
            form.rename(&client)
            self = .deferred(client)
        case .message(var message):
            message.normalize(&form)
            self = .message(message)
        case .began(let reply, var conversation):
            conversation.normalize(&form)
            self = .began(reply, in: conversation)
        case .typing(let isActive, var time, var conversation):
            form.relate(&time)
            conversation.normalize(&form)
            self = .typing(isActive: isActive, at: time, in: conversation)
        case .assetMissing(var client, let asset, let reason):
            form.rename(&client)
            self = .assetMissing(client, asset, reason: reason)
        case .replyFailed(.question(var client), let reason):
            form.rename(&client)
            self = .replyFailed(.question(client), reason: reason)
        case .reply(var event):
            event.normalize(&form)
            self = .reply(event)
        case .opened, .authenticated, .credentialsRefused, .cursorRefused, .sessionReplaced,
            .unreadableMessage,
            .delta, .chunk, .uploadProgress, .uploaded, .alive, .gap, .refetched, .replyFailed, .failed:
            break
        }
    }
}

extension IncomingMessage: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        var (conversation, client, time, device) = (conversation, client, time, device)
        conversation.normalize(&form)
        form.rename(&client)
        form.relate(&time)
        if var known = device {
            form.renameKnown(&known)
            device = known
        }
        self = IncomingMessage(
            id: id, conversation: conversation, client: client, role: role, text: text, time: time,
            device: device, isGrowing: isGrowing, files: files, sender: sender, flags: flags)
    }
}

extension Chat.Key: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        switch self {
        case .conversations, .pacing: break
        case .draft(let user, var conversation):
            conversation.normalize(&form)
            self = .draft(user, conversation)
        case .outbox(let user, var conversation):
            conversation.normalize(&form)
            self = .outbox(user, conversation)
        case .contents(let user, var conversation):
            conversation.normalize(&form)
            self = .contents(user, conversation)
        case .page(let user, var conversation, let number):
            conversation.normalize(&form)
            self = .page(user, conversation, number)
        case .attachment(let user, var file):
            file.normalize(&form)
            self = .attachment(user, file)
        }
    }
}

extension Chat.Record: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        switch self {
        case .conversations(var entries, var current):
            entries.normalize(&form)
            current.normalize(&form)
            self = .conversations(entries, current: current)
        case .pacing(var pacing, var notBefore):
            pacing.normalize(&form)
            form.relate(&notBefore)
            self = .pacing(pacing, uploadsNotBefore: notBefore)
        case .draft(let text, var attachments, var id):
            attachments.normalize(&form)
            form.rename(&id)
            self = .draft(text, attachments: attachments, id: id)
        case .outbox(var entries):
            entries.normalize(&form)
            self = .outbox(entries)
        case .page(let page):
            var messages = page.messages
            messages.normalize(&form)
            self = .page(Page(messages: messages, cursor: page.cursor))
        case .contents, .attachment: break
        }
    }
}

extension Chat.Timer: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        func named(_ id: ConversationID, _ timer: (ConversationID) -> Chat.Timer) -> Chat.Timer {
            var id = id
            id.normalize(&form)
            return timer(id)
        }
        switch self {
        case .slow(let id): self = named(id) { .slow($0) }
        case .acknowledgement(let id): self = named(id) { .acknowledgement($0) }
        case .deferral(let id): self = named(id) { .deferral($0) }
        case .reply(var question, let id):
            question.normalize(&form)
            self = named(id) { .reply(question, in: $0) }
        case .outboxSave(let id): self = named(id) { .outboxSave($0) }
        case .copying(var file):
            file.normalize(&form)
            self = .copying(file)
        case .upload(var file):
            file.normalize(&form)
            self = .upload(file)
        case .draftSave(let id): self = named(id) { .draftSave($0) }
        case .draftLimit(let id): self = named(id) { .draftLimit($0) }
        case .pageLimit(let id): self = named(id) { .pageLimit($0) }
        case .typing(let id): self = named(id) { .typing($0) }
        case .typingStopped(let id): self = named(id) { .typingStopped($0) }
        case .stream(let id, let timer): self = named(id) { .stream($0, timer) }
        case .connecting, .authenticating, .replay, .replayProgress, .reconnect, .liveness, .stable,
            .background,
            .rate, .restoring, .listSave, .uploadsAllowed, .batch, .silence, .whole, .gap, .refetch:
            break
        }
    }
}
