// A queue of elements ordered by deadline; equal deadlines are first in, first out. It serves simulated drivers, which
// hold a handful of elements. The machine's own timers, which are replaced and cancelled by name, are in `TimerTable`.

import ChatDomain

/// A queue of elements with deadlines.
package struct DelayQueue<Element: PlainValue>: PlainValue {
    private struct Entry: PlainValue {
        let due: Instant
        let element: Element

        init(due: Instant, element: Element) {
            self.due = due
            self.element = element
        }
    }

    /// Sorted by falling deadline, so that the next entry is the last; of equal deadlines, the newest is first.
    private var entries: [Entry] = []

    /// Creates an empty queue.
    package init() {}

    /// The earliest deadline; nil when the queue is empty.
    package var nextDeadline: Instant? { entries.last?.due }

    /// Inserts an element. O(n); O(log n) when its deadline is before all others.
    package mutating func insert(_ element: Element, at due: Instant) {
        let place = entries.partitioningIndex { $0.due <= due }
        entries.insert(Entry(due: due, element: element), at: place)
    }

    /// Removes and returns the first element that is due by `time`, with its deadline; nil if none is due. O(1).
    package mutating func popFirst(dueBy time: Instant) -> (due: Instant, element: Element)? {
        guard let next = entries.last, next.due <= time else { return nil }
        entries.removeLast()
        return (next.due, next.element)
    }

    /// Removes all elements that satisfy the predicate. O(n).
    package mutating func removeAll(where isUnwanted: (Element) -> Bool) {
        entries.removeAll { isUnwanted($0.element) }
    }
}
