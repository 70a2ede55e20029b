// Receiving (C10, C16, C17, S1–S4). Everything that arrives is recognised first: the echo of a message that
// was written here, a reply that is growing already, a message that is known, or something new. A reply that
// grows has its row from the first sign of it; its text gathers beside the transcript and enters it once.

extension Chat {
    // MARK: Messages

    func take(_ state: inout State, _ message: IncomingMessage, _ context: inout Context) -> [Effect] {
        hear(message.conversation, &state, &context) { state, context in
            switch message.role {
            case .user: self.takeEcho(&state, message, &context)
            case .assistant, .system: self.takeReply(&state, message, &context)
            }
        }
    }

    /// A message of the person: written here, or on another of their devices (C10).
    private func takeEcho(
        _ state: inout State, _ message: IncomingMessage, _ context: inout Context
    ) -> [Effect] {
        guard !message.isGrowing else { return [] }
        var effects: [Effect] = []
        let known = state.conversation.transcript.ordinal(of: message.id)
        if let ordinal = known {
            state.conversation.transcript.resolve(ordinal, id: message.id, time: message.time)
        } else {
            if let client = ownMessage(state, message),
                let ordinal = state.conversation.row(sentAs: client)
            {
                let row = state.conversation.transcript.resolve(ordinal, id: message.id, time: message.time)
                state.conversation.forgetEcho(of: client, row)
                effects = delivered(&state, client) + dequeue(&state, client, &context)
            } else {
                let isShown = state.conversation.transcript.receive(
                    Message(
                        id: message.id, client: message.client, role: .user,
                        body: .text(LongText(message.text.string)), time: message.time,
                        device: message.device, isPlaced: true, attachments: attachments(message, state)))
                if isShown { arrived(&state) }
                if let client = message.client { effects = partFromRow(&state, client, &context) }
                if message.client == nil, message.device == nil || message.device == state.account?.device {
                    state.conversation.expectOriginal(of: message.id)
                }
                trim(&state)
            }
        }
        finished(&state, message.id, isNew: known == nil)
        return effects
    }

    private func attachments(_ message: IncomingMessage, _ state: State) -> [Attachment] {
        guard !message.files.isEmpty, let owner = state.account?.user else { return [] }
        return message.files.enumerated().map {
            Attachment($0.element, number: $0.offset, of: message.id, owner: owner)
        }
    }

    /// Which of the messages written here an echo means: the one it names, else the oldest on a wire with
    /// that very text.
    private func ownMessage(_ state: State, _ message: IncomingMessage) -> ClientID? {
        if let client = message.client { return client }
        if let device = message.device, device != state.account?.device { return nil }
        let text = Message.Body.text(LongText(message.text.string))
        return state.conversation.unresolved.first { client in
            guard let ordinal = state.conversation.row(sentAs: client) else { return false }
            return state.conversation.transcript[ordinal]?.body == text
        }
    }

    private func delivered(_ state: inout State, _ client: ClientID) -> [Effect] {
        guard let ordinal = state.conversation.transcript.ordinal(of: client),
            let status = state.conversation.transcript[ordinal]?.status
        else { return [] }
        switch status {
        case .queued, .uploading, .sending, .slow:
            let awaiting = awaitReply(&state, client)
            state.setStatus(of: client, to: .delivered)
            return awaiting
        case .accepted, .failed(.noReply):
            state.setStatus(of: client, to: .delivered)
            return []
        case .delivered, .failed: return []
        }
    }

    private func takeReply(
        _ state: inout State, _ message: IncomingMessage, _ context: inout Context
    ) -> [Effect] {
        guard !message.isGrowing else {
            return grow(&state, message.id, message.role, (message.time, isServers: true), context) {
                $0.replace(message.text, at: context.now)
            }
        }
        let body = Message.Body.text(LongText(message.text.string))
        var effects = typingEnded(&state, by: message.time)
        state.conversation.crowdedOut.removeAll { $0 == message.id }
        var isNew = true
        if let ordinal = state.conversation.transcript.ordinal(of: message.id) {
            // The id of something that a person wrote is no reply's, whatever a server says (L5).
            guard state.conversation.transcript.read(ordinal, { $0.role }) != .user else { return effects }
            let current = state.conversation.transcript.read(ordinal) { $0.body }
            let isApplied = current != body && (state.connection.isReplaying || current?.isStopped != true)
            if case .text = current { isNew = false } else { isNew = isApplied }
            if isApplied {
                let files = attachments(message, state)
                state.conversation.transcript.update(ordinal) {
                    $0.body = body
                    $0.attachments = files
                }
            }
            state.conversation.transcript.resolve(ordinal, id: message.id, time: message.time)
            effects += stopGrowing(&state, message.id)
            replacePartial(&state, by: message.id)
        } else {
            let isShown = state.conversation.transcript.receive(
                Message(
                    id: message.id, role: message.role, body: body, time: message.time, isPlaced: true,
                    attachments: attachments(message, state)))
            var isMuted = false
            if message.role == .assistant {
                let (isWanted, began) = replyBegan(&state, message.id)
                effects += began
                if isWanted { replacePartial(&state, by: message.id) }
                isMuted = !isWanted && mute(&state, message.id)
            }
            if isShown, !isMuted { arrived(&state) }
            trim(&state)
        }
        finished(&state, message.id, isNew: isNew)
        return effects
    }

    /// A reply that nobody wants any more came whole: it is kept as one that was stopped before any text, unless a
    /// replay brings it. Returns whether it is.
    private func mute(_ state: inout State, _ id: MessageID) -> Bool {
        guard !state.connection.isReplaying, let ordinal = state.conversation.transcript.ordinal(of: id)
        else { return false }
        state.conversation.transcript.update(ordinal) { $0.body = .interrupted(LongText(), .stopped) }
        return true
    }

    /// Somebody else's message has come; who looks elsewhere has not seen it (C22).
    func arrived(_ state: inout State) {
        switch state.conversation.viewport {
        case .atEnd: break
        case .elsewhere(let unread):
            state.conversation.viewport = .elsewhere(unread: saturatingSum(unread, 1))
        case .away(let unread, let wasAtEnd):
            state.conversation.viewport = .away(unread: saturatingSum(unread, 1), wasAtEnd: wasAtEnd)
        }
    }

    // MARK: The cursor

    /// A finished message was applied. While a reply still grows the cursor stays before it, so that a
    /// replay brings its end (C5). What is new is the last that the server has said, wherever its time puts it.
    private func finished(_ state: inout State, _ id: MessageID, isNew: Bool) {
        guard state.conversation.growing.isEmpty,
            isNew || state.conversation.isBehindCursor(state.conversation.transcript.ordinal(of: id))
        else { return }
        guard !state.connection.isReplaying else {
            state.conversation.replayed = id
            return
        }
        state.conversation.moveCursor(to: id)
    }

    /// The replay is complete, and its last message is the last that the server has said: it tells the oldest
    /// first.
    func advanceCursor(_ state: inout State) {
        guard let last = state.conversation.replayed else { return }
        state.conversation.replayed = nil
        if state.conversation.growing.isEmpty { state.conversation.moveCursor(to: last) }
    }

    func trim(_ state: inout State) {
        state.conversation.transcript.trim(to: max(configuration.transcriptLimit, Self.fewestKept))
    }

    /// How many messages are kept in any case, because duplicates are recognised by them (SPEC section 8).
    private static var fewestKept: Int64 { 1_000 }

    /// Older messages leave the memory where nobody looks at them; they stay stored (R2, C21).
    func saveMemory(_ state: inout State, _ context: inout Context) -> [Effect] {
        atEach(&state, &context) { state, _ in
            if case .elsewhere = state.conversation.viewport { return [] }
            state.conversation.transcript.trim(to: Self.fewestKept)
            return []
        }
    }
}

extension Chat.Conversation {
    /// Has the cursor point at a message, and sees to it that it is saved, with the newest page.
    fileprivate mutating func moveCursor(to id: MessageID) {
        cursor = id
        transcript.touchNewest()
    }

    /// Whether the person has not deleted a message of the server.
    func shows(_ id: MessageID) -> Bool {
        transcript.ordinal(of: id).flatMap { transcript.read($0) { !$0.isHidden } } ?? false
    }
}

extension Transcript {
    /// Adds a message that the server tells. It may be one that the person has deleted, on a page that is not in
    /// memory (C13). Returns whether it is shown.
    mutating func receive(_ message: Message) -> Bool {
        var message = message
        message.isHidden = message.id.map { pages.hidden.contains($0) } ?? false
        insert(message)
        return !message.isHidden
    }

    /// Hides what the server has told anew before it was known that the person had deleted it (C13).
    mutating func hideDeleted() {
        for id in pages.hidden {
            guard let row = ordinal(of: id), read(row, { $0.isHidden }) == false else { continue }
            hide(row)
        }
    }
}

extension Message.Body {
    /// Whether the person has stopped it: then only a replay may complete it (C20).
    fileprivate var isStopped: Bool {
        if case .interrupted(_, .stopped) = self { true } else { false }
    }
}

extension Chat.Connection {
    fileprivate var isReplaying: Bool {
        if case .replaying = self { true } else { false }
    }
}
