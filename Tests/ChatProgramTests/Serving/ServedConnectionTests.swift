// One connection of the served backend, by the bytes of its client: what is asked of the server, what goes out, and what
// hostile bytes come to.

@testable import chat
import ChatDomain
import ChatEffects
import Testing

@Suite("A served connection")
struct ServedConnectionTests {
    static let call = CallNumber(7)
    static let question =
        "POST /v1/chat/completions?x=1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nabcd"

    private static func text(_ steps: [ServedConnection.Step]) -> String {
        var bytes: [UInt8] = []
        for case .send(let part) in steps { bytes += part }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func operations(_ steps: [ServedConnection.Step]) -> [DriverOperation] {
        steps.compactMap { step in
            if case .operate(let operation) = step { operation } else { nil }
        }
    }

    /// What a client's bytes cause, in pieces of a length.
    private static func take(
        _ text: String, pieces: Int = .max, _ connection: inout ServedConnection
    ) -> [ServedConnection.Step] {
        var steps: [ServedConnection.Step] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            steps += connection.take(Array(rest.prefix(pieces)))
            rest = rest.dropFirst(pieces)
        }
        return steps
    }

    @Test("a request in any pieces is one operation, without its query", arguments: [1, 2, 7, 1_000])
    func pieces(length: Int) {
        var connection = ServedConnection(Self.call)
        let operations = Self.operations(Self.take(Self.question, pieces: length, &connection))
        guard
            case .open(Self.call, .http("POST", "/v1/chat/completions", _, let body, nil))? = operations.first,
            operations.count == 1
        else {
            Issue.record("The operations are \(operations).")
            return
        }
        #expect(body == Payload(bytes: Array("abcd".utf8)))
    }

    @Test("an answer has its status, its body in chunks, and an end")
    func answer() {
        var connection = ServedConnection(Self.call)
        _ = Self.take(Self.question, &connection)
        var steps = connection.take(.head(status: 200, headers: [Header("content-type", "text/plain")]))
        steps += connection.take(.body(Array("Hello".utf8)))
        steps += connection.take(.ended(.completed))
        let text = Self.text(steps)
        #expect(text.hasPrefix("HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n"))
        #expect(text.hasSuffix("\r\n\r\n5\r\nHello\r\n0\r\n\r\n") && steps.last == .finish)
        #expect(steps.contains(.log("POST /v1/chat/completions 200")))
    }

    @Test("an answer that breaks resets the connection, so that no client takes it for whole")
    func broken() {
        var connection = ServedConnection(Self.call)
        _ = Self.take(Self.question, &connection)
        _ = connection.take(.head(status: 200, headers: []))
        #expect(connection.take(.ended(.failed(.lost))) == [.reset])
    }

    @Test(
        "bytes that are no request, or too many, are refused with a status",
        arguments: [
            ("nonsense\r\n\r\n", 400), ("GET  / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/2.0\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nContent-Length: +4\r\n\r\nabcd", 400),
            ("POST / HTTP/1.1\r\nContent-Length: 4, 4\r\n\r\nabcd", 400),
            ("POST / HTTP/1.1\r\nContent-Length:\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n", 413),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 411),
            ("GET / HTTP/1.1\r\nX-Chat-Network: nonsense\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nA: " + String(repeating: "a", count: 20_000), 431),
        ])
    func hostile(bytes: String, status: Int) {
        var connection = ServedConnection(Self.call)
        let steps = Self.take(bytes, pieces: 100, &connection)
        let text = Self.text(steps)
        #expect(text.hasPrefix("HTTP/1.1 \(status) ") && steps.last == .finish)
        #expect(text.contains("\r\ncontent-length: 0\r\n"))
        #expect(Self.operations(steps).isEmpty && connection.take(Array("more".utf8)).isEmpty)
    }

    @Test("a page of another origin may ask")
    func preflight() {
        var connection = ServedConnection(Self.call)
        let text = Self.text(Self.take("OPTIONS /upload HTTP/1.1\r\nHost: a\r\n\r\n", &connection))
        #expect(text.hasPrefix("HTTP/1.1 204 ") && text.contains("access-control-allow-origin: *"))
        // An answer without content has no length either (RFC 9110, section 8.6).
        #expect(!text.contains("content-length") && text.hasSuffix("\r\nconnection: close\r\n\r\n"))
    }

    @Test("a page of another origin may read the headers of an answer, such as its wait")
    func exposed() {
        var connection = ServedConnection(Self.call)
        _ = Self.take(Self.question, &connection)
        let limited = Self.text(
            connection.take(.head(status: 429, headers: [Header("retry-after", "7")])))
        #expect(limited.contains("\r\nretry-after: 7\r\n"))
        var refusing = ServedConnection(Self.call)
        let refused = Self.text(Self.take("nonsense\r\n\r\n", &refusing))
        for text in [limited, refused] {
            #expect(text.contains("\r\naccess-control-allow-origin: *\r\n"))
            #expect(text.contains("\r\naccess-control-expose-headers: *\r\n"))
        }
    }

    @Test("a network cuts, breaks, stalls or drips an answer, by option or by a request's header")
    func networkFaults() {
        func steps(_ fault: String) -> [ServedConnection.Step] {
            var connection = ServedConnection(Self.call)
            let header = "X-Chat-Network: \(fault)\r\n"
            _ = Self.take(
                Self.question.replacing("Host: localhost\r\n", with: "Host: localhost\r\n\(header)"),
                &connection)
            return connection.take(.head(status: 200, headers: [])) + connection.take(.ended(.completed))
        }
        #expect(Self.text(steps("cut=12")) == "HTTP/1.1 200" && steps("cut=12").contains(.finish))
        #expect(Self.text(steps("reset=12")) == "HTTP/1.1 200" && steps("reset=12").contains(.reset))
        let stalled = steps("stall=12")
        #expect(
            Self.text(stalled) == "HTTP/1.1 200" && !stalled.contains(.finish) && !stalled.contains(.reset))
        #expect(steps("drip").filter { $0 == .send([UInt8(ascii: "0")]) }.count >= 2)
        #expect(steps("cut=100000").last == .finish)
    }

    @Test("a WebSocket opens when the server says so; frames become operations and texts become frames")
    func socket() throws {
        var connection = ServedConnection(Self.call)
        let request = try #require(
            WebSocketRequest(host: "localhost", path: "/ws", nonce: Array(repeating: 7, count: 16)))
        let steps = connection.take(request.bytes)
        #expect(
            Self.operations(steps) == [.open(Self.call, .socket(path: "/ws"))] && Self.text(steps).isEmpty)
        var client = WebSocketConnection(.client)
        var answers = WebSocketAnswerReader(to: request)
        let answer = Array(Self.text(connection.take(.opened)).utf8)
        #expect(try answers.read(answer) == [])
        let frame = try #require(client.text("Hello", maskingKey: 0x1234_5678))
        #expect(
            Self.operations(connection.take(frame)) == [.send(Self.call, Payload(bytes: Array("Hello".utf8)))]
        )
        var received: [WebSocketStep] = []
        for case .send(let bytes) in connection.take(.text(Array("Hi".utf8))) {
            client.receive(bytes, maskingKey: { 0 }) { received.append($0) }
        }
        #expect(received == [.received(.text(Array("Hi".utf8)))])
        let closing = connection.take(.ended(.closed(code: 1008, reason: "token_revoked")))
        for case .send(let bytes) in closing {
            client.receive(bytes, maskingKey: { 0 }) { received.append($0) }
        }
        #expect(
            received.contains(.received(.closed(code: 1008, reason: "token_revoked")))
                && closing.last == .finish)
    }

    @Test(
        "a WebSocket that the server closes before it has opened opens, and is closed with the reason",
        arguments: [nil, .drip, .cut(after: 100_000)] as [NetworkFault?])
    func closedAtHandshake(fault: NetworkFault?) throws {
        var connection = ServedConnection(Self.call, fault)
        let request = try #require(
            WebSocketRequest(host: "localhost", path: "/ws", nonce: Array(repeating: 7, count: 16)))
        _ = connection.take(request.bytes)
        let steps = connection.take(.ended(.closed(code: 1013, reason: "")))
        var bytes: [UInt8] = []
        for case .send(let part) in steps { bytes += part }
        var answers = WebSocketAnswerReader(to: request)
        let rest = try answers.read(bytes)
        let frames = try #require(rest)
        var client = WebSocketConnection(.client)
        var received: [WebSocketStep] = []
        client.receive(frames, maskingKey: { 0 }) { received.append($0) }
        #expect(received.contains(.received(.closed(code: 1013, reason: ""))) && steps.last == .finish)
        #expect(connection.take(.ended(.completed)).isEmpty)
    }

    @Test("the last frame of a WebSocket passes a fault of the network that lets its bytes pass")
    func closedWithinLimit() throws {
        let request = try #require(
            WebSocketRequest(host: "localhost", path: "/ws", nonce: Array(repeating: 7, count: 16)))
        func last(_ fault: NetworkFault) -> (steps: [ServedConnection.Step], received: [WebSocketStep]) {
            var connection = ServedConnection(Self.call, fault)
            _ = connection.take(request.bytes) + connection.take(.opened)
            let steps = connection.take(.ended(.closed(code: 1008, reason: "token_revoked")))
            var client = WebSocketConnection(.client)
            var received: [WebSocketStep] = []
            for case .send(let bytes) in steps {
                client.receive(bytes, maskingKey: { 0 }) { received.append($0) }
            }
            return (steps, received)
        }
        let closed = WebSocketStep.received(.closed(code: 1008, reason: "token_revoked"))
        for fault in [NetworkFault.cut(after: 100_000), .reset(after: 100_000), .stall(after: 100_000)] {
            let (steps, received) = last(fault)
            #expect(received.contains(closed) && steps.last == .finish)
        }
        #expect(last(.stall(after: 10)).steps.isEmpty)
    }

    @Test("a frame that violates the protocol closes the WebSocket and the call")
    func unmasked() throws {
        var connection = ServedConnection(Self.call)
        let request = try #require(
            WebSocketRequest(host: "localhost", path: "/ws", nonce: Array(repeating: 7, count: 16)))
        _ = connection.take(request.bytes)
        _ = connection.take(.opened)
        let steps = connection.take([0x81, 0x01, 0x41])
        #expect(steps.contains(.operate(.close(Self.call))) && steps.last == .finish)
    }

    @Test("a client that goes closes its call")
    func gone() {
        var connection = ServedConnection(Self.call)
        #expect(connection.ended().isEmpty)
        _ = Self.take(Self.question, &connection)
        #expect(connection.ended() == [.operate(.close(Self.call))])
    }
}
