// A hash that is the same in every process and on every platform for one seed. Servers choose identifiers, and the
// seed prevents that they choose colliding ones; `Hasher` would let two equal machines differ.

/// A key of a `HashTrie`.
package protocol StableHashable: Equatable {
    /// 64 bits that depend on the seed and on what `==` compares, and on nothing else.
    func stableHash(seed: UInt64) -> UInt64
}

extension ExactText: StableHashable {
    /// SipHash-1-3 of the UTF-8 bytes.
    package func stableHash(seed: UInt64) -> UInt64 {
        // SipHash takes two words of key. The seed is secret and already mixed, so a product of it serves as the other.
        var hash = SipHash(seed, seed &* 0x9E37_79B9_7F4A_7C15)
        return bytes.withUnsafeBytes { hash.finish($0) }
    }
}

extension Identifier: StableHashable {
    package func stableHash(seed: UInt64) -> UInt64 { text.stableHash(seed: seed) }
}

/// SipHash-1-3 (Aumasson, Bernstein, 2012): one round a word and three at the end, as hash tables commonly use it.
struct SipHash {
    private var v0: UInt64
    private var v1: UInt64
    private var v2: UInt64
    private var v3: UInt64

    /// Starts a hash under the two halves of a key. The constants are those of SipHash.
    init(_ key0: UInt64, _ key1: UInt64) {
        v0 = key0 ^ 0x736F_6D65_7073_6575
        v1 = key1 ^ 0x646F_7261_6E64_6F6D
        v2 = key0 ^ 0x6C79_6765_6E65_7261
        v3 = key1 ^ 0x7465_6462_7974_6573
    }

    /// The hash of some bytes. They are read as little-endian words, whatever the platform.
    mutating func finish(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        let whole = bytes.count & ~7
        var offset = 0
        while offset < whole {
            absorb(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            offset += 8
        }
        absorb(UInt64(truncatingIfNeeded: bytes.count) &<< 56 | SipHash.rest(of: bytes, from: whole))
        v2 ^= 0xFF
        for _ in 0..<3 { round() }
        return v0 ^ v1 ^ v2 ^ v3
    }

    /// The bytes after the last whole word, of which there are fewer than eight.
    @inline(__always) private static func rest(of bytes: UnsafeRawBufferPointer, from whole: Int) -> UInt64 {
        let left = bytes.count - whole
        guard left > 0 else { return 0 }
        guard whole == 0 else {
            // These bytes are the end of the last eight.
            let last = bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
            return UInt64(littleEndian: last) &>> UInt64((8 - left) * 8)
        }
        var rest: UInt64 = 0
        for offset in 0..<left { rest |= UInt64(bytes[offset]) &<< UInt64(offset * 8) }
        return rest
    }

    @inline(__always) private mutating func absorb(_ word: UInt64) {
        v3 ^= word
        round()
        v0 ^= word
    }

    @inline(__always) private mutating func round() {
        v0 &+= v1
        v1 = SipHash.rotate(v1, 13) ^ v0
        v0 = SipHash.rotate(v0, 32)
        v2 &+= v3
        v3 = SipHash.rotate(v3, 16) ^ v2
        v0 &+= v3
        v3 = SipHash.rotate(v3, 21) ^ v0
        v2 &+= v1
        v1 = SipHash.rotate(v1, 17) ^ v2
        v2 = SipHash.rotate(v2, 32)
    }

    private static func rotate(_ word: UInt64, _ bits: UInt64) -> UInt64 {
        word &<< bits | word &>> (64 - bits)
    }
}
