// Caches finished smart replies: the same suggestion twice costs one call (S14). Ages are wall time, because an
// entry may outlive a suspended process. An entry from the future comes from a clock set back; its age is unknown, so
// it is not used. At the limit the oldest entry is evicted.

/// A bounded cache of finished replies.
struct ReplyCache: DomainValue {
    /// The identity of a cached reply.
    struct Key: DomainValue {
        let conversation: ConversationID
        let message: MessageID
        let kind: SmartReplies.Kind

        /// Creates a key.
        init(conversation: ConversationID, message: MessageID, kind: SmartReplies.Kind) {
            (self.conversation, self.message, self.kind) = (conversation, message, kind)
        }
    }

    private struct Entry: DomainValue {
        let key: Key
        let text: LongText
        let stored: WallTime
    }

    /// The most entries; less than one disables the cache.
    let limit: Int64
    /// How long an entry is valid.
    let lifetime: Interval
    private var entries: [Entry] = []

    /// Creates an empty cache with the defaults of S14.
    init(limit: Int64 = 100, lifetime: Interval = .hours(24)) {
        self.limit = limit
        self.lifetime = lifetime
    }

    /// The number of entries, expired ones included.
    var count: Int64 { Int64(entries.count) }

    /// The reply stored for a key less than `lifetime` ago, or `nil`. O(n).
    func text(for key: Key, at wall: WallTime) -> LongText? {
        guard let entry = entries.first(where: { $0.key == key }), isFresh(entry, wall) else { return nil }
        return entry.text
    }

    /// Stores a reply and replaces an earlier one of the same key. O(n).
    mutating func store(_ text: LongText, for key: Key, at wall: WallTime) {
        entries = entries.filter { $0.key != key && isFresh($0, wall) }
        while !entries.isEmpty, Int64(entries.count) >= limit { entries.removeFirst() }
        guard limit > 0 else { return }
        entries.append(Entry(key: key, text: text, stored: wall))
    }

    private func isFresh(_ entry: Entry, _ wall: WallTime) -> Bool {
        let age = wall - entry.stored
        return age >= .zero && age < lifetime
    }
}

extension ReplyCache: Normalizable {
    /// Leaves out the expired entries: `text(for:at:)` returns none of them, and the next entry drops them.
    mutating func normalize(_ form: inout NormalForm) {
        entries = entries.compactMap { entry in
            guard form.moment.wall - entry.stored < lifetime else { return nil }
            return Entry(key: entry.key, text: entry.text, stored: form.normal(entry.stored))
        }
    }
}
