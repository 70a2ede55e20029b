// What a hostile stream meets: a limit, an error with its name, and silence after it.

import ChatDomain
@testable import ChatEffects
import Testing

@Suite("Server-Sent Events: limits")
struct SSELimitTests {
    @Test("The limits are 1 MiB unless said otherwise, and never negative")
    func defaults() {
        #expect(SSEPolicy().lineLimit == 1_048_576)
        #expect(SSEPolicy().eventLimit == 1_048_576)
        #expect(SSEPolicy(lineLimit: -1, eventLimit: .min) == SSEPolicy(lineLimit: 0, eventLimit: 0))
    }

    @Test("L8: a line of as many bytes as the limit passes, one byte more is an error")
    func line() {
        let policy = SSEPolicy(lineLimit: 7)
        #expect(readSSE("\u{FEFF}data: x\r\n\r\n", policy).messages == [SSEMessage(data: "x")])
        for long in ["data: xy\n\n", "data: xy", "unknown:", "id: 1234\n"] {
            #expect(readSSE(long, policy).error == .lineTooLong(limit: 7), "\(long)")
        }
    }

    @Test("L8: a comment over the limit is passed over, and the events around it are read")
    func longComment() {
        let stream = sseBytes("\u{FEFF}:1234567\r\ndata: a\n:1234567\n: 23456789\ndata: b\n\n:1234567")
        let whole = readSSE(stream, SSEPolicy(lineLimit: 7))
        #expect(whole.messages == [SSEMessage(data: "a\nb")] && whole.error == nil)
        for pieces in sseSplits(stream) { #expect(readSSE(pieces, SSEPolicy(lineLimit: 7)) == whole) }
        #expect(readSSE(":\n:", SSEPolicy(lineLimit: 0)).error == nil)
        let late = readSSE(":1234567\ndata: xy\n\n", SSEPolicy(lineLimit: 7))
        #expect(late.error == .lineTooLong(limit: 7))
    }

    @Test(
        "L8: data of as many bytes as the limit passes, one byte more is an error, the LFs between included")
    func event() {
        let policy = SSEPolicy(eventLimit: 3)
        #expect(
            sseData("data: abc\n\ndata: a\ndata: b\n\ndata\ndata\ndata\ndata\n\n", policy) == [
                "abc", "a\nb", "\n\n\n",
            ])
        for long in [
            "data: abcd", "data: ab\ndata: c", "data: abc\ndata\n", "data\ndata\ndata\ndata\ndata\n",
        ] {
            #expect(readSSE(long, policy).error == .eventTooLong(limit: 3), "\(long)")
        }
        #expect(readSSE("data: abc\ndata", policy).error == nil)
        #expect(
            readSSE("data: abc\ndata", SSEPolicy(eventLimit: 3, unterminatedEvent: .dispatchAtEnd)).error
                == .eventTooLong(limit: 3))
    }

    @Test("Skipped bytes count for their line, not for the event")
    func passedOver() {
        let comments = String(repeating: ": keep-alive\n", count: 50)
        #expect(
            sseData("data: a\n" + comments + "data: b\n\n", SSEPolicy(lineLimit: 12, eventLimit: 3)) == [
                "a\nb"
            ])
    }

    @Test("Events before the error are handed out; nothing is after it, and the error stays the same")
    func afterError() throws {
        var reader = SSEReader(SSEPolicy(lineLimit: 8))
        var data: [ExactText] = []
        let failed = SSEError.lineTooLong(limit: 8)
        #expect(throws: failed) {
            try reader.read(sseBytes("id: 1\ndata: a\n\ndata: too long\n\ndata: b\n\n")) {
                data.append($0.text)
            }
        }
        #expect(throws: failed) { try reader.read(sseBytes("\n\ndata: c\n\n")) { data.append($0.text) } }
        #expect(throws: failed) { try reader.read([]) { data.append($0.text) } }
        #expect(throws: failed) { try reader.finish { data.append($0.text) } }
        #expect(data == ["a"])
        #expect(reader.lastEventID == "1")
        #expect(failed.description == "a line of the event stream is longer than 8 bytes")
    }

    @Test("L8: an endless comment or unknown field is not kept")
    func notKept() throws {
        for start in [": ", "unknown: "] {
            var short = SSEReader()
            var long = short
            let part = [UInt8](repeating: UInt8(ascii: "x"), count: 1000)
            try short.read(sseBytes(start + "\n")) { _ in }
            try long.read(sseBytes(start)) { _ in }
            for _ in 0..<1000 { try long.read(part) { _ in } }
            try long.read(sseBytes("\n")) { _ in }
            #expect(short == long)
        }
    }
}
