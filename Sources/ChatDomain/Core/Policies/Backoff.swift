// The delay before the next attempt: doubled each time up to a greatest delay, with a little jitter, so that
// devices that lost the same server do not return in step; and a maximum number of attempts (C2, P6).
//
// Start at `next(_:)`. The owner decides when to reset: an open connection alone is no success.

/// A count of attempts, which gives the delay before the next one.
public struct Backoff: DomainValue {
    /// The numbers of a backoff; the defaults are those of a reconnect (C2).
    public struct Configuration: DomainValue {
        /// The delay before the first attempt; less than zero counts as zero.
        public var first: Interval
        /// The greatest delay before jitter, also of the first attempt.
        public var greatest: Interval
        /// The greatest jitter that is added to a delay; less than zero counts as zero.
        public var jitter: Interval
        /// The maximum number of attempts until a reset; less than one means none.
        public var limit: Int64

        /// Creates a configuration.
        public init(
            first: Interval = .seconds(1), greatest: Interval = .seconds(30), jitter: Interval = .seconds(1),
            limit: Int64 = 20
        ) {
            (self.first, self.greatest, self.jitter, self.limit) = (first, greatest, jitter, limit)
        }
    }

    let configuration: Configuration
    var count: Int64

    /// Creates a backoff that has made no attempt.
    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        count = 0
    }

    /// The number of allowed attempts since the last reset.
    var attempts: Int64 { count }

    /// Whether the attempts are used up.
    var isExhausted: Bool { count >= configuration.limit }

    /// Counts an attempt and returns the delay before it: `doubledDelay` and at most the jitter. `nil`, without
    /// counting, when the attempts are used up.
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

    /// Forgets the attempts: the goal is reached, or a person asks again.
    public mutating func reset() { count = 0 }
}
