import ChatDomain
@testable import ChatEffects
import Testing

/// Random misfortune for the app against the in-process backend, from a seed.
private struct Weather {
    var entropy: Entropy
    var loop = AppLoop.connected()
    var said: [String] = []

    init(seed: UInt64) {
        entropy = .seeded(seed)
        loop.server.behaviour.dialect = [.cumulative, .deltas, .whole, .chunks][Int(draw(4))]
        loop.server.behaviour.namesClients = draw(2) == 0
    }

    mutating func draw(_ count: UInt64) -> UInt64 { entropy.next() % count }

    mutating func step() -> LocalServer.Step {
        switch draw(8) {
        case 0: .handshake
        case 1: .authentication
        case 2: .receipt
        case 3: .acknowledgement
        case 4: .echo
        case 5: .reply
        default: .token(Int64(draw(6)) + 1)
        }
    }

    /// Faults after which everything can still arrive: a reply that is never told is not among them.
    mutating func rule() -> LocalServer.Rule {
        let step = step()
        switch (draw(6), step) {
        case (0, .handshake), (0, .authentication), (0, .receipt), (0, .acknowledgement), (0, .echo):
            return .init(step, .silence, times: 1)
        case (1, _): return .init(step, .delay(.milliseconds(Int64(draw(8_000)))), times: 1)
        case (2, _): return .init(step, .close(code: 1012, reason: ""), times: 1)
        case (3, _): return .init(step, .duplicate, times: 1)
        case (4, .handshake):
            return .init(step, .status(429, retryAfter: .seconds(Int64(draw(40)))), times: 1)
        case (4, .authentication): return .init(step, .refuseCursor, times: 1)
        case (4, _): return .init(step, .holdBack(.milliseconds(Int64(draw(4_000)))), times: 1)
        default: return .init(step, .drop, times: 1)
        }
    }

    mutating func blow() {
        switch draw(6) {
        case 0, 1:
            said.append("message \(said.count) it is")
            loop.say(ExactText(said[said.count - 1]))
        case 2: loop.server.behaviour.rules.append(rule())
        case 3 where draw(3) == 0: loop.server.dropConnections()
        default: break
        }
        loop.advance(by: .milliseconds(Int64(draw(4_000))))
    }
}

@Suite("The app in bad weather")
struct AppWeatherTests {
    @Test("L5, L6: after any fault each message is on the server once, and shown once with its reply")
    func onceEach() {
        for seed in UInt64(1)...12 {
            var weather = Weather(seed: seed)
            for _ in 0..<60 { weather.blow() }
            weather.loop.server.behaviour.rules = []
            weather.loop.advance(by: .minutes(30))
            weather.loop.send(.chat(.reconnectRequested))
            weather.loop.advance(by: .minutes(10))
            let expected = weather.said.flatMap { ["server: You said: " + $0, "user: " + $0] }.sorted()
            #expect(weather.loop.transcript.sorted() == expected, "seed \(seed)")
            let log = weather.loop.server.log(of: "kaywood").map(\.text.string).sorted()
            #expect(log == weather.said.flatMap { [$0, "You said: " + $0] }.sorted(), "seed \(seed)")
        }
    }
}
