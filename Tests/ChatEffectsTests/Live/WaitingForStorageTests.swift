// What an app waits for before the system suspends it: all that is being saved, on a store that answers
// later.

import ChatDomain
@testable import ChatEffects
import ChatTesting
import Testing

@Suite("Waiting for storage")
struct WaitingForStorageTests {
    /// A store with one secret. It keeps the tickets of saves, whose answers come as arrivals.
    private struct Late: RecordStore {
        let tickets: Locked<[StorageTicket]>

        mutating func carryOut(_ operation: DriverOperation) -> Outcome? {
            if case .save(let ticket, _, _) = operation { tickets.withLock { $0.append(ticket) } }
            return nil
        }

        func secret(at path: RecordPath) -> Secret? { Secret("old-token") }
        func bytes(at path: RecordPath) -> [UInt8]? { nil }
    }

    @Test(
        "L5, S9: a record and a renewed secret that are being saved are waited for, at most until the limit",
        .timeLimit(.minutes(10)),
        arguments: [.save(Note(byte: 5), under: ["u"], Attempt(number: 1)), .open(.a, .renewal("h"))]
            as [Script.Effect])
    func saves(effect: Script.Effect) async throws {
        let (arrivals, tickets, isAnswered) = (Arrivals(), Locked<[StorageTicket]>([]), Locked(false))
        let machine = Machine(
            Script(), state: Script.State(), backend: ScriptCodec(),
            moment: Moment(now: .origin, wall: SystemTime.wall()), entropy: .seeded(1))
        let server = ScriptedServer([.http(200, #"{"token":"new-token"}"#, after: .zero)])
        let loop = SystemLoop(
            Loop(machine, store: Late(tickets: tickets), server: server), arrivals: arrivals)
        await loop.waitForStorage(atMost: .hours(1))
        await loop.send(.act([effect]))
        let ticket = try #require(tickets.withLock { $0.first })
        await loop.waitForStorage(atMost: .milliseconds(1))
        Task {
            try? await Task.sleep(for: .milliseconds(50))
            isAnswered.withLock { $0 = true }
            arrivals.add(.saved(ticket))
        }
        await loop.waitForStorage(atMost: .hours(1))
        #expect(isAnswered.withLock { $0 })
    }
}
