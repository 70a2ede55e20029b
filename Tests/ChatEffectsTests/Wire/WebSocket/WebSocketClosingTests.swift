// The closing handshake, from either side.

import ChatDomain
@testable import ChatEffects
import TestVolume
import Testing

@Suite("WebSocket: closing")
struct WebSocketClosingTests {
    @Test(
        "Closing (7): a Close is echoed with its code and ends the connection", arguments: WebSocketPeers.both
    )
    func echo(_ peers: WebSocketPeers) {
        #expect(
            peers.steps(peers.text("Hello") + peers.close(1000, Array("bye".utf8))) == [
                webSocketText("Hello"), peers.sendsClose(1000), .received(.closed(code: 1000, reason: "bye")),
            ])
        #expect(peers.read([peers.close(1000)[...]]).after.phase == .closed)
    }

    @Test(
        "Closing (7): a Close without a code is echoed without one, and is told as 1005",
        arguments: WebSocketPeers.both)
    func empty(_ peers: WebSocketPeers) {
        #expect(
            peers.steps(peers.frame(0x8)) == [peers.sends(0x8), .received(.closed(code: 1005, reason: ""))])
    }

    @Test("Closing (7): nothing after a Close is heard or answered", arguments: WebSocketPeers.both)
    func after(_ peers: WebSocketPeers) {
        let closed = [peers.sendsClose(1001), .received(.closed(code: 1001, reason: ""))]
        let others = [
            peers.close(1000), peers.ping("late"), peers.text("late"), peers.frame(0x3),
            peers.frame(0x1, reserved: 7),
            [0xFF, 0xFF], peers.close(1001) + peers.ping(),
        ]
        for other in others { #expect(peers.steps(peers.close(1001) + other) == closed) }
    }

    @Test("Closing (7): a Close between fragments drops the message", arguments: WebSocketPeers.both)
    func between(_ peers: WebSocketPeers) {
        let bytes =
            peers.text("fragment1", isFinal: false) + peers.close(1000) + peers.continuation("fragment2")
        #expect(peers.steps(bytes) == [peers.sendsClose(1000), .received(.closed(code: 1000, reason: ""))])
    }

    @Test("Closing (7): a long message, a Close and a Ping in one piece", arguments: WebSocketPeers.both)
    func long(_ peers: WebSocketPeers) {
        let text = String(repeating: "BAsd7&jh23", count: thoroughly(26_000, otherwise: 7_000))
        let bytes = peers.text(text) + peers.close(1000) + peers.ping()
        #expect(
            peers.steps(bytes) == [
                webSocketText(text), peers.sendsClose(1000), .received(.closed(code: 1000, reason: "")),
            ])
    }

    @Test(
        "Closing (7): a reason of up to 123 bytes is told, and 124 are too many",
        arguments: WebSocketPeers.both)
    func reason(_ peers: WebSocketPeers) {
        for reason in ["Hello World!", String(repeating: "*", count: 123), String(repeating: "é", count: 61)]
        {
            #expect(
                peers.steps(peers.close(1000, Array(reason.utf8))) == [
                    peers.sendsClose(1000), .received(.closed(code: 1000, reason: ExactText(reason))),
                ])
        }
        let long = [UInt8](repeating: UInt8(ascii: "*"), count: 124)
        #expect(peers.steps(peers.close(1000, long)) == peers.fails(.controlFrameTooLong))
    }

    @Test("Closing (7): half a code is an error", arguments: WebSocketPeers.both)
    func halfCode(_ peers: WebSocketPeers) {
        #expect(peers.steps(peers.frame(0x8, [3])) == peers.fails(.halfCloseCode))
    }

    @Test("Closing (7): a reason that is not UTF-8 is an error with 1007", arguments: WebSocketPeers.both)
    func reasonIsText(_ peers: WebSocketPeers) {
        let reasons: [[UInt8]] = [
            [0xCE, 0xBA, 0xE1, 0xBD, 0xB9, 0xCF, 0x83, 0xCE, 0xBC, 0xCE, 0xB5, 0xED, 0xA0, 0x80, 0x65],
            [0xC3], [0xFF],
        ]
        for reason in reasons { #expect(peers.steps(peers.close(1000, reason)) == peers.fails(.invalidUTF8)) }
    }

    @Test(
        "Closing (7): a legal code is echoed", arguments: WebSocketPeers.both,
        [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999]
            as [UInt16])
    func legalCode(_ peers: WebSocketPeers, code: UInt16) {
        #expect(
            peers.steps(peers.close(code)) == [
                peers.sendsClose(code), .received(.closed(code: Int64(code), reason: "")),
            ])
    }

    @Test(
        "Closing (7): a code that is not legal on the wire is an error with 1002",
        arguments: WebSocketPeers.both,
        [
            0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 32_768, 65_535,
        ] as [UInt16])
    func illegalCode(_ peers: WebSocketPeers, code: UInt16) {
        #expect(peers.steps(peers.close(code)) == peers.fails(.illegalCloseCode(Int64(code))))
        #expect(peers.steps(peers.close(code, [0x61])) == peers.fails(.illegalCloseCode(Int64(code))))
    }

    // MARK: This side closes

    @Test(
        "Closing (7): after this side's Close nothing is sent, messages still arrive, and the peer's Close is the end",
        arguments: WebSocketPeers.both)
    func begun(_ peers: WebSocketPeers) {
        var connection = WebSocketConnection(peers.role)
        var steps: [WebSocketStep] = []
        func receive(_ bytes: [UInt8]) {
            connection.receive(bytes, maskingKey: { maskingKey }, { steps.append($0) })
        }
        let frame = connection.close(code: 1001, reason: "leaving", maskingKey: maskingKey)
        #expect(frame.map { .send($0) } == peers.sendsClose(1001, "leaving"))
        #expect(connection.phase == .closing)
        #expect(connection.close(maskingKey: maskingKey) == nil)
        #expect(connection.text("late", maskingKey: maskingKey) == nil)
        #expect(connection.binary([1], maskingKey: maskingKey) == nil)
        #expect(connection.ping(maskingKey: maskingKey) == nil)
        receive(peers.ping("p") + peers.text("last words"))
        #expect(steps == [webSocketPing("p"), webSocketText("last words")])
        #expect(connection.phase == .closing)
        receive(peers.close(1001) + peers.ping())
        #expect(steps.suffix(1) == [.received(.closed(code: 1001, reason: ""))] && steps.count == 3)
        #expect(connection.phase == .closed)
        #expect(connection.close(maskingKey: maskingKey) == nil)
    }

    @Test(
        "Closing (7): a violation after this side's Close is told and not answered",
        arguments: WebSocketPeers.both)
    func violationWhileClosing(_ peers: WebSocketPeers) {
        var connection = WebSocketConnection(peers.role)
        _ = connection.close(maskingKey: maskingKey)
        var steps: [WebSocketStep] = []
        connection.receive(peers.frame(0x3), maskingKey: { maskingKey }, { steps.append($0) })
        #expect(steps == [.failed(.reservedOpcode(3))])
        #expect(connection.phase == .closed)
    }

    @Test("Closing (7): after a violation nothing is heard or sent", arguments: WebSocketPeers.both)
    func afterViolation(_ peers: WebSocketPeers) {
        var connection = WebSocketConnection(peers.role)
        var steps: [WebSocketStep] = []
        connection.receive(peers.frame(0x3), maskingKey: { maskingKey }, { steps.append($0) })
        #expect(steps == peers.fails(.reservedOpcode(3)))
        connection.receive(peers.text("late"), maskingKey: { maskingKey }, { steps.append($0) })
        #expect(steps.count == 2)
        #expect(connection.phase == .closed)
        #expect(connection.text("late", maskingKey: maskingKey) == nil)
        #expect(connection.close(maskingKey: maskingKey) == nil)
    }

    @Test(
        "Closing (7): what this side sends is legal, whatever code and reason it is told",
        arguments: WebSocketPeers.both)
    func ownCodes(_ peers: WebSocketPeers) {
        func sent(_ code: Int64, _ reason: ExactText) -> WebSocketStep? {
            var connection = WebSocketConnection(peers.role)
            return connection.close(code: code, reason: reason, maskingKey: maskingKey).map { .send($0) }
        }
        for code in [.min, -1, 0, 999, 1004, 1005, 1006, 1015, 5000, 66_536, .max] as [Int64] {
            #expect(sent(code, "reason") == peers.sends(0x8))
        }
        #expect(sent(4000, "") == peers.sendsClose(4000))
        let long = ExactText(String(repeating: "é", count: 62))
        #expect(sent(1000, long) == peers.sendsClose(1000, String(repeating: "é", count: 61)))
    }
}
