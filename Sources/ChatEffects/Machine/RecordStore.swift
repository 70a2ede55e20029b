// The storage interface of a loop. `MemoryStore` is the value for virtual time, `FileStore` keeps files; both pass the
// same tests.

import ChatDomain

/// Storage for records under paths, and for the secrets that drivers use.
public protocol RecordStore: SendableMetatype {
    /// Carries out a storage operation at once. Returns the answer, or nil when there is none to come.
    mutating func carryOut(_ operation: DriverOperation) -> Outcome?

    /// The secret at a path that this process has saved or loaded; nil if there is none.
    func secret(at path: RecordPath) -> Secret?

    /// The plain record at a path, for a payload that carries it; nil if there is none.
    func bytes(at path: RecordPath) -> [UInt8]?
}
