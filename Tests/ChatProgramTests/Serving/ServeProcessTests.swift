// The program as a process beside a server: wrong options end with one line on standard error and status 2, a key is never
// written, and `chat serve` ends cleanly.

import ChatEffects
import Foundation
import Testing

@testable import chat

@Suite("Program: as a process with a server", .serialized, .prompt)
struct ServeProcessTests {
    private static let key = "sk-top-secret"

    @Test(
        "a wrong option is one line on standard error and status 2, and shows no key",
        .timeLimit(.minutes(10)),
        arguments: [
            ["--nonsense"], ["--two\nlines"], ["--backend", "nobody"],
            ["--backend", "openai", "--model", "m", "--key-file", "/nowhere"],
            ["--backend", "openai", "--model", "m", "--url", "http://example.com"],
            ["--backend", "clawline", "--url", "http://example.com"],
            ["--backend", "clawline", "--url", "http://me:\(key)@example.com"],
            ["--backend", "clawline", "--url", "two\nlines"],
            ["serve", "--fault", "token:3"], ["serve", "--fault", "two\nlines"], ["serve", "--fault"],
            ["serve", "--network", "weather"], ["serve", "--port", "65536"], ["serve", "--port", "x"],
            ["serve", "--port"], ["serve", "--address"], ["serve", "--address", "nowhere", "--port", "0"],
            ["serve", "--address", "192.0.2.1", "--port", "0"], ["serve", "--nonsense"], ["serve", "more"],
        ])
    func wrong(arguments: [String]) async throws {
        let run = try ProgramRun(arguments, environment: ["CHAT_API_KEY": Self.key])
        run.closeInput()
        #expect(try await run.end() == 2)
        #expect(run.out == "")
        #expect(run.error.hasPrefix("chat") && run.error.hasSuffix("\n"))
        #expect(run.error.filter { $0.isNewline }.count == 1)
        #expect(!run.error.contains(Self.key))
    }

    @Test("a chat with a key writes it nowhere", .timeLimit(.minutes(10)))
    func secret() async throws {
        let served = try ProgramRun(["serve", "--port", "0", "--fast"])
        let url = try await Self.address(served)
        let run = try ProgramRun(
            ["--backend", "openai", "--url", url + "/v1", "--model", "any"],
            environment: ["OPENAI_API_KEY": Self.key])
        run.type("Hello")
        #expect(try await run.end() == 0)
        #expect(run.out.contains("You said: Hello"))
        served.signal(SIGTERM)
        #expect(try await served.end() == 0)
        #expect(served.out.contains("POST /v1/chat/completions 200"))
        #expect(!(run.out + run.error + served.out + served.error).contains(Self.key))
    }

    @Test(
        "C2: a script does not wait for the next attempt of a connection when nothing is unanswered",
        .timeLimit(.minutes(10)), arguments: [["/help quit", "/quit"], []])
    func serverAway(_ lines: [String]) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let first = try ProgramRun(["--state", folder.path])
        first.type("Ada")
        #expect(try await first.end() == 0)
        // Nobody listens at this port (RFC 863).
        let server = ["--backend", "clawline", "--url", "ws://127.0.0.1:9"]
        let run = try ProgramRun(server + ["--state", folder.path])
        run.type(lines)
        #expect(try await run.end() == 0)
        #expect(run.out.contains("Signed in as Ada"))
    }

    /// The address that a server prints.
    private static func address(_ served: ProgramRun) async throws -> String {
        try await served.wait(for: ". ^C ends it.\n")
        let line = served.out.split(separator: "\n").first ?? ""
        return String(line.dropFirst("Serving at ".count).dropLast(". ^C ends it.".count))
    }

    @Test(
        "^C ends a server with status 0, also in the middle of a connection, and its port is free again",
        .timeLimit(.minutes(10)), arguments: [SIGINT, SIGTERM])
    func interrupted(signal: Int32) async throws {
        let served = try ProgramRun(["serve", "--port", "0"])
        let url = try await Self.address(served)
        let port = try #require(url.split(separator: ":").last.flatMap { Int($0) })
        #expect(url == "http://127.0.0.1:\(port)")
        let half = try SystemSocket.connect(host: "127.0.0.1", port: port)
        defer { SystemSocket.close(half) }
        _ = "GET /ws HTTP/1.1\r\n".withCString { send(half, $0, 18, 0) }
        served.signal(signal)
        #expect(try await served.end() == 0)
        #expect(served.error == "")
        let again = try ProgramRun(["serve", "--port", String(port)])
        #expect(try await Self.address(again) == url)
        again.signal(signal)
        #expect(try await again.end() == 0)
    }

    @Test("L8: a server without a descriptor for one more client takes it later", .timeLimit(.minutes(10)))
    func descriptors() async throws {
        let served = try ProgramRun(
            ["serve", "--port", "0", "--fast"], shell: #"ulimit -n 40; exec "$0" "$@""#)
        let url = try await Self.address(served)
        let port = try #require(url.split(separator: ":").last.flatMap { Int($0) })
        let idle = try (0..<60).map { _ in try SystemSocket.connect(host: "127.0.0.1", port: port) }
        let run = try ProgramRun(["--backend", "openai", "--url", url + "/v1", "--model", "any"])
        run.type("Hello")
        for descriptor in idle { SystemSocket.close(descriptor) }
        #expect(try await run.end() == 0)
        #expect(run.out.contains("You said: Hello"))
        served.signal(SIGTERM)
        #expect(try await served.end() == 0)
    }

    @Test("a port that is taken is said, with status 2", .timeLimit(.minutes(10)))
    func taken() async throws {
        let listener = try #require(SystemSocket.listen(address: "127.0.0.1", port: 0))
        defer { SystemSocket.close(listener) }
        let port = SystemSocket.port(of: listener)
        let run = try ProgramRun(["serve", "--port", String(port)])
        #expect(try await run.end() == 2)
        #expect(run.error.contains("cannot listen at 127.0.0.1, port \(port): ") && run.out == "")
    }

    #if os(Linux)
        @Test("a server listens at its address and at no other", .timeLimit(.minutes(10)))
        func address() async throws {
            let served = try ProgramRun(["serve", "--port", "0", "--address", "127.0.0.2"])
            let url = try await Self.address(served)
            let port = try #require(url.split(separator: ":").last.flatMap { Int($0) })
            #expect(url == "http://127.0.0.2:\(port)")
            let there = try SystemSocket.connect(host: "127.0.0.2", port: port)
            SystemSocket.close(there)
            #expect(throws: SystemSocket.Failure.unreachable) {
                SystemSocket.close(try SystemSocket.connect(host: "127.0.0.1", port: port))
            }
            served.signal(SIGINT)
            #expect(try await served.end() == 0)
        }
    #endif
}
