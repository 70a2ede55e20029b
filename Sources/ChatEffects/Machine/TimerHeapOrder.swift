// The order of the starts in a `TimerHeap`, and the removal of stale starts. Start at `dropStale`, which restores both
// invariants of the heap.

import ChatDomain

extension TimerHeap {
    /// The number of children of a heap entry. With two, a path to a leaf is twice as long and touches nearly twice as
    /// many cache lines.
    @inlinable
    static var fanOut: Int { 4 }

    /// Restores both invariants after a start became stale or the first one was removed.
    @inlinable
    mutating func dropStale() {
        guard count > 0 else { return forget() }
        while let first = heap.first, !isLive(first) { removeFirst() }
        guard heap.count > 2 * count + Self.sufferedStale else { return }
        var kept = 0
        for position in heap.indices where isLive(heap[position]) {
            heap[kept] = heap[position]
            kept += 1
        }
        heap.removeLast(heap.count - kept)
        guard kept > 1 else { return }
        for position in (0...(kept - 2) / Self.fanOut).reversed() { sink(heap[position], from: position) }
    }

    /// Clears the heap when no timer runs, so that slots are assigned in order again.
    @inlinable
    mutating func forget() {
        heap.removeAll(keepingCapacity: true)
        slots.removeAll(keepingCapacity: true)
        free = Self.noSlot
    }

    /// Renumbers the live starts from 0, in their order: the numbers run out after four thousand million starts, which
    /// a simulation may reach.
    @inlinable
    mutating func renumber() {
        heap = heap.filter(isLive)
        heap.sort { $0.sequence < $1.sequence }
        for position in heap.indices {
            let start = heap[position]
            let sequence = UInt32(position)
            heap[position] = Start(deadline: start.deadline, sequence: sequence, slot: start.slot)
            slots[Int(start.slot)].sequence = sequence
        }
        sequence = UInt32(heap.count)
        heap.sort { $0 < $1 }  // a sorted array is a heap
    }

    @inlinable
    mutating func push(_ start: Start) {
        heap.append(start)
        rise(start, from: heap.count - 1)
    }

    @inlinable
    mutating func removeFirst() {
        let last = heap.removeLast()
        if !heap.isEmpty { sink(last, from: 0) }
    }

    /// Places a start at a position or above it.
    @inlinable
    mutating func rise(_ start: Start, from position: Int) {
        heap.withUnsafeMutableBufferPointer { heap in Self.rise(start, from: position, to: 0, in: heap) }
    }

    @inlinable
    static func rise(
        _ start: Start, from position: Int, to top: Int, in heap: UnsafeMutableBufferPointer<Start>
    ) {
        var hole = position
        while hole > top {
            let parent = (hole - 1) / fanOut
            guard start < heap[parent] else { break }
            heap[hole] = heap[parent]
            hole = parent
        }
        heap[hole] = start
    }

    /// Places a start at a position or below it.
    ///
    /// The hole moves down to a leaf along the least children, then the start rises from there: it came from a leaf, so
    /// it seldom rises far, and each level needs one comparison less.
    @inlinable
    mutating func sink(_ start: Start, from position: Int) {
        heap.withUnsafeMutableBufferPointer { heap in
            var hole = position
            var first = Self.fanOut * hole + 1
            while first + Self.fanOut <= heap.count {
                let left = first + heap[first + 1].precedes(heap[first])
                let right = first + 2 + heap[first + 3].precedes(heap[first + 2])
                let least = left + (right - left) * heap[right].precedes(heap[left])
                heap[hole] = heap[least]
                hole = least
                first = Self.fanOut * hole + 1
            }
            if first < heap.count {
                var least = first
                for child in first + 1..<heap.count where heap[child] < heap[least] { least = child }
                heap[hole] = heap[least]
                hole = least
            }
            Self.rise(start, from: hole, to: position, in: heap)
        }
    }
}
