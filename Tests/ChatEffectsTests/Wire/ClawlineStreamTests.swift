import ChatDomain
@testable import ChatEffects
import Testing

@Suite("Clawline: several streams")
struct ClawlineStreamTests {
    private static let main = "agent:main:clawline:user_1:main"
    private static let other = "agent:main:clawline:user_1:s_00c0ffee"

    private static func message(_ key: String?, _ id: String = "s_1") -> String {
        let named = key.map { #","sessionKey":"\#($0)""# } ?? ""
        return #"{"type":"message","id":"\#(id)","role":"assistant","content":"x","timestamp":1,"#
            + #""streaming":false\#(named),"attachments":[],"replyToMessageId":"s_0"}"#
    }

    private static func heard(_ reaction: Reaction<ChatApp.Event>, in conversation: ConversationID) -> Bool {
        let message = IncomingMessage(
            id: "s_1", conversation: conversation, role: .assistant, text: "x",
            time: WallTime(millisecondsSince1970: 1), isGrowing: false)
        return reaction.events == [.chat(.message(message))] && reaction.skipped == 0
    }

    @Test("C19: the person's main stream is the main conversation; every other stream is one of its own")
    func conversations() {
        var call = ClawlineCall.connected
        let cases: [(String?, ConversationID)] = [
            (nil, .main), ("", .main), (Self.other, ConversationID(ExactText(Self.other))),
            ("agent:main:main", "agent:main:main"), (Self.main, .main),
            // Of several agents, the first main stream is meant.
            ("agent:bob:clawline:user_1:main", "agent:bob:clawline:user_1:main"), (Self.main, .main),
        ]
        for (key, conversation) in cases {
            let reaction = call.receive(Self.message(key))
            #expect(Self.heard(reaction, in: conversation), "\(key ?? "none")")
        }
    }

    @Test("C19: which stream is the main one is learnt from whatever lists it first")
    func listed() {
        let bob = "agent:bob:clawline:user_1:main"
        let lists = [
            #"{"type":"session_info","userId":"user_1","sessionKeys":["k","\#(bob)","\#(Self.main)"]}"#,
            #"{"type":"stream_snapshot","streams":[{"sessionKey":"\#(bob)","displayName":"Personal"}]}"#,
            #"{"type":"typing","active":true,"sessionKey":"\#(bob)"}"#,
        ]
        for list in lists {
            var call = ClawlineCall.connected
            _ = call.receive(list)
            #expect(Self.heard(call.receive(Self.message(bob)), in: .main), "\(list)")
            #expect(!Self.heard(call.receive(Self.message(Self.main)), in: .main), "\(list)")
        }
        var call = ClawlineCall.chat()
        _ = call.receive(.opened)
        let accepted = call.receive(
            #"{"type":"auth_result","success":true,"replayCount":0,"sessionKeys":[7,"\#(bob)"]}"#)
        #expect(accepted.events.count == 1)
        #expect(!Self.heard(call.receive(Self.message(Self.main)), in: .main), "heard first")
        #expect(Self.heard(call.receive(Self.message(bob)), in: .main))
    }

    @Test("C19: names of streams become those of conversations; the main one keeps its own")
    func names() {
        var call = ClawlineCall.connected
        let stream = #"{"sessionKey":"\#(Self.other)","displayName":"Work","kind":"custom","orderIndex":1}"#
        let id = ConversationID(ExactText(Self.other))
        let snapshot = call.receive(
            #"{"type":"stream_snapshot","streams":[{"sessionKey":"\#(Self.main)","displayName":"Personal"},"#
                + stream + #",{"sessionKey":""},{"displayName":"x"},7,{"sessionKey":"k"}]}"#)
        #expect(snapshot.events == [.chat(.named(id, title: "Work")), .chat(.named("k", title: ""))])
        for type in ["stream_created", "stream_updated"] {
            let told = call.receive(#"{"type":"\#(type)","stream":\#(stream)}"#)
            #expect(told.events == [.chat(.named(id, title: "Work"))])
        }
    }

    @Test("C18: typing and activity say in which stream")
    func typing() {
        var call = ClawlineCall.connected
        for isActive in [true, false] {
            let typing = call.receive(
                #"{"type":"typing","role":"assistant","active":\#(isActive),"sessionKey":"k"}"#)
            let activity = call.receive(
                #"{"type":"event","event":"activity","payload":{"isActive":\#(isActive),"sessionKey":"k"}}"#)
            #expect(typing.events == [.chat(.typing(isActive: isActive, at: nil, in: "k"))])
            #expect(activity.events == typing.events)
            #expect(
                call.send(.chat(.typing(isActive, in: "k")))
                    == [#"{"type":"typing","active":\#(isActive),"sessionKey":"k"}"#])
        }
    }

    @Test(
        "C5, C19: a message and a cursor name the stream, but for the main one, which older servers never name"
    )
    func requests() {
        var call = ClawlineCall.connected
        #expect(
            call.send(.chat(.say("c_1", in: "k", "Hi")))
                == [#"{"type":"message","id":"c_1","content":"Hi","sessionKey":"k","attachments":[]}"#])
        let cursors = [
            Chat.Cursor(conversation: .main, last: "s_1"), Chat.Cursor(conversation: "k\"", last: "s_2"),
            Chat.Cursor(conversation: "j", last: ""), Chat.Cursor(conversation: "l", last: "s_3"),
        ]
        call = ClawlineCall(.chat(.connect(SecretHandle("h"), "d-1", cursors: cursors)))
        #expect(
            call.receive(.opened).frames.map(\.shown) == [
                #"{"type":"auth","protocolVersion":1,"token":"<h>","deviceId":"d-1","lastMessageId":"s_1","#
                    + #""replayCursorsBySessionKey":{"k\"":"s_2","l":"s_3"}}"#
            ])
        call = ClawlineCall(.chat(.connect(SecretHandle("h"), "d-1", cursors: [cursors[3]])))
        #expect(
            call.receive(.opened).frames.map(\.shown) == [
                #"{"type":"auth","protocolVersion":1,"token":"<h>","deviceId":"d-1","#
                    + #""replayCursorsBySessionKey":{"l":"s_3"}}"#
            ])
    }

    @Test("C5: a reset that only says that a stream has no cursor withdraws nothing")
    func resets() {
        let main = Chat.Cursor(conversation: .main, last: "s_1")
        let other = Chat.Cursor(conversation: ConversationID(ExactText(Self.other)), last: "s_2")
        let keys = #","sessionKeys":["\#(Self.main)","\#(Self.other)"]"#
        let cases: [([Chat.Cursor], String, Bool)] = [
            ([], "", false), ([main], "", true), ([], keys, false), ([main], keys, false),
            ([other], keys, false),
            ([main, other], keys, true), ([main, other], "", true),
        ]
        for (cursors, listed, isReset) in cases {
            var call = ClawlineCall(.chat(.connect(SecretHandle("h"), "d-1", cursors: cursors)))
            _ = call.receive(.opened)
            let answer = call.receive(
                #"{"type":"auth_result","success":true,"replayCount":3,"historyReset":true\#(listed)}"#)
            #expect(
                answer.events == [
                    .chat(.authenticated(replayCount: 3, isTruncated: false, isReset: isReset))
                ], "\(cursors.count) \(listed)")
        }
    }

    @Test("C10: a newer server names the sender and the key of an echo")
    func echo() {
        var call = ClawlineCall.connected
        let reaction = call.receive(
            #"{"type":"message","id":"s_2","role":"user","content":"Hi","timestamp":1,"streaming":false,"#
                + #""deviceId":"d-2","clientMessageId":"c_1","sender":" Kay\u202e "}"#)
        let message = IncomingMessage(
            id: "s_2", client: "c_1", role: .user, text: "Hi", time: WallTime(millisecondsSince1970: 1),
            device: "d-2", isGrowing: false, sender: "Kay")
        #expect(reaction.events == [.chat(.message(message))])
    }

    // MARK: The token

    private static func token(_ claims: String) -> String {
        let letters = Base64.encode(Array(claims.utf8)).string.map { letter in
            switch letter {
            case "+": "-"
            case "/": "_"
            default: String(letter)
            }
        }
        return "eyJhbGciOiJIUzI1NiJ9." + letters.filter { $0 != "=" }.joined() + ".c2ln"
    }

    private static func isAdmin(_ token: String, _ member: String = "") -> Bool? {
        var call = ClawlineCall.pairing
        _ = call.receive(.opened)
        let reaction = call.receive(
            #"{"type":"pair_result","success":true,"token":"\#(token)","userId":"user_1"\#(member)}"#)
        guard case .pairing(.granted(_, "user_1", let isAdmin)) = reaction.events.first else { return nil }
        return isAdmin
    }

    @Test("P9: whether the person is an admin stands in the token, where no member says it")
    func admin() {
        #expect(Self.isAdmin(Self.token(#"{"sub":"user_1","isAdmin":true,"name":"Zoë?>~"}"#)) == true)
        for name in ["", "k", "ka"] {  // of the three lengths that base64 pads differently
            #expect(Self.isAdmin(Self.token(#"{"isAdmin":true,"name":"\#(name)"}"#)) == true, "\(name)")
        }
        #expect(Self.isAdmin(Self.token(#"{"sub":"user_1","isAdmin":false}"#)) == false)
        #expect(Self.isAdmin(Self.token(#"{"isAdmin":true}"#), #","isAdmin":false"#) == false)
        #expect(Self.isAdmin(Self.token(#"{"isAdmin":false}"#), #","isAdmin":true"#) == true)
    }

    @Test("P4: a token of any other kind lets in as well, and says nothing")
    func opaque() {
        let deep = String(repeating: "[", count: 5_000)
        for token in [
            "t", ".", "..", "a.b.c", "a.!!!!.c", "a.eyJ.c", Self.token("{"), Self.token(deep),
            Self.token(#"{"isAdmin":"true"}"#), Self.token("[true]"),
            Self.token(#"{"isAdmin":true}"#) + ".x", "a." + String(repeating: "A", count: 20_000) + ".c",
        ] { #expect(Self.isAdmin(token) == false, "\(token.prefix(40))") }
    }
}
