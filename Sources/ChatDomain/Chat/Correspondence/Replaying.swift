// The begin and end of a replay, and the loss of a connection (C5, C9, C16). Start with `beginReplay`. A full replay
// brings the whole history: after a reset, or without a cursor. It recognises known messages by the former history, and
// no unconfirmed message is lost.

extension Chat.Conversation {
    /// Begins a replay: of the messages after the cursor, or a full one.
    mutating func beginReplay(isReset: Bool, _ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard stream == nil else { return }
        if isReset {
            let withdrawn = transcript.withdraw()
            // A second reset keeps the history from before the first, and merges what the server has named since.
            if pushed.retelling == nil {
                pushed.retelling = withdrawn
            } else {
                pushed.retelling?.learn(from: withdrawn)
            }
            pushed.copies.forgetEchoes()
            moveCursor(to: nil)
        } else if cursor == nil, pushed.retelling == nil {
            pushed.retelling = Chat.Retelling(of: transcript, isWithdrawn: false)
        }
        if isReset || cursor == nil { pushed.turns.beginRetelling() }
    }

    /// Ends the wait for a known reply that is told behind its question, which was not in memory (C12): its own question,
    /// or else the oldest one that is told as of another device. During a replay no timer of a wait runs.
    mutating func endWait(forKnown reply: Message) {
        guard let name = reply.id, pushed.turns.question(of: name) == nil else { return }
        let own = reply.question.flatMap(transcript.message)?.written?.key
        for asked in pushed.turns.waiting {
            let isMeant =
                switch asked {
                case .written(let key): key == own && pushed.retelling?.message(key) == nil
                case .elsewhere(let echo):
                    own == nil && transcript.ordinal(of: echo) != nil
                        && pushed.retelling?.message(echo) == nil
                }
            guard isMeant else { continue }
            if case .written(let key) = asked {
                pushed.turns.forget(key)
            } else {
                _ = pushed.turns.timeIsOver(asked)
            }
            return
        }
    }

    /// Ends a replay: an interrupted reply that it did not contain no longer exists.
    mutating func endReplay(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        endRetelling()
        for claim in pushed.copies.toldAll() { join(claim.key, to: claim.echo, &shared, &step) }
        dropUntold()
        for (question, left) in pushed.turns.startTime(at: step.now) {
            step.add(.start(.replyLimit(question, in: id), after: left))
        }
    }

    /// Handles the loss of the connection. The message in flight is queued again, growing replies are interrupted, and
    /// a full replay continues on the next connection.
    mutating func cut(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        takeBack(&step)
        stopWaits(&step)
        for reply in pushed.growing { stop(reply.id, .broken(.lost), &shared, &step) }
        pushed.muted = []
        cutTyping(&step)
    }

    private mutating func endRetelling() {
        guard let retelling = pushed.retelling else { return }
        pushed.retelling = nil
        pushed.turns.endRetelling()
        guard retelling.isOfWithdrawn else { return }
        transcript.putUnsentLast()
        sayWhatIsUnanswered(of: retelling)
        // A withdrawn question that was not replayed can still be answered, but not be sent again.
        for case .written(let key) in pushed.turns.waiting where transcript.ordinal(of: key) == nil {
            filesToErase += retelling.message(key)?.attachments ?? []
        }
    }

    /// Marks the questions whose reply was withdrawn and not replayed (C12). A reply without a known question may
    /// answer any earlier question.
    private mutating func sayWhatIsUnanswered(of retelling: Chat.Retelling) {
        for row in transcript.rows.newestFirst {
            let message = row.value.wrappedValue
            if case .assistant(to: nil, isNamed: false) = message.author { break }
            guard let client = message.client, transcript.answer(to: client) == nil,
                let former = retelling.reply(to: client), !former.isHidden, !former.body.isStopped
            else { continue }
            answerIsLost(to: client, former.body)
        }
    }

    /// The first text of a reply has released the files of its question (C14).
    private mutating func answerIsLost(to client: ClientID, _ reply: Message.Body) {
        guard let question = transcript.message(client), let written = question.written,
            written.status == .delivered, outbox.outgoing(client) == nil, !pushed.turns.isWaiting(written.key)
        else { return }
        let isFileGone = !reply.isTextless && !question.canGoAgain
        setStatus(of: client, to: .failed(isFileGone ? .fileMissing : .unanswered(.missing)))
    }

    /// Drops the lost replies that the replay did not contain (C5); those to a question with a retry stay (S6).
    mutating func dropUntold() {
        for id in pushed.untold {
            guard let ordinal = transcript.ordinal(of: id), let message = transcript[ordinal],
                message.body.isLost, message.question.flatMap(transcript.message)?.wasRetried != true
            else { continue }
            transcript.remove(ordinal)
            if let client = message.question { answerIsLost(to: client, message.body) }
        }
        pushed.untold = []
    }
}
