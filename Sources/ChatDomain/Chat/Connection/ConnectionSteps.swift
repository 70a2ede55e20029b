// Inputs to the connection, and their consequences for all conversations (C1–C5, C19). Start with `tell`, which
// feeds the socket's state machine. Only this file knows whether a socket or streams carry chat (Streams/): every
// other function here does the right thing for both.

extension Chat.Shared {
    var isSocket: Bool { if case .socket = carrier { true } else { false } }
}

extension Chat.State {
    var isSocket: Bool { shared.isSocket }

    // MARK: Inputs to the connection

    mutating func tell(_ input: Chat.Connection.Input, _ step: inout Chat.Step) {
        guard case .socket(var box) = shared.carrier else { return }
        var connection = box.wrappedValue
        connection.authentications.forget(at: step.now)  // otherwise its expiry would count as a change
        let (attempt, pace) = (connection.phase.attempt, connection.pace)
        let change = connection.take(input, shared.wish, cursors: { cursors }, &step)
        box.wrappedValue = connection
        shared.carrier = .socket(box)
        if connection.pace != pace { shared.savePacing(&step) }
        switch change {
        case .none: break
        case .ready:
            atEach(&step) { conversation, shared, step in
                conversation.endReplay(&shared, &step)
                conversation.resumeUploads(&step)
            }
            flushAll(&step)
        case .cut:
            shared.hasTurnedAway = false
            // Its stored bytes are missing. Every further connection would end like this, so it leaves the queue (C14).
            let isIncomplete = input == .ended(.failed(.recordMissing)) && attempt != nil
            let tooBig = tooBig(for: input)
            // In the background a connection that has failed has no grace period left (C4).
            let isOver =
                connection.phase.isOver || connection.phase.isFailed && shared.wish.accountToConnect == nil
            atEach(&step) { conversation, shared, step in
                let incomplete = isIncomplete ? conversation.inlineInFlight : nil
                conversation.cut(&shared, &step)
                if isOver { conversation.haltUploads(&shared, &step) }
                if let incomplete { conversation.park(incomplete, .fileMissing, &shared, &step) }
                if let tooBig, conversation.outbox.contains(tooBig.message) {
                    conversation.rejected(tooBig.message, tooBig.reason, &shared, &step)
                }
            }
        }
    }

    /// The message for which the server has closed the socket: the largest in flight. Each further connection would end
    /// like this, so it is refused (C8). The code and the words for a server without any are those of RFC 6455.
    private func tooBig(for input: Chat.Connection.Input) -> (message: ClientID, reason: ExactText)? {
        guard case .ended(.closed(code: 1009, let reason)) = input else { return nil }
        let inFlight = places.compactMap { $0.wrappedValue.outbox.inFlight }
        return inFlight.max { $0.entry.byteCount < $1.entry.byteCount }.map {
            ($0.id, reason.isEmpty ? "message too big" : reason)
        }
    }

    mutating func authenticated(_ count: Int64, isTruncated: Bool, isReset: Bool, _ step: inout Chat.Step) {
        switch shared.connection {
        case .connecting, .authenticating: break
        case .disconnected, .replaying, .connected, .reconnecting, .failed: return
        }
        if isTruncated { conversation.banner = .replayTruncated }
        atEach(&step) { $0.beginReplay(isReset: isReset, &$1, &$2) }
        tell(.authenticated(replayCount: count), &step)
    }

    /// After a refused cursor, the next connection asks for everything, once (C5).
    mutating func refuseCursor(_ step: inout Chat.Step) {
        let hadCursors = !cursors.isEmpty
        atEach(&step) { conversation, _, _ in
            if conversation.cursor != nil { conversation.pushed.cursor = nil }
        }
        tell(.cursorRefused(hadCursors: hadCursors), &step)
    }

    // MARK: The person

    mutating func show(_ step: inout Chat.Step) {
        shared.wish.isShown = true
        if isSocket { tell(.wanted, &step) } else { tryAgain(&step) }
    }

    mutating func leave(_ step: inout Chat.Step) {
        guard shared.wish.isShown else { return }
        shared.wish.isShown = false
        at(current, &step) { $0.stopTyping(&$1, &$2) }
        disconnect(&step)
        saveAll(&step)
    }

    mutating func disconnect(_ step: inout Chat.Step) {
        if isSocket { tell(.left, &step) } else { leaveStreams(&step) }
    }

    // MARK: The device

    mutating func connectIfWanted(_ step: inout Chat.Step) {
        if isSocket { tell(.wanted, &step) } else { lookForNetwork(&step) }
    }

    mutating func changeNetwork(_ isUp: Bool, _ step: inout Chat.Step) {
        shared.wish.isNetworkUp = isUp
        guard isSocket else { return lookForNetwork(&step) }
        tell(.network, &step)
        guard isUp else { return }
        // The socket may have survived the network loss that broke an upload.
        atEach(&step) { conversation, shared, step in
            if conversation.resumeUploads(&step) { conversation.flush(&shared, &step) }
        }
    }

    mutating func background(_ step: inout Chat.Step) {
        guard case .foreground = shared.wish.presence else { return }
        shared.wish.presence = .background(since: step.context.moment)
        at(current, &step) { $0.stopTyping(&$1, &$2) }
        if isSocket { tell(.backgrounded, &step) } else { leaveStreams(&step) }
        // Only an open socket has a grace period; what goes on without one ends (C4).
        if shared.connection.isFailed { atEach(&step) { $0.haltUploads(&$1, &$2) } }
        // The system may now end the process at any time; what is written must be safe before (L5).
        saveAll(&step)
    }

    mutating func foreground(_ step: inout Chat.Step) {
        guard case .background(let since) = shared.wish.presence else { return }
        shared.wish.presence = .foreground
        saveAll(&step)  // the person may have made room on the disk
        // The monotonic clock of a suspended process may leave out the time without a turn.
        let absence = max(step.now - since.now, step.wall - since.wall)
        guard isSocket else { return lookForNetwork(&step) }
        // A suspended process has not ended them after the grace period (C4).
        if absence >= step.configuration.backgroundGrace { atEach(&step) { $0.haltUploads(&$1, &$2) } }
        tell(.foregrounded(after: absence), &step)
    }

    // MARK: Timers

    /// With streams only one of these timers runs: the next check for a network.
    mutating func connectionTimerFired(_ timer: Chat.Timer, _ step: inout Chat.Step) {
        if isSocket {
            tell(.passed(timer), &step)
        } else if case .reconnect = timer {
            lookForNetwork(&step)
        }
    }

    mutating func uploadsAllowed(_ step: inout Chat.Step) {
        shared.uploads.forget(at: step.now)
        flushAll(&step)
    }
}

extension Chat.Connection {
    /// The times that survive the process.
    fileprivate var pace: [Instant?] { [authentications.admissions.last, authentications.pausedUntil] }
}
