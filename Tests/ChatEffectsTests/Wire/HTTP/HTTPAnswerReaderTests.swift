// The answers of good and of hostile servers to a request in the clear: each framing, each limit, and each split of the
// same bytes.

import ChatDomain
@testable import ChatEffects
import Testing

@Suite("HTTP: answers")
struct HTTPAnswerReaderTests {
    private static let ok = "HTTP/1.1 200 OK\r\n"
    private static let chunked = ok + "Transfer-Encoding: chunked\r\n\r\n"

    /// What an answer has brought, its body in one piece.
    private struct Outcome: Equatable {
        var status: Int64?
        var headers: [Header] = []
        var body = ""
        var end: CallEnd?
    }

    /// The outcome of bytes in one piece, which is that of every split; with the end of the connection behind them.
    private func outcome(
        _ text: String, to method: ExactText = "GET", limit: Int64 = 16_384, isClean: Bool = true,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> Outcome {
        let bytes = Array(text.utf8)
        func read(_ pieces: [ArraySlice<UInt8>]) -> Outcome {
            var reader = HTTPAnswerReader(to: method, limit: limit)
            var outcome = Outcome()
            var body: [UInt8] = []
            func take(_ arrival: Arrival) {
                #expect(outcome.end == nil)
                switch arrival {
                case .head(let status, let headers):
                    #expect(outcome.status == nil)
                    (outcome.status, outcome.headers) = (status, headers)
                case .body(let part): body += part
                case .ended(let end): outcome.end = end
                default: Issue.record("\(arrival)")
                }
            }
            for piece in pieces { for arrival in reader.read([UInt8](piece)) { take(arrival) } }
            if let end = reader.finish(isClean: isClean) { take(.ended(end)) }
            #expect(reader.read(bytes).isEmpty && reader.finish(isClean: true) == nil)
            outcome.body = String(decoding: body, as: UTF8.self)
            return outcome
        }
        let whole = read([bytes[...]])
        for pieces in webSocketSplits(bytes) where read(pieces) != whole {
            Issue.record("\(pieces.map(\.count))", sourceLocation: sourceLocation)
            break
        }
        return whole
    }

    /// The body and the end of an answer with status 200.
    private func body(_ text: String, isClean: Bool = true) -> [String] {
        let outcome = outcome(text, isClean: isClean)
        #expect(outcome.status == 200)
        return [outcome.body, outcome.end.map { "\($0)" } ?? "none"]
    }

    private static let completed = "\(CallEnd.completed)"
    private static let lost = "\(CallEnd.failed(.lost))"

    @Test("L9: a body has the length that its head says, and what is behind it is none of it")
    func length() {
        let answer = outcome(Self.ok + "X-A:  b \r\nContent-Length: 5\r\n\r\nHello, you")
        #expect(answer.status == 200 && answer.body == "Hello" && answer.end == .completed)
        #expect(answer.headers == [Header("x-a", "b"), Header("content-length", "5")])
        #expect(body(Self.ok + "Content-Length: 0\r\n\r\n" + Self.ok) == ["", Self.completed])
        for repeated in ["5\r\nContent-Length: 5", "5, 5", "5 ,05"] {
            #expect(body(Self.ok + "Content-Length: \(repeated)\r\n\r\nHello") == ["Hello", Self.completed])
        }
        #expect(body(Self.ok + "Content-Length: 6\r\n\r\nHello") == ["Hello", Self.lost])
    }

    @Test("L9: a body in chunks is put together, without their extensions and trailers")
    func chunks() {
        let answer = Self.chunked + "5;a=\"b;c\"\r\nHello\r\n0005 \r\n, you\r\nC\n, you all.\n\n\n00\r\n"
        #expect(body(answer + "\r\nmore") == ["Hello, you, you all.\n\n", Self.completed])
        #expect(
            body(Self.chunked + "5\r\nHello\r\n0\r\nX: y\r\nZ: z\r\n\r\nmore") == ["Hello", Self.completed])
        for cut in ["", "5", "5\r\n", "5\r\nHello", "5\r\nHello\r\n", "5\r\nHello\r\n0\r\n", "0\r\nX: y\r\n"]
        {
            #expect(body(Self.chunked + cut)[1] == Self.lost, "\(cut)")
        }
        #expect(
            body(Self.chunked.replacing("chunked", with: " ChunKed\t") + "0\r\n\r\n") == ["", Self.completed])
    }

    @Test("L9: a body without a length ends with its connection, unless that breaks")
    func untilClose() {
        let answer = "HTTP/1.0 200 OK\nContent-Encoding: identity\n\n\(Self.ok)\r\n"
        #expect(body(answer) == ["\(Self.ok)\r\n", Self.completed])
        for plain in ["none", "None", "identity, none", ""] {
            let answer = "HTTP/1.1 200 OK\r\nContent-Encoding: \(plain)\r\n\r\nHello"
            #expect(body(answer) == ["Hello", Self.completed], "\(plain)")
        }
        #expect(body(answer, isClean: false)[1] == Self.lost)
    }

    @Test("L9: an answer to HEAD has no body, and neither has one with status 204 or 304")
    func noBody() {
        let framings = ["Content-Length: 5", "Transfer-Encoding: chunked", "Content-Encoding: gzip"]
        for framing in framings {
            for (status, method) in [(200, "HEAD"), (204, "GET"), (304, "GET")] as [(Int64, ExactText)] {
                let answer = outcome("HTTP/1.1 \(status) x\r\n\(framing)\r\n\r\nHello", to: method)
                #expect(answer.status == status && answer.body.isEmpty && answer.end == .completed)
            }
        }
    }

    @Test("L8, L9: interim answers are passed over, a hundred at most; a switch of protocols is none")
    func interim() {
        let interim = "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
        let answer = Self.ok + "Content-Length: 2\r\n\r\nHi"
        let hundred = String(repeating: interim, count: HTTPAnswerReader.interimLimit)
        #expect(body(hundred + answer) == ["Hi", Self.completed])
        #expect(outcome(hundred + interim + answer) == Outcome(end: .failed(.malformed)))
        #expect(outcome("HTTP/1.1 101 x\r\nUpgrade: x\r\n\r\n" + answer) == Outcome(end: .failed(.malformed)))
        #expect(outcome(interim) == Outcome(end: .failed(.lost)))
    }

    @Test("L9: an answer that is cut off before its body, or has not begun, is lost")
    func cutOff() {
        for text in [
            "", "HTT", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nA: b", "HTTP/1.1 200 OK\r\nA: b\r\n",
        ] {
            for isClean in [true, false] {
                #expect(outcome(text, isClean: isClean) == Outcome(end: .failed(.lost)), "\(text)")
            }
        }
    }

    @Test(
        "L9: what is no answer, or could be read in two ways, is malformed, and nothing of it is told",
        arguments: [
            "\r\n", "hello\r\n", "HTTP/2 200\r\n", "HTTP/1.1 099 x\r\n", "HTTP/1.1 +20 x\r\n",
            "HTTP/1.1  200\r\n", "HTTP/1.1 200 OK\r\n A: b\r\n", "HTTP/1.1 200 OK\r\nA : b\r\n",
            "HTTP/1.1 200 OK\r\nno colon\r\n",
            "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        ]
            + [
                "Content-Length: -5", "Content-Length: +5", "Content-Length: 5 5", "Content-Length: 0x5",
                "Content-Length: ", "Content-Length: 5,", "Content-Length: 9223372036854775808",
                "Content-Length: 5, 6", "Content-Length: 5\r\nContent-Length: 6",
                "Content-Length: 5\r\nTransfer-Encoding: chunked", "Transfer-Encoding: gzip, chunked",
                "Transfer-Encoding: identity", "Transfer-Encoding: chunked, chunked", "Transfer-Encoding: ",
                "Content-Encoding: gzip", "Content-Encoding: identity, br",
            ].map { ok + $0 + "\r\n\r\n" })
    func malformed(head: String) {
        #expect(outcome(head + "5\r\nHello\r\n0\r\n\r\n") == Outcome(end: .failed(.malformed)))
    }

    @Test(
        "L9: chunks against the rules are malformed, and what came before them is told",
        arguments: [
            "\r\n", " 5\r\n", "+5\r\n", "-5\r\n", "0x5\r\n", "g\r\n", "5 5\r\n", ";a\r\n",
            "7FFFFFFFFFFFFFFFF\r\n", "FFFFFFFFFFFFFFFF\r\n", "8000000000000000\r\n", "0000000000000005\r\n",
            "0\r\nno colon\r\n", "5\r\nHello you\r\n",
        ])
    func malformedChunk(chunk: String) {
        let answer = outcome(Self.chunked + "2\r\nHi\r\n" + chunk)
        #expect(answer.body.hasPrefix("Hi") && answer.end == .failed(.malformed))
    }

    @Test("L8, L9: lines without end are too large, wherever they stand; a body without end is not")
    func tooLong() {
        let long = String(repeating: "x", count: 300)
        for begin in ["", "HTTP/1.1 200 ", Self.ok + "A: "] {
            #expect(outcome(begin + long, limit: 200) == Outcome(end: .failed(.tooLarge)))
        }
        for begin in ["", "2;", "0\r\n", "2\r\nHi"] {
            #expect(outcome(Self.chunked + begin + long, limit: 200).end == .failed(.tooLarge), "\(begin)")
        }
        let fields = String(repeating: "A: b\r\n", count: 100)
        #expect(outcome(Self.ok + fields, limit: 200) == Outcome(end: .failed(.tooLarge)))
        #expect(outcome(Self.chunked + "0\r\n" + fields, limit: 200).end == .failed(.tooLarge))
        // Each chunk has a limit of its own, as an answer may be long.
        let many = String(repeating: "1;a\r\nx\r\n", count: 300)
        #expect(outcome(Self.chunked + many + "0\r\n\r\n", limit: 200).body == long)
    }

    @Test("Nothing can be smuggled into a request, and a header of the client's own is refused")
    func request() {
        func bytes(
            _ method: ExactText = "GET", _ path: ExactText = "/", host: ExactText = "h", given: [Header] = []
        ) -> String? {
            HTTPRequestHead.bytes(method, path, host: host, [Header("Connection", "close")], given)
                .map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(
            bytes("PUT", "/a?b", host: "h:8", given: [Header("x", "y")])
                == "PUT /a?b HTTP/1.1\r\nHost: h:8\r\nConnection: close\r\nx: y\r\n\r\n")
        for method in ["", "GET /", "G\r\n"] as [ExactText] { #expect(bytes(method) == nil) }
        for path in ["", "a", "/ b", "/\r\n"] as [ExactText] { #expect(bytes("GET", path) == nil) }
        for host in ["", "a\r\nb", "a/b"] as [ExactText] { #expect(bytes(host: host) == nil) }
        for name in ["", "a b", "x\r\n", "HOST", "content-Length", "transfer-encoding"] as [ExactText] {
            #expect(bytes(given: [Header(name, "x")]) == nil)
        }
        for value in ["a\r\nb: c", "a\n", "\u{0}"] as [ExactText] {
            #expect(bytes(given: [Header("x", value)]) == nil)
        }
    }
}
