// Times in ISO 8601 (and RFC 3339): 2024-01-30T12:00:00Z, with or without a fraction of any length, with an offset or
// `Z`. A time without either counts as UTC, which is the meaning of servers that omit it. Dates of HTTP headers are
// brought into this form.

import ChatDomain

extension WallTime {
    /// Parses a date with a time of day; nil when the text is malformed, or the day does not exist.
    ///
    /// A leap second is the first second of the next minute. Digits beyond nanoseconds are truncated; times outside the
    /// years 1678 to 2262 saturate.
    init?(iso8601 text: ExactText) {
        var cursor = TimeCursor(rest: text.utf8[...])
        guard let year = cursor.number(4), cursor.skip("-"), let month = cursor.number(2), cursor.skip("-"),
            let day = cursor.number(2), cursor.skip("T") || cursor.skip("t") || cursor.skip(" "),
            let second = cursor.secondOfDay(), let fraction = cursor.fraction(),
            let offset = cursor.offset(), cursor.rest.isEmpty, let start = Self.start(of: day, month, year)
        else { return nil }
        self = WallTime(nanosecondsSince1970: 0) + .seconds(start + second - offset)
        self = self + Interval(nanoseconds: fraction)
    }

    /// Parses a date of an HTTP header in each of the three forms (RFC 9110, section 5.6.7); nil when it is none:
    ///
    ///     Sun, 06 Nov 1994 08:49:37 GMT
    ///     Sunday, 06-Nov-94 08:49:37 GMT
    ///     Sun Nov  6 08:49:37 1994
    ///
    /// A year of two digits is one of this century, unless that is more than 50 years after `now`. Without a clock that is
    /// a time near that of this program.
    init?(httpDate text: ExactText, at now: WallTime = WallTime(millisecondsSince1970: 1_767_225_600_000)) {
        var cursor = TimeCursor(rest: text.utf8.drop { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: " ") })
        guard let (day, month, year, second) = cursor.skip(",") ? cursor.date() : cursor.earlierDate(),
            cursor.rest.isEmpty, let start = Self.start(of: day, month, year < 100 ? year + 2_000 : year)
        else { return nil }
        self = WallTime(nanosecondsSince1970: 0) + .seconds(start + second)
        // 50 years with 13 leap days.
        guard year < 100, self - now > .hours(24 * 18_263) else { return }
        guard let former = Self.start(of: day, month, year + 1_900) else { return nil }
        self = WallTime(nanosecondsSince1970: 0) + .seconds(former + second)
    }

    /// The second since 1970 at which a day begins; nil for one that does not exist.
    private static func start(of day: Int64, _ month: Int64, _ year: Int64) -> Int64? {
        guard (1...12).contains(month), (1...days(in: month, of: year)).contains(day) else { return nil }
        return dayNumber(year, month, day) * 86_400
    }

    /// The time in UTC, as `2024-01-30T12:00:00.000Z`, truncated to milliseconds.
    var iso8601: ExactText {
        let millisecondsOfDay: Int64 = 86_400_000
        var day = millisecondsSince1970 / millisecondsOfDay
        var rest = millisecondsSince1970 % millisecondsOfDay
        if rest < 0 {
            day -= 1
            rest += millisecondsOfDay
        }
        // A year is shorter than 366 days and not much longer than 365, so few steps remain.
        var year = 1970 + day / 366
        while Self.dayNumber(year + 1, 1, 1) <= day { year += 1 }
        while Self.dayNumber(year, 1, 1) > day { year -= 1 }
        var month: Int64 = 1
        while month < 12, Self.dayNumber(year, month + 1, 1) <= day { month += 1 }
        let date = [year, month, day - Self.dayNumber(year, month, 1) + 1].map { Self.digits($0, 2) }
        let second = rest / 1_000
        let time = [second / 3_600, second / 60 % 60, second % 60].map { Self.digits($0, 2) }
        return ExactText(
            date.joined(separator: "-") + "T" + time.joined(separator: ":") + "."
                + Self.digits(rest % 1_000, 3) + "Z")
    }

    private static func digits(_ number: Int64, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }

    private static func isLeap(_ year: Int64) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    private static func days(in month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The days from 1970-01-01 to a date of the Gregorian calendar.
    private static func dayNumber(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let before = year + 399  // years since 400 years before year 1: nothing is negative
        let leapDays = before / 4 - before / 100 + before / 400
        var number = before * 365 + leapDays + day - 1
        var earlier: Int64 = 1
        while earlier < month {
            number += days(in: earlier, of: year)
            earlier += 1
        }
        return number - 865_259  // the same count for 1970-01-01
    }
}

/// The unread rest of a time.
private struct TimeCursor {
    var rest: ArraySlice<UInt8>

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard let first = rest.first, UInt32(first) == character.value else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func digit() -> Int64? {
        guard let first = rest.first, first >= UInt8(ascii: "0"), first <= UInt8(ascii: "9") else {
            return nil
        }
        rest.removeFirst()
        return Int64(first - UInt8(ascii: "0"))
    }

    /// A number of exactly `count` digits, at most 18, so that it fits; nil otherwise.
    mutating func number(_ count: Int) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<count {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    /// A time of day, in seconds; nil when there is none. A leap second is the first of the next minute.
    mutating func secondOfDay() -> Int64? {
        guard let hour = number(2), skip(":"), let minute = number(2), skip(":"), let second = number(2),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        return hour * 3_600 + minute * 60 + second
    }

    private mutating func month() -> Int64? {
        let names = Array("JanFebMarAprMayJunJulAugSepOctNovDec".utf8)
        let month = (0..<12).first { rest.starts(with: names[$0 * 3..<$0 * 3 + 3]) }
        rest = rest.dropFirst(3)
        return month.map { Int64($0) + 1 }
    }

    /// A year of four digits, or of two.
    private mutating func year() -> Int64? {
        guard let first = number(2) else { return nil }
        if rest.first == UInt8(ascii: " ") { return first }
        return number(2).map { first * 100 + $0 }
    }

    /// The date of a header from the comma on, in the first two forms.
    mutating func date() -> (day: Int64, month: Int64, year: Int64, second: Int64)? {
        guard skip(" "), let day = number(2), skip(" ") || skip("-"), let month = month(),
            skip(" ") || skip("-"), let year = year(), skip(" "), let second = secondOfDay(),
            rest.elementsEqual(" GMT".utf8)
        else { return nil }
        rest = []
        return (day, month, year, second)
    }

    /// The date of a header behind the name of the day, in the last form.
    mutating func earlierDate() -> (day: Int64, month: Int64, year: Int64, second: Int64)? {
        guard skip(" "), let month = month(), skip(" "), let day = skip(" ") ? number(1) : number(2),
            skip(" "), let second = secondOfDay(), skip(" "), let year = number(4)
        else { return nil }
        return (day, month, year, second)
    }

    /// The nanoseconds of a fraction, zero without a fraction; nil when no digit follows the point or comma.
    mutating func fraction() -> Int64? {
        guard skip(".") || skip(",") else { return 0 }
        guard let first = digit() else { return nil }
        var unit: Int64 = 100_000_000
        var nanoseconds = first * unit
        while let next = digit() {
            unit /= 10
            nanoseconds += next * unit
        }
        return nanoseconds
    }

    /// The offset from UTC in seconds, positive to the east; nil when it is malformed.
    mutating func offset() -> Int64? {
        if rest.isEmpty || skip("Z") || skip("z") { return 0 }
        let isWest = skip("-")
        guard isWest || skip("+"), let hours = number(2) else { return nil }
        var minutes: Int64 = 0
        if skip(":") || !rest.isEmpty {
            guard let value = number(2) else { return nil }
            minutes = value
        }
        guard hours < 24, minutes < 60 else { return nil }
        let seconds = hours * 3_600 + minutes * 60
        return isWest ? -seconds : seconds
    }
}
