// The limit of rows in memory, on a disk that refuses every save or is silent (L8, C21). Beyond it the oldest rows that
// the server can replay are dropped; the stored cursor stays before them (`PageTable.hasForgotten`). Start with
// `forgetUnstored`.

extension ChatTranscript {
    /// Drops the oldest unstored rows beyond the limit, except unsent messages and growing replies (L5).
    mutating func forgetUnstored(to limit: Int64) {
        while rows.count > limit, let end = pages.endOfOldestUnstored {
            var kept: Int64?
            for row in rows {
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
    /// Whether the server has the message and can replay it.
    fileprivate var isForgettable: Bool {
        switch status {
        case .accepted, .delivered: true
        case .queued, .uploading, .sending, .slow, .failed: false
        case nil: body != .growing
        }
    }
}
