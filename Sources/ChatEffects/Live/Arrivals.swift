// What drivers that work by themselves have to tell, until their loop takes it. Any thread may add; the loop is woken once
// for all that waits. What waits is limited, so a server that sends faster than the app can take does not fill the memory.

import ChatDomain
import Foundation

/// The outcomes that wait for their loop.
///
/// Shared by the network, the store and the loop of one machine. All methods may be called on any thread.
public final class Arrivals: @unchecked Sendable {
    // Guards all that follows.
    private let lock = NSLock()
    private var waiting: [Outcome] = []
    private var waitingBytes = 0
    private var wake: (@Sendable () -> Void)?

    /// The most bytes that wait for the loop: an answer with an image is tens of MiB in one event, twice.
    static let limit = 64 << 20

    /// Creates an empty queue.
    public init() {}

    /// Adds an outcome, and wakes the loop if nothing waited before. Returns false, and drops it, if too much waits.
    @discardableResult
    func add(_ outcome: Outcome) -> Bool {
        let size = outcome.byteCount
        lock.lock()
        guard size == 0 || waitingBytes + size <= Self.limit else {
            lock.unlock()
            return false
        }
        let isFirst = waiting.isEmpty
        waiting.append(outcome)
        waitingBytes += size
        let wake = isFirst ? wake : nil
        lock.unlock()
        wake?()
        return true
    }

    /// Removes and returns all that waits, in the order in which it came.
    func take() -> [Outcome] {
        lock.lock()
        defer { lock.unlock() }
        let taken = waiting
        waiting = []
        waitingBytes = 0
        return taken
    }

    /// Calls a function, on any thread, whenever something begins to wait. What waits already counts.
    func onArrival(_ wake: @escaping @Sendable () -> Void) {
        lock.lock()
        self.wake = wake
        let isWaiting = !waiting.isEmpty
        lock.unlock()
        if isWaiting { wake() }
    }
}

extension Outcome {
    /// The bytes that the outcome keeps in memory.
    fileprivate var byteCount: Int {
        switch self {
        case .arrived(_, .body(let bytes)), .arrived(_, .text(let bytes)), .loaded(_, let bytes): bytes.count
        case .arrived, .missing, .saved, .erased, .failed: 0
        }
    }
}
