// The tree below `HashTrie`: six bits of the hash choose a slot at each level, and only occupied slots are
// stored. A slot holds one key, all keys of one whole hash, or a branch with at least two keys of different
// hashes below it. So the shape depends on the keys alone, not on the history.

enum TrieShape {
    /// The number of hash bits of a level. Six, because one word then marks the occupied slots; with five, 100,000 keys
    /// need one more level, and to read a level changes its reference count in memory.
    static var bits: UInt64 { 6 }
}

struct TrieNode<Key: StableHashable, Value> {
    /// First, so that every case of a slot begins with a reference, and a slot takes 16 bytes and not 24.
    var slots: [TrieSlot<Key, Value>]
    var occupied: UInt64

    init() {
        occupied = 0
        slots = []
    }

    /// A branch over two slots whose keys have different hashes.
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

    static func bit(_ hash: UInt64, _ shift: UInt64) -> UInt64 {
        1 &<< ((hash &>> shift) & 0x3F)
    }

    func position(of bit: UInt64) -> Int { (occupied & (bit &- 1)).nonzeroBitCount }
}

struct TrieEntry<Key: StableHashable, Value> {
    let key: Key
    var value: Value
}

enum TrieSlot<Key: StableHashable, Value> {
    case entry(TrieEntry<Key, Value>)
    /// At least two keys with the same 64 bits of hash, in no particular order.
    case collision([TrieEntry<Key, Value>])
    case branch(TrieNode<Key, Value>)

    static var vacant: TrieSlot { .collision([]) }
}

extension TrieNode {
    /// The value of a key; `hash` without the bits of the levels above.
    func value(of key: Key, hash: UInt64) -> Value? {
        let bit = TrieNode.bit(hash, 0)
        guard occupied & bit != 0 else { return nil }
        switch slots[position(of: bit)] {
        case .entry(let entry): return entry.key == key ? entry.value : nil
        case .collision(let entries): return entries.first { $0.key == key }?.value
        case .branch(let node): return node.value(of: key, hash: hash &>> TrieShape.bits)
        }
    }

    /// Sets the value of a key; `hash` is the whole one, and `shift` the bits of the levels above.
    mutating func insert(_ key: Key, _ value: Value, hash: UInt64, shift: UInt64, seed: UInt64) {
        let bit = TrieNode.bit(hash, shift)
        let position = position(of: bit)
        guard occupied & bit != 0 else {
            occupied |= bit
            slots.insert(.entry(TrieEntry(key: key, value: value)), at: position)
            return
        }
        slots[position].insert(key, value, hash: hash, shift: shift, seed: seed)
    }

    mutating func remove(_ key: Key, hash: UInt64, shift: UInt64) {
        let bit = TrieNode.bit(hash, shift)
        guard occupied & bit != 0 else { return }
        let position = position(of: bit)
        if case .entry(let entry) = slots[position] {
            guard entry.key == key else { return }
            occupied &= ~bit
            slots.remove(at: position)
        } else {
            slots[position].remove(key, hash: hash, shift: shift)
        }
    }
}

extension TrieSlot {
    mutating func insert(_ key: Key, _ value: Value, hash: UInt64, shift: UInt64, seed: UInt64) {
        switch self {
        case .entry(let entry):
            if entry.key == key {
                self = .entry(TrieEntry(key: key, value: value))
                return
            }
            let entryHash = entry.key.stableHash(seed: seed)
            let new = TrieEntry(key: key, value: value)
            if entryHash == hash {
                self = .collision([entry, new])
            } else {
                self = .branch(
                    TrieNode(self, hash: entryHash, .entry(new), hash: hash, shift: shift + TrieShape.bits))
            }
        case .collision(var entries):
            if let index = entries.firstIndex(where: { $0.key == key }) {
                self = .vacant
                entries[index].value = value
                self = .collision(entries)
                return
            }
            let new = TrieEntry(key: key, value: value)
            let sharedHash = entries.first?.key.stableHash(seed: seed) ?? hash
            if sharedHash == hash {
                self = .vacant
                entries.append(new)
                self = .collision(entries)
            } else {
                self = .branch(
                    TrieNode(self, hash: sharedHash, .entry(new), hash: hash, shift: shift + TrieShape.bits))
            }
        case .branch(var node):
            self = .vacant
            node.insert(key, value, hash: hash, shift: shift + TrieShape.bits, seed: seed)
            self = .branch(node)
        }
    }

    mutating func remove(_ key: Key, hash: UInt64, shift: UInt64) {
        switch self {
        case .entry: break  // the branch that holds the slot removes it
        case .collision(var entries):
            guard let index = entries.firstIndex(where: { $0.key == key }) else { return }
            self = .vacant
            entries.remove(at: index)
            if let only = entries.first, entries.count == 1 {
                self = .entry(only)
            } else {
                self = .collision(entries)
            }
        case .branch(var node):
            self = .vacant
            node.remove(key, hash: hash, shift: shift + TrieShape.bits)
            self = node.contracted
        }
    }
}

extension TrieNode {
    /// The only slot of a branch if that holds keys of one hash; otherwise the branch itself.
    var contracted: TrieSlot<Key, Value> {
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
