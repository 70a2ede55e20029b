// The library's own driver against the served backend, over real sockets on this device: the only tests that take real
// time, and little of it, because the server answers at once.

@testable import chat
import ChatDomain
import ChatEffects
import ChatTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Over real sockets", .prompt)
struct RealSocketTests {
    /// A server that answers at once, at a free port.
    private static func serve(
        _ rules: [LocalServer.Rule] = [], _ fault: NetworkFault? = nil
    ) throws -> ServedLoop {
        var behaviour = LocalServer.Behaviour(rules: rules)
        behaviour.approvalDelay = .zero
        behaviour.authenticationDelay = .zero
        behaviour.replyDelay = .zero
        behaviour.answerDelay = .zero
        behaviour.wordInterval = .zero
        behaviour.uploadDelay = .zero
        return try ServedLoop(LocalServer(behaviour), address: "127.0.0.1", port: 0, fault: fault) { _ in }
    }

    /// An app that talks to the server at a port.
    private static func app(
        _ port: Int
    ) throws -> SystemLoop<ClawlineBackend, BackgroundStore<MemoryStore>, LiveNetwork> {
        let arrivals = Arrivals()
        let machine = Setup.recorded.machine(
            moment: Moment(now: .origin, wall: SystemTime.wall()), entropy: .seeded(UInt64(port)))
        let network = LiveNetwork(try ServerAddress("http://127.0.0.1:\(port)"), arrivals)
        return SystemLoop(
            Loop(machine, store: BackgroundStore(MemoryStore(), arrivals), server: network),
            arrivals: arrivals)
    }

    /// Waits for a state, for five minutes at most; then the test fails. Beside tests that compute, on a busy machine, each
    /// step of the loop waits for a processor.
    private static func wait<Codec: Backend, Store: RecordStore, Server: NetworkDriver>(
        _ loop: SystemLoop<Codec, Store, Server>, _ what: Comment,
        until isThere: (Codec.Subject.State) -> Bool
    ) async throws {
        for _ in 0..<60_000 {
            if isThere(await loop.state) { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        Issue.record(what)
    }

    private static func texts(_ state: ChatApp.State) -> [String] {
        Chat.rows(state.chat, newest: 20, .neutral).map { $0.text.string }
    }

    private static func launch<Codec: Backend, Store: RecordStore>(
        _ loop: SystemLoop<Codec, Store, LiveNetwork>
    ) async throws where Codec.Subject == ChatApp {
        await loop.send(.launched)
        await loop.send(.chat(.shown))
        try await wait(loop, "The program does not begin.") { $0.isReadyForInput }
    }

    private typealias App = SystemLoop<ClawlineBackend, BackgroundStore<MemoryStore>, LiveNetwork>

    private static func signIn(_ loop: App) async throws {
        try await launch(loop)
        await loop.send(.pairing(.nameEdited("Ada")))
        await loop.send(.pairing(.submitted))
        try await wait(loop, "Nobody is signed in.") { $0.pairing.session != nil && $0.isReadyForInput }
    }

    private static func say<Codec: Backend, Store: RecordStore>(
        _ text: ExactText, _ loop: SystemLoop<Codec, Store, LiveNetwork>
    ) async where Codec.Subject == ChatApp {
        await loop.send(.chat(.draftEdited(text)))
        await loop.send(.chat(.sent))
    }

    /// Signs in and says something.
    private static func chat(_ loop: App, _ text: ExactText) async throws {
        try await signIn(loop)
        await say(text, loop)
    }

    @Test("a person pairs, writes and is answered", .timeLimit(.minutes(10)))
    func conversation() async throws {
        let server = try Self.serve()
        defer { server.stop() }
        let loop = try Self.app(server.port)
        try await Self.chat(loop, "Hello")
        try await Self.wait(loop, "There is no reply.") { Self.texts($0) == ["Hello", "You said: Hello"] }
    }

    @Test(
        "L5, L6: a connection that breaks within a reply is resumed, and each message is there once",
        .timeLimit(.minutes(10)))
    func resumed() async throws {
        let server = try Self.serve([
            LocalServer.Rule(.token(2), .drop, times: 1), LocalServer.Rule(.acknowledgement, .drop, times: 1),
        ])
        defer { server.stop() }
        let loop = try Self.app(server.port)
        try await Self.chat(loop, "Hello again")
        try await Self.wait(loop, "There is no reply.") {
            Self.texts($0) == ["Hello again", "You said: Hello again"] && $0.isReadyForInput
        }
    }

    @Test("bytes that come one at a time are the same conversation", .timeLimit(.minutes(10)))
    func dripped() async throws {
        let server = try Self.serve([], .drip)
        defer { server.stop() }
        let loop = try Self.app(server.port)
        try await Self.chat(loop, "Grüße 👋")
        try await Self.wait(loop, "There is no reply.") {
            Self.texts($0) == ["Grüße 👋", "You said: Grüße 👋"]
        }
    }

    // MARK: The other formats that are served

    /// Words at which a split may cut a character.
    private static let words: ExactText = "Grüße 👋 an alle"

    @Test(
        "a coach and a model answer in streams, also byte by byte", .timeLimit(.minutes(10)),
        arguments: [BackendName.coach, .openAI], [nil, .drip] as [NetworkFault?])
    func streams(_ name: BackendName, _ fault: NetworkFault?) async throws {
        let server = try Self.serve([], fault)
        defer { server.stop() }
        let path = name == .openAI ? "/v1" : ""
        let arrivals = Arrivals()
        let wall = SystemTime.wall()
        let streams = try #require(NamedStreams(name, model: "m", hasKey: true, projectKey: "p"))
        let address = try ServerAddress("http://127.0.0.1:\(server.port)\(path)")
        let store = SignedInStore(MemoryStore(), key: Secret("key"), wall: wall)
        let loop = SystemLoop(
            Loop(
                RealSetup(wall: wall).machine(streams), store: BackgroundStore(store, arrivals),
                server: LiveNetwork(address, arrivals)),
            arrivals: arrivals)
        try await Self.launch(loop)
        for count in 1...2 {
            await Self.say(Self.words, loop)
            try await Self.wait(loop, "There is no reply.") {
                $0.isReadyForInput && Self.texts($0).count { $0 == "You said: \(Self.words.string)" } == count
            }
        }
    }

    @Test(
        "S13, A2: a suggestion streams, and the assistant answers, also byte by byte",
        .timeLimit(.minutes(10)), arguments: [nil, .drip] as [NetworkFault?])
    func besideTheChat(_ fault: NetworkFault?) async throws {
        // Without the whole suggestion, which would stand in for a stream that fails.
        let server = try Self.serve([LocalServer.Rule(.wholeSuggestion, .status(500))], fault)
        defer { server.stop() }
        let loop = try Self.app(server.port)
        try await Self.signIn(loop)
        let target = SmartReplies.Target(conversation: "main", message: "s_1", text: Self.words)
        await loop.send(.smartReplies(.requested(.friendly, target)))
        await loop.send(.assistant(.opened))
        await loop.send(.assistant(.draftEdited(Self.words)))
        await loop.send(.assistant(.sent))
        try await Self.wait(loop, "There is no suggestion.") {
            $0.smartReplies.selected?.string == "A friendly answer to “\(Self.words.string)”"
        }
        try await Self.wait(loop, "The assistant does not answer.") {
            Assistant.rows($0.assistant, .neutral).map { $0.text.string }
                .contains("You asked: \(Self.words.string)")
        }
    }

    @Test(
        "C14: a file is uploaded beside the connection, and another program downloads the same bytes",
        .timeLimit(.minutes(10)))
    func files() async throws {
        let server = try Self.serve()
        defer { server.stop() }
        let loop = try Self.app(server.port)
        try await Self.signIn(loop)
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        await loop.send(
            .chat(
                .attachmentPicked(
                    PickedFile(kind: .document, mimeType: "text/plain", name: "a.txt", bytes: bytes))))
        try await Self.wait(loop, "The file is not kept.") { Chat.composer($0.chat).canSend }
        await Self.say("look", loop)
        try await Self.wait(loop, "There is no reply.") { Self.texts($0) == ["look", "You said: look"] }
        let row = await Chat.rows(loop.state.chat, newest: 2, .neutral).first
        guard case .asset(let id)? = row?.attachments.first?.source else {
            Issue.record("The message has no file.")
            return
        }
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/download/\(id.text.string)"))
        var request = URLRequest(url: url)
        request.setValue("Bearer any", forHTTPHeaderField: "Authorization")
        let (body, answer) = try await URLSession.shared.data(for: request)
        #expect((answer as? HTTPURLResponse)?.statusCode == 200 && Array(body) == bytes)
        #expect(answer.mimeType == "text/plain")
    }
}
