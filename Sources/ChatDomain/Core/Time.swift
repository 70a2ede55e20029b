// Two clocks, one unit. Deadlines live on a monotonic clock (`Instant`); shown and stored times are wall times
// (`WallTime`). Both count `Int64` nanoseconds, and all arithmetic saturates: no time from elsewhere traps.

/// A length of time in nanoseconds, possibly negative. Its arithmetic saturates at ±292 years, where `Duration` traps.
public struct Interval: DomainValue, Comparable {
    /// The length in nanoseconds.
    public var nanoseconds: Int64

    /// Creates an interval of that many nanoseconds.
    @inlinable public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The empty interval.
    @inlinable public static var zero: Interval { Interval(nanoseconds: 0) }

    /// The longest interval, which stands for “never” when it is added to an instant.
    @inlinable public static var max: Interval { Interval(nanoseconds: .max) }

    /// That many seconds, saturated.
    @inlinable public static func seconds(_ count: Int64) -> Interval {
        Interval(nanoseconds: saturatingProduct(count, 1_000_000_000))
    }

    /// That many milliseconds, saturated.
    @inlinable public static func milliseconds(_ count: Int64) -> Interval {
        Interval(nanoseconds: saturatingProduct(count, 1_000_000))
    }

    /// That many minutes, saturated.
    @inlinable public static func minutes(_ count: Int64) -> Interval {
        Interval(nanoseconds: saturatingProduct(count, 60_000_000_000))
    }

    /// That many hours, saturated.
    @inlinable public static func hours(_ count: Int64) -> Interval {
        Interval(nanoseconds: saturatingProduct(count, 3_600_000_000_000))
    }

    /// The whole milliseconds in this interval, rounded towards zero.
    @inlinable public var milliseconds: Int64 { nanoseconds / 1_000_000 }

    /// The whole seconds in this interval, rounded towards zero.
    @inlinable public var seconds: Int64 { nanoseconds / 1_000_000_000 }

    @inlinable public static func < (left: Interval, right: Interval) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The sum, saturated.
    @inlinable public static func + (left: Interval, right: Interval) -> Interval {
        Interval(nanoseconds: saturatingSum(left.nanoseconds, right.nanoseconds))
    }

    /// The difference, saturated.
    @inlinable public static func - (left: Interval, right: Interval) -> Interval {
        Interval(nanoseconds: saturatingDifference(left.nanoseconds, right.nanoseconds))
    }

    /// The multiple, saturated.
    @inlinable public static func * (left: Interval, right: Int64) -> Interval {
        Interval(nanoseconds: saturatingProduct(left.nanoseconds, right))
    }

    /// This interval, no shorter than `range.lowerBound` and no longer than `range.upperBound`.
    @inlinable public func clamped(to range: ClosedRange<Interval>) -> Interval {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}

/// A reading of the monotonic clock, in nanoseconds since an origin that only this process knows.
public struct Instant: DomainValue, Comparable {
    /// Nanoseconds since the clock's origin.
    public var nanoseconds: Int64

    /// Creates the instant that many nanoseconds after the origin.
    @inlinable public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The clock's origin.
    @inlinable public static var origin: Instant { Instant(nanoseconds: 0) }

    /// The instant that no clock reaches: a deadline here never comes.
    @inlinable public static var never: Instant { Instant(nanoseconds: .max) }

    @inlinable public static func < (left: Instant, right: Instant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The instant an interval later, saturated.
    @inlinable public static func + (left: Instant, right: Interval) -> Instant {
        Instant(nanoseconds: saturatingSum(left.nanoseconds, right.nanoseconds))
    }

    /// The instant an interval earlier, saturated.
    @inlinable public static func - (left: Instant, right: Interval) -> Instant {
        Instant(nanoseconds: saturatingDifference(left.nanoseconds, right.nanoseconds))
    }

    /// The time from `right` to `left`, saturated.
    @inlinable public static func - (left: Instant, right: Instant) -> Interval {
        Interval(nanoseconds: saturatingDifference(left.nanoseconds, right.nanoseconds))
    }
}

/// A point in civil time, in nanoseconds since 1970-01-01T00:00:00Z, until the year 2262. Wall clocks are set back
/// and forth, so nothing that must happen depends on one alone.
public struct WallTime: DomainValue, Comparable {
    /// Nanoseconds since 1970.
    public var nanosecondsSince1970: Int64

    /// Creates the time that many nanoseconds after 1970.
    @inlinable public init(nanosecondsSince1970: Int64) { self.nanosecondsSince1970 = nanosecondsSince1970 }

    /// Creates the time that many milliseconds after 1970, saturated.
    @inlinable public init(millisecondsSince1970: Int64) {
        nanosecondsSince1970 = saturatingProduct(millisecondsSince1970, 1_000_000)
    }

    /// The whole milliseconds since 1970, as wire formats and records carry them.
    @inlinable public var millisecondsSince1970: Int64 { nanosecondsSince1970 / 1_000_000 }

    @inlinable public static func < (left: WallTime, right: WallTime) -> Bool {
        left.nanosecondsSince1970 < right.nanosecondsSince1970
    }

    /// The time an interval later, saturated.
    @inlinable public static func + (left: WallTime, right: Interval) -> WallTime {
        WallTime(nanosecondsSince1970: saturatingSum(left.nanosecondsSince1970, right.nanoseconds))
    }

    /// The time an interval earlier, saturated.
    @inlinable public static func - (left: WallTime, right: Interval) -> WallTime {
        WallTime(nanosecondsSince1970: saturatingDifference(left.nanosecondsSince1970, right.nanoseconds))
    }

    /// The time from `right` to `left`, saturated.
    @inlinable public static func - (left: WallTime, right: WallTime) -> Interval {
        Interval(nanoseconds: saturatingDifference(left.nanosecondsSince1970, right.nanosecondsSince1970))
    }
}

/// The readings of both clocks at once. Every action and every outcome comes with one.
public struct Moment: DomainValue {
    /// The monotonic clock, for deadlines.
    public var now: Instant
    /// The wall clock, for what is shown and stored.
    public var wall: WallTime

    /// Creates a moment from the two readings.
    @inlinable public init(now: Instant, wall: WallTime) {
        self.now = now
        self.wall = wall
    }

    /// The moment an interval later on both clocks.
    @inlinable public static func + (left: Moment, right: Interval) -> Moment {
        Moment(now: left.now + right, wall: left.wall + right)
    }
}
