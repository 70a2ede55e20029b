// Storage as a value, for tests, simulation and search: it answers as the store on disk does, fails where it
// is told to, and a copy of it is what a dead process would have left behind. Start at `carryOut`.
//
// Where the two stores agree, whatever happens: plain and secret records of one name are two records; an
// erase takes both, all that is below, and what was set aside there; a secret's text is in no outcome; a
// secret that could not be stored can be used until the process ends (P4).

import ChatDomain

/// A store in memory.
public struct MemoryStore: RecordStore, PlainValue {
    /// Something that goes wrong.
    public enum Fault: PlainValue {
        /// No room is left: saves fail.
        case full
        /// Nothing at these names or below can be read or changed.
        case unreadable([ExactText])
        /// Operations at these names or below are neither carried out nor answered.
        case silent([ExactText])
        /// The write with this number, counted by `writes` from 1, fails like this.
        case failingWrite(UInt64, StorageFailure)
    }

    /// What goes wrong from now on.
    public var faults: [Fault]
    /// How many saves, erases and moves aside were tried, failed ones included and silent ones not. A copy
    /// made at some count is what is left when the process dies there; see `restarted()`.
    public private(set) var writes: UInt64 = 0

    private var records = RecordMap<RecordContent>()
    private var copiesSetAside = RecordMap<[RecordContent]>()
    private var vault = RecordMap<Secret>()

    /// Creates an empty store in which those things go wrong.
    public init(faults: [Fault] = []) {
        self.faults = faults
    }

    /// Where something is stored, sorted by path.
    public var paths: [RecordPath] { records.entries.map { $0.path } }

    /// The plain record at a path.
    public func bytes(at path: RecordPath) -> [UInt8]? {
        if case .bytes(let bytes) = records[path] { bytes } else { nil }
    }

    /// What is stored at a path.
    public func content(at path: RecordPath) -> RecordContent? { records[path] }

    /// What was set aside from a path, oldest first; at most the newest four.
    public func setAside(from path: RecordPath) -> [RecordContent] { copiesSetAside[path] ?? [] }

    /// The secret that was saved at a path, or loaded from it, since the process began. For the driver that
    /// sends it.
    public func secret(at path: RecordPath) -> Secret? { vault[path] }

    /// The store as the next process finds it: secrets have to be loaded again, and one that could not be
    /// saved is gone.
    public func restarted() -> MemoryStore {
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
    /// Whether content may be saved here: a secret only as a secret, since it could be read back otherwise,
    /// and nothing at the root, which has no name.
    func fits(_ content: RecordContent) -> Bool {
        switch (protection, content) {
        case (.plain, .bytes), (.secret, .secret): !components.isEmpty
        case (.plain, .secret), (.secret, .bytes): false
        }
    }
}
