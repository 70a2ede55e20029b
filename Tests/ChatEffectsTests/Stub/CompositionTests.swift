// Features by themselves and beside each other, each with a backend of its own, against the in-process server.

import ChatDomain
@testable import ChatEffects
import Testing

@Suite("Composition: features alone and beside each other")
struct CompositionTests {
    private static let moment = Moment(now: .origin, wall: WallTime(millisecondsSince1970: 1_000_000))
    private static let token = SecretHandle("ada")

    /// A disk that has the token of Ada, which the server knows.
    private static var store: MemoryStore {
        var store = MemoryStore()
        _ = store.carryOut(.save(StorageTicket(0), .secret(token), .secret(Secret("token of ada"))))
        return store
    }

    @Test("P3, P4: pairing alone in a machine is let in")
    func pairingAlone() {
        let device = DeviceInfo(platform: "Test", model: "Test")
        let pairing = Pairing(configuration: .init(device: device))
        let machine = Machine(
            pairing, state: Pairing.State(configuration: pairing.configuration), backend: ClawlinePairing(),
            moment: Self.moment, entropy: .seeded(1))
        var loop = VirtualLoop(machine, store: MemoryStore(), server: LocalServer())
        loop.send(.launched)
        loop.send(.nameEdited("Ada"))
        loop.send(.submitted)
        #expect(loop.state.session == nil)
        loop.advance(by: .seconds(3))
        #expect(loop.state.session?.credentials.user == "ada")
        #expect(loop.machine.pendingStorage.isEmpty)
    }

    @Test(
        "a chat whose backend has not what its configuration asks for is told so, and no network is touched")
    func noCarriage() {
        func loop<Codec: Backend>(_ backend: Codec, _ carriage: Chat.Carriage) -> VirtualLoop<
            Codec, LocalServer
        > where Codec.Subject == Chat {
            let chat = Chat(configuration: Chat.Configuration(carriage: carriage))
            let machine = Machine(
                chat, state: Chat.State(configuration: chat.configuration), backend: backend,
                moment: Self.moment, entropy: .seeded(1))
            var loop = VirtualLoop(machine, store: Self.store, server: LocalServer())
            loop.send(.signedIn(Account(user: "ada", secret: Self.token, device: "d")))
            loop.send(.shown)
            loop.send(.draftEdited("Hello"))
            loop.send(.sent)
            loop.advance(by: .seconds(5))
            return loop
        }
        let socket = loop(ChatCarriages(streams: CoachStreamCodec()), .socket)
        #expect(socket.state.connection.link == nil && socket.server.sockets.isEmpty)
        #expect(Chat.connectionLine(socket.state, .neutral) != nil)
        let streams = loop(ChatCarriages(link: ClawlineLink()), .streams(Streaming.Configuration()))
        #expect(Chat.rows(streams.state, newest: 9, .neutral).last?.note != nil)
        #expect(streams.server.requests.isEmpty && streams.machine.openCalls.isEmpty)
    }

    private typealias Both = Beside<Streaming, Assistant>
    private typealias BothBackend = BesideBackend<Both, CoachStreamCodec, AssistantCallable>

    private static var both: VirtualLoop<BothBackend, LocalServer> {
        let assistant = Assistant()
        let machine = Machine(
            Both(Streaming(), assistant),
            state: Both.State(
                Streaming.State(access: Streaming.Access(secret: token, expires: nil)),
                Assistant.State(configuration: assistant.configuration)),
            backend: BothBackend(CoachStreamCodec(), AssistantCallable()), moment: moment, entropy: .seeded(1)
        )
        var loop = VirtualLoop(machine, store: store, server: LocalServer())
        loop.send(.second(.signedIn(Account(user: "ada", secret: token, device: "d"))))
        loop.send(.second(.opened))
        return loop
    }

    @Test("R1: two features beside each other are each answered, and neither disturbs the other")
    func beside() {
        var loop = Self.both
        loop.send(.first(.asked(Streaming.Question(conversation: "talk", client: "c1", text: "Hello there"))))
        loop.send(.second(.draftEdited("Why?")))
        loop.send(.second(.sent))
        let assistant = loop.state.second
        loop.send(.first(.asked(Streaming.Question(conversation: "talk", client: "c2", text: "And?"))))
        #expect(loop.state.second == assistant)
        loop.advance(by: .seconds(10))
        #expect(Streaming.bubble(loop.state.first, .coach) != nil)
        #expect(
            Assistant.rows(loop.state.second, .neutral).map { $0.text.string }.contains("You asked: Why?"))
        #expect(loop.machine.openCalls.isEmpty)
    }

    @Test("A8: a record beside another feature is stored under its own path and read again")
    func storage() {
        var loop = Self.both
        loop.send(.second(.draftEdited("Why?")))
        loop.send(.second(.sent))
        loop.advance(by: .seconds(10))
        let path = Assistant.Key.pacing("ada").path
        let bytes = loop.store.storedBytes(at: path) ?? []
        guard
            case .record(.second(.pacing(let pacing))) = BothBackend.Subject.Record.read(
                bytes, under: .second(.pacing("ada")))
        else { return #expect(Bool(false), "nothing is stored at \(path)") }
        #expect(pacing.asked.count == 1)
    }

    @Test("L1: an event on a call of the other side ends the call, and a record of the other side is damaged")
    func crossed() {
        let call = Both.Call.second(.ask(Attempt(number: 1)))
        #expect(
            Both.Action.received(.first(.token("x")), on: call)
                == .second(.ended(.ask(Attempt(number: 1)), .failed(.malformed))))
        typealias Twice = Beside<Assistant, Assistant>
        let record = Assistant.Record.pacing(Pacing(asked: []))
        #expect(
            Twice.Action.stored(.loaded(.first(record)), under: .second(.pacing("ada")), Attempt(number: 1))
                == .second(.stored(.failed(.damaged), under: .pacing("ada"), Attempt(number: 1))))
    }

    @Test(
        "the reaction of a backend to an arrival keeps its order, its end and its count in the parent's terms"
    )
    func reactions() {
        var parent = Reaction<Both.Event>()
        parent.events = [.second(.failed(.unavailable))]
        parent.skipped = 1
        var child = Reaction<Streaming.Event>()
        child.events = [.token("a"), .token("b")]
        child.end = .completed
        child.skipped = 2
        child.frames = [Payload([])]
        parent.append(child) { .first($0) }
        #expect(parent.events == [.second(.failed(.unavailable)), .first(.token("a")), .first(.token("b"))])
        #expect(parent.end == .completed && parent.skipped == 3 && parent.frames.count == 1)
    }
}
