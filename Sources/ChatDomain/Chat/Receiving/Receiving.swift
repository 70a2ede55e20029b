// Received messages (C5, C10, C16, C20). `take` classifies each: an echo, a message of another device, or a reply that
// grows, is known or is new. `Copies` matches an echo to its message, and `Turns` a reply to its question. A message id
// is never doubled, and the cursor moves only over finished messages.

extension Chat.Conversation {
    mutating func take(
        _ message: Boxed<IncomingMessage>, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        switch (message.wrappedValue.role, isGrowing: message.wrappedValue.isGrowing) {
        case (.user, _): takeEcho(message.wrappedValue, &shared, &step)
        case (_, isGrowing: true): grow(message.wrappedValue, &shared, &step)
        case (_, isGrowing: false):
            if shared.isReplaying || !reviseKnown(message) { takeReply(message.wrappedValue, &shared, &step) }
        }
    }

    // MARK: Messages of the person

    private mutating func takeEcho(
        _ message: IncomingMessage, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        let isNew = transcript.ordinal(of: message.id) == nil
        if let ordinal = transcript.ordinal(of: message.id) {
            let row = transcript.resolve(ordinal, id: message.id, time: message.time)
            if let revised = transcript[row]?.revised(as: message, for: shared.account) {
                transcript.update(row) { $0 = revised }
            }
        } else if let former = pushed.retelling?.message(message.id) {
            if let client = former.client, let ordinal = transcript.ordinal(of: client) {
                // Another copy of the message was already replayed (L6).
                let key = former.written?.key(echoedAs: message.id)
                transcript.resolve(ordinal, id: message.id, time: message.time, key: key)
            } else {
                restoreWithdrawn(former, message, &shared, &step)
            }
        } else if let key = message.client, let ordinal = transcript.ordinal(of: key) {
            pushed.copies.close(key)
            echoed(ordinal, message, under: key, &shared, &step)
        } else if isFromHere(message, shared), case .of(let client, let key) = copy(of: message, shared),
            let ordinal = transcript.ordinal(of: key) ?? restoreRow(of: client)
        {
            echoed(ordinal, message, under: key, &shared, &step)
        } else {
            takeForeign(message, &shared, &step)
        }
        // A replayed question that still waits gets its turn at this position.
        if let own = transcript.ordinal(of: message.id).map({ transcript[$0]?.written }) {
            pushed.turns.told(own.map { .written($0.key(echoedAs: message.id)) } ?? .elsewhere(message.id))
        }
        finished(message.id, isNew: isNew, shared)
    }

    /// Whether the message is from this device: the server names this device, or none.
    private func isFromHere(_ message: IncomingMessage, _ shared: Chat.Shared) -> Bool {
        message.device == nil || message.device == shared.account?.device
    }

    private mutating func copy(of message: IncomingMessage, _ shared: Chat.Shared) -> Copies.Echo {
        pushed.copies.echoed(
            message.id, key: message.client, saying: LongText(message.text), at: message.time,
            pushed.retelling?.doubt(at: message.time) ?? (shared.isReplaying ? .replayed : .live))
    }

    /// Applies an echo: the server has the message. An echo under a former key only gives the row its place; the
    /// current copy may still be missing.
    private mutating func echoed(
        _ ordinal: Int64, _ message: IncomingMessage, under key: ClientID, _ shared: inout Chat.Shared,
        _ step: inout Chat.Step
    ) {
        let row = transcript.resolve(ordinal, id: message.id, time: message.time, key: key)
        guard let written = transcript[row]?.written, written.key == key else { return }
        if written.status.isUnconfirmed { awaitReply(to: key, shared, &step) }
        if written.status.isUnconfirmed || written.status == .accepted { setStatus(of: key, to: .delivered) }
        dequeue(key, &shared, &step)
    }

    /// Adds a message of another device, or one of this device without a row here; it has its own turn and reply.
    private mutating func takeForeign(
        _ message: IncomingMessage, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        // A key of this device proves that the message was written here.
        let key = isFromHere(message, shared) ? message.client : nil
        let author = key.map { key in
            let name = outbox.outgoing(key)?.client ?? key
            return Message.Author.here(Message.Written(client: name, key: key, status: .delivered))
        }
        let ordinal = transcript.receive(
            Message(
                id: message.id, author: author ?? .elsewhere(message.device),
                body: .text(LongText(message.text)), time: message.time, isPlaced: true,
                attachments: message.attachments(of: shared.account), sender: message.sender,
                flags: message.flags))
        countNew(ordinal, message.time)
        if let key {
            partFromRow(key, &shared, &step)
            awaitReply(to: key, shared, &step)
            dequeue(key, &shared, &step)
            return trim(step)
        }
        // A reply right below that belongs to no question has overtaken this one.
        let below = transcript[ordinal + 1]
        let isAnswered = below?.role == .assistant && below?.id.flatMap(pushed.turns.question) == nil
        if !isAnswered, !shared.isReplaying || mayBeAnswered(message.time, step) {
            awaitReply(elsewhere: message.id, shared, &step)
        }
        trim(step)
    }

    /// Restores a known message that a reset withdrew (C5). Text completes an interrupted reply (C12).
    private mutating func restoreWithdrawn(
        _ former: Message, _ message: IncomingMessage, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        var restored = former.revised(as: message, for: shared.account) ?? former
        (restored.id, restored.time, restored.isPlaced) = (message.id, message.time, true)
        _ = transcript.receive(restored)
        if restored.role != .user { linkReply(message.id, &shared, &step) }
        if restored.role == .assistant { endWait(forKnown: restored) }
        trim(step)
    }

    /// Restores the withdrawn row of a message, because a replay tells a copy of it that was not known (L6).
    private mutating func restoreRow(of client: ClientID) -> Int64? {
        guard var former = pushed.retelling?.message(client) else { return nil }
        former.isPlaced = false  // this copy comes first, and gives it its place
        return transcript.insert(former)
    }

    // MARK: Replies

    /// Fast path: replaces the text of a finished reply. Returns `false`, without a change, if more would follow.
    private mutating func reviseKnown(_ message: Boxed<IncomingMessage>) -> Bool {
        guard message.wrappedValue.files.isEmpty, message.wrappedValue.flags.isEmpty,
            message.wrappedValue.question == nil, !message.wrappedValue.text.isBlank, !typing.isIncoming,
            let ordinal = transcript.ordinal(of: message.wrappedValue.id), !isAfterCursor(ordinal),
            !isGrowing(message.wrappedValue.id)
        else { return false }
        let time = message.wrappedValue.time
        typing.newestMessage = max(time, typing.newestMessage ?? time)
        return transcript.rewrite(ordinal, as: message)
    }

    private mutating func takeReply(
        _ message: IncomingMessage, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        typingEnded(by: message.time, &step)
        pushed.crowdedOut.removeAll { $0.id == message.id }
        pushed.unmute(message.id)
        var (isNew, isLive) = (true, shared.isReplaying && isGrowing(message.id))
        if let ordinal = transcript.ordinal(of: message.id) {
            // A reply under the id of the person's message must not replace that message (L5).
            guard transcript.read(ordinal, { $0.role }) != .user else { return }
            isNew = complete(ordinal, message, &shared, &step)
        } else if let former = pushed.retelling?.message(message.id) {
            guard former.role != .user else { return }
            restoreWithdrawn(former, message, &shared, &step)
        } else {
            takeNewReply(message, &shared, &step)
        }
        if !isLive { finished(message.id, isNew: isNew, shared) }
    }

    /// Completes a known reply. Returns whether it was incomplete before and has text now.
    private mutating func complete(
        _ ordinal: Int64, _ message: IncomingMessage, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) -> Bool {
        let current = transcript.read(ordinal) { $0.body }
        let isFirstText = isTextless(message.id, current)
        if let key = message.question {
            _ = replyBegan(message.id, to: key, &shared, &step)
            transcript.noteNamed(ordinal, key)
        }
        let revised = transcript[ordinal]?.revised(as: message, for: shared.account)
        let isApplied = revised != nil && (shared.isReplaying || current?.isStopped != true)
        guard !message.isEmpty else {
            endEmpty(ordinal, message.id, &shared, &step)
            return false
        }
        if isApplied, let revised {
            transcript.update(ordinal) { $0 = revised }
            if isFirstText { countUnread(ordinal) }
        }
        transcript.resolve(ordinal, id: message.id, time: message.time)
        stopGrowing(message.id, &step)
        let wasWhole = if case .text = current { true } else { false }
        if isApplied || wasWhole && message.question != nil { linkReply(message.id, &shared, &step) }
        return isApplied && !wasWhole
    }

    /// Whether a reply has brought no text so far.
    func isTextless(_ id: MessageID, _ body: Message.Body?) -> Bool {
        switch body {
        case .growing: pushed.growing.contains { $0.id == id && !$0.isCounted }
        case .interrupted, .text, nil: body?.isTextless == true
        }
    }

    /// Ends a known reply with an invisible text: its partial stays, or its question is unanswered (C12).
    private mutating func endEmpty(
        _ ordinal: Int64, _ id: MessageID, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        if isGrowing(id) { return stop(id, .empty, &shared, &step) }
        guard let body = transcript[ordinal]?.body, body.isLost, case .interrupted(let partial, _) = body
        else { return }
        guard partial.isEmpty else {
            return transcript.update(ordinal) {
                $0.body = .interrupted(partial, ReplyEnding(.empty, needsNewKey: true))
            }
        }
        transcript.remove(ordinal)
        answerFailed(id, .empty, &shared, &step)
    }

    private mutating func takeNewReply(
        _ message: IncomingMessage, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        let isWanted = message.role == .system || replyBegan(message.id, to: message.question, &shared, &step)
        guard !message.isEmpty else { return answerFailed(message.id, .empty, &shared, &step) }
        let ordinal = transcript.receive(
            Message(
                id: message.id, author: message.author, body: .text(LongText(message.text)),
                time: message.time, isPlaced: true, attachments: message.attachments(of: shared.account),
                sender: message.sender, flags: message.flags))
        if let key = message.question { transcript.noteNamed(ordinal, key) }
        // An unwanted reply is stored as stopped before any text, unless a replay brings it (C20).
        if isWanted || shared.isReplaying {
            linkReply(message.id, &shared, &step)
            countNew(ordinal, message.time)
        } else {
            transcript.update(ordinal) {
                $0.body = .interrupted(LongText(), ReplyEnding(.stopped, needsNewKey: true))
            }
            linkTextless(message.id, &shared, &step)
        }
        trim(step)
    }

    /// Counts a new row as unread (C22); not one that a replay may tell again because its page is not in memory.
    private mutating func countNew(_ ordinal: Int64, _ time: WallTime) {
        if pushed.retelling?.doubt(at: time) != .inDoubt(isNews: false) { countUnread(ordinal) }
    }

    // MARK: The cursor

    /// Moves the cursor to a finished message (C5). It stays before a growing reply, so that a replay brings its end. Each
    /// message of a replay moves it, so that an interrupted one continues; a live reply that grew meanwhile does not.
    mutating func finished(_ id: MessageID, isNew: Bool, _ shared: Chat.Shared) {
        guard growing.isEmpty, isNew || shared.isReplaying || isAfterCursor(transcript.ordinal(of: id))
        else { return }
        moveCursor(to: id)
    }

    /// Sets the cursor, and marks the newest page for a save, because that page stores the cursor.
    mutating func moveCursor(to id: MessageID?) {
        guard pushed.cursor != id else { return }
        pushed.cursor = id
        transcript.touchNewest()
    }

    /// Whether a row is newer than the cursor; without a cursor, every row is.
    @inline(__always) private func isAfterCursor(_ ordinal: @autoclosure () -> Int64?) -> Bool {
        // Fast path: the cursor is usually the newest row, so no ordinal needs a lookup.
        if transcript.rows.newest(satisfies: { pushed.isCursor(at: $0.wrappedValue) }) { return false }
        guard let cursor, let current = transcript.ordinal(of: cursor) else { return true }
        return ordinal().map { $0 > current } ?? false
    }

    // MARK: Memory

    /// The minimum number of messages in memory, because duplicates are recognised by them (limits).
    static var fewestKept: Int64 { 1_000 }

    mutating func trim(_ step: Chat.Step) {
        transcript.trim(to: max(step.configuration.transcriptLimit, Self.fewestKept))
    }
}

extension Message {
    /// The message as the server tells it now (C16); `nil` if that is no change. What was written here stays (L5).
    fileprivate func revised(as told: IncomingMessage, for account: Account?) -> Message? {
        guard written == nil, !told.isEmpty, (role == .user) == (told.role == .user) else { return nil }
        var revised = self
        revised.body = .text(LongText(told.text))
        revised.attachments = told.attachments(of: account)
        (revised.sender, revised.flags) = (told.sender ?? sender, told.flags)
        return revised == self ? nil : revised
    }
}

extension IncomingMessage {
    /// The author of a reply, before it is linked to its question.
    var author: Message.Author { role == .system ? .system : .assistant(to: nil) }

    fileprivate var isEmpty: Bool { text.isBlank && files.isEmpty }

    fileprivate func attachments(of account: Account?) -> [Chat.Attachment] {
        guard !files.isEmpty, let account else { return [] }
        return files.enumerated().map {
            Chat.Attachment($0.element, number: $0.offset, of: id, owner: account.user)
        }
    }
}
