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
        var text = conversation.draft.text
        var attachments = conversation.draft.copied
        switch conversation.outbox.saves.durability(of: conversation.draft.sent) {
        case .pending: return []  // the end of the save leads here again
        case .durable: state.conversation.draft.isDirty = false
        case .failed:
            text = conversation.draftWithUnsaved
            attachments = conversation.attachmentsWithUnsaved
        }
        return [
            .cancel(.draftSave(state.conversation.id)),
            .save(
                .draft(text, attachments: attachments), under: .draft(account.user, conversation.id),
                context.nextAttempt()),
        ]
    }

    /// Loads the draft, once it is known what of it was sent.
    func loadDraft(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard let account = state.account, case .unknown = state.conversation.draft.storage else {
            return []
        }
        let attempt = context.nextAttempt()
        state.conversation.draft.storage = .loading(attempt)
        return [.load(.draft(account.user, state.conversation.id), attempt)]
    }

    func draftStored(
        _ state: inout State, _ answer: StorageAnswer<Record>, _ attempt: Attempt, _ context: inout Context
    ) -> [Effect] {
        guard case .loading(attempt) = state.conversation.draft.storage else {
            guard case .failed(let failure) = answer else { return [] }
            state.conversation.banner = .notSaved(failure)
            state.conversation.draft.isDirty = true  // the next change, or leaving, saves it again
            return []
        }
        state.conversation.draft.storage = .known
        switch answer {
        case .loaded(.draft(let text, let attachments)): restoreDraft(&state, text, attachments)
        case .failed(let failure):
            state.conversation.banner = .notRestored(failure)
            // Only a damaged record was set aside, so saving overwrites nothing.
            if failure != .damaged { state.conversation.draft.storage = .unreadable }
        case .missing, .loaded, .saved, .erased: break
        }
        guard state.conversation.draft.isDirty else { return [] }
        return [.start(.draftSave(state.conversation.id), after: configuration.draftDelay)]
    }

    /// Puts the stored draft before what has been typed since (C6). If the process ended after the outbox
    /// had it as a message and before the draft was cleared, it is not shown twice (L6).
    private func restoreDraft(_ state: inout State, _ stored: ExactText, _ attachments: [Attachment]) {
        let isSent = state.conversation.outbox.entries.contains {
            $0.text == stored.trimmed && $0.attachments.map { $0.id } == attachments.map { $0.id }
        }
        let typed = state.conversation.draft.text
        guard !isSent else {
            state.conversation.draft.isDirty = true
            return
        }
        state.conversation.draft.attachments = attachments + state.conversation.draft.attachments
        if typed.isEmpty {
            state.conversation.draft.text = stored
        } else if !stored.isEmpty {
            state.conversation.draft.edit(ExactText(stored.string + "\n" + typed.string))
        }
    }
}

extension Chat.Draft {
    /// The files whose bytes are stored.
    var copied: [Attachment] {
        attachments.filter { attachment in !copies.contains { $0.id == attachment.id } }
    }
}

extension Chat.Conversation {
    /// The files of the draft after those of what was sent and could not be saved.
    var attachmentsWithUnsaved: [Attachment] {
        outbox.queue.elements
            .filter { outbox.saves.durability(of: $0.revision) != .durable }
            .flatMap { $0.entry.attachments.map { $0.atRest } } + draft.copied
    }

    /// The draft after what was sent and could not be saved.
    var draftWithUnsaved: ExactText {
        var lines = outbox.queue.elements
            .filter { outbox.saves.durability(of: $0.revision) != .durable }
            .map { $0.entry.text.string }
        if !draft.text.isEmpty { lines.append(draft.text.string) }
        return ExactText(lines.joined(separator: "\n"))
    }
}
