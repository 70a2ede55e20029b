// How the draft stands to storage (L5, C6): saved a second after the first key that is not, so within a second of the
// last one too, and however long the person goes on typing; never cleared before the outbox has what it held; and
// loaded once it is known what of it was sent. Start at `saveDraft`.

extension Chat.Draft {
    /// Tells the record what has changed since it was last told, unless the outbox may still save what was sent from
    /// here. What the outbox could not save, the record of the draft keeps (L5).
    mutating func tellRecord(beside outbox: Outbox) {
        guard isDirty, record.isRead, outbox.record.durability(of: sent) != .pending else { return }
        isDirty = false
        holdsUnsaved = outbox.record.durability(of: sent) == .failed
        _ = record.changed()
    }

    /// Has the disk save what is here now, if a save is to begin.
    mutating func save(
        beside outbox: Outbox, of user: UserID, in conversation: ConversationID, _ step: inout Chat.Step
    ) {
        guard record.isToBeSaved else { return }
        let unsaved = holdsUnsaved ? outbox.unsaved : []
        let isEmpty = text.isEmpty && copied.isEmpty
        if id == nil, !isEmpty { id = .minted(&step.context) }
        let stored = Chat.Record.draft(
            ExactText.lines(unsaved.map { $0.text } + [text]),
            attachments: unsaved.flatMap { $0.attachments } + copied,
            // One message alone is known again, should the outbox be saved after all.
            id: isEmpty && unsaved.count == 1 ? unsaved[0].draft : id)
        step.save(&record, stored, under: .draft(user, conversation))
    }

    /// What was stored is known, or that it cannot be. If the process ended after the outbox had it as a message and
    /// before the draft was cleared, it is not shown twice (L6). Its name tells: the same text may have been typed again
    /// (L5). Returns whether this was waited for.
    mutating func loaded(
        _ answer: StorageAnswer<Chat.Record>, _ attempt: Attempt, beside outbox: Outbox
    ) -> Bool {
        guard record.loaded(attempt, answer.failure) else { return false }
        guard case .loaded(.draft(let stored, let files, let name)) = answer else { return true }
        if let name, outbox.has(name) {
            isDirty = true
        } else {
            putFirst(stored, files, name)
        }
        return true
    }
}

extension Chat.Conversation {
    /// The draft was changed: it is saved a second later. No key puts that off.
    mutating func draftChanged(_ step: inout Chat.Step) {
        draft.isDirty = true
        guard !draft.isTimed else { return }
        draft.isTimed = true
        step.add(.start(.draftSave(id), after: step.configuration.draftDelay))
    }

    /// Saves the draft, if it is not saved and may be.
    mutating func saveDraft(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        endDraftTimer(&step)
        guard let user = shared.account?.user else { return }
        draft.tellRecord(beside: outbox)
        switch draft.record.access {
        case .unread, .loading, .open: break
        case .gated: if draft.record.isPending, !shared.list.record.isSaving { step.ask(.saveList) }
        case .closed: _ = draft.record.givesUp()  // the person was told when it could not be read
        }
        draft.save(beside: outbox, of: user, in: id, &step)
        step.follow(&draft.record, .draftLimit(id))
    }

    private mutating func endDraftTimer(_ step: inout Chat.Step) {
        guard draft.isTimed else { return }
        draft.isTimed = false
        step.add(.cancel(.draftSave(id)))
    }

    /// Loads the draft, unless that has begun.
    mutating func loadDraft(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard let user = shared.account?.user, draft.record.access == .unread else { return }
        step.load(&draft.record, .draft(user, id))
        step.add(.start(.draftLimit(id), after: step.configuration.storageLimit))
    }

    mutating func draftStored(
        _ answer: StorageAnswer<Chat.Record>, _ attempt: Attempt, _ shared: inout Chat.Shared,
        _ step: inout Chat.Step
    ) {
        if draft.loaded(answer, attempt, beside: outbox) {
            if let failure = answer.failure { banner = .notRestored(failure) }
            step.add(.cancel(.draftLimit(id)))
            draft.record.stopsWaiting()
        } else {
            guard let ended = draft.record.ended(attempt, succeeded: answer == .saved) else { return }
            if ended == .failed(isNews: true), let failure = answer.failure { banner = .notSaved(failure) }
        }
        saveDraft(&shared, &step)
        // Nothing that was sent stands in the record of the draft any more, so that of the outbox need not say so.
        if draft.isStored, !outbox.settled.isEmpty {
            changeOutbox(&shared, &step) { outbox, _ in outbox.forgetSettled() }
        }
    }

    /// The disk says nothing: the person has to know that the draft may not be stored, or that nothing that is typed can
    /// be as long as it is not known what is.
    mutating func draftTimedOut(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        if case .loading = draft.record.access {
            banner = .notRestored(.unavailable)
        } else if draft.record.timedOut() {
            banner = .notSaved(.unavailable)
        }
    }

    /// Empties the composer of what turns out to have been sent: the outbox was late, so the draft was loaded before it
    /// (L6). What has been changed since is another text and stays (L5).
    mutating func forgetSentDraft(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard let name = draft.id, !draft.isDirty, draft.copies.isEmpty, outbox.has(name) else { return }
        draft.clear()
        saveDraft(&shared, &step)
    }
}
