// Saves and loads of the list of conversations (C19, L5). The list is saved before any record that only it leads to:
// the records of a new conversation are gated until the list that names it is durable. Start with `saveList`.

extension ConversationList {
    /// Starts a save, if one is due.
    mutating func save(of user: UserID, current: ConversationID, _ step: inout Chat.Step) {
        step.save(&record, .conversations(entries, current: current), under: .conversations(user))
    }

    /// Applies the answer to a load; returns `false` for any other answer.
    mutating func loaded(_ answer: StorageAnswer<Chat.Record>, _ attempt: Attempt) -> Bool {
        guard record.loaded(attempt, answer.failure) else { return false }
        if case .loaded(.conversations(let stored, _)) = answer { restore(stored) }
        return true
    }
}

extension Chat.State {
    /// Counts a change of the list, and saves it.
    mutating func changeList(_ step: inout Chat.Step) {
        _ = shared.list.record.changed()
        saveList(&step)
    }

    /// Saves the list, if its record allows it, and updates its timer.
    mutating func saveList(_ step: inout Chat.Step) {
        guard let user = account?.user else { return }
        shared.list.save(of: user, current: conversation.id, &step)
        var failure: StorageFailure?
        if case .closed(let reason) = shared.list.record.access, shared.list.record.givesUp() {
            failure = reason
        }
        step.follow(&shared.list.record, .listLimit)
        if let failure { notListed(failure, &step) }
    }

    mutating func listStored(
        _ answer: StorageAnswer<Chat.Record>, _ attempt: Attempt, _ step: inout Chat.Step
    ) {
        guard shared.list.loaded(answer, attempt) else { return listSaved(answer, attempt, &step) }
        if let failure = answer.failure { conversation.banner = .notRestored(failure) }
        if case .loaded(.conversations(_, let current)) = answer {
            for entry in shared.list.entries where index(of: entry.id) == nil { learn(entry, &step) }
            // Unless the person has already switched or written.
            if conversation.id == .main, !conversation.holdsUnsent, shared.list[current]?.isClosed == false {
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
            if !shared.list.record.isPending { notListed(answer.failure, isNews: isNews, &step) }
        }
    }

    /// Fails the records that wait for the list: they cannot be saved now (C7).
    mutating func notListed(_ failure: StorageFailure?, isNews: Bool = true, _ step: inout Chat.Step) {
        if isNews, let failure { conversation.banner = .notSaved(failure) }
        atEach(&step) { $0.notListed(failure, &$1, &$2) }
    }
}

extension Chat.Conversation {
    /// Sets up a conversation that was created here. Its records wait for the list that names it (L5).
    mutating func begin(listedBy revision: KeptRecord.Revision) {
        isRestored = true
        outbox.record = KeptRecord(.gated(revision))
        draft.record = KeptRecord(.gated(revision))
        transcript.pages.record = KeptRecord(.gated(revision))
        transcript.pages.restored(nil)
    }

    /// Saves the gated records, if the stored list names this conversation now.
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
        step.follow(&outbox.record, .outboxLimit(id))
        outboxSaveEnded(failure, &shared, &step)
    }
}
