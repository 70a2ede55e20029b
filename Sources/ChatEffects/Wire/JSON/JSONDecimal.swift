// Conversion from decimal to binary, correctly rounded, with integer arithmetic where the fast path is not exact: the
// standard library's conversion calls into C, which Embedded Swift does not have. Start at `double`.

/// A number literal as significand × 10^scale.
struct JSONDecimal {
    private(set) var isNegative = false
    /// The leading digits, as many as fit, without leading zeros.
    private var significand: UInt64 = 0
    /// The number of digits of the significand.
    private var count: Int64 = 0
    private var scale: Int64 = 0
    /// Whether a nonzero digit did not fit into the significand.
    private var isCut = false

    /// Parses a literal that the grammar has accepted. O(n).
    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        var isFraction = false
        var isFull = false
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "-") {
                isNegative = true
            } else if byte == UInt8(ascii: ".") {
                isFraction = true
            } else if JSONCursor.isDigit(byte) {
                let digit = UInt64(byte - UInt8(ascii: "0"))
                if isFraction { scale -= 1 }
                if !isFull {
                    let (tenfold, overflow) = significand.multipliedReportingOverflow(by: 10)
                    let (sum, carry) = tenfold.addingReportingOverflow(digit)
                    isFull = overflow || carry
                    if !isFull {
                        significand = sum
                        if sum != 0 { count += 1 }
                    }
                }
                if isFull {
                    scale += 1
                    if digit != 0 { isCut = true }
                }
            } else {
                break  // the letter e
            }
        }
        scale += Self.exponent(UnsafeBufferPointer(rebasing: bytes[index...]))
    }

    /// The exponent after the letter e; zero if there is none.
    private static func exponent(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64 {
        var value: Int64 = 0
        var isNegative = false
        for byte in bytes {
            if byte == UInt8(ascii: "-") { isNegative = true }
            // No literal that fits into memory has enough digits to balance an exponent above 10^15.
            if JSONCursor.isDigit(byte), value < 1_000_000_000_000_000 {
                value = value * 10 + Int64(byte - UInt8(ascii: "0"))
            }
        }
        return isNegative ? -value : value
    }

    /// The magnitude as an integer; nil when it is not an integer or does not fit.
    var integer: UInt64? {
        if significand == 0 { return 0 }
        if isCut { return nil }
        var value = significand
        var scale = scale
        while scale < 0 {
            guard value % 10 == 0 else { return nil }
            value /= 10
            scale += 1
        }
        while scale > 0 {
            let (tenfold, overflow) = value.multipliedReportingOverflow(by: 10)
            if overflow { return nil }
            value = tenfold
            scale -= 1
        }
        return value
    }

    /// The double nearest to the magnitude; infinity beyond the greatest double.
    func double(of literal: UnsafeBufferPointer<UInt8>) -> Double {
        if significand == 0 { return 0 }
        // Fast path: a product or quotient of two exact doubles is rounded once; 10^22 is the last exact power.
        if !isCut, significand <= 1 << 53, scale.magnitude <= 22 {
            var power = 1.0
            for _ in 0..<scale.magnitude { power *= 10 }
            return scale < 0 ? Double(significand) / power : Double(significand) * power
        }
        // At least 10^309, and the greatest double is below 1.8·10^308.
        if count + scale > 309 { return .infinity }
        // Below 10^-324, less than half of the least double.
        if count + scale < -323 { return 0 }
        return exactDouble(of: literal)
    }

    /// The slow path: long division of integers to 64 bits, then one rounding.
    private func exactDouble(of literal: UnsafeBufferPointer<UInt8>) -> Double {
        var (numerator, scale) = digits(of: literal)
        var denominator = JSONNatural(1)
        if scale >= 0 {
            numerator.multiply(byPowerOfTen: scale)
        } else {
            denominator.multiply(byPowerOfTen: -scale)
        }
        // After the shift, the quotient is between 2^62 and 2^64.
        let shift = 63 - (numerator.bitWidth - denominator.bitWidth)
        if shift >= 0 { numerator.shiftLeft(by: shift) } else { denominator.shiftLeft(by: -shift) }
        denominator.shiftLeft(by: 63)
        var quotient: UInt64 = 0
        for _ in 0..<64 {
            quotient <<= 1
            if numerator.subtract(denominator) { quotient |= 1 }
            numerator.shiftLeft(by: 1)
        }
        return Self.rounded(quotient, exponent: -shift, hasRemainder: !numerator.isZero)
    }

    /// All digits as one number, with its scale.
    ///
    /// 800 digits are enough: no double and no midpoint of two has more than 767, so one nonzero digit represents all
    /// that follow.
    private func digits(of literal: UnsafeBufferPointer<UInt8>) -> (JSONNatural, scale: Int64) {
        guard isCut else { return (JSONNatural(significand), scale) }
        var number = JSONNatural(0)
        var used: Int64 = 0
        var isCut = false
        for byte in literal {
            if byte | 0x20 == UInt8(ascii: "e") { break }
            guard JSONCursor.isDigit(byte), used > 0 || byte != UInt8(ascii: "0") else { continue }
            if used < 800 {
                number.multiply(by: 10, adding: UInt32(byte - UInt8(ascii: "0")))
                used += 1
            } else if byte != UInt8(ascii: "0") {
                isCut = true
            }
        }
        // `count + scale` is the position of the decimal point, which does not depend on the number of used digits.
        var scale = count + scale - used
        if isCut {
            number.multiply(by: 10, adding: 1)
            scale -= 1
        }
        return (number, scale)
    }

    /// The double nearest to (bits + remainder) × 2^exponent, for bits of at least 2^62.
    private static func rounded(_ bits: UInt64, exponent: Int, hasRemainder: Bool) -> Double {
        let top = 63 - bits.leadingZeroBitCount
        let power = top + exponent  // the value is between 2^power and twice that
        if power > 1023 { return .infinity }
        // 53 bits for normal numbers, fewer below 2^-1022.
        let precision = power >= -1022 ? 53 : 53 - (-1022 - power)
        if precision < 0 { return 0 }
        let dropped = UInt64(top + 1 - precision)
        let kept = bits >> dropped  // a shift by 64 gives 0
        let rest = bits & ((1 << dropped) &- 1)
        let half: UInt64 = 1 << (dropped - 1)
        let isUp = rest > half || rest == half && (hasRemainder || kept & 1 == 1)
        let significand = isUp ? kept + 1 : kept
        // A carry out of the significand raises the exponent, also from subnormal to normal and to infinity.
        let biased = power >= -1022 ? UInt64(power + 1022) << 52 : 0
        return Double(bitPattern: biased + significand)
    }
}
