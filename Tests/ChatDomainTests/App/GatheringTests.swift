// The short ways of a token and of a finished reply through the root do what the long way through chat's reducer
// does.

@testable import ChatDomain
import Testing

@Suite("The short ways through the root")
struct GatheringTests {
    @Test("L2, S2: for every token the short way and the long way lead to the same state and effects")
    func isTheSame() throws {
        for seed in UInt64(1)...20 {
            var entropy = Entropy.seeded(seed)
            var driver = Driver<Chat>.connected { $0.replyTextLimit = 60 }
            var app = App(
                pairing: Pairing(configuration: .init(device: DeviceInfo(platform: "T", model: "T"))))
            app.chat = driver.feature
            for step in 0..<60 {
                let call = try #require(driver.calls.last?.call)
                let id = MessageID("s\(entropy.next() % 3)")
                let event = Chat.Event.delta(id, ExactText(String(repeating: "x", count: step % 7)))

                var state = App.State(app)
                state.chat = driver.state
                var context = driver.context
                let effects = app.reduce(
                    &state, .received(.chat(event), on: .chat(call)), in: &context)

                let expected = driver.hear(event)
                #expect(state.chat == driver.state)
                #expect(context == driver.context)
                #expect(effects == expected.map(App.fromChat))
                if entropy.next() % 4 == 0 { driver.advance(by: .milliseconds(80)) }
            }
        }
    }

    @Test("L2, S2: a batch is shown the short way as the long way does")
    func batchesAreTheSame() {
        for seed in UInt64(1)...20 {
            var entropy = Entropy.seeded(seed)
            var driver = Driver<Chat>.connected()
            var app = App(
                pairing: Pairing(configuration: .init(device: DeviceInfo(platform: "T", model: "T"))))
            app.chat = driver.feature
            for _ in 0..<40 {
                let id = MessageID("s\(entropy.next() % 3)")
                switch entropy.next() % 8 {
                case 0: driver.send(.replyStopped(id))
                case 1: driver.hear(.message(Driver<Chat>.reply(id, "all", at: 1, isGrowing: true)))
                case 2: driver.send(.retried(.received(id)))
                default: driver.hear(.delta(id, "x"))
                }
                var state = App.State(app)
                state.chat = driver.state
                var context = driver.context
                let effects = app.reduce(&state, .timerFired(.chat(.batch(id))), in: &context)
                let expected = driver.feature.reduce(
                    &driver.state, .timerFired(.batch(id)), in: &driver.context)
                #expect(state.chat == driver.state)
                #expect(context == driver.context)
                #expect(effects == expected.map(App.fromChat))
            }
        }
    }

    @Test("L2, C16: a finished reply that comes again takes the short way, to the same state and effects")
    func repliesAreTheSame() {
        var (short, told) = (0, 0)
        for seed in UInt64(1)...10 {
            var entropy = Entropy.seeded(seed)
            var driver = Driver<Chat>.connected { $0.pageLength = 3 }
            var app = App(
                pairing: Pairing(configuration: .init(device: DeviceInfo(platform: "T", model: "T"))))
            app.chat = driver.feature
            for _ in 0..<120 {
                guard case .socket(let attempt)? = driver.socket else { break }
                let event = GatheringTests.event(&entropy)
                told += 1
                var state = App.State(app)
                state.chat = driver.state
                if case .message(let message) = event {
                    var revised = driver.state
                    let isShort = app.chat.revise(message, on: attempt, &revised)
                    #expect(isShort || revised == driver.state)
                    if isShort, revised != driver.state { short += 1 }
                }
                var context = driver.context
                let effects = app.reduce(
                    &state, .received(.chat(event), on: .chat(.socket(attempt))), in: &context)

                let expected = driver.hear(event)
                #expect(state.chat == driver.state)
                #expect(context == driver.context)
                #expect(effects == expected.map(App.fromChat))
                GatheringTests.disturb(&driver, &entropy)
            }
        }
        #expect(short > 100 && told > 1_000)
    }

    /// Mostly a finished reply that is known; also everything that makes one unusual.
    private static func event(_ entropy: inout Entropy) -> Chat.Event {
        let (id, second) = (MessageID("s\(entropy.next() % 8)"), Int64(entropy.next() % 8))
        let text = ExactText(String(repeating: "x", count: Int(entropy.next() % 3) * 300))
        return switch entropy.next() % 16 {
        case 0: .message(Driver<Chat>.reply(id, text, at: second, isGrowing: true))
        case 1: .message(Driver<Chat>.echo(id, text, at: second))
        case 2: .delta(id, text)
        case 3: .typing(isActive: true, at: nil)
        case 4:
            .message(
                IncomingMessage(
                    id: id, conversation: "other", role: .assistant, text: text, time: Driver<Chat>.epoch,
                    isGrowing: false))
        default: .message(Driver<Chat>.reply(id, text, at: second))
        }
    }

    /// What else goes on: time passes, something is saved, the person stops or deletes a reply or turns to another
    /// conversation, the connection is lost and comes back.
    private static func disturb(_ driver: inout Driver<Chat>, _ entropy: inout Entropy) {
        let id = MessageID("s\(entropy.next() % 8)")
        switch entropy.next() % 24 {
        case 0: driver.advance(by: .milliseconds(80))
        case 1: driver.save()
        case 2: driver.send(.replyStopped(id))
        case 3: driver.send(.deleted(.received(id)))
        case 4: driver.send(.conversationSwitched(to: "other"))
        case 5...7: driver.send(.conversationSwitched(to: .main))
        case 8:
            driver.lose()
            driver.reconnect(replaying: [Driver<Chat>.reply(id, "replayed")])
        default: break
        }
    }
}
