// Converts the bytes of a string to text: escapes are resolved; lone surrogates and bytes that are not UTF-8 become
// U+FFFD (a reader that rejects them has already done so).

import ChatDomain

/// Well-formed UTF-8, by table 3-7 of the Unicode standard.
enum UTF8Sequence {
    /// The bytes that continue a character.
    static let following: ClosedRange<UInt8> = 0x80...0xBF

    /// The length of the sequence of two to four bytes that a byte begins, and the range of its second byte; nil when
    /// it begins none.
    @inline(__always)
    static func lead(_ byte: UInt8) -> (length: Int, second: ClosedRange<UInt8>)? {
        switch byte {
        case 0xC2...0xDF: (2, following)
        case 0xE0: (3, 0xA0...0xBF)  // below: overlong
        case 0xED: (3, 0x80...0x9F)  // above: surrogates
        case 0xE1...0xEF: (3, following)
        case 0xF0: (4, 0x90...0xBF)  // below: overlong
        case 0xF1...0xF3: (4, following)
        case 0xF4: (4, 0x80...0x8F)  // above: beyond U+10FFFF
        default: nil
        }
    }

    /// The length of the well-formed sequence of two to four bytes at `start`; 0 when there is none.
    static func length(at start: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int {
        guard let (length, second) = lead(bytes[start]) else { return 0 }
        guard bytes.count - start >= length, second.contains(bytes[start + 1]) else { return 0 }
        for index in start + 2..<start + length where bytes[index] & 0xC0 != 0x80 { return 0 }
        return length
    }
}

extension JSONStringToken {
    /// The text of a string token of these bytes.
    @inline(__always)
    func text(in bytes: UnsafeBufferPointer<UInt8>) -> ExactText {
        let content = UnsafeBufferPointer(rebasing: bytes[start..<end])
        if isPlain { return ExactText(decoding: Array(content)) }
        return ExactText(decoding: resolved(in: bytes))
    }

    /// The bytes of the text with all escapes resolved; not UTF-8 where the string was not.
    @inline(never)
    func resolved(in bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(end - start)  // no escape is shorter than its result
        var index = start
        while index < end {
            let byte = bytes[index]
            index += 1
            guard byte == UInt8(ascii: "\\"), index < end else {
                output.append(byte)
                continue
            }
            let letter = bytes[index]
            index += 1
            switch letter {
            case UInt8(ascii: "b"): output.append(0x08)
            case UInt8(ascii: "f"): output.append(0x0C)
            case UInt8(ascii: "n"): output.append(0x0A)
            case UInt8(ascii: "r"): output.append(0x0D)
            case UInt8(ascii: "t"): output.append(0x09)
            case UInt8(ascii: "u"): Self.append(Self.scalar(in: bytes, at: &index), to: &output)
            default: output.append(letter)
            }
        }
        return output
    }

    /// The scalar of an escape whose digits start at `index`; moves `index` past the escape.
    private static func scalar(in bytes: UnsafeBufferPointer<UInt8>, at index: inout Int) -> UInt32 {
        let unit = codeUnit(in: bytes, at: index)
        index += 4
        guard unit & 0xF800 == 0xD800 else { return unit }
        let replacement: UInt32 = 0xFFFD
        guard unit < 0xDC00, bytes.count - index >= 6, bytes[index] == UInt8(ascii: "\\"),
            bytes[index + 1] == UInt8(ascii: "u")
        else { return replacement }
        let second = codeUnit(in: bytes, at: index + 2)
        guard second & 0xFC00 == 0xDC00 else { return replacement }
        index += 6
        return 0x10000 + (unit & 0x3FF) << 10 + second & 0x3FF
    }

    private static func codeUnit(in bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> UInt32 {
        var unit: UInt32 = 0
        for index in start..<min(start + 4, bytes.count) {
            unit = unit << 4 | (JSONCursor.hexadecimalDigit(bytes[index]) ?? 0)
        }
        return unit
    }

    private static func append(_ scalar: UInt32, to output: inout [UInt8]) {
        let value = Unicode.Scalar(scalar) ?? "\u{FFFD}"
        for byte in Unicode.UTF8.encode(value) ?? Unicode.UTF8.encodedReplacementCharacter {
            output.append(byte)
        }
    }
}
