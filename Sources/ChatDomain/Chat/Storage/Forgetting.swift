// The limit of rows in memory holds on a disk that refuses everything or is silent (L8, C21). Beyond it the oldest
// rows are forgotten that the server can tell again; the stored cursor stays before them (PageTable.hasForgotten).

extension Transcript {
    /// Forgets the oldest rows beyond a limit that the disk does not take. Unsent messages and growing replies stay
    /// (L5).
    mutating func forgetUnstored(to limit: Int64) {
        while rows.count > limit, let end = pages.endOfOldestUnstored {
            var kept: Int64?
            for row in rows.rows(from: rows.ordinals.lowerBound) {
                guard row.ordinal < end else { break }
                if row.value.wrappedValue.isForgettable {
                    remove(row.ordinal)
                } else {
                    kept = kept ?? row.ordinal
                }
            }
            pages.forgetOldest(keepingFrom: kept)
        }
    }
}

extension Message {
    /// Whether the server can tell it again, or has nothing to do with it any more.
    fileprivate var isForgettable: Bool {
        switch status {
        case .accepted, .delivered: true
        case .queued, .uploading, .sending, .slow, .failed: false
        case nil: body != .growing
        }
    }
}
