// The text form of times. `RelativeTime` decides how a time relates to now (A9); the format of a date belongs to the
// front end.

import ChatDomain
import Foundation

/// Formats times.
struct Almanac {
    /// The person's offset from UTC, positive to the east.
    let utcOffset: Interval
    /// Formats the day of a time.
    let date: (WallTime) -> String
    /// Formats the time of day.
    let timeOfDay: (WallTime) -> String

    /// The age of a time as text.
    func ago(_ time: WallTime, now: WallTime, _ wording: Wording) -> String {
        RelativeTime(time, now: now, utcOffset: utcOffset).text(wording) { ExactText(date($0)) }.string
    }

    /// The end of a wait as text: the time of day, behind the day unless that is today.
    func end(_ time: WallTime, now: WallTime) -> String {
        date(time) == date(now) ? timeOfDay(time) : "\(date(time)) \(timeOfDay(time))"
    }

    /// The almanac of the system's time zone.
    static var system: Almanac {
        let zone = TimeZone.current
        return Almanac(
            utcOffset: .seconds(Int64(zone.secondsFromGMT())),
            date: { time in written(time, "yyyy-MM-dd", zone) },
            timeOfDay: { time in written(time, "HH:mm", zone) })
    }

    private static func written(_ time: WallTime, _ format: String, _ zone: TimeZone) -> String {
        let formatter = DateFormatter()
        // A fixed format, independent of the person's calendar.
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = zone
        formatter.dateFormat = format
        return formatter.string(
            from: Date(timeIntervalSince1970: Double(time.millisecondsSince1970) / 1_000))
    }
}
