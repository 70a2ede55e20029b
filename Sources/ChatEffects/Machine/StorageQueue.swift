// The storage operations that have not ended. Operations on overlapping paths go to the drivers one at a time, in the
// order of their requests; others run concurrently. A load replaces an unanswered load of the same key. A path with a
// record of a newer version is sealed: saves are refused until an erase, or a load that finds the record gone or
// readable (R5).

import ChatDomain

/// A storage operation from its request to its answer.
@usableFromInline package struct PendingStorage<Key: DomainValue>: DomainValue {
    /// The kind of operation.
    @usableFromInline package enum Work: DomainValue {
        /// Reads the record.
        case load
        /// Writes this content.
        case save(RecordContent)
        /// Removes the record and those below it.
        case erase

        /// Whether an answer suits the operation.
        @inlinable
        func admits<Record>(_ answer: StorageAnswer<Record>) -> Bool {
            switch (self, answer) {
            case (.load, .loaded), (.load, .missing), (.save, .saved), (.erase, .erased), (_, .failed): true
            default: false
            }
        }
    }

    /// Whether the operation has reached the drivers.
    @usableFromInline enum Phase: DomainValue {
        /// It waits for an earlier one.
        case held
        /// The drivers have it.
        case started
    }

    /// The ticket of the drivers' answer.
    @usableFromInline package let ticket: StorageTicket
    /// The feature's key.
    @usableFromInline package let key: Key
    /// The storage path.
    @usableFromInline package let path: RecordPath
    /// The attempt that the answer carries.
    @usableFromInline package var attempt: Attempt
    /// The kind of operation.
    @usableFromInline package let work: Work
    /// Whether the operation has reached the drivers.
    @usableFromInline var phase: Phase

    @inlinable
    init(ticket: StorageTicket, key: Key, path: RecordPath, attempt: Attempt, work: Work) {
        self.ticket = ticket
        self.key = key
        self.path = path
        self.attempt = attempt
        self.work = work
        phase = .held
    }

    /// Whether the drivers have it.
    @inlinable package var isStarted: Bool { phase == .started }

    /// Whether it writes a record.
    @inlinable package var isSave: Bool { if case .save = work { true } else { false } }

    /// Whether it reads a record.
    @inlinable package var isLoad: Bool { work == .load }

    @usableFromInline
    var operation: DriverOperation {
        switch work {
        case .load: .load(ticket, path)
        case .save(let content): .save(ticket, path, content)
        case .erase: .erase(ticket, path)
        }
    }
}

/// The storage operations that have not ended, in the order of their requests.
@usableFromInline
struct StorageQueue<Key: DomainValue>: DomainValue {
    @usableFromInline var pending: [PendingStorage<Key>] = []
    @usableFromInline var sealed: [Seal] = []

    /// A lock on a path against saves.
    @usableFromInline
    struct Seal: DomainValue {
        @usableFromInline let path: RecordPath
        /// The format version of the record there.
        @usableFromInline let version: Int64

        @inlinable
        init(path: RecordPath, version: Int64) {
            self.path = path
            self.version = version
        }
    }

    /// What becomes of an operation that nothing blocks.
    @usableFromInline
    enum Unblocked {
        case start(DriverOperation)
        case refuse(PendingStorage<Key>, Seal)
    }

    init() {}

    @inlinable
    mutating func insert(_ operation: PendingStorage<Key>) {
        pending.append(operation)
    }

    /// Gives a load of a key that has not ended to another attempt, so that a silent disk is asked once (L8). Returns
    /// whether there is such a load, without a later operation that would change its result.
    @inlinable
    mutating func handOver(loadOf key: Key, at path: RecordPath, to attempt: Attempt) -> Bool {
        guard let index = pending.lastIndex(where: { $0.path.overlaps(path) }), pending[index].key == key,
            pending[index].isLoad
        else { return false }
        pending[index].attempt = attempt
        return true
    }

    /// Removes a started operation; returns nil if no such operation has the ticket. The operations behind the index may
    /// be unblocked.
    @inlinable
    mutating func remove(_ ticket: StorageTicket) -> (operation: PendingStorage<Key>, index: Int)? {
        guard let index = pending.firstIndex(where: { $0.ticket == ticket && $0.phase == .started })
        else { return nil }
        return (pending.remove(at: index), index)
    }

    /// The work of a started operation; nil if no such operation has the ticket.
    @inlinable
    func work(of ticket: StorageTicket) -> PendingStorage<Key>.Work? {
        pending.first { $0.ticket == ticket && $0.phase == .started }?.work
    }

    /// Starts the first operation from an index on that no earlier operation on an overlapping path blocks; a save to a
    /// sealed path is removed and refused. Returns `nil` when there is none; the index is then after the visited
    /// operations.
    ///
    /// O(n) for each operation that waits, in the number of those before it.
    @inlinable
    mutating func takeUnblocked(from index: inout Int) -> Unblocked? {
        while index < pending.count {
            guard pending[index].phase != .started else {
                index += 1
                continue
            }
            let operation = pending[index]
            if pending[..<index].contains(where: { $0.path.overlaps(operation.path) }) {
                index += 1
            } else if case .save = operation.work, let seal = seal(on: operation.path) {
                pending.remove(at: index)
                return .refuse(operation, seal)
            } else {
                pending[index].phase = .started
                index += 1
                return .start(operation.operation)
            }
        }
        return nil
    }

    /// Refuses saves to a path.
    @inlinable
    mutating func seal(_ path: RecordPath, version: Int64) {
        breakSeal(on: path)
        sealed.append(Seal(path: path, version: version))
    }

    @inlinable
    func seal(on path: RecordPath) -> Seal? {
        sealed.first { $0.path == path }
    }

    /// Allows saves to a path again, because its record is readable now or gone.
    @inlinable
    mutating func breakSeal(on path: RecordPath) {
        sealed.removeAll { $0.path == path }
    }

    /// Allows saves at and below a path again, because all its records were erased. A seal above it stays.
    @inlinable
    mutating func breakSeals(from path: RecordPath) {
        sealed.removeAll { path.leads(to: $0.path) }
    }
}
