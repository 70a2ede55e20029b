// What an OpenClaw gateway says of a run that has ended already.

@testable import ChatDomain
@testable import ChatEffects
import Testing

@Suite("OpenClaw gateway: runs that have ended")
struct OpenClawRunEndTests {
    private typealias Wire = OpenClawLinkTests

    @Test(
        "C17: a run that begins anew after its end has the text from then on",
        arguments: ["final", "aborted", "error"])
    func beginsAnew(end: String) {
        var call = Wire.connected()
        _ = call.receive(Wire.chat("delta", #","deltaText":"Hel""#))
        _ = call.receive(Wire.chat(end, Wire.text("Hello")))
        for (piece, text) in [("B", "B"), ("ye", "Bye")] as [(String, ExactText)] {
            let heard = call.receive(Wire.chat("delta", #","deltaText":"\#(piece)""#))
            #expect(heard.events == [Wire.reply(text, isGrowing: true)])
        }
    }

    @Test("C12, L4: a second end without words asks for nothing, after a failure or another run's answer")
    func endsAgain() {
        for state in ["error", "aborted"] {
            var call = Wire.connected()
            _ = call.receive(Wire.chat(state))
            #expect(call.receive(Wire.chat("final")) == LinkCall.Heard(), "\(state)")
        }
        // Another run has answered the question of the one that yielded.
        var call = Wire.connected()
        _ = call.send(.say("c_1", "a"))
        _ = call.receive(Wire.answer(2, #"{"runId":"c_1","status":"started"}"#))
        _ = call.receive(Wire.chat("final", #","yielded":true"#, run: "c_1"))
        #expect(
            call.receive(Wire.chat("final", Wire.text("A."), run: "next")).events
                == [Wire.reply("A.", isGrowing: false, run: "next", to: "c_1")])
        #expect(call.receive(Wire.chat("final", run: "c_1")) == LinkCall.Heard())
    }
}
