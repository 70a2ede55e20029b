// A dictionary whose copies share their common parts, for the indexes of a transcript (a server's id → ordinal).
// Start at the subscript; the tree is in `TrieNode`.
//
// Its order is never visible: it has no iteration, no printing and no encoding. Its content is derived from
// the list beside it, and is built again when that list is read from a record.

/// A persistent dictionary: reading, writing and removing one key cost O(log n), also while earlier values
/// are held.
///
/// Keys are hashed under a seed that the owner draws from its machine's generator, so that a server that chooses
/// the keys cannot make them collide. Keys that collide nevertheless are all kept, and searched one by one.
public struct HashTrie<Key: StableHashable, Value> {
    @usableFromInline var root: TrieNode<Key, Value>
    /// The seed of the hash.
    @usableFromInline let seed: UInt64
    @usableFromInline var keyCount: Int64

    /// Creates an empty trie. Allocates nothing.
    @inlinable public init(seed: UInt64) {
        root = TrieNode()
        self.seed = seed
        keyCount = 0
    }

    /// The number of keys. O(1).
    @inlinable var count: Int64 { keyCount }

    /// Whether there is no key. O(1).
    var isEmpty: Bool { count == 0 }

    /// The value of a key; setting `nil` removes the key.
    @inlinable public subscript(key: Key) -> Value? {
        get { root.value(of: key, hash: key.stableHash(seed: seed)) }
        set {
            let hash = key.stableHash(seed: seed)
            if let newValue {
                if root.insert(key, newValue, hash: hash, shift: 0, seed: seed) { keyCount += 1 }
            } else if root.remove(key, hash: hash, shift: 0) != nil {
                keyCount -= 1
            }
        }
    }
}

extension HashTrie: Sendable where Key: Sendable, Value: Sendable {}

extension HashTrie: Equatable where Value: Equatable {
    /// Whether both hold the same keys and values, whatever the order of insertion and the seeds.
    ///
    /// With equal seeds, shared parts are not compared.
    @inlinable public static func == (left: HashTrie, right: HashTrie) -> Bool {
        guard left.count == right.count else { return false }
        if left.seed == right.seed { return left.root == right.root }
        return left.root.allSatisfy { key, value in right[key] == value }
    }
}

extension HashTrie: Hashable where Key: Hashable, Value: Hashable {
    /// Adds the hashes of the entries, so that their order does not matter. O(n).
    @inlinable public func hash(into hasher: inout Hasher) {
        var sum: UInt64 = 0
        _ = root.allSatisfy { key, value in
            var entry = Hasher()
            entry.combine(key)
            entry.combine(value)
            sum &+= UInt64(truncatingIfNeeded: entry.finalize())
            return true
        }
        hasher.combine(count)
        hasher.combine(sum)
    }
}
