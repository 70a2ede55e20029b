// Every frame that a server can say, sensible or not, at every place of the story: out of order, twice, late, for
// ids that nobody knows, with fields that are empty or enormous. Nothing traps, nothing that was written is lost,
// and what was said twice is shown once.

@testable import ChatDomain
@testable import ChatEffects
import TestVolume
import Testing

@Suite("Bad input from a server")
struct BadInputTests {
    /// The places at which a frame may arrive.
    static let places = [
        "waiting for approval", "connecting", "idle", "sending", "accepted", "growing",
        "in two conversations",
        "reconnected",
    ]

    /// Frames with places for an id that is known, a client id that is known, and a long text.
    static let frames = [
        #"{"type":"pair_result","success":true,"token":"t","userId":"u"}"#,
        #"{"type":"pair_result","success":false,"reason":"pair_denied"}"#,
        #"{"type":"pair_approval_request","deviceId":"ID","claimedName":"LONG","deviceInfo":{}}"#,
        #"{"type":"auth_result","success":true,"userId":"","replayCount":9223372036854775807}"#,
        #"{"type":"auth_result","success":true,"replayCount":-1,"historyReset":true,"replayTruncated":true}"#,
        #"{"type":"ack","id":"CLIENT"}"#, #"{"type":"ack","id":"c_unknown"}"#, #"{"type":"ack","id":""}"#,
        #"{"type":"message","id":"ID","role":"assistant","content":"LONG","timestamp":0,"streaming":true}"#,
        #"{"type":"message","id":"ID","role":"assistant","content":"","timestamp":0,"streaming":false}"#,
        #"{"type":"message","id":"ID","role":"user","content":"Hello","timestamp":9e18,"streaming":false}"#,
        #"{"type":"message","id":"s_new","role":"user","content":"","timestamp":-9e18,"deviceId":""}"#,
        #"{"type":"message","id":"s_new","role":"assistant","content":"LONG","timestamp":1,"sessionKey":"zoo"}"#,
        #"{"type":"message","id":"s_sys","role":"system","content":"a\u0000b","timestamp":"not a time"}"#,
        #"{"type":"delta","id":"ID","text":"LONG"}"#, #"{"type":"delta","id":"s_other","text":""}"#,
        #"{"type":"chunk","id":"ID","index":9223372036854775807,"text":"x","final":true}"#,
        #"{"type":"chunk","id":"s_chunk","index":3,"text":"LONG","final":false}"#,
        #"{"type":"chunk","id":"s_chunk","index":-1,"text":"","sessionKey":"zoo"}"#,
        #"{"type":"typing","role":"assistant","active":true}"#,
        #"{"type":"typing","active":true,"sessionKey":"LONG"}"#,
        #"{"type":"error","code":"rate_limited","message":"","messageId":"CLIENT"}"#,
        #"{"type":"error","code":"asset_not_found","message":"LONG","messageId":"CLIENT"}"#,
        #"{"type":"error","code":"server_error","message":"LONG","messageId":"ID"}"#,
        #"{"type":"error","code":"server_error","message":"no","messageId":"c_unknown"}"#,
        #"{"type":"error","code":"LONG","message":"LONG"}"#, #"{"type":"LONG"}"#, #"{"type":7}"#, "[]", "",
        "{", "\u{FEFF}{}", #"{"type":"ack","id":{"id":{"id":[[[[]]]]}}}"#,
    ]

    private static func loop(_ place: String) -> AppLoop {
        if place == "waiting for approval" {
            var loop = AppLoop.fresh()
            loop.pair()
            loop.advance(by: .seconds(1))
            return loop
        }
        var loop = AppLoop.connected()
        switch place {
        case "connecting":
            loop.server.dropConnections()
            loop.advance(by: .milliseconds(1))
            loop.say("Hello")
            loop.advance(by: .milliseconds(1_900))
        case "sending": loop.say("Hello")
        case "accepted":
            loop.say("Hello")
            loop.advance(by: .seconds(1))
        case "growing":
            loop.say("Hello")
            loop.advance(by: .milliseconds(1_600))
        case "in two conversations":
            loop.say("Hello")
            loop.send(.chat(.conversationCreated(title: "Work")))
            loop.say("Hello work")
            loop.advance(by: .milliseconds(1_600))
        case "reconnected":
            loop.say("Hello")
            loop.advance(by: .seconds(5))
            loop.server.dropConnections()
            loop.advance(by: .seconds(5))
        default: break
        }
        return loop
    }

    private static func bytes(_ frame: String, _ loop: AppLoop) -> [UInt8] {
        var text = frame
        let chat = loop.state.chat
        let conversations = [chat.conversation] + chat.others
        let known = conversations.flatMap { $0.growing.map { $0.id } }.first
        let client = conversations.flatMap { conversation in
            conversation.transcript.rows.compactMap { $0.value.wrappedValue.client }
        }.first
        text = text.replacing("CLIENT", with: client?.text.string ?? "c_nobody")
        text = text.replacing("ID", with: known?.text.string ?? "s_nobody")
        // Combining marks on one letter, a bidirectional override, and more than any name may have.
        let long = "e" + String(repeating: "\u{301}", count: 10_000) + "\u{202E}"
        return Array(text.replacing("LONG", with: long).utf8)
    }

    /// What the person has written, wherever it can be seen.
    private static func written(_ state: ChatApp.State) -> [String] {
        ([state.chat.conversation] + state.chat.others).flatMap { conversation -> [String] in
            var view = state.chat
            view.conversation = conversation
            let rows = Chat.rows(view, newest: 100, .neutral)
            return rows.filter { if case .written = $0.id { true } else { false } }.map { $0.text.string }
        }
    }

    @Test(
        "L1, L5, S12: any frame at any place, once and twice, loses nothing and traps nothing",
        arguments: thoroughly(places, otherwise: ["idle", "accepted", "growing"]))
    func anyFrame(place: String) {
        let start = Self.loop(place)
        let before = Self.written(start.state)
        for frame in Self.frames {
            for call in start.machine.openCalls {
                var machine = start.machine
                let bytes = Self.bytes(frame, start)
                machine.receive(.arrived(call.number, .text(bytes)), at: start.moment)
                let once = Self.written(machine.state)
                #expect(before.allSatisfy { once.contains($0) }, "\(frame.prefix(80)) at \(place)")
                machine.receive(.arrived(call.number, .text(bytes)), at: start.moment)
                let twice = Self.written(machine.state)
                #expect(once == twice, "\(frame.prefix(80)) twice at \(place)")
                machine.advance(to: start.moment + .hours(1))
                #expect(
                    before.allSatisfy { Self.written(machine.state).contains($0) },
                    "\(frame.prefix(80)) later")
            }
        }
    }

    @Test(
        "L1, L4: pairs of frames in any order, at any place, trap nothing and lose nothing",
        arguments: thoroughly(places, otherwise: ["accepted", "growing"]))
    func anyPair(place: String) {
        let start = Self.loop(place)
        let before = Self.written(start.state)
        let frames = Self.frames.filter { !$0.contains("LONG") }.map { Self.bytes($0, start) }
        for call in start.machine.openCalls {
            for first in frames {
                for second in frames {
                    var machine = start.machine
                    machine.receive(.arrived(call.number, .text(first)), at: start.moment)
                    machine.receive(.arrived(call.number, .text(second)), at: start.moment)
                    #expect(before.allSatisfy { Self.written(machine.state).contains($0) })
                }
            }
        }
    }

    @Test("L4: an arrival on a call that has ended changes nothing", arguments: places)
    func late(place: String) {
        var loop = Self.loop(place)
        let calls = loop.machine.openCalls.map { $0.number }
        loop.server.dropConnections()
        loop.send(.backgrounded)
        loop.advance(by: .seconds(3))
        let ended = calls.filter { number in !loop.machine.openCalls.contains { $0.number == number } }
        #expect(!ended.isEmpty, "no call has ended at \(place)")
        for frame in Self.frames {
            for number in ended {
                var machine = loop.machine
                machine.receive(.arrived(number, .text(Self.bytes(frame, loop))), at: loop.moment)
                #expect(machine.state == loop.state, "\(frame.prefix(80)) at \(place)")
            }
        }
    }
}
