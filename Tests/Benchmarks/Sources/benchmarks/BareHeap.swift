// The yardstick of the timers: a binary heap of numbers that can neither cancel nor replace.

/// What the bare heap orders: a deadline, then the order of starting; and whose it is.
struct BareStart {
    let deadline: Int64
    let sequence: UInt64
    let payload: UInt32

    static func < (left: BareStart, right: BareStart) -> Bool {
        left.deadline == right.deadline ? left.sequence < right.sequence : left.deadline < right.deadline
    }
}

/// An array-based binary heap.
struct BareHeap {
    private var items: [BareStart] = []

    mutating func removeAll() {
        items.removeAll(keepingCapacity: true)
    }

    mutating func push(_ item: BareStart) {
        items.append(item)
        var hole = items.count - 1
        while hole > 0 {
            let parent = (hole - 1) / 2
            guard item < items[parent] else { break }
            items[hole] = items[parent]
            hole = parent
        }
        items[hole] = item
    }

    mutating func popFirst() -> BareStart? {
        guard let first = items.first else { return nil }
        let last = items.removeLast()
        guard !items.isEmpty else { return first }
        var hole = 0
        while true {
            var child = 2 * hole + 1
            guard child < items.count else { break }
            if child + 1 < items.count, items[child + 1] < items[child] { child += 1 }
            guard items[child] < last else { break }
            items[hole] = items[child]
            hole = child
        }
        items[hole] = last
        return first
    }
}
