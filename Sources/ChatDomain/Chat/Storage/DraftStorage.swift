// Saves and loads of the draft (L5, C6). A change is saved one second later, however long the person types. The stored
// draft is cleared only after the outbox has its message. Start with `saveDraft`.

extension Chat.Draft {
    /// Counts a change as one of the record. Messages that the outbox could not save stay in the record of the draft
    /// (L5).
    mutating func tellRecord(beside outbox: Outbox) {
        guard isDirty, record.isRead, outbox.record.durability(of: sent) != .pending else { return }
        isDirty = false
        // Until it is known what was sent, other content is another draft: the former one may be a message (L5, L6).
        if !outbox.record.isRead { id = nil }
        holdsUnsaved = outbox.record.durability(of: sent) == .failed
        _ = record.changed()
    }

    /// Starts a save, if one is due.
    mutating func save(
        beside outbox: Outbox, of user: UserID, in conversation: ConversationID, _ step: inout Chat.Step
    ) {
        guard record.isToBeSaved else { return }
        let unsaved = holdsUnsaved ? outbox.unsaved : []
        let isEmpty = text.isEmpty && attachments.isEmpty
        if id == nil, !isEmpty { id = .minted(&step.context) }
        let stored = Chat.Record.draft(
            ExactText.lines(unsaved.map { $0.text } + [text]),
            attachments: unsaved.flatMap { $0.attachments } + attachments,
            // The id of a single message identifies it, if the outbox is saved after all.
            id: isEmpty && unsaved.count == 1 ? unsaved[0].draft : id)
        step.save(&record, stored, under: .draft(user, conversation))
    }

    /// Applies the answer to a load; returns `false` for any other answer. A draft whose id is in the outbox was sent
    /// (L6). Its text proves nothing, because the person may type it again (L5).
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
    /// Marks the draft as changed. Its save starts after the delay, which no further key extends.
    mutating func draftChanged(_ step: inout Chat.Step) {
        draft.isDirty = true
        guard !draft.isTimed else { return }
        draft.isTimed = true
        step.add(.start(.draftSave(id), after: step.configuration.draftDelay))
    }

    /// Saves the changed draft now, if its record allows it, and behind it the bytes of the files that it names.
    mutating func saveDraft(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        endDraftTimer(&step)
        guard let user = shared.account?.user else { return }
        draft.tellRecord(beside: outbox)
        switch draft.record.access {
        case .unread, .loading, .open: break
        case .gated: if draft.record.isPending, !shared.list.record.isSaving { step.ask(.saveList) }
        case .closed: _ = draft.record.givesUp()  // the failed load has already shown a notice
        }
        draft.save(beside: outbox, of: user, in: id, &step)
        step.follow(&draft.record, .draftLimit(id))
        guard !draft.isDirty, draft.record.isHandedOver else { return }
        for index in draft.copies.indices { copy(index, &step) }
    }

    /// Clears the stored draft again, if that has failed: the outbox is about to lose the message that says that the
    /// draft was sent (C13, L6).
    mutating func clearSentDraft(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard !draft.record.isClean else { return }
        draft.isDirty = true
        saveDraft(&shared, &step)
    }

    private mutating func endDraftTimer(_ step: inout Chat.Step) {
        guard draft.isTimed else { return }
        draft.isTimed = false
        step.add(.cancel(.draftSave(id)))
    }

    /// Starts the load of the draft, unless it has started.
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
        } else {
            guard let ended = draft.record.ended(attempt, succeeded: answer == .saved) else { return }
            if ended == .failed(isNews: true), let failure = answer.failure { banner = .notSaved(failure) }
        }
        saveDraft(&shared, &step)
        forgetHandedOver(&shared, &step)
    }

    /// Shows a notice that the draft is not loaded, or not saved in time.
    mutating func draftTimedOut(_ step: inout Chat.Step) {
        if case .loading = draft.record.access {
            banner = .notRestored(.unavailable)
        } else if draft.record.timedOut() {
            banner = .notSaved(.unavailable)
        }
    }

    /// Clears a draft that was sent, as a late load of the outbox shows (L6). A changed draft stays, as another (L5).
    mutating func forgetSentDraft(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard let name = draft.id, outbox.has(name) else { return }
        guard !draft.isDirty, draft.isCopied else { return draft.id = nil }
        draft.clear()
        saveDraft(&shared, &step)
    }
}
