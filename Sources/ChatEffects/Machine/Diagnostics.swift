// Counts of dropped and postponed items, by reason. No decision depends on them.

import ChatDomain

/// Counts of what a machine dropped or postponed.
public struct Diagnostics: DomainValue {
    /// Arrivals for a call that is closed, ended or unknown.
    public var ghostArrivals = Counter()
    /// Arrivals that do not suit the transport of their call, or its phase.
    public var mismatchedArrivals = Counter()
    /// Storage answers with an answered or unknown ticket.
    public var ghostAnswers = Counter()
    /// Storage answers that do not suit their operation.
    public var mismatchedAnswers = Counter()
    /// Frames for a call that is not open.
    public var unsentMessages = Counter()
    /// Items from a server that a backend does not know or cannot read.
    public var skippedEvents = Counter()
    /// Reported times that were earlier than the previous one.
    public var clockReversals = Counter()
    /// Timers postponed because too many fired at once.
    public var postponedTimers = Counter()
    /// Damaged stored records that were set aside.
    public var damagedRecords = Counter()

    init() {}
}
