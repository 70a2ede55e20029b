// Reconciles the outbox, the transcript and the awaited replies after a launch (C6, L6, C12). Queued messages are sent
// again, accepted ones wait for their reply, and others are unanswered. Start with `bringInLine`: it runs once for the
// newest pages, and again for each older page.

extension Chat.Conversation {
    mutating func bringInLine(
        isFirst: Bool, in loaded: Range<Int64>? = nil, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        let ordinals = loaded ?? transcript.rows.ordinals
        nameByRows()
        guard stream == nil else { return bringAskedInLine(in: ordinals, &shared, &step) }
        giveRowsToSent()
        let met = unanswered(in: ordinals, isOlder: !isFirst, &shared, &step)
        transcript.settle(ordinals)
        for offset in met.indices {
            let (question, standing, _) = met[isFirst ? offset : met.count - 1 - offset]
            guard case .written(let key) = question else {
                if isFirst, case .elsewhere(let id) = question { awaitReply(elsewhere: id, shared, &step) }
                continue
            }
            if standing == .overdue {
                pushed.turns.missed(key, isOlder: !isFirst)
            } else if case .answered(let reply) = standing {
                pushed.turns.recall(reply, to: key, isOlder: !isFirst)
            } else if isFirst {
                awaitReply(to: key, shared, &step)
            } else if standing == .open, !pushed.turns.isWaiting(key) {
                // A question on an older page has no timer, so it does not wait (L3).
                let isUnwanted = transcript.message(key)?.written?.isReplyUnwanted == true
                setStatus(of: key, to: isUnwanted ? .delivered : .failed(.unanswered(.missing)))
            }
        }
        for reply in pushed.untold {
            guard let row = transcript.ordinal(of: reply), let question = transcript[row]?.question,
                let written = transcript.message(question)?.written
            else { continue }
            pushed.turns.recall(reply, to: written.former.last?.key ?? written.key, isOlder: !isFirst)
        }
        if !isFirst, case .connected = shared.connection { dropUntold() }
        bringOutboxInLine(&shared, &step)
        guard transcript.pages.isWhole else { return }
        for claim in pushed.copies.knowsAll() { join(claim.key, to: claim.echo, &shared, &step) }
    }

    /// Resolves the unclaimed echoes that are messages of a loaded page. Copies that were told as messages of their own
    /// have turns of their own; the message waits once, and not for a reply that it has (C12).
    mutating func recognize(_ messages: [Message], _ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        for message in messages {
            guard let written = message.written else { continue }
            for former in written.former {
                if let echo = former.echo { recognize(echo, of: former.key, &shared, &step) }
            }
            if let echo = message.id { recognize(echo, of: written.key(echoedAs: echo), &shared, &step) }
            // A reply that came before this page names the key of the retry.
            if message.wasRetried, let reply = transcript.answer(to: written.key) {
                transcript.link(reply, to: written.client)
            }
            guard pushed.turns.isAnyWaiting, outbox.outgoing(written.client) == nil else { continue }
            let isShown = if case .text = transcript.reply(to: written.client)?.body { true } else { false }
            if isShown || written.former.contains(where: { pushed.turns.reply(to: $0.key) != nil }) {
                waitNoLonger(for: written.key, &step)
            }
            for former in written.former { waitNoLonger(for: former.key, &step) }
        }
    }

    private mutating func recognize(
        _ echo: MessageID, of key: ClientID, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        pushed.copies.found(echo, of: key)
        if pushed.turns.wait(for: .elsewhere(echo)) != nil { join(key, to: echo, &shared, &step) }
    }

    mutating func waitNoLonger(for key: ClientID, _ step: inout Chat.Step) {
        guard pushed.turns.isWaiting(key) else { return }
        pushed.turns.forget(key)
        step.add(.cancel(.replyLimit(.written(key), in: id)))
    }

    /// The questions of these rows without a reply, in the order of asking. Their copies expect their echoes from now on.
    private mutating func unanswered(
        in ordinals: Range<Int64>, isOlder: Bool, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) -> [Met] {
        var placed: [Met] = []
        // A message without an echo comes after all that the server has told.
        var unplaced: [Met] = []
        var above = (ordinal: Int64.max, time: WallTime?.none)
        var overtaken: [(reply: MessageID, key: ClientID, last: ClientID)] = []
        for row in transcript.rows.newestFirst(before: ordinals.upperBound) {
            guard row.ordinal >= ordinals.lowerBound else { break }
            let message = row.value.wrappedValue
            switch message.author {
            case .assistant(to: nil, isNamed: false): placed.append((nil, .over, message.time))
            case .elsewhere(let device, let isUnanswered):
                guard let id = message.id else { continue }
                if !isUnanswered {
                    let standing = mayBeAnswered(message.time, step) ? Standing.open : .over
                    placed.append((.elsewhere(id), standing, message.time))
                }
                guard device == nil || device == shared.account?.device, case .text(let text) = message.body
                else { continue }
                pushed.copies.remember(id, saying: text, at: message.time, isOlder: true)
            case .here:
                let stored = withoutLostRetry(message, at: row.ordinal)
                guard let sent = stored.written else { continue }
                if above.ordinal >= row.ordinal {
                    let newest = transcript.newestPlaced(before: row.ordinal)
                    // Without one, the next search begins behind the rows of this one.
                    let end = row.ordinal - Int64(ChatTranscript.reorderWindow)
                    above = (newest?.ordinal ?? end, newest?.time)
                }
                for echo in expectEchoes(of: stored, sent, since: above.time, &shared, &step) {
                    placed.removeAll { $0.question == .elsewhere(echo) }
                }
                let message = transcript.message(sent.client) ?? stored
                guard let written = message.written else { continue }
                if !placed.isEmpty, overtaken.count < Turns.answeredLimit,
                    let reply = transcript.answer(to: written.client), let id = transcript[reply]?.id,
                    transcript[reply]?.namesQuestion == false,
                    let last = question(before: reply), last != written.key
                {
                    overtaken.append((id, written.key, last))
                }
                // The reply to the copy before a retry that was never in flight may still come (C12).
                if let asked = written.former.last, outbox.outgoing(written.client)?.sends == 0,
                    transcript.reply(to: written.client)?.body.isLost != true
                {
                    placed.append((.written(asked.key), .overdue, message.time))
                }
                let own: Met = (.written(written.key), standing(of: message, written, step), message.time)
                if own.standing == .over { break }
                if message.isPlaced { placed.append(own) } else { unplaced.append(own) }
            case .assistant, .system: break
            }
            if message.body.isLost, let id = message.id { pushed.untold.append(id) }
        }
        // Replies after several questions count for the nearest, once one of these is known to have none (C12).
        for (reply, key, last) in isOlder ? overtaken : overtaken.reversed() {
            pushed.turns.recall(reply, to: key, after: last, isOlder: isOlder)
        }
        return Self.unanswered(among: placed.reversed() + unplaced.reversed(), step.configuration.replyLimit)
    }

    /// The last question of this device above a row; one without a place may have come later.
    private func question(before row: Int64) -> ClientID? {
        let above = transcript.rows.newestFirst(before: row).lazy.map { $0.value.wrappedValue }
        return above.first { $0.isPlaced && $0.written != nil }?.written?.key
    }

    /// A stored question; or, without one, a reply whose question is not stored.
    private typealias Met = (question: Turns.Question?, standing: Standing, time: WallTime)

    /// The questions without a reply. A reply without a question is that of the oldest question of another device, first
    /// of those that may be answered so late; or else of any message before it.
    private static func unanswered(among rows: [Met], _ limit: Interval) -> [Met] {
        var waiting: [Met] = []
        for row in rows {
            if row.question != nil {
                waiting.append(row)
                continue
            }
            let others = waiting.indices.filter { waiting[$0].question?.isElsewhere == true }
            if let other = others.first(where: { row.time - waiting[$0].time < limit }) ?? others.first {
                waiting.remove(at: other)
            } else {
                waiting.removeAll { $0.standing == .echoed }
            }
        }
        return waiting.filter { $0.standing != .over }
    }

    /// A message without its retry, if the outbox has lost that: it was never sent, because it is stored first (C12).
    private mutating func withoutLostRetry(_ message: Message, at ordinal: Int64) -> Message {
        guard let written = message.written, message.wasRetried, written.status == .queued,
            outbox.record.mayBeSaved, !outbox.contains(written.key)
        else { return message }
        transcript.dropKey(ordinal)
        let unanswered: ReplyEnding = transcript[ordinal]?.id == nil ? .unknown : .missing
        let isShown = transcript.answer(to: written.client) != nil
        setStatus(of: written.client, to: isShown ? .delivered : .failed(.unanswered(unanswered)))
        return transcript[ordinal] ?? message
    }

    private enum Standing: Equatable {
        /// Goes again, although this reply to it has come.
        case answered(MessageID)
        /// Accepted, and waits for its reply.
        case open
        /// Echoed, without a known reply.
        case echoed
        /// Sent again, so an earlier reply may be that of the former copy; or the deadline has passed.
        case overdue
        /// Not waiting.
        case over
    }

    private mutating func standing(
        of message: Message, _ written: Message.Written, _ step: Chat.Step
    ) -> Standing {
        let reply = transcript.reply(to: written.client)
        switch (written.status, reply?.body) {
        case (.queued, _), (.uploading, _), (.sending, _), (.slow, _):
            guard outbox.keyInFlight != written.key else { return .over }
            let outgoing = outbox.outgoing(written.client)
            setStatus(of: written.key, to: outgoing == nil ? .failed(.unanswered(.unknown)) : .queued)
            // A partial may be of the copy before a retry.
            let isOfThisCopy = if case .text = reply?.body { true } else { !message.wasRetried }
            guard isOfThisCopy, let outgoing, outgoing.sends > 0, let id = reply?.id else { return .over }
            return .answered(id)
        case (.accepted, .text), (.accepted, .growing), (.failed(.unanswered), .text):
            setStatus(of: written.key, to: .delivered)
            return .over
        case (.accepted, _): return .open
        case (.delivered, nil):
            // Of an old message, a muted turn would mute another reply (S10). The clock may have been set back.
            let limit = step.configuration.replyLimit
            let isOld = step.wall - message.time >= limit || message.time - step.wall >= limit
            return written.isReplyUnwanted && isOld ? .over : .echoed
        case (.delivered, .interrupted): return message.wasRetried ? .overdue : .over
        case (.failed(let failure), _): return failure == .unanswered(.missing) ? .overdue : .over
        case (.delivered, _): return .over
        }
    }

    /// Returns the echoes that it joins to the message; they were told again before its page was read.
    private mutating func expectEchoes(
        of message: Message, _ written: Message.Written, since: WallTime?, _ shared: inout Chat.Shared,
        _ step: inout Chat.Step
    ) -> [MessageID] {
        guard case .text(let text) = message.body else { return [] }
        var joined: [MessageID] = []
        let isEchoed = message.id != nil && !written.former.contains { $0.echo == message.id }
        var keys = written.former.filter { $0.echo == nil }.map { $0.key }
        var isTaken = false
        switch written.status {
        case .accepted, .delivered: isTaken = true
        case .failed(let failure): isTaken = !failure.isUnsent
        case .queued, .uploading, .sending, .slow: break
        }
        let isUnsentRetry =
            written.status == .queued
            && outbox.queue.elements.contains { $0.id == written.key && $0.sends == 0 }
        if !isEchoed, !message.isRefused, !isUnsentRetry { keys.append(written.key) }
        for key in keys.reversed() {
            pushed.copies.sent(key, of: written.client, saying: text, since: since, isOlder: true)
            // An accepted copy claims its echo.
            guard isTaken || key != written.key, let echo = pushed.copies.taken(key) else { continue }
            join(key, to: echo, &shared, &step)
            joined.append(echo)
        }
        if message.isHidden { pushed.copies.deleted(written.client) }
        return joined
    }

    /// The name of a row counts: up to version 2 of the records, the outbox could name its message by a later key.
    private mutating func nameByRows() {
        for outgoing in outbox.queue.elements {
            if let named = named(outgoing) { _ = outbox.queue.replace(with: named) }
        }
        for index in outbox.parked.indices {
            if let named = named(outbox.parked[index]) { outbox.parked[index] = named }
        }
    }

    /// A message of the outbox under the name of its row; `nil` if it has that name, or no row.
    private func named(_ outgoing: Outgoing) -> Outgoing? {
        let row = transcript.message(outgoing.client) ?? transcript.message(outgoing.id)
        guard let name = row?.written?.client, name != outgoing.client else { return nil }
        var named = outgoing
        named.entry.client = name
        return named
    }

    /// The messages of the outbox that may have been in flight expect their echoes (L6). Each gets a row, unless a page
    /// has it, perhaps under the key before a retry. They were sent after the stored rows, whose copies are added before
    /// theirs.
    private mutating func giveRowsToSent() {
        let sent = outbox.queue.elements.filter {
            guard $0.entry.wasSent, outbox.keyInFlight != $0.id else { return false }
            guard let written = transcript.message($0.client)?.written else { return true }
            return written.key != $0.id && !written.former.contains { [id = $0.id] in $0.key == id }
        }
        for outgoing in sent where transcript.ordinal(of: outgoing.client) == nil {
            giveRow(outgoing.entry, .queued)
        }
        for outgoing in sent.reversed() { expectEcho(of: outgoing, isOlder: outgoing.revision == .loaded) }
    }

    /// Removes accepted messages from the outbox.
    private mutating func bringOutboxInLine(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        for outgoing in outbox.queue.elements where outbox.keyInFlight != outgoing.id {
            guard let ordinal = transcript.ordinal(of: outgoing.client),
                let message = transcript[ordinal], let written = message.written
            else { continue }
            if message.isHidden || written.former.contains(where: { $0.key == outgoing.id }) {
                if message.isHidden { discard(outgoing, &shared, &step) }
                dequeue(outgoing.id, &shared, &step)
            } else if written.key != outgoing.id {
                // The row has the status of the former copy, whose reply may still come if the retry was not sent.
                let wasWaiting = pushed.turns.isWaiting(written.key)
                if wasWaiting { pushed.turns.forget(written.key) }
                if wasWaiting, outgoing.sends == 0 { pushed.turns.missed(written.key) }
                step.add(.cancel(.replyLimit(.written(written.key), in: id)))
                transcript.rekey(ordinal, outgoing.id)
                transcript.update(ordinal) { $0.written?.isReplyUnwanted = false }
                setStatus(of: outgoing.id, to: .queued)
            } else {
                switch written.status {
                case .queued, .uploading, .sending, .slow: break
                case .failed(let failure) where failure.isUnsent && !message.isRefused:
                    setStatus(of: outgoing.id, to: .queued)
                case .accepted, .delivered, .failed:
                    partFromRow(outgoing.id, &shared, &step)
                    dequeue(outgoing.id, &shared, &step)
                }
            }
        }
    }

    /// An edit that was made before a failing disk noted the acceptance becomes a message of its own (C13, L5).
    mutating func partFromRow(_ key: ClientID, _ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard let outgoing = outbox.queue.waiting.first(where: { $0.id == key }), !outgoing.entry.wasSent,
            case .text(let text) = transcript.message(key)?.body, text != LongText(outgoing.entry.text)
        else { return }
        dequeue(key, &shared, &step)
        enqueue(outgoing.entry.text, outgoing.entry.attachments, &shared, &step)
    }
}

extension ReplyEnding {
    /// The question was accepted, and no reply came in time (C12).
    static var missing: ReplyEnding { ReplyEnding(.noReply, needsNewKey: true) }

    /// It is unknown whether the question was accepted; a retry keeps its key (L6).
    static var unknown: ReplyEnding { ReplyEnding(.noReply, needsNewKey: false) }
}
