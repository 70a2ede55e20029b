// What a person does about a message that is written already (C8, C12, C13, C22): have it sent again, delete
// it, change it, say that it is to go although it is old.
//
//                      never on a wire           on a wire once
//     delete           leaves the outbox         is hidden, and stays hidden whatever the server brings
//     edit             says something else       stays; the new text goes as a new message behind it
//     retry            uploads again             refused: same id; accepted, then failed: a new id
//
// A message was on a wire if and only if it has a row in the transcript.

extension Chat {
    // MARK: Again

    /// Sends a message once more that was refused or not answered. What waits in the outbox already goes by
    /// itself, so that a retry and a reconnection send one copy.
    func retry(_ state: inout State, _ row: Row.ID, _ context: inout Context) -> [Effect] {
        if case .written(let client) = row,
            let parked = state.conversation.outbox.parked.first(where: { $0.id == client })
        {
            return retryUpload(&state, parked, &context)
        }
        guard let ordinal = state.conversation.question(of: row),
            let message = state.conversation.transcript[ordinal], let old = message.client,
            case .text(let text) = message.body, !state.conversation.isAsking(old),
            !state.conversation.outbox.queue.contains(old), message.canGoAgain
        else { return [] }
        guard hasRoom(&state, for: ExactText(text.string)) else { return [] }
        var client = old
        let keepsID = state.conversation.keepsID(message)
        if !keepsID {
            client = ClientID("c_" + context.entropy.uuid())
            state.conversation.supersedeEcho(of: old, by: client)
            state.conversation.awaitingReply.removeAll { $0 == old }
            state.conversation.rename(ordinal, from: old, to: client)
            state.conversation.renameQuestion(old, client)
        }
        if state.conversation.stream == nil,
            let partial = state.conversation.partial(for: row, after: ordinal)
        {
            state.conversation.replaced.removeAll { $0.partial == partial }
            state.conversation.replaced.append(Replaced(partial: partial, by: .question(client)))
        }
        // What the server loses from here on is uploaded once more, however often that was done before (C14).
        let attachments = message.attachments.map { $0.neverUploadedAgain }
        // A stream is asked anew because the person wants it; nothing of this asking was on a wire yet.
        let entry = OutboxEntry(
            client: client, text: ExactText(text.string), written: context.wall,
            wasSent: keepsID && state.conversation.stream == nil, replaces: keepsID ? nil : old,
            attachments: attachments, draft: .minted(&context))
        state.conversation.banner = nil
        let isRefused = state.forgetObstacle()
        state.setStatus(of: client, to: .queued)
        state.conversation.setReplyUnwanted(false, client)
        state.conversation.expectEcho(of: client)
        state.conversation.rememberCopies(ordinal, of: old, and: client)
        let saving = changeOutbox(&state, &context) { conversation, revision in
            if client != old { conversation.renamed = revision }
            conversation.outbox.forgetRefused(old)
            _ = conversation.outbox.queue.enqueue(Outgoing(entry: entry, revision: revision))
        }
        return [.cancel(.reply(old))] + saving
            + (isRefused ? flushAll(&state, &context) : flush(&state, &context))
    }

    // MARK: Enough

    /// The person does not want the replies that have not begun: nothing shows any more that they are waited
    /// for (S10). On a socket they come all the same, and are muted then (C20).
    func stopWaiting(_ state: inout State) -> [Effect] {
        var effects: [Effect] = []
        for reply in state.conversation.growing where reply.shown.isEmpty {
            effects += stopReply(&state, reply.id)
        }
        // What is on the wire will wait as soon as it is acknowledged.
        if state.conversation.stream == nil, let client = state.conversation.outbox.clientOut,
            !state.conversation.unwanted.contains(client)
        {
            state.conversation.unwanted.append(client)
            state.conversation.setReplyUnwanted(true, client)
        }
        // They stay in the line of those that wait, because replies are told apart by their order alone.
        for client in state.conversation.awaitingReply where !state.conversation.unwanted.contains(client) {
            state.conversation.unwanted.append(client)
            state.conversation.setReplyUnwanted(true, client)
            state.setStatus(of: client, to: .delivered)
        }
        return effects + typingEnded(&state, by: nil)
    }

    // MARK: Away

    func delete(
        _ state: inout State, _ row: Row.ID, erasesFiles: Bool = true, _ context: inout Context
    ) -> [Effect] {
        guard let ordinal = state.conversation.ordinal(of: row) else {
            guard case .written(let client) = row,
                let outgoing = state.conversation.outbox.all.first(where: { $0.id == client })
            else { return [] }
            // When the outbox could not be saved, the record of the draft holds the message too (L5).
            state.conversation.draft.isDirty = true
            hideUnloaded(&state, outgoing)
            return discard(&state, outgoing, &context) + unpark(&state, client, &context)
                + dequeue(&state, client, &context)
                + [.start(.draftSave(state.conversation.id), after: configuration.draftDelay)]
        }
        guard state.conversation.transcript[ordinal]?.isHidden == false else { return [] }
        var effects = stopAsking(&state, ordinal, &context)
        if let id = state.conversation.transcript[ordinal]?.id { effects += stopReply(&state, id) }
        state.conversation.transcript.hide(ordinal)
        guard let client = state.conversation.transcript[ordinal]?.client else { return effects }
        effects += unpark(&state, client, &context)
        if erasesFiles, state.conversation.hasFailed(ordinal), !state.conversation.outbox.contains(client) {
            effects += erase(state.conversation.transcript[ordinal]?.attachments ?? [], &context)
        }
        if state.conversation.outbox.refused.contains(where: { $0.client == client }) {
            effects += changeOutbox(&state, &context) { conversation, _ in
                conversation.outbox.forgetRefused(client)
            }
        }
        // What is on the wire now keeps its turn until the server has said what becomes of it.
        if case .inFlight(let outgoing) = state.conversation.outbox.queue.phase, outgoing.id == client {
            return effects
        }
        if let outgoing = state.conversation.outbox.queue.elements.first(where: { $0.id == client }) {
            effects += discard(&state, outgoing, &context)
        }
        return effects + dequeue(&state, client, &context)
    }

    /// Hides a message that was on a wire and whose row is not loaded yet: the row that is put here takes its
    /// place, now and in every later launch, also when the echo comes first (C13).
    private func hideUnloaded(_ state: inout State, _ outgoing: Outgoing) {
        let entry = outgoing.entry
        guard let client = outgoing.clientOnWire, state.conversation.transcript.ordinal(of: client) == nil
        else { return }
        state.conversation.transcript.insert(
            Message(
                client: client, role: .user, body: .text(LongText(entry.text.string)), time: entry.written,
                isHidden: true))
        if client == entry.client { state.conversation.expectEcho(of: client) }
    }

    private func unpark(_ state: inout State, _ client: ClientID, _ context: inout Context) -> [Effect] {
        guard let parked = state.conversation.outbox.parked.first(where: { $0.id == client }) else {
            return []
        }
        return discard(&state, parked, &context)
            + changeOutbox(&state, &context) { conversation, _ in
                conversation.outbox.parked.removeAll { $0.id == client }
            }
    }

    // MARK: Otherwise

    /// Changes a message. One that was on a wire cannot be: the new text goes behind it, and as it is sent in
    /// its turn, what becomes of the old one is known by then.
    func edit(
        _ state: inout State, _ client: ClientID, _ text: ExactText, _ context: inout Context
    ) -> [Effect] {
        let text = text.trimmed
        guard !text.isEmpty else { return [] }
        guard let ordinal = state.conversation.transcript.ordinal(of: client) else {
            // It may have been on a wire, and only its row is not loaded yet.
            guard let old = state.conversation.outbox.all.first(where: { $0.id == client }),
                old.clientOnWire != nil
            else { return rewrite(&state, client, text, &context) }
            guard old.entry.text != text, hasRoom(&state, for: text) else { return [] }
            return write(&state, text, [], &context)
        }
        guard let message = state.conversation.transcript[ordinal], !message.isHidden, message.role == .user,
            message.body != .text(LongText(text.string)), hasRoom(&state, for: text)
        else { return [] }
        // What the server has refused exists here alone, and the new text takes its place, with its files
        // where any can be sent.
        let keepsFiles = message.isRefused && configuration.fileLimit > 0
        let attachments = keepsFiles ? message.attachments : []
        let gone =
            message.isRefused ? delete(&state, .written(client), erasesFiles: !keepsFiles, &context) : []
        return gone + write(&state, text, attachments, &context)
    }

    /// Writes a new message that says something else.
    private func write(
        _ state: inout State, _ text: ExactText, _ attachments: [Attachment], _ context: inout Context
    ) -> [Effect] {
        state.conversation.banner = nil
        state.conversation.viewport = .atEnd
        return enqueue(&state, text, attachments, &context)
    }

    private func rewrite(
        _ state: inout State, _ client: ClientID, _ text: ExactText, _ context: inout Context
    ) -> [Effect] {
        let editable = state.conversation.outbox.parked + state.conversation.outbox.queue.waiting
        guard let old = editable.first(where: { $0.id == client }), old.entry.text != text else { return [] }
        guard text.byteCount <= configuration.textLimit else {
            state.conversation.banner = .textTooLong
            return []
        }
        let entry = OutboxEntry(
            client: client, text: text, written: context.wall, wasSent: old.entry.wasSent,
            replaces: old.entry.replaces, attachments: old.entry.attachments, draft: .minted(&context))
        return changeOutbox(&state, &context) { conversation, revision in
            var changed = Outgoing(entry: entry, revision: revision)
            changed.failure = old.failure
            if let index = conversation.outbox.parked.firstIndex(where: { $0.id == client }) {
                conversation.outbox.parked[index] = changed
            } else {
                _ = conversation.outbox.queue.replace(with: changed)
            }
        } + flush(&state, &context)
    }

    // MARK: Old messages

    /// Whether the first that waits may go. One that was written long ago waits for the person's word, and
    /// those behind it wait with it, because they were written after it.
    func mayGo(_ state: inout State, _ head: Outgoing, _ context: Context) -> Bool {
        switch head.consent {
        case .given: return true
        case .asked: return false
        case .notNeeded: break
        }
        guard context.wall - head.entry.written >= configuration.heldAfter else { return true }
        var held = head
        held.consent = .asked
        _ = state.conversation.outbox.queue.replace(with: held)
        return false
    }

    func approve(_ state: inout State, _ client: ClientID, _ context: inout Context) -> [Effect] {
        guard var held = state.conversation.outbox.queue.waiting.first(where: { $0.id == client }),
            held.consent == .asked
        else { return [] }
        held.consent = .given
        _ = state.conversation.outbox.queue.replace(with: held)
        return flush(&state, &context)
    }

    // MARK: Looking

    /// The person looks elsewhere or at the end (C22).
    func scroll(_ state: inout State, isAtEnd: Bool) -> [Effect] {
        switch (state.conversation.viewport, isAtEnd) {
        case (_, true): state.conversation.viewport = .atEnd
        case (.atEnd, false): state.conversation.viewport = .elsewhere(unread: 0)
        case (.elsewhere, false), (.away, false): break
        }
        return []
    }
}

extension Chat.Conversation {
    /// The row in the transcript that a row of the screen shows, if it shows one.
    func ordinal(of row: Chat.Row.ID) -> Int64? {
        switch row {
        case .written(let client): transcript.ordinal(of: client)
        case .received(let id): transcript.ordinal(of: id) ?? transcript.ordinal(of: ClientID(id.text))
        case .unnamed(let ordinal): transcript[ordinal] == nil ? nil : ordinal
        }
    }

    /// Whether a message of the outbox has a row in the transcript, be it under the id that it had before: a launch
    /// joins the two only once all that it loads is there (L6).
    func hasRow(_ outgoing: Outgoing) -> Bool {
        let old = outgoing.entry.replaces.flatMap { transcript.ordinal(of: $0) }
        return (old ?? transcript.ordinal(of: outgoing.id)) != nil
    }

    /// Remembers with a message whether the person wants the reply to it (S10).
    mutating func setReplyUnwanted(_ isUnwanted: Bool, _ client: ClientID) {
        guard let ordinal = transcript.ordinal(of: client),
            transcript[ordinal]?.isReplyUnwanted != isUnwanted
        else { return }
        transcript.update(ordinal) { $0.isReplyUnwanted = isUnwanted }
    }

    /// Whether the person does not want the reply to a message (S10).
    func isReplyUnwanted(_ client: ClientID) -> Bool {
        transcript.ordinal(of: client).flatMap { transcript[$0]?.isReplyUnwanted } ?? false
    }

    /// Whether a message was not sent, or not answered.
    fileprivate func hasFailed(_ ordinal: Int64) -> Bool {
        if case .failed = transcript[ordinal]?.status { true } else { false }
    }

    /// Whether a message waits for the person's word.
    func isHeld(_ client: ClientID) -> Bool {
        outbox.queue.waiting.contains { $0.id == client && $0.consent == .asked }
    }
}

extension Chat.State {
    /// Whether the person has deleted a message.
    func isHidden(_ client: ClientID) -> Bool {
        conversation.transcript.ordinal(of: client).flatMap { conversation.transcript[$0]?.isHidden } ?? false
    }
}

extension Message {
    /// Whether all of it can be sent once more: what it carried itself is erased once it was delivered.
    var canGoAgain: Bool {
        status != .delivered || attachments.allSatisfy { $0.source != .inline }
    }

    /// Whether the server has never taken it.
    var isRefused: Bool {
        switch status {
        case .failed(.rejected), .failed(.filesNotTaken): true
        default: false
        }
    }
}
