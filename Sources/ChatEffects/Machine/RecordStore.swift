// What a loop needs of storage. `MemoryStore` is the value for virtual time, `FileStore` keeps files; both are
// held to the same tests.

import ChatDomain

/// Keeps records under paths, and the secrets that drivers may use.
public protocol RecordStore: SendableMetatype {
    /// Carries out a storage operation at once. Returns the answer, or nil when there is none to come.
    mutating func carryOut(_ operation: DriverOperation) -> Outcome?

    /// The secret at a path that was saved or loaded in this process.
    func secret(at path: RecordPath) -> Secret?

    /// The plain record at a path, for a payload that carries it.
    func bytes(at path: RecordPath) -> [UInt8]?
}
