// What an earlier launch has asked, where each question has a stream of its own (L6, S9): there is nobody to ask what
// became of it. What was never on a wire goes in its turn. What was, and has not been answered, is shown as unanswered,
// and goes again when the person wants that.

extension Chat.Conversation {
    /// Brings what is stored of questions and replies in line: all of it when it has arrived, and once more when an older
    /// page has.
    mutating func bringAskedInLine(
        isFirst: Bool, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        if isFirst { recallWait(&shared, &step) }
        for outgoing in outbox.queue.elements where outbox.keyInFlight != outgoing.id {
            let client = outgoing.message
            if transcript.message(client)?.isHidden == true {
                dequeue(outgoing.id, &shared, &step)
            } else if outgoing.revision != .loaded || !outgoing.entry.wasSent {
                // Its turn may have come in this launch before the page did, which tells what it was then (L3).
                setStatus(of: client, to: .queued)
            } else {
                showUnknown(outgoing.entry)
                dequeue(outgoing.id, &shared, &step)
            }
        }
        showUnanswered()
    }

    /// A wait that the server told an earlier launch is kept (S9). The clock may have been set since, so it is no longer
    /// than a day, and from this launch on it is shown and stored so: or each launch would begin a day of its own.
    private mutating func recallWait(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        let greatest = step.wall + step.configuration.greatestToldWait
        var latest = step.wall
        var tooLate: [Int64] = []
        for row in transcript.rows {
            guard let until = row.value.wrappedValue.ending?.reason.waitUntil else { continue }
            if until > greatest { tooLate.append(row.ordinal) }
            latest = max(latest, min(until, greatest))
        }
        for ordinal in tooLate { transcript.update(ordinal) { $0.clampWait(to: greatest) } }
        if latest > step.wall { shared.pause(until: latest, &step) }
    }

    /// Shows what may be with the server or not as unanswered, unless the transcript knows better.
    private mutating func showUnknown(_ entry: OutboxEntry) {
        let unknown = Message.Status.failed(.unanswered(ReplyEnding(.endedEarly, needsNewKey: false)))
        if let row = transcript.ordinal(of: entry.message), let written = transcript[row]?.written {
            // A key that it had before says nothing of what became of it under the one that it has.
            guard !written.former.contains(where: { $0.key == entry.key }) else { return }
            rekey(row, entry.key)
            switch written.status {
            case .accepted, .delivered, .failed: return
            case .queued, .uploading, .sending, .slow: setStatus(of: entry.message, to: unknown)
            }
        } else {
            giveRow(entry, unknown)
        }
        outbox.keepRefused(entry)
    }

    /// A question that is neither waiting nor running has its reply, or none to expect.
    private mutating func showUnanswered() {
        var answered: [ClientID] = []
        var unanswered: [ClientID] = []
        for row in transcript.rows {
            let message = row.value.wrappedValue
            switch message.author {
            // It came another way, and nobody can say what it answers.
            case .assistant(to: nil): unanswered = []
            case .here(let written) where !written.isReplyUnwanted:
                if case .failed = written.status { continue }
                guard outbox.outgoing(written.client) == nil, !isAsking(written.client) else { continue }
                if transcript.answer(to: written.client) == nil {
                    unanswered.append(written.client)
                } else if written.status != .delivered {
                    answered.append(written.client)
                }
            case .here, .elsewhere, .assistant, .system: break
            }
        }
        for client in answered { setStatus(of: client, to: .delivered) }
        for client in unanswered {
            setStatus(of: client, to: .failed(.unanswered(ReplyEnding(.endedEarly, needsNewKey: false))))
        }
    }

    /// Whether the question of what is in memory may stand on the page before: the oldest message is what is left of its
    /// reply, or there is no more than that reply, which is not stored before it is complete.
    var beginsWithAnswer: Bool {
        guard transcript.rows.count > 1 else { return true }
        guard let oldest = transcript.rows.first(where: { _ in true })?.value.wrappedValue,
            case .interrupted = oldest.body
        else { return false }
        return oldest.question.flatMap { transcript.ordinal(of: $0) } == nil
    }
}
