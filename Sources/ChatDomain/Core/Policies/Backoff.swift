// How long to wait before trying again: twice as long each time, up to a greatest delay, a little jitter on
// top so that devices that lost the same server do not come back in step, and an end (C2, P6).
//
// Start at `next(_:)`. When to reset is the owner's to say: an open connection alone is no success.

/// A count of attempts that tells the delay before the next one.
public struct Backoff: DomainValue {
    /// The numbers of a backoff; the defaults are those of a reconnect (C2).
    public struct Configuration: DomainValue {
        /// The delay before the first attempt; less than zero counts as zero.
        public var first: Interval
        /// No delay before jitter is longer than this, not even the first.
        public var greatest: Interval
        /// Up to this much is added to each delay; less than zero counts as zero.
        public var jitter: Interval
        /// So many attempts there are until a reset; less than one means none.
        public var limit: Int64

        /// Creates a configuration.
        public init(
            first: Interval = .seconds(1), greatest: Interval = .seconds(30), jitter: Interval = .seconds(1),
            limit: Int64 = 20
        ) {
            (self.first, self.greatest, self.jitter, self.limit) = (first, greatest, jitter, limit)
        }
    }

    /// The numbers that this backoff goes by.
    let configuration: Configuration
    var count: Int64

    /// Creates a backoff that has made no attempt.
    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        count = 0
    }

    /// The attempts since the last reset, as far as they were allowed.
    var attempts: Int64 { count }

    /// Whether `next(_:)` has no delay left to give.
    var isExhausted: Bool { count >= configuration.limit }

    /// Counts an attempt and tells the delay before it: `doubledDelay` and at most the jitter. `nil`, without
    /// counting, at the end.
    public mutating func next(_ entropy: inout Entropy) -> Interval? {
        guard !isExhausted else { return nil }
        let delay = doubledDelay
        count += 1  // below the limit, so it cannot overflow
        return delay + entropy.interval(from: .zero, through: configuration.jitter)
    }

    /// The delay before the next attempt without its jitter. O(1), whatever the count.
    var doubledDelay: Interval {
        let first = max(configuration.first, .zero)
        // 2^62 is the last power of two in an Int64; a nanosecond doubled that often is 146 years.
        let doublings = min(max(count, 0), 62)
        return max(min(first * (1 &<< doublings), configuration.greatest), .zero)
    }

    /// Forgets the attempts: what was tried for has succeeded, or a person asks anew.
    public mutating func reset() { count = 0 }
}
