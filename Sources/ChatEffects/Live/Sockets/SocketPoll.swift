// Tells sockets when the system has something for them: one thread waits for all of them (`poll`, POSIX), and hands each
// event to the socket's own queue. An event is told once; a socket that wants the next one asks again, so a socket that
// pauses needs no state here. Start with `wait`.
//
// The sources of libdispatch are not used for descriptors. On Linux, its thread reads the books of a source that the
// source's queue has just closed, and the process ends (libdispatch, issue 949). They are used nowhere, so that all
// systems take the same way.

import Dispatch
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The sockets of the process that wait for an event.
package final class SocketPoll: Sendable {
    /// The one thread. It starts with the first socket, and sleeps while none waits.
    package static let shared = SocketPoll()

    /// What a socket waits for. A broken connection is both.
    package enum Event {
        /// Bytes, a connection, or the end of them.
        case readable
        /// Room for bytes.
        case writable
    }

    /// What one socket waits for.
    private struct Waiting {
        var readable: Told?
        var writable: Told?

        var events: Int16 {
            (readable == nil ? 0 : Int16(POLLIN)) | (writable == nil ? 0 : Int16(POLLOUT))
        }
    }

    /// Where an event is told.
    fileprivate struct Told {
        let queue: DispatchQueue
        let body: DispatchWorkItem
    }

    private struct Table {
        /// By descriptor. No number is used twice: descriptors are closed by the thread alone, when it does not wait.
        var waiting: [Int32: Waiting] = [:]
        var closing: [Int32] = []
        var phase = Phase.idle
    }

    private enum Phase {
        /// No socket was here yet.
        case idle
        /// The thread is about to read the table.
        case reading
        /// The thread waits for the system, and is woken when the table changes.
        case polling
    }

    private let table = Locked(Table())
    /// A byte through this pipe wakes the thread; nil if the system had no descriptor for it at the first socket.
    private let alarm: (read: Int32, write: Int32)?

    private init() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            alarm = nil
            return
        }
        alarm = (ends[0], ends[1])
        for end in ends {
            SystemSocket.makeNonblocking(end)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
    }

    /// Tells an event of a descriptor once, on a queue. The descriptor waits for each event at most once.
    package func wait(
        _ event: Event, of descriptor: Int32, on queue: DispatchQueue, _ body: @escaping () -> Void
    ) {
        let told = Told(queue: queue, body: DispatchWorkItem(block: body))
        change { table in
            switch event {
            case .readable: table.waiting[descriptor, default: Waiting()].readable = told
            case .writable: table.waiting[descriptor, default: Waiting()].writable = told
            }
        }
    }

    /// Closes a descriptor. Events of it that are not performed yet are the caller's to ignore.
    package func close(_ descriptor: Int32) {
        change { table in
            table.waiting[descriptor] = nil
            table.closing.append(descriptor)
        }
    }

    /// Changes the table, and wakes the thread if it would not see the change.
    private func change(_ body: (inout Table) -> Void) {
        let before = table.withLock { table in
            body(&table)
            defer { table.phase = .reading }
            return table.phase
        }
        switch before {
        case .idle: Thread.detachNewThread { [self] in run() }
        case .reading: break
        case .polling: if let alarm { _ = write(alarm.write, [1], 1) }
        }
    }

    // MARK: The thread

    /// How long the thread waits without an alarm, in milliseconds: nobody notices a hundredth of a second.
    private static let patience: Int32 = 10

    private func run() {
        while true {
            var list = table.withLock { table in
                for descriptor in table.closing { SystemSocket.close(descriptor) }
                table.closing = []
                table.phase = .polling
                return table.waiting.map { pollfd(fd: $0, events: $1.events, revents: 0) }
            }
            if let alarm { list.append(pollfd(fd: alarm.read, events: Int16(POLLIN), revents: 0)) }
            let count = poll(&list, nfds_t(list.count), alarm == nil ? Self.patience : -1)
            if let alarm, list.last?.revents != 0 {
                var bytes = [UInt8](repeating: 0, count: 64)
                _ = read(alarm.read, &bytes, bytes.count)
            }
            // A signal ends the wait (EINTR); for other reasons, the system may do better soon.
            if count < 0, errno != EINTR { usleep(UInt32(Self.patience) * 1_000) }
            tell(count < 0 ? [] : list)
        }
    }

    /// Performs what has happened, each on its queue.
    private func tell(_ list: [pollfd]) {
        table.withLock { table in
            table.phase = .reading
            for entry in list where entry.revents != 0 {
                guard var waiting = table.waiting[entry.fd] else { continue }
                if entry.revents & ~Int16(POLLOUT) != 0 { waiting.readable.tell() }
                if entry.revents & ~Int16(POLLIN) != 0 { waiting.writable.tell() }
                table.waiting[entry.fd] = waiting.events == 0 ? nil : waiting
            }
        }
    }
}

extension Optional<SocketPoll.Told> {
    /// Performs what waits, and forgets it.
    fileprivate mutating func tell() {
        if let told = self { told.queue.async(execute: told.body) }
        self = nil
    }
}
