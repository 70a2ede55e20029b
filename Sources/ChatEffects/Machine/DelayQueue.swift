// A queue of elements ordered by deadline; equal deadlines are first in, first out. It serves simulated drivers, which
// hold a handful of elements. The machine's own timers, which are replaced and cancelled by name, are in `TimerTable`.

import ChatDomain

/// A queue of elements with deadlines.
public struct DelayQueue<Element: PlainValue>: PlainValue {
    @usableFromInline
    struct Entry: PlainValue {
        @usableFromInline let due: Instant
        @usableFromInline let element: Element

        @inlinable
        init(due: Instant, element: Element) {
            self.due = due
            self.element = element
        }
    }

    /// Sorted by falling deadline, so that the next entry is the last; of equal deadlines, the newest is first.
    @usableFromInline var entries: [Entry] = []

    /// Creates an empty queue.
    @inlinable
    public init() {}

    /// The earliest deadline; nil when the queue is empty.
    @inlinable
    public var nextDeadline: Instant? { entries.last?.due }

    /// Inserts an element. O(n); O(log n) when its deadline is before all others.
    @inlinable
    public mutating func insert(_ element: Element, at due: Instant) {
        var lower = 0
        var upper = entries.count
        while lower < upper {
            let middle = lower + (upper - lower) / 2
            if entries[middle].due > due { lower = middle + 1 } else { upper = middle }
        }
        entries.insert(Entry(due: due, element: element), at: lower)
    }

    /// Removes and returns the first element that is due by `time`, with its deadline; nil if none is due. O(1).
    @inlinable
    public mutating func popFirst(dueBy time: Instant) -> (due: Instant, element: Element)? {
        guard let next = entries.last, next.due <= time else { return nil }
        entries.removeLast()
        return (next.due, next.element)
    }

    /// Removes all elements that satisfy the predicate. O(n).
    @inlinable
    public mutating func removeAll(where isUnwanted: (Element) -> Bool) {
        entries.removeAll { isUnwanted($0.element) }
    }
}
