// A server on this device that answers each connection with bytes that a test has written down, whatever is asked.

@testable import ChatEffects
import Dispatch
import Foundation

/// What a connection is answered with.
enum RawAnswer: Sendable {
    /// These bytes, then the connection ends.
    case bytes(String)
    /// These bytes, and the connection closes over what it has not read.
    case closed(String)
    /// These bytes, then the connection breaks.
    case broken(String)
    /// These bytes, and the connection stays.
    case stalled(String)
    /// These bytes one by one, once a body of this length has come; then the connection ends.
    case after(Int, String)
    /// The answer to a WebSocket's handshake and these frames, and the connection stays.
    case frames([UInt8])
}

/// A server that plays its answers in order; the last one again and again.
final class RawPeer: @unchecked Sendable {
    let port: Int
    private let queue = DispatchQueue(label: "test.peer")
    private let listener: ListeningSocket
    // Used on the queue alone.
    private var sockets: [StreamSocket] = []
    private var requests: [String] = []
    private var answers: [RawAnswer]

    init(_ answers: [RawAnswer], address: String = "127.0.0.1") throws {
        self.answers = answers
        let descriptor = try Self.listen(address)
        port = SystemSocket.port(of: descriptor)
        listener = ListeningSocket(descriptor, on: queue)
        queue.sync { listener.start { [weak self] socket in self?.accept(socket) } }
    }

    private static func listen(_ address: String) throws -> Int32 {
        guard let descriptor = SystemSocket.listen(address: address, port: 0) else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
        return descriptor
    }

    /// The heads of the requests so far.
    var heads: [String] { queue.sync { requests } }

    private func accept(_ socket: StreamSocket) {
        sockets.append(socket)
        var head = ""
        var received = 0
        var waiting: (end: Int, text: String)?
        socket.start { [weak self, weak socket] event in
            guard let self, let socket, case .bytes(let bytes) = event else { return }
            received += bytes.count
            if waiting == nil {
                head += String(decoding: bytes, as: UTF8.self)
                guard let end = head.range(of: "\r\n\r\n") else { return }
                requests.append(head)
                let answer = answers.count > 1 ? answers.removeFirst() : answers[0]
                waiting = (.max, "")
                guard case .after(let count, let text) = answer else {
                    return self.answer(socket, head, answer)
                }
                waiting = (head[..<end.upperBound].utf8.count + count, text)
            }
            guard let (end, text) = waiting, received >= end else { return }
            waiting = (.max, "")
            for byte in text.utf8 { socket.write([byte]) }
            socket.finish()
        }
    }

    private func answer(_ socket: StreamSocket, _ head: String, _ answer: RawAnswer) {
        switch answer {
        case .bytes(let text):
            socket.write(Array(text.utf8))
            socket.finish()
        case .closed(let text):
            socket.write(Array(text.utf8))
            socket.close()
        case .broken(let text):
            socket.write(Array(text.utf8))
            // The bytes are on their way first; a reset overtakes what is not.
            queue.asyncAfter(deadline: .now() + .milliseconds(50)) { [self] in
                for socket in sockets { socket.reset() }
            }
        case .stalled(let text), .after(_, let text): socket.write(Array(text.utf8))
        case .frames(let frames):
            var reader = HTTPRequestReader()
            guard let accepted = try? reader.read(Array(head.utf8))?.head.acceptWebSocket() else { return }
            socket.write(accepted + frames)
        }
    }
}
