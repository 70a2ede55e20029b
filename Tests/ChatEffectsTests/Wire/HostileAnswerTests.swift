import ChatDomain
@testable import ChatEffects
import ChatTesting
import Testing

/// Answers that no server of a convention means, thrown at each of them. What is said of sockets stands in the tests of
/// their backends, what is said of lines and heads in those of the readers.
@Suite("Hostile answers over HTTP")
struct HostileAnswerTests {
    private static let bodies: [[UInt8]] = [
        [], [0], Array("<html><body>Sign in to the Wi-Fi.</body></html>".utf8), Array("data: \n\n".utf8),
        Array("data: {}\n\n".utf8), Array("data: [[{\n\n".utf8),
        Array("data: \(String(repeating: "[", count: 10_000))\n\n".utf8),
        Array("data: \(String(repeating: #"{"a":"#, count: 10_000))\n\n".utf8),
        Array("retry: 99999999999999999999\nid: \u{0}\nevent: \n\n".utf8),
        [0xFF, 0xFE, 0x00] + Array("data: {\"type\":\"token\"}\n\n".utf8),
        Array("data: ".utf8) + [0xC3, 0x28, 0xED, 0xA0, 0x80] + Array("\n\n".utf8),
        Array(#"data: {"type":"message_delta","usage":{"output_tokens":1e400,"input_tokens":-1}}"#.utf8),
        Array(#"data: {"choices":[{"index":1e30,"delta":7}],"usage":{"total_tokens":9e99}}"#.utf8) + [
            10, 10,
        ],
        Array(#"data: {"candidates":[[]],"usageMetadata":{"totalTokenCount":"many"}}"#.utf8) + [10, 10],
        Array(String(repeating: ": still here\n\n", count: 5_000).utf8),
        Array(String(repeating: "data: {\"type\":\"unheard\"}\n\n", count: 500).utf8),
        [0x1F, 0x8B, 0x08, 0x00, 0x00], Array("HTTP/1.1 200 OK\r\n\r\n".utf8),
    ]

    @Test(
        "S4, S12, L9: no such answer is a good end; each has a reason, and the same in pieces")
    func streams() {
        for (number, body) in Self.bodies.enumerated() { check(body, number) }
    }

    private func check(_ body: [UInt8], _ number: Int) {
        let single = body.map { [$0] }
        for format in ReplyFormat.allCases {
            for type in ["text/event-stream", "text/html", ""] {
                let headers = type.isEmpty ? [] : [Header("content-type", ExactText(type))]
                let whole = format.decode([body], headers: headers)
                #expect(whole.outcome != .finished && whole.text.isEmpty, "\(number) \(format)")
                #expect(whole.reason?.isEmpty == false, "\(number) \(format)")
                #expect(format.decode(single, headers: headers) == whole, "\(number) \(format)")
                if type == "text/html" { #expect(whole.end == .failed(.malformed), "\(number) \(format)") }
            }
            for status in [-1, 0, 199, 302, 404, 500, 999, .max] as [Int64] {
                let refused = format.decode([body], status: status)
                guard case .refused(status, nil, _)? = refused.end else {
                    Issue.record("\(format): \(status) ends as \(String(describing: refused.end))")
                    continue
                }
                #expect(refused.outcome == .failed && refused.reason?.isEmpty == false)
            }
        }
    }

    @Test("S9, L8: a wait that is no number of seconds is none, and one out of range is as long as there is")
    func waits() {
        let waits: [(ExactText, Interval?)] = [
            ("7", .seconds(7)), (" 7 ", .seconds(7)), ("-1", nil), ("1e3", nil), ("", nil), ("soon", nil),
            ("99999999999999999999", nil), ("9223372036854775807", .seconds(.max)),
            ("Wed, 21 Oct 2015 07:28:00 GMT", nil),
        ]
        for (text, wait) in waits {
            for format in ReplyFormat.allCases {
                let reply = format.decode([[]], status: 503, headers: [Header("retry-after", text)])
                #expect(reply.end == .refused(status: 503, retryAfter: wait, message: ""), "\(text.string)")
            }
        }
    }

    @Test("C14: an upload that is answered by anything else ends with a reason")
    func uploads() {
        for body in Self.bodies {
            check(upload: body, 200)
            check(upload: body, 500)
        }
    }

    private func check(upload body: [UInt8], _ status: Int64) {
        var call = LinkCall(uploading: ClawlineLink())
        _ = call.receive(.head(status: status, headers: []))
        for byte in body.prefix(60_000) { #expect(call.receive(.body([byte])) == LinkCall.Heard()) }
        let heard = call.receive(.ended(.completed))
        #expect(heard.events.isEmpty)
        #expect(
            heard.end
                == (status == 200
                    ? .failed(.malformed) : .refused(status: 500, retryAfter: nil, message: "")))
    }
}
