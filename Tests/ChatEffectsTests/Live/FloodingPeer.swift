// A server on this device that floods: it sends one piece of bytes again and again, as fast as they are taken. A request
// for another path is answered honestly, so that a test sees whether a flood has ended more than its own call.

@testable import ChatEffects
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A server that floods those who ask for `/a`.
final class FloodingPeer: Sendable {
    /// What a flood is made of.
    struct Flood: Sendable, CustomTestStringConvertible {
        let name: String
        /// What comes first.
        let begin: [UInt8]
        /// What comes then, without end. Empty for an answer that ends.
        let piece: [UInt8]

        init(_ name: String, _ begin: String, piece: [UInt8]) {
            self.init(name, Array(begin.utf8), piece: piece)
        }

        init(_ name: String, _ begin: [UInt8], piece: [UInt8]) {
            self.name = name
            self.begin = begin
            self.piece = piece
        }

        var testDescription: String { name }
    }

    let port: Int
    private let descriptor: Int32
    private let state = Locked(State())

    private struct State {
        var isOver = false
        var sent = 0
        var requests = 0
    }

    init(_ flood: Flood) throws {
        guard let descriptor = SystemSocket.listen(address: "127.0.0.1", port: 0) else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
        self.descriptor = descriptor
        port = SystemSocket.port(of: descriptor)
        let state = state
        Thread.detachNewThread {
            while !state.withLock({ $0.isOver }) {
                guard let connection = SystemSocket.accept(descriptor) else {
                    Thread.sleep(forTimeInterval: 0.001)
                    continue
                }
                Thread.detachNewThread { Self.serve(connection, flood, state) }
            }
            SystemSocket.close(descriptor)
        }
    }

    /// Ends all floods, and the server.
    func end() { state.withLock { $0.isOver = true } }

    /// The bytes of all floods so far.
    var sent: Int { state.withLock { $0.sent } }

    /// The number of requests so far.
    var requests: Int { state.withLock { $0.requests } }

    private static func serve(_ connection: Int32, _ flood: Flood, _ state: Locked<State>) {
        // A reset: the system's session on Linux takes an end within a head for a mistake of its own, and stops the process.
        // Some tests use it directly.
        SystemSocket.resetOnClose(connection)
        defer { SystemSocket.close(connection) }
        var head: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while let count = SystemSocket.receive(connection, into: &bytes), count > 0 {
            head += bytes.prefix(count)
            let text = String(decoding: head, as: UTF8.self)
            guard text.contains("\r\n\r\n") else { continue }
            head = []
            state.withLock { $0.requests += 1 }
            guard text.hasPrefix("GET /a") || text.hasPrefix("POST /a") else {
                send(connection, Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nOK".utf8), state)
                continue
            }
            guard send(connection, flood.begin, state) else { return }
            if flood.piece.isEmpty { continue }
            while send(connection, flood.piece, state) { state.withLock { $0.sent += flood.piece.count } }
            return
        }
    }

    /// Sends all bytes. Returns false once the connection is gone or the server has ended.
    @discardableResult
    private static func send(_ connection: Int32, _ bytes: [UInt8], _ state: Locked<State>) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty, !state.withLock({ $0.isOver }) {
            guard let count = SystemSocket.send(connection, rest) else { return false }
            rest = rest.dropFirst(count)
        }
        return rest.isEmpty
    }
}

/// A gzip stream that never ends, of one letter: 258 bytes for each 13 bits.
enum GzipBomb {
    /// The header of the file, and the beginning of a block with the fixed code (RFC 1951, section 3.2.6): the letter `a`,
    /// then copies of it. The bits of a piece fill whole bytes, so that one follows another.
    static let begin: [UInt8] =
        [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
        + bytes(
            [false, true, false] + code(0x30 + 97, 8) + copies(1))

    /// Eight copies of 258 letters are 104 bits; a thousand times as many.
    static let piece: [UInt8] = {
        let once = bytes(copies(8))
        return (0..<1_000).flatMap { _ in once }
    }()

    /// A copy of 258 bytes from a distance of 1.
    private static func copies(_ count: Int) -> [Bool] {
        (0..<count).flatMap { _ in code(0b1100_0101, 8) + code(0, 5) }
    }

    /// A code of the fixed table, its first bit first.
    private static func code(_ value: Int, _ length: Int) -> [Bool] {
        (0..<length).reversed().map { value >> $0 & 1 == 1 }
    }

    /// Bits as bytes, the lowest first.
    private static func bytes(_ bits: [Bool]) -> [UInt8] {
        stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<min(start + 8, bits.count)].enumerated().reduce(0) { byte, bit in
                bit.element ? byte | 1 << UInt8(bit.offset) : byte
            }
        }
    }
}
