// Obstacles to all questions, on streams (C2, S9). The questions of every conversation wait while one lasts. `pause`
// sets an obstacle; the coordinators below end it. Asking.swift has the one obstacle of a single conversation.
//
//     no network           the question returns to the queue; all are sent when the network returns
//     credentials refused  the question fails; new credentials, or the person, release the others
//     retry-after          the question fails and shows the wait; the others are sent after it

extension Chat {
    /// The state that the streams of all questions share. Streams have no connection.
    package struct Streams: DomainValue {
        /// The obstacle that a question met; `nil` once it may be gone.
        var obstacle: Obstacle?
    }

    /// An obstacle to all questions.
    enum Obstacle: DomainValue {
        /// The network is missing (C2).
        case offline
        /// The server refuses the credentials (S9). Questions wait for new ones, or for the person.
        case credentialsRefused
    }
}

extension Chat.Shared {
    /// The obstacle to all questions; always `nil` on a socket.
    var obstacle: Chat.Obstacle? {
        get { if case .streams(let streams) = carrier { streams.obstacle } else { nil } }
        set { if case .streams = carrier { carrier = .streams(Chat.Streams(obstacle: newValue)) } }
    }

    // MARK: The beginning of an obstacle

    /// Holds back all other questions if they would end for the same reason.
    mutating func pause(for reason: Streaming.Reason, _ step: inout Chat.Step) {
        switch (reason, obstacle) {
        case (.signInFirst, _), (.signInAgain, _):
            obstacle = .credentialsRefused
            return
        case (.broken(.offline), nil), (.broken(.offline), .offline):
            obstacle = .offline
            // The timer tries again, because many devices never report that the network is back.
            step.add(.start(.reconnect, after: step.configuration.backoff.greatest))
            return
        default: break
        }
        var until = reason.waitUntil.flatMap { $0 > step.wall ? $0 : nil }
        // A 429 without a future time pauses too; else the server would refuse every queued question in turn.
        if until == nil, case .refused(429, _) = reason {
            until = step.wall + step.configuration.toldWaitLimit
        }
        guard let until else { return }
        sending.pause(until: step.now + (until - step.wall))
        limitPause(&step)
        savePacing(&step)
    }

    /// Starts the timer that ends a wait which the server demands.
    mutating func limitPause(_ step: inout Chat.Step) {
        guard let until = sending.pausedUntil else { return }
        step.add(.start(.rate, after: until - step.now))
    }

    // MARK: The end of an obstacle

    /// Clears the obstacle for a message or retry of the person. Returns whether it was the credentials: then every
    /// conversation waited.
    mutating func forgetObstacle() -> Bool {
        defer { obstacle = nil }
        return obstacle == .credentialsRefused
    }
}

// MARK: - Coordinators

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
        shared.limitPause(&step)
        flushAll(&step)
    }

    mutating func leaveStreams(_ step: inout Chat.Step) {
        guard case .streams = shared.carrier else { return }
        atEach(&step) { $0.toStream(.left, &$1, &$2) }
    }

    // MARK: Credentials

    /// Shares the access that one question has renewed (S9).
    mutating func renew(_ access: Streaming.Access, _ step: inout Chat.Step) {
        guard let account else { return }
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
