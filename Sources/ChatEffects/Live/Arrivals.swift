// The outcomes of drivers that work by themselves, until their loop takes them. Any thread may add one; the loop is
// woken once for all that wait. Their size is limited, so a server that sends faster than the app takes does not fill
// the memory.

import ChatDomain

/// The outcomes that wait for their loop.
///
/// Shared by the network, the store and the loop of one machine. All methods may be called on any thread.
public final class Arrivals: Sendable {
    private let queue = Locked(Queue())

    /// The waiting outcomes, and the function that wakes their loop.
    private struct Queue {
        var waiting: [Outcome] = []
        /// When the first of them began to wait; without meaning if none waits.
        var since = ContinuousClock.now
        var byteCount = 0
        var wake: (@Sendable () -> Void)?
    }

    /// The most bytes that wait for the loop: room for two events with an image, of tens of MiB each.
    static let limit = 64 << 20
    /// The bytes that an arrival costs besides its content: a flood of empty ones is limited as well.
    static let overhead = 64

    /// Creates an empty queue.
    public init() {}

    /// Adds an outcome, and wakes the loop if nothing waited before. Returns false, and drops it, if too much waits: a
    /// driver then ends the call as too large. The end of a call and the answers of a store are always added, because
    /// something waits for each of them.
    @discardableResult
    public func add(_ outcome: Outcome) -> Bool {
        let size = outcome.byteCount
        let (isAdded, wake) = queue.withLock { queue -> (Bool, (@Sendable () -> Void)?) in
            if let size {
                guard queue.byteCount + size <= Self.limit else { return (false, nil) }
                queue.byteCount += size
            }
            if queue.waiting.isEmpty { queue.since = ContinuousClock.now }
            queue.waiting.append(outcome)
            return (true, queue.waiting.count == 1 ? queue.wake : nil)
        }
        wake?()
        return isAdded
    }

    /// Removes and returns all waiting outcomes, in the order of arrival.
    package func take() -> [Outcome] { takeAll()?.outcomes ?? [] }

    /// The same, with the time since when the first has waited; nil if none waits.
    @usableFromInline
    func takeAll() -> (outcomes: [Outcome], since: ContinuousClock.Instant)? {
        queue.withLock { queue in
            guard !queue.waiting.isEmpty else { return nil }
            defer { (queue.waiting, queue.byteCount) = ([], 0) }
            return (queue.waiting, queue.since)
        }
    }

    /// Whether nothing waits.
    @usableFromInline
    var isEmpty: Bool { queue.withLock { $0.waiting.isEmpty } }

    /// The waiting outcomes, which go on waiting.
    var waiting: [Outcome] { queue.withLock { $0.waiting } }

    /// Calls a function, on any thread, whenever outcomes begin to wait; at once if some already wait. The function must
    /// not call a driver, because the caller may hold the lock of that driver.
    @usableFromInline
    func onArrival(_ wake: @escaping @Sendable () -> Void) {
        let isWaiting = queue.withLock { queue in
            queue.wake = wake
            return !queue.waiting.isEmpty
        }
        if isWaiting { wake() }
    }
}

extension Outcome {
    /// The bytes that count towards the limit; nil if something waits for just this outcome: each call ends once, and a
    /// store answers each operation once. What is always added takes no room from the rest.
    fileprivate var byteCount: Int? {
        switch self {
        case .arrived(_, .ended), .loaded, .missing, .saved, .erased, .failed: nil
        case .arrived(_, .body(let bytes)), .arrived(_, .text(let bytes)): bytes.count + Arrivals.overhead
        case .arrived(_, .head(_, let headers)):
            headers.reduce(Arrivals.overhead) { size, header in
                size + header.name.utf8.count + header.value.utf8.count + Arrivals.overhead
            }
        case .arrived: Arrivals.overhead
        }
    }
}
