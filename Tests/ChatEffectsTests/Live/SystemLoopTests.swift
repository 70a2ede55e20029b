// The loop on the system's clock, as far as it can be shown without waiting: a server that answers at once needs
// no time, and what is told to the loop is carried out before `send` returns.

import ChatDomain
import ChatEffects
import Foundation
import Testing

@Suite("System loop")
struct SystemLoopTests {
    private func loop(_ store: MemoryStore = MemoryStore()) -> SystemLoop<
        ClawlineBackend, MemoryStore, LocalServer
    > {
        var behaviour = LocalServer.Behaviour()
        behaviour.approvalDelay = .zero
        behaviour.authenticationDelay = .zero
        let app = ChatApp(
            pairing: Pairing(configuration: .init(device: DeviceInfo(platform: "T", model: "T"))))
        let machine = Machine(
            app, state: ChatApp.State(app), backend: ClawlineBackend(),
            moment: Moment(now: .origin, wall: SystemTime.wall()), entropy: .seeded(5))
        return SystemLoop(Loop(machine, store: store, server: LocalServer(behaviour)))
    }

    @Test("work that needs no time is done when send returns")
    func immediate() async {
        let loop = loop()
        await loop.send(.launched)
        await loop.send(.pairing(.nameEdited("Ada")))
        await loop.send(.pairing(.submitted))
        await loop.send(.chat(.shown))
        #expect(await loop.state.account?.user == "ada")
        #expect(await loop.state.chat.connection.link != nil)
    }

    @Test("a change of the server is noticed at once")
    func serverChanges() async {
        let loop = loop()
        await loop.send(.launched)
        await loop.send(.pairing(.nameEdited("Ada")))
        await loop.send(.pairing(.submitted))
        await loop.send(.chat(.shown))
        await loop.changeServer { server, _ in server.goOffline() }
        #expect(await loop.state.chat.connection.link == nil)
    }

    @Test("a listener is told the newest state")
    func states() async {
        let loop = loop()
        await loop.send(.launched)
        await loop.send(.pairing(.nameEdited("Ada")))
        var states = loop.states.makeAsyncIterator()
        let state = await states.next()
        #expect(state?.pairing.name == "Ada")
    }

    @Test("S14: a front end reads how many taps it is to play")
    func haptics() async {
        let loop = loop(Arrivals())
        for _ in 0..<2 { await loop.send(.act([.haptic])) }
        #expect(await loop.haptics.value == 2)
    }

    /// A store that answers by arrivals alone.
    private struct Silent: RecordStore {
        mutating func carryOut(_ operation: DriverOperation) -> Outcome? { nil }
        func secret(at path: RecordPath) -> Secret? { nil }
        func bytes(at path: RecordPath) -> [UInt8]? { nil }
    }

    private func loop(_ arrivals: Arrivals) -> SystemLoop<ScriptCodec, Silent, LocalServer> {
        let machine = Machine(
            Script(), state: Script.State(), backend: ScriptCodec(),
            moment: Moment(now: .origin, wall: SystemTime.wall()), entropy: .seeded(1))
        return SystemLoop(Loop(machine, store: Silent(), server: LocalServer()), arrivals: arrivals)
    }

    @Test("L3: what arrived before a deadline comes before it, also when the loop had no turn until later")
    func busySystem() async {
        let arrivals = Arrivals()
        let loop = loop(arrivals)
        let limit = Interval.milliseconds(40)
        let (first, second) = (Attempt(number: 1), Attempt(number: 2))
        await loop.send(.act([.start(.a, after: limit), .load(["a"], first), .load(["b"], second)]))
        await loop.changeServer { _, _ in
            arrivals.add(.missing(StorageTicket(1)))
            usleep(80_000)
            arrivals.add(.missing(StorageTicket(2)))
        }
        let log = await loop.state.log.dropFirst()
        let (early, late) = (
            Script.Action.stored(.missing, under: ["a"], first),
            Script.Action.stored(.missing, under: ["b"], second)
        )
        #expect(log.map { $0.action } == [early, late, .timerFired(.a)])
        #expect(log.first.map { $0.moment.now < .origin + limit } == true)
        let walls = log.map { $0.moment.wall }
        #expect(walls == walls.sorted() && walls.allSatisfy { $0 <= SystemTime.wall() })
    }

    @Test("L3: what arrived after a deadline comes after it, also when the loop had no turn at either time")
    func lateArrival() async {
        let arrivals = Arrivals()
        let loop = loop(arrivals)
        let attempt = Attempt(number: 1)
        await loop.send(.act([.start(.a, after: .milliseconds(40)), .load(["a"], attempt)]))
        await loop.changeServer { _, _ in
            usleep(80_000)
            arrivals.add(.missing(StorageTicket(1)))
        }
        let actions = await loop.state.log.dropFirst().map { $0.action }
        #expect(actions == [.timerFired(.a), .stored(.missing, under: ["a"], attempt)])
    }

    @Test(
        "L3: a timer due before an earlier one does not wait for that, and the next one needs no action",
        .timeLimit(.minutes(10)))
    func earlierDeadline() async throws {
        let loop = loop(Arrivals())
        await loop.send(.act([.start(.a, after: .hours(1))]))
        await loop.send(.act([.start(.b, after: .milliseconds(20)), .start(.c, after: .milliseconds(120))]))
        // Only looks: an action would bring the loop to the present.
        for _ in 0..<4_000 where await loop.state.log.count < 4 {
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(await loop.state.log.dropFirst(2).map { $0.action } == [.timerFired(.b), .timerFired(.c)])
    }

    @Test(
        "L3, C2, P6: behind a stall each passed timer fires once, also one that starts itself again",
        arguments: [false, true])
    func sleep(endsWithArrival: Bool) async {
        let arrivals = Arrivals()
        let machine = Machine(
            Script(),
            state: Script.State(rules: [
                Script.Rule(when: .timerFired(.a), effects: [.start(.a, after: .milliseconds(50))])
            ]), backend: ScriptCodec(), moment: Moment(now: .origin, wall: SystemTime.wall()),
            entropy: .seeded(1))
        let loop = SystemLoop(
            Loop(machine, store: MemoryStore(), server: LocalServer()), arrivals: arrivals)
        await loop.send(.act([.start(.a, after: .milliseconds(50)), .start(.b, after: .seconds(1))]))
        await loop.changeServer { _, _ in
            usleep(1_500_000)
            if endsWithArrival { arrivals.add(.missing(StorageTicket(1))) }  // nobody waits for it
        }
        // 29 times if each interval of the stall counted.
        #expect(await loop.state.log.count { $0.action == .timerFired(.a) } <= 5)
        #expect(await loop.state.log.count { $0.action == .timerFired(.b) } == 1)
    }

    @Test("L3: a stall of the system takes no time from what an arrival leads to")
    func stall() {
        var time = SystemTime(startingAt: Instant(nanoseconds: 7))
        let before = time.moment()
        var present = before
        let short = time.moment(
            ofArrivalAt: ContinuousClock.now - .milliseconds(500),
            notBefore: before.now - .milliseconds(400), present: &present)
        #expect(short.now == before.now - .milliseconds(400) && present == before)
        let arrived = time.moment(
            ofArrivalAt: ContinuousClock.now - .seconds(60), notBefore: before.now - .seconds(70),
            present: &present)
        let after = time.moment()
        #expect(present == arrived)
        // A second is for a machine that does other things.
        #expect(after.now - arrived.now < .seconds(1) && before.now - after.now > .seconds(58))
        #expect(arrived.wall >= before.wall && after.wall >= arrived.wall)
    }

    @Test("the system's clock never goes back, and counts from where it was told to")
    func time() {
        let time = SystemTime(startingAt: Instant(nanoseconds: 7))
        let (first, second) = (time.moment(), time.moment())
        #expect(first.now >= Instant(nanoseconds: 7) && second.now >= first.now)
    }
}
