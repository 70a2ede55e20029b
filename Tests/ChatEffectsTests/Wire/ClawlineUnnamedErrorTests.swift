import ChatDomain
import ChatEffects
import Testing

@Suite("Clawline: errors that do not say what they are about")
struct ClawlineUnnamedErrorTests {
    private static func error(_ code: String, _ message: String = "M") -> String {
        #"{"type":"error","code":"\#(code)","message":"\#(message)"}"#
    }

    private static let unknownType = error("invalid_message", "Unknown type")

    private static func sending(_ client: ClientID) -> ClawlineCall {
        var call = ClawlineCall.connected
        _ = call.send(.chat(.say(client, "Hi")))
        return call
    }

    @Test(
        "C11, C18: an error that names no message is about the one in flight, and ends it, also after typing",
        arguments: [false, true])
    func inFlight(hasTyped: Bool) {
        let cases: [(String, Chat.Event)] = [
            ("invalid_message", .rejected("c_1", reason: "M")),
            ("payload_too_large", .rejected("c_1", reason: "M")),
            ("stream_not_found", .rejected("c_1", reason: "M")),
            ("forbidden", .rejected("c_1", reason: "M")),
            ("asset_not_found", .assetMissing("c_1", nil, reason: "M")),
            ("rate_limited", .deferred("c_1")),
            ("server_error", .replyFailed(.question("c_1"), reason: "M")),
            ("duplicate", .acknowledged("c_1")),
        ]
        for (code, event) in cases {
            var call = Self.sending("c_1")
            if hasTyped { _ = call.send(.chat(.typing(true))) }
            let first = call.receive(Self.error(code))
            #expect(first.events == [.chat(event)] && first.end == nil, "\(code)")
            let second = call.receive(Self.error(code))
            #expect(second.events == (code == "rate_limited" ? [] : [.chat(.failed("M"))]), "\(code)")
        }
    }

    @Test("C11: once a message is acknowledged, refused by name or echoed by name, no error is about it")
    func ended() {
        let echo =
            #"{"type":"message","id":"s_1","role":"user","content":"Hi","timestamp":1,"streaming":false,"#
            + #""deviceId":"d-1","clientMessageId":"c_1"}"#
        let named = #"{"type":"error","code":"rate_limited","message":"M","messageId":"c_1"}"#
        for answer in [#"{"type":"ack","id":"c_1"}"#, named, echo] {
            var call = Self.sending("c_1")
            _ = call.receive(answer)
            #expect(call.receive(Self.error("server_error")).events == [.chat(.failed("M"))], "\(answer)")
        }
        var call = Self.sending("c_1")
        _ = call.receive(#"{"type":"error","code":"server_error","message":"M","messageId":"s_1"}"#)
        _ = call.receive(#"{"type":"ack","id":"c_2"}"#)
        #expect(call.receive(Self.error("rate_limited")).events == [.chat(.deferred("c_1"))])
        #expect(call.receive(Self.error("rate_limited")).events.isEmpty)
        _ = call.send(.chat(.say("c_1", "Hi")))
        #expect(call.receive(Self.error("rate_limited")).events == [.chat(.deferred("c_1"))], "sent again")
    }

    @Test("C11, C19: of the messages of several conversations the latest is the one that was checked")
    func several() {
        var call = Self.sending("c_1")
        _ = call.send(.chat(.say("c_2", in: "work", "Hi")))
        var again = call
        #expect(call.receive(Self.error("rate_limited")).events == [.chat(.deferred("c_2"))])
        #expect(call.receive(Self.error("rate_limited")).events == [.chat(.deferred("c_1"))])
        _ = again.send(.chat(.say("c_1", "Hi")))
        for client in ["c_1", "c_2"] as [ClientID] {
            #expect(again.receive(Self.error("rate_limited")).events == [.chat(.deferred(client))])
        }
        #expect(again.receive(Self.error("rate_limited")).events.isEmpty, "each is in flight once")
    }

    @Test("C3, C11: an error that ends the session or that nobody knows is about no message in flight")
    func general() {
        let cases: [(String, Chat.Event)] = [
            ("session_replaced", .sessionReplaced), ("token_revoked", .credentialsRefused(.tokenRevoked)),
            ("brand_new", .failed("M")),
        ]
        for (code, event) in cases {
            var call = Self.sending("c_1")
            #expect(call.receive(Self.error(code)).events == [.chat(event)], "\(code)")
        }
    }

    @Test("C18: a server that does not know typing is sent no more of it, and nobody is told")
    func typing() {
        var call = Self.sending("c_1")
        #expect(
            call.send(.chat(.typing(true))) == [#"{"type":"typing","active":true}"#]
                && call.send(.chat(.typing(false))).count == 1)
        for _ in 0..<2 {
            let answer = call.receive(Self.unknownType)
            #expect(answer.events.isEmpty && answer.end == nil)
        }
        #expect(call.send(.chat(.typing(true))).isEmpty)
        #expect(
            call.receive(Self.error("invalid_message")).events == [.chat(.rejected("c_1", reason: "M"))],
            "the message is still in flight")
        var next = ClawlineCall.connected
        #expect(next.send(.chat(.typing(true))).count == 1, "another connection may reach another server")
    }

    @Test("C11, C18: an unknown type is that of the message where no typing was sent")
    func unknownMessage() {
        var call = Self.sending("c_1")
        #expect(
            call.receive(Self.unknownType).events == [.chat(.rejected("c_1", reason: "Unknown type"))])
        #expect(call.receive(Self.unknownType).events == [.chat(.failed("Unknown type"))])
    }

    @Test("P9: a decision that the server does not take comes back with its sentence; “resolved” does not")
    func decisions() {
        for sentence in ["Invalid userId", "Not admin", "Something new"] {
            var call = ClawlineCall.connected
            _ = call.send(.pairing(.decide("d-2", .approve("kay"))))
            let answer = call.receive(Self.error("invalid_message", sentence))
            #expect(answer.events == [.pairing(.notDecided("d-2", reason: ExactText(sentence)))])
            let again = call.receive(Self.error("invalid_message", sentence))
            #expect(again.events == [.chat(.failed(ExactText(sentence)))])
        }
        for sentence in [
            "Already resolved", "Unknown device", "already resolved", "ALREADY RESOLVED.",
            "This request was already resolved by another admin", "Error: unknown device d-2",
        ] {
            var call = ClawlineCall.connected
            _ = call.send(.pairing(.decide("d-2", .approve("kay"))))
            let answer = call.receive(Self.error("invalid_message", sentence))
            #expect(answer.events == [.pairing(.resolved("d-2"))])
        }
    }

    @Test(
        "C11, P9: a message in flight is not refused by the answer to a decision that a new request has overtaken"
    )
    func overtakenDecision() {
        for sentence in [
            "Already resolved", "It is already resolved", "Unknown device", "Invalid userId", "Not admin",
        ] {
            var call = Self.sending("c_1")
            _ = call.send(.pairing(.decide("d-2", .deny(reason: nil))))
            _ = call.receive(
                #"{"type":"pair_approval_request","deviceId":"d-2","claimedName":"bo","deviceInfo":{"platform":"iOS"}}"#
            )
            let answer = call.receive(Self.error("invalid_message", sentence))
            #expect(answer.events == [.chat(.failed(ExactText(sentence)))])
        }
    }

    @Test("C11, P9: an error about a message in flight is no answer to a decision, and the reverse")
    func messageAndDecision() {
        var call = Self.sending("c_1")
        _ = call.send(.pairing(.decide("d-2", .approve("kay"))))
        var other = call
        #expect(
            call.receive(Self.error("invalid_message", "Missing content")).events
                == [.chat(.rejected("c_1", reason: "Missing content"))])
        #expect(
            other.receive(Self.error("invalid_message", "Invalid userId")).events
                == [.pairing(.notDecided("d-2", reason: "Invalid userId"))])
        #expect(
            other.receive(Self.error("invalid_message", "Missing content")).events
                == [.chat(.rejected("c_1", reason: "Missing content"))])
    }

    @Test("L8: no more messages are remembered than decisions")
    func bounded() {
        var call = ClawlineCall.connected
        for number in 0..<300 { _ = call.send(.chat(.say(ClientID("c_\(number)"), "x"))) }
        guard case .chat(.first(.connected(let unanswered, _))) = call.progress else {
            Issue.record("not connected")
            return
        }
        #expect(unanswered.messages.count == 100 && unanswered.messages.last == "c_299")
    }
}

@Suite("Clawline: frames of newer servers")
struct ClawlineNewerServerTests {
    @Test("P9: whether the person is an admin is told with the answer to the token, and whenever it changes")
    func rights() {
        for (field, told) in [("true", true), ("false", false)] {
            var call = ClawlineCall.chat()
            _ = call.receive(.opened)
            let answer = call.receive(
                #"{"type":"auth_result","success":true,"userId":"u","replayCount":0,"isAdmin":\#(field)}"#)
            #expect(
                answer.events == [
                    .chat(.authenticated(replayCount: 0, isTruncated: false, isReset: false)),
                    .pairing(.rights(isAdmin: told)),
                ])
            for type in ["session_info", "user_info"] {
                let later = call.receive(#"{"type":"\#(type)","userId":"u","isAdmin":\#(field)}"#)
                #expect(later.events == [.pairing(.rights(isAdmin: told))])
            }
        }
    }

    @Test("C5: a newer server says when all has been told again")
    func replayEnded() {
        var call = ClawlineCall.connected
        #expect(call.receive(#"{"type":"sync_complete"}"#).events == [.chat(.replayEnded)])
    }

    @Test("S12: frames of newer servers that this codec has no use for are counted and never told")
    func skipped() {
        var call = ClawlineCall.connected
        _ = call.send(.chat(.say("c_1", "Hi")))
        for frame in [
            #"{"type":"session_info","userId":"u","sessionKeys":["k"]}"#, #"{"type":"user_info"}"#,
            #"{"type":"stream_snapshot","streams":[]}"#, #"{"type":"stream_snapshot","streams":{}}"#,
            #"{"type":"stream_created","stream":{"displayName":"Work"}}"#,
            #"{"type":"event","event":"activity","payload":{"isActive":"yes"}}"#, #"{"type":"event"}"#,
            #"{"type":"event","event":"unheard","payload":{"isActive":true}}"#,
            #"{"type":"stream_deleted","sessionKey":"k"}"#,
            #"{"type":"stream_tail_state","sessionKey":"k","lastMessageId":"s_1","lastMessageRole":"user"}"#,
            #"{"type":"event","event":"activity","payload":{}}"#,
            #"{"type":"activity","isActive":true}"#,
        ] {
            let before = call.progress
            let reaction = call.receive(frame)
            #expect(
                reaction.skipped == 1 && reaction.events.isEmpty && reaction.end == nil
                    && call.progress == before, "\(frame)")
        }
    }

    @Test("P8: the fields of a device's description have 64 bytes at most")
    func deviceInfo() {
        let long = ExactText(String(repeating: "é", count: 40))
        let info = DeviceInfo(platform: long, model: "  m", systemVersion: long, appVersion: long)
        var call = ClawlineCall(.pairing(.pair("d-1", name: "", info)))
        let cut = String(repeating: "é", count: 32)
        #expect(
            call.receive(.opened).frames.map(\.shown) == [
                #"{"type":"pair_request","protocolVersion":1,"deviceId":"d-1","deviceInfo":"#
                    + #"{"platform":"\#(cut)","model":"m","osVersion":"\#(cut)","appVersion":"\#(cut)"}}"#
            ])
    }
}
