// Resuming in another process (R4). A stored machine holds all its timers, open calls with their decoding progress, and
// unanswered storage operations. Only the calls cannot continue, since their transports ended with the process; the
// feature receives each end as a lost connection. Storage operations are repeated: each is idempotent.

import ChatDomain

extension Machine {
    /// Converts everything that was in flight when the machine was stored into a state that can be resumed, at the
    /// present: `moment` is the machine's own, moved by the wall time that has passed.
    ///
    /// Call it once, first, on a decoded machine. What it starts has its time from the present. Deadlines that have
    /// passed fire at the next input. The machine does not know of records that another process has stored since, so of
    /// two stored machines resume the newest.
    public mutating func resume(at moment: Moment) {
        wake(at: moment)
        outbox.removeAll { operation in
            // A damaged record must still be set aside; all other operations are requested again below.
            if case .setAside = operation { false } else { true }
        }
        // Before any delivery, so that a call opened from here on does not count as lost.
        for index in calls.calls.indices where calls[index].phase != .ending {
            calls[index].phase = .ending
            inbox.append(.end(calls[index].number, .failed(.lost)))
        }
        for operation in storage.resume() {
            // As missing: nothing is left to save.
            handle(.stored(.missing, under: operation.key, operation.attempt))
        }
        startStorage(from: 0)
        deliverAll()
    }

    /// Handles an outcome before the deadlines that have passed.
    mutating func receiveBeforeDeadlines(_ outcome: Outcome) {
        take(outcome)
        deliverAll()
    }

    private mutating func deliverAll() {
        while let delivery = inbox.popFirst() { deliver(delivery) }
    }

    /// Moves the clock past deadlines. They fire at the next input, in order, at its moment.
    public mutating func wake(at moment: Moment) { context.moment = reached(moment) }
}

extension StorageQueue {
    /// Marks every operation as not started. Removes and returns the saves that are impossible now, because their
    /// secret is not stored with the machine (L10).
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
