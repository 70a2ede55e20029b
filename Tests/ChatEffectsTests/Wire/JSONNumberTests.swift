import ChatEffects
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
        #expect(number(literal)?.unsigned == UInt64(exactly: expected))
    }

    @Test(
        "What is no integer of 64 bits is none, and traps nowhere",
        arguments: [
            "1.5", "1e-1", "-9223372036854775809", "9223372036854775808", "18446744073709551615",
            "18446744073709551616", "1e19", "1e400", "-1e400", "1e99999999999999999999", "0.1e-999999999",
            "123456789012345678901234567890", "4.9e-324",
        ])
    func notIntegers(_ literal: String) {
        guard literal != "0.1e-999999999" else {
            #expect(number(literal)?.integer == 0)  // rounded to zero, as its double is
            return
        }
        #expect(number(literal) != nil)
        #expect(number(literal)?.integer == nil)
    }

    @Test("Unsigned integers beyond the signed ones are exact")
    func unsigned() {
        #expect(number("18446744073709551615")?.unsigned == .max)
        #expect(number("18446744073709551615.00")?.unsigned == .max)
        #expect(number("1.8446744073709551615e19")?.unsigned == .max)
        #expect(number("18446744073709551616")?.unsigned == nil)
        #expect(number("-1")?.unsigned == nil)
        #expect(number("18446744073709551615")?.double == 18_446_744_073_709_551_616.0)
    }

    @Test("A number beyond the doubles gives nil, one between zero and the least double is the nearer")
    func range() {
        #expect(number("1.7976931348623157e308")?.double == Double.greatestFiniteMagnitude)
        #expect(number("1.7976931348623158079e308")?.double == Double.greatestFiniteMagnitude)
        #expect(number("1.797693134862315808e308") == JSONNumber.outOfRange)
        #expect(number("1e309")?.double == nil)
        #expect(number("-1e999999999999999999999")?.double == nil)
        #expect(number("5e-324")?.double == Double.leastNonzeroMagnitude)
        #expect(number("2.4703282292062328e-324")?.double == Double.leastNonzeroMagnitude)
        #expect(number("2.4703282292062327e-324")?.double == 0)
        #expect(number("1e-400")?.double == 0)
    }

    @Test("Equal numbers are equal values, however they are made")
    func equality() {
        #expect(JSONNumber(1.0) == JSONNumber(Int64(1)))
        #expect(JSONNumber(-0.0) == JSONNumber(Int64(0)))
        #expect(JSONNumber(UInt64(7)) == JSONNumber(Int64(7)))
        #expect(JSONNumber(0x1p63) == JSONNumber(UInt64(1) << 63))
        #expect(JSONNumber(-0x1.fffffffffffffp62) == JSONNumber(Int64(-9_223_372_036_854_774_784)))
        #expect(JSONNumber(-0x1p63) == number("-9223372036854775809"))
        #expect(JSONNumber(-0x1p63) != JSONNumber(Int64.min))
        #expect(JSONNumber(Double.infinity) == JSONNumber.outOfRange)
        #expect(number("1.00000000000000000000000000000001") == number("1"))
        #expect(number("9007199254740992.5") == number("9007199254740992"))
    }

    /// The standard library rounds correctly, by the C library; ours must agree with it on every literal.
    private func agrees(_ literal: String) -> Bool {
        guard let ours = number(literal), let theirs = Double(literal) else { return false }
        guard theirs.isFinite else { return ours == .outOfRange }
        return ours.double == theirs
    }

    @Test("Doubles are correctly rounded: random bits, spelled shortest and with 17 to 40 digits")
    func randomDoubles() {
        var random = JSONRandom(state: 2)
        var wrong: [String] = []
        func expectAgreement(_ literal: String) {
            if !agrees(literal) { wrong.append(literal) }
        }
        for _ in 0..<2_000 {
            let double = Double(bitPattern: random.next())
            guard double.isFinite else { continue }
            expectAgreement("\(double)")
            var digits = ""
            for _ in 0..<(17 + random.below(24)) { digits += "\(random.below(10))" }
            expectAgreement("\(random.below(9) + 1).\(digits)e\(random.below(660) - 330)")
            expectAgreement("\(random.below(1_000)).\(random.below(1_000_000))")
            expectAgreement("0.000\(digits)")
            expectAgreement("\(random.below(9) + 1)\(digits)")
        }
        #expect(wrong.isEmpty)
    }

    @Test("Doubles are correctly rounded at the midpoint of two neighbours and a digit to either side")
    func midpoints() {
        var random = JSONRandom(state: 3)
        for round in 0..<300 {
            // Whole numbers of more than 53 bits: odd multiples of half the distance of neighbours.
            let bits = UInt64(1) << 53 | random.next() >> 11 | 1
            var digits = decimal(bits, timesTwoToThe: round)
            #expect(agrees(digits))
            #expect(agrees(digits + ".0000000000000000000000001"))
            digits.removeLast(1)
            #expect(agrees(digits + "1") && agrees(digits + "9"))
        }
        let half = "2." + halfOfLeastDouble.dropFirst()
        #expect(agrees(half + "e-324") && number(half + "e-324")?.double == 0)
        let zeros = String(repeating: "0", count: 900)
        #expect(number(half + zeros + "1e-324")?.double == Double.leastNonzeroMagnitude)
        #expect(agrees("9007199254740993" + zeros + "." + zeros + "1e-900"))
        #expect(agrees("9007199254740993" + zeros + "e-900"))
        #expect(agrees("0." + zeros + "9007199254740993" + zeros + "1e916"))
    }

    /// All 751 digits of 2^-1075, without the exponent: 5^1075.
    private var halfOfLeastDouble: String {
        var digits: [Int] = [1]
        for _ in 0..<1_075 { Self.multiply(&digits, by: 5) }
        return digits.reversed().map { "\($0)" }.joined()
    }

    private func decimal(_ value: UInt64, timesTwoToThe power: Int) -> String {
        var digits = "\(value)".reversed().compactMap(\.wholeNumberValue)
        for _ in 0..<power { Self.multiply(&digits, by: 2) }
        return digits.reversed().map { "\($0)" }.joined()
    }

    private static func multiply(_ digits: inout [Int], by factor: Int) {
        var carry = 0
        for index in digits.indices {
            let product = digits[index] * factor + carry
            digits[index] = product % 10
            carry = product / 10
        }
        if carry > 0 { digits.append(carry) }
    }
}
