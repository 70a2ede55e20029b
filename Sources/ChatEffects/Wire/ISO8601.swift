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
        var cursor = ISO8601Cursor(rest: text.utf8[...])
        guard let year = cursor.number(4), cursor.skip("-"), let month = cursor.number(2), cursor.skip("-"),
            let day = cursor.number(2), cursor.skip("T") || cursor.skip("t") || cursor.skip(" "),
            let hour = cursor.number(2), cursor.skip(":"), let minute = cursor.number(2), cursor.skip(":"),
            let second = cursor.number(2), let fraction = cursor.fraction(), let offset = cursor.offset(),
            cursor.rest.isEmpty, (1...12).contains(month), (1...Self.days(in: month, of: year)).contains(day),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        let timeOfDay = hour * 3_600 + minute * 60 + second
        let seconds = Self.dayNumber(year, month, day) * 86_400 + timeOfDay - offset
        self = WallTime(nanosecondsSince1970: 0) + .seconds(seconds) + Interval(nanoseconds: fraction)
    }

    /// Parses a date of an HTTP header in each of the three forms (RFC 9110, section 5.6.7); nil when it is none:
    ///
    ///     Sun, 06 Nov 1994 08:49:37 GMT
    ///     Sunday, 06-Nov-94 08:49:37 GMT
    ///     Sun Nov  6 08:49:37 1994
    ///
    /// A year of two digits is the latest one that is at most 50 years after `now`. Without a clock that is a time near
    /// that of this program.
    init?(httpDate text: ExactText, at now: WallTime = WallTime(millisecondsSince1970: 1_767_225_600_000)) {
        var parts = text.utf8.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "-") }.map { Array($0) }
        let gmt = Array("GMT".utf8), months = Array("JanFebMarAprMayJunJulAugSepOctNovDec".utf8)
        if parts.count == 5 { parts = [parts[0], parts[2], parts[1], parts[4], parts[3], gmt] }
        guard parts.count == 6, parts[5] == gmt,
            let month = (0..<12).first(where: { parts[2].elementsEqual(months[$0 * 3..<$0 * 3 + 3]) })
        else { return nil }
        let day = parts[1].count == 1 ? [UInt8(ascii: "0")] + parts[1] : parts[1]
        let number = Array("-\(Self.digits(Int64(month) + 1, 2))-".utf8)
        let rest = parts[3] + number + day + [UInt8(ascii: "T")] + parts[4]
        for century in parts[3].count == 2 ? ["21", "20", "19"] : [""] {
            guard let time = WallTime(iso8601: ExactText(decoding: Array(century.utf8) + rest)),
                century.isEmpty || time - now <= .hours(24 * 18_263)  // 50 years with 13 leap days
            else { continue }
            self = time
            return
        }
        return nil
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
private struct ISO8601Cursor {
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
