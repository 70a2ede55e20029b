// A machine with a script on it, driven in milliseconds: the first moment is 0 ms on the monotonic clock and
// `Stage.epoch` on the wall clock.

@testable import ChatDomain
import ChatEffects

typealias ScriptMachine = Machine<ScriptCodec>

/// A machine under test.
struct Stage {
    /// The wall time that belongs to 0 ms.
    static let epoch = WallTime(millisecondsSince1970: 1_000_000)

    var machine: ScriptMachine

    init(rules: [Script.Rule] = [], isLogging: Bool = true, at moment: Moment = Stage.moment(0)) {
        machine = Machine(
            Script(), state: Script.State(rules: rules, isLogging: isLogging), backend: ScriptCodec(),
            moment: moment, entropy: .seeded(1))
    }

    /// The moment that many milliseconds after the first.
    static func moment(_ milliseconds: Int64) -> Moment {
        Moment(now: .origin, wall: epoch) + .milliseconds(milliseconds)
    }

    /// The monotonic clock at that many milliseconds.
    static func instant(_ milliseconds: Int64) -> Instant {
        moment(milliseconds).now
    }

    /// Has the reducer return those effects.
    mutating func act(_ effects: Script.Effect..., at milliseconds: Int64 = 0) {
        machine.send(.act(effects), at: Stage.moment(milliseconds))
    }

    mutating func advance(to milliseconds: Int64) {
        machine.advance(to: Stage.moment(milliseconds))
    }

    mutating func receive(_ outcome: Outcome, at milliseconds: Int64 = 0) {
        machine.receive(outcome, at: Stage.moment(milliseconds))
    }

    /// Has something arrive on the call with that number.
    mutating func arrive(_ arrival: Arrival, on number: UInt64 = 1, at milliseconds: Int64 = 0) {
        receive(.arrived(CallNumber(number), arrival), at: milliseconds)
    }

    /// The operations since the last time.
    mutating func drain() -> [DriverOperation] {
        var operations: [DriverOperation] = []
        machine.drain { operations.append($0) }
        return operations
    }

    /// What the reducer was told by the world, without what tests did themselves.
    var told: [Script.Action] {
        machine.state.log.map(\.action).filter { action in
            if case .act = action { false } else { true }
        }
    }

    /// The times at which timers fired, in milliseconds.
    var firings: [Firing] {
        machine.state.log.compactMap { entry in
            guard case .timerFired(let timer) = entry.action else { return nil }
            return Firing(timer, at: entry.moment.now.nanoseconds / 1_000_000)
        }
    }

    /// A timer and when it fired.
    struct Firing: Equatable {
        var timer: Script.Timer
        var milliseconds: Int64

        init(_ timer: Script.Timer, at milliseconds: Int64) {
            self.timer = timer
            self.milliseconds = milliseconds
        }
    }
}

extension DriverOperation {
    /// The number of the call that is opened.
    var openedCall: CallNumber? {
        if case .open(let number, _) = self { number } else { nil }
    }
}
