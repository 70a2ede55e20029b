// Randomness as a value (L2). A machine holds one generator; the machine's owner seeds it. Draws
// are made by our own function on `UInt64`, because the standard library's differ with the width of `Int`.
// A search has no chance: for it the generator answers with the least or the greatest possible value.

/// A generator for identifiers and jitter.
public enum Entropy: DomainValue {
    /// SplitMix64 (Steele, Lea, Flood: “Fast splittable pseudorandom number generators”, 2014) from a seed.
    case seeded(UInt64)
    /// Answers every draw with the least value; identifiers count up from the number held.
    case least(UInt64)
    /// Answers every draw with the greatest value; identifiers count up from the number held.
    case greatest(UInt64)

    /// The next 64 bits. Where there is no chance they count up, so a reducer takes them for names and the seeds of
    /// hashes, and draws with bounds what it compares.
    @inlinable package mutating func next() -> UInt64 {
        switch self {
        case .seeded(let state):
            let advanced = state &+ 0x9E37_79B9_7F4A_7C15
            self = .seeded(advanced)
            var mixed = advanced
            mixed = (mixed ^ (mixed &>> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed &>> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed &>> 31)
        case .least(let count):
            self = .least(count &+ 1)
            return count
        case .greatest(let count):
            self = .greatest(count &+ 1)
            return count
        }
    }

    /// A number from 0 up to, but not including, `count`; 0 when there is none. One draw costs one step of the
    /// generator; its bias is below `count` times 2^-64.
    @inlinable public mutating func below(_ count: UInt64) -> UInt64 {
        switch self {
        case .least: 0
        case .greatest: count > 0 ? count - 1 : 0
        case .seeded: next().multipliedFullWidth(by: count).high
        }
    }

    /// An interval between two bounds, both included; the lower one when they are in the wrong order. One draw costs
    /// one step of the generator; its bias (below 2^-20 for hours) does not matter for jitter.
    @inlinable public mutating func interval(from lower: Interval, through upper: Interval) -> Interval {
        guard lower < upper else { return lower }
        switch self {
        case .least: return lower
        case .greatest: return upper
        case .seeded:
            let width = UInt64(bitPattern: (upper - lower).nanoseconds) &+ 1
            return lower + Interval(nanoseconds: Int64(below(width)))
        }
    }

    /// A random UUID (RFC 9562, version 4) in lower case, the form in which identifiers are minted.
    public mutating func uuid() -> String {
        let high = next() & 0xFFFF_FFFF_FFFF_0FFF | 0x0000_0000_0000_4000
        let low = next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        var bytes: [UInt8] = []
        bytes.reserveCapacity(36)
        for (half, dashes) in [(high, [4, 6]), (low, [0, 2])] as [(UInt64, [Int])] {
            for index in 0..<8 {
                if dashes.contains(index) { bytes.append(UInt8(ascii: "-")) }
                let byte = UInt8(truncatingIfNeeded: half &>> UInt64(56 - 8 * index))
                bytes.append(Entropy.hexadecimalDigit(byte &>> 4))
                bytes.append(Entropy.hexadecimalDigit(byte & 0xF))
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func hexadecimalDigit(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
    }
}
