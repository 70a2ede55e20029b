// The outbox: the messages that the server is not known to have (L5, C7–C9). Start with `queue`. An entry is sent only
// after a save that marks it as sent is durable or has failed. So unless the disk failed, an unmarked entry was never
// in flight, also after a relaunch (C13).

/// The messages that the server is not known to have, and the state of their stored record.
package struct Outbox: DomainValue {
    /// The messages in order of sending, first in, first out.
    package internal(set) var queue: SendQueue<Outgoing>
    /// The messages that wait for the person, because an upload of theirs has failed (C14).
    var parked: [Outgoing] = []
    /// The sent messages that were handed over to the transcript. The record keeps them until the transcript, which shows
    /// how they ended, and the draft, which one of them was, are stored (L5, L6).
    package private(set) var handedOver: [OutboxEntry] = []
    package var record: KeptRecord

    /// Creates an empty outbox. `limit` is the most queued messages; by default the stored record is unread.
    init(limit: Int64, record: KeptRecord = KeptRecord()) {
        queue = SendQueue(limit: limit)
        self.record = record
    }

    // MARK: Content

    /// The content of the record. O(messages).
    var entries: [OutboxEntry] { handedOver + all.map { $0.entry.atRest } }

    /// The messages that the server is not known to have, without those handed over.
    package var all: [Outgoing] { parked + queue.elements }

    package var count: Int64 { queue.count + Int64(parked.count) }

    /// The message with this local id or key; those handed over are not included.
    func outgoing(_ client: ClientID) -> Outgoing? { all.first { $0.isNamed(client) } }

    /// Whether a message with this key is parked or queued.
    func contains(_ key: ClientID) -> Bool { queue.contains(key) || parked.contains { $0.id == key } }

    /// Whether the record holds the message that this draft became.
    func has(_ draft: DraftID) -> Bool {
        handedOver.contains { $0.draft == draft } || all.contains { $0.entry.draft == draft }
    }

    var inFlight: Outgoing? { if case .inFlight(let outgoing) = queue.phase { outgoing } else { nil } }

    package var keyInFlight: ClientID? { inFlight?.id }

    /// The key of the message that is in flight, or that the server has deferred for a moment (C11).
    package var keyOut: ClientID? {
        switch queue.phase {
        case .idle: nil
        case .inFlight(let outgoing), .blocked(let outgoing): outgoing.id
        }
    }

    /// The messages that are not known to be stored.
    var unsaved: [OutboxEntry] { all.filter { !record.isDurable($0.revision) }.map { $0.entry.atRest } }

    // MARK: Changing

    /// Requeues the message that is out after the server said that it did not take it. The attempt does not count.
    mutating func requeueNotTaken() -> Outgoing? {
        guard var outgoing = queue.requeue() else { return nil }
        outgoing.sends = max(outgoing.sends - 1, 0)
        _ = queue.replace(with: outgoing)
        return outgoing
    }

    /// Puts stored entries before the newer ones that are not in flight.
    mutating func putFirst(_ entries: [OutboxEntry]) {
        // Of one message the latest key counts; an earlier entry may come from an older save (L6).
        var latest: [OutboxEntry] = []
        for entry in entries.reversed() {
            let isKnown = all.contains { $0.client == entry.client }
            if !isKnown, !latest.contains(where: { $0.client == entry.client }) { latest.append(entry) }
        }
        queue.restore(latest.reversed().map { Outgoing(entry: $0, revision: .loaded) })
    }

    /// Keeps a message that is handed over. On a full disk, the oldest that the server has is dropped (L8).
    mutating func keep(_ entry: OutboxEntry, isWithServer: (OutboxEntry) -> Bool = { _ in false }) {
        if !handedOver.isEmpty, Int64(handedOver.count) >= queue.limit {
            handedOver.remove(at: handedOver.firstIndex(where: isWithServer) ?? 0)
        }
        handedOver.append(entry)
    }

    /// Removes a message that was handed over: it is deleted, or sent again.
    mutating func forgetHandedOver(_ key: ClientID) { handedOver.removeAll { $0.key == key } }

    /// The outbox as the next launch reads it: all messages wait, and consent is not yet asked.
    var atRest: Outbox {
        var rested = Outbox(limit: queue.limit, record: record)
        rested.queue.restore(
            handedOver.map { Outgoing(entry: $0, revision: .loaded) }
                + all.map { outgoing in
                    var waiting = outgoing
                    waiting.entry = outgoing.entry.atRest
                    (waiting.consent, waiting.failure) = (.notNeeded, nil)
                    return waiting
                })
        return rested
    }
}

/// A message of the outbox, and the save that it waits for.
package struct Outgoing: DomainValue, Identifiable {
    package var entry: OutboxEntry
    /// The revision that must be durable before the message is sent.
    package var revision: KeptRecord.Revision
    /// The known number of sends; at least 1 if the record marks the entry as sent.
    var sends: Int64
    /// Whether the person was asked about the message because of its age (limits).
    package internal(set) var consent = Consent.notNeeded
    /// Why a parked message waits for the person.
    var failure: SendFailure?

    /// Whether the person agrees to send an old message.
    package enum Consent: DomainValue {
        /// Not asked, because the message is not known to be old.
        case notNeeded
        /// Asked: the message waits until the person approves or deletes it.
        case asked
        /// Approved.
        case given
    }

    init(entry: OutboxEntry, revision: KeptRecord.Revision) {
        self.entry = entry
        self.revision = revision
        sends = entry.wasSent && revision == .loaded ? 1 : 0
    }

    package var id: ClientID { entry.key }

    /// The local id of the message, which no retry changes.
    var client: ClientID { entry.client }

    func isNamed(_ client: ClientID) -> Bool { self.client == client || id == client }

    /// Whether the server may have the message, under this key or an earlier one.
    var wasOnWire: Bool { entry.client != entry.key || sends > 0 }
}

extension Outbox: Normalizable {
    package mutating func normalize(_ form: inout NormalForm) {
        let kept = record
        func relate(_ outgoing: inout Outgoing, _ form: inout NormalForm) {
            outgoing.entry.normalize(&form)
            outgoing.failure.normalize(&form)
            outgoing.revision = kept.related(outgoing.revision)
        }
        queue.normalize(&form, element: relate)
        for index in parked.indices { relate(&parked[index], &form) }
        handedOver.normalize(&form)
        record.normalize(&form)
    }
}
