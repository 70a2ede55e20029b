// The state machine of a socket connection (C1–C5). `take` is its only entry: it takes inputs of the person, the
// device, the network and the timers, and adds the effects. Start there. ConnectionPhase.swift defines the types;
// ConnectionSteps.swift feeds the machine and applies its changes to the conversations.
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
// Not in the diagram:
// - With nothing to replay, `authenticating` leads to `connected`.
// - `wanted` leads to `reconnecting` while the throttle holds it back or there is no network.
// - A refused cursor leads from every phase with a socket to `connecting` (C5).
// - `not wanted` leads from every phase to `disconnected`, except from a final failure (session replaced,
//   credentials refused). Only the person leaves a final failure, and refused credentials need a sign-in (C3).
// - A return after the grace period leads from every phase but `failed` to `connecting`: whoever was suspended within it
//   has not closed the socket (C4).
// - The person, a minute in the background, or the network's return after a network failure end every other
//   failure (C2), but not before a wait that the server demands is over.
//
// Invariants, derived from the phases before and after each input: exactly the timers in `deadlines` run (L3); a socket
// is closed when its phase ends; at most one socket is open (C4); liveness and refetch end with the socket (L4).

extension Chat {
    /// The connection of a socket.
    public struct Connection: DomainValue {
        var phase = Phase.disconnected
        /// The delay between attempts to connect (C2).
        var backoff: Backoff
        /// Limits the rate of authentications and holds the wait that the server demands (C2, C3).
        var authentications: Throttle
        /// Whether a gap on this socket is being fetched again (C5).
        package private(set) var isRefetching = false
        /// How long `reconnecting` lasts; nil without a network.
        private var wait: Interval?
        /// Signs of life on this socket apart from messages. A driver that cannot see any reports none (C1).
        private var signs: Int64 = 0
        /// How often the server on this socket gives one, if it says so, which is the first.
        private var heartbeat: Interval?
        /// In the background, an open socket stays open for the grace period (C4).
        private var isInBackground = false

        init(configuration: Configuration) {
            backoff = Backoff(configuration.backoff)
            authentications = Throttle(configuration.authentications)
        }
    }
}

// MARK: Inputs

extension Chat.Connection {
    /// Takes one input. `cursors` is read only when a socket is opened or a gap is fetched (C5).
    mutating func take(
        _ input: Input, _ wish: Chat.Wish, cursors: () -> [Chat.Cursor], _ step: inout Chat.Step
    ) -> Change {
        let (before, running) = (phase, deadlines(step.configuration))
        let wasRefetching = isRefetching
        apply(input, wish, running, &step)
        if phase.attempt != before.attempt {
            (isRefetching, signs, heartbeat) = (false, 0, nil)
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
            // The cursor has moved, so a replay that breaks off repeatedly still ends.
            backoff.reset()
            phase = remaining > 1 ? .replaying(attempt, remaining: remaining - 1) : .connected(attempt)
        case (.replayEnded, .replaying(let attempt, _)): phase = .connected(attempt)

        case (.cursorRefused(hadCursors: true), _) where phase.attempt != nil: connect(wish, &step)
        case (.cursorRefused(hadCursors: false), _): lose(.failed(.malformed), wish, &step)
        case (.stopped, .disconnected): break
        case (.stopped, .failed(let failure)) where failure.isFinal: break
        case (.stopped(let failure), _): phase = .failed(failure)
        case (.gaveUp(let end), _), (.ended(let end), _): lose(end, wish, &step)

        case (.alive, _) where phase.attempt != nil: signs &+= 1  // at one per ns, full after 292 years
        case (.heartbeat(let interval), _) where phase.attempt != nil:
            (heartbeat, signs) = (interval, signs &+ 1)
        case (.gap, _) where phase.link != nil:
            // What is missing may be a sign of life.
            (isRefetching, signs) = (true, signs > 0 ? signs &+ 1 : 0)
        case (.refetched, _): isRefetching = false
        case (.passed(let timer), _) where running.contains { $0.timer == timer }: passed(timer, wish, &step)

        case (.wanted, _), (.network, _), (.requested, _), (.opened, _), (.authenticated, _), (.replayed, _),
            (.replayEnded, _), (.cursorRefused, _), (.alive, _), (.heartbeat, _), (.gap, _), (.passed, _):
            break
        }
    }

    /// A final failure stays: reconnecting would take the session back from the device that has it now (C3).
    private mutating func leave() {
        if case .failed(let failure) = phase, failure.isFinal { return }
        phase = .disconnected
    }

    /// A long absence resets the backoff and ends its failure (C2); a wait that the server demands still counts.
    private mutating func comeBack(after absence: Interval, _ wish: Chat.Wish, _ step: inout Chat.Step) {
        isInBackground = false
        // A process that was suspended within the grace period has not closed its socket (C4).
        if absence >= step.configuration.backgroundGrace, !phase.isFailed { phase = .disconnected }
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
                postpone(by: until - step.now, step.wall)
            }
        }
    }

    private mutating func lose(_ end: CallEnd, _ wish: Chat.Wish, _ step: inout Chat.Step) {
        guard phase.attempt != nil else { return }
        // The credentials go to the server when the socket is open (C2).
        if case .connecting = phase { authentications.withdraw() }
        var told = Interval.zero
        switch end {
        case .failed(.secretMissing):
            phase = .failed(.credentialsRefused(.tokenExpired))
            return
        case .refused(_, let retryAfter?, _):
            // Every further attempt respects this wait.
            told = max(min(retryAfter, step.configuration.greatestToldWait), .zero)
            authentications.pause(until: step.now + told)
            guard told <= step.configuration.toldWaitLimit else {
                phase = .failed(.toldToWait(until: step.wall + told))
                return
            }
        case .failed(.offline):
            // No attempt (C2). The timer tries again, because many devices never report that the network is back.
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
        postpone(by: max(delay, told), step.wall)
    }

    private mutating func postpone(by delay: Interval, _ wall: WallTime) {
        wait = delay
        phase = .reconnecting(.backoff(attempts: backoff.attempts, until: wall + delay))
    }

    private func toldWait(at now: Instant) -> Interval {
        max((authentications.pausedUntil ?? now) - now, .zero)
    }
}

// MARK: Consequences of the phases

extension Chat.Connection {
    struct Deadline: Equatable {
        let timer: Chat.Timer
        let after: Interval
        let restart: Int64
    }

    /// The timers that run in this phase. Every phase with work under way has one that ends it (L3).
    func deadlines(_ configuration: Chat.Configuration) -> [Deadline] {
        var running: [Deadline] = []
        func run(_ timer: Chat.Timer, _ after: Interval, restart: Int64 = 0) {
            running.append(Deadline(timer: timer, after: after, restart: restart))
        }
        switch phase {
        case .disconnected, .failed: return []
        case .connecting(let attempt):
            run(.connecting, configuration.connectLimit, restart: Int64(bitPattern: attempt.number))
        case .authenticating: run(.authenticating, configuration.authenticationLimit)
        case .replaying(_, let remaining):
            // Measured from the start of the replay; messages that arrive do not restart it.
            run(.replay, (configuration.replayPerMessage * remaining).clamped(to: configuration.replayLimits))
            run(.replayProgress, configuration.replayProgressLimit, restart: remaining)
        case .connected: if backoff.attempts > 0 { run(.stable, configuration.stableAfter) }
        case .reconnecting: if let wait { run(.reconnect, wait, restart: wait.nanoseconds) }
        }
        if isInBackground { run(.background, configuration.backgroundGrace) }
        if signs > 0 {
            run(.liveness, max(configuration.livenessLimit, (heartbeat ?? .zero) * 2), restart: signs)
        }
        if isRefetching { run(.refetch, configuration.refetchLimit) }
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

extension Chat.Connection: Normalizable {
    /// Reduces the number of signs of life to whether there was any, and leaves out a wait that is over.
    public mutating func normalize(_ form: inout NormalForm) {
        authentications.normalize(&form)
        signs = min(signs, 1)
        switch phase {
        case .connecting(let attempt): phase = .connecting(form.normal(attempt))
        case .authenticating(let attempt): phase = .authenticating(form.normal(attempt))
        case .replaying(let attempt, let remaining):
            phase = .replaying(form.normal(attempt), remaining: remaining)
        case .connected(let attempt): phase = .connected(form.normal(attempt))
        case .failed(.toldToWait(var until)):
            form.relate(end: &until)
            phase = .failed(.toldToWait(until: until))
        case .reconnecting(.backoff(let attempts, var until)):
            form.relate(end: &until)
            phase = .reconnecting(.backoff(attempts: attempts, until: until))
            return
        case .reconnecting(.offline): return
        case .disconnected, .failed: break
        }
        wait = nil  // set together with `reconnecting`, and read in it alone
    }
}
