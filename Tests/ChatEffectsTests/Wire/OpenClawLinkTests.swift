@testable import ChatDomain
@testable import ChatEffects
import Testing

@Suite("OpenClaw gateway: chat")
struct OpenClawLinkTests {
    typealias Call = LinkCall<OpenClawLink>

    static let challenge =
        #"{"type":"event","event":"connect.challenge","payload":{"nonce":"n","ts":1737264000000}}"#
    static let hello =
        #"{"type":"res","id":"r-1","ok":true,"payload":{"type":"hello-ok","protocol":3,"server":{"version":"1","#
        + #""connId":"c"},"auth":{"deviceToken":"t0ken"},"policy":{"maxPayload":26214400,"#
        + #""maxBufferedBytes":1572864,"tickIntervalMs":30000}}}"#
    static let time = WallTime(millisecondsSince1970: 1_737_264_000_000)

    static func connected(_ scopes: [ExactText] = ["operator.read", "operator.write"]) -> Call {
        var call = Call(OpenClawLink(scopes: scopes))
        _ = call.receive(.opened)
        _ = call.receive(challenge)
        _ = call.receive(hello)
        return call
    }

    static func answer(_ number: Int, _ payload: String) -> String {
        #"{"type":"res","id":"r-\#(number)","ok":true,"payload":\#(payload)}"#
    }

    static func refusal(_ number: Int, _ error: String) -> String {
        #"{"type":"res","id":"r-\#(number)","ok":false,"error":\#(error)}"#
    }

    static func chat(
        _ state: String, _ members: String = "", run: String = "run", place: Int? = nil,
        in key: String = "main"
    ) -> String {
        let seq = place.map { #""seq":\#($0),"# } ?? ""
        return #"{"type":"event","event":"chat",\#(seq)"payload":{"runId":"\#(run)","sessionKey":"\#(key)","#
            + #""seq":3,"state":"\#(state)"\#(members)}}"#
    }

    static func text(_ text: String) -> String {
        #","message":{"role":"assistant","content":[{"type":"text","text":"\#(text)"}]}"#
    }

    static func reply(
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

    static let stopped: ExactText = "The server stopped the answer. Please try again."

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

extension String {
    /// The text with one part in place of another.
    func replacingOccurrences(_ part: String, _ other: String) -> String {
        split(separator: part, omittingEmptySubsequences: false).joined(separator: other)
    }
}
