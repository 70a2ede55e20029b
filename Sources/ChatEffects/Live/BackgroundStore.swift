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

    /// Takes over a store, whose answers become arrivals.
    public init(_ store: sending Store, _ arrivals: Arrivals) {
        // What every feature waits for storage (P1, L3).
        self.init(store, arrivals, patience: .seconds(5))
    }

    /// - Parameter patience: The most that a payload waits for the disk.
    init(_ store: sending Store, _ arrivals: Arrivals, patience: DispatchTimeInterval) {
        owner = Owner(store, patience)
        self.arrivals = arrivals
    }

    /// The secrets in use.
    private struct Vault {
        var secrets = RecordMap<Secret>()
        /// The paths of saves and erasures whose turn has not come, in order.
        var changing: [RecordPath] = []
    }

    /// What is known of a turn on the queue.
    private enum Turn<Answer: Sendable> {
        case awaited
        case over(Answer?)
    }

    /// The store, on its queue.
    private final class Owner: @unchecked Sendable {
        let queue = DispatchQueue(label: "chat.store")
        /// The secrets that this process has saved or loaded.
        let vault = Locked(Vault())
        /// Used on the queue alone.
        private var store: Store

        private let patience: DispatchTimeInterval
        /// Whether the disk has not answered in time, and not since: then nobody waits for it again.
        private let isSilent = Locked(false)

        init(_ store: sending Store, _ patience: DispatchTimeInterval) {
            (self.store, self.patience) = (store, patience)
        }

        func bytes(at path: RecordPath) -> Result<[UInt8]?, StorageFailure> {
            Result { () throws(StorageFailure) in try store.bytes(at: path) }
        }

        /// Carries out an operation. A loaded secret is older than each change whose turn comes behind.
        func carryOut(_ operation: DriverOperation) -> Outcome? {
            let answer = store.carryOut(operation)
            if operation.changesSecrets {
                vault.withLock { _ = $0.changing.removeFirst() }
            } else if case .load(_, let path) = operation, let secret = store.secret(at: path) {
                vault.withLock { vault in
                    guard !vault.changing.contains(where: { $0.overlaps(path) }) else { return }
                    vault.secrets[path] = secret
                }
            }
            return answer
        }

        /// Notes a secret that is saved, usable from now on, also if the save fails (P4), and what is erased.
        func note(_ operation: DriverOperation) {
            guard operation.changesSecrets else { return }
            vault.withLock { vault in
                switch operation {
                case .save(_, let path, .secret(let secret)):
                    vault.secrets[path] = secret
                    vault.changing.append(path)
                case .erase(_, let path):
                    vault.secrets.removeAll(from: path)
                    vault.changing.append(path)
                default: break
                }
            }
        }

        /// What the queue answers in its turn; nil if the disk does not answer within the limit.
        func inTurn<Answer: Sendable>(_ body: @escaping @Sendable (Owner) -> Answer?) -> Answer? {
            guard !isSilent.withLock({ $0 }) else { return nil }
            let (turn, end) = (Locked<Turn<Answer>>(.awaited), DispatchSemaphore(value: 0))
            queue.async { [self] in
                let answer = body(self)
                turn.withLock { $0 = .over(answer) }
                isSilent.withLock { $0 = false }
                end.signal()
            }
            _ = end.wait(timeout: .now() + patience)
            return isSilent.withLock { isSilent in
                switch turn.withLock({ $0 }) {
                case .over(let answer): return answer
                case .awaited:
                    isSilent = true
                    return nil
                }
            }
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
    public func secret(at path: RecordPath) -> Secret? { owner.vault.withLock { $0.secrets[path] } }

    /// The plain record at a path, for a payload that carries it; nil if there is none. Throws if it cannot be read now,
    /// or if the disk does not answer.
    public func bytes(at path: RecordPath) throws(StorageFailure) -> [UInt8]? {
        guard let answer = owner.inTurn({ $0.bytes(at: path) }) else { throw .unreadable }
        return try answer.get()
    }
}

extension DriverOperation {
    /// Whether it saves a secret in its place, or erases.
    fileprivate var changesSecrets: Bool {
        switch self {
        case .save(_, let path, .secret): path.protection == .secret
        case .erase: true
        default: false
        }
    }
}
