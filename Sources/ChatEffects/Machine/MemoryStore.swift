// Storage as a value, for tests, simulation and search. It answers like the store on disk, fails on request, and a copy
// is the storage that a dead process leaves. Start at `carryOut`.
//
// Guarantees of both stores: a plain and a secret record of one name are two records; an erase removes both, all
// records below, and the copies set aside there; no outcome contains a secret's text; a secret that could not be saved
// is usable until the process ends (P4).

import ChatDomain

/// A store in memory.
public struct MemoryStore: RecordStore, PlainValue {
    /// A simulated failure.
    public enum Fault: PlainValue {
        /// No space is left: saves fail.
        case full
        /// Records at or below these names cannot be read or changed.
        case unreadable([ExactText])
        /// Operations at or below these names are neither carried out nor answered.
        case silent([ExactText])
        /// The write with this number, counted by `writes` from 1, fails in this way.
        case failingWrite(UInt64, StorageFailure)
    }

    /// The active failures.
    public var faults: [Fault]
    /// The number of attempted saves, erases and moves aside, including failed ones but not silent ones. A copy made at
    /// some count is the storage of a process that died there; see `restarted()`.
    package private(set) var writes: UInt64 = 0

    private var records = RecordMap<RecordContent>()
    private var copiesSetAside = RecordMap<[RecordContent]>()
    private var vault = RecordMap<Secret>()

    /// Creates an empty store with those failures.
    public init(faults: [Fault] = []) {
        self.faults = faults
    }

    /// The paths of all records, sorted.
    package var paths: [RecordPath] { records.entries.map { $0.path } }

    /// The bytes of the plain record at a path; nil if there is none. Throws where the store cannot read, or is silent.
    public func bytes(at path: RecordPath) throws(StorageFailure) -> [UInt8]? {
        if isUnreadable(path) || isSilent(path) { throw .unreadable }
        return storedBytes(at: path)
    }

    /// The bytes of the plain record at a path, whatever fails; nil if there is none.
    package func storedBytes(at path: RecordPath) -> [UInt8]? {
        if case .bytes(let bytes) = records[path] { bytes } else { nil }
    }

    /// The content at a path; nil if there is none.
    func content(at path: RecordPath) -> RecordContent? { records[path] }

    /// The copies set aside from a path, oldest first; at most the newest four.
    func setAside(from path: RecordPath) -> [RecordContent] { copiesSetAside[path] ?? [] }

    /// The secret that this process has saved at a path or loaded from it, for the driver that sends it; nil if there
    /// is none.
    public func secret(at path: RecordPath) -> Secret? { vault[path] }

    /// The store as the next process finds it: secrets must be loaded again, and an unsaved secret is gone.
    package func restarted() -> MemoryStore {
        var store = self
        store.vault = RecordMap()
        return store
    }

    /// Carries out a storage operation.
    ///
    /// The answer is `nil` for an operation of another kind, for one that expects none, and where the store
    /// is silent. O(n) in the number of records.
    public mutating func carryOut(_ operation: DriverOperation) -> Outcome? {
        switch operation {
        case .load(let ticket, let path): load(path, ticket)
        case .save(let ticket, let path, let content): save(content, path, ticket)
        case .erase(let ticket, let path): erase(path, ticket)
        case .setAside(let path): setAside(path)
        case .open, .send, .close, .haptic: nil
        }
    }

    private mutating func load(_ path: RecordPath, _ ticket: StorageTicket) -> Outcome? {
        if isSilent(path) { return nil }
        if path.components.isEmpty { return .failed(ticket, .unavailable) }
        if isUnreadable(path) { return .failed(ticket, .unreadable) }
        switch records[path] {
        case nil: return .missing(ticket)
        case .bytes(let bytes): return .loaded(ticket, bytes)
        case .secret(let secret):
            if vault[path] == nil { vault[path] = secret }
            return .loaded(ticket, [])
        }
    }

    private mutating func save(
        _ content: RecordContent, _ path: RecordPath, _ ticket: StorageTicket
    ) -> Outcome? {
        let isFitting = path.fits(content)
        if isFitting, case .secret(let secret) = content { vault[path] = secret }
        if isSilent(path) { return nil }
        writes += 1
        if !isFitting { return .failed(ticket, .unavailable) }
        if let failure = failureOfThisWrite { return .failed(ticket, failure) }
        if isUnreadable(path) { return .failed(ticket, .unreadable) }
        if faults.contains(.full) { return .failed(ticket, .full) }
        records[path] = content
        return .saved(ticket)
    }

    private mutating func erase(_ path: RecordPath, _ ticket: StorageTicket) -> Outcome? {
        vault.removeAll(from: path)
        if isSilent(path) { return nil }
        writes += 1
        if let failure = failureOfThisWrite { return .failed(ticket, failure) }
        if isUnreadable(path) || hasUnreadable(below: path) { return .failed(ticket, .unreadable) }
        records.removeAll(from: path)
        copiesSetAside.removeAll(from: path)
        return .erased(ticket)
    }

    private mutating func setAside(_ path: RecordPath) -> Outcome? {
        if isSilent(path) { return nil }
        writes += 1
        guard failureOfThisWrite == nil, !isUnreadable(path), let content = records[path] else { return nil }
        copiesSetAside[path] = setAside(from: path).suffix(RecordPath.setAsideLimit - 1) + [content]
        records[path] = nil
        return nil
    }
}

extension MemoryStore {
    private func isSilent(_ path: RecordPath) -> Bool {
        faults.contains {
            if case .silent(let names) = $0 { RecordPath(names).leads(to: path) } else { false }
        }
    }

    private func isUnreadable(_ path: RecordPath) -> Bool {
        faults.contains {
            if case .unreadable(let names) = $0 { RecordPath(names).leads(to: path) } else { false }
        }
    }

    private func hasUnreadable(below path: RecordPath) -> Bool {
        faults.contains {
            if case .unreadable(let names) = $0 { path.leads(to: RecordPath(names)) } else { false }
        }
    }

    private var failureOfThisWrite: StorageFailure? {
        for case .failingWrite(writes, let failure) in faults { return failure }
        return nil
    }
}

extension RecordPath {
    /// Whether the content may be saved here: a secret only as a secret, since it could be read back otherwise, and
    /// nothing at the root, which has no name.
    package func fits(_ content: RecordContent) -> Bool {
        switch (protection, content) {
        case (.plain, .bytes), (.secret, .secret): !components.isEmpty
        case (.plain, .secret), (.secret, .bytes): false
        }
    }
}
