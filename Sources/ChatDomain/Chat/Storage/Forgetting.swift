// The limit of rows in memory on a disk that refuses everything or says nothing (L8, C21). What such a disk does not take
// is not kept for it: beyond the limit the oldest is forgotten that the server can tell again. The cursor that is stored
// stays where it was then (PageTable.hasForgotten), so that the next launch asks for it.

extension Transcript {
    /// Forgets, at the old end and beyond a limit, what the disk does not take: the server can tell it again. What the
    /// person has written and the server is not known to have stays, and so does a reply that grows (L5, L8).
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
