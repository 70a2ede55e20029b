// The storage interface of a loop. `MemoryStore` is the value for virtual time, `FileStore` keeps files. `StoreDuties`
// of ChatTesting checks the duties of every store:
//
// 1. `load`, `save` and `erase` are answered once each, `setAside` never. Operations on one record, or on one and the
//    records below it, are carried out and answered in order. A loop sends the next one after the answer.
// 2. `saved` and `erased` mean durable: they survive the end of the process. If it ends before an answer, the store has
//    carried out its operations up to one of them, in order, and nothing of the later ones.
// 3. `missing` means that no record is there. A record that cannot be read now, or in doubt, is a failure (P1).
// 4. After a failed save a record is its old or its new version, never a mixture. After a failed erase each record is
//    whole or gone.
// 5. A plain record and a secret of one name are two records. An erase removes both, all records below, and the copies
//    that were set aside.
// 6. A secret is in no outcome, only its owner can read it in its place, and a save is refused where it could be read
//    back (L10). This process can use it once it has saved it, also if the save failed (P4), or has loaded it.

import ChatDomain

/// Storage for records under paths, and for the secrets that drivers use.
public protocol RecordStore: SendableMetatype {
    /// Carries out a storage operation at once. Returns the answer; nil if there is none, or if it comes as an arrival.
    mutating func carryOut(_ operation: DriverOperation) -> Outcome?

    /// The secret at a path that this process has saved or loaded; nil if there is none.
    func secret(at path: RecordPath) -> Secret?

    /// The plain record at a path, for a payload that carries it; nil if there is none. Throws if it cannot be read now.
    func bytes(at path: RecordPath) throws(StorageFailure) -> [UInt8]?
}
