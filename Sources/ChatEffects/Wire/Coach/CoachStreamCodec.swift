// The coach's stream over HTTP: one POST, answered by server-sent events, each a JSON object with a type. There is no
// end marker: only `done` completes a reply (S4). StreamedAnswer.swift has the parts shared with other conventions;
// start at `open`, then `event`.
//
// A conversation is a row of the person on the server, which must exist before the first question. If `row` describes
// the table, the first question of a conversation creates the row; otherwise the app does.
//
// The convention has no id of the question, so a request under a new key (S6) has the same bytes as the one before.
// Each token repeats the four flags of its reply; a new one is reported with those before it.

import ChatDomain

/// A codec for the coach's convention.
public struct CoachStreamCodec: DomainValue {
    /// The path for streamed replies.
    let streamPath: ExactText
    /// The path for whole replies, where the server has it (S13): the members of a token and of `done` in one object,
    /// `{"content", "message_id", "usage"}`.
    let wholePath: ExactText?
    /// The path where the driver refreshes credentials.
    let refreshPath: ExactText
    /// The table of the conversations' rows; nil if the app creates them.
    let row: Row?
    /// The project's key for the `apikey` header. Every app ships it, so it is no secret.
    let apiKey: ExactText?

    private static let scanner = JSONFieldScanner(
        [
            "type", "content", "message", "message_id", "messageId", JSONPath("usage", "prompt_tokens"),
            JSONPath("usage", "completion_tokens"), JSONPath("usage", "total_tokens"),
        ] + flags.map { JSONPath($0) }, JSONPolicy(malformedText: .replace))

    /// The flags of a reply; they follow the other fields in the scanner.
    private static let flags: [ExactText] = [
        "memory_moment", "pattern_insight", "crisis_detected", "reflection_offered",
    ]

    /// The scanner's indices of the flags.
    private static var flagFields: Range<Int> { 8..<12 }

    /// Creates a codec for the functions of a project.
    public init(
        streamPath: ExactText = "/functions/v1/chat-stream", wholePath: ExactText? = nil,
        refreshPath: ExactText = "/auth/v1/token", row: Row? = nil, apiKey: ExactText? = nil
    ) {
        self.streamPath = streamPath
        self.wholePath = wholePath
        self.refreshPath = refreshPath
        self.row = row
        self.apiKey = apiKey
    }

    private func exchange(
        _ path: ExactText, _ question: Streaming.Question, _ secret: SecretHandle, accept: ExactText
    ) -> Exchange {
        post(path, secret, accept: accept) { body in
            body.member("message", question.text)
            body.member("conversation_id", Self.conversation(question))
            // True asks the coach to speak first, and drops the text of the person.
            body.member("first_message", false)
        }
    }

    /// The header that names the project, which is no secret.
    private var projectKey: [Header] { apiKey.map { [Header("apikey", $0)] } ?? [] }

    private func post(
        _ path: ExactText, _ secret: SecretHandle, accept: ExactText,
        _ members: (inout JSONObjectWriter) -> Void
    ) -> Exchange {
        let headers = [Header("content-type", "application/json"), Header("accept", accept)] + projectKey
        var bytes: [UInt8] = []
        JSONWriter.object(into: &bytes, members)
        return .http(
            method: "POST", path: path, headers: headers, body: Payload(bytes: bytes), credential: secret)
    }

    /// The request for the row that a question needs first; nil if the row exists, or if the app creates it.
    private func row(before question: Streaming.Question, _ secret: SecretHandle) -> Exchange? {
        guard let row, case .message(true) = question.purpose else { return nil }
        return post(row.path, secret, accept: "application/json") { body in
            body.member(row.conversation, Self.conversation(question))
            if let column = row.person, let person = question.person { body.member(column, person.text) }
        }
    }
}

extension CoachStreamCodec {
    /// The table of the conversations' rows. One request creates a row, before the first question of its conversation.
    public struct Row: DomainValue {
        /// The path of the table.
        public var path: ExactText
        /// The column of the conversation's id.
        public var conversation: ExactText
        /// The column of the person's id; nil when the server fills it in.
        public var person: ExactText?

        /// Describes a table.
        public init(
            path: ExactText = "/rest/v1/conversations", conversation: ExactText = "id",
            person: ExactText? = "user_id"
        ) {
            self.path = path
            self.conversation = conversation
            self.person = person
        }
    }
}

extension CoachStreamCodec {
    /// The conversation's UUID on the coach's server, unique among all persons. A conversation created here has a UUID
    /// in its name. For another, such as the default one, the UUID is derived from the person and the name, so it is
    /// the same on all devices of the person: version 8 of RFC 9562, whose bits are application-defined.
    static func conversation(_ question: Streaming.Question) -> ExactText {
        let name = question.conversation.text.utf8
        let tail = name.suffix(36)
        if isUUID(tail) { return ExactText(decoding: Array(tail)) }
        let person = question.person?.text ?? ""
        // The length distinguishes pairs that differ only in the position of the boundary.
        let seed = ExactText("\(person.byteCount):\(person.string)\(question.conversation.text.string)")
        let (high, low) = (seed.stableHash(seed: 1), seed.stableHash(seed: 2))
        let version: UInt64 = high & 0xFFFF_FFFF_FFFF_0FFF | 0x8000
        let variant: UInt64 = low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        let digits = hexadecimal(version) + hexadecimal(variant)
        var text: [UInt8] = []
        for (index, digit) in digits.enumerated() {
            if dashes.contains(text.count), index > 0 { text.append(UInt8(ascii: "-")) }
            text.append(digit)
        }
        return ExactText(decoding: text)
    }

    /// The positions of the dashes in a UUID.
    private static var dashes: [Int] { [8, 13, 18, 23] }

    private static func isUUID(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.count == 36 else { return false }
        for (index, byte) in text.enumerated() {
            if dashes.contains(index) {
                guard byte == UInt8(ascii: "-") else { return false }
                continue
            }
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): break
            default: return false
            }
        }
        return true
    }

    private static func hexadecimal(_ number: UInt64) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return (0..<16).map { digits[Int(truncatingIfNeeded: number >> (60 - 4 * UInt64($0)) & 0xF)] }
    }
}

extension CoachStreamCodec: Backend {
    /// The feature of this backend.
    public typealias Subject = Streaming

    /// The progress of a call.
    public struct Progress: DomainValue {
        /// The answer so far. Not within an enum, so that it grows in place.
        var answer: StreamedAnswer
        /// The request before the question; nil once it is done.
        var making: Making?
    }

    /// The creation of a row.
    indirect enum Making: DomainValue {
        /// Its answer so far, and the question that follows.
        case row(HTTPAnswer, question: Exchange)
    }

    /// Every event is a JSON object, which is recognisably complete, so an event whose final empty line is missing can
    /// be accepted.
    private static let policy = SSEPolicy(unterminatedEvent: .dispatchAtEnd)

    /// The longest answer to the creation of a row, in bytes; a usual one is empty.
    private static let rowLimit: Int64 = 65_536

    /// Encodes a request.
    public func open(_ request: Streaming.Request) -> (exchange: Exchange, progress: Progress) {
        switch request {
        case .whole(let question, let secret):
            // Without a path for it, the feature does not request a whole reply.
            return ask(question, secret, at: wholePath ?? streamPath, accept: "application/json", .whole())
        case .stream(let question, let secret):
            return ask(question, secret, at: streamPath, accept: "text/event-stream", .stream(Self.policy))
        case .refreshCredentials(let secret):
            let (exchange, answer) = StreamedAnswer.refreshing(secret, path: refreshPath, projectKey)
            return (exchange, Progress(answer: answer))
        }
    }

    /// Asks in either form; a row that the question needs is made first.
    private func ask(
        _ question: Streaming.Question, _ secret: SecretHandle, at path: ExactText, accept: ExactText,
        _ answer: StreamedAnswer
    ) -> (exchange: Exchange, progress: Progress) {
        let exchange = exchange(path, question, secret, accept: accept)
        guard let row = row(before: question, secret) else { return (exchange, Progress(answer: answer)) }
        let making = Making.row(HTTPAnswer(limit: Self.rowLimit), question: exchange)
        return (row, Progress(answer: answer, making: making))
    }

    /// Decodes an arrival.
    public func receive(
        _ arrival: Arrival, progress: inout Progress, reaction: inout Reaction<Streaming.Event>
    ) {
        guard case .row(var answer, let question)? = progress.making else {
            return progress.answer.receive(arrival, in: self, &reaction)
        }
        let isComplete = answer.receive(arrival, &reaction)
        progress.making = .row(answer, question: question)
        guard isComplete else { return }
        // A conflict: another device of the person, or an earlier attempt, has created it.
        if answer.isGood || answer.status == 409 {
            progress.making = nil
            reaction.next = question
        } else {
            let json = answer.json ?? .null
            if let event = refusal(answer.status, json) { reaction.events.append(event) }
            reaction.end = answer.refusal(sentence(json))
        }
    }
}

extension CoachStreamCodec: ReplyDialect {
    /// Decodes an event.
    public func event(_ event: borrowing SSEEvent, facts: inout ReplyFacts) -> Streaming.Event {
        do throws(JSONError) {
            return try Self.scanner.scan(event.data) { (fields) throws(JSONError) -> Streaming.Event in
                if fields.has("token", at: 0) {
                    for index in Self.flagFields where fields.bool(index) == true {
                        Self.mark(Self.flags[index - Self.flagFields.lowerBound], in: &facts.flags)
                    }
                    return fields.string(1).map { .token($0) } ?? .skipped
                }
                if fields.has("done", at: 0) { return .done(Self.identifier(fields), Self.usage(fields)) }
                // An error without a sentence is still an error; the feature has a default sentence.
                return fields.has("error", at: 0) ? .failed(fields.string(2) ?? "") : .skipped
            }
        } catch {
            return .skipped
        }
    }

    private static func mark(_ flag: ExactText, in flags: inout [ExactText]) {
        if !flags.contains(flag) { flags.append(flag) }
    }

    private static func identifier(_ fields: borrowing JSONFields) -> MessageID? {
        (fields.string(3) ?? fields.string(4))?.identifier()
    }

    private static func usage(_ fields: borrowing JSONFields) -> Usage? {
        usage(prompt: fields.integer(5), completion: fields.integer(6), total: fields.integer(7))
    }

    /// The token usage of a reply; nil when it is incomplete or negative.
    private static func usage(prompt: Int64?, completion: Int64?, total: Int64?) -> Usage? {
        guard let prompt, let completion, let total, prompt >= 0, completion >= 0, total >= 0 else {
            return nil
        }
        return Usage(prompt: prompt, completion: completion, total: total)
    }

    /// Decodes a whole answer.
    public func whole(_ answer: JSONValue, facts: inout ReplyFacts) -> Streaming.Event? {
        guard let text = answer["content"]?.string else { return nil }
        for flag in Self.flags where answer[flag]?.bool == true { Self.mark(flag, in: &facts.flags) }
        let id = answer["message_id"]?.string ?? answer["messageId"]?.string ?? ""
        let usage = answer["usage"]
        return .whole(
            text, id.isEmpty ? nil : MessageID(id),
            Self.usage(
                prompt: usage?["prompt_tokens"]?.integer, completion: usage?["completion_tokens"]?.integer,
                total: usage?["total_tokens"]?.integer))
    }

    /// The time at which the server accepts the next question, or a reason in the server's words that the person can
    /// act on. Refused credentials and a server that is down have reasons of their own.
    public func refusal(_ status: Int64, _ body: JSONValue) -> Streaming.Event? {
        if status == 429 { return body["remaining_until_reset"]?.time.map { .limited(until: $0) } }
        let sentence = sentence(body)
        guard (400...499).contains(status), status != 401, status != 408, !sentence.isEmpty else {
            return nil
        }
        return status == 404 ? .failed(sentence) : .refused(sentence)
    }

    /// The sentence for people; the member `error` is a code.
    public func sentence(_ refusal: JSONValue) -> ExactText {
        let sentence = refusal["userMessage"]?.string ?? refusal["message"]?.string ?? ""
        return sentence.cut(toByteCount: ClawlineAnswer.sentenceLimit).withoutControlCharacters
    }
}
