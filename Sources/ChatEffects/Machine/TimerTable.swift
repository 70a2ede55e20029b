// The running timers of a machine, as a value. Start here; `TimerHeap` holds many of them.
//
// Guarantees: timers fire in the order of deadline, then of starting (the interpreter's guarantee 2); a cancelled or
// restarted timer never fires for its earlier start; the next deadline is O(1). An app runs a handful of timers, so up
// to eight are in an array in firing order, without hashing or sifting. A simulation may run 100,000; they are in a
// heap.
//
// Two tables are equal when they run equal timers with equal deadlines in equal firing order, whatever their history: a
// table compares, hashes and encodes as the list `running`.

import ChatDomain

/// Deadlines by timer, taken out in firing order.
///
///     var timers = TimerTable<Timer>()
///     timers.start(.retry, at: now + .seconds(1))
///     while let fired = timers.popFirst(dueBy: now) { handle(fired.timer, at: fired.deadline) }
public struct TimerTable<Timer: DomainValue>: Sendable {
    /// A timer with its deadline.
    @usableFromInline package struct Running: DomainValue {
        /// The timer.
        @usableFromInline package let timer: Timer
        /// The deadline.
        @usableFromInline package let deadline: Instant

        @inlinable
        init(timer: Timer, deadline: Instant) {
            self.timer = timer
            self.deadline = deadline
        }

        @inlinable
        package static func == (left: Running, right: Running) -> Bool {
            left.deadline == right.deadline && left.timer == right.timer
        }

        @inlinable
        package func hash(into hasher: inout Hasher) {
            hasher.combine(timer)
            hasher.combine(deadline)
        }
    }

    /// The running timers in firing order, while they are few; empty when `many` holds them.
    @usableFromInline
    var few: [Running] = []

    /// The running timers when they are many; empty when `few` holds them.
    @usableFromInline
    var many = TimerHeap<Timer>()

    /// Creates an empty table.
    @inlinable
    public init() {}

    /// The most timers in the array: eight comparisons of small enums cost less than one hash.
    @inlinable
    static var greatestFew: Int { 8 }

    /// The number of timers at which the array takes over again: half, so that a count near the limit does not move the
    /// timers back and forth.
    @inlinable
    static var fewAgain: Int { 4 }

    // MARK: Reading

    /// The number of running timers. O(1).
    @inlinable
    var count: Int64 {
        Int64(few.count + many.count)
    }

    /// The earliest deadline; `nil` when no running timer has a finite one. O(1).
    @inlinable
    public var nextDeadline: Instant? {
        // By index: `few.first` would copy the timer, and a feature's timers carry names.
        let earliest = few.isEmpty ? many.first?.deadline : few[0].deadline
        return earliest == .never ? nil : earliest
    }

    /// Whether a timer runs. O(1).
    func isRunning(_ timer: Timer) -> Bool {
        many.isEmpty ? position(of: timer) != nil : many.isRunning(timer)
    }

    /// The deadline of a timer; `nil` if it does not run. O(n) for many, O(1) for few.
    func deadline(of timer: Timer) -> Instant? {
        guard many.isEmpty else { return many.deadline(of: timer) }
        guard let position = position(of: timer) else { return nil }
        return few[position].deadline
    }

    /// All running timers in firing order: the normal form. O(n log n) for many, O(1) for few.
    @inlinable
    var running: [Running] {
        guard !many.isEmpty else { return few }
        return many.inFiringOrder { Running(timer: $0, deadline: $1) }
    }

    @inlinable
    func position(of timer: Timer) -> Int? {
        for position in few.indices where few[position].timer == timer { return position }
        return nil
    }

    // MARK: Changing

    /// Starts or restarts a timer. A restart replaces the earlier start, also in the order among equal deadlines.
    ///
    /// A timer with the deadline `.never` runs but never fires. O(log n), amortised.
    @inlinable
    public mutating func start(_ timer: Timer, at deadline: Instant) {
        guard many.isEmpty else { return many.start(timer, at: deadline) }
        if let position = position(of: timer) {
            few.remove(at: position)
        } else if few.count == Self.greatestFew {
            for running in few { many.start(running.timer, at: running.deadline) }
            few.removeAll(keepingCapacity: true)
            return many.start(timer, at: deadline)
        }
        var position = few.count
        while position > 0, few[position - 1].deadline > deadline { position -= 1 }
        few.insert(Running(timer: timer, deadline: deadline), at: position)
    }

    /// Stops a timer, if it runs. O(log n), amortised.
    @inlinable
    public mutating func cancel(_ timer: Timer) {
        if many.isEmpty {
            if let position = position(of: timer) { few.remove(at: position) }
        } else {
            many.cancel(timer)
            returnToFew()
        }
    }

    /// Removes and returns the next timer to fire, with its deadline; nil if none is due by `limit`. Equal deadlines
    /// fire in the order of their starts. O(log n), amortised.
    ///
    /// A deadline of `.never` is not due even by `.never`.
    @inlinable
    public mutating func popFirst(dueBy limit: Instant) -> (timer: Timer, deadline: Instant)? {
        guard let next = nextDeadline, next <= limit else { return nil }
        if many.isEmpty {
            let fired = few.removeFirst()
            return (fired.timer, fired.deadline)
        }
        let fired = many.popFirst()
        returnToFew()
        return fired
    }

    /// Moves the timers of the heap back into the array when they have become few.
    @inlinable
    mutating func returnToFew() {
        guard many.count <= Self.fewAgain else { return }
        while let (timer, deadline) = many.popFirst() {
            few.append(Running(timer: timer, deadline: deadline))
        }
    }
}

extension TimerTable: Hashable {
    @inlinable
    public static func == (left: TimerTable, right: TimerTable) -> Bool {
        left.count == right.count && left.running == right.running
    }

    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(running)
    }
}

#if !hasFeature(Embedded)
    extension TimerTable: Codable {
        /// Starts the listed timers in order, so every list gives a valid table: an unsorted list is sorted, and the
        /// last start of a repeated timer counts.
        public init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            while !list.isAtEnd {
                let running = try list.decode(Running.self)
                start(running.timer, at: running.deadline)
            }
        }

        public func encode(to encoder: any Encoder) throws {
            var list = encoder.unkeyedContainer()
            for running in running { try list.encode(running) }
        }
    }
#endif
