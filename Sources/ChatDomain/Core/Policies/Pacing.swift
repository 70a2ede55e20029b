// The part of a throttle that outlives its process: the latest events, and a wait that the server demands. It is stored
// as wall time and clamped when it is read, so no clock and no file delays a person longer than the rules allow.

/// The stored part of a throttle.
public struct Pacing: DomainValue {
    /// The events that can still matter, oldest first.
    package let asked: [WallTime]
    /// The end of a wait that the server demands, if there is one.
    package let notBefore: WallTime?
    /// When that wait was stored, by the same clock; `nil` without a wait, or in a record of an earlier version.
    package let written: WallTime?

    /// Creates a record.
    package init(asked: [WallTime], notBefore: WallTime? = nil, written: WallTime? = nil) {
        (self.asked, self.notBefore, self.written) = (asked, notBefore, written)
    }

    /// The record of a throttle now. O(its limit).
    init(of throttle: Throttle, in context: Context) {
        var throttle = throttle
        throttle.forget(at: context.now)
        asked = throttle.admissions.map { context.wall - (context.now - $0) }
        notBefore = throttle.pausedUntil.map { context.wall + ($0 - context.now) }
        written = notBefore == nil ? nil : context.wall
    }

    func events(in context: Context) -> [Instant] { asked.map { context.now - (context.wall - $0) } }
}

extension Throttle {
    /// Recalls an earlier process beside this one. Events within the tolerance count as one, because clocks are set.
    /// Returns whether the record must be saved again: it lacks events, or a wait was clamped.
    mutating func recall(
        _ record: Pacing, atMost longest: Interval, within tolerance: Interval = .zero, in context: Context
    ) -> Bool {
        var own = self
        own.forget(at: context.now)
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
    /// The rest of a stored wait: at most `longest`, and at most its length when it was stored, if the clock tells that.
    func rest(of notBefore: WallTime?, since written: WallTime? = nil, atMost longest: Interval) -> Interval {
        guard let notBefore else { return .zero }
        let told = written.map { $0 < notBefore ? notBefore - $0 : longest } ?? longest
        return min(notBefore - wall, told).clamped(to: .zero...max(longest, .zero))
    }
}

extension Pacing: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        self = Pacing(
            asked: form.normal(asked), notBefore: form.normal(notBefore), written: form.normal(written))
    }
}
