// A Base64 codec for bytes that are not text (RFC 4648, section 4). It is strict: each byte sequence has exactly one
// encoding and every other one is refused, so equal values have equal encodings.

import ChatDomain

/// A strict Base64 codec.
enum Base64 {
    /// The letter for a value of six bits.
    private static func letter(_ value: UInt8) -> UInt8 {
        switch value {
        case 0..<26: UInt8(ascii: "A") + value
        case 26..<52: UInt8(ascii: "a") + (value - 26)
        case 52..<62: UInt8(ascii: "0") + (value - 52)
        case 62: UInt8(ascii: "+")
        default: UInt8(ascii: "/")
        }
    }

    private static func value(_ letter: UInt8) -> UInt32? {
        switch letter {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(letter - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(letter - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(letter - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }

    /// The encoding, padded to a multiple of four letters. O(n).
    static func encode(_ bytes: [UInt8]) -> ExactText {
        var letters: [UInt8] = []
        letters.reserveCapacity(bytes.count / 3 * 4 + 4)
        var start = 0
        while start < bytes.count {
            let count = min(3, bytes.count - start)
            var bits: UInt32 = 0
            for offset in 0..<3 {
                bits = bits << 8 | (offset < count ? UInt32(bytes[start + offset]) : 0)
            }
            for position in 0..<4 {
                // One byte needs two letters, two bytes need three; the rest is padding.
                let sixBits = UInt8(truncatingIfNeeded: bits >> UInt32(18 - 6 * position)) & 0x3F
                letters.append(position <= count ? letter(sixBits) : UInt8(ascii: "="))
            }
            start += count
        }
        return ExactText(decoding: letters)
    }

    /// The number of bytes that a text of `encode` represents, from its length and padding alone. O(1).
    static func byteCount(of text: ExactText) -> Int64 {
        let padding = text.utf8.suffix(2).count { $0 == UInt8(ascii: "=") }
        return max(text.byteCount / 4 * 3 - Int64(padding), 0)
    }

    /// The decoded bytes; nil unless the text is their exact `encode` result. O(n).
    static func decode(_ text: ExactText) -> [UInt8]? {
        let letters = text.utf8
        guard letters.count % 4 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(letters.count / 4 * 3)
        for start in stride(from: 0, to: letters.count, by: 4) {
            let isLast = start + 4 == letters.count
            var padding = 0
            if isLast, letters[start + 3] == UInt8(ascii: "=") {
                padding = letters[start + 2] == UInt8(ascii: "=") ? 2 : 1
            }
            var bits: UInt32 = 0
            for offset in 0..<4 {
                if offset >= 4 - padding {
                    bits <<= 6
                } else if let sixBits = value(letters[start + offset]) {
                    bits = bits << 6 | sixBits
                } else {
                    return nil
                }
            }
            // Unused bits must be zero; otherwise a value would have several encodings.
            let unused = UInt32(padding * 8)
            guard bits & (1 << unused - 1) == 0 else { return nil }
            for offset in 0..<3 - padding {
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(16 - 8 * offset)))
            }
        }
        return bytes
    }
}
