// The normal form of chat's state, for a search: two machines with equal normal forms behave alike. ChatNamesNormalForm
// has that of calls, records and events. It serves comparing and hashing only: the indexes of a transcript, which take
// no part in either, still lead to the former names. The reasons why it is sound:
//
// - Attempts are only compared for equality. The keys of messages, the ids of drafts and the handles of secrets are
//   minted here and compared only with each other. Of ids of conversations and files, only the minted ones are renamed.
//   This device's id is compared with those of others, so an equal id of another device is renamed with it.
// - Each decision by time uses a difference from now, or between two times of one clock. All waits that are over are
//   equal, except that the screen may still show that there was one.
// - A revision is compared with the marks of its own record, and with what was loaded; positions of copies and echoes
//   are compared with each other. So their order is enough.
// - No decision depends on a measure of a stream, or on the number of signs of life beyond whether there was any.
//
// Ordinals of rows and numbers of pages stay: they are addresses, and pages are stored under them.

extension Chat.State: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        let list = shared.list.record
        shared.normalize(&form)
        for index in places.indices {
            places[index].wrappedValue.relateGates(to: list)
            places[index].normalize(&form)
        }
        departed.normalize(&form)
    }
}

extension Chat.Shared: Normalizable {
    package mutating func normalize(_ form: inout NormalForm) {
        wish.account.normalize(&form)
        if case .background(var since) = wish.presence {
            form.relate(&since)
            wish.presence = .background(since: since)
        }
        if case .socket(let connection) = carrier { carrier = .socket(form.normal(connection)) }
        sending.normalizeShown(&form)
        uploads.normalizeShown(&form)
        pacing.normalize(&form)
        list.normalize(&form)
    }
}

extension Throttle {
    /// The normal form of a throttle whose pause is shown until it is cleared.
    fileprivate mutating func normalizeShown(_ form: inout NormalForm) {
        let isShown = pauseEnd != nil
        normalize(&form)
        if isShown { pauseEnd = pauseEnd ?? .origin }
    }
}

extension Chat.Conversation: Normalizable {
    fileprivate mutating func relateGates(to list: KeptRecord) {
        outbox.record.relateGate(to: list)
        draft.record.relateGate(to: list)
        transcript.pages.record.relateGate(to: list)
    }

    public mutating func normalize(_ form: inout NormalForm) {
        id = form.normal(id)
        draft.sent = outbox.record.related(draft.sent)
        outbox.normalize(&form)
        draft.normalize(&form)
        transcript.normalize(&form)
        filesToErase.normalize(&form)
        typing.newestMessage.normalize(&form)
        typing.lastStart.normalize(&form)
        switch replyPath {
        case .pushed: pushed.normalize(&form)
        case .streamed(let stream): replyPath = .streamed(form.normal(stream))
        }
    }
}

extension Chat.Pushed: Normalizable {
    package mutating func normalize(_ form: inout NormalForm) {
        copies.normalize(&form)
        turns.normalize(&form)
        for index in growing.indices { growing[index].growth.normalize(&form) }
        for index in crowdedOut.indices { crowdedOut[index].growth.normalize(&form) }
        for index in muted.indices { muted[index].growth.normalize(&form) }
        retelling.normalize(&form)
    }
}

extension Chat.Draft: Normalizable {
    package mutating func normalize(_ form: inout NormalForm) {
        id = id.map { form.renamed($0) }
        attachments.normalize(&form)
        for index in copies.indices {
            copies[index].id = form.normal(copies[index].id)
            copies[index].attempt = form.normal(copies[index].attempt)
        }
        record.normalize(&form)
    }
}

extension Chat.Departed: Normalizable {
    package mutating func normalize(_ form: inout NormalForm) {
        let account = form.normal(account)
        var unstored = unstored
        for index in unstored.indices {
            unstored[index].outbox.record.relateGate(to: list.record)
            unstored[index].draft.record.relateGate(to: list.record)
            unstored[index].id = form.normal(unstored[index].id)
            let sent = unstored[index].draft.sent
            unstored[index].draft.sent = unstored[index].outbox.record.related(sent)
            unstored[index].outbox.normalize(&form)
            unstored[index].draft.normalize(&form)
            unstored[index].deleted.normalize(&form)
        }
        self = Chat.Departed(
            account: account, list: form.normal(list), current: form.normal(current), unstored: unstored)
    }
}

extension ChatTranscript: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        for ordinal in rows.ordinals {
            rows.update(ordinal) { row in row.normalize(&form) }
        }
        if case .loading(let page, let attempt) = pages.work {
            pages.work = .loading(page, form.normal(attempt))
        }
        pages.record.normalize(&form)
    }
}

extension Message: Normalizable {
    package mutating func normalize(_ form: inout NormalForm) {
        switch author {
        case .here(let written): author = .here(form.normal(written))
        case .elsewhere(var device?, let isUnanswered):
            form.renameKnown(&device)
            author = .elsewhere(device, isUnanswered: isUnanswered)
        case .assistant(let question?, let isNamed):
            author = .assistant(to: form.renamed(question), isNamed: isNamed)
        case .elsewhere, .assistant, .system: break
        }
        if case .interrupted(let text, let ending) = body { body = .interrupted(text, form.normal(ending)) }
        form.relate(&time)
        attachments.normalize(&form)
    }
}

extension Message.Written: Normalizable {
    package mutating func normalize(_ form: inout NormalForm) {
        if case .failed(let failure) = status { status = .failed(form.normal(failure)) }
        self = Message.Written(
            client: form.renamed(client), key: form.renamed(key), status: status,
            former: former.map { Message.Former(key: form.renamed($0.key), echo: $0.echo) },
            isReplyUnwanted: isReplyUnwanted)
    }
}

extension SendFailure: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        guard case .unanswered(let ending) = self else { return }
        self = .unanswered(form.normal(ending))
    }
}
