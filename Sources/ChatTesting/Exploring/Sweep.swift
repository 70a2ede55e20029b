// One action at every instant that matters: at each deadline of a run, a nanosecond before and after it, and at its
// start. The result of each is checked after the world has been left alone for a while.
//
//     try Sweep(loop, for: .minutes(1), act: [.pairing(.signedOut), .networkChanged(isUp: false)])
//         .afterwards("it comes to rest", within: .minutes(10)) { $0.nextDeadline == nil }

import ChatDomain
import ChatEffects

/// A run that is disturbed once, at each of its instants in turn.
public struct Sweep<Codec: Backend, Server: SimulatedServer>: Sendable {
    /// The run.
    public typealias Run = VirtualLoop<Codec, Server>

    let start: Run
    let length: Interval
    let actions: [Codec.Subject.Action]

    /// Disturbs a run, of that length from here, by each of the actions.
    public init(_ loop: Run, for length: Interval, act actions: [Codec.Subject.Action]) {
        (start, self.length, self.actions) = (loop, length, actions)
    }

    /// A disturbance after which a law did not hold.
    public struct Failure: Error, CustomStringConvertible {
        /// The law that did not hold.
        public let law: String
        /// The action, as Swift source.
        public let action: String
        /// When it happened, since the start.
        public let time: Interval

        /// The law, the action and its time.
        public var description: String { "“\(law)” does not hold when \(action) comes at \(time)" }
    }

    /// Continues the run after every disturbance until nothing is due any more or the time is over, and checks the law
    /// then. Returns the number of runs; throws the first after which the law does not hold or a timer restarts itself
    /// without end, and `NothingHappens` without an action.
    @discardableResult
    public func afterwards(
        _ law: String, within limit: Interval, _ holds: (Run) -> Bool
    ) throws -> Int {
        guard !actions.isEmpty else {
            throw NothingHappens(description: "No run was disturbed: the list of actions is empty.")
        }
        var (run, count) = (start, 0)
        let end = start.moment.now + length
        count += try disturb(run, law, limit, holds)
        while let deadline = run.nextDeadline, deadline <= end {
            let before = deadline - run.moment.now - Interval(nanoseconds: 1)
            if before > .zero {
                run.advance(by: before)
                count += try disturb(run, law, limit, holds)
            }
            run.advance(to: Moment(now: deadline, wall: run.moment.wall + (deadline - run.moment.now)))
            count += try disturb(run, law, limit, holds)
            // A timer that is due a nanosecond later is due there, and not after it.
            guard run.nextDeadline.map({ $0 > deadline + Interval(nanoseconds: 1) }) ?? true else { continue }
            run.advance(by: Interval(nanoseconds: 1))
            count += try disturb(run, law, limit, holds)
        }
        return count
    }

    private func disturb(
        _ run: Run, _ law: String, _ limit: Interval, _ holds: (Run) -> Bool
    ) throws -> Int {
        let postponed = run.machine.diagnostics.postponedTimers
        for action in actions {
            let time = run.moment.now - start.moment.now
            let failure = { Failure(law: $0, action: Rendering.source(of: action), time: time) }
            let broken = Trap.reporting({ failure("nothing traps").description }) { () -> String? in
                var disturbed = run
                disturbed.send(action)
                let end = disturbed.moment.now + limit
                while disturbed.machine.diagnostics.postponedTimers == postponed {
                    guard let deadline = disturbed.nextDeadline, deadline <= end else {
                        return holds(disturbed) ? nil : law
                    }
                    _ = disturbed.runToNextDeadline()
                }
                return "no timer restarts itself without end"
            }
            if let broken { throw failure(broken) }
        }
        return actions.count
    }
}
