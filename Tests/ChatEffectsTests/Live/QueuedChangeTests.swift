// Several things that wait at once: changes of secrets on the queue of a store, and timers on the system's
// clock. Each has its own turn.

import ChatDomain
@testable import ChatEffects
import Foundation
import Testing

@Suite("Changes and timers that wait together")
struct QueuedChangeTests {
    /// A disk whose operations begin when a test lets them.
    private struct Gated: RecordStore {
        let gate: DispatchSemaphore
        var kept: MemoryStore

        mutating func carryOut(_ operation: DriverOperation) -> Outcome? {
            gate.wait()
            return kept.carryOut(operation)
        }
        func secret(at path: RecordPath) -> Secret? { kept.secret(at: path) }
        func bytes(at path: RecordPath) throws(StorageFailure) -> [UInt8]? { try kept.bytes(at: path) }
    }

    @Test("L10, P10: a load before an erase does not bring the secret back, whatever is saved before both")
    func erasedBehindLoad() {
        let (gate, arrivals) = (DispatchSemaphore(value: 0), Arrivals())
        let saved = RecordPath(["secrets", "a"], protection: .secret)
        let erased = RecordPath(["secrets", "b"], protection: .secret)
        var disk = MemoryStore()
        _ = disk.carryOut(.save(StorageTicket(9), erased, .secret(Secret("old"))))
        var store = BackgroundStore(Gated(gate: gate, kept: disk.restarted()), arrivals)
        let (first, second, third) = (StorageTicket(1), StorageTicket(2), StorageTicket(3))
        for operation: DriverOperation in [
            .save(first, saved, .secret(Secret("new"))), .load(second, erased), .erase(third, erased),
        ] {
            #expect(store.carryOut(operation) == nil)
        }
        // The disk begins once all three wait for it.
        for _ in 0..<3 { gate.signal() }
        for _ in 0..<20_000 where arrivals.waiting.count < 3 { usleep(1_000) }
        #expect(arrivals.take() == [.saved(first), .loaded(second, []), .erased(third)])
        #expect(store.secret(at: erased) == nil && store.secret(at: saved) == Secret("new"))
    }

    @Test(
        "L3: a timer that is due before an earlier one does not wait for that one", .timeLimit(.minutes(10)))
    func earlierDeadline() async throws {
        let machine = Machine(
            Script(), state: Script.State(), backend: ScriptCodec(),
            moment: Moment(now: .origin, wall: SystemTime.wall()), entropy: .seeded(1))
        let loop = SystemLoop(Loop(machine, store: MemoryStore(), server: LocalServer()))
        await loop.send(.act([.start(.a, after: .hours(1))]))
        await loop.send(.act([.start(.b, after: .milliseconds(20))]))
        // Only looks: an action would bring the loop to the present.
        for _ in 0..<4_000 where await loop.state.log.count < 3 {
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(await loop.state.log.dropFirst(2).map { $0.action } == [.timerFired(.b)])
    }
}
