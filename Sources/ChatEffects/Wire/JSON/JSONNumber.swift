// JSON numbers with one form for each value, so equal numbers are equal whatever their spelling: `1`, `1.0`, `10e-1`
// and `100e-2` are the integer 1. No number traps, whatever its size.

import ChatDomain

/// A number of a JSON text: its decimal digits and a power of ten.
///
/// A number of up to 19 digits is exact; of a longer one the digits that do not fit 64 bits count as zero, and an
/// exponent beyond 32 bits is the greatest of those. Minus zero is zero.
public struct JSONNumber: PlainValue {
    private let significand: UInt64
    /// Zero for an integer that fits 64 bits; for any other number the significand does not end in a zero.
    private let exponent: Int32
    private let isNegative: Bool

    /// Creates an exact integer.
    public init(_ value: Int64) {
        significand = value.magnitude
        exponent = 0
        isNegative = value < 0
    }

    /// Creates the value of a literal that the grammar has accepted.
    init(literal bytes: UnsafeBufferPointer<UInt8>) {
        var decimal = JSONDecimal(bytes)
        decimal.normalize()
        significand = decimal.significand
        exponent = Int32(clamping: decimal.exponent)
        isNegative = decimal.isNegative && decimal.significand != 0
    }

    /// The number as a signed integer; nil when it is not an integer or does not fit.
    public var integer: Int64? {
        guard exponent == 0 else { return nil }
        if !isNegative { return Int64(exactly: significand) }
        guard significand <= Int64.min.magnitude else { return nil }
        return Int64(truncatingIfNeeded: 0 &- significand)  // -2^63 is its own negative
    }

    /// The number without its fraction; nil when it does not fit.
    var truncated: Int64? {
        guard exponent < 0 else { return integer }
        // After one division, 64 bits fit into 63.
        var magnitude = significand
        var exponent = exponent
        while exponent < 0, magnitude > 0 {
            magnitude /= 10
            exponent += 1
        }
        return isNegative ? -Int64(magnitude) : Int64(magnitude)
    }

    /// Writes an integer as its digits, and any other number as digits and exponent.
    func write(to output: inout JSONOutput) {
        if isNegative { output.byte(UInt8(ascii: "-")) }
        output.unsigned(significand)
        guard exponent != 0 else { return }
        output.byte(UInt8(ascii: "e"))
        output.integer(Int64(exponent))
    }
}
