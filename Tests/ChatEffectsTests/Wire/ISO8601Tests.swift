import ChatDomain
@testable import ChatEffects
import Foundation
import Testing

@Suite("ISO 8601")
struct ISO8601Tests {
    @Test(
        "Times with and without fraction and offset",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00", 0),
            ("2024-01-30T12:00:00Z", 1_706_616_000_000),
            ("2024-01-30t12:00:00.5z", 1_706_616_000_500),
            ("2024-01-30 12:00:00,123456789Z", 1_706_616_000_123),
            ("2024-01-30T12:00:00.1234567891234Z", 1_706_616_000_123),
            ("2024-01-30T12:00:00+01:30", 1_706_610_600_000), ("2024-01-30T12:00:00-0130", 1_706_621_400_000),
            ("2024-01-30T12:00:00+01", 1_706_612_400_000), ("2024-02-29T00:00:00Z", 1_709_164_800_000),
            ("2016-12-31T23:59:60Z", 1_483_228_800_000), ("1969-12-31T23:59:59.999Z", -1),
        ])
    func read(_ text: String, _ milliseconds: Int64) {
        #expect(WallTime(iso8601: ExactText(text))?.millisecondsSince1970 == milliseconds)
    }

    @Test(
        "A text that is no time is nil",
        arguments: [
            "", "2024", "2024-01-30", "2024-13-01T00:00:00Z", "2024-00-01T00:00:00Z", "2023-02-29T00:00:00Z",
            "1900-02-29T00:00:00Z", "2024-01-32T00:00:00Z", "2024-01-30T24:00:00Z", "2024-01-30T12:60:00Z",
            "2024-01-30T12:00:61Z", "2024-01-30T12:00:00.Z", "2024-01-30T12:00:00+1", "2024-01-30T12:00:00Zx",
            "2024-01-30T12:00:00+24:00", "-024-01-30T12:00:00Z", "２０24-01-30T12:00:00Z",
        ])
    func refused(_ text: String) {
        #expect(WallTime(iso8601: ExactText(text)) == nil)
    }

    @Test("A written time is read back, to the millisecond")
    func written() {
        #expect(WallTime(millisecondsSince1970: 1_706_616_000_500).iso8601 == "2024-01-30T12:00:00.500Z")
        #expect(WallTime(millisecondsSince1970: -1).iso8601 == "1969-12-31T23:59:59.999Z")
        // Leap days, ends of years and centuries: every 1,021 days and some milliseconds from 1700 to 2255.
        var time = WallTime(millisecondsSince1970: -8_520_336_000_000)
        while time < WallTime(millisecondsSince1970: 9_000_000_000_000) {
            #expect(WallTime(iso8601: time.iso8601) == time)
            time = time + .hours(24 * 1_021) + .milliseconds(86_399_999)
        }
    }

    @Test("L1: years beyond the clock saturate")
    func saturates() {
        #expect(WallTime(iso8601: "9999-12-31T23:59:59Z")?.nanosecondsSince1970 == .max)
        #expect(WallTime(iso8601: "0000-01-01T00:00:00Z")?.nanosecondsSince1970 == .min)
    }

    @Test("Every day of four centuries is the day after the one before")
    func calendar() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        var days: Int64 = -109_000  // from 1671, where the clock saturates, skipping to what it holds
        while days < 106_000 {
            let parts = calendar.dateComponents(
                [.year, .month, .day], from: Date(timeIntervalSince1970: Double(days) * 86_400))
            let text = [(parts.year, 4), (parts.month, 2), (parts.day, 2)].map { value, width in
                let digits = String(value ?? 0)
                return String(repeating: "0", count: width - digits.count) + digits
            }.joined(separator: "-")
            let expected = WallTime(nanosecondsSince1970: 0) + .hours(24) * days
            #expect(WallTime(iso8601: ExactText(text + "T00:00:00Z")) == expected)
            days += 97  // a prime, so that every day of the year comes up
        }
    }
}
