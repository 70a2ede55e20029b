// The short way of a token through the root does what the long way through chat's reducer does.

import ChatDomain
import Testing

@Suite("A token's short way")
struct GatheringTests {
    @Test("L2, S2: for every token the short way and the long way lead to the same state and effects")
    func isTheSame() {
        for seed in UInt64(1)...20 {
            var entropy = Entropy.seeded(seed)
            var driver = Driver<Chat>.connected { $0.replyTextLimit = 60 }
            var app = App(
                pairing: Pairing(configuration: .init(device: DeviceInfo(platform: "T", model: "T"))))
            app.chat = driver.feature
            for step in 0..<60 {
                guard let call = driver.calls.last?.call else { break }
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
                #expect(effects.count == expected.count)
                if entropy.next() % 4 == 0 { driver.advance(by: .milliseconds(80)) }
            }
        }
    }
}
