// A store and a network under a loop, with a check of their duties between. So the app's own tests, whatever they show,
// also show whether a driver keeps its duties, and whether the loop does.

import ChatDomain
import ChatEffects

/// A store whose answers are checked. It holds nothing at first, and answers at once: one whose answers arrive later is
/// put through `StoreDuties.trial`.
public struct WatchedStore<Store: RecordStore>: RecordStore {
    /// The store itself.
    public var store: Store
    /// The check so far.
    public private(set) var duties = StoreDuties()

    /// Watches a store that holds nothing.
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

    /// The plain record at a path; nil if there is none.
    public func bytes(at path: RecordPath) -> [UInt8]? { store.bytes(at: path) }

    /// The store as the next process finds it.
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

    /// When the next outcome is due.
    public var nextDeadline: Instant? { network.nextDeadline }

    /// Hands over the outcomes that are due, and checks them.
    public mutating func advance(to moment: Moment) -> [Outcome] {
        let outcomes = network.advance(to: moment)
        for outcome in outcomes { duties.note(outcome) }
        return outcomes
    }
}
