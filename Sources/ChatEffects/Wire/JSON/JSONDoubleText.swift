// Doubles in the format of ECMAScript (RFC 8785 section 3.2.2.3): the shortest digits that parse to the same double,
// the nearest of those. The standard library computes the digits; the layout is fixed here, so that it cannot differ
// between its versions.

/// The shortest digits of a finite nonzero double.
struct JSONDoubleText {
    private var isNegative = false
    /// The digits from the first to the last nonzero one, as ASCII.
    private var digits: [UInt8] = []
    /// The number of digits before the decimal point; negative for zeros after it.
    private var point = 0

    init(_ value: Double) {
        var isFraction = false
        var isExponent = false
        var isNegativeExponent = false
        var exponent = 0
        for byte in value.description.utf8 {
            switch byte {
            case UInt8(ascii: "-"):
                if isExponent { isNegativeExponent = true } else { isNegative = true }
            case UInt8(ascii: "."):
                isFraction = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                isExponent = true
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                if isExponent {
                    exponent = exponent * 10 + Int(byte - UInt8(ascii: "0"))
                    continue
                }
                let isLeadingZero = digits.isEmpty && byte == UInt8(ascii: "0")
                if !isLeadingZero { digits.append(byte) }
                if !isFraction, !isLeadingZero { point += 1 }
                if isFraction, isLeadingZero { point -= 1 }
            default:
                break
            }
        }
        point += isNegativeExponent ? -exponent : exponent
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    }

    /// Writes the number without an exponent from 10^-6 up to 10^21, otherwise with one.
    func write(to output: inout JSONOutput) {
        if isNegative { output.byte(UInt8(ascii: "-")) }
        switch point {
        case -5...0:
            output.byte(UInt8(ascii: "0"))
            output.byte(UInt8(ascii: "."))
            output.encoded([UInt8](repeating: UInt8(ascii: "0"), count: -point))
            output.encoded(digits)
        case 1...21:
            output.encoded([UInt8](digits.prefix(point)))
            if digits.count > point {
                output.byte(UInt8(ascii: "."))
                output.encoded([UInt8](digits.dropFirst(point)))
            } else {
                output.encoded([UInt8](repeating: UInt8(ascii: "0"), count: point - digits.count))
            }
        default:
            output.encoded([UInt8](digits.prefix(1)))
            if digits.count > 1 { output.byte(UInt8(ascii: ".")) }
            output.encoded([UInt8](digits.dropFirst()))
            output.byte(UInt8(ascii: "e"))
            if point > 0 { output.byte(UInt8(ascii: "+")) }
            output.integer(Int64(point - 1))
        }
    }
}
