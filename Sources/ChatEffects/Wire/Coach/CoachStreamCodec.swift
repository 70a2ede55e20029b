// The coach's stream over HTTP: one POST answered by server-sent events, each a JSON object
// with a type. There is no mark after the last: `done` alone makes a reply complete (S4). What both forms of
// an answer have in common with other conventions is in StreamedAnswer.swift; start at `open`, then `event`.
//
// The convention carries no id of the question, so an asking that must go under a new one (S6) looks on the wire like
// the one before. Each token repeats the four flags of its reply; each that is set is told once.

import ChatDomain

/// Speaks the coach's convention.
public struct CoachStreamCodec: DomainValue {
    /// Where replies are streamed.
    public let streamPath: ExactText
    /// Where replies are given whole, by a server that can (S13): the members of a token and of `done` in
    /// one object, `{"content", "message_id", "usage"}`.
    public let wholePath: ExactText
    /// Where the driver makes credentials new.
    public let refreshPath: ExactText
    /// The name of the project, which the `apikey` header carries. Every app ships it, so it is no secret.
    public let apiKey: ExactText?

    private static let scanner = JSONFieldScanner(
        [
            "type", "content", "message", "message_id", "messageId", JSONPath("usage", "prompt_tokens"),
            JSONPath("usage", "completion_tokens"), JSONPath("usage", "total_tokens"),
        ] + flags.map { JSONPath($0) }, JSONPolicy(malformedText: .replace))

    /// What a coach marks a reply with; in the scanner behind the other fields.
    private static let flags: [ExactText] = [
        "memory_moment", "pattern_insight", "crisis_detected", "reflection_offered",
    ]

    /// Where the scanner has the first flag.
    private static let firstFlag = 8

    /// Creates a codec for the functions of a project.
    public init(
        streamPath: ExactText = "/functions/v1/chat-stream", wholePath: ExactText = "/functions/v1/chat",
        refreshPath: ExactText = "/auth/v1/token", apiKey: ExactText? = nil
    ) {
        self.streamPath = streamPath
        self.wholePath = wholePath
        self.refreshPath = refreshPath
        self.apiKey = apiKey
    }

    private func exchange(
        _ path: ExactText, _ question: Streaming.Question, _ secret: SecretHandle, accept: ExactText
    ) -> Exchange {
        var headers = [Header("content-type", "application/json"), Header("accept", accept)]
        if let apiKey { headers.append(Header("apikey", apiKey)) }
        var isFirst = false
        if case .message(true) = question.purpose { isFirst = true }
        var bytes: [UInt8] = []
        JSONWriter.object(into: &bytes) { body in
            body.member("message", question.text)
            body.member("conversation_id", Self.conversation(question))
            body.member("first_message", isFirst)
        }
        return .http(
            method: "POST", path: path, headers: headers, body: Payload(bytes: bytes), credential: secret)
    }
}

extension CoachStreamCodec {
    /// The conversation as the coach's server names it: by a UUID, among those of all persons. One that was begun
    /// here has a UUID in its name. For another, such as the one that there always is, one is derived from the
    /// person and the name, so that it is the same on all devices of the person: version 8 of RFC 9562, whose bits
    /// are an application's own.
    static func conversation(_ question: Streaming.Question) -> ExactText {
        let name = Array(question.conversation.text.utf8)
        let tail = name.suffix(36)
        if isUUID(tail) { return ExactText(String(decoding: tail, as: UTF8.self)) }
        let person = question.person?.text ?? ""
        // The length keeps apart what only the place of the border would tell apart.
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
        return ExactText(String(decoding: text, as: UTF8.self))
    }

    /// Where a UUID has its dashes.
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
    /// The feature that this backend serves.
    public typealias Subject = Streaming

    /// What has come of an answer.
    public typealias Progress = StreamedAnswer

    /// Says how a reply is asked for.
    public func open(_ request: Streaming.Request) -> (exchange: Exchange, progress: StreamedAnswer) {
        switch request {
        case .stream(let question, let secret):
            // Every event is a JSON object, which tells by itself whether it is whole: one whose last empty line
            // is missing at the end can be taken.
            let reader = SSEReader(SSEPolicy(unterminatedEvent: .dispatchAtEnd))
            return (
                exchange(streamPath, question, secret, accept: "text/event-stream"),
                StreamedAnswer(.stream(reader))
            )
        case .whole(let question, let secret):
            return (
                exchange(wholePath, question, secret, accept: "application/json"), StreamedAnswer(.whole)
            )
        case .refreshCredentials(let secret):
            return StreamedAnswer.refreshing(secret, path: refreshPath)
        }
    }

    /// Nothing is sent on an open call.
    public func send(
        _ frame: Never, progress: inout StreamedAnswer, reaction: inout Reaction<Streaming.Event>
    ) {}

    /// Translates what arrives.
    public func receive(
        _ arrival: Arrival, progress: inout StreamedAnswer, reaction: inout Reaction<Streaming.Event>
    ) {
        progress.receive(arrival, in: self, &reaction)
    }
}

extension CoachStreamCodec: ReplyDialect {
    func event(_ event: borrowing SSEEvent, flags: inout [ExactText]) -> Streaming.Event {
        do throws(JSONError) {
            return try Self.scanner.scan(event.data) { (fields) throws(JSONError) -> Streaming.Event in
                if fields.has("token", at: 0) {
                    for index in Self.flags.indices where fields.bool(Self.firstFlag + index) == true {
                        Self.mark(Self.flags[index], in: &flags)
                    }
                    return fields.string(1).map { .token($0) } ?? .skipped
                }
                if fields.has("done", at: 0) { return .done(Self.identifier(fields), Self.usage(fields)) }
                // An error without words is one all the same; the feature has words of its own.
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
        guard let id = fields.string(3) ?? fields.string(4), !id.isEmpty else { return nil }
        return MessageID(id)
    }

    private static func usage(_ fields: borrowing JSONFields) -> Usage? {
        usage(prompt: fields.integer(5), completion: fields.integer(6), total: fields.integer(7))
    }

    /// What a reply has cost: none when it is not told, or makes no sense.
    private static func usage(prompt: Int64?, completion: Int64?, total: Int64?) -> Usage? {
        guard let prompt, let completion, let total, prompt >= 0, completion >= 0, total >= 0 else {
            return nil
        }
        return Usage(prompt: prompt, completion: completion, total: total)
    }

    func whole(_ answer: JSONValue, flags: inout [ExactText]) -> Streaming.Event? {
        guard let text = answer["content"]?.string else { return nil }
        for flag in Self.flags where answer[flag]?.bool == true { Self.mark(flag, in: &flags) }
        let id = answer["message_id"]?.string ?? answer["messageId"]?.string ?? ""
        let usage = answer["usage"]
        return .whole(
            text, id.isEmpty ? nil : MessageID(id),
            Self.usage(
                prompt: usage?["prompt_tokens"]?.integer, completion: usage?["completion_tokens"]?.integer,
                total: usage?["total_tokens"]?.integer))
    }

    func limit(_ refusal: JSONValue) -> WallTime? {
        refusal["remaining_until_reset"]?.time
    }
}
