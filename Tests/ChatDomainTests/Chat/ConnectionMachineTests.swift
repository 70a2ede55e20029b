// The connection driven alone: everything that can happen to it, in every state that it can reach, with small numbers
// so that the states close. What is checked holds for any numbers: the laws compare phases, timers and sockets.

import TestVolume
import Testing

@testable import ChatDomain

@Suite("Chat: the connection as a machine")
struct ConnectionMachineTests {
    @Test(
        "L1, L3, L4, C2–C4: every input in every reachable state",
        arguments: thoroughly([true, false], otherwise: [true]))
    func closed(hasSigns: Bool) {
        let start = ConnectionWorld(hasSigns: hasSigns)
        var (seen, frontier): (Set<ConnectionWorld.Sight>, [ConnectionWorld]) = ([start.sight], [start])
        var complaints: Set<String> = []
        while let world = frontier.popLast() {
            for event in world.events {
                var next = world
                next.take(event)
                for complaint in next.complaints { complaints.insert("\(complaint), by \(event)") }
                if seen.insert(next.sight).inserted { frontier.append(next) }
            }
        }
        print("The connection \(hasSigns ? "with" : "without") signs of life: \(seen.count) states")
        #expect(complaints.sorted().prefix(5) == [])
        #expect(seen.count > 1_000)
        let phases = Set(seen.map { $0.phase.prefix { $0 != "(" } })
        #expect(
            phases.count == 7
                && seen.contains { $0.phase.hasPrefix("failed(sessionReplaced") && $0.isTaken })
    }

    @Test("C2: a replay that moves on does not use up the attempts, one that stands still does")
    func replays() {
        var world = ConnectionWorld(hasSigns: false)
        world.take(.person(.show))
        for _ in 0..<10 {
            world.take(.input(.authenticated(replayCount: 9)))
            world.take(.input(.replayed))
            world.take(.input(.ended(.failed(.lost))))
            guard case .reconnecting(.backoff(attempts: 1, _)) = world.connection.phase else {
                Issue.record("\(world.connection.phase)")
                return
            }
            world.reconnect()
        }
        for _ in 0..<3 {
            world.take(.input(.authenticated(replayCount: 9)))
            world.take(.input(.ended(.failed(.lost))))
            world.reconnect()
        }
        #expect(world.connection.phase == .failed(.exhausted(.failed(.lost))))
    }

    @Test("C3: no told wait lasts longer than a day")
    func longestWait() {
        var world = ConnectionWorld(hasSigns: false)
        world.take(.person(.show))
        world.take(.input(.ended(.refused(status: 503, retryAfter: .max, message: ""))))
        let day = world.configuration.greatestToldWait
        #expect(world.connection.phase == .failed(.toldToWait(until: world.context.wall + day)))
        #expect(Chat.Configuration().greatestToldWait == .hours(24))
    }

    @Test("C5: the cursors are those of the moment at which a socket is opened, and asked for then alone")
    func cursors() {
        var world = ConnectionWorld(hasSigns: true)
        for event in [.person(.show), .input(.opened), .input(.authenticated(replayCount: 2))]
            as [ConnectionWorld.Event]
        {
            world.take(event)
        }
        #expect(world.asked == ["s1"])
        world.cursor = "s2"
        for event in [.input(.replayed), .input(.alive), .input(.gap), .input(.gap), .input(.refetched)]
            as [ConnectionWorld.Event]
        {
            world.take(event)
        }
        #expect(world.asked == ["s1", "s2"])
        world.cursor = "s3"
        world.take(.input(.ended(.failed(.lost))))
        #expect(world.asked == ["s1", "s2"])
        world.reconnect()
        #expect(world.asked == ["s1", "s2", "s3"])
        world.cursor = nil
        world.take(.input(.cursorRefused(hadCursors: true)))
        world.reconnect()
        #expect(world.asked == ["s1", "s2", "s3", nil])
    }
}

/// A connection, the wish, and what the world does with the effects: sockets, timers, and a clock of whole seconds.
struct ConnectionWorld {
    var configuration = Chat.Configuration()
    var connection: Chat.Connection
    var wish = Chat.Wish()
    var context = Context(
        moment: Moment(now: .origin, wall: WallTime(millisecondsSince1970: 0)), entropy: .least(0))
    var cursor: MessageID? = "s1"
    /// The cursors with which the server was asked.
    private(set) var asked: [MessageID?] = []
    private(set) var complaints: [String] = []
    private let hasSigns: Bool
    private var sockets: [Attempt] = []
    private var due: [Chat.Timer: Instant] = [:]
    private var opened = Instant.origin
    /// The beginnings of the attempts that asked the server who this is, within the last window.
    private var authentications: [Instant] = []
    /// Whether another session has taken this one, and the person has not asked for it since.
    private var isTaken = false

    enum Event {
        case input(Chat.Connection.Input)
        case person(Wanting)
        case fires(Chat.Timer)
        case second
    }

    enum Wanting { case show, leave, background, foreground, foregroundLate, networkUp, networkDown, ask }

    init(hasSigns: Bool) {
        self.hasSigns = hasSigns
        configuration.connectLimit = .seconds(1)
        configuration.authenticationLimit = .seconds(1)
        configuration.replayPerMessage = .seconds(1)
        configuration.replayLimits = .seconds(2)...(.seconds(2))
        configuration.replayProgressLimit = .seconds(1)
        configuration.livenessLimit = .seconds(2)
        configuration.backoff = Backoff.Configuration(
            first: .seconds(1), greatest: .seconds(1), jitter: .zero, limit: 2)
        configuration.authentications =
            hasSigns ? .unlimited : Throttle.Configuration(limit: 2, window: .seconds(3))
        configuration.stableAfter = .seconds(1)
        configuration.toldWaitLimit = .seconds(1)
        configuration.greatestToldWait = .seconds(2)
        configuration.backgroundGrace = .seconds(1)
        configuration.refetchLimit = .seconds(1)
        connection = Chat.Connection(configuration: configuration)
        wish.account = Account(user: "kay", secret: SecretHandle("handle"), device: "device-1")
        wish.isRestored = true
    }

    // MARK: What can happen

    var events: [Event] {
        let refused = CallEnd.refused(status: 503, retryAfter: .seconds(1), message: "")
        let refusedLong = CallEnd.refused(status: 503, retryAfter: .hours(100), message: "")
        var inputs: [Chat.Connection.Input] = [
            .wanted, .opened, .authenticated(replayCount: -1), .authenticated(replayCount: 2), .replayed,
            .replayEnded,
            .cursorRefused(hadCursors: true), .cursorRefused(hadCursors: false), .stopped(.sessionReplaced),
            .stopped(.credentialsRefused(.tokenRevoked)), .gaveUp(.failed(.timedOut)), .ended(.failed(.lost)),
            .ended(.failed(.offline)), .ended(.failed(.secretMissing)), .ended(refused), .ended(refusedLong),
        ]
        if hasSigns { inputs += [.alive, .gap, .refetched] }
        var events = inputs.map { Event.input($0) }
        let wantings: [Wanting] = [
            .show, .leave, .background, .foreground, .foregroundLate, .networkUp, .networkDown, .ask,
        ]
        events += wantings.map { .person($0) }
        // A timer that is due fires before the clock goes on; one that does not run may be heard of too (L4).
        let timers: [Chat.Timer] = [
            .connecting, .authenticating, .replay, .replayProgress, .reconnect, .liveness, .stable,
            .background, .refetch,
        ]
        events += timers.filter { due[$0].map { $0 <= context.now } ?? true }.map { .fires($0) }
        if !due.values.contains(where: { $0 <= context.now }) { events.append(.second) }
        return events
    }

    mutating func take(_ event: Event) {
        complaints = []
        switch event {
        case .input(let input): tell(input)
        case .person(let wanting): want(wanting)
        case .fires(let timer):
            let isGhost = due.removeValue(forKey: timer) == nil
            let before = connection
            tell(.passed(timer))
            if isGhost, connection != before { complaints.append("L4: a timer that does not run") }
        case .second:
            context.moment = context.moment + .seconds(1)
            connection.authentications.forget(at: context.now)
            authentications.removeAll { $0 + connection.authentications.configuration.window <= context.now }
        }
        check()
    }

    /// Time passes until there is a socket, or none is to be expected.
    mutating func reconnect() {
        while let next = due[.reconnect] {
            if next <= context.now { take(.fires(.reconnect)) } else { take(.second) }
        }
    }

    private mutating func want(_ wanting: Wanting) {
        switch wanting {
        case .show:
            wish.isShown = true
            tell(.wanted)
        case .leave:
            wish.isShown = false
            tell(.left)
        case .background:
            guard wish.presence == .foreground else { return }
            wish.presence = .background(since: Moment(now: .origin, wall: WallTime(millisecondsSince1970: 0)))
            tell(.backgrounded)
        case .foreground, .foregroundLate:
            guard wish.presence != .foreground else { return }
            wish.presence = .foreground
            tell(.foregrounded(after: wanting == .foreground ? .zero : configuration.backgroundForgets))
        case .networkUp, .networkDown:
            wish.isNetworkUp = wanting == .networkUp
            tell(.network)
        case .ask: tell(.requested)
        }
    }

    // MARK: The world

    private mutating func tell(_ input: Chat.Connection.Input) {
        let before = connection.phase
        // The reducer hands on the end of the socket that there is.
        if case .ended = input {
            guard before.attempt != nil else { return }
            sockets.removeAll { $0 == before.attempt }
        }
        if input == .requested { isTaken = false }
        var step = Chat.Step(Boxed(wrappedValue: configuration), context)
        let cursor = cursor
        var isAsked = false
        let change = connection.take(
            input, wish,
            cursors: {
                isAsked = true
                return cursor.map { [Chat.Cursor(conversation: .main, last: $0)] } ?? []
            }, &step)
        context = step.context
        authenticate(since: before)
        for effect in step.effects { carryOut(effect) }
        if isAsked { asked.append(cursor) }
        checkChange(change, since: before)
        let isFinal = if case .failed(let failure) = before { failure.isFinal } else { false }
        if isFinal, connection.phase != before, input != .requested {
            complaints.append("C3: a final failure does not stay")
        }
        if case .failed(.sessionReplaced) = connection.phase { isTaken = true }
    }

    /// The server is asked who this is as soon as the socket is open; it counts from the beginning of the attempt.
    private mutating func authenticate(since before: Chat.Connection.Phase) {
        guard !hasSigns, case .connecting(let attempt) = before, connection.phase != before,
            connection.phase.attempt == attempt
        else { return }
        authentications.append(opened)
        if authentications.count > configuration.authentications.limit { complaints.append("C2: too often") }
    }

    private mutating func carryOut(_ effect: Chat.Effect) {
        switch effect {
        case .open(.socket(let attempt), .connect):
            if isTaken { complaints.append("C3: a session that was replaced is taken back") }
            if wish.accountToConnect == nil { complaints.append("C1: nobody wants a connection") }
            if !wish.isNetworkUp { complaints.append("C2: there is no network") }
            sockets.append(attempt)
            opened = context.now
        case .close(.socket(let attempt)):
            if !sockets.contains(attempt) { complaints.append("a socket is closed that is not open") }
            sockets.removeAll { $0 == attempt }
        case .send(.socket(let attempt), .refetch):
            if sockets != [attempt] { complaints.append("a refetch on a socket that is not open") }
        case .start(let timer, let delay): due[timer] = context.now + delay
        case .cancel(let timer):
            if due.removeValue(forKey: timer) == nil { complaints.append("\(timer) is cancelled in vain") }
        case .open, .send, .close, .load, .save, .erase, .haptic: complaints.append("an effect of others")
        }
    }

    // MARK: The laws

    private mutating func check() {
        if sockets != (connection.phase.attempt.map { [$0] } ?? []) {
            complaints.append("C4: \(sockets.count) sockets in \(connection.phase)")
        }
        let named = Set(connection.deadlines(configuration).map { $0.timer })
        if named != Set(due.keys) { complaints.append("L3: other timers run than follow from the phase") }
        let needed: [Chat.Timer] =
            switch connection.phase {
            case .connecting: [.connecting]
            case .authenticating: [.authenticating]
            case .replaying: [.replay, .replayProgress]
            case .reconnecting(.backoff): [.reconnect]
            // Unless the device is known to have no network, time tries again.
            case .reconnecting(.offline): wish.isNetworkUp ? [.reconnect] : []
            case .disconnected, .connected, .failed: []
            }
        if !needed.allSatisfy({ due[$0] != nil }) { complaints.append("L3: stuck in \(connection.phase)") }
        if case .connecting = connection.phase, due[.connecting] != opened + configuration.connectLimit {
            complaints.append("L3: an attempt runs on the deadline of another")
        }
        if connection.isRefetching, due[.refetch] == nil { complaints.append("L3: stuck in a refetch") }
        if wish.presence != .foreground, connection.phase.attempt != nil, due[.background] == nil {
            complaints.append("C4: a socket in the background for good")
        }
    }

    private mutating func checkChange(_ change: Chat.Connection.Change, since before: Chat.Connection.Phase) {
        let after = connection.phase
        let isReady = if case .connected = after { before != after } else { false }
        if isReady != (change == .ready) { complaints.append("ready is \(change)") }
        let isCut = before.attempt != nil && after.attempt != before.attempt
        // What hangs on a connection ends also when it ends for good between two sockets.
        if isCut || after.isOver && !before.isOver, change != .cut { complaints.append("cut is \(change)") }
    }

    // MARK: The normal form

    /// What tells two states apart: times relative to now, no attempt numbers, no counters.
    struct Sight: Hashable {
        let phase: String
        let wish: [Bool]
        let numbers: [Int64]
        let due: [Chat.Timer: Interval]
        let times: [[Interval]]
        let isTaken: Bool
    }

    var sight: Sight {
        let phase =
            switch connection.phase {
            case .connecting: "connecting"
            case .authenticating: "authenticating"
            case .replaying(_, let remaining): "replaying(\(remaining))"
            case .connected: "connected"
            case .failed(.toldToWait): "failed(told)"
            case .disconnected: "disconnected"
            case .reconnecting(.backoff): "reconnecting(backoff)"
            case .reconnecting(.offline): "reconnecting(offline)"
            case .failed(let failure): "failed(\(failure))"
            }
        let throttle = connection.authentications
        return Sight(
            phase: phase,
            wish: [wish.isShown, wish.isNetworkUp, wish.presence == .foreground, connection.isRefetching],
            numbers: [connection.backoff.attempts], due: due.mapValues { $0 - context.now },
            times: [throttle.admissions, throttle.pausedUntil.map { [$0] } ?? [], authentications].map {
                $0.map { $0 - context.now }
            }, isTaken: isTaken)
    }
}
