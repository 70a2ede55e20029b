// Rows that are shown for a fixed time after their *first* sight (P9). A repeated sight updates the value, and
// neither moves the row nor extends its life. A full table refuses a new row and counts the refusal.
//
// The owner keeps one timer, for `nextDeadline`, and calls `expire(at:)` when it fires. Few rows: an array.

/// A bounded, ordered table whose rows expire.
package struct ExpiryTable<Key: DomainValue, Value: DomainValue>: DomainValue {
    /// One row.
    package struct Row: DomainValue {
        package let key: Key
        let value: Value
        /// The first sight: on the monotonic clock for the end of the row, on the wall clock for display.
        let firstSeen: Moment
    }

    /// The lifetime of a row; with zero or less, a row is removed at the next `expire(at:)`.
    let lifetime: Interval
    /// The maximum number of rows; less than one means none.
    let limit: Int64
    /// The rows in the order in which they were first seen.
    package private(set) var rows: [Row] = []
    /// The number of refused rows.
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

    /// Sets the value of the row with this key, or adds a row at the end, whose first sight is `moment`. O(n).
    mutating func insert(_ value: Value, for key: Key, at moment: Moment) {
        if let index = rows.firstIndex(where: { $0.key == key }) {
            rows[index] = Row(key: key, value: value, firstSeen: rows[index].firstSeen)
        } else if Int64(rows.count) < limit {
            rows.append(Row(key: key, value: value, firstSeen: moment))
        } else {
            refusals.increment()
        }
    }

    /// Removes a row. O(n).
    mutating func remove(_ key: Key) -> Row? {
        guard let index = rows.firstIndex(where: { $0.key == key }) else { return nil }
        return rows.remove(at: index)
    }

    /// Removes and returns the expired rows, in order: exactly one lifetime after their first sight. O(n).
    mutating func expire(at now: Instant) -> [Row] {
        let expired = rows.filter { deadline(of: $0) <= now }
        if !expired.isEmpty { rows = rows.filter { deadline(of: $0) > now } }
        return expired
    }

    private func deadline(of row: Row) -> Instant { row.firstSeen.now + lifetime }
}

extension ExpiryTable {
    /// Leaves out the count of refusals. The keys stay, because they are names that others give.
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
