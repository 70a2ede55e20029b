// Which question a run or a history answers when there are several, and replies that are whole or over.

@testable import ChatDomain
@testable import ChatEffects
import Testing

@Suite("OpenClaw gateway: whose answer it is")
struct OpenClawAnswerTests {
    private typealias Wire = OpenClawLinkTests

    /// A connection with these questions, which are accepted, and answered by runs of their own names.
    private static func asked(_ questions: ClientID...) -> LinkCall<OpenClawLink> {
        var call = Wire.connected()
        for (number, question) in questions.enumerated() {
            _ = call.send(.say(question, "a"))
            _ = call.receive(
                Wire.answer(number + 2, #"{"runId":"\#(question.text.string)","status":"started"}"#))
        }
        return call
    }

    @Test("L6, L4: an acknowledgement that comes after the end of its run asks for no history")
    func acknowledgedAfterEnd() {
        var call = Wire.connected()
        _ = call.send(.say("c_1", "a"))
        #expect(
            call.receive(Wire.chat("final", Wire.text("A."), run: "c_1")).events
                == [Wire.reply("A.", isGrowing: false, run: "c_1")])
        let heard = call.receive(Wire.answer(2, #"{"runId":"c_1","status":"ok"}"#))
        #expect(heard == LinkCall.Heard(events: [.acknowledged("c_1")]))
    }

    @Test(
        "C5: a reply whose whole text came behind a gap is completed by no other with the same beginning",
        arguments: [Wire.text("abcd"), #","deltaText":"abcd","replace":true"#])
    func wholeBehindGap(whole: String) {
        var call = Wire.connected()
        _ = call.receive(Wire.chat("delta", #","deltaText":"ab""#, place: 5))
        #expect(call.receive(Wire.chat("delta", #","deltaText":"d""#, place: 7)).events.first == .gap)
        #expect(
            call.receive(Wire.chat("delta", whole, place: 8)).events
                == [Wire.reply("abcd", isGrowing: true)])
        _ = call.send(.refetch(cursors: []))
        let history = Wire.history(("user", "earlier"), ("assistant", "about"))
        #expect(call.receive(Wire.answer(2, history)).events == [.refetched])
    }

    @Test("C12, C8: the earlier of two questions whose runs have yielded has the first answer")
    func twoYielded() {
        var call = Self.asked("c_1", "c_2")
        for run in ["c_1", "c_2"] {
            #expect(call.receive(Wire.chat("final", #","yielded":true"#, run: run)) == LinkCall.Heard())
        }
        #expect(
            call.receive(Wire.chat("final", Wire.text("A."), run: "next")).events
                == [Wire.reply("A.", isGrowing: false, run: "next", to: "c_1")])
        #expect(
            call.receive(Wire.chat("final", Wire.text("B."), run: "last")).events
                == [Wire.reply("B.", isGrowing: false, run: "last", to: "c_2")])
    }

    @Test("C16, C5: behind a gap, an answer after that of a later question completes no earlier one")
    func answerBehindLater() {
        for (first, completed) in [
            (nil, []), ("One", [Wire.reply("One", isGrowing: false, run: "c_1")]),
        ] as [(String?, [Chat.Event])] {
            var call = Self.asked("c_1", "c_2", "c_3")
            _ = call.receive(Wire.chat("final", Wire.text("Two"), run: "c_2", place: 1))
            _ = call.receive(Wire.chat("final", Wire.text("Three"), run: "c_3", place: 3))
            _ = call.send(.refetch(cursors: []))
            let messages = [first, "Two", "of another device", "Three"].compactMap { $0 }.map {
                #"{"role":"user","content":"a"},{"role":"assistant","content":"\#($0)"}"#
            }
            let history = #"{"messages":[\#(messages.joined(separator: ","))]}"#
            #expect(call.receive(Wire.answer(5, history)).events == completed + [.refetched])
        }
    }
}
