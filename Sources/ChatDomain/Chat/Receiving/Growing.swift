// Replies that grow on a socket (C17, C20, S2–S4, S15). A reply has a row from its first event. Its text grows in
// `pushed.growing`, is shown in batches, and enters the transcript once, when the reply ends: complete, interrupted or
// stopped. While it grows its silence and duration have deadlines (L3). Start with `grow`; `Growth` joins the text.

extension Chat.Conversation {
    // MARK: Text

    mutating func grow(_ message: IncomingMessage, _ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        let beginning = Message(
            id: message.id, author: message.author, body: .growing, time: message.time, isPlaced: true,
            sender: message.sender, flags: message.flags)
        grow(message.id, .whole(message.text), beginning, to: message.question, &shared, &step)
    }

    mutating func grow(
        _ id: MessageID, _ piece: Growth.Piece, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        // Fast path: nearly every token joins a batch and has no other effect.
        if let index = pushed.growingIndex(of: id) { return take(piece, at: index, &shared, &step) }
        let beginning = Message(id: id, author: .assistant(to: nil), body: .growing, time: step.wall)
        grow(id, piece, beginning, to: nil, &shared, &step)
        gather(id, piece, &shared, &step)
    }

    private mutating func grow(
        _ id: MessageID, _ piece: Growth.Piece, _ beginning: Message, to question: ClientID?,
        _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        if let index = pushed.growingIndex(of: id) { return take(piece, at: index, &shared, &step) }
        guard begin(beginning, id, to: question, &shared, &step) else { return hearMuted(id, piece, step) }
        dropRetry(before: id, &shared, &step)
        take(piece, at: pushed.growing.count - 1, &shared, &step)
    }

    private mutating func take(
        _ piece: Growth.Piece, at index: Int, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        let (now, limits) = (step.now, step.configuration.growthLimits)
        let taken = pushed.growing[index].growth.take(piece, at: now, limits)
        guard taken != Growth.Taken(batch: .further) else { return }
        let id = pushed.growing[index].id
        switch taken.batch {
        case .first:
            step.add(.start(.batch(id), after: TokenBatch.interval(step.configuration.batchInterval)))
        case .displaced: if count(index) { linkReply(id, &shared, &step) }
        case .further, .nothing: break
        }
        switch taken.gap {
        case .unchanged: break
        case .start: step.add(.start(.gap(id), after: step.configuration.chunkGapLimit))
        case .cancel: step.add(.cancel(.gap(id)))
        }
        switch taken.end {
        case nil: break
        case .complete: complete(id, &shared, &step)
        case .gap: stop(id, .gap, &shared, &step)
        case .tooLong:
            stop(id, .tooLong, &shared, &step)
            if case .chunk(_, _, isFinal: true) = piece { pushed.unmute(id) }
        }
    }

    // MARK: The beginning

    /// Begins a reply, or continues one that a lost connection interrupted; any other end is final (S3). Returns
    /// whether the reply grows.
    private mutating func begin(
        _ beginning: Message, _ id: MessageID, to question: ClientID?, _ shared: inout Chat.Shared,
        _ step: inout Chat.Step
    ) -> Bool {
        let known = transcript.ordinal(of: id)
        let former = known == nil ? pushed.retelling?.message(id) : nil
        // A reply under the id of the person's message must not replace that message (L5).
        guard former?.role != .user else { return false }
        var shown = LongText()
        if let known {
            guard case .interrupted(let partial, _)? = transcript[known]?.body,
                transcript[known]?.body.isLost == true
            else { return false }
            shown = partial
        }
        guard mayGrow(id, step) else { return false }
        typingEnded(by: beginning.isPlaced ? beginning.time : nil, &step)
        step.add(.start(.silence(id), after: step.configuration.silenceLimit))
        step.add(.start(.total(id), after: step.configuration.totalLimit))
        pushed.growing.append(GrowingReply(id: id, shown: shown, at: step.now))
        if let known {
            // It keeps its question from before the lost connection.
            transcript.update(known) { $0.body = .growing }
            return true
        }
        let ordinal = transcript.receive(beginning)
        if let question { transcript.noteNamed(ordinal, question) }
        trim(step)
        if let former {
            // It keeps its question from before the reset (C5).
            if let question = former.question { transcript.link(ordinal, to: question) }
            return true
        }
        let isWanted = beginning.role == .system || replyBegan(id, to: question, &shared, &step)
        linkTextless(id, &shared, &step)
        guard isWanted else {
            stop(id, .stopped, &shared, &step)
            return false
        }
        return true
    }

    /// The number of refused or muted replies that are remembered: four times the limit of growing ones (L8).
    private static var crowdLimit: Int { 64 }

    /// Whether a reply may begin to grow. One that was refused stays refused, because its beginning is lost (limits, S15).
    private mutating func mayGrow(_ id: MessageID, _ step: Chat.Step) -> Bool {
        guard !pushed.isCrowdedOut(id) else { return false }
        guard pushed.growing.count >= step.configuration.growingLimit else { return true }
        crowdOut(id, step)
        return false
    }

    private mutating func crowdOut(_ id: MessageID, _ step: Chat.Step) {
        pushed.crowdedOut =
            pushed.crowdedOut.suffix(Self.crowdLimit - 1) + [GrowingReply(id: id, at: step.now)]
    }

    /// Takes a piece of a reply that has ended here as a sign that the server goes on with it, unless it is the last.
    private mutating func hearMuted(_ id: MessageID, _ piece: Growth.Piece, _ step: Chat.Step) {
        pushed.unmute(id)
        if case .chunk(_, _, isFinal: true) = piece { return }
        guard let row = transcript.ordinal(of: id), case .interrupted = transcript[row]?.body else { return }
        mute(id, step)
    }

    /// Remembers that the server goes on with a reply, so that the lack of an acknowledgement is no lost connection (C9).
    private mutating func mute(_ id: MessageID, _ step: Chat.Step) {
        pushed.muted = pushed.muted.suffix(Self.crowdLimit - 1) + [GrowingReply(id: id, at: step.now)]
    }

    /// Gathers the chunks of a refused reply, and shows it when it is complete.
    private mutating func gather(
        _ id: MessageID, _ piece: Growth.Piece, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        guard case .chunk = piece, let index = pushed.crowdedOut.firstIndex(where: { $0.id == id }) else {
            return
        }
        let (now, limits) = (step.now, step.configuration.growthLimits)
        let taken = pushed.crowdedOut[index].growth.take(piece, at: now, limits)
        switch taken.end {
        case nil: return
        case .gap, .tooLong: pushed.crowdedOut[index].growth = Growth(at: now)
        case .complete:
            _ = pushed.crowdedOut[index].growth.flush()
            let text = pushed.crowdedOut.remove(at: index).shown
            typingEnded(by: nil, &step)
            let isWanted = replyBegan(id, to: nil, &shared, &step)
            guard !text.isBlank else { return answerFailed(id, .empty, &shared, &step) }
            guard isWanted else { return }
            let ordinal = transcript.receive(
                Message(id: id, author: .assistant(to: nil), body: .text(text), time: step.wall))
            linkReply(id, &shared, &step)
            countUnread(ordinal)
            trim(step)
        }
    }

    // MARK: Batches

    /// Shows the pending batch. The first text links the reply to its question.
    mutating func showBatch(_ id: MessageID, _ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard let index = pushed.growingIndex(of: id), pushed.growing[index].growth.flush() else { return }
        if count(index) { linkReply(id, &shared, &step) }
    }

    /// Counts a reply as unread with its first text in view (C22). Returns whether that is new.
    private mutating func count(_ index: Int) -> Bool {
        guard !pushed.growing[index].isCounted, !pushed.growing[index].shown.isEmpty else { return false }
        pushed.growing[index].isCounted = true
        countUnread(transcript.ordinal(of: pushed.growing[index].id))
        return true
    }

    // MARK: The end

    private mutating func complete(_ id: MessageID, _ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard let growth = flushed(id), let ordinal = transcript.ordinal(of: id) else { return }
        typingEnded(by: nil, &step)
        guard !growth.isEmpty else { return stop(id, .empty, &shared, &step) }
        transcript.update(ordinal) { $0.body = .text(growth.shown) }
        linkReply(id, &shared, &step)
        stopGrowing(id, &step)
    }

    /// Text does not restart the silence timer; the time of the last arrival decides when it fires (S7).
    mutating func silent(_ id: MessageID, _ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard let reply = pushed.growing.first(where: { $0.id == id }) else { return }
        if let rest = reply.growth.silence(at: step.now, limit: step.configuration.silenceLimit) {
            return step.add(.start(.silence(id), after: rest))
        }
        stop(id, .timedOut, &shared, &step)
    }

    /// Mutes a reply at once and keeps its text (C20, S3, S10); a server that can ends it.
    mutating func stopReply(_ row: Chat.Row.ID, _ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard stream == nil else { return stopAsking(row, &shared, &step) }
        guard case .received(let id) = row, isGrowing(id) else { return }
        stop(id, .stopped, &shared, &step)
        typingEnded(by: nil, &step)
        tellStop(of: .reply(id), shared, &step)
    }

    private func tellStop(of reply: Chat.ReplyReference, _ shared: Chat.Shared, _ step: inout Chat.Step) {
        if let attempt = shared.link { step.add(.send(.socket(attempt), .stop(reply, in: id))) }
    }

    /// Stops every reply without visible text, and its indicator (S10). A socket still brings them; they are muted
    /// when they begin (C20).
    mutating func stopWaiting(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard stream == nil else { return stopAsking(&shared, &step) }
        for reply in pushed.growing where reply.shown.isEmpty {
            stop(reply.id, .stopped, &shared, &step)
            tellStop(of: .reply(reply.id), shared, &step)
        }
        var stopped = pushed.turns.stop()
        for key in stopped { tellStop(of: .question(key), shared, &step) }
        // By order, a reply to another question may have the turn of the message that is out.
        if let key = outbox.keyOut, !stopped.contains(key) { stopped.append(key) }
        for key in stopped {
            guard let ordinal = transcript.ordinal(of: key) else { continue }
            transcript.update(ordinal) { $0.written?.isReplyUnwanted = true }
            if pushed.turns.isWaiting(key) { setStatus(of: key, to: .delivered) }
        }
        typingEnded(by: nil, &step)
    }

    /// Ends a reply that is incomplete; its text stays (S3–S5).
    mutating func stop(
        _ id: MessageID, _ reason: Streaming.Reason, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        guard let growth = flushed(id) else { return }
        let shown = growth.shown
        stopGrowing(id, &step)
        if reason == .stopped || reason == .tooLong { mute(id, step) }
        guard let ordinal = transcript.ordinal(of: id) else { return }
        if shown.isEmpty, !keepsEmptyRow(ordinal, reason) {
            transcript.remove(ordinal)
            guard reason != .broken(.lost) else { return }
            // No row is left that refuses its later pieces (S15).
            if growth.isNumbered { crowdOut(id, step) }
            return answerFailed(id, reason, &shared, &step)
        }
        transcript.update(ordinal) { $0.body = .interrupted(shown, ReplyEnding(reason, needsNewKey: true)) }
        if !shown.isEmpty { return linkReply(id, &shared, &step) }
        if let question = transcript[ordinal]?.question { releaseFiles(of: question) }
    }

    /// Whether an ended reply without text keeps its row: a stopped one, a lost one that may continue, and one without
    /// a question of this device, whose row alone can say why it ended.
    private func keepsEmptyRow(_ ordinal: Int64, _ reason: Streaming.Reason) -> Bool {
        let question = transcript[ordinal].flatMap { $0.id }.flatMap { pushed.turns.question(of: $0) }
        switch (reason, question) {
        case (.stopped, _): return true
        case (.broken(.lost), .written): return transcript[ordinal]?.question != nil
        case (_, .written): return false
        case (_, .elsewhere), (_, nil): return true
        }
    }

    /// Shows all pending text of a growing reply (S3).
    private mutating func flushed(_ id: MessageID) -> Growth? {
        guard let index = pushed.growingIndex(of: id) else { return nil }
        if pushed.growing[index].growth.flush() { _ = count(index) }
        return pushed.growing[index].growth
    }

    mutating func stopGrowing(_ id: MessageID, _ step: inout Chat.Step) {
        guard let index = pushed.growingIndex(of: id) else { return }
        let isNumbered = pushed.growing.remove(at: index).growth.isNumbered
        step.add([.cancel(.batch(id)), .cancel(.silence(id)), .cancel(.total(id))])
        if isNumbered { step.add(.cancel(.gap(id))) }
    }
}
