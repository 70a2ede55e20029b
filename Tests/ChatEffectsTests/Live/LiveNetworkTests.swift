// The system's network against a peer on this device that answers what a test has written down: each way in which an
// answer can go wrong ends in a reason, and no duty of a network is broken on the way.

import ChatDomain
@testable import ChatEffects
import ChatTesting
import Foundation
import Testing

@Suite("Live network")
struct LiveNetworkTests {
    static let call = CallNumber(1)
    static let get = Exchange.http(
        method: "GET", path: "/a",
        headers: [Header("authorization", "Bearer top"), Header("accept", "text/plain")],
        body: Payload([]), credential: nil)

    /// What arrives of one call until it ends, for twenty seconds at most, with a check of the duties.
    static func arrivals(
        of exchange: Exchange = get, at url: String, send: [String] = [], closeAfter: Int = .max
    ) async throws -> [Arrival] {
        let arrivals = Arrivals()
        var duties = NetworkDuties()
        var network = LiveNetwork(try ServerAddress(url, allowsUnencrypted: true), arrivals)
        func carryOut(_ operation: DriverOperation) {
            duties.note(operation)
            network.carryOut(operation, at: Moment(now: .origin, wall: WallTime(millisecondsSince1970: 0)))
        }
        carryOut(.open(call, exchange))
        var all: [Arrival] = []
        var isOver = false
        for _ in 0..<4_000 where !isOver {
            for outcome in arrivals.take() {
                duties.note(outcome)
                guard case .arrived(_, let arrival) = outcome else { continue }
                all.append(arrival)
                if arrival == .opened {
                    for text in send { carryOut(.send(call, Payload(bytes: Array(text.utf8)))) }
                }
                if case .ended = arrival { isOver = true }
            }
            if all.count >= closeAfter, !isOver {
                carryOut(.close(call))
                // What was made before counts; then nothing may come.
                _ = arrivals.take()
                try await Task.sleep(for: .milliseconds(100))
                for outcome in arrivals.take() { duties.note(outcome) }
                isOver = true
            }
            if !isOver { try await Task.sleep(for: .milliseconds(5)) }
        }
        #expect(isOver && duties.breaches.isEmpty)
        return all
    }

    private static func body(_ arrivals: [Arrival]) -> String {
        var bytes: [UInt8] = []
        for case .body(let part) in arrivals { bytes += part }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func status(_ arrivals: [Arrival]) -> Int64? {
        for case .head(let status, _) in arrivals { return status }
        return nil
    }

    // MARK: HTTP

    @Test("an answer has its head, its body and its end", .timeLimit(.minutes(10)))
    func answer() async throws {
        let peer = try RawPeer([.bytes("HTTP/1.1 429 No\r\nRetry-After: 7\r\nContent-Length: 5\r\n\r\nHello")]
        )
        let arrivals = try await Self.arrivals(at: "http://127.0.0.1:\(peer.port)")
        #expect(Self.status(arrivals) == 429 && Self.body(arrivals) == "Hello")
        #expect(arrivals.last == .ended(.completed))
        guard case .head(_, let headers)? = arrivals.first else {
            Issue.record("There is no head.")
            return
        }
        #expect(headers.contains(Header("retry-after", "7")))
    }

    @Test(
        "a body that is cut or broken is a lost connection, not an end", .timeLimit(.minutes(10)),
        arguments: [
            RawAnswer.bytes("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nHello"),
            .broken("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nHello"),
            .bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nHello\r\n"),
        ])
    func cut(answer: RawAnswer) async throws {
        let peer = try RawPeer([answer])
        let arrivals = try await Self.arrivals(at: "http://127.0.0.1:\(peer.port)")
        guard case .ended(.failed(let failure))? = arrivals.last else {
            Issue.record("The end is \(String(describing: arrivals.last)).")
            return
        }
        #expect(failure == .lost || failure == .malformed)
    }

    @Test("a server that is not there is unreachable", .timeLimit(.minutes(10)))
    func unreachable() async throws {
        let descriptor = try #require(SystemSocket.listen(address: "127.0.0.1", port: 0))
        let port = SystemSocket.port(of: descriptor)
        SystemSocket.close(descriptor)
        #expect(try await Self.arrivals(at: "http://127.0.0.1:\(port)") == [.ended(.failed(.unreachable))])
        let socket = Exchange.socket(path: "/ws")
        #expect(
            try await Self.arrivals(of: socket, at: "http://127.0.0.1:\(port)") == [
                .ended(.failed(.unreachable))
            ])
    }

    @Test(
        "a device is offline only if no address of the server could be tried for want of a network",
        arguments: [
            ([ECONNREFUSED, ENETUNREACH], SystemSocket.Failure.unreachable),
            ([ENETUNREACH, ECONNREFUSED], .unreachable), ([ENETUNREACH, EINPROGRESS], .unreachable),
            ([], .unreachable), ([ENETUNREACH], .offline), ([ENETDOWN, ENETUNREACH], .offline),
        ])
    func offline(errors: [Int32], failure: SystemSocket.Failure) {
        #expect(SystemSocket.Failure(of: errors) == failure)
    }

    @Test("bytes that are no HTTP end the call with a reason", .timeLimit(.minutes(10)))
    func garbage() async throws {
        let peer = try RawPeer([.bytes("\u{1}\u{2}garbage without end\r\n\r\n")])
        guard case .ended(.failed)? = try await Self.arrivals(at: "http://127.0.0.1:\(peer.port)").last else {
            Issue.record("The call has not failed.")
            return
        }
    }

    @Test("nothing of a call arrives once it is closed", .timeLimit(.minutes(10)))
    func closed() async throws {
        let peer = try RawPeer([.stalled("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nHello")])
        let arrivals = try await Self.arrivals(at: "http://127.0.0.1:\(peer.port)", closeAfter: 1)
        #expect(!arrivals.contains { if case .ended = $0 { true } else { false } })
    }

    @Test(
        "L10: a redirect to another host carries no header of the app but what it accepts",
        .timeLimit(.minutes(10)))
    func redirect() async throws {
        let other = try RawPeer([.bytes("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nOK")])
        let peer = try RawPeer([
            .bytes(
                "HTTP/1.1 302 Found\r\nLocation: http://localhost:\(other.port)/b\r\nContent-Length: 0\r\n\r\n"
            )
        ])
        let arrivals = try await Self.arrivals(at: "http://127.0.0.1:\(peer.port)")
        #expect(Self.body(arrivals) == "OK" && arrivals.last == .ended(.completed))
        let head = try #require(other.heads.first?.lowercased())
        #expect(
            !head.contains("authorization") && !head.contains("top") && head.contains("accept: text/plain"))
        #expect(peer.heads.first?.lowercased().contains("authorization: bearer top") == true)
    }

    // MARK: WebSocket

    @Test(
        "a handshake that is refused says so, with the server's status and sentence", .timeLimit(.minutes(10))
    )
    func refusedHandshake() async throws {
        let peer = try RawPeer([
            .bytes("HTTP/1.1 503 No\r\nRetry-After: 3\r\nContent-Length: 4\r\n\r\nBusy")
        ])
        let arrivals = try await Self.arrivals(of: .socket(path: "/ws"), at: "ws://127.0.0.1:\(peer.port)")
        #if canImport(Darwin)
            let sentence: ExactText = ""  // the system's sockets hand out no body
        #else
            let sentence: ExactText = "Busy"
        #endif
        #expect(arrivals == [.ended(.refused(status: 503, retryAfter: .seconds(3), message: sentence))])
    }

    @Test(
        "a handshake that goes wrong fails", .timeLimit(.minutes(10)),
        arguments: [
            ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", false), ("", true), ("nonsense\r\n\r\n", false),
            ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n", false),
        ])
    func wrongHandshake(bytes: String, isLost: Bool) async throws {
        let peer = try RawPeer([.bytes(bytes)])
        let end = try await Self.arrivals(of: .socket(path: "/ws"), at: "ws://127.0.0.1:\(peer.port)").last
        switch end {
        case .ended(.failed(let failure)): #expect(failure == (isLost ? .lost : .malformed))
        case .ended(.refused(let status, _, _)): #expect(status == 200)
        default: Issue.record("The end is \(String(describing: end)).")
        }
    }

    @Test(
        "L8: a message over the limit is told as such, in one frame or in many, and the socket goes on",
        .timeLimit(.minutes(10)))
    func longMessages() async throws {
        let limit = Int(WebSocketPolicy.defaultMessageLimit)
        let peer = WebSocketPeers(role: .client)
        let part = String(repeating: "a", count: limit / 2 + 1)
        let whole = String(repeating: "b", count: limit)
        let texts = [whole, "between", whole + "b", "after"].map { peer.text($0) }
        let many = peer.text(part, isFinal: false) + peer.ping() + peer.continuation(part)
        let server = try RawPeer([.frames(texts.flatMap { $0 } + many + peer.text("last") + peer.close(1000))]
        )
        let arrivals = try await Self.arrivals(of: .socket(path: "/ws"), at: "ws://127.0.0.1:\(server.port)")
        let told = arrivals.filter { $0 != .signOfLife }
        let expected: [Arrival] = [
            .opened, .text(Array(whole.utf8)), .text(Array("between".utf8)), .tooLong,
            .text(Array("after".utf8)),
            .tooLong, .text(Array("last".utf8)), .ended(.closed(code: 1000, reason: "")),
        ]
        // A mebibyte is not for a message of a test.
        #expect(told.count == expected.count && zip(told, expected).allSatisfy { $0 == $1 })
    }

    #if !canImport(Darwin)
        @Test("an encrypted WebSocket is not opened in the clear", .timeLimit(.minutes(10)))
        func encrypted() async throws {
            let arrivals = try await Self.arrivals(of: .socket(path: "/ws"), at: "wss://127.0.0.1:1")
            #expect(arrivals == [.ended(.failed(.insecure))])
        }
    #endif

    // MARK: Addresses

    @Test(
        "an address in the clear, or with a host in disguise, is refused, unless on this device or allowed",
        arguments: [
            ("http://example.com", ServerAddress.Problem.notEncrypted), ("ws://10.0.0.1/a", .notEncrypted),
            ("http://127.0.0.1.example.com", .notEncrypted), ("http://localhost.example.com", .notEncrypted),
            ("http://127.evil.example.com", .notEncrypted), ("http://127.0.0.256", .notEncrypted),
            ("ftp://localhost", .notAnAddress), ("localhost:80", .notAnAddress), ("", .notAnAddress),
            ("http://", .notAnAddress), ("http://localhost:99999", .notAnAddress),
            ("http://user:secret@localhost", .holdsCredentials), ("https://localhost/?a=b", .notAnAddress),
            ("http://example.com%2F.localhost", .notAnAddress), ("http://a%20b.localhost", .notAnAddress),
            ("http://example.com%23.localhost", .notAnAddress), ("http://me%40b.localhost", .notAnAddress),
        ])
    func refusedAddress(text: String, problem: ServerAddress.Problem) {
        #expect(throws: problem) { try ServerAddress(text) }
    }

    @Test(
        "an address has its host, its port and the paths below it",
        arguments: [
            ("http://localhost:8080", "http://localhost:8080/a"),
            ("https://example.com/v1/", "https://example.com/v1/a"),
            ("ws://[::1]:9/x", "http://[::1]:9/x/a"), ("wss://example.com", "https://example.com/a"),
            ("HTTP://127.0.0.1", "http://127.0.0.1/a"), ("https://a%62c.example", "https://abc.example/a"),
            ("wss://[fe80::1%25en0]", "https://[fe80::1%25en0]/a"),
        ])
    func address(text: String, url: String) throws {
        #expect(try ServerAddress(text).url("/a")?.absoluteString == url)
        #expect(try ServerAddress("http://example.com", allowsUnencrypted: true).host == "example.com")
    }

    @Test("a call without a path goes to the address itself: the route of a chat has no slash behind it")
    func addressItself() throws {
        #expect(try ServerAddress("https://a.example/api/chat").url("")?.path == "/api/chat")
        #expect(
            try ServerAddress("https://a.example/api/chat/").url("")?.absoluteString.hasSuffix("/chat")
                == true)
        #expect(try ServerAddress("https://a.example").url("")?.absoluteString == "https://a.example/")
    }
}
