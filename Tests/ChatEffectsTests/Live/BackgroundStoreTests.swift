// A store on a queue of its own: its answers arrive in the order of the operations, and what a payload needs is never
// older than what was asked before.

import ChatDomain
@testable import ChatEffects
import Foundation
import TestVolume
import Testing

@Suite("Store in the background")
struct BackgroundStoreTests {
    private let path = RecordPath(["draft"])
    private let secret = RecordPath(["secrets", "a"], protection: .secret)

    @Test("answers arrive in the order of the operations")
    func order() throws {
        let arrivals = Arrivals()
        var store = BackgroundStore(MemoryStore(), arrivals)
        for number in 1...50 {
            let ticket = StorageTicket(UInt64(number))
            #expect(store.carryOut(.save(ticket, path, .bytes([UInt8(number)]))) == nil)
            #expect(store.carryOut(.load(ticket, path)) == nil)
        }
        #expect(try store.bytes(at: path) == [50])
        let expected = (1...50).flatMap { number in
            let ticket = StorageTicket(UInt64(number))
            return [Outcome.saved(ticket), .loaded(ticket, [UInt8(number)])]
        }
        #expect(arrivals.take() == expected)
    }

    @Test("L10: a secret that a payload waits for is loaded at once, after all that was asked before")
    func secrets() {
        let arrivals = Arrivals()
        var store = BackgroundStore(MemoryStore(), arrivals)
        _ = store.carryOut(.save(StorageTicket(1), secret, .secret(Secret("top"))))
        #expect(store.carryOut(.load(StorageTicket(2), secret)) == nil)
        #expect(store.carryOut(.load(StorageTicket(0), secret)) == .loaded(StorageTicket(0), []))
        #expect(arrivals.take() == [.saved(StorageTicket(1)), .loaded(StorageTicket(2), [])])
        #expect(store.secret(at: secret) == Secret("top"))
        _ = store.carryOut(.erase(StorageTicket(3), secret))
        #expect(store.secret(at: secret) == nil)
    }

    /// A disk whose operations end when a test lets them.
    private struct Stuck: RecordStore {
        let gate: DispatchSemaphore
        var kept = MemoryStore()

        mutating func carryOut(_ operation: DriverOperation) -> Outcome? {
            gate.wait()
            return kept.carryOut(operation)
        }
        func secret(at path: RecordPath) -> Secret? { kept.secret(at: path) }
        func bytes(at path: RecordPath) throws(StorageFailure) -> [UInt8]? { try kept.bytes(at: path) }
    }

    @Test("L3: a disk that does not answer is waited for once, and again when it has answered")
    func waitedForOnce() throws {
        let (gate, arrivals) = (DispatchSemaphore(value: 0), Arrivals())
        var store = BackgroundStore(Stuck(gate: gate), arrivals, patience: .milliseconds(200))
        #expect(store.carryOut(.save(StorageTicket(1), path, .bytes([7]))) == nil)
        for isFirst in [true, false, false] {
            let began = ContinuousClock.now
            #expect(throws: StorageFailure.unreadable) { try store.bytes(at: path) }
            #expect((ContinuousClock.now - began >= .milliseconds(200)) == isFirst)
        }
        gate.signal()
        // The one that was given up is over at last, and the next is waited for.
        while (try? store.bytes(at: path)) == nil { usleep(1_000) }
        #expect(try store.bytes(at: path) == [7])
    }

    @Test("L10, P10: a load before an erase does not bring the secret back, whatever is saved before both")
    func erasedBehindLoad() {
        let (gate, arrivals) = (DispatchSemaphore(value: 0), Arrivals())
        let erased = RecordPath(["secrets", "b"], protection: .secret)
        var disk = MemoryStore()
        _ = disk.carryOut(.save(StorageTicket(9), erased, .secret(Secret("old"))))
        var store = BackgroundStore(Stuck(gate: gate, kept: disk.restarted()), arrivals)
        let (first, second, third) = (StorageTicket(1), StorageTicket(2), StorageTicket(3))
        for operation: DriverOperation in [
            .save(first, secret, .secret(Secret("new"))), .load(second, erased), .erase(third, erased),
        ] {
            #expect(store.carryOut(operation) == nil)
        }
        // The disk begins once all three wait for it.
        for _ in 0..<3 { gate.signal() }
        for _ in 0..<20_000 where arrivals.waiting.count < 3 { usleep(1_000) }
        #expect(arrivals.take() == [.saved(first), .loaded(second, []), .erased(third)])
        #expect(store.secret(at: erased) == nil && store.secret(at: secret) == Secret("new"))
    }

    @Test("L3, P4: a secret is at hand while the disk does not answer, also one that is being saved")
    func silentDisk() {
        let (gate, arrivals) = (DispatchSemaphore(value: 0), Arrivals())
        var store = BackgroundStore(Stuck(gate: gate), arrivals, patience: .milliseconds(10))
        #expect(store.carryOut(.save(StorageTicket(1), secret, .secret(Secret("old")))) == nil)
        #expect(store.carryOut(.load(StorageTicket(0), secret)) == nil)
        #expect(store.carryOut(.save(StorageTicket(2), secret, .secret(Secret("top")))) == nil)
        #expect(store.secret(at: secret) == Secret("top") && arrivals.take().isEmpty)
        // A record in doubt is not missing.
        #expect(throws: StorageFailure.unreadable) { try store.bytes(at: path) }
        // The load that was given up brings back nothing older, and nothing that is erased.
        for _ in 0..<2 { gate.signal() }
        #expect(store.carryOut(.erase(StorageTicket(3), secret)) == nil)
        for _ in 0..<2 { gate.signal() }
        while arrivals.waiting.count < 3 { usleep(1_000) }
        #expect(store.secret(at: secret) == nil)
    }

    @Test("L8: what arrives for a loop that does not take it is limited, and each end and answer is added")
    func limit() {
        let arrivals = Arrivals()
        let piece = [UInt8](repeating: 7, count: Arrivals.limit / 4 - Arrivals.overhead)
        for _ in 0..<4 { #expect(arrivals.add(.arrived(CallNumber(1), .body(piece)))) }
        #expect(!arrivals.add(.arrived(CallNumber(1), .body([7]))))
        #expect(arrivals.add(.arrived(CallNumber(1), .ended(.failed(.tooLarge)))))
        #expect(arrivals.add(.loaded(StorageTicket(1), [7])))
        #expect(arrivals.take().count == 6 && arrivals.add(.arrived(CallNumber(1), .body([7]))))
        // What is always added takes no room from the rest.
        for _ in 0..<5 { arrivals.add(.loaded(StorageTicket(2), piece)) }
        // An expectation that fails would print all that waits.
        let fits = arrivals.add(.arrived(CallNumber(1), .body([7])))
        #expect(fits)
    }

    @Test(
        "L8: a flood of arrivals without content is limited, and the end of its call comes all the same",
        arguments: thoroughly(
            [Arrival.text([]), .signOfLife, .tooLong, .sent(1, of: 2), .head(status: 100, headers: [])],
            otherwise: [.text([])]))
    func flood(_ arrival: Arrival) {
        let arrivals = Arrivals()
        var count = 0
        while count < 2_000_000, arrivals.add(.arrived(CallNumber(1), arrival)) { count += 1 }
        #expect(count == Arrivals.limit / Arrivals.overhead)
        #expect(arrivals.add(.arrived(CallNumber(1), .ended(.failed(.tooLarge)))))
        #expect(arrivals.add(.saved(StorageTicket(1))) && arrivals.take().count == count + 2)
    }

    @Test("a loop is woken once for what waits, and again after it was taken")
    func wake() {
        final class Count: @unchecked Sendable { var value = 0 }
        let (arrivals, count) = (Arrivals(), Count())
        arrivals.add(.saved(StorageTicket(1)))
        arrivals.onArrival { count.value += 1 }
        #expect(count.value == 1)
        arrivals.add(.saved(StorageTicket(2)))
        #expect(count.value == 1 && arrivals.take().count == 2)
        arrivals.add(.saved(StorageTicket(3)))
        #expect(count.value == 2)
    }
}
