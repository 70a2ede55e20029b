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
        Array(String(repeating: ": still here\n\n", count: 1_000).utf8),
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

    @Test(
        "S9, L8: a wait that is no number of seconds and no date is none, and one out of range is as long as there is"
    )
    func waits() {
        let waits: [(ExactText, Interval?)] = [
            ("7", .seconds(7)), (" 7 ", .seconds(7)), ("-1", nil), ("1e3", nil), ("", nil), ("soon", nil),
            ("99999999999999999999", .seconds(.max)), ("9223372036854775807", .seconds(.max)),
            ("1.5", .milliseconds(1_500)), ("0.0000000001", .zero), (".5", nil), ("5.", nil), ("1.2.3", nil),
            ("+7", nil), ("0x7", nil), ("007", .seconds(7)), ("Wed, 21 Oct 2015 07:28:00 GMT", nil),
        ]
        for (text, wait) in waits { check([Header("retry-after", text)], wait) }
    }

    private func check(_ headers: [Header], _ wait: Interval?, _ body: String = "") {
        for format in ReplyFormat.allCases {
            let reply = format.decode([Array(body.utf8)], status: 503, headers: headers)
            guard case .refused(503, wait, _)? = reply.end else {
                Issue.record("\(format) \(headers): \(String(describing: reply.end))")
                continue
            }
        }
    }

    @Test("S9: a date to wait for counts from the answer's own date, and an exact number before both")
    func dates() {
        let now = Header("date", "Wed, 21 Oct 2015 07:28:00 GMT")
        for (text, wait) in [
            ("Wed, 21 Oct 2015 07:28:07 GMT", .seconds(7)), ("Thu, 22 Oct 2015 07:28:00 GMT", .hours(24)),
            ("Wed, 21 Oct 2015 07:27:00 GMT", .zero), ("Wed, 21 Oct 2015 07:28:07 CET", nil),
            ("Wed, 21 Okt 2015 07:28:07 GMT", nil), ("Wed, 31 Feb 2015 07:28:07 GMT", nil),
            ("Wednesday, 21-Oct-15 07:28:07 GMT", .seconds(7)), ("Wed Oct 21 07:28:07 2015", .seconds(7)),
            ("Sun Nov  1 07:28:00 2015", .hours(24 * 11)), ("Wed Oct  07:28:07 2015", nil),
            ("Thursday, 21-Oct-99 07:28:07 GMT", .zero), ("Tuesday, 29-Feb-00 07:28:07 GMT", .zero),
            ("Wednesday, 21-Oct-65 07:28:00 GMT", .hours(24 * 18_263)),  // 50 years, and then a second more
            ("Wednesday, 21-Oct-65 07:28:01 GMT", .zero), ("Wednesday, 21-Oct-155 07:28:07 GMT", nil),
        ] as [(ExactText, Interval?)] {
            check([now, Header("retry-after", text)], wait)
        }
        for date in ["Wednesday, 21-Oct-15 07:28:00 GMT", "Wed Oct 21 07:28:00 2015"] as [ExactText] {
            let end = Header("retry-after", "Wednesday, 21-Oct-15 07:28:07 GMT")
            check([Header("date", date), end], .seconds(7))
        }
        check([Header("date", "now"), Header("retry-after", "Wed, 21 Oct 2015 07:28:07 GMT")], nil)
        check([Header("retry-after", "2"), Header("retry-after-ms", "1250")], .milliseconds(1_250))
        check([Header("retry-after", "2"), Header("retry-after-ms", "soon")], .seconds(2))
        check([Header("retry-after", "9"), Header("retry-after", "2")], .seconds(9))
    }

    @Test("S9: a wait within an error's details is told, unless a header tells one")
    func details() {
        let body =
            #"{"error":{"code":429,"message":"Slow","status":"RESOURCE_EXHAUSTED","details":[{"@type":"x"},"#
            + #"{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"45.837906927s"}]}}"#
        check([], Interval(nanoseconds: 45_837_906_927), body)
        check([], Interval(nanoseconds: 45_837_906_927), "[\(body)]")
        check([Header("retry-after", "9")], .seconds(9), body)
        for delay in ["45", "s", "-1s", ""] {
            check([], nil, #"{"error":{"details":[{"retryDelay":"\#(delay)"}]}}"#)
        }
        check([], nil, #"{"error":{"details":{}}}"#)
    }

    @Test("S8, S9: a refusal whose body breaks off is a refusal, and a long one keeps its sentence")
    func brokenRefusals() {
        let echo = String(repeating: "x", count: 20_000)
        let body = #"{"message":"Slow down.","error":{"message":"Slow down.","input":"\#(echo)"}}"#
        for format in ReplyFormat.allCases {
            for status in [401, 429, 503] as [Int64] {
                let cut = format.decode([Array(body.utf8.prefix(50))], status: status, ending: .failed(.lost))
                #expect(cut.end == .refused(status: status, retryAfter: nil, message: ""), "\(format)")
                let whole = format.decode([Array(body.utf8)], status: status)
                #expect(whole.end == .refused(status: status, retryAfter: nil, message: "Slow down."))
            }
            #expect(format.decode([Array("x".utf8)], ending: .failed(.lost)).end == nil)
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
