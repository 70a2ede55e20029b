// What stands in the way of all questions, where each has a stream of its own (C2, S9): no network, credentials that
// are not accepted, or a server that wants to wait. It is told once; questions wait, in every conversation, and go on
// when it may be gone. What stands in the way of one conversation alone is told in Asking.swift.
//
//     no network           what has met it waits again, and goes by itself as what knew it beforehand
//     credentials refused  told at the question that has met it; new ones, or the person, let the others go
//     told wait            shown at the question that has met it; the others go when the time has come

extension Chat {
    /// What streams need in order to carry chat. There is no connection: a question needs an account and a network.
    struct Streams: DomainValue {
        /// What a question has met that stands in the way of all others, until that may be gone.
        var obstacle: Obstacle?
    }

    /// What stands in the way of all questions.
    enum Obstacle: String, DomainValue {
        /// There is no network (C2).
        case offline
        /// The server refuses the credentials (S9). Nothing is asked before there are new ones or the person retries.
        case credentialsRefused
    }
}

extension Chat.Shared {
    /// What stands in the way of all questions; nothing where a socket carries chat.
    var obstacle: Chat.Obstacle? {
        get { if case .streams(let streams) = carrier { streams.obstacle } else { nil } }
        set { if case .streams = carrier { carrier = .streams(Chat.Streams(obstacle: newValue)) } }
    }

    // MARK: In the way

    /// The others wait when they would end in the same way.
    mutating func pause(for reason: Streaming.Reason, _ step: inout Chat.Step) {
        switch (reason, obstacle) {
        case (.signInFirst, _), (.signInAgain, _):
            obstacle = .credentialsRefused
            return
        case (.broken(.offline), nil), (.broken(.offline), .offline):
            obstacle = .offline
            // The timer is for devices that never say “network up”.
            step.add(.start(.reconnect, after: step.configuration.backoff.greatest))
            return
        default: break
        }
        var until = reason.waitUntil.flatMap { $0 > step.wall ? $0 : nil }
        // A server without a time, or with one that has passed, is left alone too, or all that is queued would be
        // refused in turn.
        if until == nil, case .refused(429, _) = reason {
            until = step.wall + step.configuration.toldWaitLimit
        }
        if let until { pause(until: until, &step) }
    }

    mutating func pause(until: WallTime, _ step: inout Chat.Step) {
        sending.pause(until: step.now + (until - step.wall))
        step.add(.start(.rate, after: until - step.wall))
    }

    // MARK: Gone, perhaps

    /// The person wants to try again. Returns whether credentials stood in the way, so that all conversations have
    /// waited.
    mutating func forgetObstacle() -> Bool {
        defer { obstacle = nil }
        return obstacle == .credentialsRefused
    }
}

// MARK: - Coordinators

// Each does nothing where a socket carries chat, but for `rateAllows`.

extension Chat.State {
    mutating func lookForNetwork(_ step: inout Chat.Step) {
        if case .offline = shared.obstacle {
            shared.obstacle = nil
            step.add(.cancel(.reconnect))
        }
        goOnAsking(&step)
    }

    mutating func tryAgain(_ step: inout Chat.Step) {
        if case .credentialsRefused = shared.obstacle { shared.obstacle = nil }
        lookForNetwork(&step)
    }

    mutating func goOnAsking(_ step: inout Chat.Step) {
        guard shared.mayAsk else { return }
        shared.sending.forget(at: step.now)
        if let until = shared.sending.pausedUntil { step.add(.start(.rate, after: until - step.now)) }
        flushAll(&step)
    }

    mutating func rateAllows(_ step: inout Chat.Step) {
        if case .streams = shared.carrier { goOnAsking(&step) } else { flushAll(&step) }
    }

    mutating func leaveStreams(_ step: inout Chat.Step) {
        guard case .streams = shared.carrier else { return }
        atEach(&step) { $0.toStream(.left, &$1, &$2) }
    }

    // MARK: Credentials

    /// Shares the access that one question has renewed (S9).
    mutating func renew(_ access: Streaming.Access, _ step: inout Chat.Step) {
        guard let account, access != account.access else { return }
        shared.wish.account = account.renewed(access)
        shareAccess(&step)
    }

    mutating func shareAccess(_ step: inout Chat.Step) {
        guard case .streams = shared.carrier, let access = account?.access else { return }
        atEach(&step) { $0.toStream(.accessChanged(access), &$1, &$2) }
        guard case .credentialsRefused = shared.obstacle else { return }
        shared.obstacle = nil
        goOnAsking(&step)
    }
}
