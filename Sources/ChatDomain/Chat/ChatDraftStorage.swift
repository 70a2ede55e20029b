// How the draft stands to storage (L5, C6): saved within a second of the last key, but never cleared before the
// outbox has what it held; loaded once it is known what of it was sent.

extension Chat {
    /// Saves the draft, but never before the outbox has the message that it held (L5). When the outbox
    /// cannot be saved, the draft's record keeps what that should have kept.
    func saveDraft(_ state: inout State, _ context: inout Context) -> [Effect] {
        let conversation = state.conversation
        guard let account = state.account, case .known = conversation.draft.storage,
            conversation.draft.isDirty
        else { return [] }
        var withUnsaved = false
        switch conversation.outbox.saves.durability(of: conversation.draft.sent) {
        case .pending: return []  // the end of the save leads here again
        case .durable: state.conversation.draft.isDirty = false
        case .failed: withUnsaved = true
        }
        let record = state.conversation.draftRecord(withUnsaved: withUnsaved, &context)
        // Only the list leads to it, and its last save may have failed.
        var listing: [Effect] = []
        if case .unlisted = conversation.outbox.storage, !state.list.saves.isSaving {
            listing = changeList(&state, &context)
        }
        let attempt = context.nextAttempt()
        state.conversation.draft.saving = attempt
        // The limit counts from the first save of which nothing was heard.
        let limit: [Effect] =
            conversation.draft.saving == nil
            ? [.start(.draftLimit(conversation.id), after: configuration.storageLimit)] : []
        return listing + [
            .cancel(.draftSave(conversation.id)),
            .save(record, under: .draft(account.user, conversation.id), attempt),
        ] + limit
    }

    /// Loads the draft, once it is known what of it was sent.
    func loadDraft(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard let account = state.account, case .unknown = state.conversation.draft.storage else {
            return []
        }
        let attempt = context.nextAttempt()
        state.conversation.draft.storage = .loading(attempt)
        return [
            .load(.draft(account.user, state.conversation.id), attempt),
            .start(.draftLimit(state.conversation.id), after: configuration.storageLimit),
        ]
    }

    func draftStored(
        _ state: inout State, _ answer: StorageAnswer<Record>, _ attempt: Attempt, _ context: inout Context
    ) -> [Effect] {
        guard case .loading(attempt) = state.conversation.draft.storage else {
            return draftSaved(&state, answer, attempt, &context)
        }
        state.conversation.draft.storage = .known
        switch answer {
        case .loaded(.draft(let text, let attachments, let id)):
            restoreDraft(&state, text, attachments, id)
        case .failed(let failure):
            state.conversation.banner = .notRestored(failure)
            // Only a damaged record was set aside, so saving overwrites nothing.
            if failure != .damaged { state.conversation.draft.storage = .unreadable }
        case .missing, .loaded, .saved, .erased: break
        }
        return [.cancel(.draftLimit(state.conversation.id))] + saveDraft(&state, &context)
            + forgetSettled(&state, &context)
    }

    private func draftSaved(
        _ state: inout State, _ answer: StorageAnswer<Record>, _ attempt: Attempt, _ context: inout Context
    ) -> [Effect] {
        if case .failed(let failure) = answer {
            state.conversation.banner = .notSaved(failure)
            state.conversation.draft.isDirty = true  // the next change, or leaving, saves it again
        }
        guard state.conversation.draft.saving == attempt else { return [] }
        state.conversation.draft.saving = nil
        return [.cancel(.draftLimit(state.conversation.id))] + forgetSettled(&state, &context)
    }

    /// Nothing that was sent stands in the record of the draft any more, so that of the outbox need not say so.
    private func forgetSettled(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard state.conversation.draft.isStored, !state.conversation.outbox.settled.isEmpty else { return [] }
        return changeOutbox(&state, &context) { conversation, _ in conversation.outbox.forgetSettled() }
    }

    /// The disk says nothing: the person has to know that the draft may not be stored, or that nothing that is
    /// typed can be as long as it is not known what is.
    func draftTimedOut(_ state: inout State) -> [Effect] {
        if case .loading = state.conversation.draft.storage {
            state.conversation.banner = .notRestored(.unavailable)
            return []
        }
        guard state.conversation.draft.saving != nil else { return [] }
        state.conversation.draft.saving = nil
        state.conversation.draft.isDirty = true
        state.conversation.banner = .notSaved(.unavailable)
        return []
    }

    /// Empties the composer of what turns out to have been sent: the outbox was late, so the draft was loaded before
    /// it (L6). What has been changed since is another text and stays (L5).
    func forgetSentDraft(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard let id = state.conversation.draft.id, !state.conversation.draft.isDirty,
            state.conversation.draft.copies.isEmpty,
            state.conversation.outbox.entries.contains(where: { $0.draft == id })
        else { return [] }
        state.conversation.draft.edit("")
        state.conversation.draft.attachments = []
        state.conversation.draft.id = nil
        return saveDraft(&state, &context)
    }

    /// Puts the stored draft before what has been typed since (C6). If the process ended after the outbox
    /// had it as a message and before the draft was cleared, it is not shown twice (L6). Its name tells: the same
    /// text may have been typed again (L5).
    private func restoreDraft(
        _ state: inout State, _ stored: ExactText, _ attachments: [Attachment], _ id: DraftID?
    ) {
        if let id, state.conversation.outbox.entries.contains(where: { $0.draft == id }) {
            state.conversation.draft.isDirty = true
            return
        }
        let typed = state.conversation.draft.text
        state.conversation.draft.id = id
        state.conversation.draft.attachments = attachments + state.conversation.draft.attachments
        if typed.isEmpty {
            state.conversation.draft.text = stored
        } else if !stored.isEmpty {
            state.conversation.draft.edit(ExactText(stored.string + "\n" + typed.string))
        }
    }
}

extension Chat.Draft {
    /// Whether its record is known to say what stands here.
    var isStored: Bool {
        if case .known = storage { !isDirty && saving == nil } else { false }
    }

    /// The files whose bytes are stored.
    var copied: [Attachment] {
        attachments.filter { attachment in !copies.contains { $0.id == attachment.id } }
    }
}

extension Chat.Conversation {
    /// The draft as it is to be stored; with what was sent and could not be saved before it, if that is wanted.
    mutating func draftRecord(withUnsaved: Bool, _ context: inout Context) -> Chat.Record {
        let unsaved = withUnsaved ? unsaved : []
        let isEmpty = draft.text.isEmpty && draft.copied.isEmpty
        if draft.id == nil, !isEmpty { draft.id = .minted(&context) }
        let lines = unsaved.map { $0.text.string } + (draft.text.isEmpty ? [] : [draft.text.string])
        return .draft(
            ExactText(lines.joined(separator: "\n")),
            attachments: unsaved.flatMap { $0.attachments.map { $0.atRest } } + draft.copied,
            // One message alone is known again, should the outbox be saved after all.
            id: isEmpty && unsaved.count == 1 ? unsaved[0].draft : draft.id)
    }

    /// What was sent and could not be saved.
    private var unsaved: [OutboxEntry] {
        outbox.all.filter { outbox.saves.durability(of: $0.revision) != .durable }.map { $0.entry }
    }
}

extension DraftID {
    /// A name for what is about to be stored. Whatever says something else gets another one, so that an older
    /// record is never taken for it.
    static func minted(_ context: inout Context) -> DraftID {
        DraftID("d_" + context.entropy.uuid())
    }
}
