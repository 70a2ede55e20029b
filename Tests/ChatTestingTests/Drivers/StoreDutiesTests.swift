// The duties of a store: what breaks each, and that the library's stores keep them, also on a disk that is full or cannot be
// read, and over the ends of their processes.

import ChatDomain
@testable import ChatEffects
import ChatTesting
import Foundation
import TestVolume
import Testing

@Suite("Duties of a store")
final class StoreDutiesTests {
    private typealias Breach = StoreDuties.Breach
    private static let a = RecordPath(["a"])
    private static let below = RecordPath(["a", "b"])
    private static let other = RecordPath(["c"])
    private static let secret = RecordPath(["a"], protection: .secret)
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
        "duties-" + UUID().uuidString)

    deinit { try? FileManager.default.removeItem(at: directory) }

    /// An operation or an answer, in order.
    private enum Note {
        case give(DriverOperation)
        case answer(Outcome)
        case has(Secret?, [UInt8]?, RecordPath)
        case death
        case end

        static func save(_ ticket: UInt64, _ path: RecordPath, _ byte: UInt8) -> Note {
            .give(.save(StorageTicket(ticket), path, .bytes([byte])))
        }
        static func save(_ ticket: UInt64, _ path: RecordPath, _ secret: Secret) -> Note {
            .give(.save(StorageTicket(ticket), path, .secret(secret)))
        }
        static func load(_ ticket: UInt64, _ path: RecordPath) -> Note {
            .give(.load(StorageTicket(ticket), path))
        }
        static func erase(_ ticket: UInt64, _ path: RecordPath) -> Note {
            .give(.erase(StorageTicket(ticket), path))
        }
        static func saved(_ ticket: UInt64) -> Note { .answer(.saved(StorageTicket(ticket))) }
        static func failed(_ ticket: UInt64) -> Note { .answer(.failed(StorageTicket(ticket), .unreadable)) }
        static func missing(_ ticket: UInt64) -> Note { .answer(.missing(StorageTicket(ticket))) }
        static func erased(_ ticket: UInt64) -> Note { .answer(.erased(StorageTicket(ticket))) }
        static func loaded(_ ticket: UInt64, _ bytes: UInt8...) -> Note {
            .answer(.loaded(StorageTicket(ticket), bytes))
        }
    }

    private static func breaches(_ notes: [Note]) -> [Breach] {
        var duties = StoreDuties()
        for note in notes {
            switch note {
            case .give(let operation): duties.note(operation)
            case .answer(let outcome): duties.note(outcome)
            case .has(let secret, let bytes, let path):
                duties.note(secret: secret, at: path)
                duties.note(bytes: bytes, at: path)
            case .death: duties.noteDeath()
            case .end: duties.expectAnswers()
            }
        }
        return duties.breaches
    }

    // MARK: What breaks a duty

    @Test("an operation is answered once, with an answer of its kind, and in the order of its record")
    func answers() {
        let ticket = StorageTicket(1)
        #expect(Self.breaches([.save(1, Self.a, 7), .end]) == [.unanswered(ticket)])
        #expect(Self.breaches([.save(1, Self.a, 7), .saved(1), .saved(1)]) == [.unknownTicket(ticket)])
        #expect(Self.breaches([.save(1, Self.a, 7), .erased(1)]) == [.wrongAnswer(ticket)])
        #expect(Self.breaches([.load(1, Self.a), .saved(1)]) == [.wrongAnswer(ticket)])
        let both = [Note.save(1, Self.a, 7), .save(2, Self.below, 8)]
        #expect(Self.breaches(both) == [.together(StorageTicket(2))])
        #expect(
            Self.breaches(both + [.saved(2), .saved(1)])
                == [.together(StorageTicket(2)), .outOfOrder(StorageTicket(2))])
        let beside = [Note.save(1, Self.a, 7), .save(2, Self.other, 8)]
        #expect(Self.breaches(beside + [.saved(2), .saved(1), .end]).isEmpty)
        #expect(Self.breaches([.give(.setAside(Self.a)), .end]).isEmpty)
    }

    @Test("P1: a record that exists is not missing, readable or not, for a load or for a payload")
    func unreadable() {
        let saved = [Note.save(1, Self.a, 7), .saved(1), .load(2, Self.a)]
        #expect(Self.breaches(saved + [.missing(2)]) == [.missing(Self.a)])
        #expect(Self.breaches(saved + [.failed(2)]).isEmpty)
        #expect(Self.breaches(saved + [.loaded(2, 7)]).isEmpty)
        #expect(Self.breaches(saved + [.loaded(2, 8)]) == [.wrongContent(Self.a)])
        #expect(Self.breaches(saved + [.failed(2), .has(nil, nil, Self.a)]) == [.missing(Self.a)])
        #expect(Self.breaches(saved + [.failed(2), .has(nil, [7], Self.a)]).isEmpty)
        #expect(Self.breaches(saved + [.failed(2), .has(nil, [8], Self.a)]) == [.wrongContent(Self.a)])
        #expect(
            Self.breaches([.load(1, Self.a), .missing(1), .load(2, Self.a), .loaded(2)]) == [
                .wrongContent(Self.a)
            ])
    }

    @Test("a failed save leaves the old or the new version, a failed erase all or nothing of a record")
    func failures() {
        let failed = [Note.save(1, Self.a, 7), .saved(1), .save(2, Self.a, 8), .failed(2), .load(3, Self.a)]
        for byte in [7, 8] as [UInt8] {
            // Once seen, it stays so.
            let again = failed + [.loaded(3, byte), .load(4, Self.a), .loaded(4, 8)]
            #expect(Self.breaches(again) == (byte == 8 ? [] : [.wrongContent(Self.a)]))
        }
        #expect(Self.breaches(failed + [.missing(3)]) == [.missing(Self.a)])
        let erased = [Note.save(1, Self.below, 7), .saved(1), .erase(2, Self.a)]
        #expect(Self.breaches(erased + [.failed(2), .load(3, Self.below), .missing(3)]).isEmpty)
        #expect(Self.breaches(erased + [.failed(2), .load(3, Self.below), .loaded(3, 7)]).isEmpty)
        #expect(
            Self.breaches(erased + [.erased(2), .load(3, Self.below), .loaded(3, 7)]) == [
                .wrongContent(Self.below)
            ])
    }

    @Test("a process that dies leaves what it was given up to some operation, and nothing behind it")
    func death() {
        let given = [
            Note.save(1, Self.a, 7), .save(2, Self.other, 8), .death, .load(3, Self.a), .load(4, Self.other),
        ]
        #expect(Self.breaches(given + [.missing(3), .missing(4)]).isEmpty)
        #expect(Self.breaches(given + [.loaded(3, 7), .missing(4)]).isEmpty)
        #expect(Self.breaches(given + [.loaded(3, 7), .loaded(4, 8)]).isEmpty)
        #expect(Self.breaches(given + [.missing(3), .loaded(4, 8)]) == [.wrongContent(Self.other)])
        #expect(
            Self.breaches([.save(1, Self.a, 7), .saved(1), .death, .load(2, Self.a), .missing(2)]) == [
                .missing(Self.a)
            ])
    }

    @Test("L10, P4: a secret is in no answer and no plain record, and at hand once it is saved or loaded")
    func secrets() {
        let top = Secret("top")
        let saved = [Note.save(1, Self.secret, top), .saved(1)]
        #expect(Self.breaches(saved + [.has(top, nil, Self.secret), .has(nil, nil, Self.a)]).isEmpty)
        #expect(Self.breaches(saved + [.has(nil, nil, Self.secret)]) == [.wrongSecret(Self.secret)])
        #expect(Self.breaches(saved + [.has(top, [1], Self.secret)]) == [.secretShown(Self.secret)])
        #expect(Self.breaches(saved + [.load(2, Self.secret), .loaded(2, 1)]) == [.secretShown(Self.secret)])
        #expect(Self.breaches(saved + [.load(2, Self.a), .loaded(2, 1)]) == [.wrongContent(Self.a)])
        let dead = saved + [.death]
        #expect(Self.breaches(dead + [.has(nil, nil, Self.secret)]).isEmpty)
        #expect(Self.breaches(dead + [.has(top, nil, Self.secret)]) == [.wrongSecret(Self.secret)])
        #expect(
            Self.breaches(dead + [.load(2, Self.secret), .loaded(2), .has(top, nil, Self.secret)]).isEmpty)
        let failed = [Note.save(1, Self.secret, top), .failed(1)]
        #expect(Self.breaches(failed + [.has(top, nil, Self.secret)]).isEmpty)
        #expect(Self.breaches(failed + [.has(nil, nil, Self.secret)]) == [.wrongSecret(Self.secret)])
        let erased = saved + [.erase(2, Self.a), .erased(2)]
        #expect(Self.breaches(erased + [.has(top, nil, Self.secret)]) == [.wrongSecret(Self.secret)])
        #expect(Self.breaches([.save(1, Self.a, top), .saved(1)]) == [.wrongAnswer(StorageTicket(1))])
    }

    // MARK: Who keeps them

    @Test(
        "the store in memory keeps its duties, with and without faults",
        arguments: 1...thoroughly(20, otherwise: 6) as ClosedRange<UInt64>)
    func memory(seed: UInt64) async throws {
        let breaches = try await StoreDuties.trial(seed: seed) { (store: inout MemoryStore, drawn) in
            store.faults =
                switch drawn % 6 {
                case 0: [.full]
                case 1: [.unreadable(["a"])]
                case 2: [.unreadable(["a", "b"]), .failingWrite(store.writes + 1, .unavailable)]
                default: []
                }
        } start: { last in
            var store = last?.restarted() ?? MemoryStore()
            store.faults = []
            return (store, nil)
        }
        #expect(breaches.isEmpty)
    }

    @Test(
        "the store on disk keeps its duties, and its files are the owner's, whatever step fails",
        arguments: 1...thoroughly(6, otherwise: 2) as ClosedRange<UInt64>)
    func files(seed: UInt64) async throws {
        let failing = Locked<(step: FileStep, code: Int32)?>(nil)
        let directory = directory
        let steps: [FileStep] = [.write, .flushDirectory]
        let breaches = try await StoreDuties.trial(seed: seed) { (_: inout FileStore, drawn) in
            let step = steps[Int(drawn / 8) % steps.count]
            failing.withLock { $0 = drawn % 4 == 0 ? (step, drawn % 8 == 0 ? ENOSPC : EIO) : nil }
        } start: { (last: consuming FileStore?) in
            _ = consume last
            failing.withLock { $0 = nil }
            let store = try FileStore(directory: directory) { step in
                failing.withLock { $0?.step == step ? $0?.code : nil }
            }
            return (store, nil)
        }
        #expect(breaches.isEmpty)
        #expect(StoreDuties.sharedFiles(below: directory).isEmpty)
        let planted = directory.appendingPathComponent("open")
        try Data().write(to: planted)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: planted.path)
        #expect(StoreDuties.sharedFiles(below: directory) == ["open"])
    }

    @Test(
        "a store on a queue of its own keeps the duties, with its answers as arrivals",
        arguments: 1...thoroughly(2, otherwise: 1) as ClosedRange<UInt64>)
    func background(seed: UInt64) async throws {
        let directory = directory
        let breaches = try await StoreDuties.trial(seed: seed) {
            (last: consuming BackgroundStore<FileStore>?) in
            _ = consume last
            let arrivals = Arrivals()
            while true {
                // The queue ends what it has begun, and holds the lock of the directory until then.
                guard let store = try? FileStore(directory: directory) else {
                    try await Task.sleep(for: .milliseconds(1))
                    continue
                }
                return (BackgroundStore(store, arrivals), arrivals)
            }
        }
        #expect(breaches.isEmpty)
    }

    /// A store that says of what it cannot read that it is missing.
    private struct Hasty: RecordStore {
        var memory = MemoryStore()

        mutating func carryOut(_ operation: DriverOperation) -> Outcome? {
            let answer = memory.carryOut(operation)
            guard case .load(let ticket, _) = operation, case .failed? = answer else { return answer }
            return .missing(ticket)
        }

        func secret(at path: RecordPath) -> Secret? { memory.secret(at: path) }
        func bytes(at path: RecordPath) throws(StorageFailure) -> [UInt8]? { try memory.bytes(at: path) }
    }

    @Test("a trial finds a store that takes what it cannot read for missing, and one that keeps nothing")
    func found() async throws {
        let hasty = try await StoreDuties.trial(seed: 1) { (store: inout Hasty, drawn) in
            store.memory.faults = drawn % 4 == 0 ? [.unreadable(["a"])] : []
        } start: { last in
            (Hasty(memory: last?.memory.restarted() ?? MemoryStore()), nil)
        }
        #expect(hasty.contains { if case .missing = $0 { true } else { false } })
        let forgetful = try await StoreDuties.trial(seed: 1) { (_: consuming MemoryStore?) in
            (MemoryStore(), nil)
        }
        #expect(forgetful.contains { if case .missing = $0 { true } else { false } })
    }
}
