// The count by which a machine finds timers that restart themselves without end: of zero delay in one settling, or of a
// nanosecond over many small advances of the clock, as a loop makes them.

import ChatDomain

/// The number of timers that have fired within a time.
///
/// It takes no part in comparisons: many small advances begin it at other times than one jump, and only a timer without
/// end reaches the limit.
@usableFromInline
struct FiringCount: Hashable, Sendable {
    /// The firings so far.
    @usableFromInline var count: Int64 = 0
    /// When the count begins anew.
    @usableFromInline var end = Instant(nanoseconds: .min)

    @inlinable init() {}

    /// Begins anew, unless the time of the count goes on.
    @inlinable
    mutating func begin(at now: Instant, for time: Interval) {
        guard now >= end else { return }
        count = 0
        end = now + time
    }

    @inlinable
    static func == (left: FiringCount, right: FiringCount) -> Bool { true }

    @inlinable
    func hash(into hasher: inout Hasher) {}
}
