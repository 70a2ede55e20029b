// The queue of deliveries to the feature, first in, first out: decoded events, ends of calls, and refused saves. A
// delivery names its call by number, so the machine drops it if the feature closes the call first.

import ChatDomain

/// Deliveries that wait for the reducer.
@usableFromInline
struct Inbox<Event: PlainValue, Key: DomainValue>: PlainValue {
    @usableFromInline
    enum Delivery: PlainValue {
        case event(CallNumber, Event)
        case end(CallNumber, CallEnd)
        case refused(Key, Attempt, StorageFailure)
    }

    @usableFromInline var deliveries: [Delivery] = []
    /// The number of consumed deliveries at the front. They are removed in bulk, so `popFirst` is O(1), amortised.
    @usableFromInline var taken = 0

    init() {}

    @inlinable
    var isEmpty: Bool { deliveries.isEmpty }

    /// The most consumed deliveries kept while others wait: few, and worth one move of the rest.
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
