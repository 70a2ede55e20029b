@testable import ChatDomain
@testable import ChatEffects
import Testing

// A gap in the events, and the history that completes what it has cut.
extension OpenClawLinkTests {
    @Test("C5: a reply without its last words keeps what came, and is completed from the history")
    func completes() {
        var call = Self.connected()
        _ = call.receive(Self.chat("delta", #","deltaText":"Hel""#))
        let final = call.receive(Self.chat("final"))
        #expect(
            final.events == [Self.reply("Hel", isGrowing: false)]
                && final.frames == [
                    #"{"type":"req","id":"r-2","method":"chat.history","params":{"sessionKey":"main","limit":20}}"#
                ])
        let history =
            #"{"messages":[{"role":"assistant","content":"old"},{"role":"user","content":"Hi"},"#
            + #"{"role":"assistant","content":[{"type":"thinking","text":"hm"},{"type":"text","text":"Hello"},"#
            + #"{"type":"text","text":"!"}]}]}"#
        #expect(call.receive(Self.answer(2, history)).events == [Self.reply("Hello!", isGrowing: false)])
        let silent = call.receive(Self.chat("final", run: "other"))
        #expect(silent.events.isEmpty && silent.frames.count == 1)
        #expect(call.receive(Self.answer(3, #"{"messages":7}"#)) == Call.Heard())
    }

    @Test(
        "C5: a reply whose beginning came on an earlier connection is completed from the history by its end")
    func completesByEnd() {
        for (whole, isMeant) in [("Hello world", true), ("Hello there", false)] {
            var call = Self.connected()
            _ = call.receive(Self.chat("delta", #","deltaText":"ld""#))
            #expect(call.receive(Self.chat("final")).events == [Self.reply("ld", isGrowing: false)])
            let history = Self.history(("user", "Hi"), ("assistant", whole))
            #expect(
                call.receive(Self.answer(2, history)).events
                    == (isMeant ? [Self.reply(ExactText(whole), isGrowing: false)] : []))
        }
    }

    static func history(_ messages: (role: String, text: String)...) -> String {
        let list = messages.map { #"{"role":"\#($0.role)","content":"\#($0.text)"}"# }
        return #"{"messages":[\#(list.joined(separator: ","))]}"#
    }

    @Test("C5: behind a gap a history ends the reply that it completes, and changes no other")
    func gapWithinReply() {
        let isAnswered = Self.history(
            ("user", "a"), ("assistant", "old"), ("user", "b"), ("assistant", "abcd"))
        let isNot = Self.history(("user", "a"), ("assistant", "abcd"), ("user", "b"))
        let isOther = Self.history(("user", "a"), ("assistant", "old"))
        let isOtherWithEnd = Self.history(("user", "a"), ("assistant", "cab"))
        for (history, event) in [
            (isAnswered, [Self.reply("abcd", isGrowing: false), .refetched]), (isNot, [.refetched]),
            (isOther, [.refetched]), (isOtherWithEnd, [.refetched]),
        ] as [(String, [Chat.Event])] {
            var call = Self.connected()
            _ = call.receive(Self.chat("delta", #","deltaText":"ab""#, place: 5))
            _ = call.receive(Self.chat("delta", #","deltaText":"d""#, place: 7))
            _ = call.send(.refetch(cursors: []))
            #expect(call.receive(Self.answer(2, history)).events == event, "\(history)")
        }
        // The gap has swallowed a whole reply.
        var call = Self.connected()
        _ = call.receive(#"{"type":"event","event":"tick","seq":1}"#)
        _ = call.send(.say("c_1", "b"))
        _ = call.receive(Self.answer(2, #"{"runId":"run"}"#))
        #expect(call.receive(#"{"type":"event","event":"tick","seq":4}"#).events == [.gap, .alive])
        _ = call.send(.refetch(cursors: []))
        #expect(
            call.receive(Self.answer(3, isAnswered)).events
                == [Self.reply("abcd", isGrowing: false, to: "c_1"), .refetched])
    }

    @Test(
        "C5, C12: behind a gap a history completes the reply whose text is known, not one that has none yet"
    )
    func gapWithTwoRuns() {
        var call = Self.connected()
        _ = call.send(.say("c_1", "b"))
        _ = call.receive(Self.answer(2, #"{"runId":"c_1","status":"started"}"#))
        _ = call.receive(Self.chat("delta", #","deltaText":"ab""#, run: "theirs", place: 2))
        _ = call.receive(#"{"type":"event","event":"tick","seq":5}"#)
        _ = call.send(.refetch(cursors: []))
        #expect(
            call.receive(Self.answer(3, Self.history(("user", "a"), ("assistant", "abcd")))).events
                == [Self.reply("abcd", isGrowing: false, run: "theirs"), .refetched])
    }

    @Test("C5: a reply that a history has completed behind a gap stays whole when its run ends without words")
    func endsCompleted() {
        var call = Self.connected()
        _ = call.receive(Self.chat("delta", #","deltaText":"ab""#, place: 5))
        _ = call.receive(Self.chat("delta", #","deltaText":"d""#, place: 7))
        _ = call.send(.refetch(cursors: []))
        _ = call.receive(Self.answer(2, Self.history(("user", "b"), ("assistant", "abcd"))))
        #expect(
            call.receive(Self.chat("final", place: 8)).events == [Self.reply("abcd", isGrowing: false)])
    }

    @Test(
        "L9, C5: an event that is told again under its number changes nothing, and a tick is a sign of life"
    )
    func toldAgain() {
        let first = Self.chat("delta", #","deltaText":"Hel""#, place: 5)
        let second = Self.chat("delta", #","deltaText":"lo""#, place: 6)
        var call = Self.connected()
        #expect(call.receive(first).events == [Self.reply("Hel", isGrowing: true)])
        #expect(call.receive(first) == Call.Heard(skipped: 1))
        #expect(call.receive(second).events == [Self.reply("Hello", isGrowing: true)])
        for event in [second, first] { #expect(call.receive(event) == Call.Heard(skipped: 1)) }
        let unnumbered = Self.chat("delta", #","deltaText":"!""#)
        #expect(call.receive(unnumbered).events == [Self.reply("Hello!", isGrowing: true)])
        for _ in 0..<2 {
            let tick = call.receive(#"{"type":"event","event":"tick","seq":7}"#)
            #expect(tick == Call.Heard(events: [.alive]))
        }
        var next = Self.connected()
        #expect(
            next.receive(first).events == [Self.reply("Hel", isGrowing: true)],
            "each connection counts anew")
    }

    @Test("C5: behind two gaps a reply is known by its text before the first")
    func twoGaps() {
        var call = Self.connected()
        for (piece, place) in [("ab", 5), ("d", 7), ("f", 9)] {
            _ = call.receive(Self.chat("delta", #","deltaText":"\#(piece)""#, place: place))
        }
        _ = call.send(.refetch(cursors: []))
        #expect(
            call.receive(Self.answer(2, Self.history(("user", "b"), ("assistant", "abcdef")))).events
                == [Self.reply("abcdef", isGrowing: false), .refetched])
    }

    @Test(
        "C5, C12: behind a gap nothing that is older than the question, or comes before a tool, is its answer"
    )
    func gapBeforeAnswer() {
        func refetched(_ messages: String, after delta: String = "") -> [Chat.Event] {
            var call = Self.connected()
            _ = call.receive(
                Self.chat("final", #","message":{"content":"old","timestamp":2000}"#, run: "first", place: 1))
            _ = call.send(.say("c_1", "b"))
            _ = call.receive(Self.answer(2, #"{"runId":"run","status":"started"}"#))
            if !delta.isEmpty { _ = call.receive(Self.chat("delta", #","deltaText":"\#(delta)""#, place: 2)) }
            _ = call.send(.refetch(cursors: []))
            return call.receive(Self.answer(3, #"{"messages":[\#(messages)]}"#)).events
        }
        let old = #"{"role":"user","content":"a"},{"role":"assistant","content":"old","timestamp":2000}"#
        #expect(refetched(old) == [.refetched])
        let call = #"[{"type":"text","text":"Let me check."},{"type":"toolCall"}]"#
        let asked = old + #",{"role":"user","content":"b"}"#
        #expect(
            refetched(
                asked + #",{"role":"assistant","content":\#(call),"timestamp":3000}"#, after: "Let me check.")
                == [.refetched])
        let said = asked + #",{"role":"assistant","content":"Let me check."}"#
        for next in [#"{"role":"toolResult","content":"1"}"#, #"{"role":"assistant","content":\#(call)}"#] {
            #expect(refetched(said + "," + next, after: "Let me check.") == [.refetched], "\(next)")
        }
        let answered = refetched(asked + #",{"role":"assistant","content":"new","timestamp":3000}"#)
        #expect(answered.count == 2 && answered.last == .refetched)
    }

    @Test("L6, C12: a message that is sent again after its run is over has its answer from the history")
    func firstResult() {
        var call = Self.connected()
        _ = call.send(.say("c_1", "b"))
        let heard = call.receive(Self.answer(2, #"{"runId":"run","status":"ok"}"#))
        #expect(heard.events == [.acknowledged("c_1")] && heard.frames.count == 1)
        let history = Self.history(("user", "b"), ("assistant", "abcd"))
        let expected = Self.reply("abcd", isGrowing: false, to: "c_1")
        #expect(call.receive(Self.answer(3, history)).events == [expected])
    }

    @Test(
        "C12, C19: a run that ends without words asks for its history although one grows in another session"
    )
    func busyElsewhere() {
        var call = Self.connected()
        _ = call.send(.say("c_1", "a"))
        _ = call.receive(Self.answer(2, #"{"runId":"c_1","status":"started"}"#))
        _ = call.receive(Self.chat("delta", #","deltaText":"x""#, run: "other", in: "work"))
        #expect(call.receive(Self.chat("final", run: "c_1")).frames.count == 1)
    }

    @Test("C5, C19: behind a gap a history completes the replies of its own conversation alone")
    func gapElsewhere() {
        var call = Self.connected()
        _ = call.receive(#"{"type":"event","event":"tick","seq":1}"#)
        _ = call.send(.say("c_1", in: "work", "b"))
        _ = call.receive(Self.answer(2, #"{"runId":"c_1","status":"started"}"#))
        _ = call.receive(#"{"type":"event","event":"tick","seq":4}"#)
        _ = call.send(
            .refetch(cursors: [
                Chat.Cursor(conversation: .main, last: "x"), Chat.Cursor(conversation: "work", last: "y"),
            ]))
        let answered = Self.history(("user", "b"), ("assistant", "abcd"))
        #expect(call.receive(Self.answer(3, answered)) == Call.Heard())
        #expect(
            call.receive(Self.answer(4, answered)).events
                == [Self.reply("abcd", isGrowing: false, run: "c_1", in: "work"), .refetched])
    }

    @Test("C5: a gap is told, and the history of each conversation with a reply that grows is the end of it")
    func gap() {
        var call = Self.connected()
        #expect(call.receive(Self.chat("delta", #","deltaText":"a""#, place: 5)).events.count == 1)
        #expect(call.receive(Self.chat("delta", #","deltaText":"b""#, place: 6)).events.count == 1)
        #expect(
            call.receive(Self.chat("delta", #","deltaText":"b""#, place: 6)).events.isEmpty, "a repetition")
        let heard = call.receive(Self.chat("delta", #","deltaText":"d""#, place: 9))
        #expect(heard.events.first == .gap && heard.events.count == 2)
        let cursors = [
            Chat.Cursor(conversation: .main, last: "x"), Chat.Cursor(conversation: "work", last: "y"),
        ]
        let elsewhere = Self.chat("delta", #","deltaText":"x""#, run: "other").replacingOccurrences(
            #""sessionKey":"main""#, #""sessionKey":"work""#)
        #expect(call.receive(elsewhere).events.count == 1)
        #expect(call.send(.refetch(cursors: cursors)).frames.count == 2)
        let history = #"{"messages":[{"role":"assistant","content":"abbcd"}]}"#
        #expect(call.receive(Self.answer(2, history)).events == [Self.reply("abbcd", isGrowing: false)])
        #expect(call.receive(Self.refusal(3, "{}")).events == [.refetched])
        _ = call.receive(Self.chat("final", Self.text("xy"), run: "other"))
        #expect(call.send(.refetch(cursors: [])).frames.count == 1)
        #expect(call.receive(Self.answer(4, "{}")).events == [.refetched])
        let extreme = Self.chat("delta", #","deltaText":"d""#).replacingOccurrences(
            #""event":"chat","#, #""event":"chat","seq":-9223372036854775808,"#)
        #expect(call.receive(extreme).end == nil)
    }

    @Test("C5, L5, L8: a gap while there are many conversations forgets no message that waits for its answer")
    func gapWithManyConversations() {
        var call = Self.connected()
        _ = call.send(.say("c_1", in: "k_1", "Hi"))
        let cursors = (0..<100).map { number in
            Chat.Cursor(conversation: ConversationID(ExactText("k_\(number)")), last: "x")
        }
        let fetched = call.send(.refetch(cursors: cursors)).frames
        #expect(fetched.count == 1 && fetched.first?.contains(#""sessionKey":"k_0""#) == true)
        #expect(call.receive(Self.answer(3, "{}")).events == [.refetched])
        #expect(call.receive(Self.answer(2, #"{"status":"started"}"#)).events == [.acknowledged("c_1")])
    }

    @Test("C5, L8: numbers of events at the ends of their range are a gap, and no overflow")
    func extremeGap() {
        for (first, second) in [("-1", "9223372036854775807"), ("-9223372036854775808", "0")] {
            var call = Self.connected()
            let ticks = [first, second].map { #"{"type":"event","event":"tick","seq":\#($0)}"# }
            #expect(call.receive(ticks[0]).events == [.alive])
            #expect(call.receive(ticks[1]).events == [.gap, .alive])
            #expect(call.receive(ticks[0]).events == [.alive])
            #expect(call.receive(ticks[1]).events == [.alive])
        }
    }

    @Test("C12, C5: a run whose lost end a history has told keeps no later run from its own history")
    func endedByHistory() {
        var call = Self.connected()
        _ = call.receive(Self.chat("delta", Self.text("ab"), run: "first", place: 1))
        _ = call.receive(#"{"type":"event","event":"tick","seq":3}"#)
        _ = call.send(.refetch(cursors: []))
        _ = call.receive(Self.answer(2, Self.history(("user", "a"), ("assistant", "abc"))))
        #expect(call.receive(Self.chat("final", run: "second")).frames.count == 1)
    }

    @Test(
        "C16, L4: behind a gap a run whose end came before its acknowledgement is completed by no other answer"
    )
    func endedBeforeAcknowledged() {
        for (state, members) in [
            ("final", Self.text("Answer 1")), ("error", Self.text("Answer 1")),
            ("aborted", Self.text("Answer 1")),
        ] {
            var call = Self.connected()
            _ = call.send(.say("c_1", "one"))
            _ = call.receive(Self.chat(state, members, run: "c_1", place: 1))
            #expect(
                call.receive(Self.answer(2, #"{"runId":"c_1","status":"started"}"#)).events
                    == [.acknowledged("c_1")])
            _ = call.send(.say("c_2", "two"))
            _ = call.receive(Self.answer(3, #"{"runId":"c_2","status":"started"}"#))
            _ = call.receive(Self.chat("final", Self.text("Answer 2"), run: "c_2", place: 3))
            _ = call.send(.refetch(cursors: []))
            let history = Self.history(
                ("user", "one"), ("assistant", "Answer 1"), ("user", "two"), ("assistant", "Answer 2"))
            #expect(call.receive(Self.answer(4, history)).events == [.refetched], "\(state)")
        }
    }

    @Test(
        "C16, C5: behind a gap each reply is completed by the answer to its own question",
        arguments: ["", "Answer "])
    func gapBetweenAnswers(beginning: String) {
        func refetched(_ history: String) -> [Chat.Event] {
            var call = Self.connected()
            for (number, client) in [(2, "c_1"), (3, "c_2")] {
                _ = call.send(.say(ClientID(ExactText(client)), "a"))
                _ = call.receive(Self.answer(number, #"{"runId":"\#(client)","status":"started"}"#))
            }
            let piece = beginning.isEmpty ? #"{"type":"event","event":"tick","seq":1}"# : nil
            _ = call.receive(piece ?? Self.chat("delta", Self.text(beginning), run: "c_1", place: 1))
            _ = call.receive(Self.chat("final", Self.text("Answer 2"), run: "c_2", place: 3))
            _ = call.send(.refetch(cursors: []))
            return call.receive(Self.answer(4, history)).events
        }
        typealias Messages = [(role: String, text: String)]
        let first: Messages = [("user", "one"), ("assistant", "Answer 1")]
        let second: Messages = [("user", "two"), ("assistant", "Answer 2")]
        func history(_ messages: Messages, keys: [String] = []) -> String {
            var keys = keys
            let list = messages.map { message in
                let key = message.role == "user" && !keys.isEmpty ? keys.removeFirst() : ""
                return #"{"role":"\#(message.role)","content":"\#(message.text)"\#(key)}"#
            }
            return #"{"messages":[\#(list.joined(separator: ","))]}"#
        }
        let completed = [Self.reply("Answer 1", isGrowing: false, run: "c_1"), .refetched]
        #expect(refetched(history(first + second)) == completed)
        #expect(refetched(history(second)) == [.refetched], "its own is not there")
        for end in ["", ":user"] {
            let named = [#""idempotencyKey":"c_2\#(end)""#, #""idempotencyKey":"c_1\#(end)","seq":2"#]
            let keys = [",\(named[0])", #","__openclaw":{\#(named[1])}"#]
            #expect(refetched(history(second + first, keys: keys)) == completed, "whatever their order")
        }
    }

    @Test("C16, C12: an answer that has completed one reply completes no other behind a gap")
    func gapBehindCompleted() {
        var call = Self.connected()
        _ = call.send(.say("c_1", "one"))
        _ = call.receive(Self.answer(2, #"{"runId":"c_1","status":"started"}"#))
        #expect(call.receive(Self.chat("final", run: "c_1", place: 1)).frames.count == 1)
        _ = call.send(.say("c_2", "two"))
        _ = call.receive(Self.answer(4, #"{"runId":"c_2","status":"started"}"#))
        let history = Self.history(
            ("user", "old"), ("assistant", "Old"), ("user", "one"), ("assistant", "One"))
        #expect(
            call.receive(Self.answer(3, history)).events == [Self.reply("One", isGrowing: false, run: "c_1")])
        _ = call.receive(#"{"type":"event","event":"tick","seq":3}"#)
        _ = call.send(.refetch(cursors: []))
        #expect(call.receive(Self.answer(5, history)).events == [.refetched])
        #expect(
            call.receive(Self.chat("error", #","errorMessage":"Boom.""#, run: "c_2")).events
                == [.replyFailed(.question("c_2"), reason: "Boom.")])
    }
}
