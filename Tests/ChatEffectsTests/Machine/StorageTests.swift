// Guarantees 3 and 4 of the machine for storage: one answer for each operation, order among overlapping
// paths, and nothing written over what this version cannot read (R5).

import ChatDomain
@testable import ChatEffects
import Testing

@Suite("Machine, guarantees 3 and 4: storage")
struct StorageTests {
    let note = Note(byte: 5)
    func attempt(_ number: UInt64) -> Attempt { Attempt(number: number) }
    func path(_ components: ExactText...) -> RecordPath { RecordPath(components) }

    @Test("guarantee 4: a storage operation is answered once; second and unknown answers are dropped")
    func answeredTwice() {
        var stage = Stage()
        stage.act(.load(["x"], attempt(1)))
        stage.receive(.loaded(StorageTicket(1), [1, 5]))
        stage.receive(.loaded(StorageTicket(1), [1, 6]))
        stage.receive(.failed(StorageTicket(1), .full))
        stage.receive(.missing(StorageTicket(77)))
        #expect(stage.told == [.stored(.loaded(note), under: ["x"], attempt(1))])
        #expect(stage.machine.pendingStorage == [])
        #expect(stage.machine.diagnostics.ghostAnswers.value == 3)
    }

    @Test("guarantee 4: an answer of the wrong kind is dropped, and the right one still counts")
    func wrongKind() {
        var stage = Stage()
        stage.act(.load(["x"], attempt(1)), .save(note, under: ["y"], attempt(2)), .erase(["z"], attempt(3)))
        for wrong in [.saved(StorageTicket(1)), .erased(StorageTicket(1))] as [Outcome] {
            stage.receive(wrong)
        }
        for wrong in [
            .loaded(StorageTicket(2), [1, 5]), .missing(StorageTicket(2)), .erased(StorageTicket(2)),
        ] as [Outcome] { stage.receive(wrong) }
        for wrong in [
            .loaded(StorageTicket(3), [1, 5]), .missing(StorageTicket(3)), .saved(StorageTicket(3)),
        ] as [Outcome] { stage.receive(wrong) }
        #expect(stage.told == [])
        #expect(stage.machine.diagnostics.mismatchedAnswers.value == 8)
        stage.receive(.erased(StorageTicket(3)))
        stage.receive(.saved(StorageTicket(2)))
        stage.receive(.missing(StorageTicket(1)))
        #expect(
            stage.told == [
                .stored(.erased, under: ["z"], attempt(3)), .stored(.saved, under: ["y"], attempt(2)),
                .stored(.missing, under: ["x"], attempt(1)),
            ])
    }

    @Test("L8: loads of a key that a disk does not answer are one operation, answered to the latest attempt")
    func loadedAgain() {
        var stage = Stage()
        for number in 1...100 as ClosedRange<UInt64> { stage.act(.load(["x"], attempt(number))) }
        #expect(stage.machine.pendingStorage.count == 1)
        stage.receive(.loaded(StorageTicket(1), [1, 5]))
        #expect(stage.told == [.stored(.loaded(note), under: ["x"], attempt(100))])
    }

    @Test("a load behind a write of the same record, or of all above it, is an operation of its own")
    func loadedBehindAWrite() {
        var stage = Stage()
        stage.act(.load(["u", "x"], attempt(1)), .save(note, under: ["u", "x"], attempt(2)))
        stage.act(.load(["u", "x"], attempt(3)), .erase(["u"], attempt(4)), .load(["u", "x"], attempt(5)))
        #expect(stage.machine.pendingStorage.map { $0.attempt } == (1...5).map { attempt($0) })
    }

    @Test("guarantee 4: an answer to an operation that still waits is a ghost")
    func answeredEarly() {
        var stage = Stage()
        stage.act(.load(["x"], attempt(1)), .save(note, under: ["x"], attempt(2)))
        stage.receive(.saved(StorageTicket(2)))
        #expect(stage.told == [])
        #expect(stage.machine.diagnostics.ghostAnswers.value == 1)
        #expect(stage.machine.pendingStorage.map(\.phase) == [.started, .held])
    }

    @Test("operations on overlapping paths keep their order; others run at once")
    func overlappingPaths() {
        var stage = Stage()
        stage.act(
            .save(note, under: ["user", "draft"], attempt(1)), .erase(["user"], attempt(2)),
            .save(note, under: ["user", "outbox"], attempt(3)), .save(note, under: ["user2"], attempt(4)),
            .load(["user", "draft"], attempt(5)))
        let save = RecordContent.bytes([1, 5])
        #expect(
            stage.drain() == [
                .save(StorageTicket(1), path("user", "draft"), save),
                .save(StorageTicket(4), path("user2"), save),
            ])
        stage.receive(.saved(StorageTicket(1)))
        #expect(stage.drain() == [.erase(StorageTicket(2), path("user"))])
        stage.receive(.erased(StorageTicket(2)))
        #expect(
            stage.drain() == [
                .save(StorageTicket(3), path("user", "outbox"), save),
                .load(StorageTicket(5), path("user", "draft")),
            ])
    }

    @Test("R5: saves that waited for a load that found a newer version never reach the driver")
    func sealedWhileWaiting() {
        var stage = Stage()
        stage.act(
            .load(["x"], attempt(1)), .save(note, under: ["x"], attempt(2)),
            .save(note, under: ["x"], attempt(3)))
        _ = stage.drain()
        stage.receive(.loaded(StorageTicket(1), [9, 9]))
        stage.act(.save(note, under: ["x"], attempt(4)), .save(note, under: ["y"], attempt(5)))
        #expect(stage.drain() == [.save(StorageTicket(5), path("y"), .bytes([1, 5]))])
        #expect(stage.told == (1...4).map { .stored(.failed(.newer(version: 9)), under: ["x"], attempt($0)) })
    }

    @Test("R5: a newer version that the driver itself recognises forbids saving too")
    func sealedByDriver() {
        var stage = Stage()
        stage.act(.load(["x"], attempt(1)), .save(note, under: ["x"], attempt(2)))
        _ = stage.drain()
        stage.receive(.failed(StorageTicket(1), .newer(version: 4)))
        #expect(stage.drain() == [])
        #expect(stage.told == (1...2).map { .stored(.failed(.newer(version: 4)), under: ["x"], attempt($0)) })
    }

    @Test(
        "R5: erasing a record or what it lies below allows saving again; erasing what lies below it does not",
        arguments: [
            (["u", "x"], true), (["u"], true), (["u", "x", "y"], false), (["u", "z"], false),
        ] as [([ExactText], Bool)])
    func erasingBreaksSeals(_ erased: [ExactText], _ allows: Bool) {
        var stage = Stage()
        stage.act(.load(["u", "x"], attempt(1)))
        stage.receive(.loaded(StorageTicket(1), [2]))
        var place: Place = []
        place.path = RecordPath(erased)
        stage.act(.erase(place, attempt(2)), .save(note, under: ["u", "x"], attempt(3)))
        stage.receive(.erased(StorageTicket(2)))
        _ = stage.drain()
        stage.act(.save(note, under: ["u", "x"], attempt(4)))
        let refusal = Script.Action.stored(.failed(.newer(version: 2)), under: ["u", "x"], attempt(4))
        #expect(stage.told.contains(refusal) == !allows)
    }

    @Test(
        "R5: an erase that failed allows nothing; a load that finds the newer record gone or readable does",
        arguments: [.missing(StorageTicket(4)), .loaded(StorageTicket(4), [1, 6])] as [Outcome])
    func sealAfterFailedErase(found: Outcome) {
        var stage = Stage()
        stage.act(.load(["x"], attempt(1)))
        stage.receive(.loaded(StorageTicket(1), [2]))
        stage.act(.erase(["x"], attempt(2)))
        stage.receive(.failed(StorageTicket(2), .unavailable))
        _ = stage.drain()
        stage.act(.save(note, under: ["x"], attempt(3)))
        #expect(stage.drain() == [])
        stage.act(.load(["x"], attempt(4)))
        stage.receive(found)
        _ = stage.drain()
        stage.act(.save(note, under: ["x"], attempt(5)))
        #expect(stage.drain().count == 1)
    }

    @Test("R5: a damaged record is set aside before anything that waited is written there")
    func damagedRecord() {
        var stage = Stage()
        stage.act(.load(["x"], attempt(1)), .save(note, under: ["x"], attempt(2)))
        _ = stage.drain()
        stage.receive(.loaded(StorageTicket(1), []))
        #expect(
            stage.drain() == [.setAside(path("x")), .save(StorageTicket(2), path("x"), .bytes([1, 5]))])
        #expect(stage.told == [.stored(.failed(.damaged), under: ["x"], attempt(1))])
        #expect(stage.machine.diagnostics.damagedRecords.value == 1)
    }
}
