// Two stores as one: a guarded one, such as a key chain, and one for the rest. `RecordPath.isGuarded` alone decides
// where a record is kept. The division itself is the same on every system, and is tested with stores
// in memory.

import ChatDomain

/// Keeps secrets and the device's id in one store, and all other records in another.
///
/// On Apple's systems the first is a `KeychainStore` and the second a `FileStore`. Elsewhere one `FileStore` is enough:
/// a secret is a file that only its owner can read. Both stores answer at once; a `BackgroundStore` may contain this
/// one.
public struct DividedStore<Guarded: RecordStore, Rest: RecordStore>: RecordStore {
    private var guarded: Guarded
    private var rest: Rest

    /// Divides the records between two stores. A record that is already in the wrong store is not found.
    public init(secrets guarded: Guarded, rest: Rest) {
        self.guarded = guarded
        self.rest = rest
    }

    /// Carries out a storage operation in the store of its record. An erase is carried out in both, because either may
    /// have records below a path; a failure of one is the answer.
    public mutating func carryOut(_ operation: DriverOperation) -> Outcome? {
        switch operation {
        case .load(_, let path), .save(_, let path, _), .setAside(let path):
            return path.isGuarded ? guarded.carryOut(operation) : rest.carryOut(operation)
        case .erase:
            let (first, second) = (guarded.carryOut(operation), rest.carryOut(operation))
            if case .erased? = first { return second }
            return first
        case .open, .send, .close, .haptic: return nil
        }
    }

    /// The secret at a path that this process has saved or loaded; nil if there is none.
    public func secret(at path: RecordPath) -> Secret? {
        path.isGuarded ? guarded.secret(at: path) : rest.secret(at: path)
    }

    /// The plain record at a path, for a payload that carries it; nil if there is none. Throws if it cannot be read now.
    public func bytes(at path: RecordPath) throws(StorageFailure) -> [UInt8]? {
        try path.isGuarded ? guarded.bytes(at: path) : rest.bytes(at: path)
    }
}

extension RecordPath {
    /// Whether the record is kept with the secrets. The device's id is no secret, but a person who has it can ask to be
    /// let in as this device, and a server knows the device by it for good.
    var isGuarded: Bool {
        switch protection {
        case .secret: true
        case .plain: self == Pairing.Key.device.path
        }
    }
}
