// One device's end of the network, as the server of its loop: operations leave here, and what comes for the device waits
// here until it is due. The answers of a slow disk come the same way, since a loop takes late answers from its server.

import ChatDomain
import ChatEffects

/// The device's end of the network.
package struct Line: SimulatedServer {
    private var leaving: [DriverOperation] = []
    private var arriving = DelayQueue<Outcome>()

    init() {}

    package mutating func carryOut(_ operation: DriverOperation, at moment: Moment) {
        if case .close(let call) = operation {
            arriving.removeAll { if case .arrived(call, _) = $0 { true } else { false } }
        }
        leaving.append(operation)
    }

    package var nextDeadline: Instant? { arriving.nextDeadline }

    package mutating func advance(to moment: Moment) -> [Outcome] {
        var outcomes: [Outcome] = []
        while let next = arriving.popFirst(dueBy: moment.now) { outcomes.append(next.element) }
        return outcomes
    }

    /// Something comes for the device.
    mutating func bring(_ outcome: Outcome, at due: Instant) { arriving.insert(outcome, at: due) }

    /// What the device has sent since the last time.
    mutating func takeLeaving() -> [DriverOperation] {
        defer { leaving.removeAll(keepingCapacity: true) }
        return leaving
    }

    /// Whether the device has sent something.
    var isLeaving: Bool { !leaving.isEmpty }
}
