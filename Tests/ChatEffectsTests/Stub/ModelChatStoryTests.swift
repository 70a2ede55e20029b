// A chat with a model: streams carry the conversation, and every question takes along what was said before.

import ChatDomain
import ChatTesting
import Testing

@testable import ChatEffects

@Suite("Chat with a model, from the composer to the reply")
struct ModelChatStoryTests {
    private typealias ModelLoop = VirtualLoop<
        ChatCarriages<NoCarriage, ModelBackend<OpenAIChat>>, ScriptedServer
    >

    private static func answer(_ text: String) -> ScriptedServer.Answer {
        .http(
            200,
            ExactText(
                "data: {\"choices\":[{\"delta\":{\"content\":\"\(text)\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
            ), headers: [Header("content-type", "text/event-stream")])
    }

    /// Ada is signed in and looks at the chat; the server answers by the script.
    private static func chat(
        _ script: [ScriptedServer.Answer], streaming: Streaming.Configuration = Streaming.Configuration(),
        _ change: (inout Chat.Configuration) -> Void = { _ in }
    ) -> ModelLoop {
        let secret = SecretHandle("key")
        var configuration = Chat.Configuration(carriage: .streams(streaming))
        change(&configuration)
        let server = ModelServer(path: "/v1", model: "m", key: .header("x-api-key"))
        let machine = Machine(
            Chat(configuration: configuration), state: Chat.State(configuration: configuration),
            backend: ChatCarriages(streams: ModelBackend(OpenAIChat(), server)),
            moment: Moment(now: .origin, wall: WallTime(millisecondsSince1970: 1_000_000)),
            entropy: .seeded(3))
        var store = MemoryStore()
        _ = store.carryOut(.save(StorageTicket(0), .secret(secret), .secret(Secret("key of ada"))))
        var loop = ModelLoop(machine, store: store, server: ScriptedServer(script))
        loop.send(.signedIn(Account(user: "ada", secret: secret, device: "d")))
        loop.send(.shown)
        return loop
    }

    private static func say(_ text: ExactText, _ loop: inout ModelLoop) {
        loop.send(.draftEdited(text))
        loop.send(.sent)
        loop.advance(by: .seconds(2))
    }

    /// The messages of the question that was asked as the nth, without the marks between.
    private static func messages(_ loop: ModelLoop, _ index: Int) throws -> [String] {
        guard case .http(_, "/v1/chat/completions", let headers, let body, nil) = loop.server.calls[index],
            case .bytes(let bytes)? = body.parts.first
        else { return [] }
        #expect(!headers.contains { $0.value.string.contains("key of ada") })
        let messages = try JSONReader().value(of: bytes)["messages"]?.array ?? []
        return messages.map {
            ($0["role"]?.string?.string ?? "") + ": " + ($0["content"]?.string?.string ?? "")
        }
    }

    private static func rows(_ loop: ModelLoop) -> [String] {
        Chat.rows(loop.state, newest: 100, .neutral).map { $0.text.string }
    }

    @Test("C15: a question takes along what was said, and a reply that was broken off as far as it came")
    func history() throws {
        var loop = Self.chat([
            Self.answer("One."),
            .http(
                200, "data: {\"choices\":[{\"delta\":{\"content\":\"Tw\"}}]}\n\n",
                headers: [Header("content-type", "text/event-stream")]), Self.answer("Three."),
        ])
        for text in ["1?", "2?", "3?"] as [ExactText] { Self.say(text, &loop) }
        #expect(Self.rows(loop) == ["1?", "One.", "2?", "Tw", "3?", "Three."])
        #expect(try Self.messages(loop, 0) == ["user: 1?"])
        #expect(try Self.messages(loop, 1) == ["user: 1?", "assistant: One.", "user: 2?"])
        #expect(
            try Self.messages(loop, 2) == [
                "user: 1?", "assistant: One.", "user: 2?", "assistant: Tw", "user: 3?",
            ])
    }

    @Test(
        "L8: of a long conversation the newest messages go along, in the bytes there are, from a question on")
    func limited() throws {
        var loop = Self.chat([Self.answer("One."), Self.answer("Two."), Self.answer("Three.")]) {
            $0.earlierByteLimit = 10  // “Two.” and “2?” fit, and so does “One.”, which no question precedes
        }
        for text in ["1?", "2?", "3?"] as [ExactText] { Self.say(text, &loop) }
        #expect(try Self.messages(loop, 2) == ["user: 2?", "assistant: Two.", "user: 3?"])
    }

    @Test(
        "C15, S10: a question that was stopped before its reply goes along with the next, and roles alternate"
    )
    func stopped() throws {
        var loop = Self.chat([.silence, Self.answer("Two.")])
        Self.say("1?", &loop)
        loop.send(.waitingStopped)
        Self.say("2?", &loop)
        #expect(Self.rows(loop) == ["1?", "2?", "Two."])
        #expect(try Self.messages(loop, 1) == ["user: 1?\n\n2?"])
    }

    @Test(
        "S4, C15: a reply of white space is none: it is offered again, and no later question takes it along")
    func blank() throws {
        for bytes in [
            "data: {\"choices\":[{\"delta\":{\"content\":\"\\n\\n\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
            "data: {\"choices\":[{\"delta\":{\"content\":\"\\n\\n\"}}]}\n\n",
        ] as [ExactText] {
            let blank = ScriptedServer.Answer.http(
                200, bytes, headers: [Header("content-type", "text/event-stream")])
            var loop = Self.chat([blank, Self.answer("Two.")])
            Self.say("1?", &loop)
            let rows = Chat.rows(loop.state, newest: 100, .neutral)
            #expect(rows.map { $0.text.string } == ["1?"] && rows.first?.offer == .retry)
            Self.say("2?", &loop)
            #expect(try Self.messages(loop, 1) == ["user: 2?"])
        }
    }

    @Test(
        "S13: a refused question is not asked again in another form, whatever its sentence, but for an unknown path",
        arguments: [400, 402, 403, 413, 422, 429] as [Int64])
    func refusedOnce(status: Int64) {
        let body: ExactText = #"{"error":{"message":"No.","code":"insufficient_quota"}}"#
        for (status, calls) in [(status, 1), (404, 2)] {
            var loop = Self.chat(
                [.http(status, body), .http(status, body)],
                streaming: Streaming.Configuration(hasFallback: true))
            Self.say("1?", &loop)
            let rows = Chat.rows(loop.state, newest: 100, .neutral)
            #expect(rows.map { $0.note } == ["No."] && rows.first?.offer == .retry)
            #expect(loop.server.calls.count == calls)
        }
    }

    @Test("S5: a refusal is shown in the server's words at the question, which can be asked again")
    func refused() {
        var loop = Self.chat([
            .http(404, #"{"error":{"message":"model 'm' not found, try pulling it first"}}"#),
            Self.answer("One."),
        ])
        Self.say("1?", &loop)
        let rows = Chat.rows(loop.state, newest: 100, .neutral)
        #expect(rows.map { $0.note } == ["model 'm' not found, try pulling it first"])
        guard let row = rows.first else { return }
        loop.send(.retried(row.id))
        loop.advance(by: .seconds(2))
        #expect(Self.rows(loop) == ["1?", "One."])
    }
}
