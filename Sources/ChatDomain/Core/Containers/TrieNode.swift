// The tree below `HashTrie`: six bits of the hash choose a slot at each level, and only occupied slots are
// stored. A slot holds one key, all keys of one whole hash, or a branch with at least two keys of different
// hashes below it. So the shape depends on the keys alone, and equal tries can be compared node by node.

@usableFromInline enum TrieShape {
    /// The number of hash bits of a level. Six, because one word then marks the occupied slots; with five, 100,000 keys
    /// need one more level, and to read a level changes its reference count in memory.
    @inlinable static var bits: UInt64 { 6 }
}

@usableFromInline struct TrieNode<Key: StableHashable, Value> {
    /// First, so that every case of a slot begins with a reference, and a slot takes 16 bytes and not 24.
    @usableFromInline var slots: [TrieSlot<Key, Value>]
    @usableFromInline var occupied: UInt64

    @inlinable init() {
        occupied = 0
        slots = []
    }

    /// A branch over two slots whose keys have different hashes.
    @inlinable
    init(
        _ left: TrieSlot<Key, Value>, hash leftHash: UInt64,
        _ right: TrieSlot<Key, Value>, hash rightHash: UInt64, shift: UInt64
    ) {
        let leftBit = TrieNode.bit(leftHash, shift)
        let rightBit = TrieNode.bit(rightHash, shift)
        occupied = leftBit | rightBit
        if leftBit == rightBit {
            slots = [
                .branch(TrieNode(left, hash: leftHash, right, hash: rightHash, shift: shift + TrieShape.bits))
            ]
        } else {
            slots = leftBit < rightBit ? [left, right] : [right, left]
        }
    }

    @inlinable static func bit(_ hash: UInt64, _ shift: UInt64) -> UInt64 {
        1 &<< ((hash &>> shift) & 0x3F)
    }

    @inlinable func position(of bit: UInt64) -> Int { (occupied & (bit &- 1)).nonzeroBitCount }
}

@usableFromInline struct TrieEntry<Key: StableHashable, Value> {
    @usableFromInline let key: Key
    @usableFromInline var value: Value

    @inlinable init(_ key: Key, _ value: Value) {
        self.key = key
        self.value = value
    }
}

@usableFromInline enum TrieSlot<Key: StableHashable, Value> {
    case entry(TrieEntry<Key, Value>)
    /// At least two keys with the same 64 bits of hash, in no particular order.
    case collision([TrieEntry<Key, Value>])
    case branch(TrieNode<Key, Value>)

    @inlinable static var vacant: TrieSlot { .collision([]) }
}

extension TrieNode {
    /// The value of a key; `hash` without the bits of the levels above.
    @inlinable func value(of key: Key, hash: UInt64) -> Value? {
        let bit = TrieNode.bit(hash, 0)
        guard occupied & bit != 0 else { return nil }
        switch slots[position(of: bit)] {
        case .entry(let entry): return entry.key == key ? entry.value : nil
        case .collision(let entries): return entries.first { $0.key == key }?.value
        case .branch(let node): return node.value(of: key, hash: hash &>> TrieShape.bits)
        }
    }

    /// Whether the key is new.
    @inlinable
    mutating func insert(_ key: Key, _ value: Value, hash: UInt64, shift: UInt64, seed: UInt64) -> Bool {
        let bit = TrieNode.bit(hash, shift)
        let position = position(of: bit)
        guard occupied & bit != 0 else {
            occupied |= bit
            slots.insert(.entry(TrieEntry(key, value)), at: position)
            return true
        }
        return slots[position].insert(key, value, hash: hash, shift: shift, seed: seed)
    }

    @inlinable mutating func remove(_ key: Key, hash: UInt64, shift: UInt64) -> Value? {
        let bit = TrieNode.bit(hash, shift)
        guard occupied & bit != 0 else { return nil }
        let position = position(of: bit)
        if case .entry(let entry) = slots[position] {
            guard entry.key == key else { return nil }
            occupied &= ~bit
            return slots.remove(at: position).entryValue
        }
        return slots[position].remove(key, hash: hash, shift: shift)
    }

    /// Calls `predicate` for the entries until it returns `false`. The order is undefined, and no result may depend on it.
    @inlinable func allSatisfy(_ predicate: (Key, Value) -> Bool) -> Bool {
        slots.allSatisfy { slot in
            switch slot {
            case .entry(let entry): predicate(entry.key, entry.value)
            case .collision(let entries): entries.allSatisfy { predicate($0.key, $0.value) }
            case .branch(let node): node.allSatisfy(predicate)
            }
        }
    }
}

extension TrieSlot {
    @inlinable
    var entryValue: Value? { if case .entry(let entry) = self { entry.value } else { nil } }

    @inlinable
    mutating func insert(_ key: Key, _ value: Value, hash: UInt64, shift: UInt64, seed: UInt64) -> Bool {
        switch self {
        case .entry(let entry):
            if entry.key == key {
                self = .entry(TrieEntry(key, value))
                return false
            }
            let entryHash = entry.key.stableHash(seed: seed)
            let new = TrieEntry(key, value)
            if entryHash == hash {
                self = .collision([entry, new])
            } else {
                self = .branch(
                    TrieNode(self, hash: entryHash, .entry(new), hash: hash, shift: shift + TrieShape.bits))
            }
            return true
        case .collision(var entries):
            if let index = entries.firstIndex(where: { $0.key == key }) {
                self = .vacant
                entries[index].value = value
                self = .collision(entries)
                return false
            }
            let new = TrieEntry(key, value)
            let sharedHash = entries.first?.key.stableHash(seed: seed) ?? hash
            if sharedHash == hash {
                self = .vacant
                entries.append(new)
                self = .collision(entries)
            } else {
                self = .branch(
                    TrieNode(self, hash: sharedHash, .entry(new), hash: hash, shift: shift + TrieShape.bits))
            }
            return true
        case .branch(var node):
            self = .vacant
            let isNew = node.insert(key, value, hash: hash, shift: shift + TrieShape.bits, seed: seed)
            self = .branch(node)
            return isNew
        }
    }

    @inlinable mutating func remove(_ key: Key, hash: UInt64, shift: UInt64) -> Value? {
        switch self {
        case .entry: return nil  // the branch that holds the slot removes it
        case .collision(var entries):
            guard let index = entries.firstIndex(where: { $0.key == key }) else { return nil }
            self = .vacant
            let removed = entries.remove(at: index).value
            if let only = entries.first, entries.count == 1 {
                self = .entry(only)
            } else {
                self = .collision(entries)
            }
            return removed
        case .branch(var node):
            self = .vacant
            let removed = node.remove(key, hash: hash, shift: shift + TrieShape.bits)
            self = node.contracted
            return removed
        }
    }
}

extension TrieNode {
    /// The only slot of a branch if that holds keys of one hash; otherwise the branch itself.
    @inlinable var contracted: TrieSlot<Key, Value> {
        if slots.count == 1, let only = slots.first {
            switch only {
            case .entry, .collision: return only
            case .branch: break
            }
        }
        return .branch(self)
    }
}

extension TrieNode: Sendable where Key: Sendable, Value: Sendable {}
extension TrieEntry: Sendable where Key: Sendable, Value: Sendable {}
extension TrieSlot: Sendable where Key: Sendable, Value: Sendable {}

extension TrieNode: Equatable where Value: Equatable {
    /// Compares contents; `==` of arrays answers at once when both are the same buffer.
    @inlinable static func == (left: TrieNode, right: TrieNode) -> Bool {
        left.occupied == right.occupied && left.slots == right.slots
    }
}

extension TrieEntry: Equatable where Value: Equatable {
    @inlinable static func == (left: TrieEntry, right: TrieEntry) -> Bool {
        left.key == right.key && left.value == right.value
    }
}

extension TrieSlot: Equatable where Value: Equatable {
    @inlinable static func == (left: TrieSlot, right: TrieSlot) -> Bool {
        switch (left, right) {
        case (.entry(let leftEntry), .entry(let rightEntry)): leftEntry == rightEntry
        case (.branch(let leftNode), .branch(let rightNode)): leftNode == rightNode
        case (.collision(let leftEntries), .collision(let rightEntries)):
            leftEntries.count == rightEntries.count
                && leftEntries.allSatisfy { entry in rightEntries.contains(entry) }
        default: false
        }
    }
}
