// A model in an app, and a backend of the app's own: the samples of Docs/Backends.md, compiled and run as an app has them.

import ChatDomain
import ChatEffects
import ChatTesting
import Testing

// sample dialect
/// A server of our own. It streams `{"say":"Hel"}`, and at last `{"end":true}`.
struct OwnAPI: ModelAPI {
    func path(_ server: ModelServer, isStreamed: Bool) -> ExactText { "/answer" }

    func write(
        _ question: Streaming.Question, _ server: ModelServer, isStreamed: Bool,
        to body: inout JSONObjectWriter
    ) {
        body.member("question", question.text)
        body.array("before") { before in
            for turn in question.earlier { before.element(turn.text) }
        }
    }

    func event(_ event: borrowing SSEEvent, facts: inout ReplyFacts) -> Streaming.Event {
        guard let json = try? JSONReader().value(of: event.data) else { return .skipped }
        if let text = json["say"]?.string { return .token(text) }
        if let sentence = json["problem"]?.string { return .failed(sentence) }
        return json["end"]?.bool == true ? .done(facts.id, facts.usage) : .skipped
    }
}
// end

@Suite("A backend of an app's own")
struct OwnBackend {
    private static let script: [ScriptedServer.Answer] = [
        .http(200, "data: {\"say\":\"Hel\"}\n\ndata: {\"say\":\"lo\"}\n\ndata: {\"end\":true}\n\n"),
        .http(404, "{\"message\":\"Nobody is here.\"}"),
    ]

    @Test("a chat with a server of the app's own shows its reply, and its words when it refuses")
    func answers() {
        let moment = Moment(now: .origin, wall: WallTime(millisecondsSince1970: 1_000_000))
        // sample model
        var chat = Chat(configuration: .init(carriage: .streams(.init())))
        chat.configuration.earlierByteLimit = 100_000  // for a model with a long memory
        let server = ModelServer(path: "", model: "llama3.2", instructions: "Be brief.", key: .none)
        let machine = Machine(
            chat, state: Chat.State(configuration: chat.configuration),
            backend: ChatCarriages(streams: ModelBackend(OwnAPI(), server)),
            moment: moment, entropy: .seeded(1))
        // end
        var loop = VirtualLoop(machine, store: MemoryStore(), server: ScriptedServer(Self.script))
        loop.send(.signedIn(Account(user: "ada", secret: SecretHandle("none"), device: "phone")))
        loop.send(.shown)
        for text in ["Hi", "Hello?"] as [ExactText] {
            loop.send(.draftEdited(text))
            loop.send(.sent)
            loop.advance(by: .seconds(2))
        }
        let rows = Chat.rows(loop.state, newest: 20, .neutral)
        #expect(rows.map { $0.text.string } == ["Hi", "Hello", "Hello?"])
        #expect(rows.last?.note == "Nobody is here.")
        guard case .http(_, _, _, let body, _)? = loop.server.calls.last,
            case .bytes(let bytes)? = body.parts.first
        else {
            Issue.record("nothing was asked")
            return
        }
        #expect(String(decoding: bytes, as: UTF8.self) == #"{"question":"Hello?","before":["Hi","Hello"]}"#)
    }
}
