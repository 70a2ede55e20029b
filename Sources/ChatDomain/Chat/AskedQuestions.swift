// What a conversation knows about its questions and their replies where each question has a stream of its own.
// The reply is named after the question until the server names it, and stays known by that name: so each leads to
// the other, also after a relaunch, and a row keeps its identity when the server's name comes with the end.

extension ClientID {
    private static var replyPrefix: String { "r_" }

    /// The name of the reply to this question.
    var reply: ClientID { ClientID(Self.replyPrefix + text.string) }

    /// The question to which this is the reply, if it is one.
    var question: ClientID? {
        let bytes = text.utf8
        guard bytes.starts(with: Self.replyPrefix.utf8) else { return nil }
        return ClientID(String(decoding: bytes.dropFirst(Self.replyPrefix.utf8.count), as: UTF8.self))
    }
}

extension Chat.Conversation {
    /// The reply that runs, by the name that its row has or will have.
    var replyThatRuns: MessageID? {
        guard let stream, stream.isRunning, let question = stream.question else { return nil }
        return MessageID(question.origin.reply.text)
    }

    /// The id under which a question is being asked, when the transcript knows it under another (S13).
    var clientThatRuns: ClientID? {
        guard let stream, stream.isRunning, let question = stream.question, question.client != question.origin
        else { return nil }
        return question.client
    }

    /// Whether a question runs.
    func isAsking(_ client: ClientID) -> Bool {
        stream?.isRunning == true && stream?.question?.origin == client
    }

    /// What is left of an earlier reply to a question (S6).
    func partial(of client: ClientID) -> LongText {
        guard let ordinal = transcript.ordinal(of: client.reply),
            case .interrupted(let partial, _) = transcript[ordinal]?.body
        else { return LongText() }
        return partial
    }

    /// What the person has deleted of an earlier reply makes room for the one that is asked for now. Nobody
    /// replays here, so nothing brings it back (C13).
    mutating func forgetDeletedReply(to client: ClientID) {
        guard let ordinal = transcript.ordinal(of: client.reply), transcript[ordinal]?.isHidden == true else {
            return
        }
        transcript.remove(ordinal)
    }

    /// Whether a message that goes again goes under its own id. The server that had taken it and then said that
    /// it failed needs another (S6, C12); where a socket pushes, so does every one that was not refused.
    func keepsID(_ message: Message) -> Bool {
        guard stream != nil, let client = message.client else { return message.isRefused }
        if case .failed(.ended(_, needsNewID: true)) = message.status { return false }
        if let ordinal = transcript.ordinal(of: client.reply),
            case .interrupted(_, .ended(_, needsNewID: true)) = transcript[ordinal]?.body
        {
            return false
        }
        return true
    }

    /// Gives a message another id under which it goes again, and its reply the name that follows from that.
    mutating func rename(_ ordinal: Int64, from old: ClientID, to new: ClientID) {
        transcript.rename(ordinal, new)
        guard let reply = transcript.ordinal(of: old.reply) else { return }
        transcript.rename(reply, new.reply)
        // It was the old id that was used up.
        guard case .interrupted(let partial, .ended(let reason, needsNewID: true)) = transcript[reply]?.body
        else { return }
        transcript.update(reply) { $0.body = .interrupted(partial, .ended(reason, needsNewID: false)) }
    }

    /// The message of which the latest question has changed the row last: its reply, or else itself.
    var latestAnswered: Int64? {
        guard let question = stream?.question else { return nil }
        for client in [question.client, question.origin] {
            if let row = transcript.ordinal(of: client.reply) ?? transcript.ordinal(of: client) { return row }
        }
        return nil
    }

    /// Whether the question of what is in memory may stand on the page before: the oldest message is what is left
    /// of its reply, or there is no more than that reply, which is not stored before it is complete.
    var beginsWithAnswer: Bool {
        guard transcript.rows.count > 1 else { return true }
        guard let oldest = transcript.rows.first(where: { _ in true }), case .interrupted = oldest.value.body
        else { return false }
        return question(ofReply: oldest.ordinal) == nil
    }

    /// Learns that a message goes again under another id, which may have a row here already: the older one has
    /// come from a page that was loaded later.
    fileprivate mutating func supersede(_ old: ClientID, by new: ClientID) {
        guard let row = transcript.ordinal(of: old) else { return }
        guard transcript.ordinal(of: new) != nil else { return rename(row, from: old, to: new) }
        transcript.remove(row)
        if let reply = transcript.ordinal(of: old.reply) { transcript.remove(reply) }
    }

    /// Whether a question is the first that the server gets to know of the conversation.
    func isFirst(_ ordinal: Int64) -> Bool {
        guard transcript.pages.isWhole else { return false }
        for row in transcript.rows.newestFirst(before: ordinal)
        where row.value.role == .user && row.value.isWithServer {
            return false
        }
        return true
    }
}

extension SendFailure {
    /// When the server takes it again, if it has said so.
    var waitUntil: WallTime? {
        if case .ended(let reason, _) = self { reason.waitUntil } else { nil }
    }
}

extension Message {
    /// When the server may be asked for it again, if it has said so.
    var waitUntil: WallTime? {
        if case .failed(let failure) = status { return failure.waitUntil }
        if case .interrupted(_, .ended(let reason, _)) = body { return reason.waitUntil }
        return nil
    }

    /// What somebody has said here to the other: nothing that is deleted, or that the server may not have.
    var said: LongText? {
        guard !isHidden, role != .system, role != .user || isWithServer else { return nil }
        switch body {
        case .text(let text), .interrupted(let text, _): return text.isEmpty ? nil : text
        case .growing: return nil
        }
    }

    /// Whether the server is known to have it, and has not failed over it.
    fileprivate var isWithServer: Bool {
        switch status {
        case nil, .accepted, .delivered: true
        case .queued, .uploading, .sending, .slow, .failed: false
        }
    }
}

extension Streaming.Reason {
    /// The same, of a server that wants to be left alone no longer than until a time.
    fileprivate func waiting(noLongerThan latest: WallTime) -> Self {
        guard case .refused(let status, let until?) = self else { return self }
        return .refused(status: status, until: min(until, latest))
    }
}

extension Streaming.Ending {
    /// The same, of a server that wants to be left alone no longer than until a time.
    func waiting(noLongerThan latest: WallTime) -> Self {
        Self(
            question: question, id: id, reason: reason.waiting(noLongerThan: latest), needsNewID: needsNewID)
    }
}

extension Message {
    /// Has it wait no longer than until a time.
    fileprivate mutating func clampWait(to latest: WallTime) {
        if case .failed(.ended(let reason, let needsNewID)) = status {
            status = .failed(.ended(reason.waiting(noLongerThan: latest), needsNewID: needsNewID))
        }
        if case .interrupted(let partial, .ended(let reason, let needsNewID)) = body {
            let reason = reason.waiting(noLongerThan: latest)
            body = .interrupted(partial, .ended(reason, needsNewID: needsNewID))
        }
    }
}

// MARK: After a relaunch

extension Chat {
    /// A wait that the server told an earlier launch is kept (S9). The clock may have been set since, so it is
    /// no longer than a day, and from this launch on it is shown and stored so: or each launch would begin a
    /// day of its own.
    private func recallWait(_ state: inout State, _ context: Context) -> [Effect] {
        let greatest = context.wall + configuration.greatestToldWait
        var latest = context.wall
        var tooLate: [Int64] = []
        for row in state.conversation.transcript.rows {
            guard let until = row.value.waitUntil else { continue }
            if until > greatest { tooLate.append(row.ordinal) }
            latest = max(latest, min(until, greatest))
        }
        for ordinal in tooLate {
            state.conversation.transcript.update(ordinal) { $0.clampWait(to: greatest) }
        }
        guard latest > context.wall else { return [] }
        state.sending.pause(until: context.now + (latest - context.wall))
        return [.start(.rate, after: latest - context.wall)]
    }

    /// Brings what the last run left in line where there is nobody to ask what became of it. What was never on a
    /// wire goes in its turn. What was, and has not been answered, is shown as unanswered, and goes again when
    /// the person wants that: nobody here knows whether the server has it (L6).
    func bringAskedInLine(_ state: inout State, isFirst: Bool, _ context: inout Context) -> [Effect] {
        var effects = isFirst ? recallWait(&state, context) : []
        for outgoing in state.conversation.outbox.queue.elements {
            let client = outgoing.id
            if let old = outgoing.entry.replaces { state.conversation.supersede(old, by: client) }
            guard state.conversation.outbox.clientInFlight != client else { continue }
            let ordinal = state.conversation.transcript.ordinal(of: client)
            let message = ordinal.flatMap { state.conversation.transcript[$0] }
            if message?.isHidden == true {
                effects += dequeue(&state, client, &context)
            } else if outgoing.revision != .loaded || !outgoing.entry.wasSent {
                // Its turn may have come in this launch before the page did, which tells what it was then (L3).
                state.setStatus(of: client, to: .queued)
            } else {
                showUnknown(&state, outgoing.entry, message?.status)
                effects += dequeue(&state, client, &context)
            }
        }
        showUnanswered(&state)
        return effects
    }

    /// Shows what may be with the server or not as unsent, unless the transcript knows better.
    private func showUnknown(_ state: inout State, _ entry: OutboxEntry, _ status: Message.Status?) {
        switch status {
        case .accepted, .delivered, .failed: return
        case nil: giveRow(&state, entry, .failed(.ended(.endedEarly, needsNewID: false)))
        case .queued, .uploading, .sending, .slow:
            state.setStatus(of: entry.client, to: .failed(.ended(.endedEarly, needsNewID: false)))
        }
        state.conversation.outbox.keepRefused(entry)
    }

    /// A question that is neither waiting nor running has its reply, or none to expect.
    private func showUnanswered(_ state: inout State) {
        var answered: [ClientID] = []
        var unanswered: [(client: ClientID, status: Message.Status)] = []
        for row in state.conversation.transcript.rows {
            switch row.value.role {
            case .system: break
            case .assistant:
                guard let question = row.value.client?.question else {
                    unanswered = []  // it came another way, and nobody can say what it answers
                    continue
                }
                for open in unanswered where open.client == question && open.status != .delivered {
                    answered.append(question)
                }
                unanswered.removeAll { $0.client == question }
            case .user:
                guard let client = row.value.client, let status = row.value.status else { continue }
                if case .failed = status { continue }
                unanswered.append((client, status))
            }
        }
        for client in answered { settle(&state, client, .delivered) }
        for open in unanswered {
            settle(&state, open.client, .failed(.ended(.endedEarly, needsNewID: false)))
        }
    }

    private func settle(_ state: inout State, _ client: ClientID, _ status: Message.Status) {
        guard !state.conversation.outbox.contains(client), !state.conversation.isAsking(client) else {
            return
        }
        state.setStatus(of: client, to: status)
    }
}
