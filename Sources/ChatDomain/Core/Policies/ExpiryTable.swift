// Rows that are shown for a fixed time after they were *first* seen (P9). Seeing one again brings its
// value up to date, and neither moves it nor lengthens its life. A full table refuses the newest and counts.
//
// The owner keeps one timer, for `nextDeadline`, and calls `expire(at:)` when it fires. Few rows: an array.

/// A bounded, ordered table whose rows expire.
struct ExpiryTable<Key: DomainValue, Value: DomainValue>: DomainValue {
    /// One row.
    struct Row: DomainValue {
        /// What names the row.
        let key: Key
        /// The latest value.
        let value: Value
        /// When the key was first seen: on the monotonic clock for its end, on the wall clock to be shown.
        let firstSeen: Moment

        init(key: Key, value: Value, firstSeen: Moment) {
            self.key = key
            self.value = value
            self.firstSeen = firstSeen
        }
    }

    /// What became of a value.
    enum Inserted: PlainValue {
        /// It is a new row.
        case added
        /// It took the place of the older value in its row.
        case updated
        /// It was refused and counted, because the table is full.
        case refused
    }

    /// How long a row lives; zero or less, and it goes at the next `expire(at:)`.
    let lifetime: Interval
    /// At most so many rows there are; less than one means none.
    let limit: Int64
    var list: [Row]
    var refused: Counter

    /// Creates an empty table; the defaults are those of pairing requests (P9).
    init(lifetime: Interval = .seconds(300), limit: Int64 = 100) {
        self.lifetime = max(lifetime, .zero)
        self.limit = limit
        list = []
        refused = Counter()
    }

    /// The rows in the order in which they were first seen.
    var rows: [Row] { list }

    /// How many new rows were refused.
    var refusals: Counter { refused }

    /// When the next row expires; `nil` when there is none. O(n), because times need not come in order.
    var nextDeadline: Instant? { list.map { deadline(of: $0) }.min() }

    /// The value in the row of a key. O(n).
    subscript(key: Key) -> Value? { list.first { $0.key == key }?.value }

    /// Puts a value in the row of its key, or in a new row at the end, to which alone the moment counts. O(n).
    mutating func insert(_ value: Value, for key: Key, at moment: Moment) -> Inserted {
        guard let index = list.firstIndex(where: { $0.key == key }) else {
            return add(Row(key: key, value: value, firstSeen: moment), at: list.count)
        }
        list[index] = Row(key: key, value: value, firstSeen: list[index].firstSeen)
        return .updated
    }

    /// Takes a row out. O(n).
    mutating func remove(_ key: Key) -> Row? {
        guard let index = list.firstIndex(where: { $0.key == key }) else { return nil }
        return list.remove(at: index)
    }

    /// Brings back a row that was taken out, with its end and place; a newer value of its key stays. O(n).
    mutating func restore(_ row: Row) -> Inserted {
        var row = row
        let newer = list.firstIndex { $0.key == row.key }
        if let newer {
            let current = list.remove(at: newer)
            let firstSeen = current.firstSeen.now < row.firstSeen.now ? current.firstSeen : row.firstSeen
            row = Row(key: row.key, value: current.value, firstSeen: firstSeen)
        }
        let place = list.firstIndex { $0.firstSeen.now > row.firstSeen.now } ?? list.count
        switch add(row, at: place) {
        case .added where newer != nil: return .updated
        case let outcome: return outcome
        }
    }

    /// Takes out the rows whose time is over, in order: exactly one lifetime after they were first seen. O(n).
    mutating func expire(at now: Instant) -> [Row] {
        let expired = list.filter { deadline(of: $0) <= now }
        if !expired.isEmpty { list = list.filter { deadline(of: $0) > now } }
        return expired
    }

    func deadline(of row: Row) -> Instant { row.firstSeen.now + lifetime }

    mutating func add(_ row: Row, at place: Int) -> Inserted {
        guard Int64(list.count) < limit else {
            refused.increment()
            return .refused
        }
        list.insert(row, at: place)
        return .added
    }
}
