// A listening stream socket of the system that never blocks. A system without a descriptor for another connection is
// asked again after a pause: the connection waits there meanwhile.

import Dispatch
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A listening stream socket. Everything happens on its queue, and its methods are called there.
package final class ListeningSocket {
    private let descriptor: Int32
    private let queue: DispatchQueue
    private var phase = Phase.idle

    private enum Phase {
        case idle
        case accepting((StreamSocket) -> Void)
        case closed
    }

    /// The pause after a connection that the system could not give: short for a person, and no load.
    private static let pause = DispatchTimeInterval.milliseconds(100)

    /// Takes over a listening descriptor, which the socket closes.
    package init(_ descriptor: Int32, on queue: DispatchQueue) {
        self.descriptor = descriptor
        self.queue = queue
        SystemSocket.makeNonblocking(descriptor)
    }

    deinit { close() }

    /// Begins to accept; the function gets all connections, on the queue and never within a call of a method.
    package func start(_ handler: @escaping (StreamSocket) -> Void) {
        phase = .accepting(handler)
        awaitConnection()
    }

    /// Accepts no more.
    package func close() {
        if case .closed = phase { return }
        phase = .closed
        SocketPoll.shared.close(descriptor)
    }

    private func awaitConnection() {
        guard case .accepting = phase else { return }
        SocketPoll.shared.wait(.readable, of: descriptor, on: queue) { [weak self] in self?.accept() }
    }

    private func accept() {
        while case .accepting(let handler) = phase {
            guard let connection = SystemSocket.accept(descriptor) else {
                let isTransient = [EAGAIN, EWOULDBLOCK, EINTR, ECONNABORTED].contains(errno)
                if isTransient { return awaitConnection() }
                return queue.asyncAfter(
                    deadline: .now() + Self.pause,
                    execute: DispatchWorkItem { [weak self] in self?.awaitConnection() })
            }
            handler(StreamSocket(connection, on: queue))
        }
    }
}
