// A server as a value, on its loop's clock. The loop promises to insert secrets before it passes a payload, to pass
// nothing of an ended call but its close, and to return no later than `nextDeadline`.

import ChatDomain

/// A network driver and its server in one, without its own clock.
public protocol SimulatedServer: PlainValue {
    /// Takes in an operation on a call, whose answers become due from that moment on. Others are ignored.
    mutating func carryOut(_ operation: DriverOperation, at moment: Moment)

    /// The time of the next answer; nil if there is none.
    var nextDeadline: Instant? { get }

    /// Advances the clock and returns the outcomes due by then, in order.
    mutating func advance(to moment: Moment) -> [Outcome]
}
