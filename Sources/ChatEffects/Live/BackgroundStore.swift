// A store that does not hold up its loop: a queue of its own carries out the operations one after another, in order,
// and passes the answers on as arrivals. A record for a payload is read after all earlier operations, so it is never
// older than the state of the feature.

import ChatDomain
import Dispatch

/// Carries out the operations of a store on a queue of its own.
public struct BackgroundStore<Store: RecordStore>: RecordStore, Sendable {
    private let owner: Owner
    private let arrivals: Arrivals

    /// Takes over a store, whose answers become arrivals.
    public init(_ store: sending Store, _ arrivals: Arrivals) {
        owner = Owner(store)
        self.arrivals = arrivals
    }

    /// The store, on its queue.
    private final class Owner: @unchecked Sendable {
        let queue = DispatchQueue(label: "chat.store")
        /// Used on the queue alone.
        private var store: Store

        init(_ store: sending Store) { self.store = store }

        func carryOut(_ operation: DriverOperation) -> Outcome? { store.carryOut(operation) }
        func secret(at path: RecordPath) -> Secret? { store.secret(at: path) }
        func bytes(at path: RecordPath) -> [UInt8]? { store.bytes(at: path) }
    }

    /// Carries out an operation in its turn; the answer is an arrival. A secret is loaded at once, because a payload
    /// waits for it (L10).
    public mutating func carryOut(_ operation: DriverOperation) -> Outcome? {
        if case .load(_, let path) = operation, path.protection == .secret {
            return owner.queue.sync { owner.carryOut(operation) }
        }
        owner.queue.async { [owner, arrivals] in
            if let answer = owner.carryOut(operation) { arrivals.add(answer) }
        }
        return nil
    }

    /// The secret at a path that this process has saved or loaded; nil if there is none.
    public func secret(at path: RecordPath) -> Secret? {
        owner.queue.sync { owner.secret(at: path) }
    }

    /// The plain record at a path, for a payload that carries it; nil if there is none.
    public func bytes(at path: RecordPath) -> [UInt8]? {
        owner.queue.sync { owner.bytes(at: path) }
    }
}
