// The unsaved data of people who have signed out (P10, L5). Its records continue by the rules of `KeptRecord`, without
// a chat around them and without timers, because no screen shows them. Start with `Departed.save`. A sign-in before the
// end of the saves resumes from here.

extension Chat {
    /// The unsaved data of one person who has signed out.
    package struct Departed: DomainValue {
        package let account: Account
        /// The conversations; the stored list may lack some of them.
        var list: ConversationList
        /// The conversation that was shown.
        let current: ConversationID
        /// The conversations with unsaved data.
        var unstored: [Unstored]

        /// Whether everything is stored.
        var isStored: Bool { unstored.isEmpty && list.record.isClean }
    }

    /// The unsaved data of one conversation.
    struct Unstored: DomainValue {
        var id: ConversationID
        var outbox: Outbox
        var draft: Draft
        /// The deleted messages that a page in storage may still show. They come back as hidden rows (C13).
        var deleted: [Message]
        /// The notice for the next sign-in.
        var banner: Banner?

        /// Takes what is unsaved; `nil` if everything is stored.
        init?(of conversation: Conversation) {
            id = conversation.id
            outbox = conversation.outbox.atRest
            draft = conversation.draft
            deleted = conversation.isStoredAsFormer ? conversation.transcript.deleted : []
            banner = conversation.banner
            if !draft.isCopied { draft.isDirty = true }  // the stored draft names files that leave no bytes
            draft.attachments = draft.copied
            (draft.copies, draft.isTimed) = ([], false)
            outbox.record.stopsWaiting()
            draft.record.stopsWaiting()
            if isStored { return nil }
            // The outbox was too slow to load, so the draft was loaded first and takes the messages.
            if !outbox.record.mayBeSaved, draft.record.mayBeSaved { _ = outbox.record.givesUp() }
        }

        /// Whether everything is stored; a new conversation first waits for the list that names it.
        var isStored: Bool {
            if case .gated = outbox.record.access { return false }
            return outbox.record.isClean && draft.record.isClean && !draft.isDirty && deleted.isEmpty
        }
    }
}

extension Chat.Unstored {
    /// Starts the saves that are allowed now; `again` includes those that the disk has refused.
    fileprivate mutating func save(of user: UserID, again: Bool, _ step: inout Chat.Step) {
        if again {
            outbox.record.retry()
            draft.record.retry()
        }
        if case .closed = outbox.record.access { _ = outbox.record.givesUp() }
        // A message that only memory holds cannot be sent now, so it returns to the draft (C7).
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
            guard outbox.record.ended(attempt, succeeded: answer == .saved) != nil else { return }
            if draft.holdsUnsaved { draft.isDirty = true }
        case .draft(_, id):
            guard !draft.loaded(answer, attempt, beside: outbox) else { break }
            guard draft.record.ended(attempt, succeeded: answer == .saved) != nil else { return }
        default: return
        }
        if let failure = answer.failure { banner = .notSaved(failure) }
    }
}

extension Chat.Departed {
    /// Starts the saves that are allowed now, and drops what is stored.
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
    /// Applies an answer of storage for a person who has signed out.
    mutating func storedAfterwards(
        _ answer: StorageAnswer<Chat.Record>, _ key: Chat.Key, _ attempt: Attempt, _ step: inout Chat.Step
    ) {
        guard let index = departed.firstIndex(where: { $0.account.user == key.user }) else { return }
        departed[index].stored(answer, key, attempt, &step)
        departed.removeAll { $0.isStored }
    }

    /// Repeats the refused saves, because the system may end the process at any time.
    mutating func saveDeparted(_ step: inout Chat.Step) {
        for index in departed.indices { departed[index].save(again: true, &step) }
        departed.removeAll { $0.isStored }
    }

    /// Restores the conversations of the list, with the data from before the sign-out that is still unsaved. The stored
    /// list may lack some of them, or come late.
    mutating func comeBack(_ account: Account, _ step: inout Chat.Step) {
        let left = departed.first { $0.account.user == account.user }
        departed.removeAll { $0.account.user == account.user }
        if var list = left?.list {
            list.record.readsAgain(evenIfOpen: true)
            list.record.stopsWaiting()
            list.record.retry()
            shared.list = list
        }
        places = shared.list.entries.map { entry in
            var conversation = Chat.Conversation(
                id: entry.id, seed: step.context.entropy.next(), configuration: step.configuration)
            if entry.id != .main { conversation.viewport = .away(wasAtEnd: true) }
            if let unstored = left?.unstored.first(where: { $0.id == entry.id }) {
                conversation.goOn(from: unstored)
            }
            return Boxed(wrappedValue: conversation)
        }
        atEach(&step) { $0.comeBack(account, &$1, &$2) }
        step.follow(&shared.list.record, .listLimit)
    }
}

extension ChatTranscript {
    /// The deleted messages in memory, at most as many as are remembered by their ids (L8).
    fileprivate var deleted: [Message] {
        var deleted: [Message] = []
        for row in rows where row.value.wrappedValue.isHidden {
            if deleted.count == PageTable.hiddenLimit { deleted.removeFirst() }
            deleted.append(row.value.wrappedValue)
        }
        return deleted
    }
}

extension Chat.Conversation {
    /// Whether a sign-out leaves storage with other pages than those in memory: the contents are not loaded, or name a
    /// withdrawn history. On streams the server tells nothing again.
    fileprivate var isStoredAsFormer: Bool {
        stream == nil && (transcript.pages.record.access != .open || transcript.pages.isContentsStale)
    }

    fileprivate mutating func goOn(from unstored: Chat.Unstored) {
        outbox = unstored.outbox
        draft = unstored.draft
        banner = unstored.banner
        for message in unstored.deleted { transcript.insert(message) }
        outbox.record.readsAgain()
        draft.record.readsAgain()
        outbox.record.retry()
        draft.record.retry()
    }

    /// Starts the loads and saves that are missing.
    fileprivate mutating func comeBack(
        _ account: Account, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        load(for: account, &step)
        saveOutbox(&shared, &step)
        // Otherwise the draft is loaded after the outbox.
        if outbox.record.mayBeSaved { loadDraft(&shared, &step) }
        saveDraft(&shared, &step)
    }
}
