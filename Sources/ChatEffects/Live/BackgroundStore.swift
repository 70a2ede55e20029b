// A store that does not hold up its loop: a queue of its own carries out the operations one after another, in order,
// and passes the answers on as arrivals. Secrets that are in use are kept beside the queue. A record for a payload is
// read after all earlier operations, so it is never older than the state of the feature; a disk that does not answer
// delays it by the limit of storage at most.

import ChatDomain
import Dispatch

/// Carries out the operations of a store on a queue of its own.
public struct BackgroundStore<Store: RecordStore>: RecordStore, Sendable {
    private let owner: Owner
    private let arrivals: Arrivals

    /// The most that a payload waits for the disk, in seconds: what every feature waits for storage (P1, L3).
    private static var patience: DispatchTimeInterval { .seconds(5) }

    /// Takes over a store, whose answers become arrivals.
    public init(_ store: sending Store, _ arrivals: Arrivals) {
        owner = Owner(store)
        self.arrivals = arrivals
    }

    /// The store, on its queue.
    private final class Owner: @unchecked Sendable {
        let queue = DispatchQueue(label: "chat.store")
        /// The secrets that this process has saved or loaded.
        let secrets = Locked(RecordMap<Secret>())
        /// Used on the queue alone.
        private var store: Store

        init(_ store: sending Store) { self.store = store }

        func bytes(at path: RecordPath) -> [UInt8]? { store.bytes(at: path) }

        func carryOut(_ operation: DriverOperation) -> Outcome? {
            let answer = store.carryOut(operation)
            if case .load(_, let path) = operation, let secret = store.secret(at: path) {
                secrets.withLock { $0[path] = secret }
            }
            return answer
        }

        /// Notes a secret that is saved, usable from now on, also if the save fails (P4), and what is erased.
        func note(_ operation: DriverOperation) {
            switch operation {
            case .save(_, let path, .secret(let secret)) where path.protection == .secret:
                secrets.withLock { $0[path] = secret }
            case .erase(_, let path): secrets.withLock { $0.removeAll(from: path) }
            default: break
            }
        }

        /// What the queue answers in its turn; nil if the disk does not answer within the limit.
        func inTurn<Answer: Sendable>(_ body: @escaping @Sendable (Owner) -> Answer?) -> Answer? {
            let answer = Locked<Answer?>(nil)
            let work = DispatchWorkItem { [self] in
                let value = body(self)
                answer.withLock { $0 = value }
            }
            queue.async(execute: work)
            _ = work.wait(timeout: .now() + patience)
            return answer.withLock { $0 }
        }
    }

    /// Carries out an operation in its turn; the answer is an arrival. A loop that loads a secret for a payload waits
    /// for it (L10).
    public mutating func carryOut(_ operation: DriverOperation) -> Outcome? {
        if case .load(StorageTicket(0), _) = operation {
            return owner.inTurn { $0.carryOut(operation) }
        }
        owner.note(operation)
        owner.queue.async { [owner, arrivals] in
            if let answer = owner.carryOut(operation) { arrivals.add(answer) }
        }
        return nil
    }

    /// The secret at a path that this process has saved or loaded; nil if there is none.
    public func secret(at path: RecordPath) -> Secret? { owner.secrets.withLock { $0[path] } }

    /// The plain record at a path, for a payload that carries it; nil if there is none.
    public func bytes(at path: RecordPath) -> [UInt8]? { owner.inTurn { $0.bytes(at: path) } }
}
