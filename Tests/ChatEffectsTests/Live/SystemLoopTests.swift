// The loop on the system's clock, as far as it can be shown without waiting: a server that answers at once needs
// no time, and what is told to the loop is carried out before `send` returns.

import ChatDomain
import ChatEffects
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
        let machine = Machine(
            Script(), state: Script.State(), backend: ScriptCodec(),
            moment: Moment(now: .origin, wall: SystemTime.wall()), entropy: .seeded(1))
        let loop = SystemLoop(Loop(machine, store: MemoryStore(), server: LocalServer()))
        for _ in 0..<2 { await loop.send(.act([.haptic])) }
        #expect(await loop.haptics.value == 2)
    }

    @Test("the system's clock never goes back, and counts from where it was told to")
    func time() {
        let time = SystemTime(startingAt: Instant(nanoseconds: 7))
        let (first, second) = (time.moment(), time.moment())
        #expect(first.now >= Instant(nanoseconds: 7) && second.now >= first.now)
    }
}
