// Questions of an earlier launch, where each has a stream of its own (L6, S9). Nobody tells what became of them: what
// was never in flight goes in its turn, and what was goes again when the person wants that.

extension Chat.Conversation {
    /// Brings questions and replies in line when all is loaded, and once more for each older page.
    mutating func bringAskedInLine(isFirst: Bool, _ shared: inout Chat.Shared, _ step: inout Chat.Step) {
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

    /// Keeps a wait that an earlier launch was told (S9). A clock that was set makes it no longer than a day, in all
    /// launches together.
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

    /// Whether the question of the oldest message may stand on the page before.
    var beginsWithAnswer: Bool {
        guard transcript.rows.count > 1 else { return true }
        guard let oldest = transcript.rows.first(where: { _ in true })?.value.wrappedValue,
            case .interrupted = oldest.body
        else { return false }
        return oldest.question.flatMap { transcript.ordinal(of: $0) } == nil
    }
}
