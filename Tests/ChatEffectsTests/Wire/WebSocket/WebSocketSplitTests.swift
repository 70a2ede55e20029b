// How a stream is split changes nothing, whatever its bytes are; what is written is read again; and a second reader,
// written the way the standard tells it, agrees.

import ChatDomain
@testable import ChatEffects
import Testing

@Suite("WebSocket: splits")
struct WebSocketSplitTests {
    static let policies = [
        WebSocketPolicy(), WebSocketPolicy(messageLimit: 12, frameLimit: 40),
        WebSocketPolicy(messageLimit: 12, frameLimit: 40, oversizedMessage: .fail),
    ]

    @Test(
        "L9: every split of drawn and mutated bytes gives what one piece gives",
        arguments: WebSocketPeers.both)
    func splits(_ both: WebSocketPeers) {
        var random = JSONRandom(state: 11)
        var failures = 0, messages = 0
        for round in 0..<300 {
            let peers = WebSocketPeers(role: both.role, policy: Self.policies[round % 3])
            let bytes = random.frames(peers)
            let steps = peers.steps(bytes)
            let whole = peers.read([bytes[...]])
            for _ in 0..<5 { #expect(peers.read(random.pieces(of: bytes)) == whole, "\(bytes)") }
            if case .failed? = steps.last { failures += 1 }
            if steps.contains(where: { if case .received(.text) = $0 { true } else { false } }) {
                messages += 1
            }
        }
        #expect(failures > 50 && failures < 250)
        #expect(messages > 60)
    }

    @Test("Drawn and mutated bytes give what the standard's procedure gives", arguments: WebSocketPeers.both)
    func standard(_ both: WebSocketPeers) {
        var random = JSONRandom(state: 12)
        var ends: [WebSocketStep: Int] = [:]
        for round in 0..<2000 {
            let peers = WebSocketPeers(role: both.role, policy: Self.policies[round % 3])
            let bytes = random.frames(peers)
            let steps = peers.read([bytes[...]]).steps
            #expect(steps == standardWebSocket(bytes, peers), "\(bytes)")
            if let last = steps.last { ends[last, default: 0] += 1 }
        }
        // The drawing reaches every violation but those of extreme lengths.
        let reached = ends.keys.compactMap {
            if case .failed(let error) = $0 { error.closeCode } else { nil }
        }
        #expect(reached.count > 12)
        #expect(Set(reached) == [1002, 1007, 1009])
    }

    @Test("One side reads what the other writes", arguments: WebSocketPeers.both)
    func roundTrip(_ peers: WebSocketPeers) throws {
        var random = JSONRandom(state: 13)
        for length in [0, 1, 7, 8, 9, 124, 125, 126, 127, 128, 1_000, 65_535, 65_536, 70_001] {
            let writer = WebSocketConnection(peers.role == .client ? .server : .client)
            let key = UInt32(truncatingIfNeeded: random.next())
            let bytes = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let text = ExactText(String(repeating: "né", count: length / 3))
            var frames = try #require(writer.binary(bytes, maskingKey: key))
            frames += try #require(writer.text(text, maskingKey: ~key))
            frames += try #require(writer.ping(bytes, maskingKey: key))
            let payload = [UInt8](bytes.prefix(125))
            #expect(
                peers.read([frames[...]]).steps == [
                    .received(.binary(bytes)), .received(.text(text.utf8)), peers.sends(0xA, payload),
                    .received(.ping(payload)),
                ])
        }
    }

    @Test("The written frames are those of the standard (RFC 6455, 5.7): a client masks, a server does not")
    func written() {
        let client = WebSocketConnection(.client), server = WebSocketConnection(.server)
        #expect(
            client.text("Hello", maskingKey: 0x37FA_213D) == [
                0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58,
            ])
        #expect(server.text("Hello", maskingKey: 0x37FA_213D) == [0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F])
        #expect(server.ping(maskingKey: 1) == [0x89, 0x00])
        let bytes = [UInt8](repeating: 7, count: 256)
        #expect(server.binary(bytes, maskingKey: 1) == [0x82, 0x7E, 0x01, 0x00] + bytes)
        let long = [UInt8](repeating: 7, count: 65_536)
        #expect(server.binary(long, maskingKey: 1) == [0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0] + long)
    }

    @Test(
        "A client takes a key for each answer, in order; a server takes none", arguments: WebSocketPeers.both)
    func keys(_ peers: WebSocketPeers) {
        var connection = WebSocketConnection(peers.role)
        var keys: [UInt32] = []
        connection.receive(
            peers.ping() + peers.text("a") + peers.ping() + peers.close(1000),
            maskingKey: {
                keys.append(UInt32(keys.count))
                return UInt32(keys.count)
            }, { _ in })
        #expect(keys == (peers.role == .client ? [0, 1, 2] : []))
    }
}

extension JSONRandom {
    /// Bytes that are nearly the frames of a peer.
    mutating func frames(_ peers: WebSocketPeers) -> [UInt8] {
        let texts: [[UInt8]] = [
            [], Array("a".utf8), Array("né".utf8), Array("😀".utf8), Array("twelve bytes".utf8),
            Array("more than twelve".utf8),
            [0xC3], [0xA9], [0xE2, 0x82], [0xAC], [0xF0, 0x9F], [0x98, 0x80], [0xED, 0xA0], [0xFF],
        ]
        var bytes: [UInt8] = []
        var isOpen = false
        for _ in 0..<(1 + below(7)) {
            let payload = texts[below(below(3) == 0 ? texts.count : 6)]
            switch below(24) {
            case 0..<9:
                let isFinal = below(3) != 0
                bytes += peers.frame(isOpen ? 0x0 : below(4) == 0 ? 0x2 : 0x1, payload, isFinal: isFinal)
                isOpen = !isFinal
            case 9..<12: bytes += peers.frame(0x9 + UInt8(below(2)), payload)
            case 12: bytes += peers.frame(0x1, [UInt8](repeating: 0x61, count: 41 + below(200)))
            case 13: bytes += peers.frame(UInt8(below(16)), payload, isFinal: below(2) == 0)
            case 14 where below(3) == 0: bytes += peers.frame(0x1, payload, reserved: UInt8(below(8)))
            case 15 where below(3) == 0: bytes += peers.frame(0x1, payload, isMasked: below(2) == 0)
            case 16 where below(3) == 0:
                bytes += peers.frame(0x2, payload, length: below(2) == 0 ? .twoBytes : .eightBytes)
            case 17 where below(3) == 0:
                bytes += peers.frame(0x2, payload, length: .claimed(next() >> UInt64(below(64))))
            case 18 where below(2) == 0:
                bytes += peers.close([1000, 1005, 1008, 3001, 5000][below(5)], payload)
            case 19 where below(2) == 0: bytes += peers.frame(0x8, payload)
            case 20 where below(2) == 0 && !bytes.isEmpty: bytes[below(bytes.count)] ^= 1 << UInt8(below(8))
            case 21 where below(2) == 0 && !bytes.isEmpty: bytes.remove(at: below(bytes.count))
            default: break
            }
        }
        return bytes
    }
}

/// The standard's procedure, frame by frame over all bytes at once: what a connection does with them.
private func standardWebSocket(_ bytes: [UInt8], _ peers: WebSocketPeers) -> [WebSocketStep] {
    var procedure = StandardProcedure(bytes: bytes, peers: peers)
    do {
        while true { if try procedure.frame() { break } }
    } catch let error as WebSocketError {
        procedure.steps += peers.fails(error)
    } catch {}
    return procedure.steps
}

private struct StandardProcedure {
    /// The bytes end within a frame.
    struct Incomplete: Error {}

    let bytes: [UInt8]
    let peers: WebSocketPeers
    var position = 0
    var steps: [WebSocketStep] = []
    /// The open message, its opcode and its payload; nil for the payload of one that is passed over.
    var open: (opcode: UInt8, payload: [UInt8]?)?

    mutating func next() throws -> UInt8 {
        guard position < bytes.count else { throw Incomplete() }
        position += 1
        return bytes[position - 1]
    }

    /// Reads a frame. Returns whether it is a Close.
    mutating func frame() throws -> Bool {
        let first = try next()
        let opcode = first & 0xF, isFinal = first >= 0x80
        if first >> 4 & 7 != 0 { throw WebSocketError.reservedBits }
        if ![0, 1, 2, 8, 9, 10].contains(opcode) { throw WebSocketError.reservedOpcode(opcode) }
        if opcode >= 8, !isFinal { throw WebSocketError.fragmentedControlFrame }
        if opcode == 0, open == nil { throw WebSocketError.unexpectedContinuation }
        if opcode == 1 || opcode == 2, open != nil { throw WebSocketError.interruptedMessage }
        let second = try next()
        if (second >= 0x80) != (peers.role == .server) { throw WebSocketError.wrongMasking }
        var length = UInt64(second & 0x7F)
        if opcode >= 8, length > 125 { throw WebSocketError.controlFrameTooLong }
        if length > 125 {
            let width = length == 126 ? 2 : 8
            length = 0
            for _ in 0..<width { length = length * 256 + UInt64(try next()) }
            if length > Int64.max { throw WebSocketError.lengthOutOfRange }
            if length < (width == 2 ? 126 : 65536) { throw WebSocketError.lengthNotMinimal }
        }
        if opcode == 8, length == 1 { throw WebSocketError.halfCloseCode }
        if opcode < 8 {
            if opcode != 0 { open = (opcode, []) }
            if length > peers.policy.frameLimit {
                throw WebSocketError.frameTooLong(limit: peers.policy.frameLimit)
            }
            if let payload = open?.payload, UInt64(payload.count) + length > peers.policy.messageLimit {
                if peers.policy.oversizedMessage == .fail {
                    throw WebSocketError.messageTooLong(limit: peers.policy.messageLimit)
                }
                open?.payload = nil
            }
        }
        var key: [UInt8] = [0, 0, 0, 0]
        if peers.role == .server { for index in 0..<4 { key[index] = try next() } }
        var payload: [UInt8] = []
        for index in 0..<length {
            payload.append(try next() ^ key[Int(index % 4)])
            if opcode < 8 { try check(payload) }
        }
        return try complete(opcode, isFinal, payload)
    }

    /// A text must be the beginning of well-formed text at each byte.
    func check(_ payload: [UInt8]) throws {
        guard let open, open.opcode == 1, let before = open.payload else { return }
        let endings: [[UInt8]] = [
            [], [0x80], [0x90], [0xA0], [0x80, 0x80], [0x90, 0x80], [0xA0, 0x80], [0x80, 0x80, 0x80],
            [0x90, 0x80, 0x80],
        ]
        let isBeginning = endings.contains {
            isWellFormed(before + payload + $0)
        }
        if !isBeginning { throw WebSocketError.invalidUTF8 }
    }

    mutating func complete(_ opcode: UInt8, _ isFinal: Bool, _ payload: [UInt8]) throws -> Bool {
        switch opcode {
        case 8:
            var event = WebSocketEvent.closed(code: 1005, reason: "")
            if payload.count >= 2 {
                let code = Int64(payload[0]) * 256 + Int64(payload[1])
                guard WebSocketCloseCode.isLegal(code) else { throw WebSocketError.illegalCloseCode(code) }
                guard isWellFormed(payload.dropFirst(2)) else { throw WebSocketError.invalidUTF8 }
                event = .closed(code: code, reason: ExactText(decoding: Array(payload.dropFirst(2))))
            }
            steps += [peers.sends(8, Array(payload.prefix(2))), .received(event)]
            return true
        case 9: steps += [peers.sends(10, payload), .received(.ping(payload))]
        case 10: steps.append(.received(.pong(payload)))
        default:
            open?.payload? += payload
            guard isFinal, let (opcode, message) = open else { return false }
            open = nil
            guard let message else {
                steps.append(.received(.skipped))
                return false
            }
            if opcode == 1, !isWellFormed(message) {
                throw WebSocketError.invalidUTF8
            }
            steps.append(.received(opcode == 1 ? .text(message) : .binary(message)))
        }
        return false
    }
}
