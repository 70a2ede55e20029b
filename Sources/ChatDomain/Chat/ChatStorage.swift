// What outlives the process (L5, C6, C7, P10): the draft, the outbox, and the transcript in pages. All of it is
// loaded when somebody signs in, and nothing is saved over what has not been loaded. What a load brings never
// overwrites what the person or the network has brought since.

extension Chat {
    // MARK: Signing in and out

    func signIn(_ state: inout State, _ account: Account, _ context: inout Context) -> [Effect] {
        guard state.account?.user != account.user else {
            state.account = account  // a new token reaches the next connection (S9)
            return []
        }
        let left = state.account == nil ? [] : signOut(&state, &context)
        state.account = account
        state.isRestored = false
        state.conversation = Conversation(
            id: .main, seed: context.entropy.next(), configuration: configuration)
        let (outbox, contents) = (context.nextAttempt(), context.nextAttempt())
        state.conversation.outbox.storage = .loading(outbox)
        state.conversation.transcript.pages.storage = .loadingContents(contents)
        return left + [
            .start(.restoring, after: configuration.storageLimit),
            .load(.outbox(account.user, state.conversation.id), outbox),
            .load(.contents(account.user, state.conversation.id), contents),
        ]
    }

    /// Nothing of this person stays in memory; all of it stays stored under their name (P10).
    func signOut(_ state: inout State, _ context: inout Context) -> [Effect] {
        let effects =
            disconnect(&state) + saveAll(&state, &context)
            + state.conversation.awaitingReply.map { .cancel(.reply($0)) }
            + state.conversation.draft.copies.map { .cancel(.copying($0.id)) }
            + [.cancel(.restoring), .cancel(.outboxSave), .cancel(.draftSave), .cancel(.background)]
        var fresh = State(configuration: configuration)
        fresh.isShown = state.isShown
        fresh.isNetworkUp = state.isNetworkUp
        fresh.presence = state.presence
        fresh.authentications = state.authentications
        state = fresh
        return effects
    }

    // MARK: Answers

    func stored(
        _ state: inout State, _ answer: StorageAnswer<Record>, _ key: Key, _ attempt: Attempt,
        _ context: inout Context
    ) -> [Effect] {
        guard let account = state.account else { return [] }
        switch key {
        case .draft(account.user, state.conversation.id):
            return draftStored(&state, answer, attempt, &context)
        case .outbox(account.user, state.conversation.id):
            return outboxStored(&state, answer, attempt, &context)
        case .contents(account.user, state.conversation.id):
            return contentsStored(&state, answer, attempt, account, &context)
        case .page(account.user, state.conversation.id, let page):
            return pageStored(&state, answer, page, attempt, account, &context)
        case .attachment(account.user, let id):
            return attachmentStored(&state, answer, id, attempt, &context)
        case .draft, .outbox, .contents, .page, .attachment:
            return []
        }
    }

    // MARK: The draft

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
            .cancel(.draftSave),
            .save(
                .draft(text, attachments: attachments), under: .draft(account.user, conversation.id),
                context.nextAttempt()),
        ]
    }

    /// Saves all that is not stored yet, without waiting for what is being saved: the operations of one key
    /// are carried out in order.
    private func saveAll(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard let account = state.account else { return [] }
        let conversation = state.conversation
        var effects: [Effect] = []
        var draft = conversation.draft.text
        var attachments = conversation.draft.copied
        if case .loaded = conversation.outbox.storage {
            effects.append(
                .save(
                    .outbox(conversation.outbox.entries), under: .outbox(account.user, conversation.id),
                    context.nextAttempt()))
        } else {
            draft = conversation.draftWithUnsaved
            attachments = conversation.attachmentsWithUnsaved
        }
        if case .known = conversation.draft.storage {
            effects.append(
                .save(
                    .draft(draft, attachments: attachments), under: .draft(account.user, conversation.id),
                    context.nextAttempt()))
        }
        var newest = conversation.transcript.pages.dirty.last
        switch conversation.transcript.pages.storage {
        case .unknown, .loadingContents, .seekingPage, .unreadable: return effects
        case .savingPage(let page, _): newest = max(newest ?? page, page)
        case .idle, .loadingPage, .savingContents: break
        }
        guard let newest else { return effects }
        for page in conversation.transcript.pages.dirty.numbers {
            effects.append(
                .save(
                    .page(conversation.page(page)), under: .page(account.user, conversation.id, page),
                    context.nextAttempt()))
        }
        return effects + [
            .save(
                .contents(conversation.transcript.pages.contents(through: newest)),
                under: .contents(account.user, conversation.id), context.nextAttempt())
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
            state.banner = .notSaved(failure)
            state.conversation.draft.isDirty = true  // the next change, or leaving, saves it again
            return []
        }
        state.conversation.draft.storage = .known
        switch answer {
        case .loaded(.draft(let text, let attachments)): restoreDraft(&state, text, attachments)
        case .failed(let failure):
            state.banner = .notRestored(failure)
            // Only a damaged record was set aside, so saving overwrites nothing.
            if failure != .damaged { state.conversation.draft.storage = .unreadable }
        case .missing, .loaded, .saved, .erased: break
        }
        guard state.conversation.draft.isDirty else { return [] }
        return [.start(.draftSave, after: configuration.draftDelay)]
    }

    /// Puts the stored draft before what has been typed since (C6). If the process ended after the outbox
    /// had it as a message and before the draft was cleared, it is not shown twice (L6).
    private func restoreDraft(_ state: inout State, _ stored: ExactText, _ attachments: [Attachment]) {
        let isSent = state.conversation.outbox.queue.elements.contains {
            $0.entry.text == stored.trimmed && $0.entry.attachments.map { $0.id } == attachments.map { $0.id }
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

    // MARK: Restored

    func restoringTimedOut(_ state: inout State, _ context: inout Context) -> [Effect] {
        loadDraft(&state, &context) + restored(&state, &context)
    }

    /// Connects as soon as the outbox and the newest page are there. What comes later is brought in line
    /// all the same.
    func restoredSomething(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard !state.isRestored else { return bringInLine(&state, &context) + flush(&state, &context) }
        switch (state.conversation.outbox.storage, state.conversation.transcript.pages.storage) {
        case (.unknown, _), (.loading, _), (_, .unknown), (_, .loadingContents), (_, .seekingPage),
            (_, .loadingPage):
            return []
        default:
            return restored(&state, &context)
        }
    }

    private func restored(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard !state.isRestored else { return [] }
        state.isRestored = true
        return [.cancel(.restoring)] + bringInLine(&state, &context) + connectIfWanted(&state, &context)
    }

    /// Brings what the last run left in line: what the outbox holds will be sent again, what the server had
    /// accepted still waits for its reply, and what is neither is shown as unanswered.
    private func bringInLine(_ state: inout State, _ context: inout Context) -> [Effect] {
        var effects: [Effect] = []
        var unanswered: [ClientID] = []
        for row in state.conversation.transcript.rows {
            if row.value.role == .assistant { unanswered = [] }
            guard let client = row.value.client, let status = row.value.status else { continue }
            let isQueued = state.conversation.outbox.queue.elements.contains { $0.id == client }
            switch status {
            case .queued, .uploading, .sending, .slow:
                guard state.conversation.outbox.clientInFlight != client else { continue }
                state.setStatus(of: client, to: isQueued ? .queued : .failed(.noReply))
            case .accepted, .delivered:
                unanswered.append(client)
            case .failed:
                break
            }
            if case .failed(.rejected) = status { continue }
            if row.value.id == nil { state.conversation.expectEcho(of: client) }
        }
        // What the server has and nobody has answered still waits for its reply (C12, L3).
        for client in unanswered { effects += awaitReply(&state, client) }
        return effects + settleQueue(&state, &context)
    }

    /// Takes out of the outbox what the transcript says the server has, and gives what may have been on a
    /// wire a row again, so that its echo finds it (L6).
    private func settleQueue(_ state: inout State, _ context: inout Context) -> [Effect] {
        var effects: [Effect] = []
        for outgoing in state.conversation.outbox.queue.elements {
            if let old = outgoing.entry.replaces, let row = state.conversation.transcript.ordinal(of: old) {
                state.conversation.transcript.rename(row, outgoing.id)
                state.setStatus(of: outgoing.id, to: .queued)
            }
            if outgoing.entry.wasSent {
                state.conversation.adopt(outgoing.id, LongText(outgoing.entry.text.string))
            }
            guard let ordinal = state.conversation.transcript.ordinal(of: outgoing.id) else {
                if outgoing.entry.wasSent { giveRow(&state, outgoing.entry, .queued) }
                continue
            }
            if state.conversation.transcript[ordinal]?.isHidden == true {
                effects += dequeue(&state, outgoing.id, &context)
                continue
            }
            switch state.conversation.transcript[ordinal]?.status {
            case .accepted, .delivered, .failed(.rejected), nil:
                effects += dequeue(&state, outgoing.id, &context)
            case .queued, .uploading, .sending, .slow, .failed: break
            }
        }
        return effects
    }
}

extension Chat.Draft {
    /// The files whose bytes are stored.
    fileprivate var copied: [Attachment] {
        attachments.filter { attachment in !copies.contains { $0.id == attachment.id } }
    }
}

extension Chat.Conversation {
    /// The files of the draft after those of what was sent and could not be saved.
    fileprivate var attachmentsWithUnsaved: [Attachment] {
        outbox.queue.elements
            .filter { outbox.saves.durability(of: $0.revision) != .durable }
            .flatMap { $0.entry.attachments.map { $0.atRest } } + draft.copied
    }

    /// The draft after what was sent and could not be saved.
    fileprivate var draftWithUnsaved: ExactText {
        var lines = outbox.queue.elements
            .filter { outbox.saves.durability(of: $0.revision) != .durable }
            .map { $0.entry.text.string }
        if !draft.text.isEmpty { lines.append(draft.text.string) }
        return ExactText(lines.joined(separator: "\n"))
    }

    /// From here on an echo with the text of this message may mean it (C10).
    mutating func expectEcho(of client: ClientID) {
        guard !unresolved.contains(client) else { return }
        // A server that never echoes leaves them here for good, so the oldest is forgotten (SPEC section 8).
        if unresolved.count >= 1_000 { unresolved.removeFirst() }
        unresolved.append(client)
    }

    /// From here on a message that is loaded, was sent and has this text may be the one that was echoed.
    mutating func expectOriginal(of id: MessageID) {
        if strays.count >= 1_000 { strays.removeFirst() }
        strays.append(id)
    }

    /// Gives an echo that matched nothing the message that has now been loaded, the oldest with its text.
    mutating func adopt(_ client: ClientID, _ text: LongText) {
        guard !strays.isEmpty, transcript.ordinal(of: client) == nil else { return }
        let found = strays.firstIndex { id in
            transcript.ordinal(of: id).flatMap { transcript[$0]?.body } == .text(text)
        }
        guard let found, let ordinal = transcript.ordinal(of: strays.remove(at: found)) else { return }
        transcript.name(ordinal, client)
    }

    /// Whether a row stands behind the one at which the cursor points, so that the cursor may move on.
    func isBehindCursor(_ ordinal: @autoclosure () -> Int64?) -> Bool {
        guard let cursor else { return true }
        // Mostly the cursor is at the newest row: then nothing is behind it, and no name need be looked up.
        if transcript.isNewest(cursor) { return false }
        guard let current = transcript.ordinal(of: cursor) else { return true }
        return ordinal().map { $0 > current } ?? false
    }
}
