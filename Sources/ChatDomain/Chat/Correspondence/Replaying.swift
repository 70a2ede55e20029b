// What a replay and the end of a connection mean for a conversation (C5, C9, C16). A history that is told anew is
// recognised by what was known before; what the server never confirmed stays behind it.

extension Chat.Conversation {
    /// The server begins to tell what has come since the cursor; without one, or after a reset, all that it has.
    mutating func beginReplay(isReset: Bool, _ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard stream == nil else { return }
        if isReset {
            let withdrawn = transcript.withdraw()
            // A second reset keeps what was known before the first, and adds what the person wrote since.
            if pushed.retelling == nil {
                pushed.retelling = withdrawn
            } else {
                pushed.retelling?.learn(from: withdrawn)
            }
            pushed.copies.forgetEchoes()
            moveCursor(to: nil)
            typingEnded(by: nil, &step)
        } else if cursor == nil, pushed.retelling == nil {
            pushed.retelling = Chat.Retelling(isWhole: transcript.pages.isWhole)
        }
        if isReset || cursor == nil { pushed.turns.beginRetelling() }
    }

    /// The replay is complete: what it does not contain of the replies that were broken off does not exist any more.
    mutating func endReplay(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        endRetelling()
        for claim in pushed.copies.toldAll() { join(claim.key, to: claim.echo, shared, &step) }
        dropUntold()
        for (question, left) in pushed.turns.startTime(at: step.now) {
            step.add(.start(.reply(question, in: id), after: left))
        }
    }

    /// The connection is gone: a message in flight returns to the queue, replies stay as far as they came, and a
    /// history that is being told anew goes on with the next connection.
    mutating func cut(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        takeBack(&step)
        for question in pushed.turns.stopTime(at: step.now) { step.add(.cancel(.reply(question, in: id))) }
        interruptAll(&shared, &step)
        cutTyping(&step)
    }

    private mutating func endRetelling() {
        guard let retelling = pushed.retelling else { return }
        pushed.retelling = nil
        pushed.turns.endRetelling()
        if retelling.isOfWithdrawn { transcript.putUnsentLast() }
        sayWhatIsUnanswered(of: retelling)
        // What was withdrawn and not told again can have its reply, and go again no more.
        for key in pushed.turns.waiting where transcript.ordinal(of: key) == nil {
            delivered += retelling.message(key)?.attachments ?? []
        }
    }

    /// A question that had a reply, and has none in the history as it is told now, says so (C12). A reply without a
    /// question may be that to any before it.
    private mutating func sayWhatIsUnanswered(of retelling: Chat.Retelling) {
        var unanswered: [ClientID] = []
        for row in transcript.rows.newestFirst(before: transcript.rows.ordinals.upperBound) {
            let message = row.value.wrappedValue
            if case .assistant(to: nil) = message.author { break }
            guard let client = message.client, transcript.answer(to: client) == nil,
                let former = retelling.answer(to: client), !former.isHidden, !former.body.isStopped
            else { continue }
            unanswered.append(client)
        }
        for client in unanswered { answerIsLost(to: client) }
    }

    private mutating func answerIsLost(to client: ClientID) {
        guard let question = transcript.message(client), let written = question.written,
            written.status == .delivered, question.canGoAgain, outbox.outgoing(client) == nil,
            !pushed.turns.isWaiting(written.key)
        else { return }
        setStatus(of: client, to: .failed(.unanswered(.missing)))
    }

    /// Drops the broken replies that the server has not told again (C5); their questions have no reply.
    mutating func dropUntold() {
        for id in pushed.untold {
            guard let ordinal = transcript.ordinal(of: id), let message = transcript[ordinal],
                message.body.isLost
            else { continue }
            transcript.remove(ordinal)
            if let client = message.question { answerIsLost(to: client) }
        }
        pushed.untold = []
    }
}
