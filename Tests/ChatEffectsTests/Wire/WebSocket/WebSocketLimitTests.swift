// What long and hostile traffic meets: a limit with its name, or a message that is passed over; and memory that does
// not grow.

import ChatDomain
@testable import ChatEffects
import Testing

@Suite("WebSocket: limits")
struct WebSocketLimitTests {
    @Test(
        "L8: a message has at most 1 MiB and a frame 128 MiB unless said otherwise, and no limit is negative")
    func defaults() {
        #expect(WebSocketPolicy().messageLimit == 1_048_576)
        #expect(WebSocketPolicy().frameLimit == 134_217_728)
        #expect(
            WebSocketPolicy(messageLimit: -1, frameLimit: .min)
                == WebSocketPolicy(messageLimit: 0, frameLimit: 0))
    }

    @Test(
        "Limits (9): messages of 64 KiB to 1 MiB arrive, whole and in fragments of 64 bytes to 256 KiB",
        arguments: WebSocketPeers.both)
    func long(_ peers: WebSocketPeers) {
        let unit = Array("0123456789äöü€😀 ".utf8)
        for length in [65_536, 262_144, 1_048_576] {
            var payload: [UInt8] = []
            while payload.count + unit.count <= length { payload += unit }
            payload += [UInt8](repeating: 0x20, count: length - payload.count)
            let whole = peers.frame(0x1, payload)
            for size in [1_000, 16_384, whole.count] {
                let pieces = stride(from: 0, to: whole.count, by: size).map {
                    whole[$0..<min($0 + size, whole.count)]
                }
                #expect(peers.read(pieces).steps == [.received(.text(payload))])
            }
            for size in [64, 4_096, 262_144] where size <= length && length / size <= 4_096 {
                var bytes: [UInt8] = []
                for start in stride(from: 0, to: length, by: size) {
                    bytes += peers.frame(
                        start == 0 ? 0x2 : 0x0, Array(payload[start..<start + size]),
                        isFinal: start + size == length)
                }
                #expect(peers.read([bytes[...]]).steps == [.received(.binary(payload))])
            }
        }
    }

    @Test(
        "L8: a message of as many bytes as the limit passes, one more is passed over and counted",
        arguments: WebSocketPeers.both)
    func skipped(_ both: WebSocketPeers) {
        let peers = WebSocketPeers(role: both.role, policy: WebSocketPolicy(messageLimit: 10))
        let after: [WebSocketStep] = [peers.sendsPong(), webSocketPing(), webSocketText("after")]
        func steps(_ bytes: [UInt8]) -> [WebSocketStep] {
            peers.steps(bytes + peers.ping() + peers.text("after"))
        }
        #expect(steps(peers.text("0123456789")) == [webSocketText("0123456789")] + after)
        #expect(steps(peers.text("0123456789a")) == [.received(.skipped)] + after)
        #expect(steps(peers.frame(0x2, [UInt8](repeating: 0, count: 300))) == [.received(.skipped)] + after)
        // Over the limit in the second of three fragments, with a Ping between; the third alone would be small enough.
        let fragments = peers.text("0123456", isFinal: false) + peers.continuation("789a", isFinal: false)
        #expect(
            steps(fragments + peers.ping("p") + peers.continuation("b")) == [
                peers.sendsPong("p"), webSocketPing("p"), .received(.skipped),
            ] + after)
        // Nothing checks the text of a message that is passed over, and the next text begins anew.
        let cut = peers.frame(0x1, Array("012345678".utf8) + [0xE2], isFinal: false)
        #expect(steps(cut + peers.frame(0x0, [0xFF])) == [.received(.skipped)] + after)
    }

    @Test(
        "L8: by policy a message over the limit ends the connection with 1009", arguments: WebSocketPeers.both
    )
    func failed(_ both: WebSocketPeers) {
        let policy = WebSocketPolicy(messageLimit: 10, oversizedMessage: .fail)
        let peers = WebSocketPeers(role: both.role, policy: policy)
        let failure = peers.fails(.messageTooLong(limit: 10))
        #expect(WebSocketError.messageTooLong(limit: 10).closeCode == 1009)
        #expect(peers.steps(peers.text("0123456789a") + peers.ping()) == failure)
        let fragments = peers.text("0123456", isFinal: false) + peers.continuation("789a", isFinal: false)
        #expect(peers.steps(fragments) == failure)
        // The head alone says it.
        #expect(peers.steps(Array(peers.frame(0x1, length: .claimed(70_000)).prefix(10))) == failure)
    }

    @Test(
        "L8: a frame over its limit ends the connection with 1009, also within a message that is passed over",
        arguments: WebSocketPeers.both)
    func frame(_ both: WebSocketPeers) {
        let peers = WebSocketPeers(role: both.role, policy: WebSocketPolicy(messageLimit: 10, frameLimit: 20))
        let failure = peers.fails(.frameTooLong(limit: 20))
        #expect(WebSocketError.frameTooLong(limit: 20).closeCode == 1009)
        let long = String(repeating: "x", count: 21)
        #expect(peers.steps(peers.text(String(long.dropLast()))) == [.received(.skipped)])
        #expect(peers.steps(peers.text(long)) == failure)
        #expect(
            peers.steps(peers.text("more than ten", isFinal: false) + peers.continuation(long)) == failure)
    }

    @Test(
        "Limits (9): a length of more than 63 bits, or near it, ends the connection and reserves nothing",
        arguments: WebSocketPeers.both)
    func hostileLengths(_ both: WebSocketPeers) {
        let unlimited = WebSocketPolicy(messageLimit: .max, frameLimit: .max)
        for opcode in [0x1, 0x2] as [UInt8] {
            for length in [1 << 63, 1 << 63 | 5, .max] as [UInt64] {
                let bytes = both.frame(opcode, [1, 2, 3], length: .claimed(length))
                #expect(both.steps(bytes) == both.fails(.lengthOutOfRange))
                let peers = WebSocketPeers(role: both.role, policy: unlimited)
                #expect(peers.steps(bytes) == peers.fails(.lengthOutOfRange))
            }
            for length in [1 << 62, 1 << 63 - 1] as [UInt64] {
                let bytes = both.frame(opcode, [1, 2, 3], length: .claimed(length))
                #expect(both.steps(bytes) == both.fails(.frameTooLong(limit: 134_217_728)))
                let peers = WebSocketPeers(role: both.role, policy: unlimited)
                #expect(peers.steps(bytes).isEmpty)
                let skipping = WebSocketPeers(role: both.role, policy: WebSocketPolicy(frameLimit: .max))
                #expect(skipping.steps(bytes).isEmpty)
            }
        }
    }

    @Test(
        "Limits (9): fragments whose lengths have no sum are over any limit", arguments: WebSocketPeers.both)
    func hostileSum(_ both: WebSocketPeers) {
        let policy = WebSocketPolicy(messageLimit: .max, frameLimit: .max, oversizedMessage: .fail)
        let peers = WebSocketPeers(role: both.role, policy: policy)
        let first = peers.frame(0x2, [1, 2, 3], isFinal: false)
        let fits = peers.frame(0x0, [4], length: .claimed(1 << 63 - 4))
        #expect(peers.steps(first + fits).isEmpty)
        let overflows = peers.frame(0x0, [4], length: .claimed(1 << 63 - 3))
        #expect(peers.steps(first + overflows) == peers.fails(.messageTooLong(limit: .max)))
    }

    @Test("L8: a message that is passed over is not kept, however long, nor are fragments without an end")
    func notKept() {
        let peers = WebSocketPeers(role: .client, policy: WebSocketPolicy(messageLimit: 100))
        let part = [UInt8](repeating: 0x61, count: 1000)
        var short = WebSocketConnection(.client, peers.policy)
        short.receive(peers.frame(0x1, part, isFinal: false), maskingKey: { 0 }, { _ in })
        var long = short
        for _ in 0..<1000 {
            long.receive(peers.frame(0x0, part, isFinal: false), maskingKey: { 0 }, { _ in })
        }
        #expect(short == long)
        var empty = WebSocketConnection(.client)
        empty.receive(peers.frame(0x1, isFinal: false), maskingKey: { 0 }, { _ in })
        long = empty
        for _ in 0..<1000 { long.receive(peers.frame(0x0, isFinal: false), maskingKey: { 0 }, { _ in }) }
        #expect(empty == long)
    }

    @Test("L8: a connection that is closed keeps nothing", arguments: WebSocketPeers.both)
    func released(_ peers: WebSocketPeers) {
        let open = peers.text("held back", isFinal: false)
        for end in [peers.close(1000), peers.frame(0x3)] {
            #expect(peers.read([(open + end)[...]]).after == peers.read([end[...]]).after)
        }
    }
}
