// What is to happen at a time: a queue ordered by that time, first in, first out among equals. For simulated
// drivers, which hold a handful of things at once; the machine's own timers, which can be replaced and
// cancelled by name, live in `TimerTable`.

import ChatDomain

/// Elements that wait for their time.
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

    /// The latest first, so that the next is taken from the end; of equals, the last inserted first.
    @usableFromInline var entries: [Entry] = []

    /// Creates an empty queue.
    @inlinable
    public init() {}

    /// When the next element is due.
    @inlinable
    public var nextDeadline: Instant? { entries.last?.due }

    /// Adds an element. O(n), and O(log n) when it is due before all others.
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

    /// Takes the first element that is due by a time, with the time at which it was due. O(1).
    @inlinable
    public mutating func popFirst(dueBy time: Instant) -> (due: Instant, element: Element)? {
        guard let next = entries.last, next.due <= time else { return nil }
        entries.removeLast()
        return (next.due, next.element)
    }

    /// Removes elements. O(n).
    @inlinable
    public mutating func removeAll(where isUnwanted: (Element) -> Bool) {
        entries.removeAll { isUnwanted($0.element) }
    }
}
