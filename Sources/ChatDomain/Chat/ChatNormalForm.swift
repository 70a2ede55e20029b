// The normal form of chat's state, for a search: two machines with equal normal forms behave alike. ChatNamesNormalForm
// has that of calls, records and events. It is for comparing and hashing alone: the indexes of a transcript, which take
// no part in either, still lead to the former names. Why it is sound:
//
// - Attempts are compared for equality alone. The keys of messages, the ids of drafts and the handles of secrets are
//   minted here and compared with each other alone; the ids of conversations and files where they show it. This
//   device's id is compared with those of others, so another one is renamed if it is this device's.
// - Each decision by time is one by a difference from now, or between two times of one clock. A wait that is over is as
//   good as any other that is over, but what is shown may still tell that there was one.
// - A revision is compared with the marks of its own record, and with what was loaded; positions of copies and echoes
//   with each other. So the order says as much.
// - Nothing decides by a measure of a stream, nor by how many signs of life came, but for whether any did.
//
// Ordinals of rows and numbers of pages stay: they are addresses, and pages are stored under theirs.

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
        if case .socket(var connection) = carrier {
            connection.normalize(&form)
            carrier = .socket(connection)
        }
        sending.normalizeShown(&form)
        uploads.normalizeShown(&form)
        pacing.normalize(&form)
        list.normalize(&form)
    }
}

extension Throttle {
    /// The normal form of a throttle whose pause is shown until somebody forgets it.
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
        id.normalize(&form)
        draft.sent = outbox.record.related(draft.sent)
        outbox.normalize(&form)
        draft.normalize(&form)
        transcript.normalize(&form)
        delivered.normalize(&form)
        form.relate(&typing.newestMessage)
        form.relate(&typing.lastStart)
        switch exchange {
        case .pushed: pushed.normalize(&form)
        case .streamed(var stream):
            stream.normalize(&form)
            exchange = .streamed(stream)
        }
    }
}

extension Chat.Pushed: Normalizable {
    package mutating func normalize(_ form: inout NormalForm) {
        copies.normalize(&form)
        turns.normalize(&form)
        for index in growing.indices { growing[index].growth.normalize(&form) }
        for index in crowdedOut.indices { crowdedOut[index].growth.normalize(&form) }
        retelling.normalize(&form)
    }
}

extension Chat.Draft: Normalizable {
    package mutating func normalize(_ form: inout NormalForm) {
        form.rename(&id)
        attachments.normalize(&form)
        for index in copies.indices {
            var (id, attempt) = (copies[index].id, copies[index].attempt)
            id.normalize(&form)
            form.rename(&attempt)
            copies[index] = Chat.Copying(id: id, attempt: attempt)
        }
        record.normalize(&form)
    }
}

extension Chat.Departed: Normalizable {
    package mutating func normalize(_ form: inout NormalForm) {
        var (account, list, current, unstored) = (account, list, current, unstored)
        account.normalize(&form)
        for index in unstored.indices {
            unstored[index].outbox.record.relateGate(to: list.record)
            unstored[index].draft.record.relateGate(to: list.record)
            unstored[index].id.normalize(&form)
            let sent = unstored[index].draft.sent
            unstored[index].draft.sent = unstored[index].outbox.record.related(sent)
            unstored[index].outbox.normalize(&form)
            unstored[index].draft.normalize(&form)
        }
        list.normalize(&form)
        current.normalize(&form)
        self = Chat.Departed(account: account, list: list, current: current, unstored: unstored)
    }
}

extension Transcript: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        for ordinal in rows.ordinals {
            rows.update(ordinal) { row in row.normalize(&form) }
        }
        if case .loading(let page, var attempt) = pages.work {
            form.rename(&attempt)
            pages.work = .loading(page, attempt)
        }
        pages.record.normalize(&form)
    }
}

extension Message: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        switch author {
        case .here(var written):
            written.normalize(&form)
            author = .here(written)
        case .elsewhere(var device?):
            form.renameKnown(&device)
            author = .elsewhere(device)
        case .assistant(var question?):
            form.rename(&question)
            author = .assistant(to: question)
        case .elsewhere, .assistant, .system: break
        }
        if case .interrupted(let text, var ending) = body {
            ending.normalize(&form)
            body = .interrupted(text, ending)
        }
        form.relate(&time)
        attachments.normalize(&form)
    }
}

extension Message.Written: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        var (client, key) = (client, key)
        form.rename(&client)
        form.rename(&key)
        if case .failed(var failure) = status {
            failure.normalize(&form)
            status = .failed(failure)
        }
        let former = former.map { former in
            var key = former.key
            form.rename(&key)
            return Message.Former(key: key, echo: former.echo)
        }
        self = Message.Written(
            client: client, key: key, status: status, former: former, isReplyUnwanted: isReplyUnwanted)
    }
}

extension SendFailure: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        guard case .unanswered(var ending) = self else { return }
        ending.normalize(&form)
        self = .unanswered(ending)
    }
}
