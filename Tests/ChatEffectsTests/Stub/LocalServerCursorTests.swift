// What the in-process backend replays to a client that knows some of its conversations.

import ChatDomain
@testable import ChatEffects
import Testing

@Suite("In-process backend, cursors")
struct LocalServerCursorTests {
    @Test("C5, C19: beside a conversation with a cursor, one without is replayed whole, also what is older")
    func oneOfTwo() throws {
        var bench = ServerBench.connected()
        bench.say("c_1", "main")
        bench.advance(to: 5_000)
        bench.send(#"{"type":"message","id":"c_2","sessionKey":"k","content":"other"}"#)
        bench.advance(to: 10_000)
        bench.say("c_3", "main again")
        bench.advance(to: 15_000)
        bench.close()
        let last = try #require(bench.server.log(of: "kay").last)
        #expect(last.text == "You said: main again")
        bench.connect(cursor: last.id.text.string, on: 2)
        let texts = bench.frames("message", on: 2).map { $0.frame["content"]?.string }
        #expect(texts == ["other", "You said: other"])
    }
}
