import ChatDomain
import ChatEffects
import Testing

@Suite("The border")
struct BorderTests {
    private func operation(_ text: String) throws -> DriverOperation {
        try DriverOperation(#require(jsonValue(text)))
    }

    private func outcome(_ text: String) throws -> Outcome {
        try Outcome(#require(jsonValue(text)))
    }

    @Test("an operation comes back equal and encodes to the same bytes again")
    func operationsRoundTrip() throws {
        var random = JSONRandom(state: 11)
        for _ in 0..<500 {
            let value = random.operation()
            let bytes = encoded(value)
            let decoded = try DriverOperation(readJSON(bytes).get())
            #expect(decoded == value)
            #expect(encoded(decoded) == bytes)
        }
    }

    @Test("an outcome comes back equal and encodes to the same bytes again")
    func outcomesRoundTrip() throws {
        var random = JSONRandom(state: 12)
        for _ in 0..<500 {
            let value = random.outcome()
            let bytes = encoded(value)
            let decoded = try Outcome(readJSON(bytes).get())
            #expect(decoded == value)
            #expect(encoded(decoded) == bytes)
        }
    }

    static let operations: [(DriverOperation, String)] = [
        (
            .open(
                CallNumber(7),
                .http(
                    method: "POST", path: "/chat", headers: [Header("accept", "text/event-stream")],
                    body: Payload([.bytes([0x22, 0xFF]), .secret(SecretHandle("s-1"))]),
                    credential: SecretHandle("s-1"))),
            #"{"operation":"open","call":"7","exchange":{"kind":"http","method":"POST","path":"/chat","#
                + #""headers":[["accept","text/event-stream"]],"body":[{"base64":"Iv8="},{"secret":"s-1"}],"#
                + #""credential":"s-1"}}"#
        ),
        (
            .open(CallNumber(8), .renewal(path: "/token", headers: [], of: SecretHandle("s-1"))),
            #"{"operation":"open","call":"8","exchange":{"kind":"renewal","path":"/token","headers":[],"#
                + #""credential":"s-1"}}"#
        ),
        (
            .open(CallNumber(.max), .socket(path: "/ws")),
            #"{"operation":"open","call":"18446744073709551615","exchange":{"kind":"socket","path":"/ws"}}"#
        ),
        (
            .send(CallNumber(1), Payload([.bytes(jsonBytes("é\0")), .stored(RecordPath(["a"]))])),
            #"{"operation":"send","call":"1","payload":[{"text":"é\u0000"},{"stored":{"plain":["a"]}}]}"#
        ),
        (.close(CallNumber(0)), #"{"operation":"close","call":"0"}"#),
        (
            .load(StorageTicket(3), RecordPath(["secrets", "h"], protection: .secret)),
            #"{"operation":"load","ticket":"3","path":{"secret":["secrets","h"]}}"#
        ),
        (
            .save(StorageTicket(4), RecordPath(["device"]), .bytes(jsonBytes("{}"))),
            #"{"operation":"save","ticket":"4","path":{"plain":["device"]},"content":{"text":"{}"}}"#
        ),
        (
            .erase(StorageTicket(5), RecordPath(["users", "ada"])),
            #"{"operation":"erase","ticket":"5","path":{"plain":["users","ada"]}}"#
        ),
        (.setAside(RecordPath(["device"])), #"{"operation":"setAside","path":{"plain":["device"]}}"#),
        (.haptic, #"{"operation":"haptic"}"#),
    ]

    @Test("operations have exactly these bytes", arguments: operations)
    func exactOperations(_ value: DriverOperation, _ text: String) throws {
        #expect(jsonText(encoded(value)) == text)
        #expect(try operation(text) == value)
    }

    static let outcomes: [(Outcome, String)] = [
        (
            .arrived(CallNumber(7), .opened),
            #"{"outcome":"arrived","call":"7","arrival":{"kind":"opened"}}"#
        ),
        (
            .arrived(CallNumber(7), .head(status: 200, headers: [Header("a", "b")])),
            #"{"outcome":"arrived","call":"7","arrival":{"kind":"head","status":200,"headers":[["a","b"]]}}"#
        ),
        (
            .arrived(CallNumber(7), .body([0xC3])),
            #"{"outcome":"arrived","call":"7","arrival":{"kind":"body","base64":"ww=="}}"#
        ),
        (
            .arrived(CallNumber(7), .text(jsonBytes(#"{"a":1}"#))),
            #"{"outcome":"arrived","call":"7","arrival":{"kind":"text","text":"{\"a\":1}"}}"#
        ),
        (
            .arrived(CallNumber(7), .signOfLife),
            #"{"outcome":"arrived","call":"7","arrival":{"kind":"signOfLife"}}"#
        ),
        (
            .arrived(CallNumber(7), .sent(3, of: 10)),
            #"{"outcome":"arrived","call":"7","arrival":{"kind":"sent","bytes":3,"of":10}}"#
        ),
        (
            .arrived(CallNumber(7), .ended(.completed)),
            #"{"outcome":"arrived","call":"7","arrival":{"kind":"ended","end":{"kind":"completed"}}}"#
        ),
        (
            .arrived(CallNumber(7), .ended(.closed(code: 1006, reason: "away"))),
            #"{"outcome":"arrived","call":"7","arrival":{"kind":"ended","end":"#
                + #"{"kind":"closed","code":1006,"reason":"away"}}}"#
        ),
        (
            .arrived(
                CallNumber(7), .ended(.refused(status: 429, retryAfter: .seconds(2), message: "slow"))),
            #"{"outcome":"arrived","call":"7","arrival":{"kind":"ended","end":"#
                + #"{"kind":"refused","status":429,"retryAfter":2000,"message":"slow"}}}"#
        ),
        (
            .arrived(CallNumber(7), .ended(.failed(.timedOut))),
            #"{"outcome":"arrived","call":"7","arrival":{"kind":"ended","end":"#
                + #"{"kind":"failed","failure":"timedOut"}}}"#
        ),
        (.loaded(StorageTicket(1), []), #"{"outcome":"loaded","ticket":"1","text":""}"#),
        (.missing(StorageTicket(1)), #"{"outcome":"missing","ticket":"1"}"#),
        (.saved(StorageTicket(1)), #"{"outcome":"saved","ticket":"1"}"#),
        (.erased(StorageTicket(1)), #"{"outcome":"erased","ticket":"1"}"#),
        (
            .failed(StorageTicket(1), .newer(version: 2)),
            #"{"outcome":"failed","ticket":"1","failure":{"kind":"newer","version":2}}"#
        ),
    ]

    @Test("outcomes have exactly these bytes", arguments: outcomes)
    func exactOutcomes(_ value: Outcome, _ text: String) throws {
        #expect(jsonText(encoded(value)) == text)
        #expect(try outcome(text) == value)
    }

    @Test("encodings are appended to what the buffer holds")
    func appends() {
        var bytes = jsonBytes("[")
        DriverOperation.haptic.encode(into: &bytes)
        #expect(jsonText(bytes) == #"[{"operation":"haptic"}"#)
    }

    @Test("base64 is accepted of bytes that are text too")
    func base64OfText() throws {
        let value = try outcome(#"{"outcome":"loaded","ticket":"1","base64":"SGk="}"#)
        #expect(value == .loaded(StorageTicket(1), jsonBytes("Hi")))
    }

    @Test(
        "a wait is rounded up to a millisecond, never shortened",
        arguments: [
            (1, 1), (1_000_000, 1), (1_000_001, 2), (0, 0), (-1, 0), (-1_000_001, -1),
            (Int64.max, 9_223_372_036_854),
        ] as [(Int64, Int64)])
    func roundsWaitsUp(_ nanoseconds: Int64, _ milliseconds: Int64) throws {
        let wait = Interval(nanoseconds: nanoseconds)
        let end = CallEnd.refused(status: 429, retryAfter: wait, message: "")
        let json = try readJSON(encoded(.arrived(CallNumber(1), .ended(end)))).get()
        #expect(json["arrival"]?["end"]?["retryAfter"]?.integer == milliseconds)
        #expect(try Outcome(json) != .missing(StorageTicket(1)))
    }

    @Test("L10: a secret is in no encoding, and comes in by none")
    func secrets() throws {
        let path = RecordPath(["secrets", "h"], protection: .secret)
        let bytes = encoded(.save(StorageTicket(1), path, .secret(Secret("eyJtoken"))))
        #expect(!jsonText(bytes).contains("eyJtoken"))
        #expect(jsonText(bytes).contains(#""content":{"secret":"<secret>"}"#))
        let placeholder = DriverOperation.save(
            StorageTicket(1), path, .secret(Secret(ExactText(Secret.placeholder))))
        #expect(try DriverOperation(readJSON(bytes).get()) == placeholder)
        let forged = jsonText(bytes).replacing("<secret>", with: "eyJtoken")
        #expect(try operation(forged) == placeholder)
    }

    @Test(
        "an error names its place",
        arguments: [
            ("[]", FieldError("operation", .wrongKind)),
            ("{}", FieldError("operation", .missing)),
            (#"{"operation":"open"}"#, FieldError("call", .missing)),
            (#"{"operation":"jump"}"#, FieldError("operation", .unknownWord("jump"))),
            (#"{"operation":"close","call":7}"#, FieldError("call", .wrongKind)),
            (#"{"operation":"close","call":""}"#, FieldError("call", .outOfRange)),
            (#"{"operation":"close","call":"07"}"#, FieldError("call", .outOfRange)),
            (#"{"operation":"close","call":"-1"}"#, FieldError("call", .outOfRange)),
            (#"{"operation":"close","call":"18446744073709551616"}"#, FieldError("call", .outOfRange)),
            (#"{"operation":"close","call":"99999999999999999999"}"#, FieldError("call", .outOfRange)),
            (#"{"operation":"setAside","path":{}}"#, FieldError("secret", .missing)),
            (#"{"operation":"setAside","path":{"plain":[1]}}"#, FieldError("plain", .wrongKind)),
            (#"{"operation":"send","call":"1","payload":[{}]}"#, FieldError("base64", .missing)),
            (
                #"{"operation":"send","call":"1","payload":[{"base64":"A"}]}"#,
                FieldError("base64", .outOfRange)
            ),
            (
                #"{"operation":"open","call":"1","exchange":{"kind":"x"}}"#,
                FieldError("kind", .unknownWord("x"))
            ),
        ])
    func namesWhatIsWrong(_ text: String, _ error: FieldError) {
        #expect(throws: error) { try operation(text) }
    }

    @Test("L8: damaged encodings are refused without a trap")
    func damaged() throws {
        var random = JSONRandom(state: 13)
        var refused = 0
        for _ in 0..<1_000 {
            var bytes = random.flip() ? encoded(random.operation()) : encoded(random.outcome())
            bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next())
            guard let json = try? readJSON(bytes).get() else { continue }
            if let value = try? DriverOperation(json) {
                #expect(try DriverOperation(readJSON(encoded(value)).get()) == value)
            } else if let value = try? Outcome(json) {
                #expect(try Outcome(readJSON(encoded(value)).get()) == value)
            } else {
                refused += 1
            }
        }
        #expect(refused > 50)  // or nothing was tried
    }
}
