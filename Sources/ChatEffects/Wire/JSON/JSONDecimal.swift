// The digits of a number literal, as far as 64 bits hold them, and the power of ten that they are counted in. The
// arithmetic is of integers: the standard library's conversion of literals calls into C, which Embedded Swift does not
// have.

/// A number literal as significand × 10^exponent.
struct JSONDecimal {
    private(set) var isNegative = false
    /// The leading digits, as many as fit, without leading zeros.
    private(set) var significand: UInt64 = 0
    private(set) var exponent: Int64 = 0
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
                if isFraction { exponent -= 1 }
                if !isFull {
                    let (tenfold, overflow) = significand.multipliedReportingOverflow(by: 10)
                    let (sum, carry) = tenfold.addingReportingOverflow(digit)
                    isFull = overflow || carry
                    if !isFull { significand = sum }
                }
                if isFull {
                    exponent += 1
                    if digit != 0 { isCut = true }
                }
            } else {
                break  // the letter e
            }
        }
        exponent += Self.exponent(UnsafeBufferPointer(rebasing: bytes[index...]))
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

    /// Brings the literal into the form that all literals of its value share: an integer that fits has the exponent
    /// zero, and the significand of any other number does not end in a zero.
    mutating func normalize() {
        guard significand != 0 else { return exponent = 0 }
        while exponent < 0, significand % 10 == 0 { dropZero() }
        if exponent > 0, !isCut, let integer {
            significand = integer
            exponent = 0
        }
        while exponent > 0, significand % 10 == 0 { dropZero() }
    }

    private mutating func dropZero() {
        significand /= 10
        exponent += 1
    }

    /// The magnitude of a literal without a fraction; nil when it does not fit.
    private var integer: UInt64? {
        var value = significand
        for _ in 0..<exponent {
            let (tenfold, overflow) = value.multipliedReportingOverflow(by: 10)
            if overflow { return nil }
            value = tenfold
        }
        return value
    }
}
