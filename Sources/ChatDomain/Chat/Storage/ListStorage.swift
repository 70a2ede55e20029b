// How the list of conversations is stored (C19, L5): before anything that only it leads to. The records of a new
// conversation are gated until the list that names it is durable.

extension ConversationList {
    /// Has the disk save the list as it is, if a save is to begin.
    mutating func save(of user: UserID, current: ConversationID, _ step: inout Chat.Step) {
        step.save(&record, .conversations(entries, current: current), under: .conversations(user))
    }

    /// What was stored is known, or that it cannot be. Returns whether this was waited for.
    mutating func loaded(_ answer: StorageAnswer<Chat.Record>, _ attempt: Attempt) -> Bool {
        guard record.loaded(attempt, answer.failure) else { return false }
        if case .loaded(.conversations(let stored, _)) = answer { restore(stored) }
        return true
    }
}

extension Chat.State {
    /// The list has changed, and is to be saved.
    mutating func changeList(_ step: inout Chat.Step) {
        _ = shared.list.record.changed()
        saveList(&step)
    }

    /// Has the list saved as far as that is possible now, and runs its timer.
    mutating func saveList(_ step: inout Chat.Step) {
        guard let user = account?.user else { return }
        shared.list.save(of: user, current: conversation.id, &step)
        var failure: StorageFailure?
        if case .closed(let reason) = shared.list.record.access, shared.list.record.givesUp() {
            failure = reason
        }
        step.follow(&shared.list.record, .listSave)
        if let failure { notListed(failure, &step) }
    }

    mutating func listStored(
        _ answer: StorageAnswer<Chat.Record>, _ attempt: Attempt, _ step: inout Chat.Step
    ) {
        guard shared.list.loaded(answer, attempt) else { return listSaved(answer, attempt, &step) }
        if let failure = answer.failure { conversation.banner = .notRestored(failure) }
        if case .loaded(.conversations(_, let current)) = answer {
            for entry in shared.list.entries where index(of: entry.id) == nil { learn(entry, &step) }
            // Unless the person has already begun to look around or to write.
            if conversation.id == .main, !conversation.hasUnsent, shared.list[current]?.isClosed == false {
                turn(to: current, &step)
            }
        }
        saveList(&step)
        restoredAll(&step)
    }

    private mutating func listSaved(
        _ answer: StorageAnswer<Chat.Record>, _ attempt: Attempt, _ step: inout Chat.Step
    ) {
        guard let ended = shared.list.record.ended(attempt, succeeded: answer == .saved) else { return }
        saveList(&step)
        switch ended {
        case .durable: atEach(&step) { $0.listed(&$1, &$2) }
        case .failed(let isNews):
            if isNews, let failure = answer.failure { conversation.banner = .notSaved(failure) }
            if !shared.list.record.isPending { notListed(answer.failure, &step) }
        }
    }

    mutating func listSaveTimedOut(_ step: inout Chat.Step) {
        if shared.list.record.timedOut() { notListed(.unavailable, &step) }
    }

    /// The list cannot be saved now, and so nothing that only it leads to (C7).
    private mutating func notListed(_ failure: StorageFailure?, _ step: inout Chat.Step) {
        if let failure { conversation.banner = .notSaved(failure) }
        atEach(&step) { $0.notListed(failure, &$1, &$2) }
    }
}

extension Chat.Conversation {
    /// Makes it a conversation that begins here. Its records wait for the list that names it (L5).
    mutating func begin(listedBy revision: KeptRecord.Revision) {
        isRestored = true
        outbox.record = KeptRecord(gatedBy: revision)
        draft.record = KeptRecord(gatedBy: revision)
        transcript.pages.record = KeptRecord(gatedBy: revision)
        transcript.pages.restored(nil)
    }

    /// The stored list has changed. When it names this conversation now, what was written here can be saved.
    fileprivate mutating func listed(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        _ = draft.record.opened(by: shared.list.record)
        _ = transcript.pages.record.opened(by: shared.list.record)
        if outbox.record.opened(by: shared.list.record) { saveOutbox(&shared, &step) }
        if draft.record.isToBeSaved { saveDraft(&shared, &step) }
    }

    fileprivate mutating func notListed(
        _ failure: StorageFailure?, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        guard case .gated = outbox.record.access else { return }
        _ = draft.record.givesUp()
        step.follow(&draft.record, .draftLimit(id))
        guard outbox.record.givesUp() else { return }
        step.follow(&outbox.record, .outboxSave(id))
        outboxEnded(failure, &shared, &step)
    }
}
