// The in-process server when it refuses as the public provider does, and the app against it: what the app sends by itself
// is never refused, but for the first typing of a connection; and what a person causes harms nothing else.

@testable import ChatDomain
@testable import ChatEffects
import Testing

@Suite("A server that refuses as the public provider does")
struct StrictServerTests {
    private static func behaviour(admins: [UserID] = []) -> LocalServer.Behaviour {
        var behaviour = LocalServer.Behaviour()
        behaviour.isStrict = true
        behaviour.admins = admins
        if !admins.isEmpty { behaviour.approval = .byAdmin }
        return behaviour
    }

    private static func loop(admins: [UserID] = []) -> AppLoop {
        var loop = AppLoop.connected(behaviour(admins: admins))
        loop.startJournal()
        return loop
    }

    /// The sentences of the errors that arrived since the last call.
    private static func errors(_ loop: inout AppLoop) -> [ExactText] {
        loop.takeJournal().compactMap { entry in
            guard case .received(.arrived(_, .text(let bytes))) = entry.input,
                let frame = try? JSONReader().value(of: bytes), frame["type"] == "error"
            else { return nil }
            return frame["message"]?.string
        }
    }

    // MARK: The server

    @Test("Typing, an empty text and an account of another form are refused, without saying what is meant")
    func refuses() {
        var bench = ServerBench.connected(Self.behaviour(admins: ["kay"]))
        bench.heard = []
        let file = #"{"type":"image","mimeType":"image/png","data":"AQID"}"#
        bench.send(#"{"type":"message","id":"c_1","content":"","attachments":[\#(file)]}"#)
        bench.send(#"{"type":"message","id":"c_2","content":"","attachments":[]}"#)
        bench.send(#"{"type":"typing","active":true}"#)
        for user in ["bob", "user_", "user_00000000-0000-1000-8000-000000000000"] {
            bench.send(#"{"type":"pair_decision","deviceId":"d-2","approve":true,"userId":"\#(user)"}"#)
        }
        let errors = bench.frames("error").map { $0.frame }
        #expect(
            errors.map { $0["message"] } == [
                "Missing content", "Missing content", "Unknown type", "Invalid userId", "Invalid userId",
                "Invalid userId",
            ])
        #expect(errors.allSatisfy { $0["code"] == "invalid_message" && $0["messageId"] == nil })
        #expect(bench.ends.isEmpty)
    }

    @Test("A message that is too long is refused without its name; a text of one letter is taken")
    func takes() {
        var bench = ServerBench.connected(Self.behaviour())
        bench.say("c_1", String(repeating: "x", count: 70_000))
        #expect(bench.errors == ["payload_too_large -"])
        bench.say("c_2", "x")
        #expect(bench.frames("ack").map { $0.frame["id"] } == ["c_2"])
    }

    @Test(
        "A message that a fault refuses, at once or instead of its acknowledgement, is refused without its name",
        arguments: [.receipt, .acknowledgement] as [LocalServer.Step])
    func refusesByRule(_ step: LocalServer.Step) {
        var behaviour = Self.behaviour()
        behaviour.rules = [LocalServer.Rule(step, .refuse(code: "rate_limited", message: "M"))]
        var bench = ServerBench.connected(behaviour)
        bench.say("c_1", "x")
        #expect(bench.errors == ["rate_limited -"])
    }

    // MARK: The app

    @Test("C14: a file without a text is taken")
    func file() {
        var loop = Self.loop()
        let cat = PickedFile(kind: .image, mimeType: "image/png", name: "cat.png", bytes: [1, 2, 3])
        loop.send(.chat(.attachmentPicked(cat)))
        loop.send(.chat(.sent))
        loop.advance(by: .seconds(5))
        #expect(Self.errors(&loop).isEmpty)
        #expect(loop.transcript == ["user: cat.png", "server: You said: cat.png"])
    }

    @Test("C18: typing is refused once on a connection, and the person sees nothing of it")
    func typing() {
        var loop = Self.loop()
        for text in ["H", "Hi", "Hi t", "Hi there"] as [ExactText] {
            loop.send(.chat(.draftEdited(text)))
            loop.advance(by: .seconds(4))
        }
        #expect(Self.errors(&loop) == ["Unknown type"])
        loop.send(.chat(.sent))
        loop.advance(by: .seconds(5))
        #expect(Self.errors(&loop).isEmpty && loop.isConnected)
        #expect(loop.transcript == ["user: Hi there", "server: You said: Hi there"])
        #expect(Chat.banner(loop.state.chat, .neutral) == nil)
    }

    @Test("C11: typing that is refused while a message is in flight does not fail the message")
    func typingInFlight() {
        var behaviour = Self.behaviour()
        behaviour.acknowledgementDelay = .seconds(2)
        var loop = AppLoop.connected(behaviour)
        loop.say("One")
        loop.send(.chat(.draftEdited("T")))
        loop.advance(by: .seconds(10))
        #expect(loop.transcript == ["user: One", "server: You said: One"])
        #expect(Chat.rows(loop.state.chat, newest: 9, .neutral).first?.status == .delivered)
    }

    @Test("P9: a minted account is taken; another one is refused, and its row is there again with the reason")
    func approving() {
        var loop = Self.loop(admins: ["kaywood"])
        for device in ["d-2", "d-3"] as [DeviceID] {
            let request = PairingRequest(
                device: device, claimedName: "Bo", info: DeviceInfo(platform: "Web", model: "Browser"))
            loop.server.visit(request, at: loop.moment)
        }
        loop.advance(by: .seconds(1))
        loop.send(.pairing(.approved("d-2", as: nil)))
        loop.advance(by: .seconds(1))
        #expect(Self.errors(&loop).isEmpty)
        #expect(loop.server.user(of: "d-2")?.text.string.hasPrefix("user_") == true)
        loop.send(.pairing(.approved("d-3", as: "bob")))
        loop.advance(by: .seconds(1))
        #expect(Self.errors(&loop) == ["Invalid userId"] && loop.server.user(of: "d-3") == nil)
        #expect(Pairing.incomingRows(loop.state.pairing).map { $0.request.device } == ["d-3"])
        #expect(Pairing.notice(loop.state.pairing, .neutral)?.string.contains("Invalid userId") == true)
        loop.send(.pairing(.approved("d-3", as: nil)))
        loop.advance(by: .seconds(1))
        #expect(Self.errors(&loop).isEmpty && loop.server.user(of: "d-3") != nil && loop.isConnected)
    }
}
