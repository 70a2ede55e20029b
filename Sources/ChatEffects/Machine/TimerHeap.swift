// Storage for many running timers: `TimerTable` uses it beyond a handful.
//
// It has three parts. The slots hold one running timer each and do not move. The buckets find a timer's slot by its
// hash, by chains through the slots. The heap orders starts by deadline, then by sequence number.
//
// A cancelled or replaced start stays in the heap until it surfaces. It is stale when its sequence number differs from
// that of its slot, so sifting writes only to the heap. Invariants: the first entry of the heap is live, and at most
// half of the heap is stale (plus a constant), so compaction costs O(1) for each start that became stale.
//
// With 100,000 timers the cost is memory outside the nearest caches. So a start is 16 bytes, the four children of a
// heap entry lie in one or two cache lines, and a slot holds only what identifies its timer.
//
// The layout is not observable: hashes differ between processes, the firing order does not. The order of the heap is in
// TimerHeapOrder.swift.

import ChatDomain

/// Deadlines by timer, in a 4-ary heap with a hash index.
@usableFromInline
struct TimerHeap<Timer: DomainValue>: Sendable {
    /// One start of a timer.
    @usableFromInline
    struct Start: Sendable {
        @usableFromInline let deadline: Instant
        @usableFromInline let sequence: UInt32
        @usableFromInline let slot: UInt32

        @inlinable
        init(deadline: Instant, sequence: UInt32, slot: UInt32) {
            self.deadline = deadline
            self.sequence = sequence
            self.slot = slot
        }

        /// 1 if this start comes before another, else 0. The result is a number, since a processor cannot predict it:
        /// callers sum it instead of branching.
        @inlinable
        func precedes(_ other: Start) -> Int {
            let isEarlier = deadline < other.deadline ? 1 : 0
            let isEqual = deadline == other.deadline ? 1 : 0
            let isFirst = sequence < other.sequence ? 1 : 0
            return isEarlier | (isEqual & isFirst)
        }

        @inlinable
        static func < (left: Start, right: Start) -> Bool {
            left.precedes(right) == 1
        }
    }

    /// A place for one running timer.
    @usableFromInline
    struct Slot: Sendable {
        /// The timer; `nil` when the slot is free.
        @usableFromInline var timer: Timer?
        /// The sequence number of the live start; `noStart` when the slot is free.
        @usableFromInline var sequence: UInt32
        @usableFromInline var hash: UInt32
        /// The next slot of the same bucket, or the next free slot.
        @usableFromInline var next: UInt32

        @inlinable
        init(timer: Timer, sequence: UInt32, hash: UInt32, next: UInt32) {
            self.timer = timer
            self.sequence = sequence
            self.hash = hash
            self.next = next
        }
    }

    /// The initial state, copied for each hash: creating a hasher costs as much as hashing a small enum.
    @usableFromInline let hasher = Hasher()
    @usableFromInline var heap: [Start] = []
    @usableFromInline var slots: [Slot] = []
    /// The first slot of each chain; the number of chains is a power of two.
    @usableFromInline var buckets: [UInt32] = []
    @usableFromInline var free: UInt32
    /// The number of running timers.
    @usableFromInline var count = 0
    /// The sequence number of the next start.
    @usableFromInline var sequence: UInt32 = 0

    init() {
        free = Self.noSlot
    }

    /// Marks the end of a chain.
    @inlinable
    static var noSlot: UInt32 { .max }

    /// Marks a free slot.
    @inlinable
    static var noStart: UInt32 { .max }

    /// The least number of chains: the heap takes over at nine timers.
    @inlinable
    static var leastBuckets: Int { 16 }

    /// The number of stale starts that is always allowed, so that small heaps are not compacted at every change.
    @inlinable
    static var sufferedStale: Int { 16 }

    // MARK: Reading

    @inlinable
    var isEmpty: Bool { count == 0 }

    /// The next start to fire. O(1).
    @inlinable
    var first: Start? { heap.first }

    func isRunning(_ timer: Timer) -> Bool {
        slot(of: timer, hash: hash(of: timer)) != Self.noSlot
    }

    /// The deadline of a timer; nil if it does not run. O(n): no caller needs speed.
    func deadline(of timer: Timer) -> Instant? {
        let slot = slot(of: timer, hash: hash(of: timer))
        guard slot != Self.noSlot else { return nil }
        return heap.first { start in start.slot == slot && isLive(start) }?.deadline
    }

    /// The running timers in firing order. O(n log n).
    @inlinable
    func inFiringOrder<Element>(_ element: (Timer, Instant) -> Element) -> [Element] {
        var live = heap.filter(isLive)
        live.sort { $0 < $1 }
        return live.compactMap { start in
            slots[Int(start.slot)].timer.map { element($0, start.deadline) }
        }
    }

    @inlinable
    func isLive(_ start: Start) -> Bool {
        slots[Int(start.slot)].sequence == start.sequence
    }

    // MARK: Changing

    @inlinable
    mutating func start(_ timer: Timer, at deadline: Instant) {
        if sequence == Self.noStart { renumber() }
        let hash = self.hash(of: timer)
        var slot = slot(of: timer, hash: hash)
        let replaces = slot != Self.noSlot
        let sequence = sequence
        self.sequence = sequence &+ 1
        if replaces {
            slots[Int(slot)].sequence = sequence
        } else {
            slot = insert(timer, hash: hash, sequence: sequence)
        }
        push(Start(deadline: deadline, sequence: sequence, slot: slot))
        if replaces { dropStale() }
    }

    @inlinable
    mutating func cancel(_ timer: Timer) {
        let slot = slot(of: timer, hash: hash(of: timer))
        guard slot != Self.noSlot else { return }
        _ = vacate(slot)
        dropStale()
    }

    /// Removes and returns the next timer to fire; nil when no timer runs.
    @inlinable
    mutating func popFirst() -> (timer: Timer, deadline: Instant)? {
        guard let start = heap.first, let timer = vacate(start.slot) else { return nil }
        removeFirst()
        dropStale()
        return (timer, start.deadline)
    }

    // MARK: Finding a timer's slot

    @inlinable
    func hash(of timer: Timer) -> UInt32 {
        var hasher = hasher
        timer.hash(into: &hasher)
        return UInt32(truncatingIfNeeded: hasher.finalize())
    }

    @inlinable
    func bucket(_ hash: UInt32) -> Int {
        Int(hash & UInt32(truncatingIfNeeded: buckets.count &- 1))
    }

    @inlinable
    func slot(of timer: Timer, hash: UInt32) -> UInt32 {
        guard !buckets.isEmpty else { return Self.noSlot }
        var slot = buckets[bucket(hash)]
        while slot != Self.noSlot {
            let index = Int(slot)
            if slots[index].hash == hash, slots[index].timer == timer { break }
            slot = slots[index].next
        }
        return slot
    }

    /// Assigns a slot to a timer that does not run.
    @inlinable
    mutating func insert(_ timer: Timer, hash: UInt32, sequence: UInt32) -> UInt32 {
        if count == buckets.count { growBuckets() }
        count += 1
        let bucket = bucket(hash)
        let entry = Slot(timer: timer, sequence: sequence, hash: hash, next: buckets[bucket])
        var slot = free
        if slot == Self.noSlot {
            slot = UInt32(slots.count)
            slots.append(entry)
        } else {
            free = slots[Int(slot)].next
            slots[Int(slot)] = entry
        }
        buckets[bucket] = slot
        return slot
    }

    /// Frees a slot, which makes its start in the heap stale.
    @inlinable
    mutating func vacate(_ slot: UInt32) -> Timer? {
        let index = Int(slot)
        let next = slots[index].next
        let bucket = bucket(slots[index].hash)
        if buckets[bucket] == slot {
            buckets[bucket] = next
        } else {
            var before = Int(buckets[bucket])
            while slots[before].next != slot { before = Int(slots[before].next) }
            slots[before].next = next
        }
        let timer = slots[index].timer
        slots[index].timer = nil
        slots[index].sequence = Self.noStart
        slots[index].next = free
        free = slot
        count -= 1
        return timer
    }

    /// Doubles the number of chains, so that they hold one timer on average. O(n).
    @inlinable
    mutating func growBuckets() {
        buckets = Array(repeating: Self.noSlot, count: max(Self.leastBuckets, buckets.count * 2))
        for index in slots.indices where slots[index].timer != nil {
            let bucket = bucket(slots[index].hash)
            slots[index].next = buckets[bucket]
            buckets[bucket] = UInt32(index)
        }
    }
}
