// Sending (C7–C13, L5, L6). A message goes from the composer to the outbox, from there on the wire once the
// outbox is saved, and leaves the outbox when the server is known to have it, or never will. The wire is a
// socket here; what follows where each question has a stream of its own is told in ChatAsking.swift.
//
//     composer ──sent──▶ queued ──saved, connected, first, rate──▶ sending ──▶ slow
//                          ▲                                          │          │
//                          └──────────── connection lost ─────────────┴──────────┤
//                                                                                ▼
//                             failed ◀──rejected──     accepted ──echo, reply──▶ delivered
//
// What the picture cannot show: acknowledgement, echo and reply are three facts that come in any order, twice
// or never (C10); each only moves a message forward.

extension Chat {
    // MARK: The composer

    func editDraft(_ state: inout State, _ text: ExactText, _ context: Context) -> [Effect] {
        guard state.account != nil, state.conversation.draft.text != text else { return [] }
        state.conversation.draft.edit(text)
        return [.start(.draftSave(state.conversation.id), after: configuration.draftDelay)]
            + keyTyped(&state, context)
    }

    func send(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard state.account != nil else { return [] }
        let text = state.conversation.draft.text.trimmed
        let attachments = state.conversation.draft.attachments
        guard !text.isEmpty || !attachments.isEmpty, state.conversation.draft.copies.isEmpty else {
            return []
        }
        guard hasRoom(&state, for: text) else { return [] }
        guard Int64(attachments.count) <= configuration.fileLimit else {
            state.conversation.banner = tooManyFiles
            return []
        }
        state.conversation.banner = nil
        state.conversation.viewport = .atEnd
        // The composer empties first, because a save that fails at once gives the text back to it (C7).
        let draft = state.conversation.draft.id
        state.conversation.draft.edit("")
        state.conversation.draft.attachments = []
        state.conversation.draft.id = nil
        return stopTyping(&state) + enqueue(&state, text, attachments, from: draft, &context)
    }

    /// Whether a message can be taken in; if not, the person is told (SPEC section 8).
    func hasRoom(_ state: inout State, for text: ExactText) -> Bool {
        guard text.byteCount <= configuration.textLimit else {
            state.conversation.banner = .textTooLong
            return false
        }
        guard state.conversation.outbox.count < configuration.outboxLimit else {
            state.conversation.banner = .outboxFull
            return false
        }
        return true
    }

    /// Puts a new message at the end of the outbox, and sends it when it can go.
    func enqueue(
        _ state: inout State, _ text: ExactText, _ attachments: [Attachment], from draft: DraftID? = nil,
        _ context: inout Context
    ) -> [Effect] {
        let isRefused = state.forgetObstacle()  // the person wants it to be tried
        let client = ClientID("c_" + context.entropy.uuid())
        let entry = OutboxEntry(
            client: client, text: text, written: context.wall,
            wasSent: state.canSendNow && attachments.allSatisfy { $0.isReady }, attachments: attachments,
            draft: draft ?? .minted(&context))
        let saving = changeOutbox(&state, &context) { conversation, revision in
            _ = conversation.outbox.queue.enqueue(Outgoing(entry: entry, revision: revision))
            conversation.draft.sent = revision
        }
        return saving + (isRefused ? flushAll(&state, &context) : flush(&state, &context))
    }

    // MARK: The wire

    /// Sends the first that waits, if it is its turn (C8, C9).
    func flush(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard let line = state.line, case .idle = state.conversation.outbox.queue.phase,
            let head = state.conversation.outbox.queue.waiting.first
        else { return [] }
        guard !state.isHidden(head.id) else {
            _ = state.conversation.stopAwaiting(head.id)
            return discard(&state, head, &context) + dequeue(&state, head.id, &context)
        }
        guard mayGo(&state, head, context) else { return [] }
        if case .socket = line, !head.entry.isReady { return upload(&state, head, &context) }
        guard head.entry.wasSent else {
            // On a failing disk the record may not say that it was sent before: then its echo may be here.
            if head.revision == .loaded {
                state.conversation.adoptEcho(head.id, LongText(head.entry.text.string))
            }
            return changeOutbox(&state, &context) { conversation, revision in
                var marked = head
                marked.entry.wasSent = true
                marked.revision = revision
                _ = conversation.outbox.queue.replace(with: marked)
            } + flush(&state, &context)
        }
        // A save that failed cannot be helped: the message goes all the same (C7).
        guard state.conversation.outbox.saves.durability(of: head.revision) != .pending else { return [] }
        switch state.sending.admit(at: context.now) {
        case .wait(let until): return [.start(.rate, after: until - context.now)]
        case .now: break
        }
        var sent = head
        sent.sends = saturatingSum(sent.sends, 1)
        _ = state.conversation.outbox.queue.replace(with: sent)
        _ = state.conversation.outbox.queue.next()
        putOnWire(&state, head.entry)
        switch line {
        case .stream: return ask(&state, head.entry, &context)
        case .socket(let attempt):
            return [
                .send(
                    .socket(attempt),
                    .say(
                        head.entry.client, in: state.conversation.id, head.entry.text,
                        attachments: head.entry.attachments)),
                .start(.slow(state.conversation.id), after: configuration.slowAfter),
            ]
        }
    }

    private func putOnWire(_ state: inout State, _ entry: OutboxEntry) {
        guard let ordinal = state.conversation.transcript.ordinal(of: entry.client) else {
            return giveRow(&state, entry, .sending)
        }
        state.conversation.transcript.update(ordinal) {
            $0.status = .sending
            $0.attachments = entry.attachments
        }
        // A retry that was loaded has the id of its first sending, and a second echo will come (C12).
        state.conversation.expectEcho(of: entry.client)
    }

    /// Moves a message to the transcript, where it keeps its place from now on.
    func giveRow(_ state: inout State, _ entry: OutboxEntry, _ status: Message.Status) {
        state.conversation.transcript.insert(
            Message(
                client: entry.client, role: .user, body: .text(LongText(entry.text.string)),
                time: entry.written, status: status, device: state.account?.device,
                attachments: entry.attachments))
        state.conversation.expectEcho(of: entry.client)
    }

    func markSlow(_ state: inout State) -> [Effect] {
        guard case .inFlight(let outgoing) = state.conversation.outbox.queue.phase else { return [] }
        state.setStatus(of: outgoing.id, to: .slow)
        return [.start(.acknowledgement(state.conversation.id), after: configuration.lostAfterSlow)]
    }

    /// The connection is gone: what is on the wire may not have arrived, and waits to go again (C9).
    func takeBack(_ state: inout State) -> [Effect] {
        if let outgoing = state.conversation.outbox.queue.requeue() {
            state.setStatus(of: outgoing.id, to: .queued)
        }
        let id = state.conversation.id
        return [.cancel(.slow(id)), .cancel(.acknowledgement(id)), .cancel(.deferral(id))]
    }

    // MARK: What becomes of it

    func acknowledged(_ state: inout State, _ client: ClientID, _ context: inout Context) -> [Effect] {
        guard let ordinal = state.conversation.transcript.ordinal(of: client),
            let status = state.conversation.transcript[ordinal]?.status
        else { return [] }
        switch status {
        case .queued, .uploading, .sending, .slow:
            let sent = state.conversation.outbox.queue.elements.first { $0.id == client }
            if let sent, sent.sends > 1, state.conversation.joinEcho(client) {
                return dequeue(&state, client, &context)
            }
            state.setStatus(of: client, to: .accepted)
            return awaitReply(&state, client) + dequeue(&state, client, &context)
        case .accepted, .delivered, .failed:
            return dequeue(&state, client, &context)
        }
    }

    func rejected(
        _ state: inout State, _ client: ClientID, _ reason: ExactText, _ context: inout Context
    ) -> [Effect] {
        guard let row = state.conversation.transcript.ordinal(of: client),
            let refused = state.conversation.outbox.queue.elements.first(where: { $0.id == client })
        else { return refusedAfterAll(&state, client, reason, &context) }
        // On a wire for the second time it may be refused because the server took it the first time, and its
        // reply has failed since: then only a new id helps (C12).
        state.setStatus(
            of: client, to: .failed(refused.sends > 1 ? .replyFailed(reason) : .rejected(reason)))
        state.conversation.forgetEcho(of: client, row)
        _ = state.conversation.stopAwaiting(client)
        state.conversation.outbox.keepRefused(refused.entry)
        return dequeue(&state, client, &context)
    }

    /// The server had taken a message and now says that it will not answer it (C11, C12).
    func refusedAfterAll(
        _ state: inout State, _ client: ClientID, _ reason: ExactText, _ context: inout Context
    ) -> [Effect] {
        guard state.conversation.awaitingReply.contains(client) else { return [] }
        return replyFailed(&state, to: client, reason, &context)
    }

    /// The server takes it later: it keeps its place and goes again under the same id (C11).
    func deferred(_ state: inout State, _ client: ClientID, _ context: inout Context) -> [Effect] {
        guard state.conversation.outbox.queue.failedTransiently(client) else { return [] }
        state.setStatus(of: client, to: .queued)
        let wait = context.entropy.interval(
            from: configuration.deferral.lowerBound, through: configuration.deferral.upperBound)
        return [
            .cancel(.slow(state.conversation.id)), .cancel(.acknowledgement(state.conversation.id)),
            .start(.deferral(state.conversation.id), after: wait),
        ]
    }

    func sendDeferred(_ state: inout State, _ context: inout Context) -> [Effect] {
        if case .blocked = state.conversation.outbox.queue.phase {
            state.conversation.outbox.requeueNotTaken()
        }
        return flush(&state, &context)
    }

    /// The server is known to have a message, or never will: it leaves the outbox, and the next may go.
    func dequeue(_ state: inout State, _ client: ClientID, _ context: inout Context) -> [Effect] {
        let queue = state.conversation.outbox.queue
        guard queue.elements.contains(where: { $0.id == client }) else { return [] }
        var effects: [Effect] = []
        if case .inFlight(let outgoing) = queue.phase, outgoing.id == client {
            effects = [
                .cancel(.slow(state.conversation.id)), .cancel(.acknowledgement(state.conversation.id)),
            ]
        }
        effects += changeOutbox(&state, &context) { conversation, _ in
            let outgoing = conversation.outbox.queue.succeeded(client)
            guard let entry = outgoing?.entry, conversation.isWithServer(client), !conversation.draft.isStored
            else { return }
            conversation.outbox.keepSettled(entry)
        }
        return effects + flush(&state, &context)
    }

    // MARK: The reply to it

    func awaitReply(_ state: inout State, _ client: ClientID) -> [Effect] {
        guard !state.conversation.awaitingReply.contains(client) else { return [] }
        guard state.conversation.answeredEarly != client else {
            state.conversation.answeredEarly = nil
            state.setStatus(of: client, to: .delivered)
            return []
        }
        state.conversation.awaitingReply.append(client)
        // What was stopped is waited for in its turn and not shown (S10).
        if state.conversation.isReplyUnwanted(client) {
            if !state.conversation.unwanted.contains(client) { state.conversation.unwanted.append(client) }
            state.setStatus(of: client, to: .delivered)
        }
        return [.start(.reply(client), after: configuration.replyLimit)]
    }

    func replyMissing(_ state: inout State, _ client: ClientID) -> [Effect] {
        guard state.conversation.awaitingReply.contains(client) else { return [] }
        let isWanted = state.conversation.stopAwaiting(client)
        if isWanted { state.setStatus(of: client, to: .failed(.noReply)) }
        return []
    }

    func replyFailed(
        _ state: inout State, to client: ClientID, _ reason: ExactText, _ context: inout Context
    ) -> [Effect] {
        guard let ordinal = state.conversation.transcript.ordinal(of: client),
            state.conversation.transcript[ordinal]?.status != nil
        else { return [] }
        let isWanted = state.conversation.stopAwaiting(client)
        state.setStatus(of: client, to: isWanted ? .failed(.replyFailed(reason)) : .delivered)
        return [.cancel(.reply(client))] + dequeue(&state, client, &context)
    }
}

/// What a message goes on.
private enum Line {
    /// The connection that pushes.
    case socket(Attempt)
    /// A stream of its own.
    case stream
}

extension Chat.State {
    /// Whether a message written now would be the next on the wire.
    var canSendNow: Bool {
        guard line != nil, case .idle = conversation.outbox.queue.phase else { return false }
        return conversation.outbox.queue.waiting.isEmpty
    }

    /// What a message of the conversation would go on now.
    fileprivate var line: Line? {
        guard let stream = conversation.stream else {
            guard case .connected(let attempt) = connection else { return nil }
            return .socket(attempt)
        }
        return mayAsk && !stream.isRunning ? .stream : nil
    }

    /// Whether what is written would be sent, now or when its turn comes.
    var isReachable: Bool { conversation.stream == nil ? connection.link != nil : mayAsk }

    mutating func setStatus(of client: ClientID, to status: Message.Status) {
        guard let ordinal = conversation.transcript.ordinal(of: client) else { return }
        conversation.transcript.update(ordinal) { $0.status = status }
        guard let message = conversation.transcript[ordinal] else { return }
        switch status {
        // As long as its reply may still fail, it may have to go again, with its files (C12, C14).
        case .delivered where !conversation.mayFail(client): break
        // What the person has deleted goes no more (C13).
        case .failed where message.isHidden: break
        case .queued, .uploading, .sending, .slow, .accepted, .delivered, .failed: return
        }
        conversation.delivered += message.attachments.filter { !conversation.delivered.contains($0) }
    }
}

extension Chat.Conversation {
    /// Whether the server is known to have a message that the person still wants to see.
    fileprivate func isWithServer(_ client: ClientID) -> Bool {
        guard let message = transcript.ordinal(of: client).flatMap({ transcript[$0] }), !message.isHidden
        else { return false }
        return message.status == .accepted || message.status == .delivered
    }

    /// Whether a reply is waited for that the person wants.
    func mayFail(_ client: ClientID) -> Bool {
        awaitingReply.contains(client) && !unwanted.contains(client)
    }

    /// No reply to a message will come. Returns whether the person still wanted one.
    mutating func stopAwaiting(_ client: ClientID) -> Bool {
        awaitingReply.removeAll { $0 == client }
        if answeredEarly == client { answeredEarly = nil }
        replaced.removeAll { $0.by == .question(client) }
        guard let index = unwanted.firstIndex(of: client) else { return true }
        unwanted.remove(at: index)
        return false
    }
}
