// What the feature has yet to be told, first in, first out: what codecs made of arrivals, and saves that were
// refused. What comes from a call names it by number, so that it can be dropped when the feature closes the
// call before its turn comes.

import ChatDomain

/// Deliveries that wait to be handled as actions.
@usableFromInline
struct Inbox<Event: PlainValue, Key: DomainValue>: PlainValue {
    @usableFromInline
    enum Delivery: PlainValue {
        case event(CallNumber, Event)
        case end(CallNumber, CallEnd)
        case refused(Key, Attempt, StorageFailure)
    }

    @usableFromInline var deliveries: [Delivery] = []
    /// How many at the front are gone already; they are dropped together, so that taking one is O(1),
    /// amortised.
    @usableFromInline var taken = 0

    @inlinable
    init() {}

    @inlinable
    var isEmpty: Bool { deliveries.isEmpty }

    /// How many taken ones are kept at most while nothing else waits: few, and worth one move of the rest.
    @inlinable
    static var greatestTaken: Int { 32 }

    @inlinable
    mutating func append(_ delivery: Delivery) {
        deliveries.append(delivery)
    }

    @inlinable
    mutating func popFirst() -> Delivery? {
        guard taken < deliveries.count else { return nil }
        let first = deliveries[taken]
        taken += 1
        if taken == deliveries.count {
            deliveries.removeAll(keepingCapacity: true)
            taken = 0
        } else if taken > Self.greatestTaken, 2 * taken > deliveries.count {
            deliveries.removeFirst(taken)
            taken = 0
        }
        return first
    }
}
