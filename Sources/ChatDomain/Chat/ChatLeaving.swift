// Leaving (P10, L5). Nothing of the person stays on the screen, and all of it stays stored under their name. What they
// have written and the disk does not have yet, because it is slow to bring what that belongs behind or has refused it,
// is kept beside the state. There the same steps go on with it that would save it if the person were here without a
// network, as the disk answers; and who comes back before that is done goes on where they were.

extension Chat {
    /// What somebody who has left has written and the disk does not have yet.
    public struct Departed: DomainValue {
        /// Who has left.
        public let account: Account
        /// Their conversations as a list, which may name one that the stored list does not name yet.
        var list: ConversationList
        /// The conversations of which something is not stored: what waits to go, and what stands in the composer.
        var conversations: [Conversation]

        /// Whether the disk has all of it.
        var isStored: Bool { conversations.isEmpty && list.saves.isClean }
    }

    /// Of how many people the disk may have refused what they wrote (L8): more could only leave one after the other while
    /// it takes nothing at all.
    private static var departedLimit: Int { 8 }

    /// Nothing of this person stays in memory but what the disk has yet to take; all else stays stored under their
    /// name (P10).
    func signOut(_ state: inout State, _ context: inout Context) -> [Effect] {
        let isShown = state.isShown
        state.isShown = false  // so that the end of one question does not begin the next
        let effects =
            disconnect(&state, &context) + saveUnsavedList(&state, &context)
            + atEach(&state, &context) { self.signOutOfConversation(&$0, &$1) }
            + [.cancel(.restoring), .cancel(.listSave), .cancel(.background), .cancel(.uploadsAllowed)]
        var fresh = State(configuration: configuration)
        fresh.isShown = isShown
        fresh.isNetworkUp = state.isNetworkUp
        fresh.presence = state.presence
        fresh.authentications = state.authentications
        fresh.departed = state.departed
        if let account = state.account {
            let departed = Departed(
                account: account, list: state.list,
                conversations: state.conversations.filter { $0.hasUnstored }.map { $0.left(configuration) })
            if !departed.isStored {
                fresh.departed = fresh.departed.suffix(Chat.departedLimit - 1) + [departed]
            }
        }
        state = fresh
        return effects
    }

    private func signOutOfConversation(_ state: inout State, _ context: inout Context) -> [Effect] {
        let conversation = state.conversation
        return saveWritten(&state, &context) + saveAllPages(&state, &context)
            + conversation.awaitingReply.map { .cancel(.reply($0)) }
            + conversation.draft.copies.map { .cancel(.copying($0.id)) }
            + [
                .cancel(.outboxSave(conversation.id)), .cancel(.draftSave(conversation.id)),
                .cancel(.draftLimit(conversation.id)), .cancel(.pageLimit(conversation.id)),
            ]
    }

    // MARK: Saving

    /// Saves what the person has written, without waiting for what is being saved: the operations of one key are carried
    /// out in order. The draft waits for the outbox all the same, as always.
    private func saveWritten(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard let account = state.account else { return [] }
        let attempt = context.nextAttempt()
        switch state.conversation.outbox.storage {
        case .unreadable:
            guard case .known = state.conversation.draft.storage, state.conversation.hasUnstored else {
                return []
            }
            let record = state.conversation.draftRecord(withUnsaved: true, &context)
            (state.conversation.draft.saving, state.conversation.draft.isDirty) = (attempt, false)
            return [.save(record, under: .draft(account.user, state.conversation.id), attempt)]
        case .unknown, .loading:
            // The draft was loaded without it: it is overdue, and the draft takes what can wait for it no longer.
            var effects: [Effect] = []
            if case .known = state.conversation.draft.storage {
                effects = outboxSaveTimedOut(&state, &context) + saveDraft(&state, &context)
            }
            state.conversation.outbox.saves.saveAll(under: attempt)  // as soon as it has been loaded
            return effects
        case .loaded, .unlisted:
            guard !state.conversation.outbox.saves.isClean else { return saveDraft(&state, &context) }
            state.conversation.outbox.saves.saveAll(under: attempt)
            let key = Key.outbox(account.user, state.conversation.id)
            return [.save(.outbox(state.conversation.outbox.entries), under: key, attempt)]
                + saveDraft(&state, &context)
        }
    }

    private func saveAllPages(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard let account = state.account else { return [] }
        var conversation = state.conversation
        var effects: [Effect] = []
        // Nobody hears any more what a bad disk has taken. Rows that have moved could be on no page then, so what is
        // stored stays; and the cursor stays in any case, so that all the rest is replayed (C5).
        if conversation.transcript.pages.mayLosePages {
            guard !conversation.transcript.pages.movesOn else { return effects }
            conversation.cursor = conversation.transcript.pages.storedCursor
        }
        switch conversation.transcript.pages.storage {
        case .unknown, .loadingContents, .seekingPage, .unreadable: return effects
        case .savingPage(let page, _, let cursor):
            effects += name(page, with: cursor, &conversation, account, &context)
        case .savingContents(let contents, _): conversation.transcript.pages.stored = contents
        case .idle, .loadingPage: break
        }
        while let page = conversation.transcript.pages.nextToSave {
            conversation.transcript.pages.beganSaving(page)
            let record = conversation.page(page)
            effects.append(
                .save(
                    .page(record), under: .page(account.user, conversation.id, page), context.nextAttempt()))
            effects += name(page, with: record.cursor, &conversation, account, &context)
        }
        return effects
    }

    /// Names a page in the contents right after it, as long as nothing that it has gained is gone elsewhere.
    private func name(
        _ page: Int64, with cursor: MessageID?, _ conversation: inout Conversation, _ account: Account,
        _ context: inout Context
    ) -> [Effect] {
        conversation.transcript.pages.saved(page, with: cursor, current: conversation.cursor)
        guard let contents = conversation.transcript.pages.contents(after: page) else { return [] }
        conversation.transcript.pages.stored = contents
        return [
            .save(
                .contents(contents), under: .contents(account.user, conversation.id), context.nextAttempt())
        ]
    }

    // MARK: Afterwards

    /// The disk answers what was asked of it for somebody who has left.
    func storedAfterwards(
        _ state: inout State, _ answer: StorageAnswer<Record>, _ key: Key, _ attempt: Attempt,
        _ context: inout Context
    ) -> [Effect] {
        guard let index = state.departed.firstIndex(where: { $0.account.user == key.user }) else { return [] }
        return atDeparted(index, &state, &context) { self.stored(&$0, answer, key, attempt, &$1) }
    }

    /// Whatever the system does to the process from here on: what a disk has refused is tried again.
    func saveDeparted(_ state: inout State, _ context: inout Context) -> [Effect] {
        var effects: [Effect] = []
        for index in state.departed.indices.reversed() {
            effects += atDeparted(index, &state, &context) { state, context in
                // What is with the disk stays there, so that no more of it piles up.
                let list = state.list.saves.isSaving ? [] : self.saveUnsavedList(&state, &context)
                return list
                    + self.atEach(&state, &context) { state, context in
                        guard !state.conversation.outbox.saves.isSaving,
                            state.conversation.draft.saving == nil
                        else { return [] }
                        return self.saveWritten(&state, &context)
                    }
            }
        }
        return effects
    }

    /// Applies a step to what somebody has left behind as if they were here, with nothing shown and no connection. Only
    /// the disk hears of it, and no timer runs: nothing is shown as under way, and what the disk never answers waits
    /// for the person.
    private func atDeparted(
        _ index: Int, _ state: inout State, _ context: inout Context,
        _ step: (inout State, inout Context) -> [Effect]
    ) -> [Effect] {
        var past = State(configuration: configuration)
        past.account = state.departed[index].account
        past.list = state.departed[index].list
        if let first = state.departed[index].conversations.first { past.conversation = first }
        past.parked = Array(state.departed[index].conversations.dropFirst())
        let effects = step(&past, &context)
        state.departed[index].list = past.list
        state.departed[index].conversations = past.conversations.filter { $0.hasUnstored }
        if state.departed[index].isStored { state.departed.remove(at: index) }
        return effects.filter { effect in
            switch effect {
            case .save, .erase, .load(.draft, _): true
            case .load, .open, .send, .close, .start, .cancel, .haptic: false
            }
        }
    }

    /// Nothing is to be stored of this person any more (P10).
    func forget(_ user: UserID, _ state: inout State) -> [Effect] {
        state.departed.removeAll { $0.account.user == user }
        return []
    }

    // MARK: Coming back

    /// Puts the conversation here that there always is, and beside it those in which this person has written what the
    /// disk does not have yet; and has loaded what is stored of them.
    func begin(_ state: inout State, _ account: Account, _ context: inout Context) -> [Effect] {
        let departed = state.departed.first { $0.account.user == account.user }
        state.departed.removeAll { $0.account.user == account.user }
        let left = departed?.conversations ?? []
        state.conversation = Conversation(
            id: .main, seed: context.entropy.next(), configuration: configuration
        ).goingOn(from: left.first { $0.id == .main })
        for other in left where other.id != .main {
            var parked = Conversation(
                id: other.id, seed: context.entropy.next(), configuration: configuration
            ).goingOn(from: other)
            parked.viewport = .away(unread: 0, wasAtEnd: true)
            state.parked.append(parked)
        }
        if let list = departed?.list { state.list = list }
        let listing: [Effect] =
            state.list.saves.isSaving ? [.start(.listSave, after: configuration.storageLimit)] : []
        return atEach(&state, &context) { self.goOn(&$0, account, &$1) } + listing
    }

    /// Has loaded what is not here, and saved what is not stored.
    private func goOn(_ state: inout State, _ account: Account, _ context: inout Context) -> [Effect] {
        state.conversation.draft.forgetAsked()
        var effects = state.conversation.load(for: account, &context)
        if state.conversation.outbox.saves.isSaving {
            effects.append(.start(.outboxSave(state.conversation.id), after: configuration.storageLimit))
        }
        // Else it is loaded once the outbox has been.
        if state.conversation.outbox.storage.mayBeSaved { effects += loadDraft(&state, &context) }
        return effects + saveDraft(&state, &context)
    }
}

extension Chat.Draft {
    /// What was asked of the disk when the person left is asked for again.
    fileprivate mutating func forgetAsked() {
        switch storage {
        case .loading, .unreadable: storage = .unknown
        case .unknown, .known: break
        }
        guard saving != nil else { return }
        (saving, isDirty) = (nil, true)
    }
}

extension Chat.Conversation {
    /// Whether the disk does not have all that the person has written here, or is not known to.
    fileprivate var hasUnstored: Bool { !outbox.saves.isClean || draft.isDirty || draft.saving != nil }

    /// What stays of it when the person leaves.
    fileprivate func left(_ configuration: Chat.Configuration) -> Chat.Conversation {
        var left = Chat.Conversation(id: id, seed: 0, configuration: configuration).goingOn(from: self)
        left.viewport = viewport
        // What has a row in the transcript is not given back to the composer.
        for entry in outbox.all.map({ $0.entry }) where transcript.ordinal(of: entry.client) != nil {
            left.transcript.insert(
                Message(
                    client: entry.client, role: .user, body: .text(LongText(entry.text.string)),
                    time: entry.written, status: .queued))
        }
        return left
    }

    /// The same with what was written in another that is not stored yet.
    fileprivate func goingOn(from other: Chat.Conversation?) -> Chat.Conversation {
        guard let other else { return self }
        var next = self
        next.outbox = other.outbox.atRest
        next.draft = other.draft
        next.draft.attachments = other.draft.copied
        next.draft.copies = []
        next.renamed = other.renamed
        next.banner = other.banner
        return next
    }
}
