// The age of a time in words (A9): a function of two wall times and the UTC offset, which the front end knows.
// It rounds down, and a day is a calendar day of the person.

/// A time in relation to another.
public enum RelativeTime: PlainValue {
    /// Less than a minute ago, or in the future: a server's clock may be ahead of this one.
    case justNow
    /// 1 to 59 whole minutes ago.
    case minutesAgo(Int64)
    /// 1 to 23 whole hours ago, on the same calendar day.
    case hoursAgo(Int64)
    /// An hour or more ago, on the calendar day before.
    case yesterday
    /// On an earlier day; the app formats the date.
    case date(WallTime)

    /// Relates a time to now, for a clock with that offset from UTC.
    public init(_ then: WallTime, now: WallTime, utcOffset: Interval) {
        let age = now - then
        guard age >= .minutes(1) else {
            self = .justNow
            return
        }
        guard age >= .hours(1) else {
            self = .minutesAgo(age.seconds / 60)
            return
        }
        switch RelativeTime.day(now, utcOffset) - RelativeTime.day(then, utcOffset) {
        case 0: self = .hoursAgo(age.seconds / 3_600)
        case 1: self = .yesterday
        default: self = .date(then)
        }
    }

    /// The time in words; the app formats a date.
    public func text(_ wording: Wording, date: (WallTime) -> ExactText) -> ExactText {
        switch self {
        case .justNow: wording.justNow
        case .minutesAgo(let count): wording.minutesAgo(ExactText("\(count)"))
        case .hoursAgo(let count): wording.hoursAgo(ExactText("\(count)"))
        case .yesterday: wording.yesterday
        case .date(let time): date(time)
        }
    }

    /// The number of the local day of a time, counted from 1970 and rounded down before it.
    private static func day(_ time: WallTime, _ utcOffset: Interval) -> Int64 {
        let local = (time + utcOffset).nanosecondsSince1970
        let length = Interval.hours(24).nanoseconds
        return local >= 0 ? local / length : (local + 1) / length - 1
    }
}
