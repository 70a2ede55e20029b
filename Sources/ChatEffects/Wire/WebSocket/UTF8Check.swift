// The check of UTF-8 text that arrives in pieces. It fails at the first byte that cannot stand at its position in
// well-formed text.

import ChatDomain

/// The progress of a check for UTF-8.
struct UTF8Check: PlainValue {
    /// The number of bytes that the last character still lacks.
    private var missing: UInt8 = 0
    /// The range of its next byte.
    private var next: ClosedRange<UInt8> = UTF8Sequence.following

    /// Whether the text may end here.
    var isComplete: Bool { missing == 0 }

    /// Whether the text is well-formed so far. O(n), eight bytes at a time for ASCII.
    mutating func passes(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var index = 0
        while index < bytes.count {
            if missing > 0 {
                guard next.contains(bytes[index]) else { return false }
                missing -= 1
                next = UTF8Sequence.following
                index += 1
                continue
            }
            index = Self.endOfASCII(in: bytes, from: index)
            guard index < bytes.count else { return true }
            let length = UTF8Sequence.length(at: index, in: bytes)
            if length > 0 {
                index += length
            } else {
                // The character is ill-formed or continues in the next piece, so its bytes are checked one by one.
                guard let lead = UTF8Sequence.lead(bytes[index]) else { return false }
                missing = UInt8(truncatingIfNeeded: lead.length - 1)
                next = lead.second
                index += 1
            }
        }
        return true
    }

    /// The position of the first byte from `start` on that is not ASCII; the end if there is none.
    private static func endOfASCII(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        let raw = UnsafeRawBufferPointer(bytes)
        var index = start
        while raw.count - index >= 8 {
            let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let found = word & 0x8080_8080_8080_8080
            if found != 0 { return index + found.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < raw.count, raw[index] < 0x80 { index += 1 }
        return index
    }
}
