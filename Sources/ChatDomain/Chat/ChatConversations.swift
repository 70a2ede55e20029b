// Several conversations (C19). Every step of chat works on `state.conversation`; one that concerns another
// conversation puts that one there for its length. So no step can reach from one conversation into another,
// and what is outside this file reads as if there were only one.

extension Chat.State {
    /// The first conversation for which something holds, beginning with the one that the person looks at.
    func home(where holds: (Chat.Conversation) -> Bool) -> ConversationID? {
        if holds(conversation) { return conversation.id }
        return parked.first(where: holds)?.id
    }

    /// The conversation in which a message was written. One that waits for its reply is there also when its row is
    /// not, because the history was withdrawn.
    func home(of client: ClientID) -> ConversationID? {
        home { $0.transcript.ordinal(of: client) != nil || $0.outbox.contains(client) }
            ?? home { $0.awaitingReply.contains(client) }
    }

    /// The conversation in which a reply grows, or has grown. Where there are several, none is guessed: a reply
    /// whose beginning was not accepted is shown when it is complete (SPEC section 8).
    func home(ofReply id: MessageID) -> ConversationID? {
        home { $0.growing.contains { $0.id == id } }
            ?? home { $0.transcript.ordinal(of: id) != nil } ?? (parked.isEmpty ? .main : nil)
    }

    /// The conversation of a reply that failed. One that nobody has seen anything of belongs where a reply is waited
    /// for, if that is one place.
    func home(ofFailed id: MessageID) -> ConversationID? {
        if let home = home(where: { $0.knows(id) }) { return home }
        let waiting = conversations.filter { !$0.awaitingReply.isEmpty }
        return waiting.count == 1 ? waiting[0].id : nil
    }

    /// Every conversation.
    var conversations: [Chat.Conversation] { [conversation] + parked }

    /// The last that was applied of each conversation, in the order of the list (C5).
    var cursors: [Chat.Cursor] {
        list.entries.compactMap { entry in
            let conversation = entry.id == conversation.id ? conversation : parked.first { $0.id == entry.id }
            return conversation?.cursor.map { Chat.Cursor(conversation: entry.id, last: $0) }
        }
    }

    /// What is stored of the list. Within a step another conversation may stand in the place of the one that
    /// the person looks at; that one alone is not away.
    fileprivate var listRecord: Chat.Record {
        let inView = conversations.first { conversation in
            if case .away = conversation.viewport { false } else { true }
        }
        return .conversations(list.entries, current: inView?.id ?? .main)
    }

    fileprivate mutating func exchange(_ index: Int) {
        swap(&conversation, &parked[index])
    }
}

extension Chat {
    // MARK: One of several

    /// Applies a step to one conversation, wherever the person looks.
    func at(
        _ id: ConversationID?, _ state: inout State, _ context: inout Context,
        _ step: (inout State, inout Context) -> [Effect]
    ) -> [Effect] {
        guard let id, state.conversation.id != id else { return id == nil ? [] : step(&state, &context) }
        guard let index = state.parked.firstIndex(where: { $0.id == id }) else { return [] }
        return atParked(index, &state, &context, step)
    }

    /// Applies a step to every conversation, beginning with the one that the person looks at.
    func atEach(
        _ state: inout State, _ context: inout Context, _ step: (inout State, inout Context) -> [Effect]
    ) -> [Effect] {
        var effects = step(&state, &context)
        for index in state.parked.indices { effects += atParked(index, &state, &context, step) }
        return effects
    }

    private func atParked(
        _ index: Int, _ state: inout State, _ context: inout Context,
        _ step: (inout State, inout Context) -> [Effect]
    ) -> [Effect] {
        state.exchange(index)
        let effects = step(&state, &context) + keep(&state, &context)
        state.exchange(index)
        return effects
    }

    /// Applies a step to the conversation in which something arrives. It begins here if nobody knew of it, and
    /// is listed again if it was closed.
    func hear(
        _ id: ConversationID, _ state: inout State, _ context: inout Context,
        _ step: (inout State, inout Context) -> [Effect]
    ) -> [Effect] {
        if state.conversation.id == id { return step(&state, &context) }
        var effects: [Effect] = []
        if let entry = state.list[id] {
            if entry.isClosed, state.list.setClosed(false, id) { effects = changeList(&state, &context) }
        } else {
            guard makeRoom(&state) else { return [] }
            effects = learn(ConversationEntry(id: id), &state, &context) + changeList(&state, &context)
        }
        return effects + at(id, &state, &context, step)
    }

    /// Sends what waits anywhere, the oldest first (C8).
    func flushAll(_ state: inout State, _ context: inout Context) -> [Effect] {
        var heads: [(written: WallTime, id: ConversationID)] = []
        for conversation in state.conversations {
            guard let head = conversation.outbox.queue.waiting.first else { continue }
            heads.append((head.entry.written, conversation.id))
        }
        heads.sort { $0.written != $1.written ? $0.written < $1.written : $0.id < $1.id }
        var effects: [Effect] = []
        for head in heads { effects += at(head.id, &state, &context) { self.flush(&$0, &$1) } }
        return effects
    }

    // MARK: What a person does

    func create(_ state: inout State, _ title: ExactText, _ context: inout Context) -> [Effect] {
        guard state.account != nil else { return [] }
        guard makeRoom(&state) else {
            state.conversation.banner = .tooManyConversations
            return []
        }
        let id = ConversationID("v_" + context.entropy.uuid())
        let title = title.withoutControlCharacters.trimmed.cut(toByteCount: configuration.titleLimit)
        state.list.append(ConversationEntry(id: id, title: title))
        var created = Conversation(id: id, seed: context.entropy.next(), configuration: configuration)
        let attempt = context.nextAttempt()
        let changed = state.list.saves.changed(attempt: attempt)
        created.begin(listedBy: changed.revision)
        state.parked.append(created)
        var effects = turn(to: id, &state, &context)
        if case .save = changed { effects += saveList(&state, attempt, &context) }
        return effects
    }

    func switchTo(_ state: inout State, _ id: ConversationID, _ context: inout Context) -> [Effect] {
        guard state.conversation.id != id, state.list[id] != nil else { return [] }
        _ = state.list.setClosed(false, id)
        return turn(to: id, &state, &context) + changeList(&state, &context)
    }

    /// Takes a conversation off the list; what is in it stays stored. Not while something of it is unsent,
    /// which nobody would see then (L5).
    func close(_ state: inout State, _ id: ConversationID, _ context: inout Context) -> [Effect] {
        guard id != .main, state.list[id]?.isClosed == false,
            let closed = state.conversations.first(where: { $0.id == id })
        else { return [] }
        guard !closed.mayHaveUnsent, !closed.showsUnsent else {
            // Before it is loaded nobody knows, and the person may ask once more.
            if closed.hasUnsent || closed.showsUnsent { state.conversation.banner = .conversationHasUnsent }
            return []
        }
        let left = at(id, &state, &context) { self.toStream(&$0, .left, &$1) }
        _ = state.list.setClosed(true, id)
        let turned = state.conversation.id == id ? turn(to: .main, &state, &context) : []
        return left + turned + changeList(&state, &context)
    }

    /// From here on the person looks at another conversation. What goes on in the one that they left goes on
    /// there.
    private func turn(to id: ConversationID, _ state: inout State, _ context: inout Context) -> [Effect] {
        guard let index = state.parked.firstIndex(where: { $0.id == id }) else { return [] }
        let left = stopTyping(&state) + saveDraft(&state, &context) + keep(&state, &context)
        state.conversation.viewport = state.conversation.viewport.left
        state.exchange(index)
        state.conversation.viewport = state.conversation.viewport.entered
        return left
    }

    /// Whether there is room for one more conversation. At the limit the oldest that is closed is forgotten, but
    /// for one with something unsent; its records stay, and come back with it when it speaks again.
    private func makeRoom(_ state: inout State) -> Bool {
        guard Int64(state.list.entries.count) >= configuration.conversationLimit else { return true }
        let forgettable = state.list.entries.first { entry in
            entry.isClosed
                && !state.conversations.contains {
                    $0.id == entry.id && ($0.mayHaveUnsent || $0.showsUnsent)
                }
        }
        guard let closed = forgettable else { return false }
        state.list.remove(closed.id)
        state.parked.removeAll { $0.id == closed.id }
        return true
    }

    // MARK: The list

    /// Puts a conversation beside the others that was not begun here; what is stored of it is loaded.
    private func learn(
        _ entry: ConversationEntry, _ state: inout State, _ context: inout Context
    ) -> [Effect] {
        guard let account = state.account else { return [] }
        if state.list[entry.id] == nil { state.list.append(entry) }
        var learned = Conversation(
            id: entry.id, seed: context.entropy.next(), configuration: configuration)
        learned.viewport = .away(unread: 0, wasAtEnd: true)
        let effects = learned.load(for: account, &context)
        state.parked.append(learned)
        // Before that the limit runs which holds for all of them; a disk that says nothing holds up none (L3).
        guard state.isRestored else { return effects }
        return effects + [.start(.restoring, after: configuration.storageLimit)]
    }

    /// Sees to it that the list is saved.
    func changeList(_ state: inout State, _ context: inout Context) -> [Effect] {
        let attempt = context.nextAttempt()
        guard case .save = state.list.saves.changed(attempt: attempt) else { return [] }
        return saveList(&state, attempt, &context)
    }

    private func saveList(
        _ state: inout State, _ attempt: Attempt, _ context: inout Context
    ) -> [Effect] {
        guard let account = state.account else { return [] }
        let limit = Effect.start(.listSave, after: configuration.storageLimit)
        switch state.list.storage {
        case .unknown, .loading: return [limit]  // saved as soon as what is stored has been loaded
        case .unreadable(let failure): return listSaved(&state, .failed(failure), attempt, &context)
        case .loaded: return [.save(state.listRecord, under: .conversations(account.user), attempt), limit]
        }
    }

    func listStored(
        _ state: inout State, _ answer: StorageAnswer<Record>, _ attempt: Attempt, _ context: inout Context
    ) -> [Effect] {
        guard case .loading(attempt) = state.list.storage else {
            return listSaved(&state, answer, attempt, &context)
        }
        var effects: [Effect] = []
        switch answer {
        case .loaded(.conversations(let stored, let current)):
            state.list.storage = .loaded
            state.list.restore(stored)
            for entry in state.list.entries where !state.conversations.contains(where: { $0.id == entry.id })
            {
                effects += learn(entry, &state, &context)
            }
            // Unless the person has already begun to look around or to write.
            if state.conversation.id == .main, !state.conversation.hasUnsent,
                state.list[current]?.isClosed == false
            {
                effects += turn(to: current, &state, &context)
            }
        case .failed(let failure):
            // Only a damaged record was set aside, so that saving overwrites nothing.
            state.list.storage = failure == .damaged ? .loaded : .unreadable(failure)
            state.conversation.banner = .notRestored(failure)
        case .missing, .loaded, .saved, .erased: state.list.storage = .loaded
        }
        if let waiting = state.list.saves.current {
            effects += saveList(&state, waiting, &context)
        }
        return effects + restoredAll(&state, &context)
    }

    private func listSaved(
        _ state: inout State, _ answer: StorageAnswer<Record>, _ attempt: Attempt, _ context: inout Context
    ) -> [Effect] {
        let next = context.nextAttempt()
        switch state.list.saves.ended(attempt, succeeded: answer == .saved, next: next) {
        case .unknown: return []
        case .durable(_, savesAgain: true):
            return saveList(&state, next, &context) + listed(&state, &context)
        case .durable(_, savesAgain: false):
            return [.cancel(.listSave)] + listed(&state, &context)
        case .failed(_, let savesAgain):
            if case .failed(let failure) = answer { state.conversation.banner = .notSaved(failure) }
            guard !savesAgain else { return saveList(&state, next, &context) }
            return [.cancel(.listSave)] + notListed(&state, answer, &context)
        }
    }

    func listSaveTimedOut(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard let attempt = state.list.saves.current else { return [] }
        return listSaved(&state, .failed(.unavailable), attempt, &context)
    }

    /// Saves the list once more when its last change is not stored yet: before what only it leads to.
    func saveUnsavedList(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard let account = state.account, state.list.storage == .loaded, !state.list.saves.isClean else {
            return []
        }
        let attempt = context.nextAttempt()
        state.list.saves.saveAll(under: attempt)
        return [.save(state.listRecord, under: .conversations(account.user), attempt)]
    }

    /// The stored list names what it did not name before: what was written there can be saved now.
    private func listed(_ state: inout State, _ context: inout Context) -> [Effect] {
        atEach(&state, &context) { state, context in
            guard case .unlisted(let revision) = state.conversation.outbox.storage,
                state.list.saves.isDurable(revision)
            else { return [] }
            state.conversation.outbox.storage = .loaded
            guard let waiting = state.conversation.outbox.saves.current else { return [] }
            return self.saveOutbox(&state, waiting, &context)
        }
    }

    /// The list cannot be saved now, and so nothing that only it leads to (C7).
    private func notListed(
        _ state: inout State, _ answer: StorageAnswer<Record>, _ context: inout Context
    ) -> [Effect] {
        atEach(&state, &context) { state, context in
            guard case .unlisted = state.conversation.outbox.storage,
                let waiting = state.conversation.outbox.saves.current
            else { return [] }
            return self.outboxSaved(&state, answer, waiting, &context)
        }
    }
}
