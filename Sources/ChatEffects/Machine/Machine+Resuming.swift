// Going on in another process (R4). A machine that was stored holds all that it waits for: timers, open
// calls with their decoding progress, storage that was not answered. Of these only the calls cannot go on, since
// their transports have ended with the process; the feature learns of that as of any lost connection, and does
// what it does then. Storage is asked for again: each operation has the same effect twice as once.

import ChatDomain

extension Machine {
    /// Makes what was in flight when this machine was stored into what can be resumed.
    ///
    /// To be called once, before anything else, on a machine that was decoded. Time stands where it stood: go on
    /// from `moment`, or from as much later as the wall clock says. What was stored since by another process is
    /// not known to this machine, so of two machines that were stored the newest is to be resumed.
    public mutating func resume() {
        outbox.removeAll { operation in
            // A damaged record must still be set aside; whatever else was to be carried out is asked for below.
            if case .setAside = operation { false } else { true }
        }
        // Before anything is told, so that what is opened from here on is not taken for lost.
        for index in calls.calls.indices where calls[index].phase != .ending {
            calls[index].phase = .ending
            inbox.append(.end(calls[index].number, .failed(.lost)))
        }
        for operation in storage.resume() {
            // As missing: there is nothing any more that could be saved.
            handle(.stored(.missing, under: operation.key, operation.attempt))
        }
        startStorage()
        settle(until: context.moment)
    }
}

extension StorageQueue {
    /// Hands out every operation anew. Returns those that cannot be carried out any more, because the secret
    /// that was to be saved was not stored with the machine (L10).
    @usableFromInline
    mutating func resume() -> [PendingStorage<Key>] {
        var lost: [PendingStorage<Key>] = []
        pending.removeAll { operation in
            guard case .save(.secret) = operation.work else { return false }
            lost.append(operation)
            return true
        }
        for index in pending.indices { pending[index].phase = .held }
        return lost
    }
}
