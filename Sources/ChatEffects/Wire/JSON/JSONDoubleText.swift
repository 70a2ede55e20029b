// A double as ECMAScript prints it (RFC 8785 section 3.2.2.3): the shortest digits that read back as the same
// double, the nearest of those. The standard library finds the digits; how they are laid out is settled here,
// so that it cannot differ between its versions.

/// The shortest digits of a finite double that is not zero.
struct JSONDoubleText {
    private var isNegative = false
    /// The digits from first to last that is not zero, as ASCII.
    private var digits: [UInt8] = []
    /// How many digits stand before the decimal point; negative for zeros behind it.
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

    /// Writes it plainly from 10^-6 up to 10^21, otherwise with an exponent.
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
