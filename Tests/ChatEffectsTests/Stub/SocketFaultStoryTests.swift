@testable import ChatDomain
@testable import ChatEffects
import Testing

/// What a person sees of a server that misbehaves on its socket.
@Suite("A socket that misbehaves, as it is seen")
struct SocketFaultStoryTests {
    private let conversation = ["me: Hi you", "server: You said: Hi you"]

    private func talked(rules: [LocalServer.Rule] = []) -> StoryLoop {
        var loop = StoryLoop.connected(rules: rules)
        loop.say("Hi you")
        loop.advance(by: .seconds(10))
        return loop
    }

    private func dropped(rules: [LocalServer.Rule]) -> StoryLoop {
        var loop = talked()
        loop.server.behaviour.rules = rules
        loop.server.dropConnections()
        return loop
    }

    // MARK: Coming back

    @Test("C5: a cursor that is refused is retried once without, and nothing is doubled or lost")
    func cursorRefused() {
        var loop = dropped(rules: [.init(.authentication, .refuseCursor, times: 1)])
        loop.server.say("Meanwhile", as: "kaywood", on: "tablet", at: loop.moment)
        loop.advance(by: .seconds(10))
        #expect(loop.chat == conversation + ["me: Meanwhile", "server: You said: Meanwhile"])
        #expect(loop.line == nil && loop.server.behaviour.rules.allSatisfy { $0.times == 0 })
    }

    @Test("C5: a replay that does not bring everything says so, until that is dismissed")
    func truncated() {
        var loop = dropped(rules: [
            .init(.authentication, .truncateReplay(to: 1), times: 1), .init(.reply, .silence),
        ])
        for text in ["One", "Two", "Three"] as [ExactText] {
            loop.server.say(text, as: "kaywood", on: "tablet", at: loop.moment)
        }
        loop.advance(by: .seconds(5))
        #expect(loop.banner == Wording.neutral.replayTruncated)
        #expect(loop.chat == conversation + ["me: Three"])
        loop.send(.chat(.bannerDismissed))
        #expect(loop.banner == nil)
    }

    @Test("C5, L5: a server that lost its history takes it from the screen, but nothing unsent and no draft")
    func historyLost() {
        var loop = talked()
        loop.server.goOffline()
        loop.advance(by: .seconds(1))
        loop.say("Not sent yet")
        loop.send(.chat(.draftEdited("Half a thou")))
        loop.server.loseHistory(of: "kaywood")
        loop.server.goOnline()
        loop.send(.networkChanged(isUp: true))
        loop.advance(by: .seconds(40))
        #expect(loop.chat == ["me: Not sent yet", "server: You said: Not sent yet"])
        #expect(Chat.composer(loop.state.chat).text == "Half a thou")
        loop.server.dropConnections()
        loop.advance(by: .seconds(10))
        #expect(loop.chat == ["me: Not sent yet", "server: You said: Not sent yet"])
    }

    @Test("C3: a session that was replaced says so and stays away, until the person wants it back")
    func replaced() {
        var loop = talked()
        loop.server.replaceSession(of: loop.state.account?.device ?? "", at: loop.moment)
        loop.advance(by: .hours(1))
        #expect(loop.line == Wording.neutral.sessionReplaced && loop.machine.openCalls.isEmpty)
        loop.send(.chat(.reconnectRequested))
        loop.advance(by: .seconds(1))
        #expect(loop.line == nil && loop.chat == conversation)
    }

    @Test("C3: a session that is replaced in the middle of a reply keeps what was shown of it")
    func replacedInReply() {
        var loop = StoryLoop.connected(rules: [.init(.token(3), .replaceSession, times: 1)])
        loop.say("Hi you")
        loop.advance(by: .seconds(10))
        #expect(loop.line == Wording.neutral.sessionReplaced)
        #expect(loop.chat == ["me: Hi you", "server: You said: (\(Wording.neutral.lostAfterText.string))"])
    }

    @Test("P10: a token that is revoked leads back to pairing, which brings everything back")
    func revoked() {
        for rules in [[], [LocalServer.Rule(.acknowledgement, .revokeToken, times: 1)]] {
            var loop = talked()
            loop.server.behaviour.rules = rules
            if rules.isEmpty {
                loop.server.revokeToken(of: loop.state.account?.device ?? "", at: loop.moment)
            } else {
                loop.say("More")
            }
            loop.advance(by: .seconds(1))
            #expect(loop.state.account == nil && loop.chat.isEmpty && loop.machine.openCalls.isEmpty)
            #expect(Pairing.notice(loop.state.pairing, .neutral) == Wording.neutral.signInAgain)
            loop.pair()
            loop.advance(by: .seconds(10))
            let more = rules.isEmpty ? [] : ["me: More", "server: You said: More"]
            #expect(loop.chat == conversation + more && loop.line == nil)
        }
    }

    @Test("P10: a token that was revoked while away is refused at the next connection")
    func revokedMeanwhile() {
        var loop = talked()
        loop.server.goOffline()
        loop.advance(by: .seconds(1))
        loop.server.revokeToken(of: loop.state.account?.device ?? "", at: loop.moment)
        loop.server.goOnline()
        loop.send(.networkChanged(isUp: true))
        loop.advance(by: .seconds(1))
        #expect(loop.state.account == nil && loop.state.pairing.phase == .idle)
    }

    // MARK: Being told to wait

    @Test("C3: a handshake that is refused with a wait is tried again after it, and no sooner")
    func waits() {
        var loop = dropped(rules: [.init(.handshake, .status(429, retryAfter: .seconds(20)), times: 1)])
        loop.advance(by: .seconds(2))
        #expect(loop.line == Wording.neutral.reconnecting)
        loop.send(.networkChanged(isUp: true))
        loop.advance(by: .seconds(18))
        #expect(loop.line != nil)
        loop.advance(by: .seconds(3))
        #expect(loop.line == nil && loop.chat == conversation)
    }

    @Test("C3: a wait of more than 30 s is shown, and not tried before its end")
    func waitsLong() {
        var loop = dropped(rules: [.init(.handshake, .status(503, retryAfter: .seconds(120)), times: 1)])
        loop.advance(by: .seconds(2))
        #expect(loop.line == Wording.neutral.serverAskedToWait)
        loop.send(.chat(.reconnectRequested))
        loop.advance(by: .seconds(60))
        #expect(loop.line == Wording.neutral.serverAskedToWait)
        loop.advance(by: .seconds(60))
        loop.send(.chat(.reconnectRequested))
        loop.advance(by: .seconds(1))
        #expect(loop.line == nil)
    }

    @Test("C3, L6: a server that restarts or is too busy is tried again, and what was sent is there once")
    func restarts() {
        for code in [Int64(1012), 1013] {
            for step in [LocalServer.Step.receipt, .acknowledgement, .token(2)] {
                var loop = talked(rules: [.init(step, .close(code: code, reason: "restart"), times: 1)])
                #expect(loop.chat == conversation && loop.line == nil)
                #expect(loop.server.log(of: "kaywood").count == 2)
                loop.advance(by: .seconds(1))
            }
        }
    }

    // MARK: Twice, out of order, late, or never

    @Test(
        "L6, L9: a repeated event is shown once, at every step and in every dialect",
        arguments: [LocalServer.Dialect.cumulative, .deltas, .chunks, .whole])
    func twice(_ dialect: LocalServer.Dialect) {
        let steps: [LocalServer.Step] = [
            .authentication, .receipt, .acknowledgement, .echo, .reply, .token(1), .token(2), .token(4),
        ]
        for step in steps {
            var behaviour = LocalServer.Behaviour(rules: [.init(step, .duplicate)])
            behaviour.dialect = dialect
            var loop = StoryLoop.connected(behaviour)
            loop.say("Hi you")
            loop.advance(by: .seconds(10))
            loop.server.dropConnections()
            loop.advance(by: .seconds(10))
            #expect(loop.chat == conversation && loop.marks == [.delivered])
        }
    }

    @Test("C2: authentications that come too often are refused for now, and come about later")
    func limited() {
        var loop = dropped(rules: [
            .init(.authentication, .refuse(code: "rate_limited", message: "Slow down"), times: 2)
        ])
        loop.advance(by: .seconds(30))
        #expect(loop.chat == conversation && loop.line == nil && loop.state.account != nil)
        #expect(loop.server.behaviour.rules.allSatisfy { $0.times == 0 })
    }

    @Test(
        "C10, C17, L9: a reply overtaken by a later event leads to the same transcript",
        arguments: [LocalServer.Dialect.cumulative, .deltas, .chunks, .whole])
    func overtaken(_ dialect: LocalServer.Dialect) {
        let steps: [LocalServer.Step] = [
            .acknowledgement, .echo, .token(1), .token(2), .token(3), .token(4),
        ]
        for step in steps {
            for delay in [Interval.milliseconds(70), .milliseconds(120), .seconds(4)] {
                var behaviour = LocalServer.Behaviour(rules: [.init(step, .holdBack(delay))])
                behaviour.dialect = dialect
                var loop = StoryLoop.connected(behaviour)
                loop.say("Hi you")
                loop.advance(by: .seconds(20))
                #expect(loop.chat == conversation && loop.marks == [.delivered])
            }
        }
    }

    @Test("C9, C10: a message whose acknowledgement is late is slow for as long, and goes on a wire once")
    func late() {
        var loop = StoryLoop.connected(rules: [
            .init(.acknowledgement, .delay(.seconds(12))), .init(.echo, .delay(.seconds(12))),
            .init(.reply, .delay(.seconds(12))),
        ])
        loop.say("Hi you")
        loop.advance(by: .seconds(4))
        #expect(loop.marks == [.sending])
        loop.advance(by: .seconds(4))
        #expect(loop.marks == [.slow])
        loop.advance(by: .seconds(4))
        #expect(loop.marks == [.delivered])
        loop.advance(by: .seconds(4))
        #expect(loop.chat == conversation)
    }

    @Test("C9: a server that does not say a word about a message loses the connection, and has it once")
    func silent() {
        var loop = StoryLoop.connected(rules: [
            .init(.acknowledgement, .silence, times: 1), .init(.echo, .silence, times: 1),
            .init(.reply, .delay(.seconds(60)), times: 1),
        ])
        loop.say("Hi you")
        loop.advance(by: .seconds(34))
        #expect(loop.marks == [.slow])
        loop.advance(by: .seconds(2))
        #expect(loop.line == Wording.neutral.reconnecting && loop.marks == [.queued])
        loop.advance(by: .seconds(60))
        #expect(loop.chat == conversation && loop.server.log(of: "kaywood").count == 2)
    }

    @Test("C12, S7: a reply that stops is interrupted with what there is; one that never begins says so")
    func stops() {
        var loop = StoryLoop.connected(rules: [.init(.token(3), .silence, times: 1)])
        loop.say("Hi you")
        loop.advance(by: .seconds(40))
        #expect(loop.chat == ["me: Hi you", "server: You said: (\(Wording.neutral.lostAfterText.string))"])
        loop = .connected(rules: [.init(.reply, .silence, times: 1)])
        loop.say("Hi you")
        loop.advance(by: .seconds(121))
        #expect(loop.chat == ["me: Hi you (\(Wording.neutral.noReply.string))"])
    }

    @Test(
        "S5, S6: an error in the stream keeps the partial and shows the server's words; a retry is answered")
    func errorInStream() throws {
        var loop = StoryLoop.connected(rules: [
            .init(.token(3), .refuse(code: "server_error", message: "Out of thoughts"), times: 1)
        ])
        loop.say("Hi you")
        loop.advance(by: .seconds(5))
        #expect(loop.chat == ["me: Hi you", "server: You said: (Out of thoughts)"])
        let reply = try #require(Chat.rows(loop.state.chat, newest: 1, .neutral).first)
        #expect(reply.offer == .retry)
        loop.send(.chat(.retried(reply.id)))
        loop.advance(by: .seconds(5))
        #expect(loop.chat.filter { $0.hasPrefix("me") } == ["me: Hi you"])
        #expect(loop.chat.contains("server: You said: Hi you"))
    }

    @Test(
        "C11: a message that is taken later keeps its place; one that is refused says why, and the next goes")
    func refusals() {
        var loop = StoryLoop.connected(rules: [
            .init(.receipt, .refuse(code: "rate_limited", message: "Slow down"), times: 2),
            .init(.receipt, .refuse(code: "payload_too_large", message: "Too large"), times: 1),
        ])
        loop.say("One")
        loop.say("Two")
        loop.advance(by: .seconds(10))
        #expect(
            loop.chat == [
                "me: One (\(Wording.neutral.sendFailed("Too large").string))", "me: Two",
                "server: You said: Two",
            ])
    }

    @Test("C18: that somebody types is shown from the acknowledgement until the reply begins")
    func types() {
        var behaviour = LocalServer.Behaviour()
        behaviour.showsTyping = true
        var loop = StoryLoop.connected(behaviour)
        #expect(!loop.state.chat.conversation.typing.isIncoming)
        loop.server.say("Hi", as: "kaywood", on: "tablet", at: loop.moment)
        loop.advance(by: .milliseconds(1_499))
        #expect(Chat.isTyping(loop.state.chat))
        loop.advance(by: .seconds(1))
        #expect(!Chat.isTyping(loop.state.chat) && loop.chat == ["me: Hi", "server: You said: Hi"])
    }

    @Test(
        "P10, C3: a handshake that something in between refuses signs nobody out",
        arguments: [401, 403] as [Int64])
    func proxy(status: Int64) {
        var loop = StoryLoop.connected()
        loop.server.dropConnections()
        loop.server.behaviour.rules = [.init(.handshake, .status(status), times: 1)]
        loop.advance(by: .minutes(1))
        #expect(loop.isPaired && loop.isConnected)
        #expect(loop.server.behaviour.rules.allSatisfy { $0.times == 0 })
    }
}
