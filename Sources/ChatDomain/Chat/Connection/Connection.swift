// The connection of a socket, as a machine (C1–C5): it takes what the person, the device, the network and its own
// timers bring, and says what that changes. Start at `take`. Its vocabulary stands in ConnectionPhase.swift; what leads
// to it, and what it means for the conversations, in ConnectionSteps.swift.
//
//     disconnected ──wanted──▶ connecting ──▶ authenticating ──▶ replaying ──▶ connected
//        ▲                      ▲      │              │               │             │
//        │                time, or     └──────────────┴───────┬───────┴─────────────┘
//        │              the network                           │
//        │                      │              lost, or a limit of time
//        └──────not wanted── reconnecting ◀───────────────────┤
//                               │                             │
//                           exhausted            told to wait, or for good
//                               └─────────▶ failed ◀──────────┘
//
// What the picture cannot show: with nothing to replay, `authenticating` leads to `connected`. A wish that meets a
// throttle or no network leads to `reconnecting`. A refused cursor leads from any phase with a socket to `connecting`
// (C5). Who no longer wants a connection leads to `disconnected` from everywhere, but for what the server has ended for
// good (another session, refused credentials): out of that only the person leads, and out of refused credentials only a
// sign-in (C3). The person, a minute in the background, and for a failure of the network its return lead out of any
// other failure (C2), but not before a told wait is over.
//
// What is guaranteed by construction, because it is derived from the phases before and after each input: the timers that
// run are those that `deadlines` names (L3), the socket of a phase that is over is closed, one socket is open at most
// (C4), and what belonged to a socket (signs of life, the refetch) ends with it (L4).

extension Chat {
    /// The connection of a socket.
    public struct Connection: DomainValue {
        /// How far it has come.
        public internal(set) var phase = Phase.disconnected
        /// Keeps attempts to connect apart (C2).
        public internal(set) var backoff: Backoff
        /// Keeps authentications apart, and waits as long as the server has told (C2, C3).
        public internal(set) var authentications: Throttle
        /// Whether something was missed on this socket and has been asked for again (C5).
        public private(set) var isRefetching = false
        /// How long `reconnecting` lasts; none without a network.
        private var wait: Interval?
        /// How many signs of life this socket has given beside messages; a driver that sees none gives none (C1).
        private var signs: Int64 = 0
        /// Whether the app has left the front: what is open stays open for the grace (C4).
        private var isInBackground = false

        init(configuration: Configuration) {
            backoff = Backoff(configuration.backoff)
            authentications = Throttle(configuration.authentications)
        }
    }
}

// MARK: Inputs

extension Chat.Connection {
    /// Takes one input. The cursors are read when a socket is opened or a gap is asked for (C5).
    mutating func take(
        _ input: Input, _ wish: Chat.Wish, cursors: () -> [Chat.Cursor], _ step: inout Chat.Step
    ) -> Change {
        let (before, running) = (phase, deadlines(step.configuration))
        let wasRefetching = isRefetching
        apply(input, wish, running, &step)
        if phase.attempt != before.attempt {
            (isRefetching, signs) = (false, 0)
            if let old = before.attempt, !input.isEnd { step.add(.close(.socket(old))) }
        }
        if isRefetching, !wasRefetching, let link = phase.link {
            step.add(.send(.socket(link), .refetch(cursors: cursors())))
        }
        if case .connecting(let attempt) = phase, attempt != before.attempt,
            let account = wish.accountToConnect
        {
            step.add(.open(.socket(attempt), .connect(account.secret, account.device, cursors: cursors())))
        }
        keepTime(running, input, &step)
        return change(from: before)
    }

    private mutating func apply(
        _ input: Input, _ wish: Chat.Wish, _ running: [Deadline], _ step: inout Chat.Step
    ) {
        switch (input, phase) {
        case (.wanted, .disconnected): connect(wish, &step)
        case (.left, _): leave()
        case (.backgrounded, _): isInBackground = true
        case (.foregrounded(let absence), _): comeBack(after: absence, wish, &step)

        case (.network, .reconnecting) where wish.isNetworkUp: connect(wish, &step)
        case (.network, .reconnecting): (phase, wait) = (.reconnecting(.offline), nil)
        case (.network, .failed(.exhausted(.failed))) where wish.isNetworkUp: startOver(wish, &step)
        case (.requested, .failed(.credentialsRefused)): break
        case (.requested, .failed(.toldToWait)) where toldWait(at: step.now) > .zero: break
        case (.requested, .failed): startOver(wish, &step)
        case (.requested, .reconnecting): connect(wish, &step)

        case (.opened, .connecting(let attempt)): phase = .authenticating(attempt)
        case (.authenticated(let count), .connecting(let attempt)),
            (.authenticated(let count), .authenticating(let attempt)):
            phase = count > 0 ? .replaying(attempt, remaining: count) : .connected(attempt)
        case (.replayed, .replaying(let attempt, let remaining)):
            // The cursor has moved, so even a replay that breaks off again and again ends.
            backoff.reset()
            phase = remaining > 1 ? .replaying(attempt, remaining: remaining - 1) : .connected(attempt)

        case (.cursorRefused(hadCursors: true), _) where phase.attempt != nil: connect(wish, &step)
        case (.cursorRefused(hadCursors: false), _): lose(.failed(.malformed), wish, &step)
        case (.stopped, .disconnected): break
        case (.stopped, .failed(let failure)) where failure.isFinal: break
        case (.stopped(let failure), _): phase = .failed(failure)
        case (.gaveUp(let end), _), (.ended(let end), _): lose(end, wish, &step)

        case (.alive, _) where phase.attempt != nil: signs &+= 1  // one a nanosecond would last 292 years
        case (.gap, _) where phase.link != nil: isRefetching = true
        case (.refetched, _): isRefetching = false
        case (.passed(let timer), _) where running.contains { $0.timer == timer }: passed(timer, wish, &step)

        case (.wanted, _), (.network, _), (.requested, _), (.opened, _), (.authenticated, _), (.replayed, _),
            (.cursorRefused, _), (.alive, _), (.gap, _), (.passed, _):
            break
        }
    }

    /// What the server has ended stays ended, or a return would take the session from where it is now (C3).
    private mutating func leave() {
        if case .failed(let failure) = phase, failure.isFinal { return }
        phase = .disconnected
    }

    /// A long absence forgets the attempts and the failure that came of them (C2); a told wait still counts.
    private mutating func comeBack(after absence: Interval, _ wish: Chat.Wish, _ step: inout Chat.Step) {
        isInBackground = false
        if absence >= step.configuration.backgroundForgets {
            backoff.reset()
            if case .failed(let failure) = phase, !failure.isFinal { phase = .disconnected }
        }
        if case .disconnected = phase { connect(wish, &step) }
    }

    private mutating func passed(_ timer: Chat.Timer, _ wish: Chat.Wish, _ step: inout Chat.Step) {
        switch timer {
        case .reconnect: connect(wish, &step)
        case .stable: backoff.reset()
        case .background: leave()
        case .refetch: isRefetching = false
        default: lose(.failed(.timedOut), wish, &step)
        }
    }

    private mutating func startOver(_ wish: Chat.Wish, _ step: inout Chat.Step) {
        backoff.reset()
        connect(wish, &step)
    }

    private mutating func connect(_ wish: Chat.Wish, _ step: inout Chat.Step) {
        guard wish.accountToConnect != nil else {
            phase = .disconnected
            return
        }
        guard wish.isNetworkUp else {
            (phase, wait) = (.reconnecting(.offline), nil)
            return
        }
        switch authentications.admit(at: step.now) {
        case .now: phase = .connecting(step.context.nextAttempt())
        case .wait(let until):
            let told = toldWait(at: step.now)
            if told > step.configuration.toldWaitLimit {
                phase = .failed(.toldToWait(until: step.wall + told))
            } else {
                (phase, wait) = (.reconnecting(.backoff(attempts: backoff.attempts)), until - step.now)
            }
        }
    }

    private mutating func lose(_ end: CallEnd, _ wish: Chat.Wish, _ step: inout Chat.Step) {
        guard phase.attempt != nil else { return }
        var told = Interval.zero
        switch end {
        case .failed(.secretMissing):
            phase = .failed(.credentialsRefused(.tokenExpired))
            return
        case .refused(_, let retryAfter?, _):
            // Whatever leads to the next attempt, it keeps to this.
            told = max(min(retryAfter, step.configuration.greatestToldWait), .zero)
            authentications.pause(until: step.now + told)
            guard told <= step.configuration.toldWaitLimit else {
                phase = .failed(.toldToWait(until: step.wall + told))
                return
            }
        case .failed(.offline):
            // This is no attempt, and no authentication if nothing was opened (C2). Time tries again, because many a
            // device never says that it has a network.
            if case .connecting = phase { authentications.withdraw() }
            (phase, wait) = (
                .reconnecting(.offline), wish.isNetworkUp ? step.configuration.backoff.greatest : nil
            )
            return
        case .completed, .closed, .failed, .refused: break
        }
        guard wish.isNetworkUp else {
            (phase, wait) = (.reconnecting(.offline), nil)
            return
        }
        guard let delay = backoff.next(&step.context.entropy) else {
            phase = .failed(.exhausted(end))
            return
        }
        (phase, wait) = (.reconnecting(.backoff(attempts: backoff.attempts)), max(delay, told))
    }

    private func toldWait(at now: Instant) -> Interval {
        max((authentications.pausedUntil ?? now) - now, .zero)
    }
}

// MARK: What follows from the phases

extension Chat.Connection {
    struct Deadline: Equatable {
        let timer: Chat.Timer
        let after: Interval
        let restart: Int64
    }

    /// The timers that run. Each phase with something under way has one that ends it (L3).
    func deadlines(_ numbers: Chat.Configuration) -> [Deadline] {
        var running: [Deadline] = []
        func run(_ timer: Chat.Timer, _ after: Interval, restart: Int64 = 0) {
            running.append(Deadline(timer: timer, after: after, restart: restart))
        }
        switch phase {
        case .disconnected, .failed: return []
        case .connecting(let attempt):
            run(.connecting, numbers.connectLimit, restart: Int64(bitPattern: attempt.number))
        case .authenticating: run(.authenticating, numbers.authenticationLimit)
        case .replaying(_, let remaining):
            // Of the whole replay as it begins; what has come since does not start it anew.
            run(.replay, (numbers.replayPerMessage * remaining).clamped(to: numbers.replayLimits))
            run(.replayProgress, numbers.replayProgressLimit, restart: remaining)
        case .connected: if backoff.attempts > 0 { run(.stable, numbers.stableAfter) }
        case .reconnecting: if let wait { run(.reconnect, wait, restart: wait.nanoseconds) }
        }
        if isInBackground { run(.background, numbers.backgroundGrace) }
        if signs > 0 { run(.liveness, numbers.livenessLimit, restart: signs) }
        if isRefetching { run(.refetch, numbers.refetchLimit) }
        return running
    }

    private func keepTime(_ before: [Deadline], _ input: Input, _ step: inout Chat.Step) {
        var before = before
        if case .passed(let timer) = input { before.removeAll { $0.timer == timer } }
        let after = deadlines(step.configuration)
        for old in before where !after.contains(where: { $0.timer == old.timer }) {
            step.add(.cancel(old.timer))
        }
        for new in after {
            let isRunning = before.contains { $0.timer == new.timer && $0.restart == new.restart }
            if !isRunning { step.add(.start(new.timer, after: new.after)) }
        }
    }

    private func change(from before: Phase) -> Change {
        if let old = before.attempt, phase.attempt != old { return .cut }
        if phase.isOver, !before.isOver { return .cut }
        if case .connected = phase, before != phase { return .ready }
        return .none
    }
}

extension Chat.Connection.Input {
    /// Whether the socket has ended by itself, so that there is nothing to close.
    fileprivate var isEnd: Bool { if case .ended = self { true } else { false } }
}
