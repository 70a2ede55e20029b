// Remembers the last so many keys, to tell what was seen before (SPEC C5, C16, L6, L8). At the limit the
// oldest is forgotten; seeing a key again does not make it younger.
//
// A ring holds the order and a set answers quickly. The set is never iterated, and where the ring begins is
// nobody's business: two memories are equal when they remember the same keys in the same order.

/// A bounded memory of keys.
public struct DedupeMemory<Key: DomainValue>: Sendable {
    /// At most so many keys are remembered; less than one means none, so that every key is new.
    public let limit: Int64
    // Below the limit in order of age; at the limit a ring whose oldest key is at `oldest`.
    @usableFromInline var ring: [Key]
    @usableFromInline var oldest: Int
    @usableFromInline var known: Set<Key>

    /// Creates an empty memory; 1,000 is twice the longest replay (SPEC section 8).
    @inlinable
    public init(limit: Int64 = 1_000) {
        self.limit = max(limit, 0)
        ring = []
        oldest = 0
        known = []
    }

    /// The number of keys remembered.
    @inlinable
    public var count: Int64 { Int64(ring.count) }

    /// Whether a key is remembered. O(1).
    @inlinable
    public func contains(_ key: Key) -> Bool {
        known.contains(key)
    }

    /// The keys from the oldest to the newest. O(n).
    @inlinable
    public var keys: [Key] { Array(ring[oldest...] + ring[..<oldest]) }

    /// Remembers a key, and tells whether it was new. O(1).
    @inlinable
    public mutating func insert(_ key: Key) -> Bool {
        guard limit > 0 else { return true }
        guard known.insert(key).inserted else { return false }
        if count < limit {
            ring.append(key)
        } else {
            known.remove(ring[oldest])
            ring[oldest] = key
            oldest = oldest + 1 == ring.count ? 0 : oldest + 1
        }
        return true
    }

    /// The key with that many older than it.
    @inlinable
    func key(at age: Int) -> Key {
        let index = oldest + age
        return ring[index < ring.count ? index : index - ring.count]
    }
}

extension DedupeMemory: Hashable {
    /// Whether both remember the same keys in the same order, under the same limit.
    @inlinable
    public static func == (left: DedupeMemory, right: DedupeMemory) -> Bool {
        left.limit == right.limit && left.ring.count == right.ring.count
            && left.ring.indices.allSatisfy { left.key(at: $0) == right.key(at: $0) }
    }

    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(limit)
        hasher.combine(ring.count)
        for age in ring.indices {
            hasher.combine(key(at: age))
        }
    }
}

#if !hasFeature(Embedded)
    extension DedupeMemory: Codable {
        enum CodingKeys: CodingKey {
            case limit
            case keys
        }

        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.init(limit: try container.decode(Int64.self, forKey: .limit))
            for key in try container.decode([Key].self, forKey: .keys) {
                _ = insert(key)
            }
        }

        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(limit, forKey: .limit)
            try container.encode(keys, forKey: .keys)
        }
    }
#endif
