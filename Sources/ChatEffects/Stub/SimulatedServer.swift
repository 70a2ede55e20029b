// A server as a value, on the clock of whoever drives it. The loop that drives it promises to fill in secrets
// before it hands over what is sent, to hand over nothing of an ended call but its close, and to come back no
// later than `nextDeadline`.

import ChatDomain

/// A network driver and its server in one, without a clock of its own.
public protocol SimulatedServer: PlainValue {
    /// Takes in an operation on a call, whose answers become due from that moment on. Others are ignored.
    mutating func carryOut(_ operation: DriverOperation, at moment: Moment)

    /// When the next answer is due.
    var nextDeadline: Instant? { get }

    /// Lets time pass, and hands over what is due by then, in order.
    mutating func advance(to moment: Moment) -> [Outcome]
}
