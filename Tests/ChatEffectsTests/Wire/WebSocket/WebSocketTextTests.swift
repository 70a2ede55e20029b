// The check of texts for UTF-8: at once, at the first byte that is wrong, over pieces and fragments.

import ChatDomain
@testable import ChatEffects
import TestVolume
import Testing

@Suite("WebSocket: UTF-8")
struct WebSocketTextTests {
    /// Well-formed texts, among them the first and the last character of each length, and non-characters.
    static let valid: [String] =
        ["", "Hello-µ@ßöäüàá-UTF-8!!", "κόσμε", "日本語, 한국어, עברית", "😀👩‍👩‍👧"]
        + [
            0x00, 0x7F, 0x80, 0x7FF, 0x800, 0xFFFD, 0xFFFF, 0x10000, 0x10FFFF, 0xD7FF, 0xE000, 0xFDD0, 0xFFFE,
            0x1FFFE, 0x10FFFE, 0x3FFFF, 0xFEFF,
        ].compactMap { Unicode.Scalar($0 as UInt32).map { String($0) } }

    /// Ill-formed bytes with the number of bytes that are well-formed so far.
    static let invalid: [(bytes: [UInt8], good: Int)] = [
        // Bytes that continue nothing.
        ([0x80], 0), ([0xBF], 0), ([0x80, 0xBF, 0x80], 0), ([0xCE, 0xBA, 0xBA], 2),
        // A first byte without what follows it.
        ([0xC2, 0x20], 1), ([0xE0, 0xA0, 0x20], 2), ([0xF0, 0x90, 0x80, 0x20], 3), ([0xDF, 0xDF], 1),
        ([0xEF, 0xBF, 0xEF], 2), ([0xF4, 0x8F, 0xBF, 0xC0], 3),
        // More bytes than the least.
        ([0xC0, 0xAF], 0), ([0xC1, 0xBF], 0), ([0xE0, 0x80, 0xAF], 1), ([0xE0, 0x9F, 0xBF], 1),
        ([0xF0, 0x80, 0x80, 0xAF], 1), ([0xF0, 0x8F, 0xBF, 0xBF], 1),
        // Halves of a surrogate pair, and a pair.
        ([0xED, 0xA0, 0x80], 1), ([0xED, 0xBF, 0xBF], 1), ([0xED, 0xA0, 0x80, 0xED, 0xB0, 0x80], 1),
        // Beyond the last character; five and six bytes; bytes of no text.
        ([0xF4, 0x90, 0x80, 0x80], 1), ([0xF5, 0x80, 0x80, 0x80], 0), ([0xF7, 0xBF, 0xBF, 0xBF], 0),
        ([0xF8, 0x88, 0x80, 0x80, 0x80], 0), ([0xFC, 0x84, 0x80, 0x80, 0x80, 0x80], 0), ([0xFE], 0),
        ([0xFF], 0),
    ]

    @Test("L9: UTF-8 (6): well-formed text passes in any split", arguments: WebSocketPeers.both, valid)
    func passes(_ peers: WebSocketPeers, text: String) {
        for around in ["", "x", "exactly8", "κ"] {
            let whole = around + text + around
            #expect(peers.steps(peers.text(whole)) == [webSocketText(whole)])
        }
    }

    @Test("UTF-8 (6): a character may lie in several fragments", arguments: WebSocketPeers.both, valid)
    func fragmented(_ peers: WebSocketPeers, text: String) {
        let bytes = Array("a\(text)b".utf8)
        var frames = peers.frame(0x1, [], isFinal: false)
        for byte in bytes { frames += peers.frame(0x0, [byte], isFinal: false) + peers.ping() }
        let pings = bytes.flatMap { _ in [peers.sendsPong(), webSocketPing()] }
        #expect(peers.steps(frames + peers.frame(0x0)) == pings + [.received(.text(bytes))])
    }

    @Test(
        "UTF-8 (6): ill-formed text ends the connection with 1007, whole or in fragments",
        arguments: WebSocketPeers.both, invalid.indices)
    func fails(_ peers: WebSocketPeers, index: Int) {
        let bytes = Array("κόσμε".utf8) + Self.invalid[index].bytes + Array("edited".utf8)
        #expect(peers.steps(peers.frame(0x1, bytes)) == peers.fails(.invalidUTF8))
        var frames = peers.frame(0x1, [], isFinal: false)
        for byte in bytes { frames += peers.frame(0x0, [byte], isFinal: false) }
        #expect(peers.steps(frames + peers.frame(0x0)) == peers.fails(.invalidUTF8))
        #expect(peers.steps(peers.frame(0x2, bytes)) == [.received(.binary(bytes))])
    }

    @Test(
        "UTF-8 (6): it fails at the first wrong byte, although the frame and the message go on",
        arguments: WebSocketPeers.both, invalid.indices)
    func failsEarly(_ peers: WebSocketPeers, index: Int) {
        let (bytes, good) = Self.invalid[index]
        let start = Array("12345678 κόσμε".utf8)
        let frame = peers.frame(0x1, start + bytes + [UInt8](repeating: 0x61, count: 90), isFinal: false)
        let head = frame.count - start.count - bytes.count - 90
        let before = Array(frame[..<(head + start.count + good)])
        #expect(peers.steps(before).isEmpty)
        #expect(peers.steps(before + [frame[before.count]]) == peers.fails(.invalidUTF8))
    }

    @Test(
        "UTF-8 (6): a text that ends inside a character ends the connection", arguments: WebSocketPeers.both)
    func incomplete(_ peers: WebSocketPeers) {
        for character in ["é", "€", "😀"] {
            for count in 1..<character.utf8.count {
                let part = Array(character.utf8.prefix(count))
                #expect(peers.steps(peers.frame(0x1, part)) == peers.fails(.invalidUTF8))
                let open = peers.frame(0x1, part, isFinal: false)
                #expect(peers.steps(open).isEmpty)
                #expect(peers.steps(open + peers.frame(0x0)) == peers.fails(.invalidUTF8))
            }
        }
    }

    @Test("UTF-8 (6): one text's end does not reach the next text", arguments: WebSocketPeers.both)
    func independent(_ peers: WebSocketPeers) {
        let bytes = peers.frame(0x2, [0xE2, 0x82]) + peers.text("é") + peers.frame(0x1, [0xAC])
        #expect(
            peers.steps(bytes) == [.received(.binary([0xE2, 0x82])), webSocketText("é")]
                + peers.fails(.invalidUTF8))
    }

    @Test("The check agrees with the standard library on all beginnings of characters, behind any ASCII")
    func agrees() {
        let edges: [UInt8] = [
            0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC,
            0xED, 0xEE,
            0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
        ]
        var accepted = 0
        func check(_ bytes: [UInt8]) {
            var whole = UTF8Check()
            let passes = bytes.withUnsafeBufferPointer { whole.passes($0) } && whole.isComplete
            var single = UTF8Check()
            let passesSingly =
                bytes.allSatisfy { byte in
                    withUnsafePointer(to: byte) {
                        single.passes(UnsafeBufferPointer(start: $0, count: 1))
                    }
                } && single.isComplete
            let expected = isWellFormed(bytes)
            if passes != expected || passesSingly != expected { Issue.record("\(bytes)") }
            if expected { accepted += 1 }
        }
        for first in 0...255 as ClosedRange<UInt8> {
            for second in stride(from: 0, through: 255, by: thoroughly(1, otherwise: 5))
                as StrideThrough<UInt8>
            {
                check([first, second])
            }
        }
        for first in edges {
            for second in edges {
                for third in edges {
                    for fourth: UInt8 in [0x41, 0x80, 0xBF, 0xC2] { check([first, second, third, fourth]) }
                    check([UInt8](repeating: 0x20, count: 7) + [first, second, third])
                }
            }
        }
        #expect(accepted > thoroughly(17_000, otherwise: 4_000))
    }
}
