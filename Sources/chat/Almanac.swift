// How times are written here. What a time is in relation to another is `RelativeTime`'s to say (A9); how a date
// looks is the front end's.

import ChatDomain
import Foundation

/// Puts times into words.
struct Almanac {
    /// How much the person's clock is ahead of UTC.
    let utcOffset: Interval
    /// Writes the day of a time.
    let date: (WallTime) -> String
    /// Writes the time of day.
    let timeOfDay: (WallTime) -> String

    /// How long ago something was.
    func ago(_ time: WallTime, now: WallTime, _ copy: Copy) -> String {
        RelativeTime(time, now: now, utcOffset: utcOffset).text(copy) { ExactText(date($0)) }.string
    }

    /// As this system is set.
    static var system: Almanac {
        let zone = TimeZone.current
        return Almanac(
            utcOffset: .seconds(Int64(zone.secondsFromGMT())),
            date: { time in written(time, "yyyy-MM-dd", zone) },
            timeOfDay: { time in written(time, "HH:mm", zone) })
    }

    private static func written(_ time: WallTime, _ format: String, _ zone: TimeZone) -> String {
        let formatter = DateFormatter()
        // A fixed format, whatever the person's calendar.
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = zone
        formatter.dateFormat = format
        return formatter.string(
            from: Date(timeIntervalSince1970: Double(time.millisecondsSince1970) / 1_000))
    }
}
