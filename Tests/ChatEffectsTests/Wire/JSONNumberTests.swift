@testable import ChatEffects
import Testing

@Suite("JSON numbers")
struct JSONNumberTests {
    func number(_ literal: String) -> JSONNumber? { jsonValue(literal)?.number }

    @Test(
        "Integers of 64 bits are exact, whatever their spelling",
        arguments: [
            ("0", 0), ("-0", 0), ("-0.0e5", 0), ("1.0", 1), ("1e2", 100), ("100e-2", 1), ("1.50e1", 15),
            ("-12.000", -12), ("9223372036854775807", .max), ("9223372036854775807.0", .max),
            ("922337203685477580.7e1", .max), ("-9223372036854775808", .min),
            ("-9.223372036854775808e18", .min),
            ("9007199254740993.0", 9_007_199_254_740_993), ("0.00000000000000000000000000001e29", 1),
            ("100000000000000000000000000000e-29", 1), ("0e999999999999999999999", 0),
        ] as [(String, Int64)])
    func integers(_ literal: String, _ expected: Int64) {
        #expect(number(literal)?.integer == expected)
        #expect(number(literal) == JSONNumber(expected))
        #expect(number(literal)?.truncated == expected)
    }

    @Test(
        "A number that is no signed integer of 64 bits is no integer, and traps nowhere",
        arguments: [
            "1.5", "1e-1", "-9223372036854775809", "9223372036854775808", "18446744073709551615",
            "18446744073709551616", "1e19", "1e400", "-1e400", "1e99999999999999999999", "0.1e-999999999",
            "123456789012345678901234567890", "4.9e-324", "-1e-99999999999999999999",
        ])
    func notIntegers(_ literal: String) {
        #expect(number(literal) != nil)
        #expect(number(literal)?.integer == nil)
    }

    @Test(
        "A fraction is cut off, and what then does not fit is none",
        arguments: [
            ("1.5", 1), ("-1.5", -1), ("0.999", 0), ("-1e-400", 0), ("1700000000000.75", 1_700_000_000_000),
            ("922337203685477580.75", 922_337_203_685_477_580), ("1e19", nil), ("1e400", nil),
            ("18446744073709551615", nil), ("18446744073709551616.5", nil),
        ] as [(String, Int64?)])
    func truncated(_ literal: String, _ expected: Int64?) {
        #expect(number(literal)?.truncated == expected)
    }

    @Test(
        "A number is written in one form, with all digits that 64 bits hold",
        arguments: [
            ("-0.0e5", "0"), ("1.50e1", "15"), ("1.5", "15e-1"), ("-0.00120", "-12e-4"),
            ("1e19", "10000000000000000000"), ("1e20", "1e20"), ("100e20", "1e22"), ("1e400", "1e400"),
            ("18446744073709551615.00", "18446744073709551615"),
            ("18446744073709551616", "1844674407370955161e1"),
            ("-9223372036854775809", "-9223372036854775809"),
            ("-1e99999999999999999999", "-1e2147483647"), ("0.1e-99999999999999999999", "1e-2147483648"),
        ])
    func written(_ literal: String, _ expected: String) {
        #expect(jsonText(jsonValue(literal)?.encoded ?? []) == expected)
        #expect(number(expected) != nil)
    }

    @Test("Digits that do not fit count as zero")
    func longNumbers() {
        #expect(number("1.00000000000000000000000000000001") == number("1"))
        #expect(number("9007199254740992.5") != number("9007199254740992"))
        #expect(number("123456789012345678901234567890") == number("12345678901234567890e10"))
        let zeros = String(repeating: "0", count: 900)
        #expect(number("9007199254740993" + zeros + "." + zeros + "1e-900") == number("9007199254740993"))
        #expect(number("0." + zeros + "9007199254740993" + zeros + "e916") == number("9007199254740993"))
    }

    @Test("However a number is spelled, it is one value, and no other number is")
    func spellings() {
        var random = JSONRandom(state: 2)
        var wrong: [String] = []
        for _ in 0..<2_000 {
            let digits = "\(random.next() % 100_000_000_000_000_000 + 1)"
            let exponent = random.below(60) - 30
            let sign = random.below(2) == 0 ? "" : "-"
            let plain = sign + digits + "e\(exponent)"
            let value = number(plain)
            for other in [
                sign + digits + "00e\(exponent - 2)", sign + digits + ".000E\(exponent)",
                sign + "0.\(digits)e\(exponent + digits.count)",
                sign + "0.000\(digits)0e\(exponent + digits.count + 3)",
            ] where number(other) != value { wrong.append(other) }
            for other in [
                sign + digits + "1e\(exponent - 1)", sign + digits + "e\(exponent + 1)",
                (sign.isEmpty ? "-" : "") + digits + "e\(exponent)",
            ] where number(other) == value { wrong.append(other) }
        }
        #expect(wrong.isEmpty)
    }
}
