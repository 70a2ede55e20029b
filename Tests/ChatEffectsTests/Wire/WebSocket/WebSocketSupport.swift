// Shorthand for the tests of the WebSocket connection: frames of a peer, legal or not, built without the library's
// writer; and the steps of a connection that reads them in every split.

import ChatDomain
@testable import ChatEffects
import Testing

/// The masking key of every frame of a client in these tests. Its bytes differ, so that a shifted key is seen.
let maskingKey: UInt32 = 0x37FA_213D

/// Frames between a connection under test and its peer.
struct WebSocketPeers: CustomTestStringConvertible, Sendable {
    /// The side under test.
    let role: WebSocketRole
    var policy = WebSocketPolicy()

    static let both = [WebSocketPeers(role: .client), WebSocketPeers(role: .server)]

    var testDescription: String { role == .client ? "client" : "server" }

    /// The encoding of a length.
    enum Length {
        case minimal, twoBytes, eightBytes
        /// A length that is not that of the payload.
        case claimed(UInt64)
    }

    /// A frame of the peer: masked when the side under test is a server.
    func frame(
        _ opcode: UInt8, _ payload: [UInt8] = [], isFinal: Bool = true, reserved: UInt8 = 0,
        length: Length = .minimal, isMasked: Bool? = nil
    ) -> [UInt8] {
        Self.bytes(
            opcode, payload, isFinal: isFinal, reserved: reserved, length: length,
            isMasked: isMasked ?? (role == .server))
    }

    func text(_ text: String, isFinal: Bool = true) -> [UInt8] {
        frame(0x1, Array(text.utf8), isFinal: isFinal)
    }

    func continuation(_ text: String, isFinal: Bool = true) -> [UInt8] {
        frame(0x0, Array(text.utf8), isFinal: isFinal)
    }

    func ping(_ text: String = "") -> [UInt8] { frame(0x9, Array(text.utf8)) }

    func close(_ code: UInt16, _ reason: [UInt8] = []) -> [UInt8] {
        frame(0x8, [UInt8(code >> 8), UInt8(code & 0xFF)] + reason)
    }

    /// The sending of a frame by the side under test.
    func sends(_ opcode: UInt8, _ payload: [UInt8] = []) -> WebSocketStep {
        .send(Self.bytes(opcode, payload, isMasked: role == .client))
    }

    func sendsPong(_ text: String = "") -> WebSocketStep { sends(0xA, Array(text.utf8)) }

    func sendsClose(_ code: UInt16, _ reason: String = "") -> WebSocketStep {
        sends(0x8, [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8))
    }

    /// The steps of a failure.
    func fails(_ error: WebSocketError) -> [WebSocketStep] {
        [sendsClose(UInt16(error.closeCode), error.description), .failed(error)]
    }

    private static func bytes(
        _ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true, reserved: UInt8 = 0,
        length: Length = .minimal, isMasked: Bool
    ) -> [UInt8] {
        var bytes = [(isFinal ? 0x80 : 0) | reserved << 4 | opcode]
        let mask: UInt8 = isMasked ? 0x80 : 0
        var count = UInt64(payload.count)
        var width = count < 126 ? 0 : count < 65536 ? 2 : 8
        switch length {
        case .minimal: break
        case .twoBytes: width = 2
        case .eightBytes: width = 8
        case .claimed(let claimed): (count, width) = (claimed, 8)
        }
        bytes.append(mask | (width == 0 ? UInt8(count) : width == 2 ? 126 : 127))
        for index in 0..<width {
            bytes.append(UInt8(truncatingIfNeeded: count >> UInt64(8 * (width - 1 - index))))
        }
        guard isMasked else { return bytes + payload }
        let key = (0..<4).map { UInt8(truncatingIfNeeded: maskingKey >> UInt32(24 - 8 * $0)) }
        var masked = payload
        for index in 0..<masked.count { masked[index] ^= key[index % 4] }
        return bytes + key + masked
    }

    /// The steps of a connection that reads the bytes in one piece. Every other split must give the same, and leave the
    /// same connection.
    func steps(_ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) -> [WebSocketStep] {
        let whole = read([bytes[...]])
        for pieces in webSocketSplits(bytes) {
            let split = read(pieces)
            guard split != whole else { continue }
            Issue.record("\(pieces.map(\.count)) of \(bytes.prefix(40))", sourceLocation: sourceLocation)
            break
        }
        return whole.steps
    }

    /// The steps of a connection that reads the pieces.
    func read(_ pieces: [ArraySlice<UInt8>]) -> WebSocketTranscript {
        var connection = WebSocketConnection(role, policy)
        var steps: [WebSocketStep] = []
        for piece in pieces {
            piece.withUnsafeBufferPointer { bytes in
                connection.receive(bytes, maskingKey: { maskingKey }, { steps.append($0) })
            }
        }
        return WebSocketTranscript(steps: steps, after: connection)
    }
}

/// What bytes have turned out to be.
struct WebSocketTranscript: Hashable {
    var steps: [WebSocketStep]
    var after: WebSocketConnection
}

/// Ways of splitting: byte by byte, pieces of some sizes, and every split in two; of many bytes, only those near either
/// end.
func webSocketSplits(_ bytes: [UInt8]) -> [[ArraySlice<UInt8>]] {
    var splits = [1, 3, 7, 997].map { size in
        stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min($0 + size, bytes.count)] }
    }
    let margin = bytes.count <= 600 ? bytes.count : 20
    for split in 0...bytes.count where split <= margin || bytes.count - split <= margin {
        splits.append([bytes[..<split], bytes[split...]])
    }
    return splits
}

func webSocketText(_ text: String) -> WebSocketStep { .received(.text(Array(text.utf8))) }

func webSocketPing(_ text: String = "") -> WebSocketStep { .received(.ping(Array(text.utf8))) }

/// Whether the bytes are UTF-8: the standard library repairs nothing.
func isWellFormed(_ bytes: some Collection<UInt8>) -> Bool {
    String(decoding: bytes, as: UTF8.self).utf8.elementsEqual(bytes)
}
