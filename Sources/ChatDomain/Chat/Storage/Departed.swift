// What a person has written before a sign-out and the disk does not have yet (P10, L5). Its records go on without a
// chat around them, under the law of `KeptRecord`. No timer runs, because nothing is shown as under way. A sign-in
// before the end goes on with what is left.

extension Chat {
    /// What somebody who has signed out has written and the disk does not have yet.
    struct Departed: DomainValue {
        /// Who has signed out.
        let account: Account
        /// Their conversations, of which the stored list may not name each yet.
        var list: ConversationList
        /// The conversation at which they looked.
        let current: ConversationID
        /// What is not stored of each conversation.
        var unstored: [Unstored]

        /// Whether the disk has all of it.
        var isStored: Bool { unstored.isEmpty && list.record.isClean }
    }

    /// What a person has written in one conversation, and its records.
    struct Unstored: DomainValue {
        let id: ConversationID
        var outbox: Outbox
        var draft: Draft
        /// What the person should be told when they come back.
        var banner: Banner?

        /// What is to be kept of a conversation, if anything is.
        init?(of conversation: Conversation) {
            id = conversation.id
            outbox = conversation.outbox.atRest
            draft = conversation.draft
            banner = conversation.banner
            draft.attachments = draft.copied
            (draft.copies, draft.isTimed) = ([], false)
            outbox.record.stopsWaiting()
            draft.record.stopsWaiting()
            if isStored { return nil }
            // The draft was loaded without the outbox, which is overdue: it takes what can wait no longer.
            if !outbox.record.mayBeSaved, draft.record.mayBeSaved { _ = outbox.record.givesUp() }
        }

        /// Whether the disk has all of it.
        var isStored: Bool { outbox.record.isClean && draft.record.isClean && !draft.isDirty }
    }
}

extension Chat.Unstored {
    /// Has the disk save what it may save now; what it has refused too when it is to be tried again.
    fileprivate mutating func save(of user: UserID, again: Bool, _ step: inout Chat.Step) {
        if again {
            outbox.record.retry()
            draft.record.retry()
        }
        if case .closed = outbox.record.access { _ = outbox.record.givesUp() }
        // Nothing that is only here can be sent now: it is a draft again (C7).
        let lost = outbox.takeUnsaved()
        if !lost.isEmpty {
            draft.takeBack(lost.map { $0.entry.atRest })
            _ = outbox.record.changed()
            if case .closed = outbox.record.access { _ = outbox.record.givesUp() }
        }
        outbox.save(of: user, in: id, &step)
        if outbox.record.isRead, draft.record.access == .unread { step.load(&draft.record, .draft(user, id)) }
        draft.tellRecord(beside: outbox)
        draft.save(beside: outbox, of: user, in: id, &step)
    }

    fileprivate mutating func stored(
        _ answer: StorageAnswer<Chat.Record>, _ key: Chat.Key, _ attempt: Attempt
    ) {
        switch key {
        case .outbox(_, id):
            guard !outbox.loaded(answer, attempt) else { break }
            _ = outbox.record.ended(attempt, succeeded: answer == .saved)
            if draft.holdsUnsaved { draft.isDirty = true }
        case .draft(_, id):
            guard !draft.loaded(answer, attempt, beside: outbox) else { break }
            _ = draft.record.ended(attempt, succeeded: answer == .saved)
            if draft.isStored { outbox.forgetSettled() }
        default: return
        }
        if let failure = answer.failure { banner = .notSaved(failure) }
    }
}

extension Chat.Departed {
    /// Has the disk save what it may save now.
    mutating func save(again: Bool = false, _ step: inout Chat.Step) {
        if again { list.record.retry() }
        list.save(of: account.user, current: current, &step)
        for index in unstored.indices {
            _ = unstored[index].outbox.record.opened(by: list.record)
            _ = unstored[index].draft.record.opened(by: list.record)
            unstored[index].save(of: account.user, again: again, &step)
        }
        unstored.removeAll { $0.isStored }
    }

    fileprivate mutating func stored(
        _ answer: StorageAnswer<Chat.Record>, _ key: Chat.Key, _ attempt: Attempt, _ step: inout Chat.Step
    ) {
        if case .conversations = key, !list.loaded(answer, attempt) {
            _ = list.record.ended(attempt, succeeded: answer == .saved)
        }
        for index in unstored.indices { unstored[index].stored(answer, key, attempt) }
        save(&step)
    }
}

extension Chat.State {
    /// The disk answers what was asked of it for somebody who has signed out.
    mutating func storedAfterwards(
        _ answer: StorageAnswer<Chat.Record>, _ key: Chat.Key, _ attempt: Attempt, _ step: inout Chat.Step
    ) {
        guard let index = departed.firstIndex(where: { $0.account.user == key.user }) else { return }
        departed[index].stored(answer, key, attempt, &step)
        departed.removeAll { $0.isStored }
    }

    /// Whatever the system does to the process from here on: what a disk has refused is tried again.
    mutating func saveDeparted(_ step: inout Chat.Step) {
        for index in departed.indices { departed[index].save(again: true, &step) }
        departed.removeAll { $0.isStored }
    }

    /// Restores the main conversation, and beside it those in which the disk has yet to take something.
    mutating func comeBack(_ account: Account, _ step: inout Chat.Step) {
        let left = departed.first { $0.account.user == account.user }
        departed.removeAll { $0.account.user == account.user }
        var ids = [ConversationID.main]
        for unstored in left?.unstored ?? [] where unstored.id != .main { ids.append(unstored.id) }
        places = ids.map { id in
            var conversation = Chat.Conversation(
                id: id, seed: step.context.entropy.next(), configuration: step.configuration)
            if id != .main { conversation.viewport = .away(unread: 0, wasAtEnd: true) }
            if let unstored = left?.unstored.first(where: { $0.id == id }) {
                conversation.goOn(from: unstored)
            }
            return Boxed(wrappedValue: conversation)
        }
        current = 0
        if var list = left?.list {
            list.record.readsAgain(evenIfOpen: true)
            list.record.stopsWaiting()
            shared.list = list
        }
        atEach(&step) { $0.comeBack(account, &$1, &$2) }
        step.follow(&shared.list.record, .listSave)
    }
}

extension Chat.Conversation {
    fileprivate mutating func goOn(from unstored: Chat.Unstored) {
        outbox = unstored.outbox
        draft = unstored.draft
        banner = unstored.banner
        outbox.record.readsAgain()
        draft.record.readsAgain()
        outbox.record.retry()
        draft.record.retry()
    }

    /// Has loaded what is not here, and saved what is not stored.
    fileprivate mutating func comeBack(
        _ account: Account, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        load(for: account, &step)
        saveOutbox(&shared, &step)
        // Else it is loaded once the outbox has been.
        if outbox.record.mayBeSaved { loadDraft(&shared, &step) }
        saveDraft(&shared, &step)
        step.follow(&draft.record, .draftLimit(id))
    }
}
