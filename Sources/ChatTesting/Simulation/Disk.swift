// The disk of a simulated device. An operation begins when the process requests it and is done some time later, in the
// order of the requests. A process that dies leaves the operations that were done by then, and any prefix of the
// others. The process itself reads its own pending writes, as from a system's cache.

import ChatDomain
import ChatEffects

/// A disk whose operations take time.
package struct Disk: RecordStore, PlainValue {
    /// An operation that has begun.
    private struct Begun: PlainValue {
        let answer: Outcome?
        /// The store once it is done.
        let after: MemoryStore
        /// When it is done; nil before the time is drawn.
        var due: Instant?
    }

    /// The view of the process: all begun operations are done.
    private var cache = MemoryStore()
    /// The part that surely survives a death of the process now.
    private var durable = MemoryStore()
    private var begun: [Begun] = []
    /// Whether operations take time.
    var isSlow = false
    /// Whether the disk answers writes that it keeps in its cache alone.
    package var isLying = false
    /// The digest of all operations.
    private(set) var digest = Digest()

    init() {}

    /// The active failures.
    var faults: [MemoryStore.Fault] {
        get { cache.faults }
        set { cache.faults = newValue }
    }

    /// The number of attempted writes.
    var writes: UInt64 { cache.writes }

    /// The paths of all records, sorted.
    var paths: [RecordPath] { cache.paths }

    /// Whether no operation is pending.
    var isIdle: Bool { begun.isEmpty }

    package func secret(at path: RecordPath) -> Secret? { cache.secret(at: path) }

    package func bytes(at path: RecordPath) throws(StorageFailure) -> [UInt8]? { try cache.bytes(at: path) }

    /// The bytes of a plain record, whatever fails.
    func storedBytes(at path: RecordPath) -> [UInt8]? { cache.storedBytes(at: path) }

    package mutating func carryOut(_ operation: DriverOperation) -> Outcome? {
        digest.add(operation)
        let answer = cache.carryOut(operation)
        // A loop that loads a secret itself does not wait.
        if case .load(StorageTicket(0), _) = operation { return answer }
        guard isSlow || !begun.isEmpty else {
            if !isLying { durable = cache }
            return answer
        }
        begun.append(Begun(answer: answer, after: cache))
        return nil
    }

    /// Draws the time of each new operation, and returns the answers with their times.
    mutating func draw(at now: Instant, _ dice: inout Entropy) -> [(answer: Outcome, due: Instant)] {
        var answers: [(answer: Outcome, due: Instant)] = []
        var last = now
        for index in begun.indices {
            if let due = begun[index].due {
                last = max(last, due)
                continue
            }
            last = max(last, now + .milliseconds(Int64(dice.below(60))))
            begun[index].due = last
            if let answer = begun[index].answer { answers.append((answer, last)) }
        }
        return answers
    }

    /// Finishes the operations that are due by now.
    mutating func finish(by now: Instant) {
        let done = begun.prefix { $0.due.map { $0 <= now } ?? false }
        guard let last = done.last else { return }
        if !isLying { durable = last.after }
        begun.removeFirst(done.count)
    }

    /// Ends the process with all its operations done.
    mutating func processEnds() {
        durable = cache
        begun = []
    }

    /// The paths of the records that surely survive a death of the process now.
    var durablePaths: [RecordPath] { durable.paths }

    /// The bytes of a plain record that surely survive a death of the process now.
    func durableBytes(at path: RecordPath) -> [UInt8]? { durable.storedBytes(at: path) }

    /// Kills the process; any number of its pending operations are done, in their order.
    mutating func processDies(_ dice: inout Entropy) {
        let count = dice.below(begun.count + 1)
        if !isLying, count > 0 { durable = begun[count - 1].after }
        durable.faults = cache.faults
        cache = durable.restarted()
        begun = []
    }
}
