// What stands in the way of all questions, where each has a stream of its own (C2, S9): no network, credentials that
// are not accepted, or a server that wants to wait. It is told once; questions wait, in every conversation, and go on
// when it may be gone. What stands in the way of one conversation alone is told in Asking.swift.
//
//     no network           what has met it waits again, and goes by itself as what knew it beforehand
//     credentials refused  told at the question that has met it; new ones, or the person, let the others go
//     told wait            shown at the question that has met it; the others go when the time has come

extension Chat {
    /// What streams need in order to carry chat. There is no connection: a question needs an account and a network.
    public struct Streams: DomainValue {
        /// What a question has met that stands in the way of all others, until that may be gone.
        public internal(set) var obstacle: Obstacle?
    }

    /// What stands in the way of all questions.
    public enum Obstacle: String, DomainValue {
        /// There is no network (C2).
        case offline
        /// The server does not accept the credentials (S9). Nothing is asked until there are new ones, or the person
        /// wants it to be tried.
        case credentialsRefused
    }
}

extension Chat.Shared {
    /// What stands in the way of all questions. Where a socket carries chat nothing does, and a change of it is none.
    var obstacle: Chat.Obstacle? {
        get { if case .streams(let streams) = carrier { streams.obstacle } else { nil } }
        set { if case .streams = carrier { carrier = .streams(Chat.Streams(obstacle: newValue)) } }
    }

    // MARK: In the way

    /// A question has ended so. When that says that others would meet the same, they wait.
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
        // A server that names no time, or one that has passed by this clock, is left alone all the same, or all that is
        // queued would be refused, one after the other.
        if until == nil, case .refused(429, _) = reason {
            until = step.wall + step.configuration.toldWaitLimit
        }
        if let until { pause(until: until, &step) }
    }

    /// Nothing is asked before a time.
    mutating func pause(until: WallTime, _ step: inout Chat.Step) {
        sending.pause(until: step.now + (until - step.wall))
        step.add(.start(.rate, after: until - step.wall))
    }

    // MARK: Gone, perhaps

    /// The person wants a question to be tried, whatever was in the way. Returns whether credentials were: then all
    /// conversations have waited.
    mutating func forgetObstacle() -> Bool {
        defer { obstacle = nil }
        return obstacle == .credentialsRefused
    }
}

// MARK: - Coordinators

// Each does nothing where a socket carries chat, but for `rateAllows`.

extension Chat.State {
    /// There may be a network again, by the word of the device or of the person, or because time has passed (C2).
    mutating func lookForNetwork(_ step: inout Chat.Step) {
        if case .offline = shared.obstacle {
            shared.obstacle = nil
            step.add(.cancel(.reconnect))
        }
        goOnAsking(&step)
    }

    /// The person looks at the chat again, or asks for it: what stood in the way is tried once more.
    mutating func tryAgain(_ step: inout Chat.Step) {
        if case .credentialsRefused = shared.obstacle { shared.obstacle = nil }
        lookForNetwork(&step)
    }

    /// There is a network, the view is there again, or the server may be asked again: what waits goes on.
    mutating func goOnAsking(_ step: inout Chat.Step) {
        guard shared.mayAsk else { return }
        shared.sending.forget(at: step.now)
        if let until = shared.sending.pausedUntil { step.add(.start(.rate, after: until - step.now)) }
        flushAll(&step)
    }

    /// The next message may be sent (C8).
    mutating func rateAllows(_ step: inout Chat.Step) {
        if case .streams = shared.carrier { goOnAsking(&step) } else { flushAll(&step) }
    }

    /// The view was left or the app is no longer in front: no reply goes on (S11).
    mutating func leaveStreams(_ step: inout Chat.Step) {
        guard case .streams = shared.carrier else { return }
        atEach(&step) { $0.toStream(.left, &$1, &$2) }
    }

    // MARK: Credentials

    /// What one question has had made new reaches the later ones everywhere, and those that wait for it (S9).
    mutating func renew(_ access: Streaming.Access, _ step: inout Chat.Step) {
        guard let account, access != account.access else { return }
        shared.wish.account = account.renewed(access)
        shareAccess(&step)
    }

    /// There are other credentials: each stream has them from now on, and what was refused may be tried.
    mutating func shareAccess(_ step: inout Chat.Step) {
        guard case .streams = shared.carrier, let access = account?.access else { return }
        atEach(&step) { $0.toStream(.accessChanged(access), &$1, &$2) }
        guard case .credentialsRefused = shared.obstacle else { return }
        shared.obstacle = nil
        goOnAsking(&step)
    }
}
