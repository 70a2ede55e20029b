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

extension Throttle {
    /// Recalls what an earlier process did, besides what this one has done itself. An event as near to one of this
    /// process as that is the same, told by a clock that was set since. Returns whether the record says something else:
    /// what this process did before it knew, and a wait that was clamped, or each launch would begin it from the start.
    mutating func recall(
        _ record: Pacing, atMost longest: Interval, within tolerance: Interval = .zero, in context: Context
    ) -> Bool {
        let own = self
        let past = record.events(in: context).filter { past in
            !own.admissions.contains { past < $0 + tolerance && $0 < past + tolerance }
        }
        self = Throttle(configuration, recalling: own.admissions + past, at: context.now)
        if let end = own.pausedUntil { pause(until: end) }
        let wait = context.rest(of: record.notBefore, since: record.written, atMost: longest)
        if wait > .zero { pause(until: context.now + wait) }
        let isClamped = record.notBefore.map { $0 - context.wall > wait } ?? false
        return !own.admissions.isEmpty || own.pausedUntil != nil || isClamped
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
