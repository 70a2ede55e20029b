import ChatDomain
@testable import ChatEffects
import Testing

@Suite("Clawline: hostile frames")
struct ClawlineHostileTests {
    static let malformed = [
        "", " ", "{", "[]", "null", "1", #""message""#, "{}", #"{"type":1}"#, #"{"type":"unheard_of"}"#,
        #"{"type":"message"}"#, #"{"type":"message","id":"s_1","role":"assistant","content":"x"}"#,
        #"{"type":"message","id":"","role":"assistant","content":"x","timestamp":1}"#,
        #"{"type":"message","id":"s_1","role":"wizard","content":"x","timestamp":1}"#,
        #"{"type":"message","id":"s_1","role":"user","content":7,"timestamp":1}"#,
        #"{"type":"message","id":"s_1","role":"user","content":"x","timestamp":"yesterday"}"#,
        #"{"type":"message","id":"s_1","role":"user","content":"x","timestamp":1e300}"#,
        #"{"type":"delta","id":"s_1"}"#, #"{"type":"ack"}"#, #"{"type":"ack","id":null}"#,
        #"{"type":"error"}"#, #"{"type":"pair_approval_request"}"#, #"{"type":"ack","id":"c_1"}{}"#,
        #"{"type":"auth_result","success":true}"#, #"{"type":"pair_result","success":true}"#,
    ]

    @Test("S12: a malformed, unknown or misplaced event is counted and nothing else", arguments: malformed)
    func skipped(_ text: String) {
        var call = ClawlineCall.connected
        let before = call.progress
        let reaction = call.receive(text)
        #expect(
            reaction.skipped == 1 && reaction.frames.isEmpty
                && reaction.events.allSatisfy { $0 == .chat(.unreadableMessage) })
        #expect(reaction.end == nil && call.progress == before)
    }

    @Test("L8: a name of more than 1,024 bytes names nothing")
    func longNames() {
        let frames = [
            #"{"type":"message","id":"NAME","role":"user","content":"x","timestamp":1}"#,
            #"{"type":"message","id":"s_1","role":"user","content":"x","timestamp":1,"sessionKey":"NAME"}"#,
            #"{"type":"chunk","id":"NAME","index":0,"text":"x"}"#,
            #"{"type":"chunk","id":"s_1","index":0,"text":"x","sessionKey":"NAME"}"#,
            #"{"type":"typing","active":true,"sessionKey":"NAME"}"#,
            #"{"type":"stream_created","stream":{"sessionKey":"NAME"}}"#,
        ]
        for (length, isName) in [(1_024, true), (1_025, false)] {
            let name = String(repeating: "n", count: length)
            for frame in frames {
                var call = ClawlineCall.connected
                let reaction = call.receive(frame.replacing("NAME", with: name))
                #expect(reaction.skipped == (isName ? 0 : 1), "\(length): \(frame)")
                #expect(reaction.events.contains { $0 != .chat(.unreadableMessage) } == isName, "\(frame)")
            }
        }
    }

    @Test("S12: an answer without a token, with an unknown reason, or of no kind leaves pairing waiting")
    func pairingSkipped() {
        var call = ClawlineCall.pairing
        _ = call.receive(.opened)
        for text in [
            #"{"type":"pair_result","success":true,"userId":"u"}"#,
            #"{"type":"pair_result","success":true,"token":"","userId":"u"}"#,
            #"{"type":"pair_result","success":true,"token":"t","userId":""}"#,
            #"{"type":"pair_result","success":false,"reason":"pair_moon"}"#,
            #"{"type":"pair_result","success":"true"}"#,
            #"{"type":"ack","id":"c_1"}"#, #"{"type":"error","code":"brand_new"}"#,
        ] {
            let reaction = call.receive(text)
            #expect(reaction.skipped == 1 && reaction.events.isEmpty && reaction.end == nil, "\(text)")
        }
        #expect(call.progress == .pairing(.waiting))
    }

    @Test("S12: nothing is taken for a message before the token was answered")
    func early() {
        var call = ClawlineCall.chat()
        _ = call.receive(.opened)
        let text = #"{"type":"message","id":"s_1","role":"user","content":"x","timestamp":1}"#
        #expect(call.receive(text).events.isEmpty)
        #expect(call.receive(#"{"type":"auth_result","success":false,"reason":"moon"}"#).skipped == 1)
        #expect(call.progress == .chat(.first(.authenticating(after: []))))
    }

    @Test("L8: a message over 1 MiB is passed over and told, and ends nothing; one of 1 MiB is read")
    func tooLarge() {
        var call = ClawlineCall.connected
        let start = #"{"type":"delta","id":"s_1","text":""#
        let limit = Int(Clawline.frameLimit)
        let fitting = start + String(repeating: "x", count: limit - start.utf8.count - 2) + "\"}"
        #expect(fitting.utf8.count == limit)
        let read = call.receive(fitting)
        #expect(read.events.count == 1 && read.events != [.chat(.oversizedMessage)] && read.skipped == 0)
        let before = call.progress
        for arrival in [.text(Array((fitting + " ").utf8)), .tooLong] as [Arrival] {
            let reaction = call.receive(arrival)
            #expect(reaction.events == [.chat(.oversizedMessage)] && reaction.skipped == 1)
            #expect(reaction.end == nil && call.progress == before)
        }
        #expect(call.receive(#"{"type":"ack","id":"c_1"}"#).events == [.chat(.acknowledged("c_1"))])
        for other in [ClawlineCall.pairing, .chat()] {
            var early = other
            _ = early.receive(.opened)
            for arrival in [.text(Array((fitting + " ").utf8)), .tooLong] as [Arrival] {
                let reaction = early.receive(arrival)
                #expect(reaction.events.isEmpty && reaction.skipped == 1 && reaction.end == nil)
            }
        }
    }

    @Test("L8: a server's sentence is cut before it is shown")
    func longSentence() {
        var call = ClawlineCall.connected
        let long = String(repeating: "x", count: 5_000)
        let reaction = call.receive(#"{"type":"error","code":"server_error","message":"\#(long)"}"#)
        #expect(reaction.events == [.chat(.failed(ExactText(String(repeating: "x", count: 1_024))))])
    }

    @Test("S12: every cut and every changed byte of a frame is survived")
    func mutilated() {
        let frame = Array(
            (#"{"type":"message","id":"s_1","role":"assistant","content":"a\u00e9","timestamp":17,"#
                + #""streaming":true,"deviceId":"d"}"#).utf8)
        var call = ClawlineCall.connected
        for end in frame.indices { #expect(call.receive(.text(Array(frame[..<end]))).skipped == 1) }
        for index in frame.indices {
            for byte in [0x00, 0x22, 0x5C, 0x7B, 0xFF] as [UInt8] {
                var changed = frame
                changed[index] = byte
                let reaction = call.receive(.text(changed))
                #expect(reaction.end == nil && reaction.events.count + Int(reaction.skipped) == 1)
            }
        }
    }

    @Test("Text that is no Unicode is mended, so that the message is not lost")
    func mended() {
        var call = ClawlineCall.connected
        var frame = Array(#"{"type":"delta","id":"s_1","text":"a?b"}"#.utf8)
        frame[frame.count - 4] = 0xFF
        #expect(call.receive(.text(frame)).events == [.chat(.delta("s_1", "a\u{FFFD}b"))])
    }

    @Test("Arrivals that a socket does not have are counted")
    func foreign() {
        var call = ClawlineCall.connected
        for arrival in [.head(status: 200, headers: []), .body([1]), .sent(1, of: 2)] as [Arrival] {
            #expect(call.receive(arrival).skipped == 1)
        }
        let life = call.receive(.signOfLife)
        #expect(life.skipped == 0 && life.events == [.chat(.alive)])
    }
}
