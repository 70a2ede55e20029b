// The normal form of what crosses chat's border: calls, timers, keys, records, requests, frames and events.
// ChatNormalForm.swift says which names are replaced.

extension NormalForm {
    /// Replaces the number of a picked file. The id of a received file follows from its message and stays.
    mutating func normal(_ file: AttachmentID) -> AttachmentID {
        let bytes = file.text.utf8
        let isMinted = bytes.count == 38 && bytes[0] == UInt8(ascii: "f") && bytes[1] == UInt8(ascii: "_")
        return isMinted ? renamed(file) : file
    }
}

extension Chat.Attachment: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        var source = source
        if case .file(.running(let attempt, let sent, let percent)) = source {
            source = .file(.running(form.normal(attempt), sent: sent, percent: percent))
        }
        self = Chat.Attachment(
            id: form.normal(id), owner: owner, kind: kind, mimeType: mimeType, name: name,
            byteCount: byteCount,
            source: source, uploads: uploads)
    }
}

extension OutboxEntry: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        self = OutboxEntry(
            key: form.renamed(key), client: form.renamed(client), text: text, written: form.normal(written),
            wasSent: wasSent, attachments: form.normal(attachments), draft: draft.map { form.renamed($0) })
    }
}

extension Chat.Call: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        switch self {
        case .socket(let attempt): self = .socket(form.normal(attempt))
        case .upload(let file, let attempt): self = .upload(form.normal(file), form.normal(attempt))
        case .stream(let conversation, let call): self = .stream(form.normal(conversation), form.normal(call))
        }
    }
}

extension Chat.Request: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        switch self {
        case .connect(let secret, let device, let cursors):
            self = .connect(form.normal(secret), form.renamed(device), cursors: form.normal(cursors))
        case .upload(let secret, let file): self = .upload(form.normal(secret), form.normal(file))
        case .ask(let request): self = .ask(form.normal(request))
        }
    }
}

extension Chat.Cursor: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        self = Chat.Cursor(conversation: form.normal(conversation), last: last)
    }
}

extension Chat.Frame: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        switch self {
        case .say(let client, let conversation, let text, let attachments):
            self = .say(
                form.renamed(client), in: form.normal(conversation), text,
                attachments: form.normal(attachments))
        case .typing(let isActive, let conversation): self = .typing(isActive, in: form.normal(conversation))
        case .refetch(let cursors): self = .refetch(cursors: form.normal(cursors))
        case .stop(.question(let client), let conversation):
            self = .stop(.question(form.renamed(client)), in: form.normal(conversation))
        case .stop(.reply(let id), let conversation): self = .stop(.reply(id), in: form.normal(conversation))
        }
    }
}

extension Chat.Event: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        switch self {
        case .acknowledged(let client): self = .acknowledged(form.renamed(client))
        case .obeyed(let client): self = .obeyed(form.renamed(client))
        case .rejected(let client, let reason): self = .rejected(form.renamed(client), reason: reason)
        case .deferred(let client, let wait): self = .deferred(form.renamed(client), after: wait)
        case .message(let message): self = .message(form.normal(message))
        case .began(let reply, let conversation): self = .began(reply, in: form.normal(conversation))
        case .named(let conversation, let title): self = .named(form.normal(conversation), title: title)
        case .typing(let isActive, let time, let conversation):
            self = .typing(isActive: isActive, at: form.normal(time), in: form.normal(conversation))
        case .assetMissing(let client, let asset, let reason):
            self = .assetMissing(form.renamed(client), asset, reason: reason)
        case .replyFailed(.question(let client), let reason):
            self = .replyFailed(.question(form.renamed(client)), reason: reason)
        case .streamed(let event): self = .streamed(form.normal(event))
        case .opened, .authenticated, .replayEnded, .credentialsRefused, .cursorRefused, .sessionReplaced,
            .unreadableMessage, .oversizedMessage,
            .delta, .chunk, .uploadProgress, .uploaded, .alive, .heartbeat, .gap, .refetched, .replyFailed,
            .failed:
            break
        }
    }
}

extension IncomingMessage: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        var device = device
        if var known = device {
            form.renameKnown(&known)
            device = known
        }
        self = IncomingMessage(
            id: id, conversation: form.normal(conversation), client: client.map { form.renamed($0) },
            role: role,
            text: text, time: form.normal(time),
            device: device, isGrowing: isGrowing, files: files, sender: sender, flags: flags,
            question: question.map { form.renamed($0) })
    }
}

extension Chat.Key: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        switch self {
        case .conversations, .pacing: break
        case .draft(let user, let conversation): self = .draft(user, form.normal(conversation))
        case .outbox(let user, let conversation): self = .outbox(user, form.normal(conversation))
        case .contents(let user, let conversation): self = .contents(user, form.normal(conversation))
        case .page(let user, let conversation, let number):
            self = .page(user, form.normal(conversation), number)
        case .attachment(let user, let file): self = .attachment(user, form.normal(file))
        }
    }
}

extension Chat.Record: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        switch self {
        case .conversations(let entries, let current):
            self = .conversations(form.normal(entries), current: form.normal(current))
        case .pacing(let pacing, let notBefore):
            self = .pacing(form.normal(pacing), uploadsNotBefore: form.normal(notBefore))
        case .draft(let text, let attachments, let id):
            self = .draft(text, attachments: form.normal(attachments), id: id.map { form.renamed($0) })
        case .outbox(let entries): self = .outbox(form.normal(entries))
        case .page(let page): self = .page(Page(messages: form.normal(page.messages), cursor: page.cursor))
        case .contents, .attachment: break
        }
    }
}

extension Chat.Timer: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        switch self {
        case .slow(let id): self = .slow(form.normal(id))
        case .acknowledgement(let id): self = .acknowledgement(form.normal(id))
        case .deferral(let id): self = .deferral(form.normal(id))
        case .replyLimit(let question, let id): self = .replyLimit(form.normal(question), in: form.normal(id))
        case .outboxLimit(let id): self = .outboxLimit(form.normal(id))
        case .copying(let file): self = .copying(form.normal(file))
        case .upload(let file): self = .upload(form.normal(file))
        case .draftSave(let id): self = .draftSave(form.normal(id))
        case .draftLimit(let id): self = .draftLimit(form.normal(id))
        case .pageLimit(let id): self = .pageLimit(form.normal(id))
        case .typing(let id): self = .typing(form.normal(id))
        case .typingStopped(let id): self = .typingStopped(form.normal(id))
        case .stream(let id, let timer): self = .stream(form.normal(id), timer)
        case .connecting, .authenticating, .replay, .replayProgress, .reconnect, .liveness, .stable,
            .background,
            .rate, .restoring, .listLimit, .uploadsAllowed, .batch, .silence, .total, .gap, .refetch:
            break
        }
    }
}

extension Chat.QuestionKey: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        guard case .written(let client) = self else { return }
        self = .written(form.renamed(client))
    }
}
