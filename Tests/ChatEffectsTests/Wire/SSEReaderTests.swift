// The rules of the standard, one by one.

import ChatDomain
import ChatEffects
import Testing

@Suite("Server-Sent Events: the standard's rules")
struct SSEReaderTests {
    @Test("One space after the colon is dropped, and no more than one", arguments: ["data:x", "data: x"])
    func oneSpace(line: String) {
        #expect(sseData(line + "\n\n") == ["x"])
        #expect(sseData("data:  x\n\ndata:\tx\n\ndata: \n\n") == [" x", "\tx", ""])
    }

    @Test("Data lines are joined by LF, whatever ended them", arguments: ["\n", "\r", "\r\n"])
    func joined(end: String) {
        let lines = ["data: a", "data", "data:c", "", "data:", "data:", "", ""]
        #expect(sseData(lines.joined(separator: end)) == ["a\n\nc", "\n"])
    }

    @Test("An LF in the next piece belongs to the CR that ended this one")
    func splitReturn() {
        let pieces = ["data: a\r", "\ndata: b\r", "\n\r", "\ndata: c\r", "\r", "\n"].map { sseBytes($0)[...] }
        #expect(readSSE(pieces).messages.map { $0.data } == ["a\nb", "c"])
    }

    @Test("An event is handed out at the CR that completes it, without waiting for what follows")
    func noWaiting() throws {
        var reader = SSEReader()
        var count = 0
        try reader.read(sseBytes("data: a\r\r")) { _ in count += 1 }
        #expect(count == 1)
        try reader.read(sseBytes("\n")) { _ in count += 1 }
        #expect(count == 1)
    }

    @Test("An event without data is not dispatched, and its type is forgotten")
    func noData() {
        #expect(
            readSSE("event: ping\n\ndata: x\n\n: comment\n\n\n").messages == [SSEMessage(data: "x")])
    }

    @Test("The type is the last one named, `message` when there is none or an empty one")
    func types() {
        let messages = readSSE(
            "event: a\nevent: b\ndata\n\ndata\n\nevent: c\nevent\ndata\n\nevent: \ndata\n\n"
        ).messages
        #expect(messages.map { $0.type } == ["b", "message", "message", "message"])
    }

    @Test("A type can be asked for without making text of it")
    func hasType() throws {
        var reader = SSEReader()
        var found: [Bool] = []
        try reader.read(sseBytes("data: [DONE]\n\nevent: ping\ndata: x\n\n")) { event in
            found += [event.hasType("message"), event.hasType("ping"), event.hasType("")]
            found += [event.hasData("[DONE]"), event.hasData("[DON")]
        }
        #expect(found == [true, false, false, true, false, false, true, false, false, false])
    }

    @Test("The last event id persists until another replaces it, an empty one too")
    func persistentID() {
        let transcript = readSSE("id: 1\ndata\n\ndata\n\nid: é\ndata\n\nid\ndata\n\nid: 4\n\n")
        #expect(transcript.messages.map { $0.id } == ["1", "1", "é", ""])
        #expect(transcript.after.lastEventID == "4")
    }

    @Test("An id counts when its event is complete, not before")
    func incompleteID() {
        #expect(readSSE("id: 1\ndata\n\nid: 2\ndata: cut off\n").after.lastEventID == "1")
    }

    @Test("An id that holds NUL is ignored", arguments: ["\0", "a\0", "\0b", "a\0b"])
    func nulInID(id: String) {
        #expect(readSSE("id: 1\nid: \(id)\ndata\n\n").messages.map { $0.id } == ["1"])
    }

    @Test("A resumed stream starts with the id that it resumed from")
    func resumed() {
        let transcript = readSSE(sseBytes("data: x\n\n"), lastEventID: "9")
        #expect(transcript.messages == [SSEMessage(data: "x", id: "9")])
    }

    @Test("retry takes digits only, at once, and saturates")
    func retry() {
        #expect(readSSE("retry: 03000\n").after.retry == .milliseconds(3000))
        for line in [
            "retry", "retry:", "retry: -1", "retry: 1.5", "retry: 1s", "retry:  1", "retry: ٣", "Retry: 1",
        ] {
            #expect(readSSE(line + "\n\n").after.retry == nil, "\(line)")
        }
        #expect(readSSE("retry: 200\nretry: 1x\n").after.retry == .milliseconds(200))
        #expect(readSSE("retry: 99999999999999999999999999\n").after.retry == .max)
    }

    @Test("Comments, unknown names and names in other letters are passed over")
    func ignored() {
        let names = [
            "", "Data", " data", "dat", "datas", "data\0", "da-ta", "\u{FEFF}data", "retries", "eventually",
        ]
        for name in names {
            #expect(sseData("data: a\n\(name): x\ndata: b\n\n") == ["a\nb"], "\(name)")
            if name.isEmpty { continue }  // without a colon it is the empty line
            #expect(sseData("data: a\n\(name)\ndata: b\n\n") == ["a\nb"], "\(name)")
        }
    }

    @Test("One byte-order mark at the start is dropped, no other")
    func byteOrderMark() {
        #expect(sseData("\u{FEFF}data: a\n\n\u{FEFF}data: b\n\ndata: \u{FEFF}c\n\n") == ["a", "\u{FEFF}c"])
        #expect(sseData("\u{FEFF}\u{FEFF}data: a\n\ndata: b\n\n") == ["b"])
        #expect(readSSE([0xEF, 0xBB] + sseBytes("data: a\n\ndata: b\n\n")).messages.map { $0.data } == ["b"])
    }

    @Test("An event that the end cuts off is discarded, unless the policy says otherwise")
    func unterminated() {
        for text in ["data: a\n\ndata: b", "data: a\n\ndata: b\n", "data: a\r\n\r\ndata: b\r"] {
            #expect(sseData(text) == ["a"])
            #expect(sseData(text, dispatchingAtEnd) == ["a", "b"])
        }
        #expect(sseData("data", dispatchingAtEnd) == [""])
        #expect(sseData("dat", dispatchingAtEnd) == [])
        #expect(readSSE("data\nevent: e", dispatchingAtEnd).messages.map { $0.type } == ["e"])
    }

    @Test("After its end a reader is as new, with the id and the waiting time that it learned")
    func nextStream() throws {
        var reader = SSEReader()
        try reader.read(sseBytes("retry: 5\nid: 1\ndata\n\nid: 2\nevent: e\ndata: cut")) { _ in }
        try reader.finish { _ in }
        var messages: [SSEMessage] = []
        try reader.read(sseBytes("\u{FEFF}data: x\n\n")) {
            messages.append(SSEMessage(type: $0.type, data: $0.text, id: $0.lastEventID))
        }
        #expect(messages == [SSEMessage(data: "x", id: "1")])
        #expect(reader.retry == .milliseconds(5))
    }

    @Test("Data is handed out as the bytes that came; as text, each maximal ill-formed part is one U+FFFD")
    func illFormed() throws {
        let cases: [([UInt8], Int)] = [
            ([0xFF], 1), ([0xC0, 0x80], 2), ([0xE2, 0x82], 1), ([0xF1, 0x80, 0x80], 1),
            ([0xF0, 0x80, 0x80], 3),
            ([0xED, 0xA0, 0x80], 3), ([0xF4, 0x90, 0x80, 0x80], 4), ([0xE2, 0x82, 0xF0, 0x9F, 0x98], 2),
        ]
        for (bytes, count) in cases {
            var reader = SSEReader()
            var seen: [[UInt8]] = []
            var text: ExactText = ""
            try reader.read(sseBytes("data: ") + bytes + [0x0A, 0x0A]) {
                seen.append([UInt8]($0.data))
                text = $0.text
            }
            #expect(seen == [bytes])
            #expect(text.string == String(repeating: "\u{FFFD}", count: count), "\(bytes)")
        }
    }
}
