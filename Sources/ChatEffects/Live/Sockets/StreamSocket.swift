// A connected stream socket of the system that never blocks. Written bytes wait in memory until the peer takes them.
// While too many wait, nothing more is read, because a peer that sends without reading would fill the memory.

import Dispatch
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A connected stream socket. Everything happens on its queue, and its methods are called there.
package final class StreamSocket {
    /// A report to the owner.
    package enum Event {
        /// Bytes, in the pieces of their arrival.
        case bytes([UInt8])
        /// The peer will send nothing more, or the connection broke. Nothing follows.
        case ended(isClean: Bool)
    }

    private let descriptor: Int32
    private let queue: DispatchQueue
    private let waitingLimit: Int
    private var phase = Phase.open
    private var isAwaitingBytes = false
    private var dropped = 0
    private var isAwaitingRoom = false
    /// Whether the peer has broken the connection before it ended it.
    private var isReset = false
    private var piece = [UInt8](repeating: 0, count: StreamSocket.pieceSize)
    /// The unsent bytes, from `sent` on.
    private var unsent: [UInt8] = []
    private var sent = 0
    private var handler: (Event) -> Void = { _ in }
    private var sentAll: (() -> Void)?

    private enum Phase {
        case open
        /// The peer takes nothing more; what has come from it is still read.
        case broken
        /// Closes when everything is sent and the peer has ended too, or in some seconds.
        case finishing
        case closed
    }

    /// The most bytes of one read: the capacity of a pipe of the system.
    private static let pieceSize = 65_536
    /// The most pieces that are read before other work on the queue has its turn: 1 MiB, a millisecond's work.
    private static let piecesAtOnce = 16
    /// The most unsent bytes before reading stops: a few of the largest frames, of 1 MiB.
    private static let unsentLimit = 4 << 20
    /// The most unsent bytes: more than the largest file that is served, of 100 MiB, with what is told beside it.
    private static let waitingLimit = 256 << 20
    /// The time for unsent bytes of a finished socket and for its peer's end: some seconds, as a peer may have that
    /// answers a Close frame.
    package static let finishLimit = DispatchTimeInterval.seconds(5)
    /// The most bytes that are dropped once all has left: 1 MiB, more than a peer sends before it hears of the end.
    private static let dropLimit = 1 << 20

    /// Takes over a connected descriptor, which the socket closes.
    package convenience init(_ descriptor: Int32, on queue: DispatchQueue) {
        self.init(descriptor, on: queue, waitingLimit: Self.waitingLimit)
    }

    /// - Parameter waitingLimit: The most unsent bytes; a peer that leaves more waiting has broken the connection.
    init(_ descriptor: Int32, on queue: DispatchQueue, waitingLimit: Int) {
        self.descriptor = descriptor
        self.queue = queue
        self.waitingLimit = waitingLimit
        SystemSocket.makeNonblocking(descriptor)
    }

    deinit { close() }

    /// Begins to read; the function gets all events, on the queue and never within a call of a method. Neither is the
    /// other, which is called when all written bytes have left that did not leave at once.
    package func start(_ handler: @escaping (Event) -> Void, sentAll: (() -> Void)? = nil) {
        self.handler = handler
        self.sentAll = sentAll
        awaitBytes()
    }

    /// Sends bytes after all earlier ones. Returns whether all have left at once.
    @discardableResult
    package func write(_ bytes: [UInt8]) -> Bool {
        guard phase == .open, !bytes.isEmpty else { return false }
        guard unsent.count - sent + bytes.count <= waitingLimit else {
            end(isClean: false)
            return false
        }
        unsent += bytes
        flush()
        return phase == .open && unsent.isEmpty
    }

    /// Ends the connection when all written bytes are sent, and closes when the peer has ended it too, or when the limit
    /// has passed; until then the socket lives by itself. No event follows.
    package func finish(within limit: DispatchTimeInterval = finishLimit) {
        handler = { _ in }
        if phase == .broken { close() }
        guard phase == .open else { return }
        phase = .finishing
        if unsent.isEmpty { SystemSocket.endSending(descriptor) }
        // What still comes is read and dropped: a close before unread bytes takes the sent ones along (RFC 9112, 9.6).
        awaitBytes()
        queue.asyncAfter(deadline: .now() + limit, execute: DispatchWorkItem { [self] in close() })
    }

    /// Closes at once; written bytes may be lost. No event follows.
    package func close() {
        handler = { _ in }
        sentAll = nil
        guard phase != .closed else { return }
        phase = .closed
        (unsent, piece) = ([], [])
        SocketPoll.shared.close(descriptor)
    }

    /// Closes so that the peer sees a broken connection.
    package func reset() {
        // The descriptor may be another's by now.
        guard phase != .closed else { return }
        SystemSocket.resetOnClose(descriptor)
        close()
    }

    // MARK: Reading

    private var mayRead: Bool {
        switch phase {
        case .open, .broken: unsent.count - sent <= Self.unsentLimit
        case .finishing: true
        case .closed: false
        }
    }

    private func awaitBytes() {
        guard mayRead, !isAwaitingBytes else { return }
        isAwaitingBytes = true
        SocketPoll.shared.wait(.readable, of: descriptor, on: queue) { [weak self] in
            self?.isAwaitingBytes = false
            self?.read()
        }
    }

    /// Reads the available bytes. What is left has its turn after the other work on the queue.
    private func read() {
        for _ in 0..<Self.piecesAtOnce where mayRead {
            switch SystemSocket.receive(descriptor, into: &piece) {
            case .some(let count) where count > 0:
                handler(.bytes(Array(piece.prefix(count))))
                guard phase == .finishing, unsent.isEmpty else { continue }
                dropped += count
                if dropped > Self.dropLimit { return close() }
            // The peer may still read what a finished socket sends.
            case .some: return phase == .finishing && !unsent.isEmpty ? () : end(isClean: !isReset)
            case nil:
                let error = errno
                if error == EINTR { continue }
                if error != EAGAIN && error != EWOULDBLOCK { return end(isClean: false) }
                return awaitBytes()
            }
        }
        awaitBytes()
    }

    /// Closes, and reports that afterwards: an owner that answers bytes with a write on a broken connection is still
    /// taking those bytes.
    private func end(isClean: Bool) {
        let owner = handler
        close()
        handler = owner
        queue.async(
            execute: DispatchWorkItem { [self] in
                handler(.ended(isClean: isClean))
                handler = { _ in }
            })
    }

    // MARK: Writing

    private func flush() {
        while phase != .closed, phase != .broken, sent < unsent.count {
            guard let count = SystemSocket.send(descriptor, unsent[sent...]) else {
                let error = errno
                if error == EINTR { continue }
                if error == EAGAIN || error == EWOULDBLOCK { return waitForRoom() }
                guard phase == .open else { return close() }
                // What the peer has sent before, such as its reason, is not lost. The peer's end comes before its reset
                // when the system says so: EPIPE (Linux, tcp_reset).
                (phase, isReset) = (.broken, error != EPIPE)
                break
            }
            sent += count
        }
        unsent.removeAll(keepingCapacity: unsent.capacity <= Self.pieceSize)
        sent = 0
        awaitBytes()
        if phase == .finishing { SystemSocket.endSending(descriptor) }
    }

    private func waitForRoom() {
        // The sent bytes are dropped once they are the greater part, so that each byte moves at most twice.
        if sent > unsent.count / 2 {
            unsent.removeFirst(sent)
            sent = 0
        }
        awaitBytes()
        guard !isAwaitingRoom else { return }
        isAwaitingRoom = true
        SocketPoll.shared.wait(.writable, of: descriptor, on: queue) { [weak self] in
            guard let self else { return }
            isAwaitingRoom = false
            flush()
            if phase == .open, unsent.isEmpty { sentAll?() }
        }
    }
}
