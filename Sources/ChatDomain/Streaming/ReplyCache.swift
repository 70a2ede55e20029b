// Remembers finished smart replies, so that asking twice for the same suggestion costs one call (S14).
//
// Ages are wall time, because a suggestion may outlive a suspended process. An entry from the future comes from
// a clock that was set back; its age is unknown, and it is not used. At the limit the oldest goes.

/// A bounded memory of finished replies.
public struct ReplyCache: DomainValue {
    /// What a reply was for.
    public struct Key: DomainValue {
        /// Where.
        public let conversation: ConversationID
        /// The last message there.
        public let message: MessageID
        /// What kind of reply.
        public let kind: SmartReplies.Kind

        /// Creates a key.
        public init(conversation: ConversationID, message: MessageID, kind: SmartReplies.Kind) {
            self.conversation = conversation
            self.message = message
            self.kind = kind
        }
    }

    private struct Entry: DomainValue {
        let key: Key
        let text: LongText
        let stored: WallTime
    }

    /// At most so many replies are kept; less than one means none.
    public let limit: Int64
    /// How long one is kept.
    public let lifetime: Interval
    private var entries: [Entry] = []

    /// Creates an empty cache; the defaults are those of S14.
    public init(limit: Int64 = 100, lifetime: Interval = .hours(24)) {
        self.limit = limit
        self.lifetime = lifetime
    }

    /// How many replies are kept, young enough or not.
    public var count: Int64 { Int64(entries.count) }

    /// The reply that was stored for a key less than a lifetime ago. O(n).
    public func text(for key: Key, at wall: WallTime) -> LongText? {
        guard let entry = entries.first(where: { $0.key == key }), isFresh(entry, wall) else { return nil }
        return entry.text
    }

    /// Keeps a reply, in the place of an earlier one for the same. O(n).
    public mutating func store(_ text: LongText, for key: Key, at wall: WallTime) {
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
