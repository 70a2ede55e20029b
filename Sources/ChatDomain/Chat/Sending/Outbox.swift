// The outbox: what a person has written and the server is not known to have (L5, C7–C9). An entry goes on a wire only
// when a save that says so is durable, or has failed. So unless the disk failed, an entry that does not say so after
// a relaunch was never in flight (C13).

/// What is written and not yet with the server.
package struct Outbox: DomainValue {
    /// The entries, first in, first out.
    package internal(set) var queue: SendQueue<Outgoing>
    /// What waits for the person because a file of it could not be uploaded (C14).
    var parked: [Outgoing] = []
    /// What has left the queue and no server will tell: refused messages, and questions of streams. The transcript
    /// shows it; the record keeps it until the transcript is stored (L5).
    package private(set) var refused: [OutboxEntry] = []
    /// What the server has while its draft may still be stored: a later launch knows by it that the draft was sent
    /// (L6).
    private(set) var settled: [OutboxEntry] = []
    /// How the record stands to storage.
    var record: KeptRecord

    /// An empty outbox, whose stored record is not known yet unless it is given.
    init(limit: Int64, record: KeptRecord = KeptRecord()) {
        queue = SendQueue(limit: limit)
        self.record = record
    }

    // MARK: What is in it

    /// What the record holds.
    var entries: [OutboxEntry] { settled + refused + all.map { $0.entry.atRest } }

    /// Every message that the server is not known to have, refused ones apart.
    var all: [Outgoing] { parked + queue.elements }

    var count: Int64 { queue.count + Int64(parked.count) }

    /// Whether a message that goes under this key is here, refused ones apart.
    func contains(_ key: ClientID) -> Bool { queue.contains(key) || parked.contains { $0.id == key } }

    /// Whether the record holds the message that was this draft.
    func has(_ draft: DraftID) -> Bool {
        settled.contains { $0.draft == draft } || refused.contains { $0.draft == draft }
            || all.contains { $0.entry.draft == draft }
    }

    var keyInFlight: ClientID? {
        if case .inFlight(let outgoing) = queue.phase { outgoing.id } else { nil }
    }

    /// The key of what is on the wire, or will be again in a moment, because the server takes it later (C11).
    var keyOut: ClientID? {
        switch queue.phase {
        case .idle: nil
        case .inFlight(let outgoing), .blocked(let outgoing): outgoing.id
        }
    }

    /// What the person has written that is not known to be stored.
    var unsaved: [OutboxEntry] { all.filter { !record.isDurable($0.revision) }.map { $0.entry.atRest } }

    // MARK: Changing

    /// What is on the wire waits again, because the server has said that it did not take it.
    mutating func requeueNotTaken() {
        guard var outgoing = queue.requeue() else { return }
        outgoing.sends = max(outgoing.sends - 1, 0)
        _ = queue.replace(with: outgoing)
    }

    /// Puts what was stored before what has been written since and is not on the wire yet.
    mutating func putFirst(_ entries: [OutboxEntry]) {
        // Of one message the latest key counts, which another save may have come before (L6).
        var latest: [OutboxEntry] = []
        for entry in entries.reversed() {
            let isKnown = all.contains { $0.message == entry.message }
            if !isKnown, !latest.contains(where: { $0.message == entry.message }) { latest.append(entry) }
        }
        queue.restore(latest.reversed().map { Outgoing(entry: $0, revision: .loaded) })
    }

    mutating func keepSettled(_ entry: OutboxEntry) { Outbox.keep(entry, in: &settled, limit: queue.limit) }

    mutating func forgetSettled() { settled = [] }

    mutating func keepRefused(_ entry: OutboxEntry) { Outbox.keep(entry, in: &refused, limit: queue.limit) }

    mutating func forgetRefused() { refused = [] }

    /// Takes what was refused out of the record, or back to be sent again.
    mutating func forgetRefused(_ key: ClientID) { refused.removeAll { $0.key == key } }

    /// The same as a later launch would find it: all of it waits, and nobody has been asked about any of it.
    var atRest: Outbox {
        var rested = Outbox(limit: queue.limit, record: record)
        rested.settled = settled
        rested.queue.restore(
            refused.map { Outgoing(entry: $0, revision: .loaded) }
                + all.map { outgoing in
                    var waiting = outgoing
                    waiting.entry = outgoing.entry.atRest
                    (waiting.consent, waiting.failure) = (.notNeeded, nil)
                    return waiting
                })
        return rested
    }

    /// On a disk that takes nothing the oldest is forgotten, which is with the server or in the transcript (L8).
    private static func keep(_ entry: OutboxEntry, in kept: inout [OutboxEntry], limit: Int64) {
        if !kept.isEmpty, Int64(kept.count) >= limit { kept.removeFirst() }
        kept.append(entry)
    }
}

/// An entry and the change of the record that carries it.
package struct Outgoing: DomainValue, Identifiable {
    /// The entry.
    var entry: OutboxEntry
    /// The change that must be durable before the entry goes on a wire.
    var revision: KeptRecord.Revision
    /// How often it was put on a wire, as far as is known; once at least when the record says so.
    var sends: Int64
    /// Whether the person has been asked about it, because it was written long ago (limits).
    package internal(set) var consent = Consent.notNeeded
    /// Why it waits for the person, when it is parked.
    var failure: SendFailure?

    /// How the person stands to a message that was written long ago.
    package enum Consent: String, DomainValue {
        /// It is not known to be old.
        case notNeeded
        /// It waits until the person says that it is to go, or deletes it.
        case asked
        /// It is to go.
        case given
    }

    init(entry: OutboxEntry, revision: KeptRecord.Revision) {
        self.entry = entry
        self.revision = revision
        sends = entry.wasSent && revision == .loaded ? 1 : 0
    }

    /// The idempotency key.
    package var id: ClientID { entry.key }

    /// The name of the message here.
    var message: ClientID { entry.message }

    /// Whether the server may have the message, under this key or an earlier one.
    var wasOnWire: Bool { entry.message != entry.key || sends > 0 }
}
