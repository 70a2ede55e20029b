// Questions of an earlier launch, on streams (L6). A stream has no replay, so the fate of a question in flight is
// unknown: it shows a retry. One that was never in flight is sent in its turn. Start with `bringAskedInLine`.

extension Chat.Conversation {
    /// Reconciles the outbox with the transcript, once all is loaded and again for each older page.
    mutating func bringAskedInLine(
        in ordinals: Range<Int64>, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        for outgoing in outbox.queue.elements where outbox.keyInFlight != outgoing.id {
            let client = outgoing.client
            if transcript.message(client)?.isHidden == true {
                dequeue(outgoing.id, &shared, &step)
            } else if isAnswered(outgoing) {
                partFromRow(outgoing.id, &shared, &step)
                dequeue(outgoing.id, &shared, &step)
            } else if outgoing.revision != .loaded || !outgoing.entry.wasSent {
                // The stored status is of an earlier launch; a `sending` from then would never end (L3).
                setStatus(of: client, to: .queued)
            } else {
                showUnknown(outgoing.entry)
                dequeue(outgoing.id, &shared, &step)
            }
        }
        showUnanswered(in: ordinals)
    }

    /// Whether the transcript has the whole reply to a question. Nobody can ask that again, so the disk has only lost
    /// the mark of the outbox.
    private func isAnswered(_ outgoing: Outgoing) -> Bool {
        guard let written = transcript.message(outgoing.client)?.written, written.key == outgoing.id,
            written.status == .delivered, let reply = transcript.answer(to: outgoing.client)
        else { return false }
        if case .text = transcript[reply]?.body { return true }
        return false
    }

    /// Shows that the fate of a question in flight is unknown, with a retry under its key.
    private mutating func showUnknown(_ entry: OutboxEntry) {
        let unknown = Chat.SendStatus.failed(.unanswered(ReplyEnding(.endedEarly, needsNewKey: false)))
        if let row = transcript.ordinal(of: entry.client), let written = transcript[row]?.written {
            // A former key says nothing about the current copy.
            guard !written.former.contains(where: { $0.key == entry.key }) else { return }
            rekey(row, entry.key)
            switch written.status {
            case .accepted, .delivered: return
            // A failure of a former copy says nothing about this one.
            case .failed where written.key == entry.key: return
            case .queued, .uploading, .sending, .slow, .failed: setStatus(of: entry.client, to: unknown)
            }
        } else {
            giveRow(entry, unknown)
        }
    }

    /// Marks each question of these rows without a reply as unanswered, and one with a reply as delivered.
    private mutating func showUnanswered(in ordinals: Range<Int64>) {
        var answered: [ClientID] = []
        var unanswered: [ClientID] = []
        for row in transcript.rows.rows(from: ordinals.lowerBound) {
            // Behind the rows, only a reply from a socket matters: it names no question, and may answer any of them.
            guard row.ordinal < ordinals.upperBound || !unanswered.isEmpty else { break }
            let message = row.value.wrappedValue
            switch message.author {
            case .assistant(to: nil, _): unanswered = []
            case _ where row.ordinal >= ordinals.upperBound: continue
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

    /// Whether the question of the oldest message may be on the page before it.
    var beginsWithAnswer: Bool {
        guard transcript.rows.count > 1 else { return true }
        guard let oldest = transcript.rows.first(where: { _ in true })?.value.wrappedValue,
            case .interrupted = oldest.body
        else { return false }
        return oldest.question.flatMap { transcript.ordinal(of: $0) } == nil
    }
}
