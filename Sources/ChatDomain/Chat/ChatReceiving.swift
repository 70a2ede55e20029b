// Receiving (C10, C16, C17, S1–S4). Everything that arrives is recognised first: the echo of a message that
// was written here, a reply that is growing already, a message that is known, or something new. A reply that
// grows has its row from the first sign of it; its text gathers beside the transcript and enters it once.

extension Chat {
    // MARK: Messages

    func take(_ state: inout State, _ message: IncomingMessage, _ context: inout Context) -> [Effect] {
        switch message.role {
        case .user: takeEcho(&state, message, &context)
        case .assistant, .system: takeReply(&state, message, &context)
        }
    }

    /// A message of the person: written here, or on another of their devices (C10).
    private func takeEcho(
        _ state: inout State, _ message: IncomingMessage, _ context: inout Context
    ) -> [Effect] {
        guard !message.isGrowing else { return [] }
        var effects: [Effect] = []
        if state.conversation.transcript.ordinal(of: message.id) == nil {
            if let client = ownMessage(state, message),
                let ordinal = state.conversation.transcript.ordinal(of: client)
            {
                state.conversation.transcript.resolve(ordinal, id: message.id, time: message.time)
                state.conversation.unresolved.removeAll { $0 == client }
                effects = delivered(&state, client) + dequeue(&state, client, &context)
            } else {
                state.conversation.transcript.insert(
                    Message(
                        id: message.id, client: message.client, role: .user,
                        body: .text(LongText(message.text.string)), time: message.time,
                        device: message.device, isPlaced: true))
                if message.client == nil, message.device == nil || message.device == state.account?.device {
                    state.conversation.expectOriginal(of: message.id)
                }
                trim(&state)
            }
        }
        finished(&state, message.id)
        return effects
    }

    /// Which of the messages written here an echo means: the one it names, else the oldest on a wire with
    /// that very text.
    private func ownMessage(_ state: State, _ message: IncomingMessage) -> ClientID? {
        if let client = message.client { return client }
        if let device = message.device, device != state.account?.device { return nil }
        let text = Message.Body.text(LongText(message.text.string))
        return state.conversation.unresolved.first { client in
            guard let ordinal = state.conversation.transcript.ordinal(of: client) else { return false }
            return state.conversation.transcript[ordinal]?.body == text
        }
    }

    private func delivered(_ state: inout State, _ client: ClientID) -> [Effect] {
        guard let ordinal = state.conversation.transcript.ordinal(of: client),
            let status = state.conversation.transcript[ordinal]?.status
        else { return [] }
        switch status {
        case .queued, .sending, .slow:
            state.setStatus(of: client, to: .delivered)
            return awaitReply(&state, client)
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
        var effects: [Effect] = []
        if let ordinal = state.conversation.transcript.ordinal(of: message.id) {
            // The id of something that a person wrote is no reply's, whatever a server says (L5).
            guard state.conversation.transcript[ordinal]?.role != .user else { return [] }
            if state.conversation.transcript[ordinal]?.body != body {
                state.conversation.transcript.update(ordinal) { $0.body = body }
            }
            state.conversation.transcript.resolve(ordinal, id: message.id, time: message.time)
            effects = stopGrowing(&state, message.id)
        } else {
            state.conversation.transcript.insert(
                Message(
                    id: message.id, role: message.role, body: body, time: message.time, isPlaced: true))
            effects = message.role == .assistant ? replyBegan(&state) : []
            trim(&state)
        }
        finished(&state, message.id)
        return effects
    }

    // MARK: Growing replies

    func take(
        _ state: inout State, _ text: ExactText, for id: MessageID, _ context: inout Context
    ) -> [Effect] {
        grow(&state, id, .assistant, (context.wall, isServers: false), context) {
            $0.append(text, at: context.now)
        }
    }

    /// Adds to a growing reply, which begins here if it is new. After its end nothing is applied (S3), unless
    /// only the connection ended it: then it goes on.
    private func grow(
        _ state: inout State, _ id: MessageID, _ role: Message.Role,
        _ time: (WallTime, isServers: Bool), _ context: Context,
        _ add: (inout GrowingReply) -> GrowingReply.Taken
    ) -> [Effect] {
        var effects: [Effect] = []
        var index = state.conversation.growing.firstIndex { $0.id == id }
        if index == nil {
            guard state.conversation.growing.count < configuration.growingLimit,
                let shown = begin(&state, id, role, time)
            else { return [] }
            effects = replyBegan(&state) + [.start(.silence(id), after: configuration.silenceLimit)]
            index = state.conversation.growing.count
            state.conversation.growing.append(GrowingReply(id: id, shown: shown, at: context.now))
        }
        guard let index else { return effects }
        let taken = add(&state.conversation.growing[index])
        if state.conversation.growing[index].byteCount > configuration.replyTextLimit {
            return effects + stop(&state, id, .tooLong)
        }
        guard case .first = taken else { return effects }
        return effects + [.start(.batch(id), after: TokenBatch.interval(configuration.batchInterval))]
    }

    /// Gives a reply its row, whose place is learnt with the server's time. Returns what is shown of it
    /// already, or nothing when it may not grow.
    private func begin(
        _ state: inout State, _ id: MessageID, _ role: Message.Role, _ time: (WallTime, isServers: Bool)
    ) -> LongText? {
        guard let ordinal = state.conversation.transcript.ordinal(of: id) else {
            state.conversation.transcript.insert(
                Message(id: id, role: role, body: .growing, time: time.0, isPlaced: time.isServers))
            trim(&state)
            return LongText()
        }
        guard case .interrupted(let partial, .lost) = state.conversation.transcript[ordinal]?.body else {
            return nil
        }
        state.conversation.transcript.update(ordinal) { $0.body = .growing }
        return partial
    }

    func showBatch(_ state: inout State, _ id: MessageID, _ context: Context) -> [Effect] {
        guard let index = state.conversation.growing.firstIndex(where: { $0.id == id }),
            state.conversation.growing[index].pending != .nothing
        else { return [] }
        _ = state.conversation.growing[index].flush()
        // The silence is counted from the last token, not from the batch that shows it (S7).
        let silent = context.now - state.conversation.growing[index].lastArrival
        return [.start(.silence(id), after: configuration.silenceLimit - silent)]
    }

    /// A reply will not be finished: what has come of it stays (S3, S4, S5).
    func interrupt(
        _ state: inout State, _ id: MessageID, _ reason: Interruption, _ context: inout Context
    ) -> [Effect] {
        stop(&state, id, reason)
    }

    func interruptAll(_ state: inout State, _ reason: Interruption) -> [Effect] {
        var effects: [Effect] = []
        for reply in state.conversation.growing { effects += stop(&state, reply.id, reason) }
        return effects
    }

    private func stop(_ state: inout State, _ id: MessageID, _ reason: Interruption) -> [Effect] {
        guard let index = state.conversation.growing.firstIndex(where: { $0.id == id }) else { return [] }
        _ = state.conversation.growing[index].flush()
        let shown = state.conversation.growing[index].shown
        if let ordinal = state.conversation.transcript.ordinal(of: id) {
            state.conversation.transcript.update(ordinal) { $0.body = .interrupted(shown, reason) }
        }
        return stopGrowing(&state, id)
    }

    private func stopGrowing(_ state: inout State, _ id: MessageID) -> [Effect] {
        guard state.conversation.growing.contains(where: { $0.id == id }) else { return [] }
        state.conversation.growing.removeAll { $0.id == id }
        return [.cancel(.batch(id)), .cancel(.silence(id))]
    }

    /// A reply has begun: the oldest message that waits for one has it (C12).
    private func replyBegan(_ state: inout State) -> [Effect] {
        guard let client = state.conversation.awaitingReply.first else {
            // None waits: it answers the one that is on the wire, whose acknowledgement is still to come.
            if case .inFlight(let outgoing) = state.conversation.outbox.queue.phase {
                state.conversation.answeredEarly = outgoing.id
            }
            return []
        }
        state.conversation.awaitingReply.removeFirst()
        state.setStatus(of: client, to: .delivered)
        return [.cancel(.reply(client))]
    }

    // MARK: The cursor

    /// A finished message was applied. While a reply still grows the cursor stays before it, so that a
    /// replay brings its end (C5).
    private func finished(_ state: inout State, _ id: MessageID) {
        guard state.conversation.growing.isEmpty, !state.connection.isReplaying,
            state.conversation.isBehindCursor(id)
        else { return }
        state.conversation.cursor = id
    }

    /// The replay is complete: everything up to the newest finished message has been applied.
    func advanceCursor(_ state: inout State) {
        guard state.conversation.growing.isEmpty else { return }
        for row in state.conversation.transcript.rows.newestFirst {
            guard row.value.isFinished else { continue }
            guard state.conversation.cursor != row.value.id else { return }
            state.conversation.cursor = row.value.id
            state.conversation.transcript.touch(row.ordinal)
            return
        }
    }

    private func trim(_ state: inout State) {
        state.conversation.transcript.trim(to: max(configuration.transcriptLimit, 1_000))
    }
}

extension Chat.Connection {
    fileprivate var isReplaying: Bool {
        if case .replaying = self { true } else { false }
    }
}
