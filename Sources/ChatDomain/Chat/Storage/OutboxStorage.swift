// How the outbox stands to storage (L5, C7). Every change is saved by the law of `KeptRecord`. A save that fails or
// takes too long does not stop a message. Start at `changeOutbox`.

extension Outbox {
    /// Has the disk save what is here now, if a save is to begin.
    mutating func save(of user: UserID, in id: ConversationID, _ step: inout Chat.Step) {
        guard record.isToBeSaved else { return }
        step.save(&record, .outbox(entries), under: .outbox(user, id))
    }

    /// What was stored is known, or that it cannot be. Returns whether this was waited for.
    mutating func loaded(_ answer: StorageAnswer<Chat.Record>, _ attempt: Attempt) -> Bool {
        guard record.loaded(attempt, answer.failure) else { return false }
        if case .loaded(.outbox(let entries)) = answer { putFirst(entries) }
        return true
    }

    /// Takes out, for the composer, what could not be saved and was never in flight (C7). The failed save may have
    /// reached the disk, so the outbox is saved without it (C13).
    mutating func takeUnsaved(from transcript: Transcript? = nil) -> [Outgoing] {
        let unsaved = queue.waiting.filter {
            !$0.wasOnWire && transcript?.ordinal(of: $0.message) == nil
                && record.durability(of: $0.revision) == .failed
        }
        for outgoing in unsaved { _ = queue.remove(outgoing.id) }
        return unsaved
    }
}

extension Chat.Conversation {
    /// Changes the outbox and sees to it that the change is saved.
    mutating func changeOutbox(
        _ shared: inout Chat.Shared, _ step: inout Chat.Step,
        _ change: (inout Outbox, KeptRecord.Revision) -> Void
    ) {
        change(&outbox, outbox.record.changed())
        saveOutbox(&shared, &step)
    }

    /// Has the outbox saved as far as that is possible now, and runs its timer.
    mutating func saveOutbox(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard let user = shared.account?.user else { return }
        switch outbox.record.access {
        case .unread, .loading: break  // saved as soon as what is stored has been loaded
        case .gated: if !shared.list.record.isSaving { step.ask(.saveList) }
        case .open: outbox.save(of: user, in: id, &step)
        case .closed(let failure):
            guard outbox.record.givesUp() else { break }
            step.follow(&outbox.record, .outboxSave(id))
            return outboxEnded(failure, &shared, &step)
        }
        step.follow(&outbox.record, .outboxSave(id))
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
        saveOutbox(&shared, &step)
        outboxEnded(ended == .failed(isNews: true) ? answer.failure : nil, &shared, &step)
    }

    /// The disk says nothing: what waits goes on without it.
    mutating func outboxSaveTimedOut(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        if outbox.record.timedOut() { outboxEnded(.unavailable, &shared, &step) }
    }

    /// More is known of what was to be saved: it is durable, or the person is told that it is not.
    mutating func outboxEnded(
        _ failure: StorageFailure?, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        if let failure {
            banner = .notSaved(failure)
            giveBack(&shared, &step)
        }
        if draft.holdsUnsaved { draft.isDirty = true }  // it may be in the record of the outbox now
        saveDraft(&shared, &step)
        flush(&shared, &step)
    }

    /// What could not be saved and cannot be sent goes back to the composer, so that the person knows (C7).
    private mutating func giveBack(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard !isReachable(shared) else { return }
        let lost = outbox.takeUnsaved(from: transcript)
        guard !lost.isEmpty else { return }
        for outgoing in lost { haltUploads(of: outgoing, &shared, &step) }
        draft.takeBack(lost.map { $0.entry.atRest })
        draftChanged(&step)
        changeOutbox(&shared, &step) { _, _ in }
    }

    /// What the server will never take is stored with the transcript now, and can leave the outbox.
    mutating func forgetRefused(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard !outbox.refused.isEmpty, !transcript.pages.isDirty else { return }
        changeOutbox(&shared, &step) { outbox, _ in outbox.forgetRefused() }
    }
}

extension Chat.Step {
    /// Has a record loaded, unless it may be saved already.
    mutating func load(_ record: inout KeptRecord, _ key: Chat.Key) {
        let attempt = context.nextAttempt()
        if record.loads(under: attempt) { add(.load(key, attempt)) }
    }

    /// Has a record saved as its value is now, if a save is to begin.
    mutating func save(_ record: inout KeptRecord, _ value: Chat.Record, under key: Chat.Key) {
        guard let attempt = record.saves(under: context.nextAttempt()) else { return }
        add(.save(value, under: key, attempt))
    }

    /// Runs the timer of a record (L3).
    mutating func follow(_ record: inout KeptRecord, _ timer: Chat.Timer) {
        switch record.deadline() {
        case .start: add(.start(timer, after: configuration.storageLimit))
        case .keep: break
        case .stop: add(.cancel(timer))
        }
    }
}
