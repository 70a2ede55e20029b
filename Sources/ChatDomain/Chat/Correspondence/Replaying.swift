// What a replay and the end of a connection mean for a conversation (C5, C9, C16). A history that is told anew is
// recognised by what was known before; what the server never confirmed stays, and stands behind it.

extension Chat.Conversation {
    /// The server knows who this is, and tells what has come since; after a reset, or without a cursor, all that it
    /// still has.
    mutating func beginReplay(isReset: Bool, _ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard stream == nil else { return }
        if isReset {
            let withdrawn = transcript.withdraw()
            // Of a history that is told anew once more, what was known first is known still, and so is what the person
            // wrote of what has been told since.
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

    /// The connection is gone: what is on the wire waits to go again, and replies are kept as far as they came. A history
    /// that was being told anew goes on with the next one.
    mutating func cut(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        takeBack(&step)
        for question in pushed.turns.stopTime(at: step.now) {
            step.add(.cancel(.reply(question, in: id)))
        }
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

    /// Of a question that had a reply, and in the history as it is told now has none, that is said (C12). A reply that
    /// nobody knows the question of may be that to any that stands before it.
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

    /// There was a reply to a question, and is none any more.
    private mutating func answerIsLost(to client: ClientID) {
        guard let question = transcript.message(client), let written = question.written,
            written.status == .delivered, question.canGoAgain, outbox.outgoing(client) == nil,
            !pushed.turns.isWaiting(written.key)
        else { return }
        setStatus(of: client, to: .failed(.unanswered(.missing)))
    }

    /// Drops the replies that were broken off and that the server has not told again (C5); their questions have no
    /// reply.
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
