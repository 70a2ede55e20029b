// Saves and loads of the outbox (L5, C7), by the rules of `KeptRecord`. A message waits for its save, but a failed or
// late save does not hold it back. Start with `changeOutbox`.

extension Outbox {
    /// Starts a save, if one is due.
    mutating func save(of user: UserID, in id: ConversationID, _ step: inout Chat.Step) {
        guard record.isToBeSaved else { return }
        step.save(&record, .outbox(entries), under: .outbox(user, id))
    }

    /// Applies the answer to a load; returns `false` for any other answer.
    mutating func loaded(_ answer: StorageAnswer<Chat.Record>, _ attempt: Attempt) -> Bool {
        guard record.loaded(attempt, answer.failure) else { return false }
        if case .loaded(.outbox(let entries)) = answer { putFirst(entries) }
        return true
    }

    /// Removes the unsaved messages that were never in flight, for the draft (C7): those behind a failed save too, so
    /// that their order stays (C8). A failed save may have reached the disk, so the outbox must be saved without them
    /// (C13).
    mutating func takeUnsaved(from transcript: ChatTranscript? = nil) -> [Outgoing] {
        let unsaved = queue.waiting.filter {
            !$0.wasOnWire && transcript?.ordinal(of: $0.client) == nil && !record.isDurable($0.revision)
        }
        guard unsaved.contains(where: { record.durability(of: $0.revision) == .failed }) else { return [] }
        for outgoing in unsaved { _ = queue.remove(outgoing.id) }
        return unsaved
    }
}

extension Chat.Conversation {
    /// Changes the outbox and saves it. `change` gets the revision of the change.
    mutating func changeOutbox(
        _ shared: inout Chat.Shared, _ step: inout Chat.Step,
        _ change: (inout Outbox, KeptRecord.Revision) -> Void
    ) {
        change(&outbox, outbox.record.changed())
        saveOutbox(&shared, &step)
    }

    /// Saves the outbox, if its record allows it, and updates its timer.
    mutating func saveOutbox(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard let user = shared.account?.user else { return }
        switch outbox.record.access {
        case .unread, .loading: break  // the load ends with a save
        case .gated: if !shared.list.record.isSaving { step.ask(.saveList) }
        case .open: outbox.save(of: user, in: id, &step)
        case .closed(let failure):
            guard outbox.record.givesUp() else { break }
            step.follow(&outbox.record, .outboxLimit(id))
            return outboxSaveEnded(failure, &shared, &step)
        }
        step.follow(&outbox.record, .outboxLimit(id))
    }

    mutating func outboxStored(
        _ answer: StorageAnswer<Chat.Record>, _ attempt: Attempt, _ shared: inout Chat.Shared,
        _ step: inout Chat.Step
    ) {
        guard outbox.loaded(answer, attempt) else { return outboxSaved(answer, attempt, &shared, &step) }
        if let failure = answer.failure { banner = .notRestored(failure) }
        loadDraft(&shared, &step)
        forgetSentDraft(&shared, &step)
        saveOutbox(&shared, &step)
        restoredSomething(&shared, &step)
    }

    private mutating func outboxSaved(
        _ answer: StorageAnswer<Chat.Record>, _ attempt: Attempt, _ shared: inout Chat.Shared,
        _ step: inout Chat.Step
    ) {
        guard let ended = outbox.record.ended(attempt, succeeded: answer == .saved) else { return }
        // First the draft is cleared: the next save may lack the message that it has become (C13).
        outboxSaveEnded(ended == .failed(isNews: true) ? answer.failure : nil, &shared, &step)
        saveOutbox(&shared, &step)
    }

    /// A silent disk counts as a failed save; the messages go on.
    mutating func outboxSaveTimedOut(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        if outbox.record.timedOut() { outboxSaveEnded(.unavailable, &shared, &step) }
    }

    /// Continues after the end of a save, successful or not.
    mutating func outboxSaveEnded(
        _ failure: StorageFailure?, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        if let failure {
            banner = .notSaved(failure)
            giveBack(&shared, &step)
        }
        if draft.holdsUnsaved { draft.isDirty = true }  // the outbox may have saved it now
        saveDraft(&shared, &step)
        flush(&shared, &step)
    }

    /// Returns unsaved messages that cannot be sent to the draft, so that the person sees them (C7).
    private mutating func giveBack(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard !isReachable(shared) else { return }
        let lost = outbox.takeUnsaved(from: transcript)
        guard !lost.isEmpty else { return }
        for outgoing in lost { haltUploads(of: outgoing, &shared, &step) }
        draft.takeBack(lost.map { $0.entry.atRest })
        draftChanged(&step)
        changeOutbox(&shared, &step) { _, _ in }
    }

    /// Keeps a message that has a row, until the transcript and the draft are stored; a retry that was not sent only if the
    /// server lacks it. Returns whether it is kept.
    mutating func keep(_ sent: Outgoing) -> Bool {
        guard let message = transcript.message(sent.id), !message.isHidden,
            sent.sends > 0 || !message.isWithServer, !isOver(sent.id)
        else { return false }
        outbox.keep(sent.entry) { [transcript] in transcript.message($0.key)?.isWithServer == true }
        return true
    }

    /// Removes the messages that were handed over, once the transcript and the draft are stored.
    mutating func forgetHandedOver(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        let over = outbox.handedOver.map { $0.key }.filter(isOver)
        guard !over.isEmpty else { return }
        changeOutbox(&shared, &step) { outbox, _ in for key in over { outbox.forgetHandedOver(key) } }
    }

    /// Whether the outbox need not keep a message that was handed over. If the transcript can never be stored, the outbox keeps only
    /// what the server lacks.
    private func isOver(_ key: ClientID) -> Bool {
        let record = transcript.pages.record
        return draft.isStored
            && (record.isClean || record.isClosed && transcript.message(key)?.isWithServer == true)
    }
}
