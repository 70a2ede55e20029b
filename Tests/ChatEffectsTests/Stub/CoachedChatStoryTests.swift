@testable import ChatDomain
@testable import ChatEffects
import Testing

/// The whole app, carried by streams: chat, streaming, the coach's codec and the server within the process.
@Suite("Chat with a coach, from the composer to the reply")
struct CoachedChatStoryTests {
    private static let reply = "You said: Hello there"

    @Test("S1–S3, S17: a question shows typing, then a growing reply, then all of it")
    func answered() {
        var loop = StoryLoop.coached()
        #expect(Chat.connectionLine(loop.state.chat, .coach) == nil && loop.openStreams == 0)
        loop.say("Hello there")
        #expect(loop.bubbles == ["user: Hello there"] && Chat.isTyping(loop.state.chat))
        #expect(Chat.announcement(loop.state.chat, .coach)?.string == "Coach is typing")
        loop.advance(by: .milliseconds(1_624))
        #expect(loop.bubbles == ["user: Hello there"] && Chat.isTyping(loop.state.chat))
        loop.advance(by: .milliseconds(1))
        #expect(loop.bubbles == ["user: Hello there", "coach: You said:…"])
        #expect(!Chat.isTyping(loop.state.chat) && Chat.announcement(loop.state.chat, .coach) == nil)
        loop.advance(by: .seconds(1))
        #expect(loop.bubbles == ["user: Hello there", "coach: " + Self.reply])
        #expect(Chat.announcement(loop.state.chat, .coach)?.string == Self.reply)
        #expect(Chat.usage(loop.state.chat) == Usage(prompt: 2, completion: 4, total: 6))
        #expect(Chat.measures(loop.state.chat)?.timeToFirstToken == .milliseconds(1_550))
        #expect(loop.openStreams == 0 && loop.state.chat.conversation.outbox.queue.isEmpty)
    }

    @Test("C15: questions sent while a reply runs go one after another, and every one is answered")
    func queued() {
        var loop = StoryLoop.coached()
        for text in ["One", "Two", "Three"] as [ExactText] { loop.say(text) }
        #expect(loop.openStreams == 1 && loop.rows.map { $0.status } == [.sending, .queued, .queued])
        loop.advance(by: .milliseconds(1_650))
        #expect(loop.bubbles == ["user: One", "coach: You said:…", "user: Two", "user: Three"])
        loop.stop()
        #expect(loop.bubbles[1] == "coach: You said: One" && loop.openStreams == 1)
        loop.advance(by: .seconds(10))
        #expect(
            loop.bubbles == [
                "user: One", "coach: You said: One", "user: Two", "coach: You said: Two", "user: Three",
                "coach: You said: Three",
            ])
    }

    @Test(
        "S4–S6, S12: after any fault the text of a reply stays with a note, and a retry completes it in place"
    )
    func brokenAndRetried() {
        let lost = Wording.coach.lostAfterText
        let endings: [(LocalServer.Fault, ExactText)] = [
            (.close(code: 1000, reason: ""), lost), (.drop, lost),
            (.refuse(code: "", message: "I need a pause."), "I need a pause."), (.silence, lost),
        ]
        for (fault, note) in endings {
            var loop = StoryLoop.coached(rules: [
                .init(.coach(3), fault, times: 1), .init(.coach(1), .noise, times: 1),
            ])
            loop.say("Hello there")
            loop.advance(by: .seconds(40))
            #expect(loop.bubbles == ["user: Hello there", "coach: You said:"] && loop.notes == [nil, note])
            #expect(loop.rows[1].offer == .retry && loop.openStreams == 0)
            loop.retry(1)
            #expect(loop.bubbles == ["user: Hello there", "coach: You said:…"])
            loop.advance(by: .seconds(3))
            #expect(
                loop.bubbles == ["user: Hello there", "coach: " + Self.reply] && loop.notes == [nil, nil])
        }
    }

    @Test("S4, S7, S8, S9: before any text the question says what went wrong, and a retry asks it again")
    func failedAndRetried() {
        let endings: [(LocalServer.Rule, ExactText)] = [
            (.init(.coach(0), .drop, times: 2), Wording.coach.lostBeforeText),
            (.init(.coach(1), .silence, times: 1), Wording.coach.noReply),
            (.init(.coach(1), .close(code: 1000, reason: ""), times: 1), Wording.coach.lostBeforeText),
            (
                .init(.coach(0), .refuse(code: "unavailable", message: ""), times: 1),
                Wording.coach.replyFailed
            ),
            (
                .init(.coach(0), .refuse(code: "unauthorized", message: ""), times: 1),
                Wording.coach.signInAgain
            ),
        ]
        for (rule, note) in endings {
            var loop = StoryLoop.coached(rules: [rule])
            loop.say("Hello there")
            loop.advance(by: .seconds(40))
            #expect(loop.bubbles == ["user: Hello there"] && loop.notes == [note] && loop.openStreams == 0)
            loop.retry(0)
            loop.advance(by: .seconds(3))
            #expect(
                loop.bubbles == ["user: Hello there", "coach: " + Self.reply] && loop.notes == [nil, nil])
        }
    }

    @Test("S8: a connection lost once before the first text is not seen at all")
    func lostOnce() {
        var loop = StoryLoop.coached(rules: [.init(.coach(0), .drop, times: 1)])
        loop.say("Hello there")
        loop.advance(by: .seconds(5))
        #expect(loop.bubbles == ["user: Hello there", "coach: " + Self.reply] && loop.notes == [nil, nil])
    }

    @Test("S9: 401 refreshes once and asks again, for every conversation; 429 shows and keeps its wait")
    func credentials() {
        var loop = StoryLoop.coached(
            rules: [.init(.coach(0), .refuse(code: "unauthorized", message: ""), times: 1)],
            Streaming.Configuration(canRefresh: true))
        loop.say("Hello there")
        loop.advance(by: .seconds(5))
        #expect(loop.bubbles == ["user: Hello there", "coach: " + Self.reply])
        let expires = loop.state.chat.account?.expires
        #expect(expires != nil && loop.state.smartReplies.reply.access?.expires == expires)

        loop = .coached(rules: [.init(.coach(0), .refuse(code: "rate_limited", message: ""), times: 1)])
        loop.say("Hello there")
        loop.say("And this")
        loop.advance(by: .minutes(59))
        #expect(loop.notes == [Wording.coach.serverAskedToWait, nil] && loop.rows[0].waitUntil != nil)
        #expect(loop.bubbles.count == 2 && loop.openStreams == 0)
        loop.advance(by: .minutes(2))
        #expect(loop.bubbles == ["user: Hello there", "user: And this", "coach: You said: And this"])
    }

    @Test("S10, L7: stop is silent and at once at every moment, and the next question is untouched")
    func stopped() {
        for milliseconds in stride(from: Int64(0), through: 1_750, by: 125) {
            var loop = StoryLoop.coached()
            loop.say("Hello there")
            loop.advance(by: .milliseconds(milliseconds))
            loop.stop()
            #expect(loop.openStreams == 0 && !Chat.isTyping(loop.state.chat))
            #expect(loop.notes.allSatisfy { $0 == nil })
            loop.say("Again")
            loop.advance(by: .seconds(3))
            #expect(loop.bubbles.suffix(2) == ["user: Again", "coach: You said: Again"])
        }
    }

    @Test("S11: leaving and the background end the reply; back again it can be asked for once more")
    func left() {
        for (away, back) in [
            (ChatApp.Action.chat(.left), ChatApp.Action.chat(.shown)), (.backgrounded, .foregrounded),
        ] {
            var loop = StoryLoop.coached()
            loop.say("Hello there")
            loop.advance(by: .milliseconds(1_650))
            loop.send(away)
            #expect(loop.bubbles == ["user: Hello there", "coach: You said: Hello"] && loop.openStreams == 0)
            loop.advance(by: .seconds(5))
            loop.send(back)
            #expect(loop.openStreams == 0 && loop.notes == [nil, nil])
            loop.retry(1)
            loop.advance(by: .seconds(3))
            #expect(loop.bubbles == ["user: Hello there", "coach: " + Self.reply])
        }
    }

    @Test(
        "S13: where there is a whole form, a stream that fails is asked for in it, and nobody sees more of it"
    )
    func fallsBack() {
        for step in [0, 3] as [Int64] {
            var loop = StoryLoop.coached(
                rules: [.init(.coach(step), .refuse(code: "unavailable", message: "Oh."))],
                Streaming.Configuration(hasFallback: true))
            loop.say("Hello there")
            loop.advance(by: .seconds(10))
            #expect(
                loop.bubbles == ["user: Hello there", "coach: " + Self.reply] && loop.notes == [nil, nil])
        }
    }

    @Test(
        "C19: the first question of a conversation makes its row, once; a server without it answers nothing")
    func rows() {
        var loop = StoryLoop.coached(coach: CoachStreamCodec(row: CoachStreamCodec.Row()))
        loop.server.behaviour.keepsRows = true
        for text in ["First", "Second"] as [ExactText] {
            loop.say(text)
            loop.advance(by: .seconds(5))
        }
        #expect(loop.bubbles.suffix(1) == ["coach: You said: Second"] && loop.server.rows.count == 1)
        loop.send(.chat(.conversationCreated(title: "B")))
        loop.say("Other")
        loop.advance(by: .seconds(5))
        loop.send(.chat(.conversationSwitched(to: .main)))
        loop.say("Back")
        loop.advance(by: .seconds(5))
        #expect(loop.bubbles.suffix(1) == ["coach: You said: Back"] && loop.server.rows.count == 2)
        loop.server.rows = []
        loop.say("Third")
        loop.advance(by: .seconds(5))
        #expect(loop.notes.last == "There is no such conversation" && loop.server.rows.isEmpty)
    }

    @Test("S11, C19: replies run side by side in their own conversations, also when nobody looks")
    func conversations() {
        var loop = StoryLoop.coached()
        loop.say("First")
        loop.send(.chat(.conversationCreated(title: "B")))
        loop.say("Second")
        #expect(loop.openStreams == 2)
        loop.advance(by: .seconds(5))
        #expect(loop.bubbles == ["user: Second", "coach: You said: Second"])
        loop.send(.chat(.conversationSwitched(to: .main)))
        #expect(loop.bubbles == ["user: First", "coach: You said: First"])
    }

    @Test("C2: a question without a network waits for one")
    func offline() {
        var loop = StoryLoop.coached()
        loop.send(.networkChanged(isUp: false))
        loop.server.goOffline()
        loop.say("Hello there")
        loop.advance(by: .minutes(1))
        #expect(Chat.connectionLine(loop.state.chat, .coach) == Wording.coach.offline && loop.notes == [nil])
        loop.server.goOnline()
        loop.send(.networkChanged(isUp: true))
        loop.advance(by: .seconds(3))
        #expect(loop.bubbles == ["user: Hello there", "coach: " + Self.reply])
    }

    @Test("L5, L6: the process may end at any moment; the message is there once, answered or with a retry")
    func relaunch() {
        for milliseconds in stride(from: Int64(0), through: 2_000, by: 125) {
            var loop = StoryLoop.coached()
            loop.say("Hello there")
            loop.say("And this")
            loop.advance(by: .milliseconds(milliseconds))
            loop = loop.relaunched()
            loop.advance(by: .seconds(10))
            #expect(loop.bubbles.filter { $0 == "user: Hello there" }.count == 1)
            #expect(loop.bubbles.suffix(2).last == "coach: You said: And this" || loop.openStreams == 0)
            for (index, row) in loop.rows.enumerated() where row.offer == .retry {
                loop.retry(index)
                loop.advance(by: .seconds(5))
            }
            let expected = [
                "user: Hello there", "coach: " + Self.reply, "user: And this", "coach: You said: And this",
            ]
            #expect(loop.bubbles.sorted() == expected.sorted(), "\(milliseconds) ms")
        }
    }

    @Test("P10: sign-out ends the reply and shows nothing; the next sign-in finds all of it")
    func signOut() {
        var loop = StoryLoop.coached()
        loop.say("Hello there")
        loop.say("And this")
        loop.advance(by: .milliseconds(1_650))
        loop.send(.pairing(.signedOut))
        #expect(loop.bubbles.isEmpty && loop.openStreams == 0)
        loop.send(.pairing(.nameEdited("Ada")))
        loop.send(.pairing(.submitted))
        loop.advance(by: .seconds(5))
        #expect(
            loop.bubbles == [
                "user: Hello there", "coach: You said: Hello", "user: And this", "coach: You said: And this",
            ])
        #expect(loop.rows[1].offer == .retry)
    }

    @Test("L2: an afternoon with a coach, twice, ends in equal loops")
    func afternoon() {
        func afternoon() -> StoryLoop {
            var loop = StoryLoop.coached(rules: [
                .init(.coach(2), .drop, times: 3), .init(.coach(4), .noise, times: 3),
            ])
            for number in 0..<8 {
                loop.say(ExactText("Message \(number)"))
                loop.advance(by: .minutes(30))
            }
            return loop
        }
        let loop = afternoon()
        #expect(loop.bubbles.count == 16 && loop == afternoon())
    }
}
