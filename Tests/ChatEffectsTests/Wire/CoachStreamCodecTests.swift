@testable import ChatDomain
@testable import ChatEffects
import Testing

@Suite("Coach stream wire format")
struct CoachStreamCodecTests {
    private typealias Event = Streaming.Event

    private static let question = Streaming.Question(
        conversation: "550e8400-e29b-41d4-a716-446655440000", client: "c", text: "Hi \"you\"",
        purpose: .message(isFirst: true))
    private static let handle = SecretHandle("h")
    private static let stream = Streaming.Request.stream(question, handle)

    /// What came of a call.
    private struct Heard: Equatable {
        var events: [Event] = []
        var end: CallEnd?
        var skipped: UInt64 = 0
    }

    /// Feeds a whole answer. Nothing is fed after the codec has ended the call, as the machine sees to.
    private func hear(
        _ pieces: [[UInt8]], status: Int64 = 200, headers: [Header] = [],
        _ request: Streaming.Request = stream, ending: CallEnd = .completed,
        by codec: CoachStreamCodec = CoachStreamCodec(wholePath: "/functions/v1/chat")
    ) -> Heard {
        var progress = codec.open(request).progress
        var heard = Heard()
        for arrival in [.head(status: status, headers: headers)] + pieces.map({ .body($0) }) + [
            .ended(ending)
        ]
            as [Arrival] where heard.end == nil
        {
            var reaction = Reaction<Event>()
            codec.receive(arrival, progress: &progress, reaction: &reaction)
            heard.events += reaction.events
            heard.end = reaction.end
            heard.skipped += reaction.skipped
        }
        return heard
    }

    private func hear(_ text: String) -> Heard { hear([Array(text.utf8)]) }

    // MARK: Requests

    @Test(
        "C19: a conversation is named by a UUID: its own, or one that is each person's on all their devices")
    func conversation() {
        func name(_ conversation: ConversationID, _ person: UserID? = nil) -> String {
            CoachStreamCodec.conversation(
                Streaming.Question(conversation: conversation, client: "c", text: "Hi", person: person)
            ).string
        }
        let uuid = "550e8400-e29b-41d4-a716-446655440000"
        #expect(name(ConversationID(uuid)) == uuid && name(ConversationID("v_" + uuid)) == uuid)
        let derived = [
            name(.main, "ada"), name(.main, "bob"), name(.main), name("talk", "ada"), name("main", "adam"),
            name("amain", "ad"), name("V_550E8400-E29B-41D4-A716-446655440000", "ada"),
        ]
        #expect(Set(derived).count == derived.count && name(.main, "ada") == derived[0])
        for text in derived {
            let parts = text.split(separator: "-", omittingEmptySubsequences: false)
            #expect(parts.map { $0.count } == [8, 4, 4, 4, 12])
            #expect(parts[2].hasPrefix("8") && "89ab".contains(parts[3].prefix(1)))
            #expect(text.allSatisfy { "0123456789abcdef-".contains($0) })
        }
    }

    @Test(
        "The first message of a person is no request to speak first; L10: the request names its credential by handle, and carries what is asked and the project's key"
    )
    func request() {
        let codec = CoachStreamCodec(wholePath: "/functions/v1/chat", apiKey: "public-key")
        let json =
            #"{"message":"Hi \"you\"","conversation_id":"550e8400-e29b-41d4-a716-446655440000","#
            + #""first_message":false}"#
        for (request, path, accept) in [
            (Self.stream, "/functions/v1/chat-stream", "text/event-stream"),
            (.whole(Self.question, Self.handle), "/functions/v1/chat", "application/json"),
        ] as [(Streaming.Request, ExactText, ExactText)] {
            let expected = Exchange.http(
                method: "POST", path: path,
                headers: [
                    Header("content-type", "application/json"), Header("accept", accept),
                    Header("apikey", "public-key"),
                ], body: Payload(bytes: Array(json.utf8)), credential: Self.handle)
            #expect(codec.open(request).exchange == expected)
        }
    }

    @Test("S9, L10: a refresh sends nothing but the credential's place, and takes no more than its end")
    func refresh() {
        let request = Streaming.Request.refreshCredentials(Self.handle)
        let accept = Header("accept", "application/json")
        #expect(
            CoachStreamCodec().open(request).exchange
                == .renewal(path: "/auth/v1/token", headers: [accept], of: Self.handle))
        #expect(
            CoachStreamCodec(apiKey: "project").open(request).exchange
                == .renewal(
                    path: "/auth/v1/token", headers: [accept, Header("apikey", "project")], of: Self.handle))
        for (answer, expires) in [
            (#"{"expires_at":1706616000000}"#, WallTime(millisecondsSince1970: 1_706_616_000_000)),
            (#"{"expires_at":"2024-01-30T12:00:00Z"}"#, WallTime(millisecondsSince1970: 1_706_616_000_000)),
            (#"{"expires_at":null}"#, nil), ("{}", nil),
        ] as [(String, WallTime?)] {
            let heard = hear([Array(answer.utf8)], request)
            #expect(heard.end == .completed)
            #expect(
                heard.events == [
                    .began(nil), .refreshed(Streaming.Access(secret: Self.handle, expires: expires)),
                ])
        }
        #expect(hear([Array("[]".utf8)], request).end == .failed(.malformed))
    }

    // MARK: Events

    private static let conversation = """
        data: {"type":"token","content":"Hé","memory_moment":true,"pattern_insight":false}\n
        data: {oops\n
        : a comment\n
        data:{"content":" you","memory_moment":true,"crisis_detected":true,"type":"token"}\r\n\r
        data: {"type":"token","content":7}\n
        data: {"type":"token"}\n
        data: {"type":"confetti","content":"x"}\n
        data: []\n
        event: ping\ndata: {}\n
        data: {"type":"token",\ndata: "content":" \\ud83d\\ude00"}\n
        data: {"type":"done","message_id":"m-1","usage":{"prompt_tokens":10,"completion_tokens":2.0,\
        "total_tokens":12}}\n
        data: {"type":"token","content":"late"}\n

        """

    @Test(
        "L9, S4, S12: the same under every split; a flag is news once, the unknown counted, nothing after done"
    )
    func splits() {
        let bytes = Array(Self.conversation.utf8)
        let whole = hear([bytes])
        #expect(
            whole.events == [
                .began(nil), .flagged(["memory_moment"]), .token("Hé"), .skipped,
                .flagged(["memory_moment", "crisis_detected"]), .token(" you"), .skipped, .skipped, .skipped,
                .skipped, .skipped, .token(" 😀"), .done("m-1", Usage(prompt: 10, completion: 2, total: 12)),
            ])
        #expect(whole.end == .completed && whole.skipped == 6)
        #expect(hear(bytes.map { [$0] }) == whole)
        for cut in bytes.indices {
            #expect(hear([Array(bytes[..<cut]), Array(bytes[cut...])]) == whole)
        }
    }

    @Test("Section 1: marks that come with several tokens are all on the finished reply")
    func marks() throws {
        var driver = Driver(
            Streaming(), state: Streaming.State(access: Streaming.Access(secret: Self.handle)))
        driver.send(.asked(Self.question))
        let call = try #require(driver.calls.last?.call)
        let tokens = hear(
            """
            data: {"type":"token","content":"I","crisis_detected":true}\n
            data: {"type":"token","content":" am here","crisis_detected":true,"memory_moment":true}\n

            """)
        for event in tokens.events { driver.send(.received(event, on: call)) }
        driver.send(.received(.done("m-1", nil), on: call))
        guard case .finished(let reply) = driver.state.phase else { return #expect(Bool(false)) }
        #expect(reply.flags == ["crisis_detected", "memory_moment"])
    }

    @Test(
        "S3: done names the reply in either spelling, and its cost when that makes sense",
        arguments: [
            (#"{"type":"done","messageId":"m-2"}"#, .done("m-2", nil)),
            (#"{"type":"done"}"#, .done(nil, nil)),
            (#"{"type":"done","message_id":"","usage":null}"#, .done(nil, nil)),
            (#"{"type":"done","message_id":5,"messageId":"m-3"}"#, .done("m-3", nil)),
            (
                #"{"type":"done","usage":{"prompt_tokens":-1,"completion_tokens":2,"total_tokens":1}}"#,
                .done(nil, nil)
            ),
            (#"{"type":"done","usage":{"prompt_tokens":1,"completion_tokens":2}}"#, .done(nil, nil)),
            (
                #"{"type":"done","usage":{"prompt_tokens":1,"completion_tokens":1e99,"total_tokens":1}}"#,
                .done(nil, nil)
            ),
        ] as [(String, Streaming.Event)])
    func done(_ json: String, _ event: Streaming.Event) {
        #expect(hear("data: \(json)\n\n") == Heard(events: [.began(nil), event], end: .completed))
    }

    @Test("S5: an error is told in the server's words, or without any, and nothing follows it")
    func error() {
        let rest = "data: {\"type\":\"done\"}\n\n"
        #expect(
            hear("data: {\"type\":\"error\",\"message\":\"Oh.\"}\n\n" + rest)
                == Heard(events: [.began(nil), .failed("Oh.")], end: .completed))
        #expect(
            hear("data: {\"type\":\"error\"}\n\n" + rest)
                == Heard(events: [.began(nil), .failed("")], end: .completed))
    }

    @Test("S4: an end is complete by done alone, also one whose last empty line is missing")
    func end() {
        let token = "data: {\"type\":\"token\",\"content\":\"a\"}\n\n"
        #expect(hear(token) == Heard(events: [.began(nil), .token("a")]))
        #expect(
            hear(token + "data: [DONE]\n\n")
                == Heard(events: [.began(nil), .token("a"), .skipped], skipped: 1))
        #expect(
            hear(token + "data: {\"type\":\"done\"}")
                == Heard(events: [.began(nil), .token("a"), .done(nil, nil)], end: .completed))
        #expect(
            hear(token + "data: {\"type\":\"do")
                == Heard(events: [.began(nil), .token("a"), .skipped], skipped: 1))
        let lost = hear([Array((token + "data: {\"type\":\"done\"}").utf8)], ending: .failed(.lost))
        #expect(lost == Heard(events: [.began(nil), .token("a")]))
    }

    @Test("L8: a line over 1 MiB ends the call with a reason, unless the reply was complete before")
    func tooLarge() {
        let long = Array("data: ".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: 1_048_577)
        #expect(hear([long]) == Heard(events: [.began(nil)], end: .failed(.tooLarge)))
        let done = Array("data: {\"type\":\"done\"}\n\n".utf8)
        #expect(hear([done + long]) == Heard(events: [.began(nil), .done(nil, nil)], end: .completed))
        let whole = hear([long], .whole(Self.question, Self.handle))
        #expect(whole.end == .failed(.tooLarge))
    }

    // MARK: The head

    @Test("A page that is no stream of events is no answer of the server")
    func contentType() {
        for type in ["text/html", "application/json; charset=utf-8"] as [ExactText] {
            let heard = hear([[1]], headers: [Header("content-type", type)])
            #expect(heard == Heard(end: .failed(.malformed)))
        }
        for type in ["text/event-stream", "Text/Event-Stream; charset=utf-8"] as [ExactText] {
            #expect(hear([], headers: [Header("content-type", type)]).events == [.began(nil)])
        }
    }

    @Test(
        "S9: refusals keep status and sentence; the time of a 429 is told, a wait in its header is preferred")
    func refusals() {
        for (status, code) in [
            (400, "bad_request"), (401, "unauthorized"), (403, "subscription_required"), (404, "x"),
            (503, "x"),
        ] as [(Int64, ExactText)] {
            let body = Array("{\"error\":\"\(code.string)\"}".utf8)
            #expect(
                hear([body], status: status)
                    == Heard(end: .refused(status: status, retryAfter: nil, message: "")))
        }
        let body = Array(
            #"{"error":"rate_limited","is_trial":true,"remaining_until_reset":"2024-01-30T12:00:00.000Z","limit":5}"#
                .utf8)
        let reset = WallTime(millisecondsSince1970: 1_706_616_000_000)
        for pieces in [[body], body.map { [$0] }] {
            #expect(
                hear(pieces, status: 429)
                    == Heard(
                        events: [.limited(until: reset)],
                        end: .refused(status: 429, retryAfter: nil, message: "")))
        }
        #expect(
            hear([body], status: 429, headers: [Header("retry-after", "90")])
                == Heard(end: .refused(status: 429, retryAfter: .seconds(90), message: "")))
        #expect(
            hear([Array("<html>".utf8)], status: 502)
                == Heard(end: .refused(status: 502, retryAfter: nil, message: "")))
        #expect(hear([], status: 429).end == .refused(status: 429, retryAfter: nil, message: ""))
    }

    @Test("S9: the sentence for people is told where they can act on it, and no code is one")
    func sentences() {
        let bodies = [
            (#"{"error":"bad","userMessage":"Oh.","message":"NPE"}"#, "Oh."),
            (#"{"error":"bad","message":"Oh.\u0007"}"#, "Oh."),
        ]
        for (body, sentence) in bodies {
            for (status, isTold) in [
                (400, true), (403, true), (404, true), (401, false), (408, false), (429, false), (500, false),
            ] as [(Int64, Bool)] {
                let heard = hear([Array(body.utf8)], status: status, by: CoachStreamCodec())
                let sentence = ExactText(sentence)
                // An unknown path may be that of one form alone (S13).
                let told: Streaming.Event = status == 404 ? .failed(sentence) : .refused(sentence)
                #expect(
                    heard.events == (isTold ? [told] : [])
                        && heard.end == .refused(status: status, retryAfter: nil, message: sentence))
            }
        }
    }

    // MARK: The row

    private static let rowed = CoachStreamCodec(row: CoachStreamCodec.Row(), apiKey: "public-key")

    /// What the making of a row leads to.
    private func made(_ status: Int64, _ body: String = "", ending: CallEnd = .completed)
        -> (reaction: Reaction<Event>, progress: CoachStreamCodec.Progress)
    {
        var progress = Self.rowed.open(Self.stream).progress
        var reaction = Reaction<Event>()
        for arrival in [.head(status: status, headers: []), .body(Array(body.utf8)), .ended(ending)]
            as [Arrival]
        where reaction.end == nil {
            Self.rowed.receive(arrival, progress: &progress, reaction: &reaction)
        }
        return (reaction, progress)
    }

    @Test(
        "C19: before its first question, a conversation gets its row, and then the question is asked on the call"
    )
    func row() {
        let person = Streaming.Question(
            conversation: Self.question.conversation, client: "c", text: "Hi",
            purpose: .message(isFirst: true),
            person: "ada")
        guard
            case .http("POST", "/rest/v1/conversations", let headers, let body, Self.handle) =
                Self.rowed.open(.stream(person, Self.handle)).exchange
        else {
            Issue.record("no row is made")
            return
        }
        #expect(headers.contains(Header("apikey", "public-key")))
        #expect(
            body
                == Payload(
                    bytes: Array(#"{"id":"550e8400-e29b-41d4-a716-446655440000","user_id":"ada"}"#.utf8)))
        let question = CoachStreamCodec(apiKey: "public-key").open(Self.stream).exchange
        for status in [200, 201, 204, 409] as [Int64] {
            let (reaction, progress) = made(status, "{")
            #expect(reaction.next == question && reaction.end == nil && reaction.events.isEmpty)
            guard progress.making == nil else {
                Issue.record("the answer is not awaited")
                return
            }
        }
        let later = Streaming.Question(conversation: "talk", client: "c", text: "Hi")
        guard Self.rowed.open(.stream(later, Self.handle)).progress.making == nil else {
            Issue.record("a later question makes a row")
            return
        }
    }

    @Test("C19, S13: a first question that is asked whole gets its row as well, and then its whole answer")
    func wholeRow() {
        let whole = Streaming.Request.whole(Self.question, Self.handle)
        var (exchange, progress) = Self.rowed.open(whole)
        guard case .http("POST", "/rest/v1/conversations", _, _, Self.handle) = exchange else {
            Issue.record("no row is made")
            return
        }
        var reaction = Reaction<Event>()
        for arrival in [.head(status: 201, headers: []), .ended(.completed)] as [Arrival] {
            Self.rowed.receive(arrival, progress: &progress, reaction: &reaction)
        }
        let asked = CoachStreamCodec(apiKey: "public-key").open(whole)
        #expect(reaction.next == asked.exchange && reaction.end == nil && reaction.events.isEmpty)
        #expect(progress == asked.progress)
        let later = Streaming.Question(conversation: "talk", client: "c", text: "Hi")
        exchange = Self.rowed.open(.whole(later, Self.handle)).exchange
        guard case .http("POST", "/functions/v1/chat-stream", _, _, Self.handle) = exchange else {
            Issue.record("a later question makes a row")
            return
        }
    }

    @Test("C19, L8: a row that cannot be made ends the call with the reason")
    func noRow() {
        let refused = made(403, #"{"message":"Not yours."}"#).reaction
        #expect(refused.events == [.refused("Not yours.")] && refused.next == nil)
        #expect(refused.end == .refused(status: 403, retryAfter: nil, message: "Not yours."))
        #expect(made(401, "<html>").reaction.end == .refused(status: 401, retryAfter: nil, message: ""))
        let lost = made(201, ending: .failed(.lost)).reaction
        #expect(lost.end == nil && lost.next == nil)
        let cut = made(429, #"{"message":"Sl"#, ending: .failed(.lost)).reaction
        #expect(cut.end == .refused(status: 429, retryAfter: nil, message: ""))
        let page = made(503, String(repeating: "x", count: 70_000)).reaction
        #expect(page.end == .refused(status: 503, retryAfter: nil, message: ""))
        let endless = made(201, String(repeating: "x", count: 70_000)).reaction
        #expect(endless.end == .failed(.tooLarge))
    }

    @Test("L8: of an endless refusal only the beginning is kept")
    func endlessRefusal() {
        let codec = CoachStreamCodec()
        var progress = codec.open(Self.stream).progress
        var reaction = Reaction<Event>()
        codec.receive(.head(status: 500, headers: []), progress: &progress, reaction: &reaction)
        let piece = Arrival.body([UInt8](repeating: UInt8(ascii: "x"), count: 1_000))
        for _ in 0..<66 { codec.receive(piece, progress: &progress, reaction: &reaction) }
        let full = progress
        codec.receive(piece, progress: &progress, reaction: &reaction)
        #expect(progress == full && reaction.end == nil)
        codec.receive(.ended(.failed(.lost)), progress: &progress, reaction: &reaction)
        #expect(reaction.end == .refused(status: 500, retryAfter: nil, message: ""))
    }

    // MARK: The whole form

    @Test("S13: the whole form is read whole, and what is none is malformed")
    func whole() {
        let request = Streaming.Request.whole(Self.question, Self.handle)
        let body = Array(
            #"{"content":"Hi","messageId":"m","usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}"#
                .utf8)
        let expected = Heard(
            events: [.began(nil), .whole("Hi", "m", Usage(prompt: 1, completion: 2, total: 3))],
            end: .completed)
        #expect(hear([body], request) == expected)
        #expect(hear(body.map { [$0] }, request) == expected)
        for bad in ["", "{", "[]", #"{"content":1}"#, #"{"error":"x"}"#] {
            #expect(hear([Array(bad.utf8)], request).end == .failed(.malformed))
        }
    }
}
