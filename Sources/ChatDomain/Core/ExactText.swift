// Text that compares, hashes and orders by its UTF-8 bytes. For Swift's `==`, “é” and “e + accent” are equal. They
// differ for a server, and they must differ for two machines that are to stay equal.
//
// A text is one reference to its bytes. Nearly every value of the library holds texts, so narrow texts keep actions,
// messages and states narrow: a `String` is twice as wide, five words of WebAssembly, and its copy is a call.

/// A string that equals another only when their UTF-8 bytes are equal.
public struct ExactText: Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// Valid UTF-8. One reference wide, because most values of the library hold texts and are copied often.
    @usableFromInline var bytes: [UInt8]

    /// The text as a string. O(n).
    public var string: String { @inline(never) get { String(decoding: bytes, as: UTF8.self) } }

    /// Copies a string. O(n).
    @inline(never)
    public init(_ string: String) { bytes = Array(string.utf8) }

    /// Takes bytes; invalid UTF-8 becomes U+FFFD, as the standard library repairs it. O(n), without a copy for
    /// ASCII.
    @inline(never)
    public init(decoding bytes: [UInt8]) {
        let isASCII = bytes.allSatisfy { $0 < 0x80 }
        self.bytes = isASCII ? bytes : Array(String(decoding: bytes, as: UTF8.self).utf8)
    }

    @inline(never)
    public init(stringLiteral value: String) { bytes = Array(value.utf8) }

    /// The text itself.
    @inlinable public var description: String { string }

    /// Whether the text is empty. O(1).
    @inlinable public var isEmpty: Bool { bytes.isEmpty }

    /// The UTF-8 bytes. O(1).
    @inlinable public var utf8: [UInt8] { bytes }

    /// The number of UTF-8 bytes, which protocols limit. O(1).
    @inlinable public var byteCount: Int64 { Int64(bytes.count) }

    /// Appends text. O(length of the new text), amortised.
    public mutating func append(_ text: ExactText) { bytes.append(contentsOf: text.bytes) }
}

extension ExactText: Hashable {
    @inline(never)
    public static func == (left: ExactText, right: ExactText) -> Bool {
        left.bytes.withUnsafeBytes { left in right.bytes.withUnsafeBytes { ExactText.equal(left, $0) } }
    }

    /// Compares eight bytes at a time, and none if both texts share their bytes. Byte by byte, a text of 10 KB takes
    /// 30 times as long.
    private static func equal(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        let count = left.count
        guard count == right.count else { return false }
        if left.baseAddress == right.baseAddress { return true }
        guard count >= 8 else {
            for offset in 0..<count where left[offset] != right[offset] { return false }
            return true
        }
        var offset = 0
        while offset + 8 < count {
            guard word(left, at: offset) == word(right, at: offset) else { return false }
            offset += 8
        }
        // The last eight bytes may overlap those before them.
        return word(left, at: count - 8) == word(right, at: count - 8)
    }

    @inline(__always) private static func word(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt64 {
        bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }

    @inline(never)
    public func hash(into hasher: inout Hasher) {
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        hasher.combine(0xFF as UInt8)  // no UTF-8 text holds this byte, so it marks the end
    }
}

extension ExactText: Comparable {
    /// Orders by bytes, which for UTF-8 is also the order of scalars.
    @inlinable public static func < (left: ExactText, right: ExactText) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

#if !hasFeature(Embedded)
    extension ExactText: Codable {
        public init(from decoder: any Decoder) throws { self.init(try String(from: decoder)) }

        public func encode(to encoder: any Encoder) throws { try string.encode(to: encoder) }
    }
#endif
