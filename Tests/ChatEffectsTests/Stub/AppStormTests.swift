import ChatDomain
@testable import ChatEffects
import Testing

/// Anything going wrong at any step, from a seed, while a person chats with files on two devices. Afterwards the
/// server behaves, and the person asks for all that failed.
private struct Storm {
    var entropy: Entropy
    var loop = StoryLoop.connected(rules: [])
    var said: [ExactText] = []

    init(seed: UInt64) {
        entropy = .seeded(seed)
        loop.server.behaviour.dialect = [.cumulative, .deltas, .whole, .chunks][Int(draw(4))]
        loop.server.behaviour.namesClients = draw(2) == 0
        loop.server.behaviour.showsTyping = draw(2) == 0
    }

    mutating func draw(_ count: UInt64) -> UInt64 { entropy.next() % count }

    mutating func step() -> LocalServer.Step {
        switch draw(10) {
        case 0: .handshake
        case 1: .authentication
        case 2: .receipt
        case 3: .acknowledgement
        case 4: .echo
        case 5: .reply
        case 6, 7: .upload(percent: Int64(draw(21)) * 5)
        default: .token(Int64(draw(6)) + 1)
        }
    }

    /// Not among them: a server that loses a file of a message that it has, or does not replay such a message. What
    /// came of a message can then not be known here, or its files not be had again.
    mutating func fault(at step: LocalServer.Step) -> LocalServer.Fault {
        switch draw(11) {
        case 0: .silence
        case 1: .drop
        case 2: .close(code: [1000, 1011, 1012, 1013][Int(draw(4))], reason: "storm")
        case 3: .delay(.milliseconds(Int64(draw(40_000))))
        case 4 where step == .receipt: .refuse(code: "rate_limited", message: "Slow down")
        case 4, 5: .refuse(code: "server_error", message: "Sorry")
        case 6: .status([401, 429, 503][Int(draw(3))], retryAfter: .seconds(Int64(draw(60))))
        case 7: .duplicate
        case 8: .holdBack(.milliseconds(Int64(draw(8_000))))
        case 9: .refuseCursor
        default: draw(3) == 0 ? .replaceSession : draw(3) == 0 ? .revokeToken : .duplicate
        }
    }

    mutating func blow() {
        switch draw(12) {
        case 0, 1, 2: say()
        case 3: loop.server.say("elsewhere", as: "kaywood", on: "tablet", at: loop.moment)
        case 4: loop.server.dropConnections()
        case 5: loop.send(draw(2) == 0 ? .backgrounded : .foregrounded)
        case 6 where draw(4) == 0: loop = loop.relaunched()
        case 7: loop.send(.chat(.reconnectRequested))
        case 8: retryAll()
        default:
            let step = step()
            loop.server.behaviour.rules.append(.init(step, fault(at: step), times: 1))
        }
        loop.advance(by: .milliseconds(Int64(draw(4_000))))
        // Who is signed out comes in again, to the account where it all is.
        if loop.state.account == nil { calm() }
    }

    mutating func say() {
        let text = ExactText("message \(said.count) it is")
        if draw(3) == 0 {
            let file = PickedFile(
                kind: .document, mimeType: "text/plain", name: "f", bytes: [UInt8](repeating: 1, count: 100))
            loop.send(.chat(.attachmentPicked(file)))
        }
        loop.say(text)
        if Chat.composer(loop.state.chat).text.isEmpty, loop.state.account != nil { said.append(text) }
    }

    mutating func retryAll() {
        for row in Chat.rows(loop.state.chat, newest: 1_000, .neutral)
        where row.offer == .retry && row.role == .user {
            loop.send(.chat(.retried(row.id)))
        }
    }

    /// The server behaves, and the person is in.
    mutating func calm() {
        loop.server.behaviour.rules = []
        loop.send(.foregrounded)
        loop.send(.chat(.reconnectRequested))
        loop.advance(by: .minutes(6))
        if loop.state.account == nil {
            loop.send(.pairing(.retried))
            loop.pair()
            loop.advance(by: .minutes(6))
        }
        loop.send(.chat(.reconnectRequested))
        loop.advance(by: .minutes(6))
    }

    /// What the person wrote, as often as it is shown.
    var shown: [String] {
        Chat.rows(loop.state.chat, newest: 1_000, .neutral)
            .filter { $0.role == .user && $0.text.string != "elsewhere" }.map { $0.text.string }.sorted()
    }
}

@Suite("The app in a storm")
struct AppStormTests {
    @Test(
        "L3, L5, L6: a fault at any step loses no text: all stays shown and arrives"
    )
    func nothingLost() {
        for seed in UInt64(1)...5 {
            var storm = Storm(seed: seed)
            for _ in 0..<60 { storm.blow() }
            storm.calm()
            for _ in 0..<5 {
                storm.retryAll()
                storm.loop.advance(by: .minutes(5))
            }
            // A reply that failed is asked for under a new id (C12): then the server has the message twice.
            let kept = storm.loop.server.log(of: "kaywood").map { $0.text.string }
            for text in storm.said.map({ $0.string }) {
                let count = kept.filter { $0 == text }.count
                let shown = storm.shown.filter { $0 == text }.count
                #expect(count > 0 && shown > 0 && shown <= count, "\(text), seed \(seed)")
            }
            #expect(storm.loop.line == nil && !Chat.isTyping(storm.loop.state.chat), "seed \(seed)")
            #expect(storm.loop.marks.allSatisfy { $0 == .delivered }, "seed \(seed)")
        }
    }
}
