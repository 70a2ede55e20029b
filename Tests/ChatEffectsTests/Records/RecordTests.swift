import ChatDomain
import ChatEffects
import Testing

@Suite("Stored records")
struct RecordTests {
    private func read(_ bytes: [UInt8], _ kind: RecordKind) -> RecordReading<ChatApp.Record> {
        ChatApp.Record.read(bytes, under: RecordExample(kind).key)
    }

    private func read(_ text: String, _ kind: RecordKind) -> RecordReading<ChatApp.Record> {
        read(jsonBytes(text), kind)
    }

    private func envelope(_ format: String, _ record: String) -> String {
        #"{"format":"\#(format)","version":1,"written":0,"record":\#(record)}"#
    }

    // MARK: What is written can be read

    @Test("R5: every stored record comes back, to the byte", arguments: RecordKind.allCases)
    func roundTrip(_ kind: RecordKind) {
        var random = JSONRandom(state: 1)
        for _ in 0..<60 {
            let record = random.record(kind)
            let bytes = recordBytes(record, random.time())
            #expect(read(bytes, kind) == .record(record))
        }
    }

    @Test("wall times lose what is below a millisecond, and a record that was read loses nothing more")
    func truncatesTimes() {
        for nanoseconds in [1_999_999, -1_999_999, Int64.max, Int64.min] as [Int64] {
            let submitted = WallTime(nanosecondsSince1970: nanoseconds)
            let record = ChatApp.Record.pairing(.request(PendingRequest(name: "Ada", submitted: submitted)))
            guard case .record(let first) = read(recordBytes(record, submitted), .request),
                case .pairing(.request(let request)) = first
            else {
                Issue.record("\(nanoseconds) cannot be read back")
                continue
            }
            #expect(request.submitted.nanosecondsSince1970 == nanoseconds / 1_000_000 * 1_000_000)
            #expect(read(recordBytes(first), .request) == .record(first))
        }
    }

    @Test("L5: text that only looks equal stays different, and no character is lost")
    func keepsText() {
        for text in ["é", "e\u{301}", "\u{0}", "\u{FEFF}", "\u{10FFFF}", "a\u{0}b\r\n\u{2028}\"\\/"] {
            let record = ChatApp.Record.chat(.draft(ExactText(text)))
            #expect(read(recordBytes(record), .draft) == .record(record))
        }
    }

    @Test("a reply over all limits for what servers send can still be stored and read")
    func noLimitOfSize() {
        // 17.6 MB, over the reader's default of 16 MiB.
        let text = String(repeating: "long reply ", count: 1_600_000)
        let record = ChatApp.Record.chat(.draft(ExactText(text)))
        #expect(read(recordBytes(record), .draft) == .record(record))
    }

    @Test("a growing reply is left out of its page")
    func growingIsNotStored() {
        var random = JSONRandom(state: 2)
        let (before, after) = (random.message(), random.message())
        let growing = Message(
            id: "m", author: .assistant(to: nil), body: .growing, time: RecordExample.written)
        let page = Page(messages: [before, growing, after], cursor: nil)
        let bytes = recordBytes(.chat(.page(page)))
        #expect(read(bytes, .page) == .record(.chat(.page(Page(messages: [before, after], cursor: nil)))))
    }

    // MARK: What cannot be read

    @Test("R5: a record that was cut off anywhere is damaged", arguments: RecordExample.enveloped)
    func truncated(_ example: RecordExample) {
        let bytes = example.bytes()
        #expect(ChatApp.Record.read(bytes, under: example.key) == .record(example.record))
        for length in bytes.indices {
            #expect(ChatApp.Record.read([UInt8](bytes[..<length]), under: example.key) == .damaged)
        }
    }

    @Test("R5: a record with flipped bits traps nowhere, and what is read of it can be stored again")
    func flipped() {
        var random = JSONRandom(state: 3)
        let examples = RecordExample.enveloped
        var readable = 0
        for _ in 0..<1_500 {
            let example = examples[random.below(examples.count)]
            var bytes = example.bytes()
            for _ in 0...random.below(2) { bytes[random.below(bytes.count)] ^= 1 << UInt8(random.below(8)) }
            guard case .record(let record) = ChatApp.Record.read(bytes, under: example.key) else { continue }
            readable += 1
            #expect(ChatApp.Record.read(recordBytes(record), under: example.key) == .record(record))
        }
        #expect(readable > 50)  // or nothing was tried
    }

    @Test("R5: a record under the key of another is damaged")
    func wrongFormat() {
        for example in RecordExample.enveloped {
            for other in RecordExample.enveloped where other.key != example.key {
                #expect(ChatApp.Record.read(example.bytes(), under: other.key) == .damaged)
            }
        }
    }

    @Test("R5: a newer version is told apart from damage, whatever else it holds")
    func newer() {
        #expect(read(#"{"version":3,"format":"draft"}"#, .draft) == .newer(version: 3))
        #expect(
            read(#"{"format":"outbox","version":9223372036854775807,"record":[1]}"#, .outbox)
                == .newer(version: .max))
        for version in ["0", "-1", "1.5", "\"2\"", "null", "9223372036854775808", "1e400"] {
            #expect(read(#"{"format":"draft","version":\#(version)}"#, .draft) == .damaged)
        }
        #expect(read(#"{"format":"page","version":2}"#, .draft) == .damaged)
    }

    @Test("R5: fields that are unknown are ignored, also in entries and in the envelope")
    func unknownFields() {
        let entry = #"{"client":"c","text":"t","written":1,"wasSent":false,"mood":"fine"}"#
        let text =
            #"{"new":{},"format":"outbox","version":1,"written":0,"record":{"x":[],"entries":[\#(entry)]}}"#
        let expected = OutboxEntry(
            key: "c", text: "t", written: WallTime(millisecondsSince1970: 1), wasSent: false)
        #expect(read(text, .outbox) == .record(.chat(.outbox([expected]))))
    }

    @Test("L5, R5: an outbox with one unreadable entry is damaged, not shortened")
    func strictOutbox() {
        let good = #"{"client":"c","text":"t","written":1,"wasSent":false}"#
        #expect(read(envelope("outbox", #"{"entries":[\#(good)]}"#), .outbox) != .damaged)
        for bad in [
            "null", "{}", #"{"text":"t","written":1,"wasSent":false}"#,
            #"{"client":"c","text":7,"written":1,"wasSent":false}"#,
            #"{"client":"c","text":"t","written":1.5,"wasSent":false}"#,
            #"{"client":"c","text":"t","written":1,"wasSent":0}"#,
            #"{"client":"c","text":"\ud800","written":1,"wasSent":false}"#,
        ] {
            let text = envelope("outbox", #"{"entries":[\#(good),\#(bad)]}"#)
            #expect(read(text, .outbox) == .damaged, "\(bad)")
        }
    }

    @Test(
        "R5: a value out of range or unknown is damage",
        arguments: [
            (RecordKind.contents, #"{"oldestPage":-1,"newestPage":2}"#),
            (.contents, #"{"oldestPage":0,"newestPage":9223372036854775807}"#),
            (.contents, #"{"oldestPage":0}"#),
            (.request, #"{"name":"A","submitted":9223372036855,"asked":[]}"#),
            (.request, #"{"name":"A","submitted":1}"#),
            (.request, #"{"name":"A","submitted":1,"asked":["1"]}"#),
            (.request, #"{"name":"A","submitted":1,"asked":[],"notBefore":"soon"}"#),
            (.page, #"{"messages":[{"role":"admin","text":"","time":0,"placed":true}]}"#),
            (.page, #"{"messages":[{"role":"user","text":"","time":0}]}"#),
            (.page, #"{"messages":[{"role":"user","text":"","time":0,"placed":true,"status":"lost"}]}"#),
            (.page, #"{"messages":[{"role":"user","text":"","time":0,"placed":true,"status":"failed"}]}"#),
            (.page, #"{"messages":[{"role":"user","text":"","time":0,"placed":true,"interruption":{}}]}"#),
            (.page, #"{"messages":[{"role":"user","text":"","time":0,"placed":true,"id":7}]}"#),
            (.page, #"{"messages":[],"cursor":1}"#),
            (.credentials, #"{"user":"u","isAdmin":"true","secret":"s"}"#),
            (.credentials, #"{"user":"u","isAdmin":true}"#),
            (.device, #"{"id":null}"#), (.draft, "[]"),
        ])
    func outOfRange(_ kind: RecordKind, _ record: String) {
        #expect(read(envelope(kind.name, record), kind) == .damaged)
    }

    @Test("R5: nesting beyond the limit of 128 is damage, and up to it is not", arguments: [126, 127])
    func depth(_ levels: Int) {
        let nested = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        let text = envelope("draft", #"{"text":"t","extra":\#(nested)}"#)
        #expect(read(text, .draft) == (levels == 126 ? .record(.chat(.draft("t"))) : .damaged))
    }

    // MARK: Secrets

    @Test("L10: a secret is handed to storage as one, and a load of it brings the placeholder")
    func secrets() {
        let example = RecordExample(.secret)
        #expect(example.record.content(written: RecordExample.written) == .secret(Secret("eyJtoken")))
        #expect(example.key.path.protection == .secret)
        let placeholder = ChatApp.Record.pairing(.secret(Secret(ExactText(Secret.placeholder))))
        for bytes in [[], jsonBytes("eyJtoken")] {
            #expect(ChatApp.Record.read(bytes, under: example.key) == .record(placeholder))
        }
        for other in RecordExample.enveloped { #expect(other.key.path.protection == .plain) }
    }
}
