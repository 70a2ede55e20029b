// What the machine dropped or put off and why, as counts. They take no part in any decision.

import ChatDomain

/// Counts of what a machine dropped or put off.
public struct Diagnostics: DomainValue {
    /// Arrivals for a call that is closed, ended or never was.
    public var ghostArrivals = Counter()
    /// Arrivals that do not suit the transport of their call, or come out of turn.
    public var mismatchedArrivals = Counter()
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
    /// Timers put off because too many fired at once.
    public var postponedTimers = Counter()
    /// Stored records that could not be read and were set aside.
    public var damagedRecords = Counter()

    /// Creates counts of nothing.
    @inlinable
    init() {}
}
