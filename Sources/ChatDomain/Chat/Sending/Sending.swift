// Sending (C7–C12, L5, L6). A message enters the outbox from the composer, is sent after the outbox is saved, and
// leaves the outbox when the server has it or never will. Start with `send` and `flush`. This file sends on a socket;
// with a stream for each question, `flush` calls Streams/.
//
//     composer ──sent──▶ queued ──saved, connected, first, rate──▶ sending ──▶ slow
//                          ▲                                          │          │
//                          └──────────── connection lost ─────────────┴──────────┤
//                                                                                ▼
//                             failed ◀──rejected──     accepted ──echo, reply──▶ delivered
//
// Acknowledgement, echo and reply come in any order, twice or never (C10). Each only moves a message forward.

extension Chat.Conversation {
    // MARK: The composer

    mutating func editDraft(_ text: ExactText, _ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard shared.account != nil, draft.text != text else { return }
        // Text returned from the outbox may exceed the limit; the person can shorten it.
        guard text.byteCount <= max(Chat.Draft.byteLimit, draft.text.byteCount) else {
            banner = .textTooLong
            return
        }
        draft.edit(text)
        draftChanged(&step)
        keyTyped(&shared, &step)
    }

    mutating func send(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard shared.account != nil else { return }
        let text = draft.text.trimmed
        let attachments = draft.attachments
        guard !text.isBlank || !attachments.isEmpty, draft.isCopied else { return }
        guard hasRoom(for: text, step) else { return }
        guard Int64(attachments.count) <= step.configuration.fileLimit else {
            banner = step.configuration.tooManyFiles
            return
        }
        // Drafts that were joined may hold more than one that was picked (limits).
        guard attachments.inlineByteCount <= step.configuration.inlineLimit else {
            banner = .attachmentTooLarge
            return
        }
        banner = nil
        viewport = .atEnd
        // The composer empties before the save, because a failed save returns the text to it (C7).
        let sent = draft.id
        draft.clear()
        stopTyping(&shared, &step)
        enqueue(text, attachments, from: sent, &shared, &step)
    }

    /// Whether the limits allow another message; if not, a notice says why (limits).
    mutating func hasRoom(for text: ExactText, _ step: Chat.Step) -> Bool {
        guard text.byteCount <= step.configuration.textLimit else {
            banner = .textTooLong
            return false
        }
        guard outbox.count < step.configuration.outboxLimit else {
            banner = .outboxFull
            return false
        }
        return true
    }

    /// Adds a message to the end of the outbox, and sends it if it is next.
    mutating func enqueue(
        _ text: ExactText, _ attachments: [Chat.Attachment], from draft: DraftID? = nil,
        _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        let isUnblocked = shared.forgetObstacle()  // a send is a request to try now
        unblock(&shared, &step)
        let key = ClientID("c_" + step.context.entropy.uuid())
        let entry = OutboxEntry(
            key: key, text: text, written: step.wall,
            wasSent: canSendNow(shared, step) && attachments.allSatisfy { $0.isReady },
            attachments: attachments,
            draft: draft ?? .minted(&step.context))
        let revision = outbox.record.changed()
        _ = outbox.queue.enqueue(Outgoing(entry: entry, revision: revision))
        self.draft.sent = revision
        saveOutbox(&shared, &step)
        flush(&shared, &step)
        if isUnblocked { step.ask(.flushAll) }
    }

    // MARK: The wire

    private enum Wire {
        case socket(Attempt)
        /// The stream of one question.
        case stream
    }

    private func wire(_ shared: Chat.Shared) -> Wire? {
        guard stream != nil else {
            guard case .connected(let attempt) = shared.connection else { return nil }
            return .socket(attempt)
        }
        return shared.mayAsk && mayAskNext ? .stream : nil
    }

    /// Whether a message written now would be sent at once.
    private func canSendNow(_ shared: Chat.Shared, _ step: Chat.Step) -> Bool {
        guard wire(shared) != nil, pauseEnd(shared, step) == nil, case .idle = outbox.queue.phase
        else { return false }
        return outbox.queue.waiting.isEmpty
    }

    /// The end of a wait that the server has told; nil without one.
    private func pauseEnd(_ shared: Chat.Shared, _ step: Chat.Step) -> Instant? {
        shared.sending.pausedUntil.flatMap { $0 > step.now ? $0 : nil }
    }

    /// Whether a message written now is sent without another connection or sign-in.
    func isReachable(_ shared: Chat.Shared) -> Bool { stream == nil ? shared.link != nil : shared.mayAsk }

    /// Sends the first waiting message, if nothing is in flight and the limits allow it (C8, C9).
    mutating func flush(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard let wire = wire(shared), case .idle = outbox.queue.phase, let head = outbox.queue.waiting.first
        else { return }
        guard !isDeleted(head) else {
            pushed.turns.forget(head.id)  // it was deleted in flight, and the server did not take it
            discard(head, &shared, &step)
            return dequeue(head.id, &shared, &step)
        }
        guard mayGo(head, step) else { return }
        if case .socket = wire, !head.entry.isReady { return upload(head, &shared, &step) }
        // What a told wait holds back was not sent, also for a launch within it (S9, C13).
        if let until = pauseEnd(shared, step) {
            return step.add(.start(.rate, after: until - step.now))
        }
        guard head.entry.wasSent else {
            changeOutbox(&shared, &step) { outbox, revision in
                var marked = head
                marked.entry.wasSent = true
                marked.revision = revision
                _ = outbox.queue.replace(with: marked)
            }
            return flush(&shared, &step)
        }
        // After a failed save the message is sent all the same (C7).
        guard outbox.record.durability(of: head.revision) != .pending else { return }
        if case .wait(let until) = shared.sending.admit(at: step.now) {
            return step.add(.start(.rate, after: until - step.now))
        }
        var sent = head
        sent.sends = saturatingSum(sent.sends, 1)
        _ = outbox.queue.replace(with: sent)
        _ = outbox.queue.next()
        putOnWire(head)
        switch wire {
        case .stream: ask(sent, &shared, &step)
        case .socket(let attempt):
            let isUnwanted = transcript.message(head.id)?.written?.isReplyUnwanted == true
            pushed.turns.sent(head.id, isWanted: !isUnwanted)
            step.add(
                .send(
                    .socket(attempt),
                    .say(head.id, in: id, head.entry.text, attachments: head.entry.attachments)))
            step.add(.start(.slow(id), after: step.configuration.slowAfter))
        }
    }

    private mutating func putOnWire(_ outgoing: Outgoing) {
        let entry = outgoing.entry
        expectEcho(of: outgoing, isOlder: outgoing.sends > 0 && transcript.ordinal(of: entry.client) == nil)
        guard let ordinal = transcript.ordinal(of: entry.client) else { return giveRow(entry, .sending) }
        transcript.rekey(ordinal, entry.key)
        // Until now the reply to an earlier copy was the answer (C12).
        for former in transcript[ordinal]?.written?.former ?? [] where !pushed.turns.isWaiting(former.key) {
            pushed.turns.forget(former.key)
        }
        transcript.update(ordinal) {
            $0.status = .sending
            $0.attachments = entry.attachments
        }
    }

    mutating func expectEcho(of outgoing: Outgoing, isOlder: Bool) {
        let entry = outgoing.entry
        pushed.copies.sent(
            entry.key, of: entry.client, saying: LongText(entry.text),
            // Loaded rows stand before 0; an older message may have been echoed since.
            since: transcript.newestPlaced(before: isOlder ? 0 : nil)?.time, isOlder: isOlder)
    }

    /// Adds the row of a message that is sent, or may have been. The row keeps its place.
    mutating func giveRow(_ entry: OutboxEntry, _ status: Chat.SendStatus) {
        let written = Message.Written(
            client: entry.client, key: entry.key, status: status,
            former: entry.key == entry.client ? [] : [Message.Former(key: entry.client)])
        transcript.insert(
            Message(
                author: .here(written), body: .text(LongText(entry.text)), time: entry.written,
                attachments: entry.attachments))
    }

    /// The time to acknowledge the message begins when no answer excuses the server (C9).
    mutating func markSlow(isExcused: Bool, _ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard let key = outbox.keyInFlight else { return }
        setStatus(of: key, to: .slow)
        guard !isExcused else { return step.add(.start(.slow(id), after: step.configuration.slowAfter)) }
        step.add(.start(.acknowledgement(id), after: step.configuration.lostAfterSlow))
    }

    /// Requeues the message in flight after the connection is lost (C9).
    mutating func takeBack(_ step: inout Chat.Step) {
        if case .blocked = outbox.queue.phase { requeueNotTaken() }
        if let outgoing = outbox.queue.requeue() { setStatus(of: outgoing.id, to: .queued) }
        pushed.turns.cut()
        for timer in [Chat.Timer.slow(id), .acknowledgement(id), .deferral(id)] { step.add(.cancel(timer)) }
    }

    /// The server defers the message: it keeps its place and its key (C11).
    mutating func deferred(_ key: ClientID, _ told: Interval, _ step: inout Chat.Step) {
        guard outbox.queue.failedTransiently(key) else { return }
        setStatus(of: key, to: .queued)
        let range = step.configuration.deferral
        let soon = step.context.entropy.interval(from: range.lowerBound, through: range.upperBound)
        let wait = max(soon, min(told, step.configuration.toldWaitLimit))
        step.add([.cancel(.slow(id)), .cancel(.acknowledgement(id)), .start(.deferral(id), after: wait)])
    }

    mutating func sendDeferred(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        if case .blocked = outbox.queue.phase { requeueNotTaken() }
        flush(&shared, &step)
    }

    /// Requeues the message that is out, because the server did not take it. A reply that order has given to it answers
    /// something else (L5), unless an earlier send was taken (C12).
    mutating func requeueNotTaken() {
        guard let outgoing = outbox.requeueNotTaken() else { return }
        let reply = pushed.turns.reply(to: outgoing.id)
        guard outgoing.sends == 0 || reply == nil else { return }
        if transcript.answer(to: outgoing.client) == reply.flatMap({ transcript.ordinal(of: $0) }) {
            transcript.unlinkAnswer(to: outgoing.client, keepsPartial: false)
        }
        pushed.turns.forget(outgoing.id)
    }

    /// Removes a message that the server has, or never will have, and sends the next.
    mutating func dequeue(_ key: ClientID, _ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard outbox.queue.contains(key) else { return }
        if outbox.keyInFlight == key { step.add([.cancel(.slow(id)), .cancel(.acknowledgement(id))]) }
        if case .blocked(let head) = outbox.queue.phase, head.id == key { step.add(.cancel(.deferral(id))) }
        // The record already holds a kept message, unless the disk has refused that; then the record of the draft does,
        // and gives up one that the server has.
        let isKept = outbox.queue.ended(key).map { keep($0) } == true
        let isTaken = transcript.message(key)?.isWithServer == true
        if !isKept { clearSentDraft(&shared, &step) }
        if !isKept || isTaken && (!outbox.record.isClean || draft.holdsUnsaved) {
            changeOutbox(&shared, &step) { _, _ in }
        }
        flush(&shared, &step)
    }

    // MARK: The row

    /// Sets the status, and releases the files if the message cannot be sent again.
    mutating func setStatus(of client: ClientID, to status: Chat.SendStatus) {
        guard let ordinal = transcript.ordinal(of: client) else { return }
        transcript.update(ordinal) { $0.status = status }
        releaseFiles(of: client)
    }

    mutating func releaseFiles(of client: ClientID) {
        guard let message = transcript.message(client), !message.attachments.isEmpty else { return }
        switch message.status {
        // A failed reply may need a resend, with the files (C12, C14).
        case .delivered where !mayFail(message): break
        // A deleted message is never sent again (C13).
        case .failed where message.isHidden: break
        case .queued, .uploading, .sending, .slow, .accepted, .delivered, .failed, nil: return
        }
        filesToErase += message.attachments.filter { !filesToErase.contains($0) }
    }

    /// Whether all of a message can be sent again: its files are here, or their bytes are kept for a retry.
    func canGoAgain(_ message: Message) -> Bool { message.canGoAgain || mayFail(message) }

    /// Whether a reply is awaited, or has begun without text: then a retry may need the files.
    private func mayFail(_ message: Message) -> Bool {
        guard let key = message.written?.key, pushed.turns.isWanted(key) else { return false }
        guard let reply = pushed.turns.reply(to: key) else { return pushed.turns.isWaiting(key) }
        switch transcript.ordinal(of: reply).flatMap({ transcript[$0]?.body }) {
        case nil: return true
        case .growing: return pushed.growing.contains { $0.id == reply && $0.shown.isEmpty }
        case .text: return false
        case .interrupted(let partial, let ending): return partial.isEmpty && ending.reason != .stopped
        }
    }

    // MARK: Old messages

    /// Whether the first message may be sent. An old one waits for consent, and those behind it wait too (C8).
    private mutating func mayGo(_ head: Outgoing, _ step: Chat.Step) -> Bool {
        switch head.consent {
        case .given: return true
        case .asked: return false
        case .notNeeded: break
        }
        guard step.wall - head.entry.written >= step.configuration.heldAfter else { return true }
        var held = head
        held.consent = .asked
        _ = outbox.queue.replace(with: held)
        return false
    }

    mutating func approve(_ client: ClientID, _ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        let held = outbox.queue.waiting.first { $0.isNamed(client) && $0.consent == .asked }
        guard var held else { return }
        held.consent = .given
        _ = outbox.queue.replace(with: held)
        flush(&shared, &step)
    }
}
