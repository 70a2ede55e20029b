import ChatDomain
import ChatEffects
import Testing

/// A call of Clawline, driven by hand.
struct ClawlineCall {
    let backend = ClawlineBackend()
    var progress: ClawlineBackend.Progress

    init(_ request: ChatApp.Request) {
        progress = backend.open(request).progress
    }

    static var pairing: ClawlineCall {
        ClawlineCall(
            .pairing(
                .pair(
                    "d-1", name: "Kay \"K\"", DeviceInfo(platform: "iOS", model: "iPhone", appVersion: "1.0"))
            ))
    }

    static func chat(cursor: MessageID? = nil) -> ClawlineCall {
        let cursors = cursor.map { [Chat.Cursor(conversation: .main, last: $0)] } ?? []
        return ClawlineCall(.chat(.connect(SecretHandle("h"), "d-1", cursors: cursors)))
    }

    /// A connection whose token was accepted.
    static var connected: ClawlineCall {
        var call = chat()
        _ = call.receive(.opened)
        _ = call.receive(#"{"type":"auth_result","success":true,"userId":"u","replayCount":0}"#)
        return call
    }

    mutating func receive(_ arrival: Arrival) -> Reaction<ChatApp.Event> {
        var reaction = Reaction<ChatApp.Event>()
        backend.receive(arrival, progress: &progress, reaction: &reaction)
        return reaction
    }

    mutating func receive(_ text: String) -> Reaction<ChatApp.Event> {
        receive(.text(Array(text.utf8)))
    }

    mutating func send(_ frame: ChatApp.Frame) -> [String] {
        var reaction = Reaction<ChatApp.Event>()
        backend.send(frame, progress: &progress, reaction: &reaction)
        return reaction.frames.map(\.shown)
    }
}

extension Payload {
    /// The payload as text, with places in angle brackets.
    var shown: String {
        parts.map { part in
            switch part {
            case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
            case .secret(let handle): "<\(handle.name.string)>"
            case .stored: "<stored>"
            }
        }.joined()
    }
}

@Suite("Clawline: what a client says")
struct ClawlineRequestTests {
    @Test("A pairing call opens a socket and asks once it is open, and once only")
    func pairs() {
        let request = ChatApp.Request.pairing(
            .pair("d-1", name: "Kay", DeviceInfo(platform: "iOS", model: "iPhone")))
        #expect(ClawlineBackend(path: "/other").open(request).exchange == .socket(path: "/other"))
        var call = ClawlineCall.pairing
        #expect(
            call.receive(.opened).frames.map(\.shown) == [
                #"{"type":"pair_request","protocolVersion":1,"deviceId":"d-1","claimedName":"Kay \"K\"","#
                    + #""deviceInfo":{"platform":"iOS","model":"iPhone","appVersion":"1.0"}}"#
            ])
        let again = call.receive(.opened)
        #expect(again.frames.isEmpty && again.skipped == 1)
    }

    @Test("L10: authentication leaves a place for the token, and a missing or empty cursor out")
    func authenticates() {
        var call = ClawlineCall.chat()
        let opened = call.receive(.opened)
        #expect(opened.events == [.chat(.opened)])
        #expect(
            opened.frames.map(\.shown)
                == [#"{"type":"auth","protocolVersion":1,"token":"<h>","deviceId":"d-1"}"#])
        #expect(opened.frames.first?.parts.contains(.secret(SecretHandle("h"))) == true)

        call = .chat(cursor: "s_1")
        #expect(call.receive(.opened).frames.first?.shown.hasSuffix(#","lastMessageId":"s_1"}"#) == true)
        call = .chat(cursor: "")
        #expect(call.receive(.opened).frames.first?.shown.contains("lastMessageId") == false)
    }

    @Test("Messages and decisions are written as the protocol has them")
    func sends() {
        var call = ClawlineCall.connected
        #expect(
            call.send(.chat(.say("c_1", "Hi\n“you”")))
                == [#"{"type":"message","id":"c_1","content":"Hi\n“you”","attachments":[]}"#])
        #expect(
            call.send(.pairing(.decide("d-2", .approve("kay"))))
                == [#"{"type":"pair_decision","deviceId":"d-2","approve":true,"userId":"kay"}"#])
        #expect(
            call.send(.pairing(.decide("d-2", .deny(reason: "no"))))
                == [#"{"type":"pair_decision","deviceId":"d-2","approve":false}"#])
    }

    @Test("L10: a secret is escaped into the frame, and a missing one ends the call")
    func fills() throws {
        let payload = Payload([.bytes([0x22]), .secret(SecretHandle("h")), .bytes([0x22])])
        let filled = try payload.filled(secret: { _ in Secret("a\"\n") }, record: { _ in nil })
        #expect(String(decoding: filled, as: UTF8.self) == #""a\"\n""#)
        #expect(throws: MissingPart.secret) { try payload.filled(secret: { _ in nil }, record: { _ in nil }) }
        #expect(MissingPart.secret.end == .failed(.secretMissing))
        #expect(MissingPart.record.end == .failed(.recordMissing))
    }
}

@Suite("Clawline: what a server says")
struct ClawlineAnswerTests {
    @Test("P5: answers to a request to come in, with a server's own reason")
    func pairing() {
        let cases: [(String, Pairing.Event)] = [
            (
                #"{"type":"pair_result","success":true,"token":"t","userId":"u"}"#,
                .granted(Secret("t"), "u", isAdmin: false)
            ),
            (
                #"{"type":"pair_result","success":true,"token":"t","userId":"u","isAdmin":true}"#,
                .granted(Secret("t"), "u", isAdmin: true)
            ),
            (#"{"type":"pair_result","success":false,"reason":"pair_pending"}"#, .pending(code: nil)),
            (
                #"{"type":"pair_result","success":false,"reason":"pair_pending","code":"42"}"#,
                .pending(code: "42")
            ),
            (#"{"type":"pair_pending","code":"42"}"#, .pending(code: "42")),
            (
                #"{"type":"pair_result","success":false,"reason":"pair_rejected"}"#,
                .refused(.rejected(reason: nil))
            ),
            (
                #"{"type":"pair_result","success":false,"reason":"pair_denied","message":" No \u0000"}"#,
                .refused(.denied(reason: "No"))
            ),
            (#"{"type":"pair_result","success":false,"reason":"pair_timeout"}"#, .refused(.timedOut)),
        ]
        for (text, event) in cases {
            var call = ClawlineCall.pairing
            _ = call.receive(.opened)
            #expect(call.receive(text).events == [.pairing(event)], "\(text)")
        }
    }

    @Test("L10: a token is in no progress and no description of an event")
    func noToken() {
        var call = ClawlineCall.pairing
        _ = call.receive(.opened)
        let reaction = call.receive(#"{"type":"pair_result","success":true,"token":"t0ken","userId":"u"}"#)
        #expect(reaction.events.count == 1)
        #expect(!String(reflecting: reaction).contains("t0ken"))
        #expect(!String(reflecting: call.progress).contains("t0ken"))
    }

    @Test("P6: errors before the answer become an HTTP status that pairing knows to wait for or not")
    func pairingErrors() {
        for (code, status) in [("rate_limited", 429), ("invalid_message", 400), ("server_error", 500)] {
            var call = ClawlineCall.pairing
            _ = call.receive(.opened)
            let reaction = call.receive(#"{"type":"error","code":"\#(code)","message":"M"}"#)
            #expect(reaction.end == .refused(status: Int64(status), retryAfter: nil, message: "M"))
        }
    }

    @Test("C1, C3, P10: the answer to the token; too many are a wait and no refusal")
    func authentication() {
        var call = ClawlineCall.chat()
        _ = call.receive(.opened)
        let text =
            #"{"type":"auth_result","success":true,"userId":"u","replayCount":42.0,"replayTruncated":true}"#
        #expect(
            call.receive(text).events
                == [.chat(.authenticated(replayCount: 42, isTruncated: true, isReset: false))])
        let refusals: [(String, CredentialsRefusal)] = [
            ("auth_failed", .authenticationFailed), ("token_revoked", .tokenRevoked),
            ("token_expired", .tokenExpired), ("device_not_approved", .deviceNotApproved),
        ]
        for (reason, refusal) in refusals {
            call = .chat()
            _ = call.receive(.opened)
            let reaction = call.receive(#"{"type":"auth_result","success":false,"reason":"\#(reason)"}"#)
            #expect(reaction.events == [.chat(.credentialsRefused(refusal))])
        }
        call = .chat()
        _ = call.receive(.opened)
        let wait = call.receive(#"{"type":"auth_result","success":false,"reason":"rate_limited"}"#)
        #expect(wait.events.isEmpty && wait.end == .refused(status: 429, retryAfter: nil, message: ""))
    }

    @Test("C5: an invalid message before the answer is a refused cursor, if there was a cursor")
    func cursor() {
        let error = #"{"type":"error","code":"invalid_message","message":"M"}"#
        var call = ClawlineCall.chat(cursor: "s_9")
        _ = call.receive(.opened)
        #expect(call.receive(error).events == [.chat(.cursorRefused)])
        call = .chat()
        _ = call.receive(.opened)
        #expect(call.receive(error).events == [.chat(.failed("M"))])
    }

    @Test("C10, C17: messages, echoes and growing replies")
    func messages() {
        var call = ClawlineCall.connected
        let growing = call.receive(
            #"{"type":"message","id":"s_1","role":"assistant","content":"Hé","timestamp":1704672000000.0,"#
                + #""streaming":true}"#)
        let time = WallTime(millisecondsSince1970: 1_704_672_000_000)
        #expect(
            growing.events == [
                .chat(
                    .message(
                        IncomingMessage(id: "s_1", role: .assistant, text: "Hé", time: time, isGrowing: true))
                )
            ])
        for (field, client) in [("", nil), (#","clientMessageId":"c_1""#, "c_1")] as [(String, ClientID?)] {
            let echo = call.receive(
                #"{"type":"message","id":"s_2","role":"user","content":"Hi","timestamp":"2024-01-08T00:00:00Z","#
                    + #""streaming":false,"deviceId":"d-1","attachments":[]\#(field)}"#)
            #expect(
                echo.events == [
                    .chat(
                        .message(
                            IncomingMessage(
                                id: "s_2", client: client, role: .user, text: "Hi", time: time,
                                device: "d-1", isGrowing: false)))
                ])
        }
        #expect(
            call.receive(#"{"type":"delta","id":"s_1","text":"x"}"#).events == [.chat(.delta("s_1", "x"))])
        #expect(call.receive(#"{"type":"ack","id":"c_1"}"#).events == [.chat(.acknowledged("c_1"))])
        let chunk = call.receive(#"{"type":"chunk","id":"s_1","index":2,"text":"x","final":true}"#)
        #expect(
            chunk.events == [
                .chat(.began("s_1", in: .main)), .chat(.chunk("s_1", index: 2, "x", isFinal: true)),
            ])
    }

    @Test("C18: typing goes both ways, and one that is too much is dropped without a word")
    func typing() {
        var call = ClawlineCall.connected
        for isActive in [true, false] {
            let typing = call.receive(#"{"type":"typing","role":"assistant","active":\#(isActive)}"#)
            #expect(typing.events == [.chat(.typing(isActive: isActive, at: nil))])
        }
        for role in ["", #""role":null,"#] {
            let typing = call.receive(#"{"type":"typing",\#(role)"active":true}"#)
            #expect(typing.events == [.chat(.typing(isActive: true, at: nil))], "nobody is named")
        }
        let malformed = call.receive(#"{"type":"typing","role":"assistant"}"#)
        #expect(malformed.events.isEmpty && malformed.skipped == 1)
        let limited = call.receive(#"{"type":"error","code":"rate_limited","message":"M"}"#)
        #expect(limited.events.isEmpty && limited.end == nil)
    }

    @Test("C18, S12: the typing of a person, or of a role that nobody knows, is not the assistant's")
    func typingOfOthers() {
        var call = ClawlineCall.connected
        for role in ["user", "system", ""] {
            for frame in [
                #"{"type":"typing","role":"\#(role)","active":true}"#,
                #"{"type":"typing","role":"\#(role)","active":false}"#,
                #"{"type":"event","event":"activity","payload":{"role":"\#(role)","isActive":true}}"#,
            ] {
                let typing = call.receive(frame)
                #expect(typing.events.isEmpty && typing.skipped == 1, "\(frame)")
            }
        }
    }

    @Test("C11: an error touches the message that it names, and no connection")
    func errors() {
        let cases: [(String, String?, Chat.Event)] = [
            ("rate_limited", "c_1", .deferred("c_1")),
            ("payload_too_large", "c_1", .rejected("c_1", reason: "M")),
            ("invalid_message", "c_1", .rejected("c_1", reason: "M")),
            ("asset_not_found", "c_1", .assetMissing("c_1", nil, reason: "M")),
            ("server_error", "c_1", .replyFailed(.question("c_1"), reason: "M")),
            ("server_error", "s_1", .replyFailed(.reply("s_1"), reason: "M")),
            ("server_error", nil, .failed("M")),
            ("session_replaced", nil, .sessionReplaced),
            ("token_revoked", nil, .credentialsRefused(.tokenRevoked)),
            ("auth_failed", nil, .credentialsRefused(.authenticationFailed)),
            ("invalid_message", nil, .failed("M")),
            ("brand_new", "c_1", .replyFailed(.question("c_1"), reason: "M")),
            ("brand_new", "s_1", .failed("M")),
            ("session_replaced", "c_1", .sessionReplaced),
        ]
        for (code, subject, event) in cases {
            var call = ClawlineCall.connected
            let named = subject.map { #","messageId":"\#($0)""# } ?? ""
            let reaction = call.receive(#"{"type":"error","code":"\#(code)","message":"M"\#(named)}"#)
            #expect(reaction.events == [.chat(event)] && reaction.end == nil, "\(code)")
        }
    }

    @Test("C11: a message that the server calls a duplicate is delivered")
    func duplicate() {
        var call = ClawlineCall.connected
        _ = call.send(.chat(.say("c_1", "Hi")))
        let duplicate = #"{"type":"error","code":"duplicate","message":"Seen.","messageId":"c_1"}"#
        #expect(call.receive(duplicate).events == [.chat(.acknowledged("c_1"))])
        let unnamed = call.receive(#"{"type":"error","code":"server_error","message":"M"}"#)
        #expect(unnamed.events == [.chat(.failed("M"))], "nothing is in flight any more")
    }

    @Test("P9: requests reach an admin; that somebody was first removes the request decided last")
    func decisions() {
        var call = ClawlineCall.connected
        let request = call.receive(
            #"{"type":"pair_approval_request","deviceId":"d-2","claimedName":"Bo","#
                + #""deviceInfo":{"platform":"iOS","model":"iPad"}}"#)
        let info = DeviceInfo(platform: "iOS", model: "iPad")
        #expect(
            request.events == [
                .pairing(.requested(PairingRequest(device: "d-2", claimedName: "Bo", info: info)))
            ])
        _ = call.send(.pairing(.decide("d-2", .deny(reason: nil))))
        _ = call.send(.pairing(.decide("d-3", .deny(reason: nil))))
        let resolved = #"{"type":"error","code":"invalid_message","message":"Already resolved"}"#
        #expect(call.receive(resolved).events == [.pairing(.resolved("d-3"))])
        #expect(call.receive(resolved).events == [.pairing(.resolved("d-2"))])
        #expect(call.receive(resolved).events == [.chat(.failed("Already resolved"))])
    }

    @Test("P9: that somebody was first is not about a device that has asked anew since it was decided about")
    func askedAnew() {
        func request(_ device: String) -> String {
            #"{"type":"pair_approval_request","deviceId":"\#(device)","deviceInfo":{"platform":"p","model":"m"}}"#
        }
        var call = ClawlineCall.connected
        _ = call.receive(request("d-2"))
        _ = call.send(.pairing(.decide("d-2", .deny(reason: nil))))  // which the server takes without a word
        _ = call.receive(request("d-2"))
        let resolved = #"{"type":"error","code":"invalid_message","message":"Already resolved"}"#
        var other = call
        #expect(other.receive(resolved).events == [.chat(.failed("Already resolved"))])
        _ = call.receive(request("d-3"))
        _ = call.send(.pairing(.decide("d-3", .approve("bo"))))
        #expect(call.receive(resolved).events == [.pairing(.resolved("d-3"))])
        #expect(call.receive(resolved).events == [.chat(.failed("Already resolved"))])
    }

    @Test("L8: no more decisions are remembered than an admin is shown requests")
    func decisionsBounded() {
        var call = ClawlineCall.connected
        for number in 0..<300 {
            _ = call.send(.pairing(.decide(DeviceID("d-\(number)"), .deny(reason: nil))))
        }
        guard case .chat(.first(.connected(let unanswered, _))) = call.progress else {
            Issue.record("not connected")
            return
        }
        #expect(unanswered.decided.count == 100 && unanswered.decided.last == "d-299")
    }
}
