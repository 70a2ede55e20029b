// Acknowledgements, refusals, and replies that begin, fail or do not come (C10–C12, S4, S6). One row is linked to each
// question as its reply; an interrupted reply stays linked until a reply with text replaces it. Start with
// `acknowledged` and `replyBegan`.

extension Chat.Conversation {
    // MARK: Questions

    mutating func acknowledged(_ key: ClientID, _ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard transcript.message(key)?.written?.key == key else { return dequeue(key, &shared, &step) }
        takeBackRefusal(of: key, &shared, &step)
        if transcript.message(key)?.status?.isUnconfirmed == true {
            if let echo = pushed.copies.taken(key) {
                join(key, to: echo, &shared, &step)
            } else {
                setStatus(of: key, to: .accepted)
                awaitReply(to: key, shared, &step)
            }
        }
        dequeue(key, &shared, &step)
    }

    /// The server has taken a message as a command: there is no reply to wait for, after a relaunch either.
    mutating func obeyed(_ key: ClientID, _ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        acknowledged(key, &shared, &step)
        guard let row = transcript.ordinal(of: key), let written = transcript[row]?.written,
            written.key == key
        else { return }
        waitNoLonger(for: key, &step)
        transcript.update(row) { $0.written?.isReplyUnwanted = true }
        if written.status == .accepted { setStatus(of: key, to: .delivered) }
    }

    /// A refusal may lack the name of its message; then the message is a guess. An acknowledgement overrides it (C11).
    private mutating func takeBackRefusal(
        of key: ClientID, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        guard let message = transcript.message(key), let written = message.written,
            case .failed(.rejected) = written.status, case .text(let text) = message.body
        else { return }
        pushed.copies.sent(key, of: written.client, saying: text, since: nil)
        setStatus(of: key, to: .sending)
    }

    /// Joins a message to its echo, which proves that the server has it, and to the reply of that.
    mutating func join(
        _ key: ClientID, to echo: MessageID, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        guard let sent = transcript.message(key)?.written else { return }
        defer { dequeue(key, &shared, &step) }
        let client = sent.client
        let author = transcript.ordinal(of: echo).flatMap { transcript[$0]?.author }
        let isUnanswered = if case .elsewhere(_, isUnanswered: true) = author { true } else { false }
        transcript.join(client, to: echo)
        step.add(.cancel(.replyLimit(.elsewhere(echo), in: id)))
        let reply = pushed.turns.claim(echo, for: key)
        if let reply, let row = transcript.ordinal(of: reply), transcript[row]?.role == .assistant {
            transcript.link(row, to: client)
        } else if isUnanswered, sent.key == key {
            pushed.turns.forget(key)
            return setStatus(of: key, to: .failed(.unanswered(.missing)))
        } else if pushed.turns.isWaiting(key) {
            limitWait(for: .written(key), &step)
        } else if sent.key == key, sent.status.isUnconfirmed {
            awaitReply(to: key, shared, &step)
        }
        let isOpen = sent.status.isUnconfirmed || sent.status == .accepted
        if sent.key == key, isOpen || reply != nil { setStatus(of: key, to: .delivered) }
    }

    /// Waits for the reply to an accepted message, unless the reply has begun (C12).
    mutating func awaitReply(to key: ClientID, _ shared: Chat.Shared, _ step: inout Chat.Step) {
        let isUnwanted = transcript.message(key)?.written?.isReplyUnwanted == true
        if pushed.turns.taken(key, isWanted: !isUnwanted, newWait(shared, step)) {
            forgetExcessTurn(&step)
            limitWait(for: .written(key), &step)
            if isUnwanted { setStatus(of: key, to: .delivered) }
        } else if pushed.turns.reply(to: key) != nil {
            setStatus(of: key, to: .delivered)
        }
    }

    /// Waits for the reply to a message of another device.
    mutating func awaitReply(elsewhere question: MessageID, _ shared: Chat.Shared, _ step: inout Chat.Step) {
        guard pushed.turns.taken(elsewhere: question, newWait(shared, step)) else { return }
        forgetExcessTurn(&step)
        limitWait(for: .elsewhere(question), &step)
    }

    private mutating func forgetExcessTurn(_ step: inout Chat.Step) {
        if let excess = pushed.turns.forgetExcess() { step.add(.cancel(.replyLimit(excess, in: id))) }
    }

    private func newWait(_ shared: Chat.Shared, _ step: Chat.Step) -> Turns.Wait {
        let limit = step.configuration.replyLimit
        if case .connected = shared.connection { return .running(until: step.now + limit) }
        return .stopped(left: limit)
    }

    mutating func stopWaits(_ step: inout Chat.Step) {
        for asked in pushed.turns.stopTime(at: step.now) { step.add(.cancel(.replyLimit(asked, in: id))) }
    }

    private func limitWait(for question: Turns.Question, _ step: inout Chat.Step) {
        guard case .running(let until) = pushed.turns.wait(for: question) else { return }
        step.add(.start(.replyLimit(question, in: id), after: max(until - step.now, .zero)))
    }

    /// Whether a reply may still come to a question of this server time. A live message is not checked, because the
    /// clock of this device may be wrong.
    func mayBeAnswered(_ time: WallTime, _ step: Chat.Step) -> Bool {
        step.wall - time < step.configuration.replyLimit
    }

    mutating func rejected(
        _ key: ClientID, _ reason: ExactText, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        guard let ordinal = transcript.ordinal(of: key),
            let refused = outbox.queue.elements.first(where: { $0.id == key })
        else {
            // It was accepted, and the server refuses to answer it (C11, C12).
            if pushed.turns.isWaiting(key) { replyFailed(to: key, reason, &shared, &step) }
            return
        }
        let isAnswered = isAnswered(refused.client) && transcript[ordinal]?.wasRetried == true
        if isAnswered {
            // Only the retry was refused, and the reply to an earlier copy is shown: nothing is missing (C12).
            if refused.sends == 1 {
                pushed.copies.close(key)
                transcript.dropKey(ordinal)
            }
            setStatus(of: refused.client, to: .delivered)
        } else if refused.sends > 1 {
            // The server may have accepted an earlier send, and its reply may have failed. Then only a new key helps,
            // and the echo may still come, or have come in doubt (C12).
            if let echo = pushed.copies.claim(by: key) { join(key, to: echo, &shared, &step) }
            step.add(.cancel(.replyLimit(.written(key), in: id)))
            let ending = ReplyEnding(.reported(reason), needsNewKey: true)
            setStatus(of: key, to: .failed(.unanswered(ending)))
        } else {
            setStatus(of: key, to: .failed(.rejected(reason)))
            pushed.copies.close(key)
        }
        pushed.turns.forget(key)
        if !isAnswered {
            // A server acknowledges again what it has answered, so order has attributed another question's reply (L5).
            transcript.unlinkAnswer(to: refused.client)
        }
        dequeue(key, &shared, &step)
    }

    // MARK: Replies

    /// Gives a reply the turn of a question (C12): of the one that it names, else of the next by order. Order is no
    /// acknowledgement: a message in the outbox keeps its status (L5). Returns whether the person still wants the reply.
    mutating func replyBegan(
        _ id: MessageID, to named: ClientID?, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) -> Bool {
        let attribution =
            if let named {
                begin(id, to: named, &shared, &step)
            } else {
                pushed.turns.began(id)
            }
        guard let attribution else { return true }
        if attribution.wasWaiting { step.add(.cancel(.replyLimit(attribution.question, in: self.id))) }
        if case .written(let key) = attribution.question, let asked = transcript.message(key)?.written,
            outbox.outgoing(asked.client) == nil
        {
            setStatus(of: key, to: .delivered)
        }
        return attribution.isWanted
    }

    /// The name of a question proves that the server has accepted it. A question that is unknown here is of another
    /// client, and its reply has nobody's turn.
    private mutating func begin(
        _ id: MessageID, to key: ClientID, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) -> Turns.Attribution? {
        if let other = pushed.turns.release(id, unlessTo: key, newWait(shared, step)) {
            limitWait(for: other, &step)
            if case .written(let former) = other, let client = transcript.message(former)?.client,
                transcript.answer(to: client) == transcript.ordinal(of: id)
            {
                transcript.unlinkAnswer(to: client, keepsPartial: false)
            }
        }
        acknowledged(key, &shared, &step)
        let asked = transcript.message(key)?.written
        guard asked != nil || pushed.turns.isWaiting(key) else { return nil }
        return pushed.turns.began(id, to: key, isWanted: asked?.isReplyUnwanted != true)
    }

    /// Links a reply to its question in place of an interrupted one (S6).
    mutating func linkReply(_ id: MessageID, _ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard let ordinal = transcript.ordinal(of: id), let question = asked(by: id) else { return }
        transcript.link(ordinal, to: question)
        releaseFiles(of: question)
        guard case .text = transcript[ordinal]?.body else { return }
        dropRetry(before: id, &shared, &step)
        // No answer is missing that is shown (C12).
        guard outbox.outgoing(question) == nil, isAnswered(question),
            case .failed(.unanswered(let ending)) = transcript.message(question)?.status, ending.needsNewKey
        else { return }
        setStatus(of: question, to: .delivered)
    }

    /// Whether a whole reply to a message is shown.
    func isAnswered(_ client: ClientID) -> Bool {
        if case .text = transcript.reply(to: client)?.body { true } else { false }
    }

    /// The question of this device that a reply answers, by its row or else by its turn.
    private func asked(by reply: MessageID) -> ClientID? {
        let row = transcript.ordinal(of: reply)
        if let question = row.flatMap({ transcript[$0]?.question }) { return question }
        guard case .written(let key) = pushed.turns.question(of: reply) else { return nil }
        return transcript.message(key)?.client
    }

    /// Drops a retry that was never in flight, because the reply to an earlier copy grows or has come (C12).
    mutating func dropRetry(before reply: MessageID, _ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard let question = asked(by: reply), let ordinal = transcript.ordinal(of: question),
            let retried = outbox.queue.waiting.first(where: { $0.client == question && $0.sends == 0 })
        else { return }
        if !pushed.copies.open.contains(where: { $0.key == retried.id }) { transcript.dropKey(ordinal) }
        haltUploads(of: retried, &shared, &step)
        setStatus(of: question, to: .delivered)
        dequeue(retried.id, &shared, &step)
    }

    /// Links a reply without text, unless the question has an earlier reply (S6).
    mutating func linkTextless(_ id: MessageID, _ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard let client = asked(by: id), transcript.answer(to: client) == nil else { return }
        linkReply(id, &shared, &step)
    }

    /// Fails a reply, by its own id or by that of another device's question.
    mutating func replyFailed(
        _ named: MessageID, _ reason: ExactText, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        let growing = pushed.growing.first { pushed.turns.question(of: $0.id) == .elsewhere(named) }
        let id = growing?.id ?? named
        pushed.unmute(id)
        if isGrowing(id) { return stop(id, .reported(reason), &shared, &step) }
        if pushed.turns.wait(for: .elsewhere(id)) != nil {
            step.add(.cancel(.replyLimit(.elsewhere(id), in: self.id)))
            return replyTimedOut(.elsewhere(id), &shared, &step)
        }
        guard transcript.ordinal(of: id) == nil, let attribution = pushed.turns.failed(id) else { return }
        step.add(.cancel(.replyLimit(attribution.question, in: self.id)))
        unanswered(attribution, .reported(reason))
    }

    /// Fails the reply to a question; a reply that has begun is interrupted, and a finished one stays.
    mutating func replyFailed(
        to key: ClientID, _ reason: ExactText, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        guard transcript.message(key)?.written != nil else { return waitNoLonger(for: key, &step) }
        if let echo = pushed.copies.claim(by: key) { join(key, to: echo, &shared, &step) }
        if let reply = pushed.turns.reply(to: key) {
            pushed.unmute(reply)
            if isGrowing(reply) { stop(reply, .reported(reason), &shared, &step) }
            return
        }
        guard pushed.turns.isWaiting(key) || outbox.queue.contains(key) else { return }
        // A server that answers all the same contradicts itself: only a reply that names the question answers it then.
        let isWanted = pushed.turns.isWanted(key)
        pushed.turns.forget(key)
        step.add(.cancel(.replyLimit(.written(key), in: id)))
        unanswered(key, .reported(reason), isWanted: isWanted)
        dequeue(key, &shared, &step)
    }

    mutating func answerFailed(
        _ id: MessageID, _ reason: Streaming.Reason, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        guard pushed.turns.question(of: id) != nil, let attribution = pushed.turns.failed(id) else { return }
        unanswered(attribution, reason)
    }

    mutating func replyTimedOut(
        _ question: Turns.Question, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        guard let missing = pushed.turns.timeIsOver(question) else { return }
        noteUnanswered(question)
        for moved in missing.moved {
            guard let client = transcript.message(moved.question)?.client else { continue }
            // A reply that has neither a question nor text is linked with its first text (S6).
            if let row = transcript.ordinal(of: moved.reply), let reply = transcript[row],
                reply.role != .user, reply.question != nil || !isTextless(moved.reply, reply.body)
            {
                transcript.link(row, to: client)
            }
            setStatus(of: moved.question, to: .delivered)
        }
        guard let key = missing.unanswered else { return }
        let isFileGone = !missing.moved.isEmpty && transcript.message(key)?.canGoAgain == false
        if isFileGone { return setStatus(of: key, to: .failed(.fileMissing)) }
        unanswered(key, .noReply, isWanted: true)
    }

    /// Order alone attributes this reply, so it is no acknowledgement: a message in flight still waits for its own
    /// (L5).
    private mutating func unanswered(_ attribution: Turns.Attribution, _ reason: Streaming.Reason) {
        guard case .written(let key) = attribution.question else {
            return noteUnanswered(attribution.question)
        }
        guard outbox.queue.contains(key) else {
            return unanswered(key, reason, isWanted: attribution.isWanted)
        }
        pushed.turns.forget(key)
        if outbox.keyInFlight == key { pushed.turns.sent(key, isWanted: attribution.isWanted) }
    }

    /// Notes with a question of another device that no reply comes, because no other stored row would say so.
    private mutating func noteUnanswered(_ question: Turns.Question) {
        guard case .elsewhere(let echo) = question, let row = transcript.ordinal(of: echo),
            case .elsewhere(let device, _) = transcript[row]?.author
        else { return }
        transcript.update(row) { $0.author = .elsewhere(device, isUnanswered: true) }
    }

    /// Marks a question as unanswered. An unconfirmed message is marked even if its reply is unwanted, and a retry
    /// keeps its key (L5, L6).
    private mutating func unanswered(_ key: ClientID, _ reason: Streaming.Reason, isWanted: Bool) {
        guard let written = transcript.message(key)?.written else { return }
        // The failure of an earlier copy says nothing about a retry (C12).
        guard written.key == key || outbox.outgoing(written.client) == nil else { return }
        let isTaken = !written.status.isUnconfirmed
        // The reply to another copy is shown: nothing is missing.
        if isTaken, isAnswered(written.client) { return setStatus(of: key, to: .delivered) }
        let ending = ReplyEnding(reason, needsNewKey: isTaken)
        setStatus(of: key, to: isWanted || !isTaken ? .failed(.unanswered(ending)) : .delivered)
    }

    @inline(__always) func isGrowing(_ id: MessageID) -> Bool { pushed.growingIndex(of: id) != nil }
}
