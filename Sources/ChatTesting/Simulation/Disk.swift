// The disk of a simulated device. An operation is begun when the process asks for it and done some time later, in the
// order of their beginnings; a process that dies leaves behind what was done by then, and any prefix of what was begun.
// The process itself reads what it has begun to write, as from a system's cache.

import ChatDomain
import ChatEffects

/// A disk that takes its time.
package struct Disk: RecordStore, PlainValue {
    /// An operation that has begun.
    private struct Begun: PlainValue {
        let answer: Outcome?
        /// What is stored once it is done.
        let after: MemoryStore
        /// When it is done; nil until somebody has drawn it.
        var due: Instant?
    }

    /// What the process reads: everything that has begun is done.
    private var cache = MemoryStore()
    /// What a process that dies now surely leaves.
    private var durable = MemoryStore()
    private var begun: [Begun] = []
    /// Whether operations take time.
    var isSlow = false
    /// Whether what is answered is stored; a disk that lies keeps it in its cache alone.
    package var lies = false
    /// All that it was ever asked to do.
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

    /// Whether nothing has begun that is not done.
    var isIdle: Bool { begun.isEmpty }

    package func secret(at path: RecordPath) -> Secret? { cache.secret(at: path) }

    package func bytes(at path: RecordPath) -> [UInt8]? { cache.bytes(at: path) }

    package mutating func carryOut(_ operation: DriverOperation) -> Outcome? {
        digest.add(operation)
        let answer = cache.carryOut(operation)
        // A loop that looks for a secret itself does not wait.
        if case .load(StorageTicket(0), _) = operation { return answer }
        guard isSlow || !begun.isEmpty else {
            if !lies { durable = cache }
            return answer
        }
        begun.append(Begun(answer: answer, after: cache))
        return nil
    }

    /// Draws when each new operation is done, and returns the answers with their times.
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

    /// What is due by now is done.
    mutating func finish(by now: Instant) {
        let done = begun.prefix { $0.due.map { $0 <= now } ?? false }
        guard let last = done.last else { return }
        if !lies { durable = last.after }
        begun.removeFirst(done.count)
    }

    /// The process ends, and all that it had begun is done.
    mutating func processEnds() {
        durable = cache
        begun = []
    }

    /// The paths of the records that a process that dies now surely leaves.
    var durablePaths: [RecordPath] { durable.paths }

    /// The bytes of a plain record that a process that dies now surely leaves.
    func durableBytes(at path: RecordPath) -> [UInt8]? { durable.bytes(at: path) }

    /// The process dies, and of what it had begun any number of operations gets done, in their order.
    mutating func processDies(_ dice: inout Entropy) {
        let count = dice.below(begun.count + 1)
        if !lies, count > 0 { durable = begun[count - 1].after }
        durable.faults = cache.faults
        cache = durable.restarted()
        begun = []
    }
}
