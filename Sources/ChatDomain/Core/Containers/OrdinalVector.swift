// The rows of a transcript. A row has an ordinal from its creation on, and no other row ever gets that ordinal:
// newer rows count up from 0, older rows that are loaded later count down from -1. Start at `append`,
// `prepend` and `remove`; reading in order is in `OrdinalRows`.
//
// Both directions are a vector of slots; that of the older rows is reversed. A removed row leaves an empty slot,
// and a part of a tree without rows is not stored: memory grows with the rows that exist, not with all rows
// that ever existed.

/// A persistent list of rows with permanent addresses.
///
/// Reading, changing, adding and removing a row are O(log n), also while earlier values are held.
package struct OrdinalVector<Value> {
    /// Rows 0, 1, 2, …
    var newer: RadixVector<OrdinalSlot<Value>?>
    /// Rows -1, -2, -3, …
    var older: RadixVector<OrdinalSlot<Value>?>
    var rowCount: Int64

    /// Creates a list without rows. Allocates nothing.
    package init() {
        newer = RadixVector()
        older = RadixVector()
        rowCount = 0
    }

    /// The number of rows. O(1).
    package var count: Int64 { rowCount }

    /// Whether there is no row. O(1).
    var isEmpty: Bool { count == 0 }

    /// The ordinals assigned so far, also those of removed rows.
    var ordinals: Range<Int64> { -Int64(older.endIndex)..<Int64(newer.endIndex) }

    /// Adds a row after the newest one, and returns its ordinal.
    @discardableResult package mutating func append(_ value: Value) -> Int64 {
        newer.appendSlot(OrdinalSlot(value: value))
        rowCount += 1
        return ordinals.upperBound - 1
    }

    /// Adds a row before the oldest one, and returns its ordinal.
    @discardableResult mutating func prepend(_ value: Value) -> Int64 {
        older.appendSlot(OrdinalSlot(value: value))
        rowCount += 1
        return ordinals.lowerBound
    }

    /// The row with an ordinal; `nil` if there is none.
    subscript(ordinal: Int64) -> Value? { read(ordinal) { $0 } }

    /// Whether `holds` is true of the row with the highest assigned ordinal; `false` if it was removed. O(1).
    /// Inlined, so that the row is not copied.
    @inline(__always) func newest(satisfies holds: (Value) -> Bool) -> Bool {
        guard let slot = newer.tail.last else { return read(-1, holds) ?? false }
        return slot.map { holds($0.value) } ?? false
    }

    /// The result of `body` for the row with an ordinal; `nil`, without a call of `body`, if there is none. O(log n).
    /// If `body` captures nothing, only the part that it returns is copied.
    func read<Result>(_ ordinal: Int64, _ body: (Value) -> Result) -> Result? {
        ordinal < 0
            ? older.read(at: Int(clamping: ~ordinal)) { slot in slot?.read(body) } ?? nil
            : newer.read(at: Int(clamping: ordinal)) { slot in slot?.read(body) } ?? nil
    }

    /// Changes the row with an ordinal in place, and returns the result of `body`; `nil`, without a call of `body`,
    /// if there is none.
    @discardableResult
    package mutating func update<Result>(_ ordinal: Int64, _ body: (inout Value) -> Result) -> Result? {
        update(ordinal, with: ()) { value, _ in body(&value) }
    }

    /// The same for a change without captures, which gets its input as an argument. O(log n), without a retained
    /// reference on the way down.
    mutating func update<Input, Result>(
        _ ordinal: Int64, with input: Input, _ body: (inout Value, Input) -> Result
    ) -> Result? {
        ordinal < 0
            ? older.update(at: Int(clamping: ~ordinal), with: input) { $0?.update($1, body) } ?? nil
            : newer.update(at: Int(clamping: ordinal), with: input) { $0?.update($1, body) } ?? nil
    }

    /// Removes the row with an ordinal, and returns it if it was there.
    @discardableResult mutating func remove(_ ordinal: Int64) -> Value? {
        guard ordinals.contains(ordinal) else { return nil }
        let slot = ordinal < 0 ? older.clear(at: Int(~ordinal)) : newer.clear(at: Int(ordinal))
        guard let slot else { return nil }
        rowCount -= 1
        return slot.value
    }

    /// Removes the oldest rows, at most `limit`, and returns them, oldest first. O(log n) each.
    @discardableResult mutating func removeOldest(_ limit: Int64) -> [Row] {
        // Read before the first is removed, so that no iterator shares the nodes then.
        let oldest = Array(prefix(Int(clamping: Swift.max(0, limit))))
        for row in oldest { remove(row.ordinal) }
        return oldest
    }
}

/// A place for one row, changed in place by optional chaining.
struct OrdinalSlot<Value> {
    var value: Value

    func read<Result>(_ body: (Value) -> Result) -> Result { body(value) }

    mutating func update<Input, Result>(
        _ input: Input, _ body: (inout Value, Input) -> Result
    ) -> Result { body(&value, input) }
}

extension RadixVector {
    /// Empties a slot, and frees every node that becomes empty.
    mutating func clear<Wrapped>(at index: Int) -> Wrapped? where Element == Wrapped? {
        guard index < treeCount else { return tail[index - treeCount].take() }
        return root.clear(at: index, shift: rootShift)
    }

    /// Adds a slot at the end.
    mutating func appendSlot<Wrapped>(_ slot: Wrapped?) where Element == Wrapped? {
        if tail.count == RadixShape.leafWidth { emptyTail() }
        append(slot)
    }

    /// Adds empty slots until there are `newCount`. O(log n), however many they are.
    mutating func appendEmptySlots<Wrapped>(until newCount: Int) where Element == Wrapped? {
        while endIndex < newCount, tail.count < RadixShape.leafWidth { append(nil) }
        guard endIndex < newCount else { return }
        emptyTail()
        growTree(to: (newCount - 1) & ~(RadixShape.leafWidth - 1))
        while endIndex < newCount { append(nil) }
    }

    /// Moves a full tail into the tree; a tail without rows is not stored there.
    mutating func emptyTail<Wrapped>() where Element == Wrapped? {
        guard !tail.contains(where: { slot in slot != nil }) else { return moveTailIntoTree() }
        growTree(to: treeCount + RadixShape.leafWidth)
        tail = []
    }
}

extension OrdinalVector: Sendable where Value: Sendable {}
extension OrdinalSlot: Sendable where Value: Sendable {}

extension OrdinalSlot: Equatable where Value: Equatable {
    // By hand, because the synthesised one is not specialised in other modules.
    static func == (left: OrdinalSlot, right: OrdinalSlot) -> Bool { left.value == right.value }
}

extension OrdinalVector: Equatable where Value: Equatable {
    /// Whether both hold equal rows under the same ordinals and have assigned the same ordinals. Shared parts are not
    /// compared.
    package static func == (left: OrdinalVector, right: OrdinalVector) -> Bool {
        left.count == right.count && left.older == right.older && left.newer == right.newer
    }
}

extension OrdinalVector: Hashable where Value: Hashable {
    package func hash(into hasher: inout Hasher) {
        hasher.combine(ordinals)
        for row in self {
            hasher.combine(row.ordinal)
            hasher.combine(row.value)
        }
    }
}
