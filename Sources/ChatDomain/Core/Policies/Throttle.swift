// At most so many events in any window of time (C2, C8, P6, A8), exactly: not per calendar second, nor
// on average. The rule at the border: the window is half open, so an event exactly one window after the
// oldest that counts is admitted. Then every span [t, t + window) holds at most `limit` admissions.
//
// The caller owns the waiting: it sets a timer for the named instant and asks again when it fires.

/// An exact limit to how often something happens.
public struct Throttle: DomainValue {
    /// How many events there may be, in how long.
    public struct Configuration: DomainValue {
        /// So many events fit in a window; below one none, and at most 1,000, because each is remembered.
        public var limit: Int64
        /// The length of the window; zero or less, and there is no limit.
        public var window: Interval

        /// Creates a rule.
        public init(limit: Int64, window: Interval) {
            self.limit = limit
            self.window = window
        }

        /// No limit; only a pause makes anything wait.
        public static var unlimited: Configuration { Configuration(limit: 1, window: .zero) }
    }

    /// The answer to one event.
    public enum Admission: PlainValue {
        /// It may happen, and has been counted.
        case now
        /// It may not; nothing was counted. At this instant it may, if no other was admitted meanwhile.
        case wait(until: Instant)
    }

    /// The rule that this throttle keeps.
    let configuration: Configuration
    // Rising, and no more than the limit: the admissions that can still matter.
    var remembered: [Instant]
    var pauseEnd: Instant?

    /// Creates a throttle that has admitted nothing.
    public init(_ configuration: Configuration) {
        self.configuration = configuration
        remembered = []
        pauseEnd = nil
    }

    /// Recalls what an earlier process admitted. An admission in the future, by a clock that was set, counts as of now.
    init(_ configuration: Configuration, recalling admissions: [Instant], at now: Instant) {
        self.init(configuration)
        remembered = admissions.map { min($0, now) }.sorted()
        forget(at: now)
    }

    /// The admissions that can still matter, oldest first; to be stored where a throttle outlives its process.
    var admissions: [Instant] { remembered }

    /// The end of the pause, if there is one.
    var pausedUntil: Instant? { pauseEnd }

    /// Asks whether an event may happen now, and counts it then. A time before the last admission is taken as that.
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

    /// Forgets the last event that was admitted: it has not happened after all.
    mutating func withdraw() { _ = remembered.popLast() }

    /// Admits nothing before an instant, as a server has asked. Of several pauses the longest counts.
    public mutating func pause(until end: Instant) { pauseEnd = max(end, pauseEnd ?? end) }

    /// Drops what no longer matters at that time; `admit(at:)` does so of itself. Changes no later answer.
    mutating func forget(at now: Instant) {
        if let end = pauseEnd, end <= now { pauseEnd = nil }
        let window = configuration.window
        let expired = remembered.prefix { $0 + window <= now }.count
        remembered.removeFirst(max(expired, remembered.count - effectiveLimit))
    }

    var effectiveLimit: Int { Int(min(max(configuration.limit, 0), 1_000)) }
}

extension Throttle: Normalizable {
    /// Forgets first what no longer matters, so that two throttles that admit alike are equal.
    public mutating func normalize(_ form: inout NormalForm) {
        forget(at: form.moment.now)
        remembered.normalize(&form)
        pauseEnd.normalize(&form)
    }
}
