// What the public provider does differently, on its bytes: the whole app with the backend that ships, and a test in the
// provider's place. Each test asks what the person sees and what the app sends.

@testable import ChatDomain
@testable import ChatEffects
import Testing

@Suite("Clawline: the provider that runs")
struct ClawlineProviderTests {
    // MARK: Messages

    @Test("C14: a file without a text goes under its name, is shown once, and the next message follows")
    func fileAlone() throws {
        var loop = ProviderLoop.connected()
        let cat = PickedFile(kind: .image, mimeType: "image/png", name: "cat.png", bytes: [1, 2, 3])
        loop.send(.chat(.attachmentPicked(cat)))
        loop.write("")
        let sent = try #require(loop.server.frames("message").last)
        #expect(sent.json["content"] == "cat.png")
        #expect(
            sent.json["attachments"]
                == .array([["type": "image", "mimeType": "image/png", "data": "AQID"]]))
        loop.take(as: "s_1")
        loop.write("There")
        #expect(loop.server.frames("message").map { $0.json["content"] } == ["cat.png", "There"])
        loop.take(as: "s_2")
        #expect(loop.rows == ["me: cat.png", "me: There"])
        #expect(loop.marks == [.delivered, .delivered] && loop.banner == nil)
    }

    @Test("C14: an uploaded file without a text goes under its name too")
    func documentAlone() throws {
        var loop = ProviderLoop.connected()
        let paper = PickedFile(
            kind: .document, mimeType: "text/plain", name: "paper.txt", bytes: [1, 2, 3])
        loop.send(.chat(.attachmentPicked(paper)))
        loop.write("")
        #expect(loop.server.frames("message").isEmpty)
        loop.server.answer(200, #"{"assetId":"a_1","mimeType":"text/plain","size":3}"#)
        loop.advance(by: .zero)
        let sent = try #require(loop.server.frames("message").last)
        #expect(sent.json["content"] == "paper.txt")
        #expect(sent.json["attachments"] == .array([["type": "asset", "assetId": "a_1"]]))
        loop.take(as: "s_1")
        #expect(loop.rows == ["me: paper.txt"] && loop.marks == [.delivered])
    }

    @Test("C9: a late acknowledgement is no lost connection while the answer before it is awaited")
    func oneAtATime() {
        var loop = ProviderLoop.connected(replyLimit: .seconds(300))
        loop.write("One")
        loop.take(as: "s_1")
        loop.write("Two")
        loop.advance(by: .seconds(295))
        #expect(loop.server.connections == 2 && loop.line == nil)
        #expect(loop.server.frames("message").map { $0.json["content"] } == ["One", "Two"])
        loop.hear(ProviderLoop.message("s_2", "First", at: 295_000))
        loop.take(as: "s_3")
        loop.hear(ProviderLoop.message("s_4", "Second", at: 296_000))
        #expect(loop.rows == ["me: One", "me: Two", "server: First", "server: Second"])
        #expect(loop.marks == [.delivered, .delivered] && loop.banner == nil)
    }

    @Test("C9: after the time for an answer the message goes again, as the same one, and nothing is lost")
    func slowerThanTheLimit() {
        var loop = ProviderLoop.connected()
        loop.write("One")
        loop.take(as: "s_1")
        loop.write("Two")
        while loop.moment.now < .origin + .seconds(295) {
            loop.advance(by: .seconds(1))
            if loop.server.frames.last?.json["type"] == "auth" { loop.accept() }
        }
        let sent = loop.server.frames("message").dropFirst().map { $0.json["id"] }
        #expect((2...5).contains(sent.count) && Set(sent).count == 1)
        loop.hear(ProviderLoop.message("s_2", "First", at: 295_000))
        loop.take(as: "s_3")
        loop.hear(ProviderLoop.message("s_4", "Second", at: 296_000))
        #expect(loop.rows == ["me: One", "me: Two", "server: First", "server: Second"])
        #expect(loop.marks == [.delivered, .delivered] && loop.banner == nil)
    }

    // MARK: Connections

    @Test("C1: a provider that never pings is no lost connection, however long nothing comes")
    func noPings() {
        var loop = ProviderLoop.connected()
        loop.advance(by: .hours(24))
        #expect(loop.server.connections == 2 && loop.server.isOpen && loop.line == nil)
        loop.write("Hi")
        loop.take(as: "s_1")
        #expect(loop.rows == ["me: Hi"] && loop.marks == [.delivered])
    }

    @Test(
        "C2, C9: a close without a code is a lost connection; the next has the cursor and the message once more"
    )
    func closedWithoutCode() {
        var loop = ProviderLoop.connected()
        loop.hear(ProviderLoop.message("s_1", "Hello"))
        loop.write("Hi")
        loop.server.close()
        loop.advance(by: .zero)
        #expect(loop.line != nil && loop.marks == [.queued])
        loop.advance(by: .seconds(3))
        #expect(loop.server.frames("auth").last?.json["lastMessageId"] == "s_1")
        loop.accept()
        let sent = loop.server.frames("message")
        #expect(sent.map { $0.connection } == [2, 3] && sent[0].text == sent[1].text)
        loop.take(as: "s_2")
        #expect(loop.rows == ["server: Hello", "me: Hi"] && loop.line == nil)
    }

    @Test("C3: “rate_limited” in the answer to a token, and 1008, is a wait and no sign-out")
    func limited() {
        var loop = ProviderLoop.authenticating()
        for round in 0..<3 {
            let opened = loop.server.connections
            loop.hear(#"{"type":"auth_result","success":false,"reason":"rate_limited"}"#)
            loop.server.close(1008)
            loop.advance(by: .zero)
            #expect(loop.line != nil && loop.server.connections == opened, "\(round)")
            for _ in 0..<60 where loop.server.connections == opened { loop.advance(by: .seconds(1)) }
            #expect(loop.server.connections == opened + 1, "\(round)")
        }
        loop.accept()
        #expect(loop.line == nil)
        guard case .paired = loop.state.pairing.phase else {
            Issue.record("the person is signed out")
            return
        }
    }

    @Test("C2, C3: 1008 alone is a lost connection; after a withdrawn token it ends the session")
    func policyClose() {
        var loop = ProviderLoop.connected()
        loop.server.close(1008)
        loop.advance(by: .seconds(3))
        #expect(loop.server.connections == 3)
        loop.accept()
        #expect(loop.line == nil)
        loop.hear(#"{"type":"error","code":"token_revoked","message":"Revoked"}"#)
        loop.server.close(1008)
        loop.advance(by: .minutes(10))
        #expect(loop.server.connections == 3)
        if case .paired = loop.state.pairing.phase { Issue.record("the person is still signed in") }
    }

    // MARK: Replays

    @Test("C5: a tail that is cut at 500 without a word is the history; what was known before it stays")
    func cutTail() {
        func tail(_ numbers: Range<Int>) -> [String] {
            numbers.map { ProviderLoop.message("s_\($0)", "\($0)", at: Int64($0)) }
        }
        var loop = ProviderLoop.authenticating()
        loop.accept(replaying: 500)
        for frame in tail(100..<600) { loop.server.say(frame) }
        loop.advance(by: .zero)
        #expect(loop.line == nil && loop.banner == nil)
        #expect(loop.rows == (100..<600).map { "server: \($0)" })

        // Its store is lost, so it does not know the cursor, and has 500 others.
        loop.server.close()
        loop.advance(by: .seconds(3))
        loop.hear(#"{"type":"error","code":"invalid_message","message":"Unknown lastMessageId"}"#)
        loop.server.close()
        loop.advance(by: .seconds(10))
        #expect(loop.server.frames("auth").last?.json["lastMessageId"] == nil)
        loop.accept(replaying: 500)
        for frame in tail(700..<1_200) { loop.server.say(frame) }
        loop.advance(by: .zero)
        #expect(loop.line == nil)
        let known = Array(100..<600) + Array(700..<1_200)
        #expect(loop.rows == known.map { "server: \($0)" })
    }

    @Test("C5: a live message between replayed ones is shown once, and the last of the replay is not lost")
    func liveBetween() {
        for isGrowing in [false, true] {
            var loop = ProviderLoop.authenticating()
            loop.write("Waiting")
            loop.accept(replaying: 3)
            loop.hear(ProviderLoop.message("s_1", "a", at: 1), ProviderLoop.message("s_2", "b", at: 2))
            #expect(loop.server.frames("message").isEmpty)
            loop.hear(ProviderLoop.message("s_9", "live", at: 9, isGrowing: isGrowing))
            loop.hear(ProviderLoop.message("s_3", "c", at: 3), ProviderLoop.message("s_9", "live", at: 9))
            #expect(loop.line == nil && loop.server.frames("message").count == 1)
            loop.take(as: "s_10")
            #expect(
                Set(loop.rows) == ["server: a", "server: b", "server: c", "server: live", "me: Waiting"]
                    && loop.rows.count == 5, "\(loop.rows)")
        }
    }

    @Test("C5: when the connection breaks after a live reply has grown, the rest of a replay still comes")
    func liveBeforeLoss() {
        let history = [("s_1", "a"), ("s_2", "b"), ("s_3", "c"), ("s_9", "live")]
        for isFinished in [false, true] {
            var loop = ProviderLoop.authenticating()
            loop.accept(replaying: 3)
            loop.hear(
                ProviderLoop.message("s_1", "a", at: 1),
                ProviderLoop.message("s_9", "live", at: 9, isGrowing: true))
            if isFinished { loop.hear(ProviderLoop.message("s_9", "live", at: 9)) }
            loop.server.close()
            loop.advance(by: .seconds(3))
            let cursor = loop.server.frames("auth").last?.json["lastMessageId"]?.string?.string
            let next = history.firstIndex { $0.0 == cursor }.map { $0 + 1 } ?? 0
            loop.accept(replaying: history.count - next)
            for (id, text) in history.dropFirst(next) { loop.hear(ProviderLoop.message(id, text, at: 1)) }
            #expect(
                Set(loop.rows) == ["server: a", "server: b", "server: c", "server: live"], "\(isFinished)")
        }
    }
}
