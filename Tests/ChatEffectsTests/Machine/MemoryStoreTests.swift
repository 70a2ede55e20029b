// The store in memory: what the machine may rely on in every store, and the faults that a simulation asks
// for. The store on disk is held to the same answers in its own tests.

import ChatDomain
@testable import ChatEffects
import Testing

@Suite("Store in memory")
struct MemoryStoreTests {
    static let ticket = StorageTicket(7)
    let draft = RecordPath(["user", "draft"])
    let token = RecordPath(["user", "token"], protection: .secret)

    @Test("a saved record is loaded; an absent one is missing")
    func saveAndLoad() {
        var store = MemoryStore()
        #expect(store.load(draft) == .missing(Self.ticket))
        #expect(store.save([1, 2], draft) == .saved(Self.ticket))
        #expect(store.save([3], draft) == .saved(Self.ticket))
        #expect(store.load(draft) == .loaded(Self.ticket, [3]))
        #expect(store.load(RecordPath(["user"])) == .missing(Self.ticket))
        #expect(store.paths == [draft])
    }

    @Test("an erase takes the record, all below and their secrets, and nothing beside")
    func eraseBelow() {
        var store = MemoryStore()
        let beside = [RecordPath(["us"]), RecordPath(["user2"]), RecordPath(["other", "user"])]
        for path in beside + [RecordPath(["user"]), draft, RecordPath(["user", "draft", "more"])] {
            _ = store.save([1], path)
        }
        _ = store.save(Secret("t"), token)
        #expect(store.erase(RecordPath(["user"])) == .erased(Self.ticket))
        #expect(store.paths == [beside[2], beside[0], beside[1]])
        #expect(store.secret(at: token) == nil)
        #expect(store.erase(RecordPath(["user"])) == .erased(Self.ticket))
    }

    @Test("an erase at the root leaves nothing, and the root itself holds no record")
    func root() {
        var store = MemoryStore()
        _ = store.save([1], draft)
        _ = store.save(Secret("t"), token)
        #expect(store.save([1], RecordPath([])) == .failed(Self.ticket, .unavailable))
        #expect(store.load(RecordPath([])) == .failed(Self.ticket, .unavailable))
        #expect(store.erase(RecordPath([])) == .erased(Self.ticket))
        #expect(store.paths.isEmpty && store.secret(at: token) == nil)
    }

    @Test("the order of saves does not show", arguments: [1, 2, 3] as [UInt64])
    func order(seed: UInt64) {
        var entropy = Entropy.seeded(seed)
        let paths = (0..<40).map { RecordPath([ExactText("\($0 % 7)"), ExactText("\($0)")]) }
        var forward = MemoryStore()
        for path in paths { _ = forward.save([1], path) }
        var shuffled = MemoryStore()
        var rest = paths
        while !rest.isEmpty {
            _ = shuffled.save([1], rest.remove(at: Int(entropy.next() % UInt64(rest.count))))
        }
        #expect(forward == shuffled)
    }

    @Test("L10: a secret is in no outcome, and comes back from storage only by a load")
    func secret() {
        var store = MemoryStore()
        #expect(store.save(Secret("t"), token) == .saved(Self.ticket))
        #expect(store.secret(at: token) == Secret("t"))
        store = store.restarted()
        #expect(store.secret(at: token) == nil)
        #expect(store.load(token) == .loaded(Self.ticket, []))
        #expect(store.secret(at: token) == Secret("t"))
        #expect(store.load(RecordPath(token.components)) == .missing(Self.ticket))
    }

    @Test("L10: a secret is not stored where it could be read back, nor plain bytes as a secret")
    func protection() {
        var store = MemoryStore()
        #expect(store.save(Secret("t"), draft) == .failed(Self.ticket, .unavailable))
        #expect(store.save([1], token) == .failed(Self.ticket, .unavailable))
        #expect(store.paths.isEmpty && store.secret(at: draft) == nil)
    }

    @Test("P4: a secret that could not be saved is usable until the process ends")
    func unsavedSecret() {
        var store = MemoryStore()
        _ = store.save(Secret("old"), token)
        store.faults = [.full]
        #expect(store.save(Secret("new"), token) == .failed(Self.ticket, .full))
        #expect(store.load(token) == .loaded(Self.ticket, []))
        #expect(store.secret(at: token) == Secret("new"))
        store = store.restarted()
        _ = store.load(token)
        #expect(store.secret(at: token) == Secret("old"))
    }

    @Test("a full store refuses saves, keeps what it has, and can be read and erased")
    func full() {
        var store = MemoryStore()
        _ = store.save([1], draft)
        store.faults = [.full]
        #expect(store.save([2], draft) == .failed(Self.ticket, .full))
        #expect(store.load(draft) == .loaded(Self.ticket, [1]))
        #expect(store.erase(draft) == .erased(Self.ticket))
    }

    @Test("P1: unreadable is not missing, at the name and below; above it nothing is erased")
    func unreadable() {
        var store = MemoryStore()
        _ = store.save([1], draft)
        store.faults = [.unreadable(["user"])]
        #expect(store.load(draft) == .failed(Self.ticket, .unreadable))
        #expect(store.load(RecordPath(["user", "none"])) == .failed(Self.ticket, .unreadable))
        #expect(store.save([2], draft) == .failed(Self.ticket, .unreadable))
        #expect(store.erase(RecordPath([])) == .failed(Self.ticket, .unreadable))
        #expect(store.load(RecordPath(["user2"])) == .missing(Self.ticket))
        store.faults = []
        #expect(store.load(draft) == .loaded(Self.ticket, [1]))
    }

    @Test("a silent path neither answers nor changes; others do")
    func silent() {
        var store = MemoryStore(faults: [.silent(["user"])])
        #expect(store.save([1], draft) == nil)
        #expect(store.load(draft) == nil)
        #expect(store.erase(draft) == nil)
        #expect(store.writes == 0 && store.paths.isEmpty)
        #expect(store.save([1], RecordPath(["other"])) == .saved(Self.ticket))
    }

    @Test("the write that is told to fail does, and no other")
    func failingWrite() {
        var store = MemoryStore(faults: [.failingWrite(2, .unavailable)])
        #expect(store.save([1], draft) == .saved(Self.ticket))
        #expect(store.erase(draft) == .failed(Self.ticket, .unavailable))
        #expect(store.load(draft) == .loaded(Self.ticket, [1]))
        #expect(store.save([2], draft) == .saved(Self.ticket))
        #expect(store.writes == 3)
    }

    @Test("a copy made at a count of writes is what a process that died there leaves behind")
    func death() {
        var store = MemoryStore()
        var copies = [store]
        for byte in 1...5 as ClosedRange<UInt8> {
            _ = store.save([byte], draft)
            copies.append(store.restarted())
        }
        for (writes, copy) in copies.enumerated() {
            #expect(copy.writes == UInt64(writes))
            #expect(copy.content(at: draft) == (writes == 0 ? nil : .bytes([UInt8(writes)])))
        }
    }

    @Test("R5: records set aside are kept, the newest four of a path; an erase takes them")
    func setAside() {
        var store = MemoryStore()
        for byte in 1...6 as ClosedRange<UInt8> {
            _ = store.save([byte], draft)
            #expect(store.carryOut(.setAside(draft)) == nil)
            #expect(store.load(draft) == .missing(Self.ticket))
        }
        _ = store.carryOut(.setAside(draft))
        #expect(store.setAside(from: draft) == [.bytes([3]), .bytes([4]), .bytes([5]), .bytes([6])])
        _ = store.erase(RecordPath(["user"]))
        #expect(store.setAside(from: draft).isEmpty)
    }

    @Test("operations that are not storage have no answer and change nothing")
    func others() {
        var store = MemoryStore()
        #expect(store.carryOut(.haptic) == nil)
        #expect(store.carryOut(.close(CallNumber(1))) == nil)
        #expect(store == MemoryStore())
    }
}

extension MemoryStore {
    mutating func load(_ path: RecordPath) -> Outcome? {
        carryOut(.load(MemoryStoreTests.ticket, path))
    }

    mutating func save(_ bytes: [UInt8], _ path: RecordPath) -> Outcome? {
        carryOut(.save(MemoryStoreTests.ticket, path, .bytes(bytes)))
    }

    mutating func save(_ secret: Secret, _ path: RecordPath) -> Outcome? {
        carryOut(.save(MemoryStoreTests.ticket, path, .secret(secret)))
    }

    mutating func erase(_ path: RecordPath) -> Outcome? {
        carryOut(.erase(MemoryStoreTests.ticket, path))
    }
}
