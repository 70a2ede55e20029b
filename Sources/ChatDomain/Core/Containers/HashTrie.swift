// A dictionary whose copies share their common parts, for the indexes of a transcript (a server's id → ordinal).
// Start at the subscript; the tree is in `TrieNode`.
//
// It has no iteration, no comparison and no encoding: its content follows from the list beside it, and is built again
// when that list is read from a record.

/// A persistent dictionary: reading, writing and removing one key cost O(log n), also while earlier values
/// are held.
///
/// Keys are hashed under a seed that the owner draws from its machine's generator, so that a server that chooses
/// the keys cannot make them collide. Keys that collide nevertheless are all kept, and searched one by one.
struct HashTrie<Key: StableHashable, Value> {
    var root: TrieNode<Key, Value>
    /// The seed of the hash.
    let seed: UInt64

    /// Creates an empty trie. Allocates nothing.
    init(seed: UInt64) {
        root = TrieNode()
        self.seed = seed
    }

    /// The value of a key; setting `nil` removes the key.
    subscript(key: Key) -> Value? {
        get { root.value(of: key, hash: key.stableHash(seed: seed)) }
        set {
            let hash = key.stableHash(seed: seed)
            if let newValue {
                root.insert(key, newValue, hash: hash, shift: 0, seed: seed)
            } else {
                root.remove(key, hash: hash, shift: 0)
            }
        }
    }
}

extension HashTrie: Sendable where Key: Sendable, Value: Sendable {}
