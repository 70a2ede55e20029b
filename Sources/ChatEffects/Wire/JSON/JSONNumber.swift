// JSON numbers with one form for each value, so equal numbers are equal whatever their spelling: `1`, `1.0`, `10e-1`
// and `100e-2` are the integer 1. No number traps, also none out of range.

import ChatDomain

/// A number of a JSON text.
///
/// A number that fits `Int64` or `UInt64` is exact, whatever its spelling. Any other number is the nearest `Double`
/// (ties to even), or that double as an integer when it is an integer above -2^63 that fits. Minus zero is zero.
public struct JSONNumber: PlainValue {
    private enum Storage: PlainValue {
        case integer(Int64)
        case large(UInt64)  // above Int64.max only
        case double(Double)  // finite and none of the above
        case outOfRange
    }

    private let storage: Storage

    /// Creates an exact integer.
    public init(_ value: Int64) {
        storage = .integer(value)
    }

    /// Creates an exact integer.
    public init(_ value: UInt64) {
        storage = Int64(exactly: value).map { .integer($0) } ?? .large(value)
    }

    /// Creates a number from a double, as an integer when it is one that fits; infinity and NaN are out of range.
    public init(_ value: Double) {
        // -2^63 stays a double: integers just below the range of `Int64` round to it, and must not become integers.
        // `Int64(exactly:)` would call into the C library's rounding, which is not always linked.
        if value > -0x1p63, value < 0x1p63, Double(Int64(value)) == value {
            storage = .integer(Int64(value))
        } else if value >= 0x1p63, value < 0x1p64 {
            storage = .large(UInt64(value))  // doubles of this size have no fraction
        } else {
            storage = value.isFinite ? .double(value) : .outOfRange
        }
    }

    /// A number beyond the range of `Double`, such as `1e400`. Every accessor returns nil; it is encoded as null.
    public static var outOfRange: JSONNumber { JSONNumber(.nan) }

    /// The number as a signed integer; nil when it is not an integer or does not fit.
    public var integer: Int64? {
        guard case .integer(let value) = storage else { return nil }
        return value
    }

    /// The number as an unsigned integer; nil when it is not an integer or does not fit.
    public var unsigned: UInt64? {
        switch storage {
        case .integer(let value): UInt64(exactly: value)
        case .large(let value): value
        case .double, .outOfRange: nil
        }
    }

    /// The nearest double; nil when the number is out of range.
    public var double: Double? {
        switch storage {
        case .integer(let value): Double(value)
        case .large(let value): Double(value)
        case .double(let value): value
        case .outOfRange: nil
        }
    }
}

extension JSONNumber {
    /// Creates the value of a literal that the grammar has accepted.
    init(literal bytes: UnsafeBufferPointer<UInt8>) {
        let decimal = JSONDecimal(bytes)
        if let magnitude = decimal.integer {
            if !decimal.isNegative {
                self.init(magnitude)
                return
            }
            if magnitude <= Int64.min.magnitude {
                self.init(Int64(truncatingIfNeeded: 0 &- magnitude))  // -2^63 is its own negative
                return
            }
        }
        let magnitude = decimal.double(of: bytes)
        self.init(decimal.isNegative ? -magnitude : magnitude)
    }
}
