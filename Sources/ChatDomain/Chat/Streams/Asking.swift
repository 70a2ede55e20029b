// A question with a stream of its own (C15, S1–S13): how a message of the outbox becomes a question, and how its reply
// enters the transcript. Start with `ask`; `flush` in Sending.swift calls it when a question is due. A question
// needs an account and a network, and a conversation has at most one in flight.
//
//     queued ──first, saved, no reply runs──▶ asked ──the server accepts──▶ accepted ──text──▶ delivered
//      ▲  ▲                                   │  │                             │                  │
//      │  └──────────── no network ───────────┘  │                             │    reply: finished, interrupted
//      └──────retried───── failed ◀──────────────┴────── ended without text ───┘
//
// Not in the diagram: a question that the person stops before any text is delivered, without a note (L7). Streaming/
// grows the reply. `toStream` compares its state before and after each action, so no fact is stored twice.

extension Chat.Conversation {
    // MARK: Asking

    mutating func ask(_ outgoing: Outgoing, _ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        let entry = outgoing.entry
        guard entry.attachments.isEmpty else {
            // A question is text only. One with files was written on another carriage.
            setStatus(of: entry.client, to: .failed(.filesNotTaken))
            return leaveQueue(entry.client, &shared, &step)
        }
        guard let account = shared.account, let ordinal = transcript.ordinal(of: entry.client) else {
            return leaveQueue(entry.client, &shared, &step)
        }
        var kept = LongText()
        if let row = transcript.answer(to: entry.client), let answer = transcript[row] {
            // A deleted reply can be removed: without a replay nothing brings it back (C13).
            if answer.isHidden {
                transcript.remove(row)
            } else if case .interrupted(let partial, _) = answer.body {
                kept = partial
            }
        }
        freeKey(of: entry.client)
        let question = Streaming.Question(
            conversation: id, client: entry.client, key: entry.key, text: entry.text,
            purpose: .message(isFirst: kept.isEmpty && isFirst(ordinal)),
            earlier: earlier(before: ordinal, step), person: account.user)
        toStream(.accessChanged(account.access), &shared, &step)
        toStream(.asked(question, keeping: kept), &shared, &step)
    }

    /// The messages before a question, for backends without memory. The first is the person's, as models expect.
    private func earlier(before ordinal: Int64, _ step: Chat.Step) -> [Streaming.PromptMessage] {
        var messages: [Streaming.PromptMessage] = []
        var room = step.configuration.earlierByteLimit
        for row in transcript.rows.newestFirst(before: ordinal) {
            guard Int64(messages.count) < step.configuration.earlierMessageLimit else { break }
            let message = row.value.wrappedValue
            guard let text = message.said else { continue }
            guard text.byteCount <= room else { break }
            room -= text.byteCount
            messages.append(Streaming.PromptMessage(role: message.role, text: ExactText(text.string)))
        }
        while let oldest = messages.last, oldest.role != .user { messages.removeLast() }
        messages.reverse()
        return messages
    }

    /// Whether a question is the first of the conversation that reaches the server. One that was stopped before any
    /// text may not have reached it.
    private func isFirst(_ ordinal: Int64) -> Bool {
        guard transcript.pages.isWhole else { return false }
        for row in transcript.rows.newestFirst(before: ordinal) {
            let message = row.value.wrappedValue
            guard message.role == .user, message.isWithServer else { continue }
            if message.written?.isReplyUnwanted != true { return false }
        }
        return true
    }

    // MARK: The question in flight

    func isAsking(_ client: ClientID) -> Bool {
        guard case .streamed(let stream) = replyPath, stream.wrappedValue.isRunning else { return false }
        return stream.wrappedValue.question?.client == client
    }

    var mayAskNext: Bool {
        guard case .streamed(let stream) = replyPath else { return false }
        return !stream.wrappedValue.isRunning && blocker == nil
    }

    /// The question that failed for a transient reason. Later ones wait, because a model would answer them without
    /// it; they wait until the person retries it, deletes it, or sends another (C8).
    var blocker: ClientID? {
        guard case .streamed(let stream) = replyPath, case .failed(let reply) = stream.wrappedValue.phase,
            reply.ending.reason.isTransient, let message = transcript.message(reply.question.client),
            !message.isHidden, case .failed = message.status
        else { return nil }
        return reply.question.client
    }

    /// Dismisses the blocking question, so that later ones can be sent. Returns it.
    @discardableResult
    mutating func unblock(_ shared: inout Chat.Shared, _ step: inout Chat.Step) -> ClientID? {
        let blocker = blocker
        if blocker != nil { toStream(.dismissed, &shared, &step) }
        return blocker
    }

    // MARK: Stopping

    mutating func stopAsking(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard stream?.isTyping == true else { return }
        toStream(.stopped, &shared, &step)
    }

    mutating func stopAsking(_ row: Chat.Row.ID, _ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard case .answer(let client) = row, isAsking(client) else { return }
        toStream(.stopped, &shared, &step)
    }

    /// Hides a deleted row, and stops its question: the row is the question or its reply. The row is hidden first,
    /// because the next question may be asked at once, and takes along what is visible (C13).
    mutating func hide(
        _ message: Message, at ordinal: Int64, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        let isBlocker = message.client != nil && message.client == blocker
        if isBlocker { unblock(&shared, &step) }
        transcript.hide(ordinal)
        if isBlocker { return flush(&shared, &step) }
        guard let client = message.client ?? message.question, isAsking(client) else { return }
        toStream(.stopped, &shared, &step)
    }

    // MARK: Progress

    /// Passes an action to the stream, adds its effects, and applies the change of its state to the transcript.
    mutating func toStream(_ action: Streaming.Action, _ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard case .streamed(var stream) = replyPath, case .streams(let form) = step.configuration.carriage
        else { return }
        replyPath = .streamed(.vacant)  // so that the box is not shared while its content changes
        let before = Snapshot(stream.wrappedValue)
        let effects = Streaming(configuration: form).reduce(
            &stream.wrappedValue, action, in: &step.context)
        let after = Snapshot(stream.wrappedValue)
        replyPath = .streamed(stream)
        let id = id
        for effect in effects {
            step.add(effect.map(call: { .stream(id, $0) }, request: { .ask($0) }, timer: { .stream(id, $0) }))
        }
        if case .asked = action {
            if !after.isRunning { streamEnded(&shared, &step) }
        } else {
            applyChange(from: before, to: after, &shared, &step)
        }
        // Renewed credentials may be equal to the former ones. A ghost has no effects.
        if case .received(.refreshed(let access), _) = action, !effects.isEmpty { step.ask(.renew(access)) }
    }

    private struct Snapshot {
        let client: ClientID?
        let key: ClientID?
        let isRunning: Bool
        let isAccepted: Bool
        let visibleUpdates: Int64

        init(_ stream: Streaming.State) {
            client = stream.question?.client
            key = stream.question?.key
            isRunning = stream.isRunning
            isAccepted = stream.isAccepted
            visibleUpdates = stream.measures.visibleUpdates
        }
    }

    private mutating func applyChange(
        from before: Snapshot, to after: Snapshot, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        guard after.isRunning else {
            if before.isRunning { streamEnded(&shared, &step) }
            return
        }
        guard let client = after.client, let key = after.key else { return }
        if after.visibleUpdates != before.visibleUpdates { showReply(to: client, step) }
        if key != before.key { return takeNewKey(key, client, &shared, &step) }
        guard after.isAccepted, !before.isAccepted, outbox.keyInFlight == key else { return }
        setStatus(of: client, to: .accepted)
        leaveQueue(client, &shared, &step)
    }

    /// Takes over the new key of a question that the server accepted and then failed (S13). The outbox stores the key
    /// for a relaunch (L6).
    private mutating func takeNewKey(
        _ key: ClientID, _ client: ClientID, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        guard let ordinal = transcript.ordinal(of: client), let message = transcript[ordinal],
            let former = message.written?.key, case .text(let text) = message.body
        else { return }
        rekey(ordinal, key)
        let entry = OutboxEntry(
            key: key, client: client, text: ExactText(text.string), written: message.time, wasSent: true,
            draft: outbox.handedOver.first { $0.key == former }?.draft)
        changeOutbox(&shared, &step) { outbox, _ in
            outbox.forgetHandedOver(former)
            outbox.keep(entry)
        }
    }

    private mutating func streamEnded(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard let stream else { return }
        switch stream.phase {
        case .idle, .waiting, .streaming: break
        case .finished(let reply):
            let client = reply.question.client
            setReply(to: client, .text(reply.text), reply.flags, step)
            if let id = reply.id, let row = transcript.answer(to: client) { transcript.name(row, id) }
            setStatus(of: client, to: .delivered)
            leaveQueue(client, &shared, &step)
        case .interrupted(let reply, let partial): end(reply, partial, &shared, &step)
        case .failed(let reply): end(reply, .nothing, &shared, &step)
        }
    }

    private mutating func end(
        _ reply: Streaming.UnfinishedReply, _ partial: Streaming.Kept, _ shared: inout Chat.Shared,
        _ step: inout Chat.Step
    ) {
        let client = reply.question.client
        let ending = reply.ending.waiting(noLongerThan: step.wall + step.configuration.greatestToldWait)
        shared.pause(for: ending.reason, &step)
        if ending.reason == .broken(.offline), !partial.isCurrent, outbox.keyInFlight == reply.question.key {
            return returnToQueue(client, &shared, &step)
        }
        switch (partial, ending.reason) {
        case (.nothing, .stopped):
            if let row = transcript.ordinal(of: client) {
                transcript.update(row) { $0.written?.isReplyUnwanted = true }
            }
            setStatus(of: client, to: .delivered)
        case (.nothing, _): setStatus(of: client, to: .failed(.unanswered(ending)))
        // A retry that is stopped before any text leaves the earlier partial and its reason unchanged (S6).
        case (.earlier, .stopped): setStatus(of: client, to: .delivered)
        case (.earlier(let text), _):
            let flags = transcript.answer(to: client).flatMap { transcript[$0]?.flags } ?? []
            setReply(to: client, .interrupted(text, ending), flags, step)
            setStatus(of: client, to: .delivered)
        case (.current(let text, let flags), _):
            setReply(to: client, .interrupted(text, ending), flags, step)
            setStatus(of: client, to: .delivered)
        }
        leaveQueue(client, &shared, &step)
    }

    /// Without a network the question returns to the outbox, as if it had not been sent (C2, C13). A retry keeps its row,
    /// which is older than its entry.
    private mutating func returnToQueue(
        _ client: ClientID, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        guard var unsent = outbox.requeueNotTaken() else { return }
        unsent.entry.wasSent = false
        _ = outbox.queue.replace(with: unsent)
        setStatus(of: client, to: .queued)
        if let row = transcript.ordinal(of: client), transcript[row]?.time == unsent.entry.written {
            transcript.remove(row)
        }
        changeOutbox(&shared, &step) { _, _ in }
    }

    private mutating func leaveQueue(
        _ client: ClientID, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        guard let outgoing = outbox.queue.elements.first(where: { $0.client == client }) else {
            return flush(&shared, &step)
        }
        dequeue(outgoing.id, &shared, &step)
    }
}
