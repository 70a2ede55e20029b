// An exact limit of events in every window of time (C2, C8, P6, A8): not per calendar second, nor on average.
// The window is half open, so an event exactly one window after the oldest counted one is admitted. Then every
// span [t, t + window) holds at most `limit` admissions.
//
// The caller owns the waiting: it sets a timer for the named instant and asks again when it fires.

/// An exact limit of the rate of events.
public struct Throttle: DomainValue {
    /// The maximum number of events, and the window that it applies to.
    public struct Configuration: DomainValue {
        /// The maximum number of events in a window; below one none, and at most 1,000, because each is remembered.
        public var limit: Int64
        /// The length of the window; with zero or less there is no limit.
        public var window: Interval

        /// Creates a rule.
        public init(limit: Int64, window: Interval) {
            self.limit = limit
            self.window = window
        }

        /// No limit; only a pause delays an event.
        public static var unlimited: Configuration { Configuration(limit: 1, window: .zero) }
    }

    /// The answer to one event.
    public enum Admission: PlainValue {
        /// It may happen, and has been counted.
        case now
        /// It may not, and was not counted. At this instant it may, if no other was admitted meanwhile.
        case wait(until: Instant)
    }

    let configuration: Configuration
    // The admissions that can still matter, rising, and at most `limit`.
    var remembered: [Instant]
    var pauseEnd: Instant?

    /// Creates a throttle that has admitted nothing.
    public init(_ configuration: Configuration) {
        self.configuration = configuration
        remembered = []
        pauseEnd = nil
    }

    /// Recalls the admissions of an earlier process. One in the future, by a clock that was set, counts as of now.
    init(_ configuration: Configuration, recalling admissions: [Instant], at now: Instant) {
        self.init(configuration)
        remembered = admissions.map { min($0, now) }.sorted()
        forget(at: now)
    }

    /// The admissions that can still matter, oldest first; stored if the throttle outlives its process.
    var admissions: [Instant] { remembered }

    /// The end of the pause, if there is one.
    var pausedUntil: Instant? { pauseEnd }

    /// Asks whether an event may happen now, and counts it if so. A time before the last admission counts as that one.
    /// O(limit).
    public mutating func admit(at now: Instant) -> Admission {
        let now = max(now, remembered.last ?? now)
        forget(at: now)
        guard effectiveLimit > 0 else { return .wait(until: .never) }
        var opening = pauseEnd ?? now
        if remembered.count >= effectiveLimit {
            opening = max(opening, remembered[remembered.count - effectiveLimit] + configuration.window)
        }
        guard opening <= now else { return .wait(until: opening) }
        if configuration.window > .zero { remembered.append(now) }
        return .now
    }

    /// Forgets the last admitted event, because it did not happen.
    mutating func withdraw() { _ = remembered.popLast() }

    /// Admits nothing before an instant, as a server demands. Of several pauses the longest counts.
    public mutating func pause(until end: Instant) { pauseEnd = max(end, pauseEnd ?? end) }

    /// Drops the facts that no longer matter at that time, as `admit(at:)` does. Changes no later answer.
    mutating func forget(at now: Instant) {
        if let end = pauseEnd, end <= now { pauseEnd = nil }
        let window = configuration.window
        let expired = remembered.prefix { $0 + window <= now }.count
        remembered.removeFirst(max(expired, remembered.count - effectiveLimit))
    }

    var effectiveLimit: Int { Int(min(max(configuration.limit, 0), 1_000)) }
}

extension Throttle: Normalizable {
    /// Forgets the facts that no longer matter first, so that two throttles that admit alike are equal.
    public mutating func normalize(_ form: inout NormalForm) {
        forget(at: form.moment.now)
        remembered.normalize(&form)
        pauseEnd.normalize(&form)
    }
}
