// The storage interface of a loop. `MemoryStore` is the value for virtual time, `FileStore` keeps files. The duties of every
// store stand here, and `StoreDuties` of ChatTesting checks them:
//
// 1. `load`, `save` and `erase` are answered once each, `setAside` never. Those on one record, or on one and what lies below
//    it, are carried out and answered in the order in which they come. A loop gives the next one after the answer.
// 2. `saved` and `erased` mean durable: a process that ends now leaves that behind. One that ends before an answer leaves
//    what it was given up to some operation, in order, and nothing of those behind it.
// 3. `missing` means that nothing is there. A record that cannot be read now, or in doubt, is a failure (P1).
// 4. After a failed save a record is its old or its new version, never a mixture. After a failed erase each record is there
//    or not.
// 5. A plain record and a secret of one name are two. An erase takes both, all below, and the copies that were set aside.
// 6. A secret is in no outcome, nobody but its owner can read it where it is kept, and it is refused where it could be read
//    back (L10). This process has it at hand once it has saved it, also when that failed (P4), or loaded it.

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
