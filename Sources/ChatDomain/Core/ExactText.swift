// Text that compares, hashes and orders by its UTF-8 bytes. Swift's `==` takes “é” and “e + accent” for the same; a
// server does not, and two machines that are to stay equal may not.

/// A string that equals another only when their UTF-8 bytes are equal.
public struct ExactText: Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The text, to be shown or taken apart.
    public var string: String

    /// Wraps a string. O(1).
    @inlinable public init(_ string: String) { self.string = string }

    @inlinable public init(stringLiteral value: String) { string = value }

    /// The text itself.
    @inlinable public var description: String { string }

    /// Whether there is no byte at all. O(1).
    @inlinable public var isEmpty: Bool { string.isEmpty }

    /// The UTF-8 bytes.
    @inlinable public var utf8: String.UTF8View { string.utf8 }

    /// The number of UTF-8 bytes, which protocols limit. O(1) for native strings.
    @inlinable public var byteCount: Int64 { Int64(string.utf8.count) }
}

extension ExactText: Hashable {
    @inlinable public static func == (left: ExactText, right: ExactText) -> Bool {
        let equal = left.string.utf8.withContiguousStorageIfAvailable { leftBytes in
            right.string.utf8.withContiguousStorageIfAvailable { rightBytes in
                ExactText.equal(UnsafeRawBufferPointer(leftBytes), UnsafeRawBufferPointer(rightBytes))
            }
        }
        return (equal ?? nil) ?? left.string.utf8.elementsEqual(right.string.utf8)
    }

    /// Compares eight bytes at a time, and nothing when both texts share their bytes. Byte by byte, a text of
    /// 10 KB takes 30 times as long.
    @usableFromInline
    static func equal(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
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

    @inlinable public func hash(into hasher: inout Hasher) {
        var text = string
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xFF as UInt8)  // no UTF-8 text holds this byte, so it ends one for certain
    }
}

extension ExactText: Comparable {
    /// Orders by bytes, which for UTF-8 is also the order of scalars.
    @inlinable public static func < (left: ExactText, right: ExactText) -> Bool {
        left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
    }
}

#if !hasFeature(Embedded)
    extension ExactText: Codable {
        public init(from decoder: any Decoder) throws {
            string = try decoder.singleValueContainer().decode(String.self)
        }

        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(string)
        }
    }
#endif
