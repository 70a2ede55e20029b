// The opening handshake of a client: the request, and the answers of good, bad and hostile servers.

import ChatDomain
@testable import ChatEffects
import Testing

@Suite("WebSocket: opening as a client")
struct WebSocketRequestTests {
    /// The example of the standard (RFC 6455, section 1.3).
    static let nonce = Array("the sample nonce".utf8)
    static let opening =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"

    private func asked(_ headers: [Header] = []) throws -> WebSocketRequest {
        try #require(
            WebSocketRequest(
                host: "server.example.com", path: "/chat?a=b", headers: headers, nonce: Self.nonce))
    }

    /// The outcome of an answer in one piece, which is that of every split: the bytes behind it, or the reason. Nil while
    /// it is incomplete.
    private func outcome(
        _ answer: String, headLimit: Int64 = 16_384, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Result<String, WebSocketHandshakeError>? {
        let bytes = Array(answer.utf8)
        let request = try asked()
        func read(_ pieces: [ArraySlice<UInt8>]) -> Result<String, WebSocketHandshakeError>? {
            var reader = WebSocketAnswerReader(to: request, headLimit: headLimit)
            var rest: [UInt8]?
            do throws(WebSocketHandshakeError) {
                for piece in pieces {
                    if let bytes = try reader.read([UInt8](piece)) { rest = (rest ?? []) + bytes }
                }
            } catch {
                #expect(reader.interruption == error)
                #expect(throws: error) { try reader.read([0x20]) }
                return .failure(error)
            }
            return rest.map { .success(String(decoding: $0, as: UTF8.self)) }
        }
        let whole = read([bytes[...]])
        for pieces in webSocketSplits(bytes) where read(pieces) != whole {
            Issue.record("\(pieces.map(\.count))", sourceLocation: sourceLocation)
            break
        }
        return whole
    }

    @Test("The request is that of the standard, with further headers")
    func request() throws {
        let request = try asked([
            Header("origin", "http://example.com"), Header("authorization", "Bearer x"),
        ])
        #expect(
            String(decoding: request.bytes, as: UTF8.self)
                == "GET /chat?a=b HTTP/1.1\r\nHost: server.example.com\r\nUpgrade: websocket\r\n"
                + "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\norigin: http://example.com\r\n"
                + "authorization: Bearer x\r\n\r\n")
        #expect(request.proof == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }

    @Test("Nothing can be smuggled into a request")
    func smuggling() {
        func isRefused(
            host: ExactText = "h", path: ExactText = "/", _ headers: [Header] = [],
            nonce: [UInt8] = Self.nonce
        ) -> Bool { WebSocketRequest(host: host, path: path, headers: headers, nonce: nonce) == nil }
        #expect(!isRefused())
        for host in ["", "a b", "a\r\nb", "a/b", "é"] as [ExactText] { #expect(isRefused(host: host)) }
        for path in ["", "a", "/a b", "/\r\n", "/é", "/\u{7F}", "/#a"] as [ExactText] {
            #expect(isRefused(path: path))
        }
        for value in ["a\r\nb: c", "\u{0}", "a\n", "\u{7F}"] as [ExactText] {
            #expect(isRefused([Header("x", value)]))
        }
        for name in [
            "", "a b", "a:", "é", "Host", "upgrade", "CONNECTION", "content-length", "transfer-encoding",
            "Sec-WebSocket-Key", "sec-websocket-protocol",
        ] as [ExactText] { #expect(isRefused([Header(name, "x")])) }
        #expect(isRefused(nonce: []) && isRefused(nonce: Self.nonce + [0]))
    }

    @Test("L9: an answer with the proof opens, and what is behind it belongs to the connection")
    func opens() throws {
        #expect(try outcome(Self.opening + "\r\n") == .success(""))
        #expect(
            try outcome(Self.opening + "Server: x\r\n\r\n\u{1}frames\r\n\r\n")
                == .success("\u{1}frames\r\n\r\n"))
        #expect(try outcome(Self.opening) == nil)
        let odd =
            "HTTP/1.1 101\nupgrade:\tWebSocket \nCONNECTION: keep-alive , upgrade\nX: é\n"
            + "sec-websocket-accept:s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\n\n"
        #expect(try outcome(odd) == .success(""))
    }

    @Test("An interim answer is passed over")
    func interim() throws {
        let interim = "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
        #expect(try outcome(interim + interim + Self.opening + "\r\n") == .success(""))
        // They share one limit, so that they end.
        let many = String(repeating: interim, count: 10)
        #expect(try outcome(many, headLimit: 300) == .failure(.notHTTP(.tooLong(limit: 300))))
    }

    @Test("An answer that is not to this request, or that does not upgrade, is refused by name")
    func wrong() throws {
        func changed(_ line: String, to other: String) throws -> Result<String, WebSocketHandshakeError>? {
            let answer = Self.opening.replacing(line, with: other)
            #expect(answer != Self.opening)
            return try outcome(answer + "\r\nrest")
        }
        #expect(try changed("Upgrade: websocket\r\n", to: "") == .failure(.wrongUpgrade))
        #expect(try changed("Upgrade: websocket", to: "Upgrade: h2c") == .failure(.wrongUpgrade))
        #expect(try changed("Connection: Upgrade\r\n", to: "") == .failure(.wrongConnection))
        #expect(try changed("Connection: Upgrade", to: "Connection: close") == .failure(.wrongConnection))
        #expect(try changed("s3pPLM", to: "S3pPLM") == .failure(.wrongProof))
        #expect(try changed("Sec-WebSocket-Accept", to: "X") == .failure(.wrongProof))
        #expect(
            try changed("Upgrade: w", to: "Sec-WebSocket-Accept: x\r\nUpgrade: w") == .failure(.wrongProof))
        #expect(try changed("HTTP/1.1", to: "HTTP/1.0") == .failure(.notHTTP(.malformed)))
        for header in ["Sec-WebSocket-Extensions: permessage-deflate", "Sec-WebSocket-Protocol: chat"] {
            #expect(try outcome(Self.opening + header + "\r\n\r\n") == .failure(.unrequestedExtension))
        }
    }

    @Test("A refusal tells the status, the wait and the start of the body")
    func refused() throws {
        func refusal(
            _ status: Int64, retryAfter: Interval? = nil, _ body: String = ""
        ) -> Result<String, WebSocketHandshakeError> {
            .failure(.refused(status: status, retryAfter: retryAfter, body: Array(body.utf8)))
        }
        #expect(
            try outcome("HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nContent-Length: 4\r\n\r\nbusy and more")
                == refusal(503, retryAfter: .seconds(7), "busy"))
        #expect(try outcome("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n") == refusal(401))
        #expect(try outcome("HTTP/1.1 204 None\r\n\r\n") == refusal(204))
        #expect(try outcome("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok") == refusal(200, "ok"))
        #expect(
            try outcome("HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n")
                == refusal(404, "body"))
        #expect(
            try outcome("HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\nx\r\n")
                == refusal(404, "body"))
        #expect(try outcome("HTTP/1.1 500 x\r\nContent-Encoding: gzip\r\n\r\nbody") == refusal(500))
        #expect(try outcome("HTTP/1.1 500 x\r\nContent-Length: many\r\n\r\nbody") == refusal(500))
        #expect(try outcome("HTTP/1.1 304 x\r\n\r\n") == refusal(304))
        let long = String(repeating: "x", count: 5_000)
        #expect(
            try outcome("HTTP/1.1 500 x\r\nContent-Length: 99999999999999999999\r\n\r\n" + long)
                == refusal(500))
        #expect(
            try outcome("HTTP/1.1 500 x\r\nContent-Length: 5000\r\n\r\n" + long)
                == refusal(500, String(long.prefix(4_096))))
        // Without a length the end of the connection ends the body.
        var reader = WebSocketAnswerReader(to: try asked())
        #expect(try reader.read(Array("HTTP/1.1 502 Bad\r\nRetry-After: 1\r\n\r\nhalf".utf8)) == nil)
        #expect(
            reader.interruption
                == .refused(status: 502, retryAfter: .seconds(1), body: Array("half".utf8)))
    }

    @Test("P5, L8: a refusal is shown in the server's sentence, a page in none")
    func sentences() {
        let long = String(repeating: "x", count: 2_000)
        for (body, sentence) in [
            (#"{"type":"error","code":"rate_limited","message":"Slow down."}"#, "Slow down."),
            (#" {"error":{"message":"No\u0007."}}"#, "No."), (#"{"code":7}"#, ""), (#"{"message":"cu"#, ""),
            ("<html><body>502</body></html>", ""), ("\n <!DOCTYPE html>", ""), (" Not now.\r\n", "Not now."),
            ("", ""), ("503", ""), (long, String(long.prefix(1_024))),
            (#"{"message":"\#(long)"}"#, String(long.prefix(1_024))),
        ] {
            #expect(ExactText(refusal: Array(body.utf8)) == ExactText(sentence), "\(body)")
        }
    }

    @Test("A redirect is told and not followed")
    func redirected() throws {
        #expect(
            try outcome("HTTP/1.1 302 Found\r\nLocation: https://other.example/\r\nContent-Length: 9\r\n\r\n")
                == .failure(.redirected(status: 302, location: "https://other.example/")))
        #expect(
            try outcome("HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n")
                == .failure(.refused(status: 302, retryAfter: nil, body: [])))
    }

    @Test("Bytes that are no answer of HTTP end at their first wrong line")
    func notHTTP() throws {
        let malformed = Result<String, WebSocketHandshakeError>.failure(.notHTTP(.malformed))
        for line in [
            "SSH-2.0-OpenSSH_9.6\r\n", "\r\n", "HTTP/2 101 x\r\n", "HTTP/1.1\r\n", "HTTP/1.1 99 x\r\n",
            "HTTP/1.1 1010\r\n",
            "HTTP/1.1 +10 x\r\n", "HTTP/1.1  101\r\n", "http/1.1 101 x\r\n", "HTTP/1.x 101\r\n",
            "\u{1}\u{2}\n",
        ] { #expect(try outcome(line) == malformed, "\(line)") }
        for line in [
            "no colon", ": no name", "space : x", " folded", "\tfolded", "nul: \u{0}", "return: a\rb", "é: x",
            "del: \u{7F}",
        ] { #expect(try outcome("HTTP/1.1 101 x\r\n\(line)\r\n") == malformed, "\(line)") }
    }

    @Test("L8: a head of as many bytes as the limit passes, one more is an error, also without a line end")
    func limit() throws {
        let answer = Self.opening + "\r\n"
        let count = Int64(answer.utf8.count)
        #expect(try outcome(answer + "rest", headLimit: count) == .success("rest"))
        let tooLong = Result<String, WebSocketHandshakeError>.failure(.notHTTP(.tooLong(limit: count - 1)))
        #expect(try outcome(answer, headLimit: count - 1) == tooLong)
        let endless = String(repeating: "x", count: 100)
        #expect(try outcome(endless, headLimit: 99) == .failure(.notHTTP(.tooLong(limit: 99))))
        #expect(try outcome(endless, headLimit: 100) == nil)
        #expect(try outcome("x", headLimit: -1) == .failure(.notHTTP(.tooLong(limit: 0))))
    }

    @Test("A connection that ends within the head is cut off")
    func cutOff() throws {
        var reader = WebSocketAnswerReader(to: try asked())
        #expect(reader.interruption == .cutOff)
        #expect(try reader.read(Array("HTTP/1.1 101 Switching\r\nUpgr".utf8)) == nil)
        #expect(reader.interruption == .cutOff)
    }
}
