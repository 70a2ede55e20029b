// What of a throttle outlives its process (SPEC section 1): when something happened lately, and how long the server
// wants to be left alone. Who relaunches goes on no faster than who does not. It is stored as wall time, and clamped
// when it is read: no clock and no file holds a person up for longer than the rules allow, and a clock that was set back
// for no longer than the wait still was when it was stored.

/// What is stored of a throttle.
public struct Pacing: PlainValue {
    /// The events that can still matter, oldest first.
    public let asked: [WallTime]
    /// The server wants to be left alone until then, if it has said so.
    public let notBefore: WallTime?
    /// When a wait was stored, by the clock that tells its end; none without a wait, and in a record of an earlier
    /// version.
    public let written: WallTime?

    /// Creates a record.
    public init(asked: [WallTime], notBefore: WallTime? = nil, written: WallTime? = nil) {
        self.asked = asked
        self.notBefore = notBefore
        self.written = written
    }

    /// What there is to store of a throttle now. O(its limit).
    public init(of throttle: Throttle, in context: Context) {
        asked = throttle.admissions.map { context.wall - (context.now - $0) }
        notBefore = throttle.pausedUntil.map { context.wall + ($0 - context.now) }
        written = notBefore == nil ? nil : context.wall
    }

    /// When the events were, by the clock of this process.
    func events(in context: Context) -> [Instant] {
        asked.map { context.now - (context.wall - $0) }
    }
}

extension Context {
    /// How long a stored wait still lasts: no longer than it did when it was stored, nor than it can have been meant.
    func rest(
        of notBefore: WallTime?, since written: WallTime? = nil, atMost longest: Interval
    ) -> Interval {
        guard let notBefore else { return .zero }
        let told = written.map { notBefore - $0 } ?? longest
        return min(notBefore - wall, told).clamped(to: .zero...longest)
    }
}
