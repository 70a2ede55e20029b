// Conversations with the in-process backend: their cursors and typing, and those with a model and the assistant.

@testable import ChatDomain
@testable import ChatEffects
import Testing

@Suite("In-process backend, conversations")
struct LocalServerConversationTests {
    /// Asks in a conversation, and waits for the end of the reply.
    private static func ask(_ bench: inout ServerBench, _ text: String, in conversation: String? = nil) {
        let key = conversation.map { #","sessionKey":"\#($0)""# } ?? ""
        bench.send(#"{"type":"message","id":"c_\#(text)","content":"\#(text)"\#(key)}"#)
        bench.advance(to: bench.milliseconds + 5_000)
    }

    private static func last(_ bench: ServerBench) -> String {
        bench.server.log(of: "kay").last?.id.text.string ?? ""
    }

    @Test("C5, C19: a replay brings only what came after the cursor of each conversation")
    func cursors() {
        var bench = ServerBench.connected()
        var cursors: [String] = []
        for conversation in [nil, "k", "l"] {
            Self.ask(&bench, "old-\(conversation ?? "main")", in: conversation)
            cursors.append(Self.last(bench))
        }
        Self.ask(&bench, "new", in: "k")
        bench.close()
        bench.open(2)
        let token = LocalServer.token(of: "d", as: "kay").reveal().string
        bench.send(
            #"{"type":"auth","protocolVersion":1,"token":"\#(token)","deviceId":"d","#
                + #""lastMessageId":"\#(cursors[0])","#
                + #""replayCursorsBySessionKey":{"k":"\#(cursors[1])","l":"\#(cursors[2])"}}"#, on: 2)
        bench.advance(to: bench.milliseconds + 500)
        let texts = bench.frames("message", on: 2).map { $0.frame["content"]?.string }
        #expect(texts == ["new", "You said: new"])
    }

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

    @Test("C18, C19: typing begins and ends in the conversation of its question", arguments: [nil, "k"])
    func typing(conversation: String?) {
        var behaviour = LocalServer.Behaviour()
        behaviour.showsTyping = true
        var bench = ServerBench.connected(behaviour)
        Self.ask(&bench, "hi", in: conversation)
        let frames = bench.frames("typing").map { $0.frame }
        #expect(frames.map { $0["active"]?.bool } == [true, false])
        #expect(frames.map { $0["sessionKey"]?.string?.string } == [conversation, conversation])
    }

    @Test("C15: a model answers the last message, whatever was said before it")
    func model() throws {
        var bench = ServerBench()
        let asked =
            #"{"model":"m","messages":[{"role":"user","content":"One?"},"#
            + #"{"role":"assistant","content":"1."},{"role":"user","content":"Two?"}]}"#
        let request = Exchange.http(
            method: "POST", path: LocalServer.modelPath, headers: [], body: Payload(bytes: Array(asked.utf8)),
            credential: nil)
        bench.server.carryOut(.open(CallNumber(1), request), at: bench.moment)
        bench.advance(to: 5_000)
        let bodies = bench.heard.compactMap { heard -> [UInt8]? in
            if case .body(let bytes) = heard.arrival { bytes } else { nil }
        }
        let answer = try JSONReader().value(of: #require(bodies.first))
        #expect(answer["choices"]?.array?.first?["message"]?["content"]?.string == "You said: Two?")
    }

    @Test("A5: closing the view ends the assistant's conversation, and the next question begins another")
    func assistant() {
        var loop = StoryLoop.paired()
        var ids: [ConversationID?] = []
        for question in ["One?", "Two?"] as [ExactText] {
            loop.send(.assistant(.opened))
            loop.send(.assistant(.draftEdited(question)))
            loop.send(.assistant(.sent))
            loop.advance(by: .seconds(2))
            let texts = Assistant.rows(loop.state.assistant, .neutral).map { $0.text.string }
            #expect(texts == [question.string, "You asked: " + question.string])
            ids.append(loop.state.assistant.conversation?.id)
            loop.send(.assistant(.closed))
        }
        #expect(ids.allSatisfy { $0 != nil } && ids.first != ids.last)
    }
}
