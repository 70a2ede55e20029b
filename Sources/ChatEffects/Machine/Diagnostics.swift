// What the machine dropped and why, as counts. They take no part in any decision.

import ChatDomain

/// Counts of what a machine dropped.
public struct Diagnostics: DomainValue {
    /// Arrivals for a call that is closed, ended or never was.
    public var ghostArrivals = Counter()
    /// Storage answers for a ticket that was answered or never was.
    public var ghostAnswers = Counter()
    /// Storage answers of another kind than what was asked.
    public var mismatchedAnswers = Counter()
    /// Messages for a call that is not open.
    public var unsentMessages = Counter()
    /// Things from a server that a backend did not know or could not read.
    public var skippedEvents = Counter()
    /// Times that went back.
    public var clockReversals = Counter()
    /// Stored records that could not be read and were set aside.
    public var damagedRecords = Counter()

    /// Creates counts of nothing.
    @inlinable
    init() {}
}
