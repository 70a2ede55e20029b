// The tokens of RFC 8259: strings, numbers and words. A token is a range of the bytes; nothing is copied or converted
// here. All bytes before the cursor are valid.

import ChatDomain

/// The range of a string between its quotes.
struct JSONStringToken {
    var start: Int
    var end: Int
    /// Whether the bytes equal the text: no escape, and nothing to repair.
    var isPlain: Bool
}

/// A position in a JSON text.
struct JSONCursor {
    let bytes: UnsafeBufferPointer<UInt8>
    let malformedText: JSONPolicy.MalformedText
    var position = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>, malformedText: JSONPolicy.MalformedText) {
        self.bytes = bytes
        self.malformedText = malformedText
    }

    @inline(__always)
    var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

    @inline(__always)
    mutating func skipWhiteSpace() {
        while position < bytes.count {
            let byte = bytes[position]
            if byte > 0x20 { return }
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
            position += 1
        }
    }

    /// The error at this position: of the given reason, or an unexpected end.
    func unexpected(_ reason: JSONError.Reason) -> JSONError {
        JSONError(position < bytes.count ? reason : .unexpectedEnd, at: position)
    }

    mutating func word(_ word: StaticString) throws(JSONError) {
        let expected = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        for letter in expected {
            guard byte == letter else { throw unexpected(.invalidLiteral) }
            position += 1
        }
    }

    // MARK: Numbers

    /// Consumes a number; the cursor is on its first byte.
    mutating func number() throws(JSONError) -> Range<Int> {
        let start = position
        if byte == UInt8(ascii: "-") { position += 1 }
        if byte == UInt8(ascii: "0") {
            position += 1
            if let byte, Self.isDigit(byte) { throw JSONError(.invalidNumber, at: position) }
        } else {
            try digits()
        }
        if byte == UInt8(ascii: ".") {
            position += 1
            try digits()
        }
        if byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
            position += 1
            if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { position += 1 }
            try digits()
        }
        return start..<position
    }

    private mutating func digits() throws(JSONError) {
        guard let first = byte, Self.isDigit(first) else { throw unexpected(.invalidNumber) }
        position += 1
        while let byte, Self.isDigit(byte) { position += 1 }
    }

    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    // MARK: Strings

    /// Consumes a string; the cursor is on its opening quote.
    @inline(__always)
    mutating func string() throws(JSONError) -> JSONStringToken {
        position += 1
        let start = position
        position = Self.endOfOrdinary(in: bytes, from: position)
        if position < bytes.count, bytes[position] == UInt8(ascii: "\"") {
            position += 1
            return JSONStringToken(start: start, end: position - 1, isPlain: true)
        }
        return try restOfString(from: start)
    }

    /// Consumes the rest of a string that is not plain ASCII.
    @inline(never)
    private mutating func restOfString(from start: Int) throws(JSONError) -> JSONStringToken {
        var isPlain = true
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                position += 1
                return JSONStringToken(start: start, end: position - 1, isPlain: isPlain)
            } else if byte == UInt8(ascii: "\\") {
                isPlain = false
                try escape()
            } else if byte < 0x20 {
                throw JSONError(.controlCharacter, at: position)
            } else if byte >= 0x80 {
                let length = UTF8Sequence.length(at: position, in: bytes)
                if length == 0 {
                    guard malformedText == .replace else { throw JSONError(.invalidUTF8, at: position) }
                    isPlain = false
                }
                position += max(length, 1)
            } else {
                position = Self.endOfOrdinary(in: bytes, from: position)
            }
        }
        throw JSONError(.unexpectedEnd, at: position)
    }

    /// The position of the first byte that is not plain ASCII, or that is special in a string. O(n), eight bytes at a
    /// time.
    ///
    /// A byte of `word - limit` that is below the limit borrows, which sets its high bit. A borrow only affects later
    /// bytes, so the first marked byte is truly special.
    @inline(__always)
    static func endOfOrdinary(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        let raw = UnsafeRawBufferPointer(bytes)
        let ones: UInt64 = 0x0101_0101_0101_0101
        var position = start
        while bytes.count - position >= 8 {
            let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            let quotes = (word ^ (ones &* 0x22)) &- ones
            let backslashes = (word ^ (ones &* 0x5C)) &- ones
            let controls = word &- (ones &* 0x20)
            let special = (word | quotes | backslashes | controls) & (ones &* 0x80)
            if special != 0 { return position + special.trailingZeroBitCount / 8 }
            position += 8
        }
        while position < bytes.count {
            let byte = bytes[position]
            if byte < 0x20 || byte >= 0x80 || byte == 0x22 || byte == 0x5C { return position }
            position += 1
        }
        return position
    }

    /// Consumes an escape, a surrogate pair as one; the cursor is on its backslash.
    private mutating func escape() throws(JSONError) {
        let start = position
        position += 1
        guard let letter = byte else { throw JSONError(.unexpectedEnd, at: position) }
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 1
        case UInt8(ascii: "u"):
            position += 1
            let unit = try hexadecimal()
            guard unit & 0xF800 == 0xD800 else { return }
            if unit < 0xDC00, byte == UInt8(ascii: "\\"), position + 1 < bytes.count,
                bytes[position + 1] == UInt8(ascii: "u")
            {
                let second = position
                position += 2
                if try hexadecimal() & 0xFC00 == 0xDC00 { return }
                position = second  // no low surrogate: the next call consumes it
            }
            if malformedText == .reject { throw JSONError(.loneSurrogate, at: start) }
        default:
            throw JSONError(.invalidEscape, at: position)
        }
    }

    private mutating func hexadecimal() throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte, let digit = Self.hexadecimalDigit(byte) else {
                throw unexpected(.invalidEscape)
            }
            value = value << 4 | digit
            position += 1
        }
        return value
    }

    static func hexadecimalDigit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}
