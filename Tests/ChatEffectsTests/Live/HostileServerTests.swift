// The system's network against HTTP servers that break its rules or send without end. Each call ends with a reason, what
// waits is limited, no method waits for the server, and the next call on the same network is answered.

import ChatDomain
@testable import ChatEffects
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Hostile servers", .serialized)
struct HostileServerTests {
    typealias Flood = FloodingPeer.Flood

    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    private static let ok = "HTTP/1.1 200 OK\r\n"
    private static let line = bytes("X-Header: " + String(repeating: "x", count: 1_000) + "\r\n")
    private static let letters = [UInt8](repeating: 0x61, count: 65_536)

    /// A network and what arrives from it.
    private struct Client {
        let arrivals = Arrivals()
        var network: LiveNetwork
        let peer: FloodingPeer

        init(_ peer: FloodingPeer) throws {
            self.peer = peer
            network = LiveNetwork(try ServerAddress("http://127.0.0.1:\(peer.port)"), arrivals)
        }

        mutating func carryOut(_ operation: DriverOperation) {
            network.carryOut(operation, at: Moment(now: .origin, wall: WallTime(millisecondsSince1970: 0)))
        }

        mutating func open(_ call: UInt64, _ path: ExactText = "/a") {
            let exchange = Exchange.http(
                method: "GET", path: path, headers: [], body: Payload([]), credential: nil)
            carryOut(.open(CallNumber(call), exchange))
        }

        /// What arrives of a call until it ends, for twenty seconds at most. With a limit, a call whose body is longer is
        /// closed, as a codec does it.
        mutating func arrivals(of call: UInt64, closedAfter limit: Int = .max) async throws -> [Arrival] {
            var all: [Arrival] = []
            var count = 0
            for _ in 0..<4_000 {
                for case .arrived(CallNumber(call), let arrival) in arrivals.take() {
                    all.append(arrival)
                    if case .ended = arrival { return all }
                    if case .body(let part) = arrival { count += part.count }
                }
                if count > limit {
                    carryOut(.close(CallNumber(call)))
                    return all
                }
                try await Task.sleep(for: .milliseconds(5))
            }
            Issue.record("The call has not ended.")
            return all
        }

        /// A server that has flooded one call still answers another, and nothing of the flood comes any more.
        mutating func expectAnswer() async throws {
            open(99, "/ok")
            let answer = try await arrivals(of: 99)
            #expect(answer.last == .ended(.completed))
            #expect(answer.contains(.body(bytes("OK"))))
        }
    }

    /// The only arrivals of a call of a peer with one flood, after which it answers honestly.
    private static func meet(_ flood: Flood) async throws -> [Arrival] {
        let peer = try FloodingPeer(flood)
        defer { peer.end() }
        var client = try Client(peer)
        client.open(1)
        let all = try await client.arrivals(of: 1)
        try await client.expectAnswer()
        #expect(peer.sent < 64 << 20 && peer.requests <= 25)
        return all
    }

    @Test(
        "heads without end are too large, whether in many fields or in one", .timeLimit(.minutes(10)),
        arguments: [
            Flood("many", ok, piece: line), Flood("one", ok + "X-Header: ", piece: letters),
            Flood("a status line", "HTTP/1.1 200 ", piece: letters),
        ])
    func heads(flood: Flood) async throws {
        #expect(try await Self.meet(flood) == [.ended(.failed(.tooLarge))])
    }

    @Test("interim answers without end are no answer, and none of them is told", .timeLimit(.minutes(10)))
    func interimAnswers() async throws {
        let flood = Flood("103", "", piece: Self.bytes("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"))
        #expect(try await Self.meet(flood) == [.ended(.failed(.malformed))])
    }

    @Test("some interim answers come before the head, which is told once", .timeLimit(.minutes(10)))
    func someInterimAnswers() async throws {
        let interim = String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", count: 3)
        let all = try await Self.meet(
            Flood("three", interim + Self.ok + "Content-Length: 2\r\n\r\nHi", piece: []))
        #expect(
            all == [
                .head(status: 200, headers: [Header("content-length", "2")]), .body(Self.bytes("Hi")),
                .ended(.completed),
            ])
    }

    @Test(
        "an answer against the rules is malformed, and not a lost connection", .timeLimit(.minutes(10)),
        arguments: [
            "no HTTP at all\r\n\r\n", "HTTP/1.1 000 No\r\n\r\n", "HTTP/1.1 20 No\r\n\r\n",
            ok + "no colon\r\n\r\n", ok + "X: a\0b\r\n\r\n",
            ok + "Content-Length: -5\r\n\r\nHello",
            ok + "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFF\r\nHello",
            ok + "Transfer-Encoding: chunked\r\n\r\nxyz\r\nHello",
            ok + "Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nHello",
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nHello",
        ])
    func malformed(answer: String) async throws {
        let peer = try RawPeer([
            .bytes(answer), .bytes(Self.ok + "Content-Length: 2\r\nConnection: close\r\n\r\nOK"),
        ])
        let arrivals = Arrivals()
        var network = LiveNetwork(try ServerAddress("http://127.0.0.1:\(peer.port)"), arrivals)
        func end(of call: UInt64) async throws -> CallEnd? {
            let exchange = Exchange.http(
                method: "GET", path: "/a", headers: [], body: Payload([]), credential: nil)
            network.carryOut(
                .open(CallNumber(call), exchange),
                at: Moment(now: .origin, wall: WallTime(millisecondsSince1970: 0)))
            for _ in 0..<4_000 {
                for case .arrived(_, .ended(let end)) in arrivals.take() { return end }
                try await Task.sleep(for: .milliseconds(5))
            }
            return nil
        }
        #expect(try await end(of: 1) == .failed(.malformed))
        #expect(try await end(of: 2) == .completed)
    }

    @Test("redirects in a circle end with a sentence that names the address", .timeLimit(.minutes(10)))
    func circle() async throws {
        let redirect = "HTTP/1.1 302 Found\r\nLocation: /a?token=top\r\nContent-Length: 0\r\n\r\n"
        let all = try await Self.meet(Flood("a circle", redirect, piece: []))
        guard case .ended(.refused(302, nil, let message))? = all.last, all.count == 1 else {
            Issue.record("It ended with \(all).")
            return
        }
        let text = message.string
        #expect(text.hasPrefix("The server redirects in a circle, at last to http://127.0.0.1:"))
        #expect(text.hasSuffix("/a. Check its address."))
    }

    @Test(
        "a redirect that is not followed says where it leads, without the query and the password",
        .timeLimit(.minutes(10)))
    func redirectElsewhere() async throws {
        let redirect =
            "HTTP/1.1 302 Found\r\nLocation: ftp://me:top@example.com/b?token=top\r\nContent-Length: 0\r\n\r\n"
        #expect(
            try await Self.meet(Flood("elsewhere", redirect, piece: [])) == [
                .ended(
                    .refused(
                        status: 302, retryAfter: nil,
                        message:
                            "The server redirects to ftp://example.com/b, which is not followed. Check its address."
                    ))
            ])
    }

    @Test("a demand for a password is an answer with a head, a body and an end", .timeLimit(.minutes(10)))
    func password() async throws {
        for scheme in [#"Basic realm="here""#, #"Digest realm="here", nonce="n""#, "Negotiate", "NTLM", ""] {
            let all = try await Self.meet(
                Flood(
                    scheme,
                    "HTTP/1.1 401 No\r\nWWW-Authenticate: \(scheme)\r\nContent-Length: 2\r\n\r\nNo", piece: []
                ))
            guard case .head(401, _)? = all.first else {
                Issue.record("\(scheme): \(all)")
                continue
            }
            #expect(all.dropFirst() == [.body(Self.bytes("No")), .ended(.completed)])
        }
    }

    private static let bodies =
        [
            Flood("letters", ok + "\r\n", piece: letters),
            Flood("an error's page", "HTTP/1.1 500 No\r\n\r\n", piece: letters),
        ] + decompressed

    private static let bomb = Flood(
        bomb: ok + "Content-Type: text/event-stream\r\nContent-Encoding: gzip\r\n\r\n")

    #if canImport(Darwin)
        private static let decompressed = [bomb]
    #else
        // Plain sockets decompress nothing: the session meets the bomb below.
        private static let decompressed: [Flood] = []

        @Test("a compressed body is malformed before anything grows", .timeLimit(.minutes(10)))
        func compressed() async throws {
            #expect(try await Self.meet(Self.bomb) == [.ended(.failed(.malformed))])
        }

        @Test(
            "a body that grows in the system's session waits only up to the limit", .timeLimit(.minutes(10)))
        func decompressedBySession() async throws {
            let peer = try FloodingPeer(Self.bomb)
            defer { peer.end() }
            let arrivals = Arrivals()
            let url = try #require(URL(string: "http://127.0.0.1:\(peer.port)/a"))
            HTTPSession(arrivals).begin(CallNumber(1), URLRequest(url: url)) { _ in false }
            let end = Outcome.arrived(CallNumber(1), .ended(.failed(.tooLarge)))
            for _ in 0..<4_000 where arrivals.waiting.last != end {
                try await Task.sleep(for: .milliseconds(5))
            }
            #expect(arrivals.waiting.last == end)
        }
    #endif

    @Test(
        "a body without end waits only up to the limit when nobody takes it; then its call ends",
        .timeLimit(.minutes(10)), arguments: bodies)
    func nobodyTakes(flood: Flood) async throws {
        let peer = try FloodingPeer(flood)
        defer { peer.end() }
        var client = try Client(peer)
        client.open(1)
        for _ in 0..<4_000
        where client.arrivals.waiting.last != .arrived(CallNumber(1), .ended(.failed(.tooLarge))) {
            try await Task.sleep(for: .milliseconds(5))
        }
        var count = 0
        var end: CallEnd?
        for case .arrived(_, let arrival) in client.arrivals.take() {
            if case .body(let part) = arrival { count += part.count }
            if case .ended(let reason) = arrival { end = reason }
        }
        #expect(end == .failed(.tooLarge))
        #expect(count <= Arrivals.limit && count > Arrivals.limit / 2)
        try await client.expectAnswer()
        #expect(client.arrivals.take().isEmpty)
    }

    @Test(
        "a body without end that its codec has closed brings nothing more, and no other call waits for it",
        .timeLimit(.minutes(10)), arguments: bodies)
    func closed(flood: Flood) async throws {
        let peer = try FloodingPeer(flood)
        defer { peer.end() }
        var client = try Client(peer)
        client.open(1)
        _ = try await client.arrivals(of: 1, closedAfter: 1 << 20)
        _ = client.arrivals.take()
        try await client.expectAnswer()
        try await client.expectAnswer()
        #expect(client.arrivals.take().isEmpty)
    }

    @Test(
        "an answer that the system never tells holds up neither its end by a deadline nor another call",
        .timeLimit(.minutes(10)),
        arguments: [
            Flood("a redirect's body", "HTTP/1.1 302 Found\r\nLocation: /ok\r\n\r\n", piece: letters),
            Flood(
                "trailers", ok + "Transfer-Encoding: chunked\r\n\r\n2\r\nHi\r\n0\r\n",
                piece: bytes("X-Header: x\r\n")),
            Flood("chunk extensions", ok + "Transfer-Encoding: chunked\r\n\r\n2;", piece: letters),
            Flood("nothing", "", piece: []),
        ])
    func untold(flood: Flood) async throws {
        let peer = try FloodingPeer(flood)
        defer { peer.end() }
        var client = try Client(peer)
        client.open(1)
        func isMet() -> Bool {
            peer.sent >= 1 << 20 || flood.piece.isEmpty
                || client.arrivals.waiting.contains {
                    if case .arrived(_, .ended) = $0 { true } else { false }
                }
        }
        for _ in 0..<4_000 where !isMet() {
            try await Task.sleep(for: .milliseconds(5))
        }
        let began = ContinuousClock.now
        client.carryOut(.close(CallNumber(1)))
        #expect(began.duration(to: .now) < .seconds(1))
        _ = client.arrivals.take()
        try await client.expectAnswer()
        #expect(client.arrivals.take().isEmpty)
    }

    @Test(
        "bytes behind an answer are none of it, and spoil one later call at most", .timeLimit(.minutes(10)))
    func behind() async throws {
        let peer = try FloodingPeer(
            Flood("letters", Self.ok + "Content-Length: 2\r\n\r\nHi", piece: Self.letters))
        defer { peer.end() }
        var client = try Client(peer)
        client.open(1)
        #expect(
            try await client.arrivals(of: 1).dropFirst() == [.body(Self.bytes("Hi")), .ended(.completed)])
        // It may get the same connection, if the session has not seen the bytes yet.
        client.open(2, "/ok")
        let second = try await client.arrivals(of: 2)
        #expect(
            [.ended(.completed), .ended(.failed(.malformed)), .ended(.failed(.lost))].contains(second.last))
        try await client.expectAnswer()
    }
}

extension FloodingPeer.Flood {
    /// A flood that is compressed.
    fileprivate init(bomb begin: String) {
        self.init("a bomb", Array(begin.utf8) + GzipBomb.begin, piece: GzipBomb.piece)
    }
}
