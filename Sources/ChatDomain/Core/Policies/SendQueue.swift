// First in, first out, one at a time (C8, A3).
//
//                 next                 succeeded, failedPermanently
//      idle ───────────────▶ inFlight ──────────────────────────────▶ idle, without it
//       ▲ ▲                  │      │
//       │ └──── requeue ─────┘      │ failedTransiently
//       └────── requeue ── blocked ◀┘
//
// What is in flight or blocked stays ahead of all that waits. An element that ends (delivered, or refused for
// good) leaves from wherever it is, because an echo in a replay can settle one that was put back to wait.

/// A bounded queue that hands out one element at a time.
@usableFromInline package struct SendQueue<Element: DomainValue & Identifiable>: DomainValue {
    /// What the front of the queue is doing.
    @usableFromInline enum Phase: DomainValue {
        /// Nothing is out; the first that waits may go.
        case idle
        /// This one is out, and its end is awaited.
        case inFlight(Element)
        /// This one failed for a reason that passes; it and those behind it stay until `requeue()`.
        case blocked(Element)
    }

    /// What became of a new element.
    enum Enqueued: PlainValue {
        /// It waits for its turn.
        case queued
        /// It was refused, because the queue is at its limit.
        case full
        /// It was refused, because one with its id is in the queue.
        case duplicate
    }

    /// What became of a wish to change or remove an element.
    enum Changed: PlainValue {
        /// It was carried out; this is the element as it was.
        case done(Element)
        /// It was refused: the element is out, and what becomes of it is not known yet.
        case inFlight
        /// No element has that id.
        case missing
    }

    /// At most so many elements are in the queue, with the one at its front; less than one means none.
    let limit: Int64
    @usableFromInline var front: Phase
    @usableFromInline var line: [Element]

    /// Creates an empty queue; 50 is the limit of a conversation's outbox (limits).
    init(limit: Int64 = 50) {
        self.limit = limit
        front = .idle
        line = []
    }

    /// What the front of the queue is doing.
    var phase: Phase { front }

    /// Those that wait behind the front, in the order in which they will go.
    var waiting: [Element] { line }

    /// All elements in order, the one at the front first. O(n).
    @inlinable package var elements: [Element] {
        switch front {
        case .idle: line
        case .inFlight(let first), .blocked(let first): [first] + line
        }
    }

    /// The number of elements.
    @inlinable package var count: Int64 {
        switch front {
        case .idle: Int64(line.count)
        case .inFlight, .blocked: Int64(line.count) + 1
        }
    }

    /// Whether there is no element.
    @inlinable package var isEmpty: Bool { count == 0 }

    /// Whether an element of that id is in the queue, wherever. O(n).
    func contains(_ id: Element.ID) -> Bool {
        switch front {
        case .inFlight(let element) where element.id == id, .blocked(let element) where element.id == id: true
        case .idle, .inFlight, .blocked: line.contains { $0.id == id }
        }
    }

    /// Puts an element at the end. O(n) for the look at the ids.
    mutating func enqueue(_ element: Element) -> Enqueued {
        guard !contains(element.id) else { return .duplicate }
        guard count < limit else { return .full }
        line.append(element)
        return .queued
    }

    /// Puts elements that an earlier process had accepted before all that wait. They are not refused by the limit,
    /// and of one id only the first is kept. O(n · m).
    mutating func restore(_ elements: [Element]) {
        var place = 0
        for element in elements where !contains(element.id) {
            line.insert(element, at: place)
            place += 1
        }
    }

    /// Hands out the first that waits, unless one is out or blocked. It is in flight from here on.
    mutating func next() -> Element? {
        guard case .idle = front, !line.isEmpty else { return nil }
        let element = line.removeFirst()
        front = .inFlight(element)
        return element
    }

    /// An element has arrived where it should: it leaves the queue and is returned, wherever it was.
    mutating func succeeded(_ id: Element.ID) -> Element? { leave(id) }

    /// An element will never be taken: it leaves the queue and is returned; those behind it go on.
    mutating func failedPermanently(_ id: Element.ID) -> Element? { leave(id) }

    /// The element in flight failed for a passing reason: it blocks those behind it. Returns whether it was in
    /// flight.
    mutating func failedTransiently(_ id: Element.ID) -> Bool {
        guard case .inFlight(let element) = front, element.id == id else { return false }
        front = .blocked(element)
        return true
    }

    /// Returns what is in flight or blocked to the front of the line, to be tried again.
    @discardableResult mutating func requeue() -> Element? {
        switch front {
        case .idle: return nil
        case .inFlight(let element), .blocked(let element):
            front = .idle
            line.insert(element, at: 0)
            return element
        }
    }

    /// Takes an element back before it goes. If it blocked the queue, the rest goes on. O(n).
    mutating func remove(_ id: Element.ID) -> Changed {
        if case .inFlight(let element) = front, element.id == id { return .inFlight }
        return leave(id).map { .done($0) } ?? .missing
    }

    /// Puts another element in the place of the one with its id, before that goes. O(n).
    mutating func replace(with element: Element) -> Changed {
        switch front {
        case .inFlight(let current) where current.id == element.id: return .inFlight
        case .blocked(let current) where current.id == element.id:
            front = .blocked(element)
            return .done(current)
        case .idle, .inFlight, .blocked:
            guard let index = line.firstIndex(where: { $0.id == element.id }) else { return .missing }
            let current = line[index]
            line[index] = element
            return .done(current)
        }
    }

    mutating func leave(_ id: Element.ID) -> Element? {
        switch front {
        case .inFlight(let element) where element.id == id, .blocked(let element) where element.id == id:
            front = .idle
            return element
        case .idle, .inFlight, .blocked:
            guard let index = line.firstIndex(where: { $0.id == id }) else { return nil }
            return line.remove(at: index)
        }
    }
}
