// Rows that are shown for a fixed time after they were *first* seen (P9). Seeing one again brings its
// value up to date, and neither moves it nor lengthens its life. A full table refuses the newest and counts.
//
// The owner keeps one timer, for `nextDeadline`, and calls `expire(at:)` when it fires. Few rows: an array.

/// A bounded, ordered table whose rows expire.
package struct ExpiryTable<Key: DomainValue, Value: DomainValue>: DomainValue {
    /// One row.
    package struct Row: DomainValue {
        /// What names the row.
        package let key: Key
        /// The latest value.
        let value: Value
        /// When the key was first seen: on the monotonic clock for its end, on the wall clock to be shown.
        let firstSeen: Moment
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
    /// The rows in the order in which they were first seen.
    package private(set) var rows: [Row] = []
    /// How many new rows were refused.
    private(set) var refusals = Counter()

    /// Creates an empty table; the defaults are those of pairing requests (P9).
    init(lifetime: Interval = .seconds(300), limit: Int64 = 100) {
        self.lifetime = max(lifetime, .zero)
        self.limit = limit
    }

    /// When the next row expires; `nil` when there is none. O(n), because times need not come in order.
    var nextDeadline: Instant? { rows.map { deadline(of: $0) }.min() }

    /// The value in the row of a key. O(n).
    subscript(key: Key) -> Value? { rows.first { $0.key == key }?.value }

    /// Puts a value in the row of its key, or in a new row at the end, to which alone the moment counts. O(n).
    mutating func insert(_ value: Value, for key: Key, at moment: Moment) -> Inserted {
        guard let index = rows.firstIndex(where: { $0.key == key }) else {
            guard Int64(rows.count) < limit else {
                refusals.increment()
                return .refused
            }
            rows.append(Row(key: key, value: value, firstSeen: moment))
            return .added
        }
        rows[index] = Row(key: key, value: value, firstSeen: rows[index].firstSeen)
        return .updated
    }

    /// Takes a row out. O(n).
    mutating func remove(_ key: Key) -> Row? {
        guard let index = rows.firstIndex(where: { $0.key == key }) else { return nil }
        return rows.remove(at: index)
    }

    /// Takes out the rows whose time is over, in order: exactly one lifetime after they were first seen. O(n).
    mutating func expire(at now: Instant) -> [Row] {
        let expired = rows.filter { deadline(of: $0) <= now }
        if !expired.isEmpty { rows = rows.filter { deadline(of: $0) > now } }
        return expired
    }

    private func deadline(of row: Row) -> Instant { row.firstSeen.now + lifetime }
}

extension ExpiryTable {
    /// Leaves out the count of refusals. The keys are names that others give, and stay.
    mutating func normalize(_ form: inout NormalForm, value: (inout Value, inout NormalForm) -> Void) {
        refusals = Counter()
        for index in rows.indices {
            var (content, firstSeen) = (rows[index].value, rows[index].firstSeen)
            value(&content, &form)
            form.relate(&firstSeen)
            rows[index] = Row(key: rows[index].key, value: content, firstSeen: firstSeen)
        }
    }
}
