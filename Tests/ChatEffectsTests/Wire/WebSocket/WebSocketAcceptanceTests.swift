// The opening handshake of a server: requests of good, bad and hostile clients.

import ChatDomain
@testable import ChatEffects
import Testing

@Suite("WebSocket: opening as a server")
struct WebSocketAcceptanceTests {
    static let request =
        "GET /chat?a=b HTTP/1.1\r\nHost: server.example.com\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nOrigin: http://example.com\r\nSec-WebSocket-Version: 13\r\n"

    struct Read: Hashable {
        var head: HTTPRequestHead
        var rest: [UInt8]
    }

    /// The outcome of a request in one piece, which is that of every split. Nil while it is incomplete.
    private func read(
        _ request: String, limit: Int64 = 16_384, sourceLocation: SourceLocation = #_sourceLocation
    ) throws(HTTPHeadError) -> Read? {
        let bytes = Array(request.utf8)
        func outcome(_ pieces: [ArraySlice<UInt8>]) -> Result<Read?, HTTPHeadError> {
            var reader = HTTPRequestReader(limit: limit)
            do throws(HTTPHeadError) {
                for (index, piece) in pieces.enumerated() {
                    guard let (head, rest) = try reader.read([UInt8](piece)) else { continue }
                    return .success(Read(head: head, rest: rest + pieces[(index + 1)...].joined()))
                }
                return .success(nil)
            } catch {
                #expect(throws: error) { try reader.read([0x20]) }
                return .failure(error)
            }
        }
        let whole = outcome([bytes[...]])
        for pieces in webSocketSplits(bytes) where outcome(pieces) != whole {
            Issue.record("\(pieces.map(\.count))", sourceLocation: sourceLocation)
            break
        }
        return try whole.get()
    }

    @Test("L9: a request gives path, headers and answer, and what is behind it belongs to the connection")
    func accepted() throws {
        let read = try #require(try read(Self.request + "\r\nframes"))
        let head = read.head
        #expect(head.method == "GET" && head.path == "/chat?a=b" && read.rest == Array("frames".utf8))
        #expect(head.headers.first == Header("host", "server.example.com") && head.headers.count == 6)
        #expect(head.headers.only("origin") == "http://example.com")
        #expect(head.wantsWebSocket)
        #expect(
            try String(decoding: head.acceptWebSocket(), as: UTF8.self)
                == "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n")
        #expect(try self.read(Self.request) == nil)
    }

    @Test("Client and server open a connection with each other")
    func together() throws {
        let nonce = (0..<16).map { UInt8($0 * 16) }
        let request = try #require(WebSocketRequest(host: "[::1]:8080", path: "/ws", nonce: nonce))
        var server = HTTPRequestReader()
        let read = try server.read(request.bytes)
        let head = try #require(read).head
        var client = WebSocketAnswerReader(to: request)
        #expect(try client.read(head.acceptWebSocket()) == [])
    }

    @Test("A request that cannot be accepted is refused by name, with an answer of HTTP")
    func refused() throws {
        func refusal(_ line: String, to other: String) throws -> WebSocketRefusal? {
            let request = Self.request.replacing(line, with: other)
            #expect(request != Self.request)
            let head = try #require(try read(request + "\r\n")).head
            do {
                _ = try head.acceptWebSocket()
                return nil
            } catch {
                return error
            }
        }
        #expect(try refusal("Upgrade: websocket\r\n", to: "") == .notWanted)
        #expect(try refusal("Upgrade: websocket", to: "Upgrade: h2c") == .notWanted)
        #expect(try refusal("Connection: Upgrade", to: "Connection: close") == .notWanted)
        #expect(try refusal("GET", to: "POST") == .wrongMethod)
        #expect(try refusal("GET", to: "get") == .wrongMethod)
        #expect(try refusal("HTTP/1.1", to: "HTTP/1.0") == .oldHTTP)
        #expect(try refusal("Host: server.example.com\r\n", to: "") == .wrongHost)
        #expect(try refusal("Host: ", to: "Host: a\r\nHost: ") == .wrongHost)
        #expect(try refusal("Version: 13", to: "Version: 8") == .wrongVersion)
        #expect(try refusal("Sec-WebSocket-Version: 13\r\n", to: "") == .wrongVersion)
        #expect(try refusal("dGhlIHNhbXBsZSBub25jZQ==", to: "dGhlIHNhbXBsZSBub25jZQ") == .wrongKey)
        #expect(try refusal("dGhlIHNhbXBsZSBub25jZQ==", to: "AAAA") == .wrongKey)
        #expect(
            try refusal("Sec-WebSocket-Key: ", to: "Sec-WebSocket-Key: x\r\nSec-WebSocket-Key: ") == .wrongKey
        )
        #expect(try refusal("Origin", to: "Content-Length: 5\r\nOrigin") == .unexpectedBody)
        #expect(try refusal("Origin", to: "Transfer-Encoding: chunked\r\nOrigin") == .unexpectedBody)
        #expect(try refusal("Origin", to: "Content-Length: 0\r\nOrigin") == nil)
        #expect(try refusal("Connection: Upgrade", to: "Connection: keep-alive, Upgrade") == nil)
        let answer = "HTTP/1.1 426 Upgrade Required\r\nConnection: close\r\nContent-Length: 0\r\n"
        #expect(
            String(decoding: WebSocketRefusal.wrongVersion.answer, as: UTF8.self)
                == answer + "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n")
        #expect(
            String(decoding: WebSocketRefusal.wrongKey.answer, as: UTF8.self)
                == "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
        #expect(
            String(decoding: WebSocketRefusal.wrongMethod.answer, as: UTF8.self)
                == "HTTP/1.1 405 Method Not Allowed\r\nConnection: close\r\nContent-Length: 0\r\nAllow: GET\r\n\r\n"
        )
    }

    @Test("An ordinary request is read, too, and wants no WebSocket")
    func ordinary() throws {
        let read = try #require(try read("POST /v1/chat HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}"))
        #expect(read.head.method == "POST" && read.head.path == "/v1/chat" && read.rest == Array("{}".utf8))
        #expect(!read.head.wantsWebSocket)
    }

    @Test(
        "Bytes that are no request end at their first wrong line",
        arguments: [
            "GET\r\n", "GET / \r\n", "GET  / HTTP/1.1\r\n", "GET / HTTP/2.0\r\n", "GET a HTTP/1.1\r\n",
            "GET /a b HTTP/1.1\r\n", "G(T / HTTP/1.1\r\n", "\r\n", "\u{16}\u{3}\u{1}\n",
            "GET / HTTP/1.1\r\nx\r\n",
            "GET /é HTTP/1.1\r\n",
        ])
    func malformed(request: String) {
        #expect(throws: HTTPHeadError.malformed) { try read(request) }
    }

    @Test("L8: a head over the limit is an error")
    func limit() throws {
        let request = Self.request + "\r\n"
        let count = Int64(request.utf8.count)
        #expect(try read(request + "rest", limit: count)?.rest == Array("rest".utf8))
        #expect(throws: HTTPHeadError.tooLong(limit: count - 1)) { try read(request, limit: count - 1) }
    }
}
