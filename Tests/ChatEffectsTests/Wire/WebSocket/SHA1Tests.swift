// The published vectors of FIPS 180, and the proof that the standard of WebSocket computes.

import ChatDomain
@testable import ChatEffects
import Testing

@Suite("SHA-1")
struct SHA1Tests {
    @Test(
        "The digests are those of FIPS 180",
        arguments: [
            ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
            ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
            ),
            (
                "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
                "a49b2446a02c645bf419f995b67091253a04a259"
            ),
            (String(repeating: "a", count: 100_000), "c4d4b30851182fc4eb8675494d42fd7f17e29c93"),
            (
                String(
                    repeating: "0123456701234567012345670123456701234567012345670123456701234567", count: 10),
                "dea356a2cddd90c7a7ecedc5ebb563934f460452"
            ),
        ])
    func vectors(message: String, digest: String) {
        #expect(hexadecimal(SHA1.digest(Array(message.utf8))) == digest)
    }

    @Test(
        "Lengths about the end of a block are padded right",
        arguments: [
            (55, "cef734ba81a024479e09eb5a75b6ddae62e6abf1"),
            (56, "901305367c259952f4e7af8323f480d59f81335b"),
            (63, "0ddc4e0cccd9a12850deb5abb0853a4425559fec"),
            (64, "bb2fa3ee7afb9f54c6dfb5d021f14b1ffe40c163"),
            (65, "78c741ddc482e4cdf8c474a0876347a0905b6233"),
            (119, "4300320394f7ee239bcdce7d3b8bcee173a0cd5c"),
            (120, "ceb2821639c4b6dcb10bce0e522ca2e608ce056d"),
        ])
    func padding(length: Int, digest: String) {
        #expect(hexadecimal(SHA1.digest([UInt8](repeating: UInt8(ascii: "x"), count: length))) == digest)
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
