@testable import ChatDomain
@testable import ChatEffects
import Testing

@Suite("OpenClaw gateway: chat")
struct OpenClawLinkTests {
    private typealias Call = LinkCall<OpenClawLink>

    private static let challenge =
        #"{"type":"event","event":"connect.challenge","payload":{"nonce":"n","ts":1737264000000}}"#
    private static let hello =
        #"{"type":"res","id":"r-1","ok":true,"payload":{"type":"hello-ok","protocol":3,"server":{"version":"1","#
        + #""connId":"c"},"auth":{"deviceToken":"t0ken"},"policy":{"maxPayload":26214400,"#
        + #""maxBufferedBytes":1572864,"tickIntervalMs":30000}}}"#
    private static let time = WallTime(millisecondsSince1970: 1_737_264_000_000)

    private static func connected(_ scopes: [ExactText] = ["operator.read", "operator.write"]) -> Call {
        var call = Call(OpenClawLink(scopes: scopes))
        _ = call.receive(.opened)
        _ = call.receive(challenge)
        _ = call.receive(hello)
        return call
    }

    private static func answer(_ number: Int, _ payload: String) -> String {
        #"{"type":"res","id":"r-\#(number)","ok":true,"payload":\#(payload)}"#
    }

    private static func refusal(_ number: Int, _ error: String) -> String {
        #"{"type":"res","id":"r-\#(number)","ok":false,"error":\#(error)}"#
    }

    private static func chat(
        _ state: String, _ members: String = "", run: String = "run", place: Int? = nil,
        in key: String = "main"
    ) -> String {
        let seq = place.map { #""seq":\#($0),"# } ?? ""
        return #"{"type":"event","event":"chat",\#(seq)"payload":{"runId":"\#(run)","sessionKey":"\#(key)","#
            + #""seq":3,"state":"\#(state)"\#(members)}}"#
    }

    private static func text(_ text: String) -> String {
        #","message":{"role":"assistant","content":[{"type":"text","text":"\#(text)"}]}"#
    }

    private static func reply(
        _ text: ExactText, isGrowing: Bool, run: MessageID = "run", in place: ConversationID = .main,
        at time: WallTime = time, to question: ClientID? = nil
    ) -> Chat.Event {
        .message(
            IncomingMessage(
                id: run, conversation: place, role: .assistant, text: text, time: time, isGrowing: isGrowing,
                question: question ?? ClientID(run.text)))
    }

    // MARK: Connecting

    @Test(
        "C1, L10: a client connects when it is challenged, with the place of its token, and is ready at the hello"
    )
    func connects() {
        var call = Call(OpenClawLink(path: "/gw"))
        #expect(call.link.connect(SecretHandle("h"), "d", cursors: []).exchange == .socket(path: "/gw"))
        #expect(call.receive(.opened) == Call.Heard(events: [.opened]))
        #expect(
            call.receive(Self.challenge).frames == [
                #"{"type":"req","id":"r-1","method":"connect","params":{"minProtocol":3,"maxProtocol":4,"#
                    + #""client":{"id":"d-1","version":"1.0","platform":"unknown","mode":"operator"},"#
                    + #""role":"operator","scopes":["operator.read","operator.write"],"auth":{"token":"<h>"}}}"#
            ])
        #expect(call.receive(Self.challenge).skipped == 1)
        #expect(
            call.receive(Self.hello)
                == Call.Heard(events: [
                    .authenticated(replayCount: 0, isTruncated: false, isReset: false),
                    .heartbeat(every: .seconds(30)),
                ]))
        #expect(!String(reflecting: call.progress).contains("t0ken"))
        #expect(Chat.Configuration.openClaw.livenessLimit == .seconds(60))
    }

    @Test("C1, L8: the ticks that a gateway tells are waited for within a limit, and no tick is none")
    func ticks() {
        let cases: [(String, [Chat.Event])] = [
            (#"{"tickIntervalMs":45000}"#, [.heartbeat(every: .seconds(45))]),
            (#"{"tickIntervalMs":9223372036854775807}"#, [.heartbeat(every: .minutes(5))]),
            (#"{"tickIntervalMs":0}"#, []), (#"{"tickIntervalMs":-1}"#, []),
            (#"{"tickIntervalMs":"45000"}"#, []), ("[]", []), ("{}", []),
        ]
        for (policy, expected) in cases {
            var call = Call(OpenClawLink())
            _ = call.receive(.opened)
            _ = call.receive(Self.challenge)
            let heard = call.receive(Self.answer(1, #"{"type":"hello-ok","policy":\#(policy)}"#))
            #expect(heard.events.dropFirst() == expected[...])
        }
    }

    @Test("C3, P10: each refusal of a connection has its meaning")
    func refused() {
        let cases: [(String, Call.Heard)] = [
            (
                #"{"code":"NOT_PAIRED","message":"m"}"#,
                Call.Heard(events: [.credentialsRefused(.deviceNotApproved)])
            ),
            (#"{"code":"UNAUTHORIZED"}"#, Call.Heard(events: [.credentialsRefused(.authenticationFailed)])),
            (
                #"{"code":"INVALID_REQUEST","message":"m","details":{"code":"AUTH_TOKEN_MISMATCH"}}"#,
                Call.Heard(events: [.credentialsRefused(.authenticationFailed)])
            ),
            (
                #"{"code":"INVALID_REQUEST","details":{"code":"PAIRING_REQUIRED"}}"#,
                Call.Heard(events: [.credentialsRefused(.deviceNotApproved)])
            ),
            (
                #"{"code":"INVALID_REQUEST","message":"Later.","details":{"code":"AUTH_RATE_LIMITED"}}"#,
                Call.Heard(end: .refused(status: 400, retryAfter: nil, message: "Later."))
            ),
            (
                #"{"code":"UNAVAILABLE","message":"Not now.","retryable":true,"retryAfterMs":1000}"#,
                Call.Heard(end: .refused(status: 503, retryAfter: .seconds(1), message: "Not now."))
            ),
            (
                #"{"code":"INVALID_REQUEST","message":"No."}"#,
                Call.Heard(end: .refused(status: 400, retryAfter: nil, message: "No."))
            ),
            (
                #"{"code":7,"retryAfterMs":-5,"retryable":true}"#,
                Call.Heard(end: .refused(status: 503, retryAfter: .zero, message: ""))
            ),
            ("null", Call.Heard(end: .refused(status: 400, retryAfter: nil, message: ""))),
        ]
        for (error, heard) in cases {
            var call = Call(OpenClawLink())
            _ = call.receive(.opened)
            _ = call.receive(Self.challenge)
            #expect(call.receive(Self.refusal(9, error)).skipped == 1, "not the answer")
            #expect(call.receive(Self.refusal(1, error)) == heard, "\(error)")
        }
    }

    @Test("S12: nothing is taken before the hello, and frames that are sent then are counted")
    func early() {
        var call = Call(OpenClawLink())
        #expect(call.send(.say("c_1", "Hi")).skipped == 1)
        #expect(call.send(.decide("d", .deny(reason: nil))).skipped == 1)
        #expect(call.receive(Self.hello).skipped == 1 && call.receive(Self.chat("delta")).skipped == 1)
        #expect(call.receive(Self.challenge).frames.count == 1, "it still connects")
    }

    // MARK: Messages

    @Test("C7, C10, C19: a message goes to its session under its key; the answer acknowledges it")
    func says() {
        var call = Self.connected()
        #expect(
            call.send(.say("c_1", "Hi")).frames == [
                #"{"type":"req","id":"r-2","method":"chat.send","params":{"sessionKey":"main","message":"Hi","#
                    + #""idempotencyKey":"c_1"}}"#
            ])
        let other = call.send(.say("c_2", in: "work", "Ho")).frames.first
        #expect(other?.contains(#""id":"r-3""#) == true && other?.contains(#""sessionKey":"work""#) == true)
        #expect(
            call.receive(Self.answer(3, #"{"runId":"b","status":"in_flight"}"#)).events == [
                .acknowledged("c_2")
            ])
        #expect(call.receive(Self.answer(2, #"{"status":"started"}"#)).events == [.acknowledged("c_1")])
        #expect(call.receive(Self.answer(2, "{}")).skipped == 1, "it was answered")
        #expect(call.send(.typing(true)) == Call.Heard())
    }

    @Test("C11: a refused message is sent again soon where that helps, and else says why")
    func refusedMessage() {
        for (error, event) in [
            (#"{"code":"UNAVAILABLE","retryable":true}"#, .deferred("c_1")),
            (
                #"{"code":"UNAVAILABLE","retryable":true,"retryAfterMs":1000}"#,
                .deferred("c_1", after: .seconds(1))
            ),
            (#"{"code":"INVALID_REQUEST","message":"Too long."}"#, .rejected("c_1", reason: "Too long.")),
            ("7", .rejected("c_1", reason: "")),
        ] as [(String, Chat.Event)] {
            var call = Self.connected()
            _ = call.send(.say("c_1", "Hi"))
            #expect(call.receive(Self.refusal(2, error)) == Call.Heard(events: [event]), "\(error)")
        }
    }

    @Test("C14: files are not sent, and say so")
    func files() {
        let file = Chat.Attachment(
            id: "f", owner: "u", kind: .image, mimeType: "image/png", name: "a.png", byteCount: 1,
            source: .inline)
        var call = Self.connected()
        let said = call.send(.say("c_1", "a.png", attachments: [file]))
        #expect(
            said.frames.isEmpty && said.events == [.rejected("c_1", reason: "No files can be sent here.")])
        var upload = Call(uploading: OpenClawLink())
        #expect(upload.receive(.opened).end == .refused(status: 415, retryAfter: nil, message: ""))
        #expect(upload.receive(.ended(.completed)) == Call.Heard())
    }

    // MARK: Replies

    @Test("C17: the text so far is the truth; an increment without it is appended, or rewrites")
    func grows() {
        var call = Self.connected()
        let steps: [(String, ExactText)] = [
            (Self.text("Hé") + #","deltaText":"Hé","replace":false"#, "Hé"),
            (#","deltaText":"llo""#, "Héllo"),
            (Self.text("Hello, you") + #","deltaText":"u""#, "Hello, you"),
            (#","deltaText":"Anew","replace":true"#, "Anew"), (#","deltaText":7"#, "Anew"),
        ]
        for (members, text) in steps {
            let heard = call.receive(Self.chat("delta", members))
            #expect(heard == Call.Heard(events: [Self.reply(text, isGrowing: true)]), "\(members)")
        }
        let final = #","message":{"role":"assistant","content":"Done.","timestamp":1737264001000}"#
        #expect(
            call.receive(Self.chat("final", final))
                == Call.Heard(events: [Self.reply("Done.", isGrowing: false, at: Self.time + .seconds(1))]))
    }

    @Test("C19: sessions are conversations, the main one under any of its names; runs grow side by side")
    func sessions() {
        var call = Self.connected()
        for (key, place) in [
            ("main", .main), ("", .main), ("agent:main:main", .main), ("agent:x:y", "agent:x:y"),
            ("work", "work"),
        ] as [(String, ConversationID)] {
            let frame = Self.chat("delta", #","deltaText":"x""#, run: "r" + key)
                .replacingOccurrences("\"main\"", "\"\(key)\"")
            let run = MessageID(ExactText("r" + key))
            #expect(call.receive(frame).events == [Self.reply("x", isGrowing: true, run: run, in: place)])
        }
        #expect(call.receive(Self.chat("status")).events == [.typing(isActive: true, at: nil)])
    }

    @Test("L8: a name of more than 1,024 bytes names no run, no session and no request")
    func longNames() {
        for (length, isName) in [(1_024, true), (1_025, false)] {
            let name = String(repeating: "n", count: length)
            let frames = [
                Self.chat("delta", #","deltaText":"x""#, run: name),
                Self.chat("delta", #","deltaText":"x""#).replacingOccurrences("\"main\"", "\"\(name)\""),
                #"{"type":"event","event":"device.pair.requested","payload":{"requestId":"\#(name)","deviceId":"d"}}"#,
                #"{"type":"event","event":"device.pair.requested","payload":{"requestId":"q","deviceId":"\#(name)"}}"#,
            ]
            for frame in frames {
                var call = Self.connected()
                let heard = call.receive(frame)
                #expect(heard.skipped == (isName ? 0 : 1))
                #expect(heard.events.count + heard.pairing.count == (isName ? 1 : 0))
            }
        }
    }

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

    private static func history(_ messages: (role: String, text: String)...) -> String {
        let list = messages.map { #"{"role":"\#($0.role)","content":"\#($0.text)"}"# }
        return #"{"messages":[\#(list.joined(separator: ","))]}"#
    }

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

    @Test("C17, L3: a run of others without words only types, and one whose words are withdrawn ends at once")
    func wordless() {
        let thought = #","message":{"role":"assistant","content":[{"type":"thinking","text":"hm"}]}"#
        let withdrawn = #","deltaText":"","replace":true"#
        for members in [thought, withdrawn, Self.text(""), #","deltaText":7"#, ""] {
            var call = Self.connected()
            let delta = call.receive(Self.chat("delta", members))
            #expect(delta == Call.Heard(events: [.typing(isActive: true, at: nil)]), "\(members)")
            #expect(call.receive(Self.chat("final", thought)).events == [.typing(isActive: false, at: nil)])
            #expect(call.receive(Self.answer(2, "{}")) == Call.Heard())
        }
        for (state, members) in [
            ("final", ""), ("final", thought), ("final", Self.text("")), ("aborted", ""),
        ] {
            var call = Self.connected()
            _ = call.receive(Self.chat("delta", #","deltaText":"Hel""#))
            #expect(
                call.receive(Self.chat("delta", withdrawn)).events == [Self.reply("", isGrowing: true)])
            var events = call.receive(Self.chat(state, members)).events
            if state == "final" { events += call.receive(Self.answer(2, "{}")).events }
            let reason = state == "aborted" ? Self.stopped : ""
            #expect(events == [.replyFailed(.reply("run"), reason: reason)], "\(state) \(members)")
        }
    }

    @Test("C5: behind a gap a history ends the reply that it completes, and changes no other")
    func gapWithinReply() {
        let isAnswered = Self.history(
            ("user", "a"), ("assistant", "old"), ("user", "b"), ("assistant", "abcd"))
        let isNot = Self.history(("user", "a"), ("assistant", "abcd"), ("user", "b"))
        let isOther = Self.history(("user", "a"), ("assistant", "old"))
        for (history, event) in [
            (isAnswered, [Self.reply("abcd", isGrowing: false), .refetched]), (isNot, [.refetched]),
            (isOther, [.refetched]),
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
        #expect(
            refetched(
                asked
                    + #",{"role":"assistant","content":"Let me check."},{"role":"toolResult","content":"1"}"#,
                after: "Let me check.") == [.refetched])
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

    @Test("C19: a session that a gateway runs for another, or on a schedule, is no conversation")
    func machineSessions() {
        let spawned = #""sessionKey":"agent:main:acp:1","spawnedBy":"agent:main:main""#
        for session in [
            spawned, #""sessionKey":"agent:main:subagent:01234567-89ab-4def-8123-456789abcdef""#,
            #""sessionKey":"agent:main:cron:daily""#, #""sessionKey":"agent:main:cron:daily:run:1""#,
        ] {
            var call = Self.connected()
            let before = call.progress
            for state in ["status", "delta", "final", "aborted"] {
                let event = Self.chat(state, Self.text("Hi")).replacingOccurrences(
                    #""sessionKey":"main""#, session)
                #expect(call.receive(event) == Call.Heard(skipped: 1), "\(session) \(state)")
            }
            #expect(call.progress == before)
        }
        for session in [#""sessionKey":"agent:main:cron""#, #""sessionKey":"main","spawnedBy":null"#] {
            var call = Self.connected()
            let event = Self.chat("delta", Self.text("Hi")).replacingOccurrences(
                #""sessionKey":"main""#, session)
            #expect(call.receive(event).events.count == 1, "\(session)")
        }
    }

    @Test("C19: a conversation that was begun here keeps its name in the long form of its session")
    func longForm() {
        let id = ConversationID("v_01234567-89ab-4def-8123-456789abcdef")
        var call = Self.connected()
        for (key, conversation) in [
            ("agent:main:\(id.text.string)", id), (id.text.string, id), ("agent:main:main", .main),
            ("agent:main:work", "agent:main:work"), ("agent:main:main:v_1", "agent:main:main:v_1"),
        ] as [(String, ConversationID)] {
            let heard = call.receive(
                #"{"type":"event","event":"chat","payload":{"runId":"run","sessionKey":"\#(key)","state":"status"}}"#
            )
            #expect(heard.events == [.typing(isActive: true, at: nil, in: conversation)], "\(key)")
        }
    }

    private static let stopped: ExactText = "The server stopped the answer. Please try again."

    @Test("S5, C17: an aborted run keeps its whole text so far, and says that the server stopped it")
    func aborted() {
        var call = Self.connected()
        _ = call.receive(Self.chat("delta", #","deltaText":"Hel""#))
        #expect(
            call.receive(Self.chat("aborted", #","message":{"content":[{"type":"text","text":"Hello"}]}"#))
                .events
                == [Self.reply("Hello", isGrowing: true), .replyFailed(.reply("run"), reason: Self.stopped)])
        for (members, reason) in [
            ("", Self.stopped), (#","errorKind":"timeout""#, "The model took too long."),
            (#","errorMessage":"Bye.""#, "Bye."),
        ] as [(String, ExactText)] {
            var silent = Self.connected()
            #expect(
                silent.receive(Self.chat("aborted", members, run: "c_1")).events
                    == [.replyFailed(.question("c_1"), reason: reason)])
        }
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

    @Test("C19: the main conversation is that of the agent that the hello names, and of no other")
    func agents() {
        for (hello, own) in [
            (#"{"snapshot":{"sessionDefaults":{"mainSessionKey":"agent:ops:main"}}}"#, "agent:ops:main"),
            (#"{"snapshot":{"sessionDefaults":{"mainSessionKey":"global"}}}"#, "global"),
            ("{}", "agent:x:main"),
        ] {
            var call = Call(OpenClawLink())
            _ = call.receive(.opened)
            _ = call.receive(Self.challenge)
            _ = call.receive(Self.answer(1, hello))
            for (key, place) in [
                (own, .main), ("agent:work:main", "agent:work:main"), ("main", .main), (own, .main),
            ] as [(String, ConversationID)] {
                let status = Self.chat("status").replacingOccurrences(
                    #""sessionKey":"main""#, #""sessionKey":"\#(key)""#)
                #expect(
                    call.receive(status).events == [.typing(isActive: true, at: nil, in: place)],
                    "\(hello) \(key)")
            }
        }
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

    @Test("C12, C5: a run whose lost end a history has told keeps no later run from its own history")
    func endedByHistory() {
        var call = Self.connected()
        _ = call.receive(Self.chat("delta", Self.text("ab"), run: "first", place: 1))
        _ = call.receive(#"{"type":"event","event":"tick","seq":3}"#)
        _ = call.send(.refetch(cursors: []))
        _ = call.receive(Self.answer(2, Self.history(("user", "a"), ("assistant", "abc"))))
        #expect(call.receive(Self.chat("final", run: "second")).frames.count == 1)
    }

    @Test("L8: runs that have ended in silence push out none that goes on")
    func silentRuns() {
        var call = Self.connected()
        _ = call.receive(Self.chat("delta", #","deltaText":"a""#))
        for number in 0..<40 { _ = call.receive(Self.chat("final", #","yielded":true"#, run: "hb\(number)")) }
        #expect(
            call.receive(Self.chat("delta", #","deltaText":"b""#)).events
                == [Self.reply("ab", isGrowing: true)])
    }

    @Test("C18: the end of a run that has only thought ends the typing, unless another run goes on")
    func typingEnds() {
        let ends = [("final", ""), ("final", #","yielded":true"#), ("aborted", ""), ("error", "")]
        for (state, members) in ends {
            for isBusy in [false, true] {
                var call = Self.connected()
                _ = call.receive(Self.chat("delta"))
                if isBusy { _ = call.receive(Self.chat("delta", Self.text("x"), run: "other")) }
                _ = call.receive(Self.chat("delta", Self.text("x"), run: "elsewhere", in: "work"))
                let isOver = call.receive(Self.chat(state, members)).events.contains(
                    .typing(isActive: false, at: nil))
                #expect(isOver == !isBusy, "\(state) \(members)")
            }
        }
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
        let keys = [
            #","idempotencyKey":"c_2:user""#, #","__openclaw":{"idempotencyKey":"c_1","seq":2}"#,
        ]
        #expect(refetched(history(second + first, keys: keys)) == completed, "whatever their order")
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

    // MARK: Devices

    @Test("P9: an admin's client lists, hears of, and decides about the devices that ask to come in")
    func devices() {
        let scopes: [ExactText] = ["operator.read", "operator.pairing"]
        var call = Call(OpenClawLink(scopes: scopes))
        _ = call.receive(.opened)
        _ = call.receive(Self.challenge)
        #expect(
            call.receive(Self.hello).frames
                == [#"{"type":"req","id":"r-2","method":"device.pair.list","params":{}}"#])
        func asked(_ device: DeviceID, _ name: ExactText = "") -> Pairing.Event {
            .requested(
                PairingRequest(
                    device: device, claimedName: name, info: DeviceInfo(platform: "ios", model: "")))
        }
        let list = #"{"pending":[{"requestId":"q1","deviceId":"d-2","platform":"ios"},{"requestId":"q"},7]}"#
        let listed = call.receive(Self.answer(2, list))
        #expect(listed.pairing == [.rights(isAdmin: true), asked("d-2")] && listed.skipped == 2)
        let event =
            #"{"type":"event","event":"device.pair.requested","payload":{"requestId":"q2","deviceId":"d-3","#
            + #""displayName":"Bo","platform":"ios","ts":1}}"#
        #expect(call.receive(event).pairing == [asked("d-3", "Bo")])
        #expect(
            call.send(.decide("d-2", .approve("bo"))).frames
                == [#"{"type":"req","id":"r-3","method":"device.pair.approve","params":{"requestId":"q1"}}"#])
        #expect(
            call.send(.decide("d-3", .deny(reason: "no"))).frames
                == [#"{"type":"req","id":"r-4","method":"device.pair.reject","params":{"requestId":"q2"}}"#])
        #expect(call.send(.decide("d-9", .approve("bo"))).skipped == 1)
        #expect(
            call.receive(Self.refusal(3, #"{"message":"Gone."}"#)).pairing
                == [.notDecided("d-2", reason: "Gone.")])
        #expect(call.receive(Self.answer(4, "{}")) == Call.Heard())
        _ = call.send(.decide("d-2", .approve("bo")))
        let gone = Self.refusal(6, #"{"code":"INVALID_REQUEST","message":"unknown requestId"}"#)
        #expect(call.receive(gone).pairing == [.resolved("d-2")])
        _ = call.send(.decide("d-2", .approve("bo")))
        let late = Self.refusal(7, #"{"code":"INVALID_REQUEST","message":"Unknown requestId: q1"}"#)
        #expect(call.receive(late).pairing == [.resolved("d-2")])
        let resolved =
            #"{"type":"event","event":"device.pair.resolved","payload":{"requestId":"q1","deviceId":"d-2","#
            + #""decision":"approved"}}"#
        #expect(call.receive(resolved).pairing == [.resolved("d-2")])
        #expect(call.send(.decide("d-2", .approve("bo"))).skipped == 1)
        var guest = Self.connected(scopes)
        // A failure that may pass says nothing of the rights.
        let busy = #"{"code":"UNAVAILABLE","retryable":true}"#
        var waiting = guest
        #expect(waiting.receive(Self.refusal(2, busy)).pairing == [])
        #expect(guest.receive(Self.refusal(2, #"{"code":"FORBIDDEN"}"#)).pairing == [.rights(isAdmin: false)])
    }

    @Test("P9: of more devices than an admin sees the first are decided about, and another after a new list")
    func manyDevices() {
        var call = Self.connected(["operator.read", "operator.pairing"])
        func pending(_ numbers: ClosedRange<Int>) -> String {
            let devices = numbers.map { #"{"requestId":"q\#($0)","deviceId":"d\#($0)"}"# }
            return #"{"pending":[\#(devices.joined(separator: ","))]}"#
        }
        #expect(call.receive(Self.answer(2, pending(0...100))).pairing.count == 102)
        #expect(
            call.send(.decide("d0", .approve("bo"))).frames
                == [#"{"type":"req","id":"r-3","method":"device.pair.approve","params":{"requestId":"q0"}}"#])
        let unknown = call.send(.decide("d100", .deny(reason: nil)))
        #expect(
            unknown.frames == [#"{"type":"req","id":"r-4","method":"device.pair.list","params":{}}"#]
                && unknown.skipped == 1)
        #expect(call.receive(Self.answer(4, pending(100...100))).pairing.count == 2)
        #expect(
            call.send(.decide("d100", .deny(reason: nil))).frames
                == [#"{"type":"req","id":"r-5","method":"device.pair.reject","params":{"requestId":"q100"}}"#]
        )
    }

    // MARK: Hostile input

    @Test("C17, L9: a recorded connection, as bytes in any two pieces, means the same")
    func splits() {
        let texts = [
            Self.challenge, Self.hello, #"{"type":"event","event":"tick","payload":{"ts":1}}"#,
            Self.chat("delta", Self.text("Hé") + #","deltaText":"Hé","replace":false"#, place: 12),
            Self.chat("final", place: 13), Self.answer(2, #"{"messages":[]}"#),
            #"{"type":"event","event":"presence","payload":{}}"#,
        ]
        let bytes = texts.flatMap { WebSocketPeers(role: .client).text($0) }
        var whole = Call(OpenClawLink())
        _ = whole.receive(.opened)
        let opened = whole
        let heard = whole.replay(bytes)
        #expect(heard.count == 7 && heard[2].events == [.alive] && heard[6].skipped == 1)
        for cut in 1..<bytes.count {
            var call = opened
            #expect(call.replay(bytes, cutAt: [cut]) == heard && call.progress == whole.progress)
        }
        var drip = opened
        #expect(drip.replay(bytes, cutAt: Array(1..<bytes.count)) == heard)
    }

    @Test("S12: a malformed, unknown or misplaced event is counted, and ends no connection")
    func hostile() {
        for text in [
            "", "{", "[]", "null", #"{"type":"res"}"#, #"{"type":"res","id":7,"ok":true}"#,
            #"{"type":"res","id":"r-9","ok":true}"#, #"{"type":"res","id":"r-1","ok":"yes"}"#,
            #"{"type":"event"}"#, #"{"type":"event","event":"chat"}"#, #"{"type":"req","id":"1"}"#,
            Self.chat("delta", run: ""), Self.chat("moon"),
            #"{"type":"event","event":"device.pair.requested","payload":[]}"#,
            #"{"type":"event","event":"device.pair.resolved"}"#, Self.challenge, Self.hello,
        ] {
            var call = Self.connected()
            let before = call.progress
            #expect(call.receive(text) == Call.Heard(skipped: 1) && call.progress == before, "\(text)")
        }
        let frame = Array(Self.chat("delta", Self.text("Hé"), place: 4).utf8)
        for index in frame.indices {
            for byte in [0x00, 0x22, 0x7B, 0xFF] as [UInt8] {
                var changed = frame
                changed[index] = byte
                var call = Self.connected()
                let heard = call.receive(.text(changed))
                #expect(heard.end == nil && heard.events.count + Int(heard.skipped) == 1)
            }
        }
    }

    @Test("L8: a message over 1 MiB is told; replies, requests and devices that pile up push out the oldest")
    func bounded() {
        var call = Self.connected()
        for arrival in [.tooLong, .text([UInt8](repeating: 0x20, count: 1_048_577))] as [Arrival] {
            #expect(call.receive(arrival) == Call.Heard(events: [.oversizedMessage], skipped: 1))
        }
        for number in 0..<40 { _ = call.receive(Self.chat("delta", #","deltaText":"x""#, run: "r\(number)")) }
        #expect(
            call.receive(Self.chat("delta", #","deltaText":"x""#, run: "r0")).events
                == [Self.reply("x", isGrowing: true, run: "r0")], "its beginning is forgotten")
        #expect(
            call.receive(Self.chat("delta", #","deltaText":"x""#, run: "r39")).events
                == [Self.reply("xx", isGrowing: true, run: "r39")])
        for number in 0..<150 { _ = call.send(.say(ClientID(ExactText("c_\(number)")), "x")) }
        #expect(call.receive(Self.answer(2, "{}")).skipped == 1, "that question is forgotten")
        #expect(call.receive(Self.answer(151, "{}")).events == [.acknowledged("c_149")])
        let long = String(repeating: "x", count: 1_000_000)
        for _ in 0..<3 { _ = call.receive(Self.chat("delta", #","deltaText":"\#(long)""#, run: "big")) }
        guard case .message(let reply)? = call.receive(Self.chat("delta", run: "big")).events.first else {
            Issue.record("no reply grows")
            return
        }
        #expect(reply.wrappedValue.text.byteCount == 1_048_576)
    }
}

@Suite("OpenClaw gateway: pairing")
struct OpenClawPairingTests {
    private struct Call {
        let backend: OpenClawPairing
        var progress: OpenClawPairing.Progress

        init(scopes: [ExactText] = ["operator.read"]) {
            backend = OpenClawPairing(scopes: scopes)
            let info = DeviceInfo(platform: "ios", model: "iPhone", appVersion: "2.0")
            progress = backend.open(.pair("d-1", name: "Kay", info)).progress
        }

        mutating func receive(_ arrival: Arrival) -> Reaction<Pairing.Event> {
            var reaction = Reaction<Pairing.Event>()
            backend.receive(arrival, progress: &progress, reaction: &reaction)
            return reaction
        }

        mutating func receive(_ text: String) -> Reaction<Pairing.Event> { receive(.text(Array(text.utf8))) }
    }

    private static let challenge = #"{"type":"event","event":"connect.challenge","payload":{"nonce":"n"}}"#

    private static func asked(_ scopes: [ExactText] = ["operator.read"]) -> Call {
        var call = Call(scopes: scopes)
        _ = call.receive(.opened)
        _ = call.receive(challenge)
        return call
    }

    @Test("A device connects without a token, and says what it is")
    func asks() {
        var call = Call()
        #expect(call.receive(.opened).frames.isEmpty)
        #expect(
            call.receive(Self.challenge).frames.map(\.shown) == [
                #"{"type":"req","id":"r-1","method":"connect","params":{"minProtocol":3,"maxProtocol":4,"#
                    + #""client":{"id":"d-1","version":"2.0","platform":"ios","mode":"operator"},"#
                    + #""role":"operator","scopes":["operator.read"]}}"#
            ])
        #expect(call.receive(Self.challenge).skipped == 1)
    }

    @Test("P4, P6, L10: not paired means to wait, a hello brings the token, and other refusals say why")
    func answers() {
        var call = Self.asked()
        let waits = call.receive(#"{"type":"res","id":"r-1","ok":false,"error":{"code":"NOT_PAIRED"}}"#)
        #expect(waits.events == [.pending(code: nil)] && waits.end == nil)
        for scopes in [["operator.read"], ["operator.pairing"]] as [[ExactText]] {
            call = Self.asked(scopes)
            let granted = call.receive(
                #"{"type":"res","id":"r-1","ok":true,"payload":{"auth":{"deviceToken":"t0ken"}}}"#)
            guard case .granted(let secret, "operator", let isAdmin) = granted.events.first else {
                Issue.record("not granted")
                return
            }
            #expect(secret.reveal() == "t0ken" && isAdmin == scopes.contains("operator.pairing"))
            #expect(!String(reflecting: granted).contains("t0ken"))
        }
        call = Self.asked()
        #expect(call.receive(#"{"type":"res","id":"r-1","ok":true,"payload":{}}"#).end == .failed(.malformed))
        call = Self.asked()
        let busy = call.receive(
            #"{"type":"res","id":"r-1","ok":false,"error":{"code":"UNAVAILABLE","message":"M","retryable":true}}"#
        )
        #expect(busy.end == .refused(status: 503, retryAfter: nil, message: "M"))
    }

    @Test("S12, L8: an event out of place is counted, and ends nothing")
    func hostile() {
        for arrival in [
            .text([]), .text(Array("{".utf8)), .text(Array(#"{"type":"res","id":"r-2","ok":true}"#.utf8)),
            .tooLong, .text([UInt8](repeating: 0x20, count: 1_048_577)), .body([1]),
            .text(Array(Self.challenge.utf8)),
        ] as [Arrival] {
            var call = Self.asked()
            let before = call.progress
            let reaction = call.receive(arrival)
            #expect(reaction.skipped == 1 && reaction.events.isEmpty && reaction.end == nil)
            #expect(call.progress == before)
        }
        var call = Self.asked()
        #expect(call.receive(.ended(.closed(code: 1008, reason: ""))).end == nil)
        var reaction = Reaction<Pairing.Event>()
        call.backend.send(.decide("d", .deny(reason: nil)), progress: &call.progress, reaction: &reaction)
        #expect(reaction.skipped == 1)
    }
}

extension String {
    /// The text with one part in place of another.
    fileprivate func replacingOccurrences(_ part: String, _ other: String) -> String {
        split(separator: part, omittingEmptySubsequences: false).joined(separator: other)
    }
}
