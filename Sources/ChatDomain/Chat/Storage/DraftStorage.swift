// How the draft stands to storage (L5, C6). A draft is saved one second after the first change that is not saved,
// however long the person types. It is cleared only after the outbox has what it held. Start at `saveDraft`.

extension Chat.Draft {
    /// Tells the record what has changed. What the outbox could not save, the record of the draft keeps (L5).
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

    /// Takes the answer to a load; returns whether one was awaited. A draft whose name is in the outbox was sent
    /// (L6); its text alone proves nothing, because the same text may be typed again (L5).
    mutating func loaded(
        _ answer: StorageAnswer<Chat.Record>, _ attempt: Attempt, beside outbox: Outbox
    ) -> Bool {
        guard record.loaded(attempt, answer.failure) else { return false }
        guard case .loaded(.draft(let stored, let files, let name)) = answer else { return true }
        if let name, outbox.has(name) { isDirty = true } else { putFirst(stored, files, name) }
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

    /// The disk is silent: the person learns that the draft may not be stored, or cannot be read.
    mutating func draftTimedOut(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        if case .loading = draft.record.access {
            banner = .notRestored(.unavailable)
        } else if draft.record.timedOut() {
            banner = .notSaved(.unavailable)
        }
    }

    /// Clears a draft that turns out to be sent, because the outbox was loaded late (L6). A changed draft stays (L5).
    mutating func forgetSentDraft(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard let name = draft.id, !draft.isDirty, draft.copies.isEmpty, outbox.has(name) else { return }
        draft.clear()
        saveDraft(&shared, &step)
    }
}
