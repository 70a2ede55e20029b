// Records in a key chain, with one in memory in the place of the system's: what is missing and what only cannot be read,
// what others find under which name, and what an erase takes.

import ChatDomain
@testable import ChatEffects
import Testing

@Suite("Records in a key chain")
struct KeychainRecordsTests {
    private static let ticket = StorageTicket(7)
    private static let device = RecordPath(["device"])
    private static let secret = RecordPath.secret(SecretHandle("s-1"))

    /// A key chain that can be locked.
    private final class Chain: KeychainItems {
        enum Lock { case open, refuses, findsNothing }

        var items: [String: [UInt8]] = [:]
        var lock = Lock.open

        /// errSecInteractionNotAllowed
        private let locked = KeychainStatus(code: -25_308)

        private func isOpen() throws(KeychainStatus) -> Bool {
            if lock == .refuses { throw locked }
            return lock == .open
        }

        func read(_ name: String) throws(KeychainStatus) -> [UInt8]? { try isOpen() ? items[name] : nil }
        func names() throws(KeychainStatus) -> [String] { try isOpen() ? items.keys.sorted() : [] }

        func write(_ bytes: [UInt8], to name: String) throws(KeychainStatus) {
            guard try isOpen() else { throw locked }
            items[name] = bytes
        }

        func remove(_ name: String) throws(KeychainStatus) {
            if try isOpen() { items[name] = nil }
        }
    }

    /// A store in a key chain, as another process finds it.
    private static func withStore(
        _ chain: Chain, _ body: (inout MediumStore<KeychainRecords<Chain>>) -> Void
    ) {
        var store = MediumStore(KeychainRecords(items: chain))
        body(&store)
    }

    @Test("P1: only “item not found” is missing; every other status but success is unreadable")
    func statuses() throws {
        #expect(try KeychainStatus.isFound(0))
        #expect(try !KeychainStatus.isFound(-25_300))
        for code: Int32 in [-25_308, -25_293, -25_291, -34_018, -128, -50, 1] {
            let status = #expect(throws: KeychainStatus.self) { try KeychainStatus.isFound(code) }
            #expect(status?.failure == .unreadable && status?.code == code)
        }
    }

    @Test("P1: a key chain that is locked has no missing record, whether it says so or finds nothing")
    func locked() {
        let chain = Chain()
        for lock in [Chain.Lock.refuses, .findsNothing] {
            for isSaved in [false, true] {
                Self.withStore(chain) { store in
                    chain.lock = .open
                    chain.items = [:]
                    #expect(store.carryOut(.load(Self.ticket, Self.device)) == .missing(Self.ticket))
                    if isSaved { _ = store.carryOut(.save(Self.ticket, Self.device, .bytes([1]))) }
                    chain.lock = lock
                    let failed = Outcome.failed(Self.ticket, .unreadable)
                    #expect(store.carryOut(.load(Self.ticket, Self.device)) == failed)
                    #expect(store.carryOut(.load(Self.ticket, Self.secret)) == failed)
                    #expect(store.carryOut(.save(Self.ticket, Self.device, .bytes([2]))) == failed)
                    #expect(store.carryOut(.erase(Self.ticket, Self.device)) == failed)
                    chain.lock = .open
                    let found = isSaved ? Outcome.loaded(Self.ticket, [1]) : .missing(Self.ticket)
                    #expect(store.carryOut(.load(Self.ticket, Self.device)) == found)
                }
            }
        }
    }

    @Test("P1: a key chain that is unlocked just after it found nothing is asked again")
    func unlockedMeanwhile() {
        /// Finds nothing the first time.
        final class Waking: KeychainItems {
            var wasAsked = false

            func read(_ name: String) -> [UInt8]? {
                defer { wasAsked = true }
                return wasAsked ? [1] : nil
            }
            func names() -> [String] { [] }
            func write(_ bytes: [UInt8], to name: String) {}
            func remove(_ name: String) {}
        }
        var store = MediumStore(KeychainRecords(items: Waking()))
        #expect(store.carryOut(.load(Self.ticket, Self.device)) == .loaded(Self.ticket, [1]))
    }

    @Test("L10: a secret is in no outcome, and the next process has it after a load")
    func secrets() {
        let chain = Chain()
        Self.withStore(chain) { store in
            let saved = store.carryOut(.save(Self.ticket, Self.secret, .secret(Secret("töken"))))
            #expect(saved == .saved(Self.ticket))
            #expect(store.secret(at: Self.secret) == Secret("töken"))
        }
        Self.withStore(chain) { store in
            #expect(store.secret(at: Self.secret) == nil)
            #expect((try? store.bytes(at: Self.secret)) == nil)
            #expect(store.carryOut(.load(Self.ticket, Self.secret)) == .loaded(Self.ticket, []))
            #expect(store.secret(at: Self.secret) == Secret("töken"))
        }
        #expect(chain.items == ["secrets/s-1.secret": Array("töken".utf8)])
    }

    @Test("P4: a secret that could not be saved is usable until the process ends, also after a load")
    func unsaved() {
        let chain = Chain()
        chain.items = ["secrets/s-1.secret": Array("old".utf8)]
        chain.lock = .refuses
        Self.withStore(chain) { store in
            let answer = store.carryOut(.save(Self.ticket, Self.secret, .secret(Secret("top"))))
            #expect(answer == .failed(Self.ticket, .unreadable))
            #expect(store.secret(at: Self.secret) == Secret("top"))
            chain.lock = .open
            #expect(store.carryOut(.load(Self.ticket, Self.secret)) == .loaded(Self.ticket, []))
            #expect(store.secret(at: Self.secret) == Secret("top"))
        }
    }

    @Test("R5: a damaged record is set aside, so that the next load finds none")
    func damaged() {
        let chain = Chain()
        chain.items = ["secrets/s-1.secret": [0xFF], "device.record": [1]]
        Self.withStore(chain) { store in
            #expect(store.carryOut(.load(Self.ticket, Self.secret)) == .failed(Self.ticket, .damaged))
            #expect(store.carryOut(.load(Self.ticket, Self.secret)) == .missing(Self.ticket))
            #expect(store.carryOut(.setAside(Self.device)) == nil)
            #expect(store.carryOut(.load(Self.ticket, Self.device)) == .missing(Self.ticket))
        }
        #expect(chain.items["secrets/s-1.secret.damaged-1"] == [0xFF])
        #expect(chain.items["device.record.damaged-1"] == [1])
    }

    @Test(
        "an erase takes the record in both protections, its copies set aside, and all below, and nothing beside"
    )
    func erase() {
        let chain = Chain()
        let gone = [
            "user.record", "user.secret", "user.record.damaged-1", "user/a.secret", "user/b/c.record",
        ]
        let beside = ["us.record", "user2.record", "user2/a.record", "device.record", "%2e.record"]
        for name in gone + beside { chain.items[name] = [1] }
        Self.withStore(chain) { store in
            #expect(store.carryOut(.erase(Self.ticket, RecordPath(["user"]))) == .erased(Self.ticket))
            #expect(chain.items.keys.sorted() == beside.sorted())
            #expect(store.carryOut(.erase(Self.ticket, RecordPath(["user"]))) == .erased(Self.ticket))
            #expect(store.carryOut(.erase(Self.ticket, RecordPath([]))) == .erased(Self.ticket))
            #expect(chain.items.isEmpty)
            let nowhere = store.carryOut(.save(Self.ticket, RecordPath([]), .bytes([1])))
            #expect(nowhere == .failed(Self.ticket, .unavailable))
            #expect(store.carryOut(.load(Self.ticket, RecordPath([]))) == .failed(Self.ticket, .unreadable))
        }
    }

    @Test("hostile components are names like any other, and no item of the store's own")
    func hostileComponents() {
        let chain = Chain()
        Self.withStore(chain) { store in
            let names = FileNameTests.hostile + ["witness"]
            for (index, name) in names.enumerated() {
                let answer = store.carryOut(.save(Self.ticket, RecordPath([name]), .bytes([UInt8(index)])))
                #expect(answer == .saved(Self.ticket))
            }
            #expect(store.carryOut(.load(Self.ticket, RecordPath(["none"]))) == .missing(Self.ticket))
            for (index, name) in names.enumerated() {
                #expect((try? store.bytes(at: RecordPath([name]))) == [UInt8(index)])
                #expect(store.carryOut(.erase(Self.ticket, RecordPath([name]))) == .erased(Self.ticket))
            }
        }
        #expect(Array(chain.items.keys) == [KeychainRecords<Chain>.witness])
    }
}
