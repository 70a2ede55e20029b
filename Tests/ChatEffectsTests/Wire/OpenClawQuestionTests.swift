@testable import ChatDomain
@testable import ChatEffects
import Testing

// Which question a run answers or fails, and which waits on.
extension OpenClawLinkTests {
    @Test("C5, C12: a run that ends in silence shows no other reply; one that was asked for has no answer")
    func silence() {
        let histories = [
            Self.history(("user", "Hi"), ("assistant", "Hello")),
            Self.history(("user", "Hi"), ("assistant", "Hello"), ("user", "Still there?")),
        ]
        let thought = #","message":{"role":"assistant","content":[{"type":"thinking","text":"hm"}]}"#
        for (history, members) in zip(histories, ["", thought]) {
            var call = Self.connected()
            #expect(call.receive(Self.chat("final", members, run: "hb1")).events.isEmpty)
            #expect(call.receive(Self.answer(2, history)) == Call.Heard(), "nobody asked")
        }
        func asked(_ history: String) -> [Chat.Event] {
            var call = Self.connected()
            _ = call.send(.say("c_1", "Still there?"))
            _ = call.receive(Self.answer(2, #"{"runId":"run","status":"started"}"#))
            #expect(call.receive(Self.chat("final")).events.isEmpty)
            return call.receive(Self.answer(3, history)).events
        }
        #expect(asked(histories[1]) == [.replyFailed(.question("c_1"), reason: "")])
        #expect(asked("{}") == [.replyFailed(.question("c_1"), reason: "")])
        let answered = Self.history(("user", "Still there?"), ("assistant", "Yes"))
        #expect(asked(answered) == [Self.reply("Yes", isGrowing: false, to: "c_1")])
        // The words that have come are no beginning of what the history says.
        var call = Self.connected()
        _ = call.receive(Self.chat("delta", #","deltaText":"Bye""#))
        _ = call.receive(Self.chat("final"))
        #expect(call.receive(Self.answer(2, histories[0])) == Call.Heard())
    }

    @Test(
        "C12, L6: a message that is sent again while it is queued still waits for its answer",
        arguments: ["ok", "in_flight"])
    func queuedBefore(status: String) {
        var call = Self.connected()
        _ = call.send(.say("c_2", "b"))
        let heard = call.receive(Self.answer(2, #"{"runId":"c_2","status":"\#(status)"}"#))
        #expect(heard.events == [.acknowledged("c_2")])
        if status == "in_flight" { #expect(call.receive(Self.chat("final", run: "c_2")).events.isEmpty) }
        #expect(call.receive(Self.answer(3, Self.history(("user", "a")))) == Call.Heard())
    }

    @Test(
        "C12, L6: a message that is sent twice has no answer that is older than its first acceptance",
        arguments: ["ok", "in_flight"])
    func acceptedTwice(status: String) {
        var call = Self.connected()
        for (number, status) in [(2, "started"), (3, status)] {
            _ = call.send(.say("c_2", "b"))
            let heard = call.receive(Self.answer(number, #"{"runId":"c_2","status":"\#(status)"}"#))
            #expect(heard.events == [.acknowledged("c_2")])
        }
        if status == "in_flight" { #expect(call.receive(Self.chat("final", run: "c_2")).events.isEmpty) }
        let messages =
            #"{"role":"user","content":"a","timestamp":1737263995000},"#
            + #"{"role":"assistant","content":"Hello","timestamp":1737263999000}"#
        #expect(call.receive(Self.answer(4, #"{"messages":[\#(messages)]}"#)) == Call.Heard())
    }

    @Test(
        "C20, S10: a stop ends the run of a reply, or of a question, in its session; its answer changes nothing"
    )
    func stops() {
        func request(_ number: Int, _ key: String, _ run: String) -> [String] {
            [
                #"{"type":"req","id":"r-\#(number)","method":"chat.abort","params":{"sessionKey":"\#(key)","#
                    + #""runId":"\#(run)"}}"#
            ]
        }
        var call = Self.connected()
        _ = call.receive(Self.chat("delta", #","deltaText":"Hel""#))
        let stopped = call.send(.stop(.reply("run"), in: .main))
        #expect(stopped == Call.Heard(frames: request(2, "main", "run")))
        let waiting = call.send(.stop(.question("c_1"), in: "work"))
        #expect(waiting == Call.Heard(frames: request(3, "work", "c_1")))
        #expect(
            call.receive(Self.answer(2, #"{"ok":true,"aborted":true,"runIds":["run"]}"#)) == Call.Heard())
        let error = #"{"code":"INVALID_REQUEST","message":"unauthorized"}"#
        #expect(call.receive(Self.refusal(3, error)) == Call.Heard())
    }

    @Test("C10, C19: a run that fails without a word fails no question but the one that it is named after")
    func foreignFailure() {
        var call = Self.connected()
        _ = call.send(.say("c_1", "Hi"))
        _ = call.receive(Self.answer(2, #"{"runId":"c_1","status":"started"}"#))
        let night = call.receive(Self.chat("error", #","errorMessage":"Boom.""#, run: "cron-7"))
        #expect(night.events == [.replyFailed(.question("cron-7"), reason: "Boom.")])
        _ = call.receive(Self.chat("delta", #","deltaText":"Hel""#, run: "theirs"))
        let theirs = call.receive(Self.chat("error", #","errorMessage":"Boom.""#, run: "theirs"))
        #expect(theirs.events == [.replyFailed(.reply("theirs"), reason: "Boom.")])
        var again = Self.connected()  // the answer to a question of an earlier connection
        #expect(
            again.receive(Self.chat("error", run: "c_1")).events == [
                .replyFailed(.question("c_1"), reason: "")
            ])
    }

    @Test(
        "C12, L6: a question that a busy gateway queues is ended without words, and still waits for its answer"
    )
    func queued() {
        for hasText in [true, false] {
            var call = Self.connected()
            _ = call.send(.say("c_1", "a"))
            _ = call.receive(Self.answer(2, #"{"runId":"c_1","status":"started"}"#))
            if hasText { _ = call.receive(Self.chat("delta", Self.text("Let me"), run: "c_1")) }
            _ = call.send(.say("c_2", "b"))
            _ = call.receive(Self.answer(3, #"{"runId":"c_2","status":"started"}"#))
            #expect(call.receive(Self.chat("final", run: "c_2")) == Call.Heard())
            #expect(
                call.receive(Self.chat("final", Self.text("A."), run: "c_1")).events
                    == [Self.reply("A.", isGrowing: false, run: "c_1")])
        }
    }

    @Test("C9, C12: a question that was in flight before this connection is completed by its answer of then")
    func answeredBefore() {
        var call = Self.connected()
        _ = call.send(.say("c_1", "Hi"))
        _ = call.receive(Self.answer(2, #"{"runId":"c_1","status":"in_flight"}"#))
        _ = call.receive(Self.chat("final", run: "c_1"))
        let history =
            #"{"messages":[{"role":"user","content":"Hi","timestamp":1737263995000},"#
            + #"{"role":"assistant","content":"Hello","timestamp":1737263999000}]}"#
        let answered = WallTime(millisecondsSince1970: 1_737_263_999_000)
        #expect(
            call.receive(Self.answer(3, history)).events
                == [Self.reply("Hello", isGrowing: false, run: "c_1", at: answered)])
    }

    @Test(
        "C12, L6: a question that ends without words while an unknown run is busy still waits for its answer"
    )
    func queuedBehindUnknown() {
        func ended(_ messages: String, final members: String = "") -> Call.Heard {
            var call = Self.connected()
            let first = #","message":{"content":"Hello","timestamp":2000}"#
            _ = call.receive(Self.chat("final", first, run: "c_1"))
            _ = call.send(.say("c_2", "b"))
            _ = call.receive(Self.answer(2, #"{"runId":"c_2","status":"started"}"#))
            let heard = call.receive(Self.chat("final", members, run: "c_2"))
            #expect(heard.events.isEmpty && heard.skipped == 0)
            return heard.frames.isEmpty
                ? heard : call.receive(Self.answer(3, #"{"messages":[\#(messages)]}"#))
        }
        let hello =
            #"{"role":"user","content":"a","timestamp":1000},"#
            + #"{"role":"assistant","content":"Hello","timestamp":2000}"#
        #expect(ended(hello) == Call.Heard(), "the answer to the question before")
        #expect(ended(#"{"role":"user","content":"a","timestamp":1000}"#) == Call.Heard())
        let asked = hello + #",{"role":"user","content":"b","timestamp":3000},"#
        let check = #"{"role":"assistant","content":"Let me check.","timestamp":4000,"stopReason":"toolUse"}"#
        #expect(ended(asked + check) == Call.Heard(), "a tool is called")
        let silent = #"{"role":"assistant","content":[{"type":"toolCall"}],"timestamp":4000}"#
        #expect(ended(asked + silent) == Call.Heard(), "a tool is called")
        #expect(ended("", final: #","yielded":true"#) == Call.Heard(), "and no history is asked for")
        let answered = asked + #"{"role":"assistant","content":"B.","timestamp":4000}"#
        let time = WallTime(millisecondsSince1970: 4000)
        #expect(ended(answered).events == [Self.reply("B.", isGrowing: false, run: "c_2", at: time)])
        let unanswered = asked + #"{"role":"toolResult","content":"1"}"#
        #expect(ended(unanswered).events == [.replyFailed(.question("c_2"), reason: "")])
    }

    @Test(
        "C12: a question that is queued behind a hidden run still waits: any event tells the time of its asking",
        arguments: ["agent", "tick"])
    func queuedBehindHidden(event: String) {
        let prompt = #"{"role":"user","content":"Heartbeat","timestamp":1737265800000}"#
        let silent = #"{"role":"assistant","content":"HEARTBEAT_OK","timestamp":1737265801000}"#
        for messages in [prompt, prompt + "," + silent] {
            var call = Self.connected()
            _ = call.receive(
                #"{"type":"event","event":"\#(event)","payload":{"runId":"hb","ts":1737265802000}}"#)
            _ = call.send(.say("c_2", "b"))
            _ = call.receive(Self.answer(2, #"{"runId":"c_2","status":"started"}"#))
            #expect(call.receive(Self.chat("final", run: "c_2")).frames.count == 1)
            #expect(call.receive(Self.answer(3, #"{"messages":[\#(messages)]}"#)) == Call.Heard())
        }
    }

    @Test("C12: an event with an earlier time does not set the time of asking back")
    func earlierTime() {
        var call = Self.connected()
        for time in [1_737_265_802_000, 1_737_265_000_000] {
            _ = call.receive(#"{"type":"event","event":"tick","payload":{"ts":\#(time)}}"#)
        }
        _ = call.send(.say("c_2", "b"))
        _ = call.receive(Self.answer(2, #"{"runId":"c_2","status":"started"}"#))
        #expect(call.receive(Self.chat("final", run: "c_2")).frames.count == 1)
        let messages =
            #"{"role":"user","content":"Heartbeat","timestamp":1737265800000},"#
            + #"{"role":"assistant","content":"HEARTBEAT_OK","timestamp":1737265801000}"#
        #expect(call.receive(Self.answer(3, #"{"messages":[\#(messages)]}"#)) == Call.Heard())
    }

    @Test("C12: a message that the gateway obeys as a command has no answer to wait for")
    func command() {
        var call = Self.connected()
        _ = call.send(.say("c_1", "/stop"))
        let answer = Self.answer(2, #"{"ok":true,"aborted":true,"runIds":["run"]}"#)
        #expect(call.receive(answer).events == [.obeyed("c_1")])
    }

    @Test("C12, S5: a failed or aborted run fails its question, in the gateway's words or by its kind")
    func fails() {
        let cases: [(String, String, ExactText)] = [
            ("error", #","errorMessage":"Boom.""#, "Boom."),
            ("error", #","errorKind":"refusal""#, "The model refuses to answer this."),
            ("error", #","errorKind":"timeout""#, "The model took too long."),
            ("error", #","errorKind":"rate_limit""#, "The model is busy. Please try again later."),
            (
                "error", #","errorKind":"context_length""#,
                "The conversation has become too long for the model."
            ),
            ("error", #","errorKind":"unknown""#, ""),
            ("aborted", "", "The server stopped the answer. Please try again."),
        ]
        for (state, members, sentence) in cases {
            var call = Self.connected()
            let unasked = call.receive(Self.chat(state, members))
            #expect(unasked.events == [.replyFailed(.question("run"), reason: sentence)], "\(members)")
            _ = call.send(.say("c_1", "Hi"))
            _ = call.receive(Self.chat("delta", #","deltaText":"early""#))
            _ = call.receive(Self.answer(2, #"{"runId":"run","status":"started"}"#))
            #expect(
                call.receive(Self.chat("delta", #","deltaText":"!""#)).events
                    == [Self.reply("early!", isGrowing: true, to: "c_1")])
            let failed = call.receive(Self.chat(state, members))
            #expect(failed.events == [.replyFailed(.reply("run"), reason: sentence)], "\(members)")
            // Without words it is known by the key of its question alone.
            var silent = Self.connected()
            _ = silent.send(.say("c_1", "Hi"))
            _ = silent.receive(Self.answer(2, #"{"runId":"run","status":"started"}"#))
            let unanswered = silent.receive(Self.chat(state, members))
            #expect(unanswered.events == [.replyFailed(.question("c_1"), reason: sentence)], "\(members)")
        }
    }

    @Test("C12: a question whose run has yielded is that of the next run which no question names")
    func yieldedQuestion() {
        let key = ClientID("c_01234567-89ab-4def-8123-456789abcdef")
        var call = Self.connected()
        for (number, client) in [(2, "c_1"), (3, "c_2")] {
            _ = call.send(.say(ClientID(ExactText(client)), "a"))
            _ = call.receive(Self.answer(number, #"{"runId":"\#(client)","status":"started"}"#))
        }
        _ = call.receive(Self.chat("delta", Self.text("Let me"), run: "known"))
        #expect(call.receive(Self.chat("final", run: "c_2")) == Call.Heard())
        #expect(
            call.receive(Self.chat("final", Self.text("A."), run: "c_1")).events
                == [Self.reply("A.", isGrowing: false, run: "c_1")])
        #expect(
            call.receive(Self.chat("final", Self.text("K."), run: "known")).events
                == [Self.reply("K.", isGrowing: false, run: "known")], "it ran before")
        let named = MessageID(key.text)
        #expect(
            call.receive(Self.chat("final", Self.text("N."), run: key.text.string)).events
                == [Self.reply("N.", isGrowing: false, run: named)], "it has a question of its own")
        #expect(
            call.receive(Self.chat("delta", Self.text("B"), run: "next")).events
                == [Self.reply("B", isGrowing: true, run: "next", to: "c_2")])
        #expect(
            call.receive(Self.chat("final", Self.text("Later."), run: "other")).events
                == [Self.reply("Later.", isGrowing: false, run: "other")])
        #expect(
            call.receive(Self.chat("final", Self.text("B."), run: "next")).events
                == [Self.reply("B.", isGrowing: false, run: "next", to: "c_2")])
    }

    @Test("C12: a run that takes a question and ends without words leaves it to the next one, and fails it")
    func yieldedAgain() {
        func taken() -> Call {
            var call = Self.connected()
            _ = call.send(.say("c_1", "a"))
            _ = call.receive(Self.answer(2, #"{"runId":"c_1","status":"started"}"#))
            #expect(call.receive(Self.chat("final", #","yielded":true"#, run: "c_1")) == Call.Heard())
            #expect(
                call.receive(Self.chat("delta", run: "first")).events == [.typing(isActive: true, at: nil)])
            return call
        }
        var call = taken()
        _ = call.receive(Self.chat("final", #","yielded":true"#, run: "first"))
        #expect(
            call.receive(Self.chat("final", Self.text("A."), run: "second")).events
                == [Self.reply("A.", isGrowing: false, run: "second", to: "c_1")])
        var failing = taken()
        #expect(
            failing.receive(Self.chat("error", #","errorMessage":"Boom.""#, run: "first")).events
                == [.replyFailed(.question("c_1"), reason: "Boom."), .typing(isActive: false, at: nil)])
    }
}
