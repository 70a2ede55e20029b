// What of a throttle outlives its process (SPEC section 1): when something happened lately, and how long the server
// wants to be left alone. Who relaunches goes on no faster than who does not. It is stored as wall time, and clamped
// when it is read: no clock and no file holds a person up for longer than the rules allow.

/// What is stored of a throttle.
public struct Pacing: PlainValue {
    /// The events that can still matter, oldest first.
    public let asked: [WallTime]
    /// The server wants to be left alone until then, if it has said so.
    public let notBefore: WallTime?

    /// Creates a record.
    public init(asked: [WallTime], notBefore: WallTime? = nil) {
        self.asked = asked
        self.notBefore = notBefore
    }

    /// What there is to store of a throttle now. O(its limit).
    public init(of throttle: Throttle, in context: Context) {
        asked = throttle.admissions.map { context.wall - (context.now - $0) }
        notBefore = throttle.pausedUntil.map { context.wall + ($0 - context.now) }
    }

    /// When the events were, by the clock of this process.
    func events(in context: Context) -> [Instant] {
        asked.map { context.now - (context.wall - $0) }
    }
}

extension Context {
    /// How long a stored wait still lasts, and no longer than it can have been meant.
    func rest(of notBefore: WallTime?, atMost longest: Interval) -> Interval {
        guard let notBefore else { return .zero }
        return (notBefore - wall).clamped(to: .zero...longest)
    }
}
