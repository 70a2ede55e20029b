import ChatDomain
@testable import ChatEffects
import TestVolume
import Testing

@Suite("Clawdbot envelope")
struct ClawdbotLinkTests {
    private typealias Call = LinkCall<ClawdbotLink>

    private static var connected: Call {
        var call = Call(ClawdbotLink())
        _ = call.receive(.opened)
        return call
    }

    private static func envelope(_ type: String, _ payload: String, _ sequence: Int64 = 1) -> String {
        #"{"version":"1.0","type":"\#(type)","sequence":\#(sequence),"payload":\#(payload),"serverTimestamp":null}"#
    }

    private static let time = WallTime(millisecondsSince1970: 1_706_616_000_000)

    /// Each message of the protocol, and what it means.
    private static let messages: [(String, [Chat.Event])] = [
        (
            envelope(
                "chat.message",
                #"{"id":{"value":"msg-2"},"content":"Hi","sender":{"type":"bot","name":"Opta"},"#
                    + #""timestamp":"2024-01-30T12:00:00Z","status":"delivered","threadID":null,"replyTo":null}"#,
                2),
            [
                .message(
                    IncomingMessage(
                        id: "msg-2", conversation: nil, role: .assistant, text: "Hi", time: time,
                        isGrowing: false, sender: "Opta"))
            ]
        ),
        (
            envelope(
                "chat.message",
                #"{"id":"c_1","content":"Hé","sender":{"type":"user","name":"Kay"},"#
                    + #""timestamp":1706616000000.0,"threadID":"work"}"#),
            [
                .message(
                    IncomingMessage(
                        id: "c_1", conversation: "work", client: "c_1", role: .user, text: "Hé", time: time,
                        isGrowing: false))
            ]
        ),
        (
            envelope("message.ack", #"{"messageID":{"value":"c_1"},"status":"received"}"#),
            [.acknowledged("c_1")]
        ),
        (envelope("message.ack", #"{"messageID":"c_1","status":"processed"}"#), [.acknowledged("c_1")]),
        (
            envelope("message.ack", #"{"messageID":"c_1","status":"error"}"#),
            [.replyFailed(.question("c_1"), reason: "")]
        ),
        (
            envelope(
                "bot.state",
                #"{"state":"thinking","botName":"Opta","detail":null,"timestamp":"2024-01-30T12:00:00.000Z"}"#,
                10),
            [.typing(isActive: true, at: time, in: nil)]
        ),
        (
            envelope(
                "chat.message",
                #"{"id":"msg-4","content":"Hi","sender":{"type":"bot"},"timestamp":"2024-01-30T12:00:00Z","#
                    + #""replyTo":{"value":"c_1"}}"#),
            [
                .message(
                    IncomingMessage(
                        id: "msg-4", conversation: nil, role: .assistant, text: "Hi", time: time,
                        isGrowing: false, question: "c_1"))
            ]
        ),
        (
            // Only a person's message is an echo, whatever its id.
            envelope(
                "chat.message",
                #"{"id":"c_1","content":"Hé","sender":{"type":"system","name":"Opta"},"#
                    + #""timestamp":"2024-01-30T12:00:00Z","replyTo":"c_1"}"#),
            [
                .message(
                    IncomingMessage(
                        id: "c_1", conversation: nil, role: .system, text: "Hé", time: time,
                        isGrowing: false, sender: "Opta"))
            ]
        ),
        (envelope("bot.state", #"{"state":"toolUse"}"#), [.typing(isActive: true, at: nil, in: nil)]),
        (envelope("bot.state", #"{"state":"typing"}"#), [.typing(isActive: true, at: nil, in: nil)]),
        (envelope("bot.state", #"{"state":"idle"}"#), [.typing(isActive: false, at: nil, in: nil)]),
        (
            envelope(
                "streaming.chunk",
                #"{"messageID":{"value":"msg-2"},"chunkIndex":3,"content":"Hello ","isFinal":false}"#, 15),
            [.began("msg-2", in: nil), .chunk("msg-2", index: 3, "Hello ", isFinal: false)]
        ),
        (
            envelope(
                "streaming.chunk",
                #"{"messageID":"msg-2","chunkIndex":4.0,"content":"","isFinal":true,"threadID":{"value":"work"}}"#
            ),
            [.began("msg-2", in: "work"), .chunk("msg-2", index: 4, "", isFinal: true)]
        ),
        (envelope("system.ping", #"{"timestamp":"2024-01-30T12:00:00Z"}"#, 100), [.alive]),
        (envelope("system.pong", "{}"), [.alive]),
        (envelope("system.error", #"{"code":"busy","message":"Not now."}"#), [.failed("Not now.")]),
        (envelope("system.error", #"{"code":"busy"}"#), [.failed("busy")]),
        (
            // Its time is that of the envelope.
            #"{"version":"1.0","type":"chat.message","sequence":16,"payload":{"id":"msg-5","content":"Hi","#
                + #""sender":{"type":"bot"}},"serverTimestamp":"2024-01-30T12:00:01Z"}"#,
            [
                .message(
                    IncomingMessage(
                        id: "msg-5", conversation: nil, role: .assistant, text: "Hi",
                        time: time + .seconds(1), isGrowing: false))
            ]
        ),
    ]

    @Test("C10, C17, C18: every message of a server, as bytes in any two pieces, means the same")
    func messages() {
        let bytes = Self.messages.flatMap { WebSocketPeers(role: .client).text($0.0) }
        var whole = Self.connected
        let heard = whole.replay(bytes)
        #expect(heard.map(\.events) == Self.messages.map(\.1) && heard.allSatisfy { $0.skipped == 0 })
        for cut in stride(from: 1, to: bytes.count, by: thoroughly(1, otherwise: 7)) {
            var call = Self.connected
            #expect(call.replay(bytes, cutAt: [cut]) == heard && call.progress == whole.progress)
        }
        var drip = Self.connected
        #expect(drip.replay(bytes, cutAt: Array(1..<bytes.count)) == heard)
    }

    @Test("C1: a connection is ready once it is open, and a ping is answered under its own sequence")
    func connects() {
        var call = Call(ClawdbotLink(path: "/bot"))
        #expect(call.link.connect(SecretHandle("h"), "d", cursors: []).exchange == .socket(path: "/bot"))
        #expect(
            call.receive(.opened).events
                == [.opened, .authenticated(replayCount: 0, isTruncated: false, isReset: false)])
        #expect(call.receive(.opened).skipped == 1)
        #expect(
            call.receive(Self.envelope("system.ping", #"{"timestamp":"T"}"#, 100)).frames
                == [#"{"version":"1.0","type":"system.pong","sequence":100,"payload":{"timestamp":"T"}}"#])
        #expect(
            call.receive(Self.envelope("system.ping", "null", 7)).frames
                == [#"{"version":"1.0","type":"system.pong","sequence":7,"payload":{}}"#])
        #expect(call.receive(.signOfLife).events == [.alive])
        let numbers = Chat.Configuration.clawdbot
        #expect(numbers.slowAfter + numbers.lostAfterSlow == .seconds(30) && !numbers.takesFiles)
        #expect(numbers.backoff.first == .seconds(1) && numbers.backoff.greatest == .seconds(10))
    }

    @Test("C7, C19: a message has its key as id, counts up, and names its thread")
    func says() {
        var call = Self.connected
        #expect(
            call.send(.say("c_1", "Hi \"you\"")).frames == [
                #"{"version":"1.0","type":"chat.message","sequence":1,"payload":{"id":{"value":"c_1"},"#
                    + #""content":"Hi \"you\"","sender":{"type":"user"},"threadID":null,"replyTo":null}}"#
            ])
        let second = call.send(.say("c_2", in: "work", "Hi")).frames.first
        #expect(
            second?.contains(#""sequence":2,"#) == true && second?.contains(#""threadID":"work""#) == true)
        #expect(call.send(.typing(true)) == Call.Heard() && call.send(.refetch(cursors: [])) == Call.Heard())
        #expect(call.send(.decide("d", .deny(reason: nil))).skipped == 1)
    }

    @Test("C14: files are not taken, and say so")
    func files() {
        let file = Chat.Attachment(
            id: "f", owner: "u", kind: .image, mimeType: "image/png", name: "a.png", byteCount: 1,
            source: .inline)
        var call = Self.connected
        let said = call.send(.say("c_1", "a.png", attachments: [file]))
        #expect(
            said.frames.isEmpty && said.events == [.rejected("c_1", reason: "This server takes no files.")])
        var upload = Call(uploading: ClawdbotLink())
        #expect(upload.receive(.opened).end == .refused(status: 415, retryAfter: nil, message: ""))
        #expect(upload.receive(.ended(.failed(.lost))).end == nil)
    }

    @Test(
        "S12, C16: a message without a readable time has the last one that was told",
        arguments: ["null", "1e400"])
    func untimed(time: String) {
        var call = Self.connected
        _ = call.receive(Self.envelope("bot.state", #"{"state":"idle","timestamp":"2024-01-30T12:00:00Z"}"#))
        let message = #"{"id":"x","content":"Hi","sender":{"type":"bot"},"timestamp":\#(time)}"#
        #expect(
            call.receive(Self.envelope("chat.message", message)).events == [
                .message(
                    IncomingMessage(
                        id: "x", conversation: nil, role: .assistant, text: "Hi",
                        time: WallTime(millisecondsSince1970: 1_706_616_000_000), isGrowing: false))
            ])
    }

    @Test(
        "S12: an unknown type or word is skipped; one that is missing is malformed; nothing ends the connection"
    )
    func hostile() {
        for unknown in [
            Self.envelope("party.time", "{}"), Self.envelope("bot.state", #"{"state":"dancing"}"#),
            Self.envelope("message.ack", #"{"messageID":"c_1","status":"moon"}"#),
        ] {
            var call = Self.connected
            #expect(call.receive(unknown) == Call.Heard(skipped: 1), "\(unknown)")
        }
        for malformed in [
            "", "{", "[]", "null", "7", #"{"version":"1.0","sequence":1,"payload":{}}"#, #"{"type":7}"#,
            #"{"type":"chat.message"}"#, Self.envelope("chat.message", "[]"),
            Self.envelope(
                "chat.message", #"{"id":{"value":""},"content":"x","sender":{"type":"bot"},"timestamp":1}"#),
            Self.envelope("chat.message", #"{"id":"x","content":"x","sender":{"type":"cat"},"timestamp":1}"#),
            Self.envelope("chat.message", #"{"id":"x","content":"x","sender":"bot","timestamp":1}"#),
            Self.envelope("streaming.chunk", #"{"messageID":"x","chunkIndex":1.5,"content":"x"}"#),
            Self.envelope("streaming.chunk", #"{"messageID":"x","chunkIndex":1e30,"content":"x"}"#),
            Self.envelope("message.ack", "{}"), Self.envelope("bot.state", "null"),
        ] {
            var call = Self.connected
            #expect(
                call.receive(malformed) == Call.Heard(events: [.unreadableMessage], skipped: 1),
                "\(malformed)")
        }
        let frame = Array(Self.messages[0].0.utf8)
        for index in frame.indices {
            for byte in [0x00, 0x22, 0x7B, 0xFF] as [UInt8] {
                var changed = frame
                changed[index] = byte
                var call = Self.connected
                let heard = call.receive(.text(changed))
                #expect(heard.end == nil && heard.events.count + Int(heard.skipped) >= 1)
            }
        }
    }

    @Test("L8: a message over 1 MiB is told and ends nothing; a sentence is cut")
    func tooLarge() {
        var call = Self.connected
        for arrival in [.tooLong, .text([UInt8](repeating: 0x20, count: 1_048_577))] as [Arrival] {
            #expect(call.receive(arrival) == Call.Heard(events: [.oversizedMessage], skipped: 1))
        }
        let long = String(repeating: "x", count: 5_000)
        let error = call.receive(Self.envelope("system.error", #"{"message":"\#(long)"}"#))
        #expect(error.events == [.failed(ExactText(String(repeating: "x", count: 1_024)))])
        for arrival in [.head(status: 200, headers: []), .body([1]), .sent(1, of: 2)] as [Arrival] {
            #expect(call.receive(arrival).skipped == 1)
        }
        #expect(call.receive(.ended(.completed)) == Call.Heard())
    }
}
