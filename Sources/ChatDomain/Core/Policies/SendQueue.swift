// First in, first out, one at a time (C8, A3).
//
//                 next                          ended
//      idle ───────────────▶ inFlight ──────────────────────────────▶ idle, without it
//       ▲ ▲                  │      │
//       │ └──── requeue ─────┘      │ failedTransiently
//       └────── requeue ── blocked ◀┘
//
// The element in flight or blocked stays ahead of all waiting ones. An element that ends (accepted, or refused
// for good) leaves from any place, because an echo in a replay can end a requeued one.

/// A bounded queue that hands out one element at a time.
package struct SendQueue<Element: DomainValue & Identifiable>: DomainValue {
    package enum Phase: DomainValue {
        /// No element is out; the first waiting one may go.
        case idle
        /// This element is out, and its end is awaited.
        case inFlight(Element)
        /// This element failed for a transient reason; it and those behind it stay until `requeue()`.
        case blocked(Element)
    }

    /// The result of an `enqueue`.
    enum Enqueued: PlainValue {
        /// It waits for its turn.
        case queued
        /// It was refused, because the queue is at its limit.
        case full
        /// It was refused, because an element with its id is in the queue.
        case duplicate
    }

    /// The result of a change or a removal.
    enum Changed: PlainValue {
        /// It was carried out; this is the element before it.
        case done(Element)
        /// It was refused: the element is out, and its end is not known yet.
        case inFlight
        /// No element has that id.
        case missing
    }

    /// The maximum number of elements, the front included; less than one means none.
    let limit: Int64
    /// The state of the front of the queue.
    package private(set) var phase = Phase.idle
    /// The elements behind the front, in the order in which they will go.
    package private(set) var waiting: [Element] = []

    /// Creates an empty queue; 50 is the limit of a conversation's outbox (limits).
    init(limit: Int64 = 50) { self.limit = limit }

    /// All elements in order, the front first. O(n).
    package var elements: [Element] {
        switch phase {
        case .idle: waiting
        case .inFlight(let first), .blocked(let first): [first] + waiting
        }
    }

    package var count: Int64 {
        switch phase {
        case .idle: Int64(waiting.count)
        case .inFlight, .blocked: Int64(waiting.count) + 1
        }
    }

    /// Whether there is no element.
    package var isEmpty: Bool { count == 0 }

    /// Whether an element with that id is in the queue. O(n).
    func contains(_ id: Element.ID) -> Bool {
        switch phase {
        case .inFlight(let element) where element.id == id, .blocked(let element) where element.id == id: true
        case .idle, .inFlight, .blocked: waiting.contains { $0.id == id }
        }
    }

    /// Appends an element. O(n), for the search of its id.
    mutating func enqueue(_ element: Element) -> Enqueued {
        guard !contains(element.id) else { return .duplicate }
        guard count < limit else { return .full }
        waiting.append(element)
        return .queued
    }

    /// Puts the elements of an earlier process before all waiting ones. The limit does not refuse them, and of one id
    /// only the first is kept. O(n · m).
    mutating func restore(_ elements: [Element]) {
        var place = 0
        for element in elements where !contains(element.id) {
            waiting.insert(element, at: place)
            place += 1
        }
    }

    /// Hands out the first waiting element, unless one is out or blocked. It is in flight from now on.
    mutating func next() -> Element? {
        guard case .idle = phase, !waiting.isEmpty else { return nil }
        let element = waiting.removeFirst()
        phase = .inFlight(element)
        return element
    }

    /// Removes and returns an element that was accepted, or refused for good, from any place.
    mutating func ended(_ id: Element.ID) -> Element? {
        switch phase {
        case .inFlight(let element) where element.id == id, .blocked(let element) where element.id == id:
            phase = .idle
            return element
        case .idle, .inFlight, .blocked:
            guard let index = waiting.firstIndex(where: { $0.id == id }) else { return nil }
            return waiting.remove(at: index)
        }
    }

    /// Blocks the queue, because the element in flight failed for a transient reason. Returns whether it was in flight.
    mutating func failedTransiently(_ id: Element.ID) -> Bool {
        guard case .inFlight(let element) = phase, element.id == id else { return false }
        phase = .blocked(element)
        return true
    }

    /// Returns the element in flight or blocked to the front of the waiting ones, to be tried again.
    @discardableResult mutating func requeue() -> Element? {
        switch phase {
        case .idle: return nil
        case .inFlight(let element), .blocked(let element):
            phase = .idle
            waiting.insert(element, at: 0)
            return element
        }
    }

    /// Removes an element before it goes. If it blocked the queue, the others go on. O(n).
    mutating func remove(_ id: Element.ID) -> Changed {
        if case .inFlight(let element) = phase, element.id == id { return .inFlight }
        return ended(id).map { .done($0) } ?? .missing
    }

    /// Replaces the element with the same id, before it goes. O(n).
    mutating func replace(with element: Element) -> Changed {
        switch phase {
        case .inFlight(let current) where current.id == element.id: return .inFlight
        case .blocked(let current) where current.id == element.id:
            phase = .blocked(element)
            return .done(current)
        case .idle, .inFlight, .blocked:
            guard let index = waiting.firstIndex(where: { $0.id == element.id }) else { return .missing }
            let current = waiting[index]
            waiting[index] = element
            return .done(current)
        }
    }
}

extension SendQueue {
    /// Puts the elements into their normal form, in order.
    mutating func normalize(_ form: inout NormalForm, element: (inout Element, inout NormalForm) -> Void) {
        switch phase {
        case .idle: break
        case .inFlight(var first):
            element(&first, &form)
            phase = .inFlight(first)
        case .blocked(var first):
            element(&first, &form)
            phase = .blocked(first)
        }
        for index in waiting.indices { element(&waiting[index], &form) }
    }
}
