// A store and a network under a loop, with a check of their duties between. So the app's own tests also show whether a
// driver, and the loop, keeps its duties.

import ChatDomain
import ChatEffects

/// A store whose answers are checked. It is empty at first, and answers at once: a store whose answers arrive later is
/// checked by `StoreDuties.trial`.
public struct WatchedStore<Store: RecordStore>: RecordStore {
    /// The store itself.
    public var store: Store
    /// The check so far.
    public private(set) var duties = StoreDuties()

    /// Watches an empty store.
    public init(_ store: Store) { self.store = store }

    /// Carries out a storage operation, and checks its answer.
    public mutating func carryOut(_ operation: DriverOperation) -> Outcome? {
        duties.note(operation)
        let answer = store.carryOut(operation)
        if let answer { duties.note(answer) }
        return answer
    }

    /// The secret at a path that this process has saved or loaded; nil if there is none.
    public func secret(at path: RecordPath) -> Secret? { store.secret(at: path) }

    /// The plain record at a path; nil if there is none. Throws if it cannot be read now.
    public func bytes(at path: RecordPath) throws(StorageFailure) -> [UInt8]? { try store.bytes(at: path) }

    /// Continues with the store as the next process finds it.
    public mutating func restart(_ restarted: Store) {
        duties.noteDeath()
        store = restarted
    }
}

/// A network whose outcomes are checked.
public struct WatchedNetwork<Network: NetworkDriver>: NetworkDriver {
    /// The network itself.
    public var network: Network
    /// The check so far.
    public private(set) var duties = NetworkDuties()

    /// Watches a network without calls.
    public init(_ network: Network) { self.network = network }

    /// Carries out an operation on a call.
    public mutating func carryOut(_ operation: DriverOperation, at moment: Moment) {
        duties.note(operation)
        network.carryOut(operation, at: moment)
    }

    /// The time of the next outcome.
    public var nextDeadline: Instant? { network.nextDeadline }

    /// Returns the outcomes that are due, and checks them.
    public mutating func advance(to moment: Moment) -> [Outcome] {
        let outcomes = network.advance(to: moment)
        for outcome in outcomes { duties.note(outcome) }
        return outcomes
    }
}
