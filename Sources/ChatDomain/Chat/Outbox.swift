// The outbox: what a person has written and the server is not known to have (L5, C7–C9). It holds the queue
// and how it stands to storage. An entry goes on a wire only when a save that says “this may have been sent”
// is durable, or has failed and cannot be helped; so unless the disk failed, an entry that does not say so after
// a relaunch was never on a wire (C13).

/// What is written and not yet with the server.
public struct Outbox: DomainValue {
    /// The entries, first in, first out.
    public var queue: SendQueue<Outgoing>
    /// The saves of the record.
    public var saves = WriteBehind()
    /// How the outbox stands to storage.
    public var storage: Storage = .unknown

    /// How an outbox stands to storage. It is never saved before the stored one has been loaded, because
    /// that would overwrite what the last run left.
    public enum Storage: DomainValue {
        /// Nothing was loaded yet.
        case unknown
        /// It is being loaded.
        case loading(Attempt)
        /// What was stored is in the queue.
        case loaded
        /// Nothing is stored, and nothing is to be before this change of the list of conversations, which
        /// names this one first, is durable (C19).
        case unlisted(WriteBehind.Revision)
        /// What was stored cannot be read, and must not be overwritten.
        case unreadable(StorageFailure)
    }

    /// An empty outbox.
    public init(limit: Int64) {
        queue = SendQueue(limit: limit)
    }

    /// What has left the queue and nobody will bring again: what the server will never take, and whatever was
    /// asked by a stream of its own. It is shown in the transcript, and stays in the record of the outbox until
    /// the transcript is stored, so that there is no moment at which it is nowhere (L5).
    public private(set) var refused: [OutboxEntry] = []

    /// What the server has, while the draft that it was may still be stored: by its name here a later launch knows that
    /// the draft was sent (L6). It stays in the record until that of the draft is another.
    public private(set) var settled: [OutboxEntry] = []

    /// What waits for the person because a file of it could not be uploaded (C14).
    public internal(set) var parked: [Outgoing] = []

    /// What the record holds.
    public var entries: [OutboxEntry] {
        settled + refused
            + (parked + queue.elements).map { outgoing in
                var entry = outgoing.entry
                entry.attachments = entry.attachments.map { $0.atRest }
                return entry
            }
    }

    /// Every message that is not refused.
    var all: [Outgoing] { parked + queue.elements }

    /// Whether a message is here, refused ones apart.
    func contains(_ client: ClientID) -> Bool {
        queue.contains(client) || parked.contains { $0.id == client }
    }

    /// The same as a later launch would find it: all of it waits, and nobody has been asked about any of it.
    var atRest: Outbox {
        var rested = Outbox(limit: queue.limit)
        (rested.saves, rested.storage, rested.settled) = (saves, storage, settled)
        rested.queue.restore(
            refused.map { Outgoing(entry: $0, revision: .loaded) }
                + all.map { outgoing in
                    var waiting = outgoing
                    waiting.entry.attachments = outgoing.entry.attachments.map { $0.atRest }
                    (waiting.consent, waiting.failure) = (.notNeeded, nil)
                    return waiting
                })
        return rested
    }

    /// How many messages there are that the person has written and the server is not known to have.
    var count: Int64 { queue.count + Int64(parked.count) }

    /// What is on the wire waits again, because the server has said that it did not take it.
    mutating func requeueNotTaken() {
        guard var outgoing = queue.requeue() else { return }
        outgoing.sends = max(outgoing.sends - 1, 0)
        _ = queue.replace(with: outgoing)
    }

    /// Keeps an entry in the record that the server has.
    mutating func keepSettled(_ entry: OutboxEntry) {
        // A disk that takes no draft is told; the oldest may then be offered again (L8).
        if !settled.isEmpty, Int64(settled.count) >= queue.limit { settled.removeFirst() }
        settled.append(entry)
    }

    /// Takes out of the record what was kept for its draft.
    mutating func forgetSettled() { settled = [] }

    /// Keeps an entry in the record that leaves the queue.
    mutating func keepRefused(_ entry: OutboxEntry) {
        // On a disk that takes nothing the oldest is forgotten, so that the rest can go on (L8).
        if !refused.isEmpty, Int64(refused.count) >= queue.limit { refused.removeFirst() }
        refused.append(entry)
    }

    /// Takes all of it out of the record, but for one that may still be on a wire.
    mutating func forgetRefused(but running: ClientID?) {
        refused.removeAll { $0.client != running }
    }

    /// Takes what was refused out of the record, or back to be sent again.
    mutating func forgetRefused(_ client: ClientID) {
        refused.removeAll { $0.client == client }
    }
}

/// An entry and the change of the record that carries it.
public struct Outgoing: DomainValue, Identifiable {
    /// The entry.
    public var entry: OutboxEntry
    /// The change that must be durable before the entry goes on a wire.
    public var revision: WriteBehind.Revision
    /// How often it was put on a wire, as far as is known; once at least when the record says so.
    public var sends: Int64
    /// Whether the person has been asked about it, because it was written long ago (SPEC section 8).
    public var consent = Consent.notNeeded
    /// Why it waits for the person, when it is parked.
    public internal(set) var failure: SendFailure?

    /// How the person stands to a message that was written long ago.
    public enum Consent: DomainValue {
        /// It is not known to be old.
        case notNeeded
        /// It waits until the person says that it is to go, or deletes it.
        case asked
        /// It is to go.
        case given
    }

    /// An entry that is carried by a change of the record.
    init(entry: OutboxEntry, revision: WriteBehind.Revision) {
        self.entry = entry
        self.revision = revision
        sends = entry.wasSent && revision == .loaded ? 1 : 0
    }

    /// The id under which it may have been on a wire, if any; what goes again after a failure has another by now.
    var clientOnWire: ClientID? { entry.replaces ?? (sends > 0 ? entry.client : nil) }

    /// The idempotency key.
    public var id: ClientID { entry.client }
}

extension Outbox.Storage {
    /// Whether saving the record would overwrite nothing.
    var mayBeSaved: Bool {
        switch self {
        case .loaded, .unlisted: true
        case .unknown, .loading, .unreadable: false
        }
    }
}
