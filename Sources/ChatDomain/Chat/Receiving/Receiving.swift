// Receiving (C10, C16, C20). What arrives is first recognised: an echo, a message of another device, a reply that
// grows, is known, or is new. `Copies` says whose an echo is, and `Turns` whose a reply is.

extension Chat.Conversation {
    mutating func take(
        _ message: Boxed<IncomingMessage>, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        switch (message.wrappedValue.role, isGrowing: message.wrappedValue.isGrowing) {
        case (.user, isGrowing: true): break
        case (.user, isGrowing: false): takeEcho(message.wrappedValue, &shared, &step)
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
            transcript.resolve(ordinal, id: message.id, time: message.time)
            tellTurn(message.id, transcript[ordinal]?.written)
        } else if let former = pushed.retelling?.message(message.id) {
            if let client = former.client, let ordinal = transcript.ordinal(of: client) {
                // Another copy of it has been told already (L6).
                let key = former.written?.key(echoedAs: message.id)
                transcript.resolve(ordinal, id: message.id, time: message.time, key: key)
                tellTurn(message.id, former.written)
            } else {
                tellAgain(former, message, &shared, &step)
            }
        } else if let key = message.client, let ordinal = transcript.ordinal(of: key) {
            pushed.copies.refused(key)
            echoed(ordinal, message, under: key, &shared, &step)
        } else if isFromHere(message, shared), case .of(_, let key) = copy(of: message),
            let ordinal = transcript.ordinal(of: key)
        {
            echoed(ordinal, message, under: key, &shared, &step)
        } else {
            takeForeign(message, &shared, &step)
        }
        finished(message.id, isNew: isNew, shared)
    }

    private func isFromHere(_ message: IncomingMessage, _ shared: Chat.Shared) -> Bool {
        message.device == nil || message.device == shared.account?.device
    }

    private mutating func copy(of message: IncomingMessage) -> Copies.Echo {
        let isDoubtful = pushed.retelling.map { !$0.isWhole } ?? false
        return pushed.copies.echoed(
            message.id, key: message.client, saying: LongText(message.text.string), isDoubtful: isDoubtful)
    }

    /// The server has a message. The echo of a former copy tells its place alone, not that the present copy has
    /// arrived.
    private mutating func echoed(
        _ ordinal: Int64, _ message: IncomingMessage, under key: ClientID, _ shared: inout Chat.Shared,
        _ step: inout Chat.Step
    ) {
        let row = transcript.resolve(ordinal, id: message.id, time: message.time, key: key)
        guard let written = transcript[row]?.written, written.key == key else { return }
        switch written.status {
        case .queued, .uploading, .sending, .slow:
            awaitReply(to: key, shared, &step)
            setStatus(of: key, to: .delivered)
        case .accepted: setStatus(of: key, to: .delivered)
        case .delivered, .failed: break
        }
        dequeue(key, &shared, &step)
    }

    /// A message of another device, or of a forgotten life of this one, has a turn and a reply of its own.
    private mutating func takeForeign(
        _ message: IncomingMessage, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        // What the server names by a key was written here, whatever is left of it.
        let key = isFromHere(message, shared) ? message.client : nil
        let author = key.map { key in
            let name = outbox.outgoing(key)?.message ?? key
            return Message.Author.here(Message.Written(client: name, key: key, status: .delivered))
        }
        let ordinal = transcript.receive(
            Message(
                id: message.id, author: author ?? .elsewhere(message.device),
                body: .text(LongText(message.text.string)), time: message.time, isPlaced: true,
                attachments: message.attachments(of: shared.account), sender: message.sender,
                flags: message.flags))
        if transcript.read(ordinal, { $0.isHidden }) == false { countUnread() }
        if let key {
            partFromRow(key, &shared, &step)
            awaitReply(to: key, shared, &step)
            dequeue(key, &shared, &step)
            return trim(step)
        }
        if !shared.isReplaying || mayBeAnswered(message.time, step) {
            awaitReply(elsewhere: message.id, shared, &step)
        }
        trim(step)
    }

    /// What is told anew is what it was (C5), and completes a broken reply, unless it has no text (C12).
    private mutating func tellAgain(
        _ former: Message, _ message: IncomingMessage, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        var told = former
        (told.id, told.time, told.isPlaced) = (message.id, message.time, true)
        if message.role != .user, !message.isEmpty { told.body = .text(LongText(message.text.string)) }
        _ = transcript.receive(told)
        if told.role == .user {
            tellTurn(message.id, told.written)
        } else {
            linkReply(message.id, &shared, &step)
        }
        trim(step)
    }

    /// The server names a question again: if it waits, it has its turn here.
    private mutating func tellTurn(_ id: MessageID, _ written: Message.Written?) {
        pushed.turns.told(written.map { .written($0.key(echoedAs: id)) } ?? .elsewhere(id))
    }

    // MARK: Replies

    /// Fast path: another text for a finished reply. Returns `false`, and changes nothing, when more follows from it.
    private mutating func reviseKnown(_ message: Boxed<IncomingMessage>) -> Bool {
        guard message.wrappedValue.files.isEmpty, message.wrappedValue.flags.isEmpty,
            !message.wrappedValue.text.isEmpty, !typing.isIncoming,
            let ordinal = transcript.ordinal(of: message.wrappedValue.id), !isBehindCursor(ordinal),
            !isGrowing(message.wrappedValue.id)
        else { return false }
        let time = message.wrappedValue.time
        typing.newestMessage = max(time, typing.newestMessage ?? time)
        return transcript.rewrite(ordinal, LongText(message.wrappedValue.text.string))
    }

    private mutating func takeReply(
        _ message: IncomingMessage, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        typingEnded(by: message.time, &step)
        pushed.crowdedOut.removeAll { $0.id == message.id }
        var isNew = true
        if let ordinal = transcript.ordinal(of: message.id) {
            // The id of something that a person wrote is no reply's, whatever a server says (L5).
            guard transcript.read(ordinal, { $0.role }) != .user else { return }
            isNew = complete(ordinal, message, &shared, &step)
        } else if let former = pushed.retelling?.message(message.id) {
            guard former.role != .user else { return }
            tellAgain(former, message, &shared, &step)
        } else {
            takeNewReply(message, &shared, &step)
        }
        finished(message.id, isNew: isNew, shared)
    }

    /// Completes a known reply. Returns whether that is news.
    private mutating func complete(
        _ ordinal: Int64, _ message: IncomingMessage, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) -> Bool {
        let current = transcript.read(ordinal) { $0.body }
        let body = Message.Body.text(LongText(message.text.string))
        let isApplied = current != body && (shared.isReplaying || current?.isStopped != true)
        guard !message.isEmpty else {
            endEmpty(ordinal, message.id, &shared, &step)
            return false
        }
        var isNews = isApplied
        if case .text = current { isNews = false }
        if isApplied {
            let attachments = message.attachments(of: shared.account)
            transcript.update(ordinal) {
                $0.body = body
                $0.attachments = attachments
                $0.sender = message.sender ?? $0.sender
                $0.flags = message.flags
            }
        }
        transcript.resolve(ordinal, id: message.id, time: message.time)
        stopGrowing(message.id, &step)
        if isApplied { linkReply(message.id, &shared, &step) }
        return isNews
    }

    /// A known reply ends with nothing: what there is of it stays, or its question is unanswered (C12).
    private mutating func endEmpty(
        _ ordinal: Int64, _ id: MessageID, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        if isGrowing(id) { return interrupt(id, .empty, &shared, &step) }
        guard case .interrupted(let partial, _) = transcript[ordinal]?.body,
            transcript[ordinal]?.body.isLost == true
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
        let isWanted = message.role == .system || replyBegan(message.id, &step)
        guard !message.isEmpty else { return answerFailed(message.id, .empty, &shared, &step) }
        let author: Message.Author = message.role == .system ? .system : .assistant(to: nil)
        let ordinal = transcript.receive(
            Message(
                id: message.id, author: author, body: .text(LongText(message.text.string)),
                time: message.time, isPlaced: true, attachments: message.attachments(of: shared.account),
                sender: message.sender, flags: message.flags))
        // One that nobody wants any more is kept as one that was stopped before any text, unless a replay brings it.
        if isWanted || shared.isReplaying {
            linkReply(message.id, &shared, &step)
            if transcript.ordinal(of: message.id).flatMap({ transcript.read($0) { $0.isHidden } }) == false {
                countUnread()
            }
        } else {
            transcript.update(ordinal) {
                $0.body = .interrupted(LongText(), ReplyEnding(.stopped, needsNewKey: true))
            }
            linkTextless(message.id, &shared, &step)
        }
        trim(step)
    }

    // MARK: The cursor

    /// Moves the cursor over a finished message. It stays before a growing reply, so that a replay brings the end
    /// (C5). A replay moves it message by message, so one that breaks off goes on; else only news moves it.
    mutating func finished(_ id: MessageID, isNew: Bool, _ shared: Chat.Shared) {
        guard growing.isEmpty, isNew || shared.isReplaying || isBehindCursor(transcript.ordinal(of: id))
        else { return }
        moveCursor(to: id)
    }

    /// Moves the cursor, and has the newest page saved with it.
    mutating func moveCursor(to id: MessageID?) {
        guard pushed.cursor != id else { return }
        pushed.cursor = id
        transcript.touchNewest()
    }

    /// Whether a row stands behind the cursor.
    private func isBehindCursor(_ ordinal: @autoclosure () -> Int64?) -> Bool {
        guard let cursor else { return true }
        // Mostly the cursor is at the newest row: then nothing is behind it, and no name need be looked up.
        if transcript.isNewest(cursor) { return false }
        guard let current = transcript.ordinal(of: cursor) else { return true }
        return ordinal().map { $0 > current } ?? false
    }

    // MARK: Memory

    /// How many messages are kept in any case, because duplicates are recognised by them (limits).
    static var fewestKept: Int64 { 1_000 }

    mutating func trim(_ step: Chat.Step) {
        transcript.trim(to: max(step.configuration.transcriptLimit, Self.fewestKept))
    }
}

extension IncomingMessage {
    fileprivate var isEmpty: Bool { text.isEmpty && files.isEmpty }

    fileprivate func attachments(of account: Account?) -> [Attachment] {
        guard !files.isEmpty, let account else { return [] }
        return files.enumerated().map {
            Attachment($0.element, number: $0.offset, of: id, owner: account.user)
        }
    }
}
