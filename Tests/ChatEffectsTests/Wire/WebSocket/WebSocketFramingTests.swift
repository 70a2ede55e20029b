// Single frames: lengths, Ping and Pong, reserved bits, opcodes and masking.

import ChatDomain
@testable import ChatEffects
import TestVolume
import Testing

@Suite("WebSocket: frames")
struct WebSocketFramingTests {
    static let lengths = thoroughly(
        [0, 1, 124, 125, 126, 127, 128, 255, 256, 65_535, 65_536, 65_537],
        otherwise: [0, 1, 125, 126, 65_535, 65_536])

    @Test(
        "L9: framing (1): a text of any length arrives in any split", arguments: WebSocketPeers.both, lengths)
    func text(_ peers: WebSocketPeers, length: Int) {
        let payload = [UInt8](repeating: UInt8(ascii: "*"), count: length)
        #expect(peers.steps(peers.frame(0x1, payload)) == [.received(.text(payload))])
    }

    @Test("L9: framing (1): bytes of any length arrive in any split", arguments: WebSocketPeers.both, lengths)
    func binary(_ peers: WebSocketPeers, length: Int) {
        let payload = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        #expect(peers.steps(peers.frame(0x2, payload)) == [.received(.binary(payload))])
    }

    @Test("Framing (1): messages follow each other in one piece", arguments: WebSocketPeers.both)
    func several(_ peers: WebSocketPeers) {
        #expect(
            peers.steps(peers.text("a") + peers.text("") + peers.frame(0x2, [0xFF]) + peers.text("é")) == [
                webSocketText("a"), webSocketText(""), .received(.binary([0xFF])), webSocketText("é"),
            ])
    }

    @Test(
        "Framing (1): a length in more bytes than it needs is an error", arguments: WebSocketPeers.both,
        [0, 1, 125, 126, 65_535])
    func notMinimal(_ peers: WebSocketPeers, length: Int) {
        let payload = [UInt8](repeating: UInt8(ascii: "*"), count: length)
        #expect(peers.steps(peers.frame(0x1, payload, length: .eightBytes)) == peers.fails(.lengthNotMinimal))
        guard length < 126 else { return }
        #expect(peers.steps(peers.frame(0x1, payload, length: .twoBytes)) == peers.fails(.lengthNotMinimal))
    }

    @Test(
        "Ping (2): each is answered by a Pong with its payload", arguments: WebSocketPeers.both,
        [0, 1, 2, 125])
    func ping(_ peers: WebSocketPeers, length: Int) {
        let payload = (0..<length).map { UInt8(truncatingIfNeeded: 0xFE &- $0) }
        #expect(
            peers.steps(peers.frame(0x9, payload)) == [peers.sends(0xA, payload), .received(.ping(payload))])
    }

    @Test("Ping (2): ten are answered by ten, in order", arguments: WebSocketPeers.both)
    func pings(_ peers: WebSocketPeers) {
        let numbers = (0..<10).map { "payload-\($0)" }
        #expect(
            peers.steps(numbers.flatMap { peers.ping($0) })
                == numbers.flatMap { [peers.sendsPong($0), webSocketPing($0)] })
    }

    @Test("Ping (2): 126 bytes are too many, and so are more", arguments: WebSocketPeers.both, [126, 70_000])
    func longPing(_ peers: WebSocketPeers, length: Int) {
        let payload = [UInt8](repeating: 0xFE, count: length)
        for opcode in [0x8, 0x9, 0xA] as [UInt8] {
            #expect(peers.steps(peers.frame(opcode, payload)) == peers.fails(.controlFrameTooLong))
        }
    }

    @Test("Pong (2): one that nobody asked for is passed on and not answered", arguments: WebSocketPeers.both)
    func pong(_ peers: WebSocketPeers) {
        let unasked = peers.frame(0xA) + peers.frame(0xA, [1, 2])
        #expect(
            peers.steps(unasked + peers.ping("p")) == [
                .received(.pong([])), .received(.pong([1, 2])), peers.sendsPong("p"), webSocketPing("p"),
            ])
    }

    @Test(
        "Reserved bits (3): each set bit ends the connection, after what came before",
        arguments: WebSocketPeers.both, 1...7 as ClosedRange<UInt8>)
    func reservedBits(_ peers: WebSocketPeers, bits: UInt8) {
        for opcode in [0x0, 0x1, 0x2, 0x8, 0x9, 0xA] as [UInt8] {
            let bytes = peers.text("a") + peers.frame(opcode, reserved: bits) + peers.ping()
            #expect(peers.steps(bytes) == [webSocketText("a")] + peers.fails(.reservedBits))
        }
    }

    @Test(
        "Opcodes (4): one without a meaning ends the connection, with or without a payload",
        arguments: WebSocketPeers.both, [3, 4, 5, 6, 7, 11, 12, 13, 14, 15] as [UInt8])
    func reservedOpcodes(_ peers: WebSocketPeers, opcode: UInt8) {
        for payload in [[], Array("reserved".utf8)] {
            let bytes = peers.text("a") + peers.frame(opcode, payload) + peers.ping()
            #expect(peers.steps(bytes) == [webSocketText("a")] + peers.fails(.reservedOpcode(opcode)))
        }
    }

    @Test("Masking: a client takes no masked frame, a server no other", arguments: WebSocketPeers.both)
    func wrongMasking(_ peers: WebSocketPeers) {
        for opcode in [0x1, 0x2, 0x8, 0x9, 0xA] as [UInt8] {
            for payload in [[], Array("masked?".utf8)] {
                let bytes = peers.frame(opcode, payload, isMasked: peers.role == .client)
                #expect(peers.steps(bytes + peers.ping()) == peers.fails(.wrongMasking))
            }
        }
    }

    @Test("Masking: each byte meets its byte of the key, from any start, for any length")
    func mask() {
        let keyBytes: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
        for start in 0..<12 {
            for count in 0..<40 {
                var bytes = (0..<start + count).map { UInt8($0 * 5) }
                let plain = bytes
                let following = bytes.withUnsafeMutableBufferPointer {
                    WebSocketFrame.mask(UnsafeMutableBufferPointer(rebasing: $0[start...]), with: maskingKey)
                }
                #expect(bytes[..<start] == plain[..<start])
                for index in 0..<count {
                    #expect(bytes[start + index] == plain[start + index] ^ keyBytes[index % 4])
                }
                #expect(UInt8(following >> 24) == keyBytes[count % 4])
            }
        }
    }

    @Test("Masking: a key of zero masks nothing, and the example of the standard is read (RFC 6455, 5.7)")
    func examples() {
        let server = WebSocketPeers(role: .server), client = WebSocketPeers(role: .client)
        #expect(server.steps([0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69]) == [webSocketText("hi")])
        #expect(
            server.steps([0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]) == [
                webSocketText("Hello")
            ])
        #expect(client.steps([0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F]) == [webSocketText("Hello")])
        #expect(
            client.steps([0x01, 0x03, 0x48, 0x65, 0x6C, 0x80, 0x02, 0x6C, 0x6F]) == [webSocketText("Hello")])
        #expect(
            client.steps([0x89, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F]) == [
                client.sends(0xA, Array("Hello".utf8)), webSocketPing("Hello"),
            ])
    }
}
