// A server on this device that answers each connection with bytes that a test has written down, whatever is asked.

@testable import ChatEffects
import Dispatch
import Foundation

/// What a connection is answered with.
enum RawAnswer: Sendable {
    /// These bytes, then the connection ends.
    case bytes(String)
    /// These bytes, then the connection breaks.
    case broken(String)
    /// These bytes, and the connection stays.
    case stalled(String)
    /// The answer to a WebSocket's handshake and these frames, and the connection stays.
    case frames([UInt8])
}

/// A server that plays its answers in order; the last one again and again.
final class RawPeer: @unchecked Sendable {
    let port: Int
    private let queue = DispatchQueue(label: "test.peer")
    private let listener: any DispatchSourceRead
    // Used on the queue alone.
    private var sockets: [StreamSocket] = []
    private var requests: [String] = []
    private var answers: [RawAnswer]

    init(_ answers: [RawAnswer]) throws {
        self.answers = answers
        let descriptor = try Self.listen()
        port = SystemSocket.port(of: descriptor)
        listener = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        listener.setEventHandler { [weak self] in self?.accept(descriptor) }
        listener.setCancelHandler { SystemSocket.close(descriptor) }
        listener.activate()
    }

    deinit { listener.cancel() }

    private static func listen() throws -> Int32 {
        guard let descriptor = SystemSocket.listen(address: "127.0.0.1", port: 0) else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
        return descriptor
    }

    /// The heads of the requests so far.
    var heads: [String] { queue.sync { requests } }

    private func accept(_ descriptor: Int32) {
        while let socket = SystemSocket.accept(descriptor).map({ StreamSocket($0, on: queue) }) {
            sockets.append(socket)
            var head = ""
            socket.start { [weak self, weak socket] event in
                guard let self, let socket, case .bytes(let bytes) = event else { return }
                let wasComplete = head.contains("\r\n\r\n")
                head += String(decoding: bytes, as: UTF8.self)
                guard !wasComplete, head.contains("\r\n\r\n") else { return }
                requests.append(head)
                answer(socket, head)
            }
        }
    }

    private func answer(_ socket: StreamSocket, _ head: String) {
        let answer = answers.count > 1 ? answers.removeFirst() : answers[0]
        switch answer {
        case .bytes(let text):
            socket.write(Array(text.utf8))
            socket.finish()
        case .broken(let text):
            socket.write(Array(text.utf8))
            // The bytes are on their way first; a reset overtakes what is not.
            queue.asyncAfter(deadline: .now() + .milliseconds(50)) { [self] in
                for socket in sockets { socket.reset() }
            }
        case .stalled(let text): socket.write(Array(text.utf8))
        case .frames(let frames):
            var reader = HTTPRequestReader()
            guard let accepted = try? reader.read(Array(head.utf8))?.head.acceptWebSocket() else { return }
            socket.write(accepted + frames)
        }
    }
}
