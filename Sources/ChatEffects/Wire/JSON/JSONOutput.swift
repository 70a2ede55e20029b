// The canonical encoding of each kind of value.

import ChatDomain

/// A growing buffer with an encoder for each kind of value.
struct JSONOutput: ~Copyable {
    private(set) var bytes: [UInt8] = []

    /// Takes ownership of the bytes, so that appending does not copy them.
    init(taking bytes: inout [UInt8]) {
        swap(&self.bytes, &bytes)
    }

    mutating func byte(_ byte: UInt8) { bytes.append(byte) }

    mutating func null() { word("null") }

    mutating func bool(_ value: Bool) { word(value ? "true" : "false") }

    private mutating func word(_ word: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    }

    // MARK: Containers

    mutating func object(_ body: (inout JSONObjectWriter) -> Void) {
        byte(UInt8(ascii: "{"))
        var writer = JSONObjectWriter(JSONOutput(taking: &bytes))
        body(&writer)
        swap(&bytes, &writer.output.bytes)
        byte(UInt8(ascii: "}"))
    }

    mutating func array(_ body: (inout JSONArrayWriter) -> Void) {
        byte(UInt8(ascii: "["))
        var writer = JSONArrayWriter(JSONOutput(taking: &bytes))
        body(&writer)
        swap(&bytes, &writer.output.bytes)
        byte(UInt8(ascii: "]"))
    }

    mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .number(let value): value.write(to: &self)
        case .string(let value): text(value)
        case .array(let elements):
            array { writer in
                for element in elements { writer.element(element) }
            }
        case .object(let object):
            self.object { writer in
                for member in object.members { writer.member(member.name, member.value) }
            }
        }
    }

    // MARK: Strings

    mutating func text(_ value: ExactText) {
        byte(UInt8(ascii: "\""))
        value.utf8.withUnsafeBufferPointer { content($0) }
        byte(UInt8(ascii: "\""))
    }

    /// Escapes only where JSON demands it: the quote, the backslash and control characters.
    private mutating func content(_ text: UnsafeBufferPointer<UInt8>) {
        var start = 0  // of the unwritten rest
        var index = JSONCursor.endOfOrdinary(in: text, from: 0)
        while index < text.count {
            let byte = text[index]
            index += 1
            if byte >= 0x80 { continue }
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<index - 1]))
                escape(byte)
                start = index
            }
            index = JSONCursor.endOfOrdinary(in: text, from: index)
        }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
    }

    private mutating func escape(_ byte: UInt8) {
        self.byte(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: self.byte(UInt8(ascii: "b"))
        case 0x09: self.byte(UInt8(ascii: "t"))
        case 0x0A: self.byte(UInt8(ascii: "n"))
        case 0x0C: self.byte(UInt8(ascii: "f"))
        case 0x0D: self.byte(UInt8(ascii: "r"))
        case 0x00..<0x20:
            word("u00")
            self.byte(UInt8(ascii: "0") + byte >> 4)
            let low = byte & 0xF
            self.byte(low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + (low - 10))
        default: self.byte(byte)
        }
    }

    // MARK: Numbers

    mutating func integer(_ value: Int64) {
        if value < 0 { byte(UInt8(ascii: "-")) }
        unsigned(value.magnitude)
    }

    mutating func unsigned(_ value: UInt64) {
        let start = bytes.count
        var rest = value
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        var (low, high) = (start, bytes.count - 1)
        while low < high {
            bytes.swapAt(low, high)
            (low, high) = (low + 1, high - 1)
        }
    }
}
