// Messages in several frames, with control frames between them.

import ChatDomain
@testable import ChatEffects
import Testing

@Suite("WebSocket: fragments")
struct WebSocketFragmentationTests {
    @Test(
        "Fragmentation (5): a control frame in fragments ends the connection", arguments: WebSocketPeers.both)
    func control(_ peers: WebSocketPeers) {
        for opcode in [0x8, 0x9, 0xA] as [UInt8] {
            let bytes = peers.frame(opcode, Array("fragment1".utf8), isFinal: false)
            #expect(
                peers.steps(bytes + peers.continuation("fragment2")) == peers.fails(.fragmentedControlFrame))
        }
    }

    @Test("Fragmentation (5): fragments make one message, also empty ones", arguments: WebSocketPeers.both)
    func fragments(_ peers: WebSocketPeers) {
        let two = peers.text("fragment1", isFinal: false) + peers.continuation("fragment2")
        #expect(peers.steps(two) == [webSocketText("fragment1fragment2")])
        let empty = peers.text("", isFinal: false) + peers.continuation("", isFinal: false)
        #expect(peers.steps(empty + peers.continuation("")) == [webSocketText("")])
        let middle = empty + peers.continuation("middle", isFinal: false) + peers.continuation("")
        #expect(peers.steps(middle) == [webSocketText("middle")])
        let bytes = peers.frame(0x2, [0xFF], isFinal: false) + peers.frame(0x0, [0xC0])
        #expect(peers.steps(bytes) == [.received(.binary([0xFF, 0xC0]))])
    }

    @Test(
        "Fragmentation (5): a Ping between fragments is answered before the message",
        arguments: WebSocketPeers.both)
    func pingBetween(_ peers: WebSocketPeers) {
        let bytes =
            peers.text("fragment1", isFinal: false) + peers.ping("ping") + peers.continuation("fragment2")
        #expect(
            peers.steps(bytes) == [
                peers.sendsPong("ping"), webSocketPing("ping"), webSocketText("fragment1fragment2"),
            ])
    }

    @Test(
        "Fragmentation (5): five fragments with Pings and Pongs among them make one message",
        arguments: WebSocketPeers.both)
    func manyBetween(_ peers: WebSocketPeers) {
        var bytes = peers.text("1", isFinal: false) + peers.continuation("2", isFinal: false)
        bytes += peers.ping("a") + peers.continuation("3", isFinal: false) + peers.frame(0xA, [9])
        bytes += peers.continuation("4", isFinal: false) + peers.ping("b") + peers.continuation("5")
        #expect(
            peers.steps(bytes + peers.text("next")) == [
                peers.sendsPong("a"), webSocketPing("a"), .received(.pong([9])), peers.sendsPong("b"),
                webSocketPing("b"), webSocketText("12345"), webSocketText("next"),
            ])
    }

    @Test(
        "Fragmentation (5): a fragment that continues nothing ends the connection",
        arguments: WebSocketPeers.both, [true, false])
    func nothingToContinue(_ peers: WebSocketPeers, isFinal: Bool) {
        let stray = peers.continuation("non-continuation", isFinal: isFinal)
        #expect(peers.steps(stray + peers.text("Hello")) == peers.fails(.unexpectedContinuation))
        let message = peers.text("fragment1", isFinal: false) + peers.continuation("fragment2")
        #expect(
            peers.steps(message + stray + peers.text("Hello"))
                == [webSocketText("fragment1fragment2")] + peers.fails(.unexpectedContinuation))
        #expect(
            peers.steps(peers.text("whole") + stray) == [webSocketText("whole")]
                + peers.fails(.unexpectedContinuation))
        #expect(
            peers.steps(peers.ping() + stray) == [peers.sendsPong(), webSocketPing()]
                + peers.fails(.unexpectedContinuation))
    }

    @Test(
        "Fragmentation (5): a message that begins inside another one ends the connection",
        arguments: WebSocketPeers.both, [0x1, 0x2] as [UInt8])
    func interrupted(_ peers: WebSocketPeers, opcode: UInt8) {
        for isFinal in [true, false] {
            let second = peers.frame(opcode, Array("fragment2".utf8), isFinal: isFinal)
            #expect(
                peers.steps(peers.text("fragment1", isFinal: false) + second)
                    == peers.fails(.interruptedMessage))
        }
    }
}
