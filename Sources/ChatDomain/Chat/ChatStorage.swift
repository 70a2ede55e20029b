// What outlives the process (L5, C6, C7, P10): the draft, the outbox, and the transcript in pages. All of it is
// loaded when somebody signs in, and nothing is saved over what has not been loaded. What a load brings never
// overwrites what the person or the network has brought since.

extension Chat {
    // MARK: Signing in

    func signIn(_ state: inout State, _ account: Account, _ context: inout Context) -> [Effect] {
        guard state.account?.user != account.user else {
            state.account = account  // a new token reaches the next connection (S9)
            return shareAccess(&state, &context)
        }
        let left = state.account == nil ? [] : signOut(&state, &context)
        state.account = account
        state.isRestored = false
        let begun = begin(&state, account, &context)
        let list = context.nextAttempt()
        state.list.storage = .loading(list)
        return left + [
            .start(.restoring, after: configuration.storageLimit),
            loadPacing(&state, of: account, &context),
            .load(.conversations(account.user), list),
        ] + begun
    }

    // MARK: Answers

    func stored(
        _ state: inout State, _ answer: StorageAnswer<Record>, _ key: Key, _ attempt: Attempt,
        _ context: inout Context
    ) -> [Effect] {
        guard let account = state.account, account.user == key.user else {
            return storedAfterwards(&state, answer, key, attempt, &context)
        }
        switch key {
        case .conversations: return listStored(&state, answer, attempt, &context)
        case .pacing: return pacingStored(&state, answer, attempt, &context)
        case .draft(_, let id):
            return at(id, &state, &context) { self.draftStored(&$0, answer, attempt, &$1) }
        case .outbox(_, let id):
            return at(id, &state, &context) { self.outboxStored(&$0, answer, attempt, &$1) }
        case .contents(_, let id):
            return at(id, &state, &context) { self.contentsStored(&$0, answer, attempt, account, &$1) }
        case .page(_, let id, let page):
            return at(id, &state, &context) { self.pageStored(&$0, answer, page, attempt, account, &$1) }
        case .attachment(_, let id):
            return at(state.home { $0.draft.isCopying(id) }, &state, &context) {
                self.attachmentStored(&$0, answer, id, attempt, &$1)
            }
        }
    }

    // MARK: Restored

    func restoringTimedOut(_ state: inout State, _ context: inout Context) -> [Effect] {
        let each = atEach(&state, &context) { state, context in
            let draft = self.loadDraft(&state, &context)
            guard !state.conversation.isRestored else { return draft }
            state.conversation.isRestored = true
            return draft + self.bringInLine(&state, &context)
        }
        // One that was heard of later is waited for by nobody but its own messages.
        guard !state.isRestored else { return each + flushAll(&state, &context) }
        state.isRestored = true
        return each + connectIfWanted(&state, &context)
    }

    /// Connects as soon as the outbox and the newest page are there. What comes later is brought in line
    /// all the same.
    func restoredSomething(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard !state.conversation.isRestored else {
            return bringInLine(&state, isFirst: false, &context) + flush(&state, &context)
        }
        switch (state.conversation.outbox.storage, state.conversation.transcript.pages.storage) {
        case (.unknown, _), (.loading, _), (_, .unknown), (_, .loadingContents), (_, .seekingPage),
            (_, .loadingPage):
            return []
        default:
            state.conversation.isRestored = true
            let inLine = bringInLine(&state, &context)
            guard state.isRestored else { return inLine + restoredAll(&state, &context) }
            let isLast = state.conversations.allSatisfy { $0.isRestored }
            return inLine + (isLast ? [.cancel(.restoring)] : []) + flush(&state, &context)
        }
    }

    /// Connects as soon as every conversation is there, because each has a cursor of its own, and as soon as it
    /// is known when connecting is allowed.
    func restoredAll(_ state: inout State, _ context: inout Context) -> [Effect] {
        switch (state.list.storage, state.pacing) {
        case (.unknown, _), (.loading, _), (_, .unknown), (_, .loading): return []
        case (.loaded, .known), (.loaded, .unreadable), (.unreadable, .known), (.unreadable, .unreadable):
            break
        }
        guard !state.isRestored, state.conversation.isRestored, state.parked.allSatisfy({ $0.isRestored })
        else { return [] }
        state.isRestored = true
        return [.cancel(.restoring)] + connectIfWanted(&state, &context)
    }

    /// Brings what the last run left in line: what the outbox holds will be sent again, what the server had
    /// accepted still waits for its reply, and what is neither is shown as unanswered.
    private func bringInLine(
        _ state: inout State, isFirst: Bool = true, _ context: inout Context
    ) -> [Effect] {
        guard state.conversation.stream == nil else {
            return bringAskedInLine(&state, isFirst: isFirst, &context)
        }
        var effects: [Effect] = []
        var unanswered: [(client: ClientID, isAccepted: Bool)] = []
        for row in state.conversation.transcript.rows {
            // A message that is only accepted has no reply, or it would be delivered: what stands behind it
            // answers another, or this one before it went again.
            if row.value.role == .assistant { unanswered.removeAll { !$0.isAccepted } }
            guard let client = row.value.client, let status = row.value.status else { continue }
            state.conversation.expectEchoes(again: row.value)
            let isQueued = state.conversation.outbox.queue.elements.contains { $0.id == client }
            switch status {
            case .queued, .uploading, .sending, .slow:
                guard state.conversation.outbox.clientInFlight != client else { continue }
                state.setStatus(of: client, to: isQueued ? .queued : .failed(.noReply))
            case .accepted, .delivered:
                unanswered.append((client, isAccepted: status == .accepted))
            case .failed:
                break
            }
            if case .failed(.rejected) = status { continue }
            if row.value.id == nil { state.conversation.expectEcho(of: client) }
        }
        // What the server has and nobody has answered still waits for its reply (C12, L3); but what is looked up
        // later has waited long enough, or was stopped.
        if isFirst {
            for (client, _) in unanswered { effects += awaitReply(&state, client) }
        } else {
            // Nobody waits for what is still accepted, and its reply would find nobody (L3).
            for (client, isAccepted) in unanswered where isAccepted {
                guard !state.conversation.awaitingReply.contains(client) else { continue }
                let isUnwanted = state.conversation.isReplyUnwanted(client)
                state.setStatus(of: client, to: isUnwanted ? .delivered : .failed(.noReply))
            }
        }
        return effects + settleQueue(&state, &context)
    }

    /// Takes out of the outbox what the transcript says the server has, and gives what may have been on a
    /// wire a row again, so that its echo finds it (L6).
    private func settleQueue(_ state: inout State, _ context: inout Context) -> [Effect] {
        var effects: [Effect] = []
        for outgoing in state.conversation.outbox.queue.elements {
            if let old = outgoing.entry.replaces, let row = state.conversation.transcript.ordinal(of: old) {
                // It may have got a row of its own because this one was not loaded yet.
                if let later = state.conversation.transcript.ordinal(of: outgoing.id), later != row {
                    state.conversation.transcript.remove(later)
                }
                state.conversation.transcript.rename(row, outgoing.id)
                state.conversation.rememberCopies(row, of: old, and: outgoing.id)
                state.setStatus(of: outgoing.id, to: .queued)
                // What it says of its reply is of the first sending, as long as its page was not saved since.
                _ = state.conversation.stopAwaiting(old)
                state.conversation.setReplyUnwanted(false, outgoing.id)
                effects.append(.cancel(.reply(old)))
            }
            if let old = outgoing.entry.replaces { state.conversation.expectFirstEcho(old, of: outgoing.id) }
            if outgoing.entry.wasSent {
                state.conversation.adoptEcho(outgoing.id, LongText(outgoing.entry.text.string))
                if outgoing.revision == .loaded, state.conversation.transcript.pages.isWhole {
                    _ = state.conversation.joinEcho(outgoing.id)
                }
            }
            guard let ordinal = state.conversation.transcript.ordinal(of: outgoing.id) else {
                if outgoing.entry.wasSent { giveRow(&state, outgoing.entry, .queued) }
                continue
            }
            if state.conversation.transcript[ordinal]?.isHidden == true {
                effects += discard(&state, outgoing, &context) + dequeue(&state, outgoing.id, &context)
                continue
            }
            switch state.conversation.transcript[ordinal]?.status {
            case .accepted, .delivered, .failed(.rejected), nil:
                effects += partFromRow(&state, outgoing.id, &context)
                effects += dequeue(&state, outgoing.id, &context)
            case .queued, .uploading, .sending, .slow, .failed: break
            }
        }
        return effects
    }

    /// The person gave a message other words before it was known that the server has it, because a disk that failed
    /// had not taken that down: they are another message then (C13, L5).
    func partFromRow(_ state: inout State, _ client: ClientID, _ context: inout Context) -> [Effect] {
        guard let outgoing = state.conversation.outbox.queue.waiting.first(where: { $0.id == client }),
            !outgoing.entry.wasSent, let row = state.conversation.transcript.ordinal(of: client),
            case .text(let text) = state.conversation.transcript[row]?.body,
            text.string != outgoing.entry.text.string
        else { return [] }
        return dequeue(&state, client, &context)
            + enqueue(&state, outgoing.entry.text, outgoing.entry.attachments, &context)
    }
}

extension Chat.Conversation {
    /// Whether a row stands behind the one at which the cursor points, so that the cursor may move on.
    func isBehindCursor(_ ordinal: @autoclosure () -> Int64?) -> Bool {
        guard let cursor else { return true }
        // Mostly the cursor is at the newest row: then nothing is behind it, and no name need be looked up.
        if transcript.isNewest(cursor) { return false }
        guard let current = transcript.ordinal(of: cursor) else { return true }
        return ordinal().map { $0 > current } ?? false
    }
}
