import ChatDomain
import ChatEffects
import ChatTesting
import Reminders
import Testing

// sample tests
@Suite("Reminders")
struct RemindersTests {
    typealias Loop = VirtualLoop<RemindersBackend, ScriptedServer>

    static let ada = Account(user: "ada", secret: SecretHandle("token"), device: "phone")
    static let moment = Moment(now: .origin, wall: WallTime(millisecondsSince1970: 1_000_000))

    /// Ada is signed in, with a disk that has her token, and a server that answers by a script.
    func loop(_ script: [ScriptedServer.Answer], store: MemoryStore? = nil) -> Loop {
        var disk = store ?? MemoryStore()
        _ = disk.carryOut(.save(StorageTicket(0), .secret(Self.ada.secret), .secret(Secret("t0ken"))))
        let machine = Machine(
            Reminders(), state: Reminders.State(), backend: RemindersBackend(), moment: Self.moment,
            entropy: .seeded(1))
        var loop = Loop(machine, store: disk, server: ScriptedServer(script))
        loop.send(.accountChanged(Self.ada))
        return loop
    }

    @Test("a reminder is due at its time, to the nanosecond")
    func isDue() {
        var loop = loop([.http()])
        loop.send(.added("Call Bob", after: .minutes(5)))
        loop.advance(by: .minutes(5) - Interval(nanoseconds: 1))
        #expect(loop.state.due.isEmpty)
        loop.advance(by: Interval(nanoseconds: 1))
        #expect(loop.state.due.map(\.text) == ["Call Bob"])
    }

    @Test("a server that asks for a minute is left alone, and a silent one is asked again")
    func isUploadedOnce() {
        let wait = Header("retry-after", "60")
        var loop = loop([.http(503, headers: [wait]), .silence, .failure(.lost), .http(201), .http(201)])
        loop.send(.added("Call Bob", after: .hours(5)))
        loop.advance(by: .seconds(59))
        #expect(loop.server.calls.count == 1)
        loop.advance(by: .minutes(5))
        #expect(loop.server.calls.count == 4 && loop.state.waiting.map(\.isOnServer) == [true])
    }

    @Test("reminders outlive the process, also those added before the disk has answered")
    func isStored() {
        var loop = loop([.http()])
        loop.send(.added("Call Bob", after: .hours(1)))
        var relaunched = self.loop([.http()], store: loop.store)
        relaunched.send(.added("Call Eve", after: .minutes(1)))
        #expect(relaunched.state.waiting.map(\.text) == ["Call Eve", "Call Bob"])
        #expect(relaunched.state.record.isClean)
    }

    @Test("an action sent twice, late or without an account changes nothing", arguments: 0..<50)
    func isTotal(seed: UInt64) {
        var loop = loop((0..<20).map { $0 % 3 == 0 ? .silence : $0 % 3 == 1 ? .http() : .failure(.lost) })
        var random = Entropy.seeded(seed)
        for _ in 0..<200 {
            switch random.below(6) {
            case 0: loop.send(.added("Call Bob", after: .seconds(30)))
            case 1: loop.send(.dismissed)
            case 2: loop.send(.accountChanged(random.below(4) == 0 ? nil : Self.ada))
            case 3: loop.send(.timerFired(.due))
            case 4: loop.send(.ended(.upload(Attempt(number: random.below(20))), .completed))
            default: loop.advance(by: .seconds(7))
            }
        }
        loop.advance(by: .hours(1))
        #expect(loop.state.waiting.isEmpty)
    }
}
// end

// sample composed
@Test("reminders follow the signed-in person")
func followsTheAccount() {
    let app = ChatApp(pairing: Pairing(configuration: .init(device: DeviceInfo(platform: "T", model: "T"))))
    let machine = Machine(
        MyApp(app), state: MyApp.State(ChatApp.State(app), Reminders.State()),
        backend: MyBackend(ClawlineBackend(), RemindersBackend()), moment: RemindersTests.moment,
        entropy: .seeded(1))
    var loop = VirtualLoop(machine, store: MemoryStore(), server: LocalServer())
    loop.send(.first(.launched))
    loop.send(.second(.added("Call Bob", after: .hours(1))))
    #expect(loop.state.second.waiting.isEmpty)
    loop.send(.first(.pairing(.nameEdited("Ada"))))
    loop.send(.first(.pairing(.submitted)))
    loop.advance(by: .seconds(3))
    loop.send(.second(.added("Call Bob", after: .hours(1))))
    loop.advance(by: .hours(1))
    #expect(loop.state.second.due.map(\.text) == ["Call Bob"])
    loop.send(.first(.pairing(.signedOut)))
    #expect(loop.state.second == Reminders.State())
}
// end
