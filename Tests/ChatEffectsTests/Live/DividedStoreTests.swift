// Which record goes into which of two stores, and what an erase of both answers.

import ChatDomain
@testable import ChatEffects
import Testing

@Suite("Divided store")
struct DividedStoreTests {
    private static let ticket = StorageTicket(7)
    private static let user = UserID("ada")

    @Test(
        "secrets and the device's id are guarded, and no other record is",
        arguments: [
            (ChatApp.Key.pairing(.device), true), (.pairing(.secret(SecretHandle("s-1"))), true),
            (.pairing(.credentials), false), (.pairing(.request), false), (.person(user), false),
            (.chat(.conversations(user)), false), (.chat(.pacing(user)), false),
            (.chat(.draft(user, .main)), false), (.chat(.outbox(user, .main)), false),
            (.chat(.contents(user, .main)), false), (.chat(.page(user, .main, 0)), false),
            (.chat(.attachment(user, AttachmentID("a-1"))), false), (.assistant(.pacing(user)), false),
        ])
    func division(key: ChatApp.Key, isGuarded: Bool) {
        #expect(key.path.isGuarded == isGuarded)
    }

    @Test("a record is saved, loaded, set aside and read for a payload in its own store")
    func routes() throws {
        let (device, draft) = (RecordPath(["device"]), RecordPath(["draft"]))
        let secret = RecordPath.secret(SecretHandle("s-1"))
        // The device's id in the store for the rest is not seen.
        var rest = MemoryStore()
        _ = rest.carryOut(.save(Self.ticket, device, .bytes([9])))
        var store = DividedStore(secrets: MemoryStore(), rest: rest)
        #expect(store.carryOut(.load(Self.ticket, device)) == .missing(Self.ticket))
        #expect(store.carryOut(.save(Self.ticket, device, .bytes([1]))) == .saved(Self.ticket))
        #expect(store.carryOut(.save(Self.ticket, draft, .bytes([2]))) == .saved(Self.ticket))
        #expect(store.carryOut(.save(Self.ticket, secret, .secret(Secret("top")))) == .saved(Self.ticket))
        #expect(store.carryOut(.load(Self.ticket, device)) == .loaded(Self.ticket, [1]))
        #expect(store.carryOut(.load(Self.ticket, draft)) == .loaded(Self.ticket, [2]))
        #expect(store.carryOut(.load(Self.ticket, secret)) == .loaded(Self.ticket, []))
        #expect(try store.bytes(at: device) == [1])
        #expect(try store.bytes(at: draft) == [2])
        #expect(store.secret(at: secret) == Secret("top"))
        #expect(store.carryOut(.setAside(device)) == nil)
        #expect(store.carryOut(.load(Self.ticket, device)) == .missing(Self.ticket))
        #expect(store.carryOut(.load(Self.ticket, draft)) == .loaded(Self.ticket, [2]))
        #expect(store.carryOut(.haptic) == nil)
    }

    @Test("P1: a secret that its store cannot read is not looked for in the other one")
    func unreadable() {
        let device = RecordPath(["device"])
        var store = DividedStore(
            secrets: MemoryStore(faults: [.unreadable(["device"])]), rest: MemoryStore())
        #expect(store.carryOut(.load(Self.ticket, device)) == .failed(Self.ticket, .unreadable))
        #expect(
            store.carryOut(.save(Self.ticket, device, .bytes([1]))) == .failed(Self.ticket, .unreadable))
    }

    @Test("P10: an erase takes what is below in both stores, and fails when one of them does")
    func erase() {
        let (person, draft) = (RecordPath(["users", "ada"]), RecordPath(["users", "ada", "draft"]))
        let token = RecordPath(["users", "ada", "token"], protection: .secret)
        func filled(_ secrets: MemoryStore, _ rest: MemoryStore) -> DividedStore<MemoryStore, MemoryStore> {
            var store = DividedStore(secrets: secrets, rest: rest)
            _ = store.carryOut(.save(Self.ticket, draft, .bytes([1])))
            _ = store.carryOut(.save(Self.ticket, token, .secret(Secret("top"))))
            return store
        }
        var store = filled(MemoryStore(), MemoryStore())
        #expect(store.carryOut(.erase(Self.ticket, person)) == .erased(Self.ticket))
        #expect(store.carryOut(.load(Self.ticket, draft)) == .missing(Self.ticket))
        #expect(store.carryOut(.load(Self.ticket, token)) == .missing(Self.ticket))
        #expect(store.secret(at: token) == nil)

        let broken = MemoryStore(faults: [.failingWrite(2, .unreadable)])
        for (secrets, rest) in [(broken, MemoryStore()), (MemoryStore(), broken)] {
            store = filled(secrets, rest)
            #expect(store.carryOut(.erase(Self.ticket, person)) == .failed(Self.ticket, .unreadable))
            // What can be erased is; the next try takes the rest.
            #expect(store.carryOut(.erase(Self.ticket, person)) == .erased(Self.ticket))
            #expect(store.carryOut(.load(Self.ticket, draft)) == .missing(Self.ticket))
            #expect(store.carryOut(.load(Self.ticket, token)) == .missing(Self.ticket))
        }
    }
}
