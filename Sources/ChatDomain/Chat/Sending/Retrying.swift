// Retry, delete and edit of a written message (C8, C12, C13). A message that was sent has a row in the transcript,
// which may not be loaded yet. Start with `retry`, `delete` or `edit`.
//
//                      never sent                sent once
//     delete           leaves the outbox         is hidden, whatever the server sends later
//     edit             changes its text          stays; the new text is a new message after it
//     retry            uploads again             refused: same key; accepted, then failed: a new key

extension Chat.Conversation {
    // MARK: Retrying

    /// Sends a refused or unanswered message again. A message in the outbox needs no retry, so a retry and a reconnect
    /// send one copy.
    mutating func retry(_ row: Chat.Row.ID, _ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        if case .written(let client) = row, let parked = outbox.parked.first(where: { $0.isNamed(client) }) {
            return retryUpload(parked, &shared, &step)
        }
        guard let ordinal = question(of: row), let message = transcript[ordinal],
            let written = message.written, case .text(let body) = message.body, canGoAgain(message),
            !isAsking(written.client), outbox.outgoing(written.client) == nil
        else { return }
        let text = ExactText(body.string)
        guard hasRoom(for: text, step) else { return }
        let keepsKey = keepsKey(message)
        let key = keepsKey ? written.key : ClientID("c_" + step.context.entropy.uuid())
        if keepsKey, !pushed.turns.isWaiting(key) { pushed.turns.forget(key) }
        rekey(ordinal, key)
        transcript.update(ordinal) { $0.written?.isReplyUnwanted = false }
        let entry = OutboxEntry(
            key: key, client: written.client, text: text, written: step.wall,
            // The person asks again on a stream: this attempt was not sent yet.
            wasSent: keepsKey && stream == nil && !message.isRefused,
            attachments: message.attachments.map { $0.forRetry },
            draft: outbox.handedOver.first { $0.key == written.key }?.draft ?? .minted(&step.context))
        banner = nil
        let isUnblocked = shared.forgetObstacle()
        let blocker = unblock(&shared, &step)
        setStatus(of: key, to: .queued)
        changeOutbox(&shared, &step) { outbox, revision in
            outbox.forgetHandedOver(written.key)
            let outgoing = Outgoing(entry: entry, revision: revision)
            // It precedes the messages that wait for it (C8).
            if blocker == entry.client {
                outbox.queue.restore([outgoing])
            } else {
                _ = outbox.queue.enqueue(outgoing)
            }
        }
        flush(&shared, &step)
        if isUnblocked { step.ask(.flushAll) }
    }

    /// The message that a retry at this row sends again: the failed message, or the question of an interrupted reply
    /// (S4).
    func question(of row: Chat.Row.ID) -> Int64? {
        guard let ordinal = ordinal(of: row), let message = transcript[ordinal], !message.isHidden else {
            return nil
        }
        if case .failed = message.status { return ordinal }
        // A retry at the question is a retry of its interrupted reply.
        if let client = message.client {
            return transcript.reply(to: client).map(offersRetry) == true ? ordinal : nil
        }
        guard case .interrupted(let partial, let ending) = message.body,
            !(partial.isEmpty && ending.reason == .stopped), let question = message.question,
            let asked = transcript.ordinal(of: question), transcript[asked]?.isHidden == false,
            let key = transcript[asked]?.written?.key, !isAwaited(key)
        else { return nil }
        return asked
    }

    /// Whether an interrupted reply offers a retry. If its question has failed, the question offers it instead.
    func offersRetry(of reply: Message) -> Bool {
        guard case .interrupted = reply.body, let client = reply.question,
            let message = transcript.message(client), !message.isHidden, canGoAgain(message),
            let written = message.written, outbox.outgoing(client) == nil
        else { return false }
        if case .failed = written.status { return false }
        return !isAwaited(written.key)
    }

    /// Whether a wanted reply to a question is to come, or grows; then no other is asked for (C12).
    private func isAwaited(_ key: ClientID) -> Bool {
        guard pushed.turns.isWanted(key) else { return false }
        return pushed.turns.isWaiting(key) || pushed.turns.reply(to: key).map(isGrowing) == true
    }

    // MARK: Deleting

    mutating func delete(_ row: Chat.Row.ID, _ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard let ordinal = ordinal(of: row), let message = transcript[ordinal] else {
            guard case .written(let client) = row, let outgoing = outbox.outgoing(client) else { return }
            clearSentDraft(&shared, &step)
            // If the outbox could not be saved, the record of the draft also holds the message (L5).
            draftChanged(&step)
            hideUnloaded(outgoing)
            discard(outgoing, &shared, &step)
            unpark(outgoing.id, &shared, &step)
            return dequeue(outgoing.id, &shared, &step)
        }
        guard !message.isHidden else { return }
        hide(message, at: ordinal, &shared, &step)
        if let id = message.id { stopReply(.received(id), &shared, &step) }
        guard let written = transcript[ordinal]?.written else { return }
        clearSentDraft(&shared, &step)
        pushed.copies.deleted(written.client)
        let outgoing = outbox.outgoing(written.client)
        if let outgoing { unpark(outgoing.id, &shared, &step) }
        if outgoing == nil, case .failed = written.status { erase(message.attachments, &step) }
        if outbox.handedOver.contains(where: { $0.key == written.key }) {
            changeOutbox(&shared, &step) { outbox, _ in outbox.forgetHandedOver(written.key) }
        }
        // A message in flight keeps its turn until the server answers.
        guard let outgoing, outbox.keyInFlight != outgoing.id else { return }
        pushed.turns.forget(outgoing.id)
        discard(outgoing, &shared, &step)
        dequeue(outgoing.id, &shared, &step)
    }

    /// Hides a message that may have been sent and whose row is not loaded: a hidden row replaces the stored one (C13).
    private mutating func hideUnloaded(_ outgoing: Outgoing) {
        guard outgoing.wasOnWire, transcript.ordinal(of: outgoing.client) == nil else { return }
        giveRow(outgoing.entry, .queued)
        expectEcho(of: outgoing, isOlder: outgoing.revision == .loaded)
        guard let ordinal = transcript.ordinal(of: outgoing.client) else { return }
        transcript.hide(ordinal)
        pushed.copies.deleted(outgoing.client)
    }

    private mutating func unpark(_ key: ClientID, _ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard outbox.parked.contains(where: { $0.id == key }) else { return }
        changeOutbox(&shared, &step) { outbox, _ in outbox.parked.removeAll { $0.id == key } }
    }

    // MARK: Editing

    /// Edits a message. One that was sent cannot change: the new text becomes a message after it.
    mutating func edit(
        _ client: ClientID, _ text: ExactText, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        let text = text.trimmed
        guard let ordinal = transcript.ordinal(of: client), let message = transcript[ordinal],
            let written = message.written
        else {
            // It may have been sent, with its row not loaded yet.
            guard let old = outbox.outgoing(client), old.entry.text != text else { return }
            guard old.wasOnWire else { return rewrite(old, text, &shared, &step) }
            guard !text.isBlank, !isNewest(text), hasRoom(for: text, step) else { return }
            return write(text, [], &shared, &step)
        }
        // A refused message that was never echoed exists only here, unless an earlier copy was accepted: the new text
        // replaces it, and keeps its files if files can be sent.
        let isOnlyHere = message.isRefused && message.id == nil && !message.wasRetried
        let keepsFiles = isOnlyHere && step.configuration.takesFiles
        let files = keepsFiles ? message.attachments.map { $0.forRetry } : []
        guard !text.isBlank || !files.isEmpty, !message.isHidden, message.body != .text(LongText(text)),
            hasRoom(for: text, step), isOnlyHere || !isNewest(text)
        else { return }
        if isOnlyHere {
            // One save of the outbox takes the old text out and puts the new one in (L5).
            outbox.forgetHandedOver(written.key)
            // The files have one message: the refusal may have been a guess, and an answer erases the files.
            if keepsFiles { transcript.update(ordinal) { $0.attachments = [] } }
            delete(.written(written.client), &shared, &step)
        }
        write(text, files, &shared, &step)
    }

    /// Whether the person's newest message has this text. A second tap on “save” repeats the first.
    private func isNewest(_ text: ExactText) -> Bool {
        if let queued = outbox.queue.elements.last(where: { !isDeleted($0) }) {
            return queued.entry.text == text
        }
        let newest = transcript.rows.newestFirst.lazy.map { $0.value.wrappedValue }
            .first { $0.written != nil && !$0.isHidden }
        return newest?.body == .text(LongText(text))
    }

    private mutating func write(
        _ text: ExactText, _ attachments: [Chat.Attachment], _ shared: inout Chat.Shared,
        _ step: inout Chat.Step
    ) {
        banner = nil
        viewport = .atEnd
        enqueue(text, attachments, &shared, &step)
    }

    private mutating func rewrite(
        _ old: Outgoing, _ text: ExactText, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        guard !text.isBlank || !old.entry.attachments.isEmpty else { return }
        guard text.byteCount <= step.configuration.textLimit else {
            banner = .textTooLong
            return
        }
        let entry = OutboxEntry(
            key: old.id, client: old.client, text: text, written: step.wall, wasSent: old.entry.wasSent,
            attachments: old.entry.attachments, draft: .minted(&step.context))
        clearSentDraft(&shared, &step)
        changeOutbox(&shared, &step) { outbox, revision in
            var changed = Outgoing(entry: entry, revision: revision)
            changed.failure = old.failure
            if let index = outbox.parked.firstIndex(where: { $0.id == old.id }) {
                outbox.parked[index] = changed
            } else {
                _ = outbox.queue.replace(with: changed)
            }
        }
        flush(&shared, &step)
    }

    func ordinal(of row: Chat.Row.ID) -> Int64? {
        switch row {
        case .written(let client): transcript.ordinal(of: client)
        case .received(let id): transcript.ordinal(of: id)
        case .answer(let client): transcript.answer(to: client)
        case .unnamed(let ordinal): transcript[ordinal] == nil ? nil : ordinal
        }
    }
}
