// How the outbox stands to storage (L5, C7). Every change is saved, one save at a time; nothing is saved before
// what the last run left has been loaded; and a save that fails does not keep a message from being sent.

extension Chat {
    /// Changes the queue and sees to it that the change is saved.
    func changeOutbox(
        _ state: inout State, _ context: inout Context,
        _ change: (inout Conversation, WriteBehind.Revision) -> Void
    ) -> [Effect] {
        let attempt = context.nextAttempt()
        let changed = state.conversation.outbox.saves.changed(attempt: attempt)
        change(&state.conversation, changed.revision)
        guard case .save = changed else { return [] }
        return saveOutbox(&state, attempt, &context)
    }

    func saveOutbox(
        _ state: inout State, _ attempt: Attempt, _ context: inout Context
    ) -> [Effect] {
        guard let account = state.account else { return [] }
        let limit = Effect.start(.outboxSave(state.conversation.id), after: configuration.storageLimit)
        switch state.conversation.outbox.storage {
        case .unknown, .loading: return [limit]  // saved as soon as what is stored has been loaded
        case .unlisted: return [limit] + (state.list.saves.isSaving ? [] : changeList(&state, &context))
        case .unreadable(let failure):
            return outboxSaved(&state, .failed(failure), attempt, &context)
        case .loaded:
            return [
                .save(
                    .outbox(state.conversation.outbox.entries),
                    under: .outbox(account.user, state.conversation.id), attempt),
                limit,
            ]
        }
    }

    func outboxStored(
        _ state: inout State, _ answer: StorageAnswer<Record>, _ attempt: Attempt, _ context: inout Context
    ) -> [Effect] {
        guard case .loading(attempt) = state.conversation.outbox.storage else {
            return outboxSaved(&state, answer, attempt, &context)
        }
        switch answer {
        case .loaded(.outbox(let entries)):
            state.conversation.outbox.storage = .loaded
            state.conversation.outbox.putFirst(entries)
        case .failed(.damaged):
            state.conversation.outbox.storage = .loaded  // it was set aside, so saving overwrites nothing
            state.conversation.banner = .notRestored(.damaged)
        case .failed(let failure):
            state.conversation.outbox.storage = .unreadable(failure)
            state.conversation.banner = .notRestored(failure)
        case .missing, .loaded, .saved, .erased:
            state.conversation.outbox.storage = .loaded
        }
        var effects = loadDraft(&state, &context) + forgetSentDraft(&state, &context)
        if let waiting = state.conversation.outbox.saves.current {
            effects += saveOutbox(&state, waiting, &context)
        }
        return effects + restoredSomething(&state, &context)
    }

    func outboxSaved(
        _ state: inout State, _ answer: StorageAnswer<Record>, _ attempt: Attempt, _ context: inout Context
    ) -> [Effect] {
        let next = context.nextAttempt()
        let ended = state.conversation.outbox.saves.ended(
            attempt, succeeded: answer == .saved, next: next)
        switch ended {
        case .unknown:
            return []
        case .durable(_, savesAgain: true):
            return saveOutbox(&state, next, &context) + saveDraft(&state, &context)
                + flush(&state, &context)
        case .durable(_, savesAgain: false):
            return [.cancel(.outboxSave(state.conversation.id))] + saveDraft(&state, &context)
                + flush(&state, &context)
        case .failed(_, let savesAgain):
            if case .failed(let failure) = answer { state.conversation.banner = .notSaved(failure) }
            let saving =
                savesAgain
                ? saveOutbox(&state, next, &context) : [.cancel(.outboxSave(state.conversation.id))]
            return saving + giveBack(&state, &context) + saveDraft(&state, &context) + flush(&state, &context)
        }
    }

    /// What the server will never take is stored with the transcript now, and can leave the outbox. What is
    /// being asked stays, because the transcript does not know under which id it is (S13).
    func forgetRefused(_ state: inout State, _ context: inout Context) -> [Effect] {
        let running = state.conversation.clientThatRuns
        guard state.conversation.outbox.refused.contains(where: { $0.client != running }),
            !state.conversation.transcript.pages.isDirty
        else { return [] }
        return changeOutbox(&state, &context) { conversation, _ in
            conversation.outbox.forgetRefused(but: running)
        }
    }

    func outboxSaveTimedOut(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard let attempt = state.conversation.outbox.saves.current else { return [] }
        return outboxSaved(&state, .failed(.unavailable), attempt, &context)
    }

    /// What could not be saved and cannot be sent goes back to the composer, so that the person knows (C7).
    private func giveBack(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard !state.isReachable else { return [] }
        let saves = state.conversation.outbox.saves
        let transcript = state.conversation.transcript
        let lost = state.conversation.outbox.queue.waiting.filter {
            transcript.ordinal(of: $0.id) == nil && saves.durability(of: $0.revision) == .failed
        }
        guard !lost.isEmpty else { return [] }
        var text = ""
        var attachments: [Attachment] = []
        var effects: [Effect] = []
        for outgoing in lost {
            effects += haltUploads(&state, of: outgoing)
            if !outgoing.entry.text.isEmpty { text += outgoing.entry.text.string + "\n" }
            attachments += outgoing.entry.attachments.map { $0.atRest }
        }
        state.conversation.draft.attachments = attachments + state.conversation.draft.attachments
        let rest = state.conversation.draft.text.string
        state.conversation.draft.edit(ExactText(rest.isEmpty ? String(text.dropLast()) : text + rest))
        // What it was may be on the disk as a message, and must not pass for what it is now (L5).
        state.conversation.draft.id = nil
        // A save that failed may have reached the disk all the same: what stands in the composer again must
        // not be sent by a later launch as well (C13).
        effects += changeOutbox(&state, &context) { conversation, _ in
            for outgoing in lost { _ = conversation.outbox.queue.remove(outgoing.id) }
        }
        return effects + [.start(.draftSave(state.conversation.id), after: configuration.draftDelay)]
    }
}

extension Outbox {
    /// Puts what was stored before what has been written since and is not on the wire yet.
    mutating func putFirst(_ entries: [OutboxEntry]) {
        queue.restore(entries.map { Outgoing(entry: $0, revision: .loaded) })
    }

    /// The message that is on the wire.
    var clientInFlight: ClientID? {
        if case .inFlight(let outgoing) = queue.phase { outgoing.id } else { nil }
    }

    /// The message that is on the wire, or will be again in a moment, because the server takes it later (C11).
    var clientOut: ClientID? {
        switch queue.phase {
        case .idle: nil
        case .inFlight(let outgoing), .blocked(let outgoing): outgoing.id
        }
    }
}
