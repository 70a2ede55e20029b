// Finding, creating, switching and closing conversations: the only functions that reach more than one (C19). `at` runs
// a step on one conversation, in place; `answer` carries out the requests of steps to the whole chat.

extension Chat.State {
    // MARK: Finding

    /// The index of a conversation. O(conversations), at most `conversationLimit`.
    func index(of id: ConversationID) -> Int? { index { $0.id == id } }

    /// The index of the first match; the current conversation is tried first. Inlined, because it runs for each token.
    @inline(__always) func index(where holds: (Chat.Conversation) -> Bool) -> Int? {
        if holds(places[current].wrappedValue) { return current }
        for index in places.indices where holds(places[index].wrappedValue) { return index }
        return nil
    }

    /// The conversation of a message, by its client id or idempotency key. A message that a reset withdrew is found
    /// by the turn of its reply.
    func index(of client: ClientID) -> Int? {
        index { $0.transcript.ordinal(of: client) != nil || $0.outbox.contains(client) }
            ?? index { $0.pushed.turns.isWaiting(client) }
    }

    /// The conversation of a reply. Text of a reply that has not begun has none if there are several conversations; the
    /// reply is shown when it is complete (limits).
    func index(ofReply id: MessageID) -> Int? {
        guard places.count > 1 else { return 0 }
        return index { $0.isGrowing(id) } ?? index { $0.pushed.isCrowdedOut(id) }
            ?? index { $0.transcript.ordinal(of: id) != nil }
            ?? index { $0.pushed.turns.question(of: id) != nil }
    }

    /// Whether a reply grows in another conversation. Timers carry only its id, so it grows in one at a time (L4).
    func isGrowing(_ id: MessageID, outside home: ConversationID) -> Bool {
        index { $0.isGrowing(id) }.map { places[$0].wrappedValue.id != home } ?? false
    }

    /// The conversation of a failed reply: the one that knows it, else the only one that awaits a reply.
    func index(ofFailed id: MessageID) -> Int? {
        let known = index { $0.transcript.ordinal(of: id) != nil || $0.pushed.turns.question(of: id) != nil }
        return known ?? onlyWaiting
    }

    /// The conversation in which a reply begins when its server names none. `nil` if the reply is known, because its
    /// text finds it.
    func unnamedHome(of id: MessageID, _ step: Chat.Step) -> ConversationID? {
        index(ofReply: id) == nil ? nextHome(step) : nil
    }

    /// The conversation of a message when its server names none: the one that knows it or its question, else the main
    /// one, which some servers never name.
    func unnamedHome(of message: IncomingMessage) -> ConversationID {
        let known =
            message.client.flatMap { index(of: $0) } ?? index(ofReply: message.id)
            ?? message.question.flatMap { index(of: $0) }
        return known.map { places[$0].wrappedValue.id } ?? .main
    }

    /// The conversation that a server answers when it names none: where a reply grows, else where the next one begins.
    func answeredHome(_ step: Chat.Step) -> ConversationID {
        index { !$0.growing.isEmpty }.map { places[$0].wrappedValue.id } ?? nextHome(step)
    }

    /// The conversation whose question is the next to be answered, else the main one. A server answers an account in
    /// order, so the longest wait comes first.
    private func nextHome(_ step: Chat.Step) -> ConversationID {
        let asking = places.compactMap { place in
            place.wrappedValue.pushed.turns.claim(at: step.now).map { (id: place.wrappedValue.id, claim: $0) }
        }
        return asking.min { $0.claim < $1.claim }?.id ?? .main
    }

    /// The only conversation that awaits a reply.
    private var onlyWaiting: Int? {
        let waiting = places.indices.filter { places[$0].wrappedValue.pushed.turns.isAnyWaiting }
        return waiting.count == 1 ? waiting[0] : nil
    }

    /// Whether the server is to begin or to finish a reply of the account. It may handle an account's messages one by
    /// one, so the next acknowledgement may come after the reply (C9). The replies have limits of their own.
    func isAnswerDue(_ step: Chat.Step) -> Bool {
        places.contains { $0.wrappedValue.pushed.isAnswerDue(step) }
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

    /// The conversation of an arrival, created or reopened if needed. `nil` at the limit, with a notice (L8). After
    /// that, also `nil` once there is room: the connection is renewed, and its replay brings the arrival again.
    @inline(__always) mutating func home(of id: ConversationID, _ step: inout Chat.Step) -> Int? {
        conversation.id == id ? current : otherHome(of: id, &step)
    }

    private mutating func otherHome(of id: ConversationID, _ step: inout Chat.Step) -> Int? {
        if let entry = shared.list[id] {
            if entry.isClosed, shared.list.setClosed(false, id) { changeList(&step) }
        } else {
            guard makeRoom(step) else {
                conversation.banner = .tooManyConversations
                shared.hasTurnedAway = true
                return nil
            }
            // The conversation may have been turned away: the next replay brings it from its beginning (C5, C16).
            guard !shared.hasTurnedAway else {
                tell(.gaveUp(.failed(.lost)), &step)
                return nil
            }
            learn(ConversationEntry(id: id), &step)
            changeList(&step)
        }
        return index(of: id)
    }

    /// Applies the server's title of a conversation, which may be new here. A title from the person stays, and a closed
    /// conversation stays closed.
    mutating func name(_ id: ConversationID, _ title: ExactText, _ step: inout Chat.Step) {
        let title = title.withoutControlCharacters.trimmed.cut(toByteCount: step.configuration.titleLimit)
        guard id != .main, !ConversationID.isMinted(id) else { return }
        guard shared.list[id] == nil else {
            if shared.list.setTitle(title, id) { changeList(&step) }
            return
        }
        // Without room, the notice follows with the conversation's first message.
        guard Int64(shared.list.entries.count) < step.configuration.conversationLimit else { return }
        learn(ConversationEntry(id: id, title: title), &step)
        changeList(&step)
    }

    /// Sends the next message of every conversation, the oldest first (C8).
    mutating func flushAll(_ step: inout Chat.Step) {
        // Of two messages of one instant, the older conversation's goes first; ids have no order.
        var heads: [(written: WallTime, id: ConversationID)] = []
        for place in places {
            guard let written = place.wrappedValue.outbox.queue.waiting.first?.entry.written else { continue }
            let index = heads.partitioningIndex { $0.written > written }
            heads.insert((written, place.wrappedValue.id), at: index)
        }
        for head in heads { at(index(of: head.id), &step) { $0.flush(&$1, &$2) } }
    }

    /// Carries out the requests of the steps, in order.
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

    // MARK: The person

    mutating func create(_ title: ExactText, _ step: inout Chat.Step) {
        guard account != nil else { return }
        guard makeRoom(step) else {
            conversation.banner = .tooManyConversations
            return
        }
        let id = ConversationID.minted(&step.context)
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

    /// Closes a conversation: it leaves the list and stays stored. One with unsent messages stays open, because the
    /// person could not see them (L5).
    mutating func close(_ id: ConversationID, _ step: inout Chat.Step) {
        guard id != .main, shared.list[id]?.isClosed == false, let index = index(of: id) else { return }
        let closed = places[index].wrappedValue
        guard !closed.mayHaveUnsent else {
            // No notice while its records load: it may have no unsent messages, and can then be closed later.
            if closed.hasUnsent { conversation.banner = .conversationHasUnsent }
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
            conversation.saveAll(&shared, &step)
            conversation.viewport = conversation.viewport.left
        }
        current = next
        conversation.viewport = conversation.viewport.entered
    }

    /// Makes room for one more conversation. At the limit, the oldest closed one without unsent messages leaves the
    /// memory; its records stay. Returns whether there is room.
    private mutating func makeRoom(_ step: Chat.Step) -> Bool {
        guard Int64(shared.list.entries.count) >= step.configuration.conversationLimit else { return true }
        let forgettable = shared.list.entries.first { entry in
            guard entry.isClosed else { return false }
            guard let index = index(of: entry.id) else { return true }
            let place = places[index].wrappedValue
            // A message that was deleted in flight is not unsent, but its answer is still to come.
            return !place.mayHaveUnsent && place.outbox.count == 0 && place.draft.copies.isEmpty
        }
        guard let closed = forgettable else { return false }
        shared.list.remove(closed.id)
        if let index = index(of: closed.id) {
            places.remove(at: index)
            if index < current { current -= 1 }
        }
        return true
    }

    /// Adds a conversation that this device did not create, and loads its records.
    mutating func learn(_ entry: ConversationEntry, _ step: inout Chat.Step) {
        guard let account else { return }
        if shared.list[entry.id] == nil { shared.list.append(entry) }
        var learned = Chat.Conversation(
            id: entry.id, seed: step.context.entropy.next(), configuration: step.configuration)
        learned.viewport = .away(wasAtEnd: true)
        learned.load(for: account, &step)
        places.append(Boxed(wrappedValue: learned))
        // During a launch the deadline of all conversations already runs (L3).
        if shared.wish.isRestored { step.add(.start(.restoring, after: step.configuration.storageLimit)) }
    }

    /// Trims every transcript to its minimum, except where the person has scrolled up; all stay stored (R2, C21).
    mutating func saveMemory(_ step: inout Chat.Step) {
        saveAll(&step)  // the system may end the process
        atEach(&step) { conversation, _, _ in
            if case .elsewhere = conversation.viewport { return }
            conversation.transcript.trim(to: Chat.Conversation.fewestKept)
        }
    }
}

/// The claim of a conversation to the next reply of the account. The least claim is first, as among the questions of one
/// conversation.
private enum Claim: Comparable {
    case waiting(until: Instant)
    case overdue
    case sent
}

extension Turns {
    fileprivate func claim(at now: Instant) -> Claim? {
        switch nextStage {
        case .waiting(.running(let until)): .waiting(until: until)
        case .waiting(.stopped(let left)): .waiting(until: now + left)
        case .overdue: .overdue
        case .sent: .sent
        case .answered, .failed, nil: nil
        }
    }
}
