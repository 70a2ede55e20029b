// Where the conversations of a chat are, and the few functions that reach more than one (C19). A step runs in place
// on its conversation; what it asks for is carried out here, behind it.

extension Chat.State {
    // MARK: Finding

    /// O(conversations), which `conversationLimit` keeps small.
    func index(of id: ConversationID) -> Int? { index { $0.id == id } }

    /// The first conversation for which something holds, the current one first. Inlined: a closure would be called
    /// for each token.
    @inline(__always) func index(where holds: (Chat.Conversation) -> Bool) -> Int? {
        if holds(places[current].wrappedValue) { return current }
        for index in places.indices where holds(places[index].wrappedValue) { return index }
        return nil
    }

    /// Where a message was written, by its name or key; also when its row is withdrawn and its reply awaited.
    func index(of client: ClientID) -> Int? {
        index { $0.transcript.ordinal(of: client) != nil || $0.outbox.contains(client) }
            ?? index { $0.pushed.turns.isWaiting(client) }
    }

    /// Where a reply grows or has grown. None is guessed where there are several: it is shown when it is complete
    /// (limits).
    func index(ofReply id: MessageID) -> Int? {
        guard places.count > 1 else { return 0 }
        // It grows in one of them (L4): looked at or not, it is found in the same way.
        return places.firstIndex { $0.wrappedValue.isGrowing(id) }
            ?? index { $0.transcript.ordinal(of: id) != nil }
    }

    /// Whether a reply grows elsewhere. Its deadlines bear its id, so it grows in one place only (L4).
    func isGrowing(_ id: MessageID, outside home: ConversationID) -> Bool {
        index(where: { $0.id != home && $0.isGrowing(id) }) != nil
    }

    /// Where a reply has failed: where it is known, or else the only place that awaits a reply.
    func index(ofFailed id: MessageID) -> Int? {
        if let index = index(where: { $0.knows(id) }) { return index }
        let waiting = places.indices.filter { places[$0].wrappedValue.pushed.turns.isAnyWaiting }
        return waiting.count == 1 ? waiting[0] : nil
    }

    var cursors: [Chat.Cursor] {
        shared.list.entries.compactMap { entry in
            index(of: entry.id).flatMap { places[$0].wrappedValue.cursor }.map {
                Chat.Cursor(conversation: entry.id, last: $0)
            }
        }
    }

    // MARK: Steps

    mutating func at(
        _ index: Int?, _ step: inout Chat.Step,
        _ body: (inout Chat.Conversation, inout Chat.Shared, inout Chat.Step) -> Void
    ) {
        guard let index, places.indices.contains(index) else { return }
        places[index].wrappedValue.run(body, &shared, &step)
    }

    mutating func atEach(
        _ step: inout Chat.Step, _ body: (inout Chat.Conversation, inout Chat.Shared, inout Chat.Step) -> Void
    ) {
        at(current, &step, body)
        for index in places.indices where index != current { at(index, &step, body) }
    }

    /// Where something arrives. A conversation begins here, or is listed again. Nowhere at the limit, which is told
    /// (L8).
    mutating func home(of id: ConversationID, _ step: inout Chat.Step) -> Int? {
        if conversation.id == id { return current }
        if let entry = shared.list[id] {
            if entry.isClosed, shared.list.setClosed(false, id) { changeList(&step) }
        } else {
            guard makeRoom(step) else {
                conversation.banner = .tooManyConversations
                return nil
            }
            learn(ConversationEntry(id: id), &step)
            changeList(&step)
        }
        return index(of: id)
    }

    mutating func flushAll(_ step: inout Chat.Step) {
        var heads: [(written: WallTime, id: ConversationID)] = []
        for place in places {
            guard let head = place.wrappedValue.outbox.queue.waiting.first else { continue }
            heads.append((head.entry.written, place.wrappedValue.id))
        }
        heads.sort { $0.written != $1.written ? $0.written < $1.written : $0.id < $1.id }
        for head in heads { at(index(of: head.id), &step) { $0.flush(&$1, &$2) } }
    }

    mutating func answer(_ step: inout Chat.Step) {
        while !step.asks.isEmpty {
            switch step.asks.removeFirst() {
            case .saveList: changeList(&step)
            case .flushAll: flushAll(&step)
            case .endConnection(let input): tell(input, &step)
            case .restored: restoredSome(&step)
            case .renew(let access): renew(access, &step)
            }
        }
    }

    // MARK: What a person does

    mutating func create(_ title: ExactText, _ step: inout Chat.Step) {
        guard account != nil else { return }
        guard makeRoom(step) else {
            conversation.banner = .tooManyConversations
            return
        }
        let id = ConversationID("v_" + step.context.entropy.uuid())
        let title = title.withoutControlCharacters.trimmed.cut(toByteCount: step.configuration.titleLimit)
        shared.list.append(ConversationEntry(id: id, title: title))
        var created = Chat.Conversation(
            id: id, seed: step.context.entropy.next(), configuration: step.configuration)
        created.begin(listedBy: shared.list.record.changed())
        places.append(Boxed(wrappedValue: created))
        turn(to: id, &step)
        saveList(&step)
    }

    mutating func switchTo(_ id: ConversationID, _ step: inout Chat.Step) {
        guard conversation.id != id, shared.list[id] != nil else { return }
        _ = shared.list.setClosed(false, id)
        turn(to: id, &step)
        changeList(&step)
    }

    /// Takes a conversation off the list; it stays stored. Not while it has unsent messages, which nobody would see
    /// (L5).
    mutating func close(_ id: ConversationID, _ step: inout Chat.Step) {
        guard id != .main, shared.list[id]?.isClosed == false, let index = index(of: id) else { return }
        let closed = places[index].wrappedValue
        guard !closed.mayHaveUnsent, !closed.showsUnsent else {
            // Before it is loaded nobody knows, and the person may ask once more.
            if closed.hasUnsent || closed.showsUnsent { conversation.banner = .conversationHasUnsent }
            return
        }
        at(index, &step) { $0.toStream(.left, &$1, &$2) }
        _ = shared.list.setClosed(true, id)
        if conversation.id == id { turn(to: .main, &step) }
        changeList(&step)
    }

    mutating func turn(to id: ConversationID, _ step: inout Chat.Step) {
        guard let next = index(of: id), next != current else { return }
        at(current, &step) { conversation, shared, step in
            conversation.stopTyping(&shared, &step)
            conversation.saveDraft(&shared, &step)
            conversation.viewport = conversation.viewport.left
        }
        current = next
        conversation.viewport = conversation.viewport.entered
    }

    /// Makes room for one more conversation. At the limit the oldest closed one without unsent messages is forgotten;
    /// its records stay.
    private mutating func makeRoom(_ step: Chat.Step) -> Bool {
        guard Int64(shared.list.entries.count) >= step.configuration.conversationLimit else { return true }
        let forgettable = shared.list.entries.first { entry in
            guard entry.isClosed else { return false }
            guard let index = index(of: entry.id) else { return true }
            return !places[index].wrappedValue.mayHaveUnsent && !places[index].wrappedValue.showsUnsent
        }
        guard let closed = forgettable else { return false }
        shared.list.remove(closed.id)
        if let index = index(of: closed.id), index != current {
            places.remove(at: index)
            if index < current { current -= 1 }
        }
        return true
    }

    /// Adds a conversation that did not begin here, and loads what is stored of it.
    mutating func learn(_ entry: ConversationEntry, _ step: inout Chat.Step) {
        guard let account else { return }
        if shared.list[entry.id] == nil { shared.list.append(entry) }
        var learned = Chat.Conversation(
            id: entry.id, seed: step.context.entropy.next(), configuration: step.configuration)
        learned.viewport = .away(unread: 0, wasAtEnd: true)
        learned.load(for: account, &step)
        places.append(Boxed(wrappedValue: learned))
        // Before that the limit runs which holds for all of them; a disk that says nothing holds up none (L3).
        if shared.wish.isRestored { step.add(.start(.restoring, after: step.configuration.storageLimit)) }
    }

    /// Trims transcripts where nobody scrolls; they stay stored (R2, C21).
    mutating func saveMemory(_ step: inout Chat.Step) {
        atEach(&step) { conversation, _, _ in
            if case .elsewhere = conversation.viewport { return }
            conversation.transcript.trim(to: Chat.Conversation.fewestKept)
        }
    }
}
