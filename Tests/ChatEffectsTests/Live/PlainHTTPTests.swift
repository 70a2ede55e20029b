// Calls in the clear on Linux, over plain sockets, against peers on this device: what the system's session cannot bear,
// and what it does by itself and we do here. HostileServerTests.swift and LiveNetworkTests.swift have what holds for
// every transport.

import ChatDomain
@testable import ChatEffects
import Foundation
import Testing

#if !canImport(Darwin)
    import FoundationNetworking

    @Suite("HTTP in the clear", .serialized)
    struct PlainHTTPTests {
        typealias Flood = FloodingPeer.Flood

        private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nOK"
        private static let letters = [UInt8](repeating: 0x61, count: 65_536)

        /// An upload that no buffer of the system takes at once.
        private static let large = [UInt8](repeating: 0x62, count: 32 << 20)

        private func arrivals(
            _ method: ExactText = "GET", _ path: ExactText = "/a", headers: [Header] = [], body: [UInt8] = [],
            at port: Int, host: String = "127.0.0.1", closeAfter: Int = .max
        ) async throws -> [Arrival] {
            let exchange = Exchange.http(
                method: method, path: path, headers: headers, body: Payload(bytes: body), credential: nil)
            return try await LiveNetworkTests.arrivals(
                of: exchange, at: "http://\(host):\(port)", closeAfter: closeAfter)
        }

        /// The arrivals but the progress of the upload.
        private func answer(_ arrivals: [Arrival]) -> [Arrival] {
            arrivals.filter { if case .sent = $0 { false } else { true } }
        }

        private func progress(_ arrivals: [Arrival]) -> [Int64] {
            arrivals.compactMap { if case .sent(let count, _) = $0 { count } else { nil } }
        }

        // MARK: Answers

        @Test(
            "a server that ends or breaks the connection before or within its head loses its call alone",
            .timeLimit(.minutes(10)),
            arguments: [
                "", "HTT", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nX-He", "HTTP/1.1 200 OK\r\nA: b\r\n",
            ])
        func endWithinHead(begin: String) async throws {
            let peer = try RawPeer([.bytes(begin), .broken(begin), .bytes(Self.ok)])
            for _ in 0..<2 { #expect(try await arrivals(at: peer.port) == [.ended(.failed(.lost))]) }
            #expect(try await arrivals(at: peer.port).last == .ended(.completed))
        }

        @Test("L9: an answer that comes byte by byte is whole", .timeLimit(.minutes(10)))
        func byteByByte() async throws {
            let chunks =
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nHel\r\n2\r\nlo\r\n0\r\nX: y\r\n\r\n"
            let peer = try RawPeer([.after(0, chunks), .after(0, "HTTP/1.0 200 OK\r\n\r\nHello")])
            for _ in 0..<2 {
                var body: [UInt8] = []
                let all = try await arrivals(at: peer.port)
                for case .body(let part) in all { body += part }
                #expect(String(decoding: body, as: UTF8.self) == "Hello" && all.last == .ended(.completed))
            }
        }

        @Test(
            "L8: lines without end are too large behind a head as well, and no other call waits meanwhile",
            .timeLimit(.minutes(10)),
            arguments: [
                Flood(
                    "trailers", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
                    piece: Array("X-Header: x\r\n".utf8)),
                Flood(
                    "chunk extensions", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;",
                    piece: letters),
            ])
        func floodOfLines(flood: Flood) async throws {
            let peer = try FloodingPeer(flood)
            defer { peer.end() }
            async let flooded = arrivals(at: peer.port)
            #expect(try await arrivals("GET", "/ok", at: peer.port).last == .ended(.completed))
            #expect(try await flooded.last == .ended(.failed(.tooLarge)))
        }

        // MARK: Requests

        @Test(
            "the request says where it goes, that one answer is enough, and how long its body is",
            .timeLimit(.minutes(10)))
        func request() async throws {
            let peer = try RawPeer([.after(2, Self.ok)])
            _ = try await arrivals(
                "PUT", "/a?b=%20c", headers: [Header("x-a", "é")], body: [0x48, 0x69], at: peer.port)
            #expect(
                peer.heads == [
                    "PUT /a?b=%20c HTTP/1.1\r\nHost: 127.0.0.1:\(peer.port)\r\nConnection: close\r\n"
                        + "Accept-Encoding: identity\r\nContent-Length: 2\r\nX-A: é\r\n\r\nHi"
                ])
        }

        @Test(
            "a header that would be two, or one of the client's own, ends its call before anything is sent",
            .timeLimit(.minutes(10)),
            arguments: [
                Header("x", "a\r\nHost: b"), Header("x\r\ny", "a"), Header("", "a"), Header("host", "b"),
                Header("content-length", "0"), Header("transfer-encoding", "chunked"),
            ])
        func injection(header: Header) async throws {
            let peer = try RawPeer([.bytes(Self.ok)])
            #expect(try await arrivals(headers: [header], at: peer.port) == [.ended(.failed(.malformed))])
            #expect(peer.heads.isEmpty)
        }

        @Test(
            "the progress of an upload grows up to its total, and the answer follows",
            .timeLimit(.minutes(10)))
        func progress() async throws {
            let peer = try RawPeer([.after(Self.large.count, Self.ok)])
            let all = try await arrivals("POST", body: Self.large, at: peer.port)
            let sent = progress(all)
            #expect(sent.count > 100 && zip(sent, sent.dropFirst()).allSatisfy { $0 < $1 })
            #expect(sent.last == Int64(Self.large.count) && all.last == .ended(.completed))
            #expect(
                all.dropFirst(sent.count).first
                    == .head(status: 200, headers: [Header("content-length", "2")]))
        }

        @Test(
            "an answer that comes before the upload is complete ends it, whether its server reads on or breaks off",
            .timeLimit(.minutes(10)))
        func earlyAnswer() async throws {
            let early = "HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nNo"
            let expected: [Arrival] = [
                .head(status: 413, headers: [Header("content-length", "2")]), .body(Array("No".utf8)),
                .ended(.completed),
            ]
            let flooding = try FloodingPeer(Flood("reads no more", early, piece: Self.letters))
            defer { flooding.end() }
            let breaking = try RawPeer([.closed(early)])
            let ending = try RawPeer([.bytes(early)])
            let staying = try RawPeer([.stalled(early)])
            for port in [flooding.port, breaking.port, ending.port, staying.port] {
                let all = try await arrivals("POST", body: Self.large, at: port)
                #expect(answer(all) == expected)
            }
        }

        @Test(
            "nothing of a call arrives once it is closed, within its upload or its body",
            .timeLimit(.minutes(10)))
        func closed() async throws {
            let peer = try RawPeer([
                .after(.max / 2, ""), .stalled("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nHello"),
            ])
            for body in [Self.large, []] {
                let all = try await arrivals("POST", body: body, at: peer.port, closeAfter: 2)
                #expect(!all.contains { if case .ended = $0 { true } else { false } })
            }
        }

        // MARK: Redirects

        @Test(
            "a redirect has the method and the body that its status says", .timeLimit(.minutes(10)),
            arguments: [
                (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (303, "PUT", "GET"),
                (301, "PUT", "PUT"), (307, "POST", "POST"), (308, "POST", "POST"),
            ])
        func method(status: Int, from: String, to: String) async throws {
            let redirect = "HTTP/1.1 \(status) x\r\nLocation: b?c\r\n\r\n"
            let peer = try RawPeer([.after(2, redirect), .after(to == "GET" ? 0 : 2, Self.ok)])
            let all = try await arrivals(ExactText(from), "/x/a", body: Array("Hi".utf8), at: peer.port)
            #expect(all.last == .ended(.completed))
            let second = try #require(peer.heads.last)
            #expect(
                second.hasPrefix("\(to) /x/b?c HTTP/1.1\r\n")
                    && second.hasSuffix(to == "GET" ? "\r\n\r\n" : "Hi"))
        }

        @Test("a redirect within an upload begins it anew, or drops it", .timeLimit(.minutes(10)))
        func redirectWithinUpload() async throws {
            for (status, count) in [(307, Self.large.count), (303, 0)] {
                let peer = try RawPeer([
                    .bytes("HTTP/1.1 \(status) x\r\nLocation: /b\r\n\r\n"), .after(count, Self.ok),
                ])
                let all = try await arrivals("POST", body: Self.large, at: peer.port)
                #expect(all.last == .ended(.completed) && peer.heads.count == 2)
            }
        }

        @Test("L10: a redirect to another port of the same host carries no token", .timeLimit(.minutes(10)))
        func otherPort() async throws {
            let other = try RawPeer([.bytes(Self.ok)])
            let peer = try RawPeer([
                .bytes("HTTP/1.1 307 x\r\nLocation: http://127.0.0.1:\(other.port)/\r\n\r\n")
            ])
            let headers = [Header("authorization", "Bearer top"), Header("content-type", "text/plain")]
            #expect(try await arrivals(headers: headers, at: peer.port).last == .ended(.completed))
            let head = try #require(other.heads.first)
            #expect(!head.contains("top") && head.contains("Content-Type: text/plain"))
        }

        @Test(
            "L10: a redirect from this device into the clear of a network is not followed",
            .timeLimit(.minutes(10)))
        func intoNetwork() async throws {
            let peer = try RawPeer([.bytes("HTTP/1.1 307 x\r\nLocation: http://192.0.2.1/b\r\n\r\n")])
            let all = try await arrivals("POST", body: Array("Hi".utf8), at: peer.port)
            #expect(answer(all) == [.ended(.redirected(307, to: "http://192.0.2.1/b"))])
        }

        @Test("a redirect that leads nowhere is named", .timeLimit(.minutes(10)))
        func nowhere() async throws {
            for line in ["", "Location: \r\n", "Location: mailto:me\r\n", "Location: http://\r\n"] {
                let peer = try RawPeer([.bytes("HTTP/1.1 302 x\r\n\(line)\r\n")])
                #expect(
                    try await arrivals(at: peer.port) == [.ended(.redirected(302, to: "another address"))],
                    "\(line)")
            }
        }

        @Test(
            "a redirect to an encrypted address is carried by the system's session", .timeLimit(.minutes(10)))
        func encrypted() async throws {
            let listener = try #require(SystemSocket.listen(address: "127.0.0.1", port: 0))
            let first = Locked<UInt8>(0)
            Thread.detachNewThread {
                while true {
                    guard let connection = SystemSocket.accept(listener) else {
                        Thread.sleep(forTimeInterval: 0.001)
                        continue
                    }
                    var bytes: [UInt8] = [0]
                    _ = SystemSocket.receive(connection, into: &bytes)
                    first.withLock { $0 = bytes[0] }
                    SystemSocket.close(connection)
                    return SystemSocket.close(listener)
                }
            }
            let to = "https://127.0.0.1:\(SystemSocket.port(of: listener))/"
            let peer = try RawPeer([.bytes("HTTP/1.1 302 x\r\nLocation: \(to)\r\n\r\n")])
            guard case .ended(.failed)? = try await arrivals(at: peer.port).last else {
                Issue.record("The call has not failed.")
                return
            }
            // A record of a handshake (RFC 8446, section 5.1).
            #expect(first.withLock { $0 } == 22)
        }

        // MARK: Addresses

        @Test("a server has an address of IPv6 as well", .timeLimit(.minutes(10)))
        func numbered() async throws {
            guard let peer = try? RawPeer([.bytes(Self.ok)], address: "::1") else { return }
            #expect(try await arrivals(at: peer.port, host: "[::1]").last == .ended(.completed))
            #expect(peer.heads.first?.contains("\r\nHost: [::1]:\(peer.port)\r\n") == true)
        }

        @Test("a name that nobody has is not reached", .timeLimit(.minutes(10)))
        func unknownName() async throws {
            let end = try await arrivals(at: 80, host: "nobody.invalid").last
            // Without a network, nobody can say whether somebody has it.
            #expect([.ended(.failed(.unreachable)), .ended(.failed(.offline))].contains(end))
        }
    }
#endif
