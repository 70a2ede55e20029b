import ChatDomain
import ChatEffects
import ChatTesting
import Foundation
import Reminders
import Testing

@Suite("Drivers")
struct ReminderDrivers {
    // sample store
    @Test(
        "the store keeps its duties, over the ends of its processes", arguments: 1...3 as ClosedRange<UInt64>)
    func storesDuties(seed: UInt64) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let breaches = try await StoreDuties.trial(seed: seed) { (last: consuming FileStore?) in
            _ = consume last  // the process ends
            return (try FileStore(directory: folder), nil)
        }
        #expect(breaches.isEmpty && StoreDuties.sharedFiles(below: folder).isEmpty)
    }
    // end

    // sample watched
    @Test("store, network and loop keep their duties while a reminder is uploaded")
    func watched() {
        let machine = Machine(
            Reminders(), state: Reminders.State(), backend: RemindersBackend(), moment: RemindersTests.moment,
            entropy: .seeded(1))
        let server = ScriptedServer([.http(503), .failure(.lost), .http(201)])
        var loop = Loop(machine, store: WatchedStore(MemoryStore()), server: WatchedNetwork(server))
        let ada = RemindersTests.ada
        _ = loop.store.carryOut(.save(StorageTicket(0), .secret(ada.secret), .secret(Secret("t0ken"))))
        loop.send(.accountChanged(ada))
        loop.send(.added("Call Bob", after: .hours(5)))
        loop.advance(by: .minutes(5))
        #expect(loop.server.network.calls.count == 3)
        #expect(loop.server.duties.breaches.isEmpty && loop.store.duties.breaches.isEmpty)
    }
    // end
}
