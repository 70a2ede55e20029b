// The states that a search has seen: fingerprints in an open table, each with the number of its state. A table of ten
// million takes 400 MB, where the states themselves would take forty times as much.

/// A map from fingerprints to the numbers of states.
struct SeenStates: Sendable {
    private var slots: [Slot]
    private var mask: Int
    private(set) var count = 0

    private struct Slot {
        var high: UInt64
        var low: UInt64
        /// One more than the number of the state; 0 marks an empty slot.
        var mark: UInt32
    }

    init() {
        slots = Array(repeating: Slot(high: 0, low: 0, mark: 0), count: 1 << 12)
        mask = slots.count - 1
    }

    /// The number of a state that was seen. O(1).
    func number(of fingerprint: Fingerprint) -> UInt32? {
        let slot = slots[place(of: fingerprint)]
        return slot.mark == 0 ? nil : slot.mark - 1
    }

    /// Notes a state, with the count of states before it as its number. O(1), amortised.
    @discardableResult
    mutating func insert(_ fingerprint: Fingerprint) -> UInt32 {
        // Half full, a probe looks at two slots on average.
        if 2 * count >= slots.count { grow() }
        let place = place(of: fingerprint)
        if slots[place].mark != 0 { return slots[place].mark - 1 }
        count += 1
        slots[place] = Slot(high: fingerprint.high, low: fingerprint.low, mark: UInt32(count))
        return UInt32(count - 1)
    }

    private func place(of fingerprint: Fingerprint) -> Int {
        var place = Int(truncatingIfNeeded: fingerprint.low) & mask
        while slots[place].mark != 0,
            slots[place].low != fingerprint.low || slots[place].high != fingerprint.high
        {
            place = (place + 1) & mask
        }
        return place
    }

    private mutating func grow() {
        let old = slots
        slots = Array(repeating: Slot(high: 0, low: 0, mark: 0), count: old.count * 2)
        mask = slots.count - 1
        for slot in old where slot.mark != 0 {
            slots[place(of: Fingerprint(high: slot.high, low: slot.low))] = slot
        }
    }
}

extension Fingerprint {
    init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}
