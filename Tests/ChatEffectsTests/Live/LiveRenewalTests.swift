// Credentials that are made new over the system's network, with a store in files: what a server sees, what the disk keeps,
// and what a recording tells.

@testable import ChatDomain
@testable import ChatEffects
import Foundation
import Testing

@Suite("Live renewals")
final class LiveRenewalTests {
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
        "renewals-" + UUID().uuidString)
    private typealias Running = SystemLoop<CoachStreamCodec, BackgroundStore<FileStore>, LiveNetwork>
    private static let handle = SecretHandle("ada")

    private static func answer(_ status: Int, _ body: String, _ type: String = "application/json")
        -> RawAnswer
    {
        .bytes(
            "HTTP/1.1 \(status) X\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n"
                + "Connection: close\r\n\r\n\(body)")
    }

    private static let refused = answer(401, #"{"error":"unauthorized"}"#)
    private static let renewed = answer(200, #"{"access_token":"new-token","expires_in":3600}"#)
    private static let reply = answer(
        200,
        """
        data: {"type":"token","content":"Hello"}\n
        data: {"type":"done","message_id":"m"}\n\n
        """, "text/event-stream")

    /// What a loop's journal says, gathered from its thread.
    private final class Record: Sendable {
        let text = Locked("")
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    /// What a person who is signed in with the old token sees after one question.
    private func asked(_ peer: RawPeer, _ record: Record = Record()) async throws -> Streaming.State {
        let handle = Self.handle
        let store = try FileStore(directory: directory)
        _ = store.carryOut(.save(StorageTicket(1), .secret(handle), .secret(Secret("old-token"))))
        let arrivals = Arrivals()
        // The clock is real, and the suite keeps every processor busy: no deadline may come before an answer.
        var configuration = Streaming.Configuration(canRefresh: true)
        configuration.firstTokenLimit = .minutes(10)
        configuration.silenceLimit = .minutes(10)
        configuration.totalLimit = .minutes(10)
        configuration.refreshLimit = .minutes(10)
        let machine = Machine(
            Streaming(configuration: configuration),
            state: Streaming.State(access: Streaming.Access(secret: handle)), backend: CoachStreamCodec(),
            moment: Moment(now: .origin, wall: SystemTime.wall()), entropy: .seeded(1))
        var loop = Loop(
            machine, store: BackgroundStore(store, arrivals),
            server: LiveNetwork(try ServerAddress("http://127.0.0.1:\(peer.port)"), arrivals))
        loop.startJournal()
        let running = Running(loop, arrivals: arrivals) { entries, _ in
            var text = "\(entries)"
            for case .received(.arrived(_, .body(let bytes))) in entries.map(\.input) {
                text += String(decoding: bytes, as: UTF8.self)
            }
            record.text.withLock { $0 += text }
        }
        await running.send(.asked(Streaming.Question(conversation: "c", client: "q", text: "Hi")))
        while await running.state.isRunning { try await Task.sleep(for: .milliseconds(5)) }
        await running.endRecording()
        return await running.state
    }

    /// The secret that the next process finds.
    private func stored() async throws -> Secret? {
        for _ in 0..<400 {
            // The directory is locked until the last loop is gone.
            guard let store = try? FileStore(directory: directory) else {
                try await Task.sleep(for: .milliseconds(5))
                continue
            }
            _ = store.carryOut(.load(StorageTicket(1), .secret(Self.handle)))
            return store.secret(at: .secret(Self.handle))
        }
        return nil
    }

    private static func bearers(_ peer: RawPeer) -> [String] {
        peer.heads.map { head in
            let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("authorization:") }
            return (head.contains("/auth/v1/token") ? "renew " : "ask ")
                + (line?.split(separator: " ").last ?? "")
        }
    }

    @Test(
        "S9, L10: after a 401 the place is asked once, and the question is sent again with the new secret, which the disk has",
        .timeLimit(.minutes(10)))
    func renewed() async throws {
        let peer = try RawPeer([Self.refused, Self.renewed, Self.reply])
        let record = Record()
        let state = try await asked(peer, record)
        guard case .finished(let reply) = state.phase else {
            Issue.record("The reply is \(state.phase).")
            return
        }
        #expect(reply.text.string == "Hello")
        #expect(Self.bearers(peer) == ["ask old-token", "renew old-token", "ask new-token"])
        let left = try #require(state.access?.expires) - SystemTime.wall()
        #expect(left > .minutes(50) && left <= .hours(1))
        #expect(try await stored() == Secret("new-token"))
        let said = record.text.withLock { $0 }
        #expect(said.contains("expires_at") && !said.contains("new-token") && !said.contains("old-token"))
    }

    @Test(
        "S9: a refusal is told once, as such; a connection that breaks is none, and both keep the old secret",
        .timeLimit(.minutes(10)))
    func notRenewed() async throws {
        for (answer, isRefusal) in [
            (Self.answer(400, #"{"error":"gone"}"#), true),
            (RawAnswer.broken("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{"), false),
        ] {
            let peer = try RawPeer([Self.refused, answer])
            let bubble = Streaming.bubble(try await asked(peer), .coach)
            #expect((bubble?.note == Wording.coach.signInAgain) == isRefusal)
            #expect(Self.bearers(peer) == ["ask old-token", "renew old-token"])
            #expect(try await stored() == Secret("old-token"))
        }
    }
}
