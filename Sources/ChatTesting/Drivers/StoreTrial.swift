// A trial of a store of your own: operations drawn from a seed, on records beside and below each other, plain and
// secret, several at once if their records are separate, with processes that end in between.

import ChatDomain
import ChatEffects

extension StoreDuties {
    /// Puts a store through drawn operations and returns the duties that it breaks.
    ///
    /// - Parameters:
    ///   - seed: Decides the drawn operations. Equal seeds draw the same.
    ///   - operations: The number of operations.
    ///   - disturb: Changes the disk before each operation: full, unreadable, or well again. A store without
    ///   disturbance
    ///     gets no failing operation.
    ///   - start: Starts a process on the leftovers of the last one, which are nil for the first, and returns the
    ///   store. If
    ///     its answers arrive later, it returns the arrivals too.
    public static func trial<Store: RecordStore>(
        seed: UInt64, operations: Int = 300, disturb: (inout Store, UInt64) -> Void = { _, _ in },
        start: (consuming Store?) async throws -> (Store, Arrivals?)
    ) async throws -> [Breach] {
        var duties = StoreDuties()
        var entropy = Entropy.seeded(seed)
        var ticket: UInt64 = 0
        var left: Store?
        for _ in 0..<max(operations / processLength, 1) {
            var (store, arrivals) = try await start(left.take())
            for path in paths {
                ticket += 1
                try await duties.give(.load(StorageTicket(ticket), path), to: &store, arrivals)
            }
            for _ in 0..<processLength {
                let drawn = entropy.next()
                disturb(&store, entropy.next())
                ticket += 1
                let operation = operation(drawn >> 4, StorageTicket(ticket))
                try await duties.give(operation, to: &store, arrivals)
                // Other operations follow before the answers have come.
                if drawn % 4 == 0 { try await duties.wait(for: arrivals) }
                for path in paths {
                    duties.note(secret: store.secret(at: path), at: path)
                    // What cannot be read now may be anything.
                    do { duties.note(bytes: try store.bytes(at: path), at: path) } catch {}
                }
            }
            if entropy.next() % 2 == 0 {
                try await duties.wait(for: arrivals)
                duties.expectAnswers()
            }
            duties.noteDeath()
            left = store
        }
        return duties.breaches
    }

    /// The number of operations of a process: some of each kind, and many processes in a trial.
    private static let processLength = 20

    /// Records of one name, below each other, beside each other, and with a name that would lead elsewhere on a disk.
    private static let paths: [RecordPath] = {
        let names: [[ExactText]] = [["a"], ["a", "b"], ["a", "b", "c"], ["ab"], ["..", "a/b"]]
        return names.flatMap { [RecordPath($0), RecordPath($0, protection: .secret)] }
    }()

    private static func operation(_ drawn: UInt64, _ ticket: StorageTicket) -> DriverOperation {
        let path = paths[Int(drawn % UInt64(paths.count))]
        let content = drawn >> 8
        switch (drawn >> 4) % 16 {
        case 0...4: return .load(ticket, path)
        case 5: return .erase(ticket, path)
        case 6: return .setAside(path)
        // A content for the other protection, which is refused.
        case 7 where path.protection == .plain: return .save(ticket, path, .secret(Secret("misplaced")))
        case 7: return .save(ticket, path, .bytes([1]))
        case _ where path.protection == .plain:
            return .save(
                ticket, path, .bytes([UInt8](repeating: UInt8(truncatingIfNeeded: content), count: 9)))
        default: return .save(ticket, path, .secret(Secret(ExactText("secret \(content)"))))
        }
    }

    /// Passes an operation to the store as a loop does: after the answers to those on the same record.
    private mutating func give<Store: RecordStore>(
        _ operation: DriverOperation, to store: inout Store, _ arrivals: Arrivals?
    ) async throws {
        var given = self
        given.note(operation)
        if given.breaches.count > breaches.count {
            try await wait(for: arrivals)
            note(operation)
        } else {
            self = given
        }
        if let answer = store.carryOut(operation) { note(answer) }
    }

    /// Waits for the answers, at most two seconds.
    private mutating func wait(for arrivals: Arrivals?) async throws {
        for _ in 0..<2_000 where isWaiting {
            for outcome in arrivals?.take() ?? [] { note(outcome) }
            if isWaiting, arrivals != nil { try await Task.sleep(for: .milliseconds(1)) }
        }
    }
}
