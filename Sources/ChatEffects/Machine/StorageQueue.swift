// The storage operations that have not ended. Those whose paths overlap are handed to the drivers one at a
// time, in the order in which they were asked for, whatever the drivers run at once; others run together. A
// path that holds a record of a newer version is sealed: nothing is written over what this version cannot
// read, until it is erased on purpose or a load finds that it has gone (R5).

import ChatDomain

/// One storage operation between being asked for and being answered.
public struct PendingStorage<Key: DomainValue>: DomainValue {
    /// What is to be done.
    public enum Work: DomainValue {
        /// Read the record.
        case load
        /// Write this.
        case save(RecordContent)
        /// Remove the record and those below it.
        case erase
    }

    /// Whether the drivers know of it yet.
    public enum Phase: String, DomainValue {
        /// It waits for one before it.
        case held
        /// It was handed to the drivers.
        case started
    }

    /// The ticket under which the drivers answer.
    public let ticket: StorageTicket
    /// The feature's key.
    public let key: Key
    /// Where the record is stored.
    public let path: RecordPath
    /// The attempt that the answer will carry.
    public let attempt: Attempt
    /// What is to be done.
    public let work: Work
    /// Whether the drivers know of it yet.
    public var phase: Phase

    @inlinable
    init(ticket: StorageTicket, key: Key, path: RecordPath, attempt: Attempt, work: Work) {
        self.ticket = ticket
        self.key = key
        self.path = path
        self.attempt = attempt
        self.work = work
        phase = .held
    }

    @usableFromInline
    var operation: DriverOperation {
        switch work {
        case .load: .load(ticket, path)
        case .save(let content): .save(ticket, path, content)
        case .erase: .erase(ticket, path)
        }
    }
}

/// The storage operations that have not ended, in the order in which they were asked for.
@usableFromInline
struct StorageQueue<Key: DomainValue>: DomainValue {
    /// The operations, oldest first.
    @usableFromInline var pending: [PendingStorage<Key>] = []
    /// Paths that hold a record of a newer version.
    @usableFromInline var sealed: [Seal] = []

    /// A path that must not be written to.
    @usableFromInline
    struct Seal: DomainValue {
        /// The path.
        @usableFromInline let path: RecordPath
        /// The format version that was found there.
        @usableFromInline let version: Int64

        @inlinable
        init(path: RecordPath, version: Int64) {
            self.path = path
            self.version = version
        }
    }

    /// What becomes of an operation whose turn has come.
    @usableFromInline
    enum Turn {
        case start(DriverOperation)
        case refuse(PendingStorage<Key>, Seal)
    }

    @inlinable
    init() {}

    @inlinable
    mutating func insert(_ operation: PendingStorage<Key>) {
        pending.append(operation)
    }

    /// Removes an operation that was answered.
    @inlinable
    mutating func remove(_ ticket: StorageTicket) -> PendingStorage<Key>? {
        guard let index = pending.firstIndex(where: { $0.ticket == ticket && $0.phase == .started })
        else { return nil }
        return pending.remove(at: index)
    }

    /// The work that a ticket which the drivers hold stands for.
    @inlinable
    func work(of ticket: StorageTicket) -> PendingStorage<Key>.Work? {
        pending.first { $0.ticket == ticket && $0.phase == .started }?.work
    }

    /// Hands out every operation that has none before it on an overlapping path; a save on a sealed path is
    /// removed and refused instead.
    ///
    /// O(n²) in the operations that wait, of which an app has a handful.
    @inlinable
    mutating func takeTurns() -> [Turn] {
        var turns: [Turn] = []
        var index = 0
        while index < pending.count {
            let operation = pending[index]
            if operation.phase == .started
                || pending[..<index].contains(where: { $0.path.overlaps(operation.path) })
            {
                index += 1
            } else if case .save = operation.work, let seal = seal(on: operation.path) {
                pending.remove(at: index)
                turns.append(.refuse(operation, seal))
            } else {
                pending[index].phase = .started
                turns.append(.start(operation.operation))
                index += 1
            }
        }
        return turns
    }

    /// Forbids saving at a path.
    @inlinable
    mutating func seal(_ path: RecordPath, version: Int64) {
        breakSeal(on: path)
        sealed.append(Seal(path: path, version: version))
    }

    @inlinable
    func seal(on path: RecordPath) -> Seal? {
        sealed.first { $0.path == path }
    }

    /// Allows saving at a path again, because what is there now can be read, or nothing is.
    @inlinable
    mutating func breakSeal(on path: RecordPath) {
        sealed.removeAll { $0.path == path }
    }

    /// Allows saving again at a path and below it, because all that was erased. A seal above it stays.
    @inlinable
    mutating func breakSeals(from path: RecordPath) {
        sealed.removeAll { path.leads(to: $0.path) }
    }
}
