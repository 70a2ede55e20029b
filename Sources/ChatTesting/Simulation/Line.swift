// One device's end of the network, as the server of its loop: operations leave here, and arrivals for the device wait
// here until they are due. The answers of a slow disk come the same way, because a loop takes late answers from its
// server.

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

    /// Adds an arrival for the device.
    mutating func bring(_ outcome: Outcome, at due: Instant) { arriving.insert(outcome, at: due) }

    /// Returns the operations of the device since the last call.
    mutating func takeLeaving() -> [DriverOperation] {
        defer { leaving.removeAll(keepingCapacity: true) }
        return leaving
    }

    /// Whether the device has sent an operation.
    var isLeaving: Bool { !leaving.isEmpty }
}
