// SHA-1 (FIPS 180-4), for the proof of an opening handshake (RFC 6455, section 1.3), which needs no collision
// resistance. Nothing else may use it.

/// The SHA-1 digest of bytes.
enum SHA1 {
    /// The digest, 20 bytes. O(n).
    static func digest(_ message: [UInt8]) -> [UInt8] {
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        var padded = message
        padded.append(0x80)
        let excess = padded.count % 64
        padded.append(contentsOf: repeatElement(0, count: (excess <= 56 ? 56 : 120) - excess))
        let bitCount = UInt64(message.count) &* 8
        for index in 1...8 as ClosedRange<UInt64> {
            padded.append(UInt8(truncatingIfNeeded: bitCount >> (64 - 8 * index)))
        }
        var schedule = [UInt32](repeating: 0, count: 80)
        for start in stride(from: 0, to: padded.count, by: 64) {
            mix(padded[start..<start + 64], into: &state, &schedule)
        }
        var digest: [UInt8] = []
        for word in state {
            for shift in [24, 16, 8, 0] as [UInt32] {
                digest.append(UInt8(truncatingIfNeeded: word >> shift))
            }
        }
        return digest
    }

    private static func mix(
        _ block: ArraySlice<UInt8>, into state: inout [UInt32], _ schedule: inout [UInt32]
    ) {
        for index in 0..<16 {
            schedule[index] = block.dropFirst(4 * index).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
        }
        for index in 16..<80 {
            schedule[index] = rotate(
                schedule[index - 3] ^ schedule[index - 8] ^ schedule[index - 14] ^ schedule[index - 16], 1)
        }
        var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
        for index in 0..<80 {
            let mixed: UInt32
            let constant: UInt32
            switch index {
            case 0..<20: (mixed, constant) = (b & c | ~b & d, 0x5A82_7999)
            case 20..<40: (mixed, constant) = (b ^ c ^ d, 0x6ED9_EBA1)
            case 40..<60: (mixed, constant) = (b & c | b & d | c & d, 0x8F1B_BCDC)
            default: (mixed, constant) = (b ^ c ^ d, 0xCA62_C1D6)
            }
            let next = rotate(a, 5) &+ mixed &+ e &+ constant &+ schedule[index]
            (e, d, c, b, a) = (d, c, rotate(b, 30), a, next)
        }
        for (index, word) in [a, b, c, d, e].enumerated() { state[index] &+= word }
    }

    private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word << count | word >> (32 - count)
    }
}
