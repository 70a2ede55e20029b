// The library's own driver against the served backend, over real sockets on this device: the only tests that take real
// time, and little of it, because the server answers at once.

@testable import chat
import ChatDomain
import ChatEffects
import ChatTesting
import Foundation
import Testing

@Suite("Over real sockets")
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

    /// Waits for a state, for twenty seconds at most; then the test fails.
    private static func wait<Codec: Backend, Store: RecordStore, Server: NetworkDriver>(
        _ loop: SystemLoop<Codec, Store, Server>, _ what: Comment,
        until isThere: (Codec.Subject.State) -> Bool
    ) async throws {
        for _ in 0..<4_000 {
            if isThere(await loop.state) { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        Issue.record(what)
    }

    private static func texts(_ state: ChatApp.State) -> [String] {
        Chat.rows(state.chat, newest: 20, .neutral).map { $0.text.string }
    }

    /// Signs in and says something.
    private static func chat(
        _ loop: SystemLoop<ClawlineBackend, BackgroundStore<MemoryStore>, LiveNetwork>, _ text: ExactText
    ) async throws {
        await loop.send(.launched)
        await loop.send(.chat(.shown))
        try await wait(loop, "The name is not asked for.") { $0.isReadyForInput }
        await loop.send(.pairing(.nameEdited("Ada")))
        await loop.send(.pairing(.submitted))
        try await wait(loop, "Nobody is signed in.") { $0.pairing.session != nil && $0.isReadyForInput }
        await loop.send(.chat(.draftEdited(text)))
        await loop.send(.chat(.sent))
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
}
