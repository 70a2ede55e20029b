// The whole app in the process, with a check of the duties between the loop and its drivers, while anything goes wrong.

@testable import ChatDomain
@testable import ChatEffects
import ChatTesting
import TestVolume
import Testing

@Suite("Watched loop")
struct WatchedLoopTests {
    private typealias Watched = Loop<ClawlineBackend, WatchedStore<MemoryStore>, WatchedNetwork<LocalServer>>

    @Test(
        "the in-process server, the store and the loop between them keep their duties, also in a storm",
        arguments: 1...thoroughly(40, otherwise: 10) as ClosedRange<UInt64>)
    func storm(seed: UInt64) {
        let app = ChatApp(
            pairing: Pairing(configuration: .init(device: DeviceInfo(platform: "T", model: "T"))))
        let moment = Moment(now: .origin, wall: WallTime(millisecondsSince1970: 1_000_000))
        let machine = Machine(
            app, state: ChatApp.State(app), backend: ClawlineBackend(), moment: moment, entropy: .seeded(seed)
        )
        var loop = Watched(
            machine, store: WatchedStore(MemoryStore()), server: WatchedNetwork(LocalServer()))
        var entropy = Entropy.seeded(seed)
        loop.send(.launched)
        loop.send(.pairing(.nameEdited("Ada")))
        loop.send(.pairing(.submitted))
        loop.advance(by: .seconds(3))
        loop.send(.chat(.shown))
        for number in 0..<60 {
            let drawn = entropy.next()
            switch drawn % 8 {
            case 0, 1:
                loop.send(.chat(.draftEdited(ExactText("Hello \(number)"))))
                loop.send(.chat(.sent))
            case 2: loop.server.network.dropConnections()
            case 3: loop.store.store.faults = drawn % 16 < 8 ? [.full] : [.unreadable(["users"])]
            case 4: loop.store.store.faults = []
            case 5: loop.send(drawn % 16 < 8 ? .backgrounded : .foregrounded)
            case 6:
                let faults: [LocalServer.Fault] = [.silence, .drop, .duplicate, .noise]
                loop.server.network.behaviour.rules.append(
                    .init(.token(1), faults[Int(drawn >> 8) % faults.count], times: 1))
            default:
                loop.send(.assistant(.draftEdited("Why?")))
                loop.send(.assistant(.sent))
            }
            loop.advance(by: .milliseconds(Int64((drawn >> 32) % 5_000)))
        }
        #expect(loop.server.duties.breaches.isEmpty)
        #expect(loop.store.duties.breaches.isEmpty)
        #expect(Chat.rows(loop.state.chat, newest: 100, .neutral).count > 4)
    }

    @Test("a payload without its secret, a second opening and a renewal are told")
    func loopsDuties() {
        var duties = NetworkDuties()
        let (handle, call) = (SecretHandle("h"), CallNumber(1))
        duties.note(.open(call, .socket(path: "/")))
        duties.note(.send(call, Payload([.bytes([1]), .secret(handle)])))
        duties.note(.open(call, .renewal(path: "/", headers: [], of: handle)))
        #expect(duties.breaches == [.unfilled(call), .openedTwice(call), .unfilled(call)])
    }
}
