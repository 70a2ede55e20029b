import ChatDomain
@testable import ChatEffects
import Testing

/// Smart replies through everything: root, codec of server-sent events, server within the process.
@Suite("Smart replies, from wish to suggestion")
struct SmartReplyStoryTests {
    private static let target = SmartReplies.Target(
        conversation: "main", message: "s_1", text: "Are you there?")
    private static let suggestion = "A friendly answer to “Are you there?”"

    private func loop(rules: [LocalServer.Rule] = []) -> StoryLoop { .paired(rules: rules) }

    @Test("S14, R1: a suggestion grows word by word, is selected when it is complete, and is remembered")
    func grows() {
        var loop = loop()
        loop.send(.smartReplies(.requested(.friendly, Self.target)))
        loop.advance(by: .milliseconds(1_700))
        #expect(loop.state.smartReplies.reply.isRunning && loop.state.smartReplies.selected == nil)
        loop.advance(by: .seconds(2))
        #expect(loop.state.smartReplies.selected?.string == Self.suggestion)
        #expect(loop.haptics.value > 1)

        loop.send(.smartReplies(.dismissed))
        loop.server.goOffline()
        loop.send(.smartReplies(.requested(.friendly, Self.target)))
        #expect(loop.state.smartReplies.selected?.string == Self.suggestion)
        #expect(loop.machine.openCalls.isEmpty)
    }

    @Test(
        "S13: a stream that fails is asked for once as a whole",
        arguments: [
            .init(.suggestion(3), .drop), .init(.suggestion(2), .refuse(code: "INTERNAL", message: "broken")),
            .init(.suggestion(0), .refuse(code: "UNAVAILABLE", message: "busy")),
            .init(.suggestion(0), .silence),
        ] as [LocalServer.Rule])
    func fallsBack(_ rule: LocalServer.Rule) {
        var loop = loop(rules: [rule])
        loop.send(.smartReplies(.requested(.friendly, Self.target)))
        loop.advance(by: .seconds(40))
        #expect(loop.state.smartReplies.selected?.string == Self.suggestion)
        #expect(loop.machine.openCalls.isEmpty)
    }

    @Test("S9, S13: 401 does not fall back, and says to sign in")
    func notSignedIn() {
        var loop = loop(rules: [
            .init(.suggestion(0), .refuse(code: "UNAUTHENTICATED", message: "who?"))
        ])
        loop.send(.smartReplies(.requested(.friendly, Self.target)))
        loop.advance(by: .minutes(5))
        #expect(loop.state.smartReplies.selected == nil)
        let panel = loop.machine.feature.smartReplies.panel(loop.state.smartReplies, in: "main", .coach)
        #expect(panel.bubble?.note == Wording.coach.signInAgain)
    }

    @Test("S13: a stream names its type, so that no client takes it for one JSON text")
    func streamType() {
        let wish = #"{"conversationId":"main","messageText":"Hi","replyType":"friendly"}"#
        var bench = ServerBench()
        bench.server.carryOut(
            .open(
                CallNumber(1),
                .http(
                    method: "POST", path: SmartReplyCodec().streamPath,
                    headers: [Header("authorization", "Bearer any")],
                    body: Payload(bytes: Array(wish.utf8)), credential: nil)),
            at: bench.moment)
        bench.advance(to: 1_500)
        let type = Header("content-type", "text/event-stream")
        #expect(bench.heard.map(\.arrival) == [.head(status: 200, headers: [type])])
    }

    @Test("S11, R2: the background cancels the stream, and nothing comes of it")
    func background() {
        var loop = loop()
        loop.send(.smartReplies(.requested(.friendly, Self.target)))
        loop.advance(by: .milliseconds(1_600))
        loop.send(.backgrounded)
        #expect(!loop.machine.openCalls.contains { if case .smartReplies = $0.call { true } else { false } })
        let after = loop.state.smartReplies
        loop.advance(by: .minutes(5))
        #expect(loop.state.smartReplies == after)
    }
}

/// The codec by itself.
@Suite("Smart-reply wire format")
struct SmartReplyWireTests {
    private static let question = Streaming.Question(
        conversation: "main", client: "c", text: "Hi \"you\"", purpose: .smartReply(.own("pirate")))

    private func events(_ pieces: [[UInt8]], status: Int64 = 200) -> [ChatApp.Event] {
        let backend = ClawlineBackend()
        var progress = backend.open(.smartReplies(.stream(Self.question, SecretHandle("h")))).progress
        var events: [ChatApp.Event] = []
        for arrival in [.head(status: status, headers: [])] + pieces.map({ Arrival.body($0) }) {
            var reaction = Reaction<ChatApp.Event>()
            backend.receive(arrival, progress: &progress, reaction: &reaction)
            events += reaction.events
        }
        return events
    }

    @Test("L10: the request names its credential by handle, and its body holds what is asked")
    func request() {
        let exchange = ClawlineBackend().open(.smartReplies(.stream(Self.question, SecretHandle("h"))))
            .exchange
        guard case .http("POST", "/generateSmartReplyStreaming", _, let body, SecretHandle("h")) = exchange
        else {
            Issue.record("not the request that was expected")
            return
        }
        let json = #"{"conversationId":"main","messageText":"Hi \"you\"","replyType":"pirate"}"#
        #expect(body == Payload(bytes: Array(json.utf8)))
    }

    @Test("L9, S12: the events are the same under every split, and what is malformed is skipped")
    func splits() {
        let text =
            "data: {\"content\":\"Hé\"}\n\ndata: {oops\n\n: hello\n\ndata:{\"content\":\" you\"}\r\n\r\ndata: [DONE]\n\n"
        let bytes = Array(text.utf8)
        let whole = events([bytes])
        #expect(
            whole == [
                .smartReplies(.began(nil)), .smartReplies(.token("Hé")), .smartReplies(.skipped),
                .smartReplies(.token(" you")), .smartReplies(.done(nil, nil)),
            ])
        #expect(events(bytes.map { [$0] }) == whole)
        for cut in bytes.indices {
            #expect(events([Array(bytes[..<cut]), Array(bytes[cut...])]) == whole)
        }
    }

    @Test("S4: after [DONE] nothing is told, and the call is complete")
    func done() {
        let text = "data: [DONE]\n\ndata: {\"content\":\"late\"}\n\n"
        #expect(
            events([Array(text.utf8)]) == [.smartReplies(.began(nil)), .smartReplies(.done(nil, nil))])
    }
}
