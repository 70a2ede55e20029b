// Sign-in loads every stored record (L5, C6, P10). No record is saved before it is loaded, and a load overwrites
// nothing newer. Start with `signIn`; the file of each record applies its answers.

extension Chat.State {
    // MARK: Signing in

    mutating func signIn(_ account: Account, _ step: inout Chat.Step) {
        guard self.account?.user != account.user else {
            shared.wish.account = account  // the next connection uses the new token (S9)
            return shareAccess(&step)
        }
        if self.account != nil { signOut(&step) }
        shared.wish.account = account
        shared.wish.isRestored = false
        step.add(.start(.restoring, after: step.configuration.storageLimit))
        step.load(&shared.pacing, .pacing(account.user))
        comeBack(account, &step)
        step.load(&shared.list.record, .conversations(account.user))
    }

    // MARK: Answers

    mutating func stored(
        _ answer: StorageAnswer<Chat.Record>, _ key: Chat.Key, _ attempt: Attempt, _ step: inout Chat.Step
    ) {
        guard account?.user == key.user else { return storedAfterwards(answer, key, attempt, &step) }
        switch key {
        case .conversations: listStored(answer, attempt, &step)
        case .pacing: pacingStored(answer, attempt, &step)
        case .draft(_, let id): at(index(of: id), &step) { $0.draftStored(answer, attempt, &$1, &$2) }
        case .outbox(_, let id): at(index(of: id), &step) { $0.outboxStored(answer, attempt, &$1, &$2) }
        case .contents(_, let id): at(index(of: id), &step) { $0.contentsStored(answer, attempt, &$1, &$2) }
        case .page(_, let id, let page):
            at(index(of: id), &step) { $0.pageStored(answer, page, attempt, &$1, &$2) }
        case .attachment(_, let id):
            at(index { $0.draft.isCopying(id) }, &step) { $0.attachmentStored(answer, id, attempt, &$1, &$2) }
        }
    }

    // MARK: Restored

    /// Ends the wait for storage. A conversation that was added later delays only its own messages.
    mutating func restoringTimedOut(_ step: inout Chat.Step) {
        atEach(&step) { conversation, shared, step in
            conversation.loadDraft(&shared, &step)
            guard !conversation.isRestored else { return }
            conversation.isRestored = true
            conversation.bringInLine(isFirst: true, &shared, &step)
        }
        guard !shared.wish.isRestored else { return flushAll(&step) }
        shared.wish.isRestored = true
        connectIfWanted(&step)
    }

    /// Continues after one conversation is restored.
    mutating func restoredSome(_ step: inout Chat.Step) {
        guard shared.wish.isRestored else { return restoredAll(&step) }
        if isEachRestored { step.add(.cancel(.restoring)) }
        flushAll(&step)
    }

    /// Connects once all cursors and the limits of connecting are known.
    mutating func restoredAll(_ step: inout Chat.Step) {
        guard !shared.wish.isRestored, shared.list.record.isRead, shared.pacing.isRead, isEachRestored else {
            return
        }
        shared.wish.isRestored = true
        step.add(.cancel(.restoring))
        connectIfWanted(&step)
    }

    private var isEachRestored: Bool { places.allSatisfy { $0.wrappedValue.isRestored } }
}

extension Chat.Conversation {
    /// Starts the loads of the outbox and the transcript.
    mutating func load(for account: Account, _ step: inout Chat.Step) {
        step.load(&outbox.record, .outbox(account.user, id))
        step.load(&transcript.pages.record, .contents(account.user, id))
    }

    /// Continues after a load of these rows, or of another record. The outbox and the newest page restore the
    /// conversation; later pages are reconciled alone.
    mutating func restoredSomething(
        loaded: Range<Int64>? = nil, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        guard !isRestored else {
            bringInLine(isFirst: false, in: loaded, &shared, &step)
            return flush(&shared, &step)
        }
        guard outbox.record.isRead, transcript.pages.record.isRead else { return }
        if case .loading = transcript.pages.work { return }
        // An unreadable page brings no rows, and would be loaded again and again.
        guard loaded?.isEmpty == true || !looksForSent() else { return }
        isRestored = true
        bringInLine(isFirst: true, &shared, &step)
        step.ask(.restored)
    }
}
