// The answer to a question over HTTP, as an event stream or as one JSON text, as far as the conventions agree: status,
// retry-after, limits, and the end of the call. A dialect decodes each event or whole text. The progress is the
// reader's state in the middle of a line, or the body so far; both are bounded. The feature judges an end without a
// last event (S4).

import ChatDomain

/// The parts of a streamed reply that differ between conventions.
public protocol ReplyDialect {
    /// Decodes an event of a stream, and keeps what it tells besides text. An event that is known and tells nothing new is
    /// an empty token, a sign of life.
    func event(_ event: borrowing SSEEvent, facts: inout ReplyFacts) -> Streaming.Event

    /// Decodes a whole answer; nil when it is malformed.
    func whole(_ answer: JSONValue, facts: inout ReplyFacts) -> Streaming.Event?

    /// What a refusal with this status tells besides its status; nil for nothing.
    func refusal(_ status: Int64, _ body: JSONValue) -> Streaming.Event?

    /// The server's sentence in a refusal; empty when there is none.
    func sentence(_ refusal: JSONValue) -> ExactText
}

extension ReplyDialect {
    /// Nil: the convention has no whole answers.
    public func whole(_ answer: JSONValue, facts: inout ReplyFacts) -> Streaming.Event? { nil }

    /// Nil: a refusal tells no more than its status and sentence.
    public func refusal(_ status: Int64, _ body: JSONValue) -> Streaming.Event? { nil }

    /// The member `error` or `message`.
    public func sentence(_ refusal: JSONValue) -> ExactText {
        refusal["error"]?.string ?? refusal["message"]?.string ?? ""
    }
}

/// The answer so far.
public struct StreamedAnswer: DomainValue {
    /// The greatest accepted whole answer, in bytes (limits).
    static let answerLimit: Int64 = 1_048_576

    /// The number of bytes read of a refusal: a usual one has some hundred, and a longer one is a proxy's page.
    static let refusalLimit = 4_096

    enum Form: DomainValue {
        /// An event stream with its reader.
        case stream(SSEReader)
        /// One JSON text with the reply.
        case whole
        /// One JSON text where a stream was requested: it may name an error.
        case page
        /// One JSON text with the new expiry of a credential.
        case access(SecretHandle)
    }

    private var form: Form
    private var status: Int64 = 0
    private var retryAfter: Interval?
    /// The bytes so far of a JSON text or a refusal.
    private var body: [UInt8] = []
    /// What is known of the reply besides its text.
    private var facts = ReplyFacts()

    init(_ form: Form) {
        self.form = form
    }

    /// The answer to a request for a stream of events.
    public static func stream(_ policy: SSEPolicy = SSEPolicy()) -> Self { Self(.stream(SSEReader(policy))) }

    /// The answer to a request for one JSON text.
    public static var whole: Self { Self(.whole) }

    private var isGood: Bool { (200...299).contains(status) }

    /// Reads an arrival.
    public mutating func receive<Dialect: ReplyDialect>(
        _ arrival: Arrival, in dialect: Dialect, _ reaction: inout Reaction<Streaming.Event>
    ) {
        reaction.end = receive(arrival, in: dialect) { event in
            if event == .skipped { reaction.skipped += 1 }
            reaction.events.append(event)
        }
    }

    private mutating func receive<Dialect: ReplyDialect>(
        _ arrival: Arrival, in dialect: Dialect, tell: (Streaming.Event) -> Void
    ) -> CallEnd? {
        switch arrival {
        case .head(let status, let headers):
            return begin(status, headers, tell)
        case .body(let bytes):
            guard isGood else {
                body += bytes.prefix(max(0, Self.refusalLimit - body.count))
                return nil
            }
            return read(bytes, dialect, tell)
        case .ended(.completed):
            return finish(dialect, tell)
        case .ended:
            return conclude(tell)  // what the server called complete is so, however the connection ends
        case .sent:
            return nil
        case .opened, .text, .tooLong, .signOfLife:  // not for an HTTP exchange
            tell(.skipped)
            return nil
        }
    }

    /// The server has taken the question when it answers with success and with the requested type: a proxy's page with
    /// a success status is no answer of the server.
    private mutating func begin(
        _ status: Int64, _ headers: [Header], _ tell: (Streaming.Event) -> Void
    ) -> CallEnd? {
        self.status = status
        retryAfter = HTTPAnswer.retryAfter(headers)
        guard isGood else { return nil }
        if case .stream = form, let type = headers.first(where: { $0.name == "content-type" })?.value.trimmed
        {
            if Self.isMediaType(type, "application/json") {
                form = .page
                return nil
            }
            guard Self.isMediaType(type, "text/event-stream") else { return .failed(.malformed) }
        }
        tell(.began(nil))
        return nil
    }

    private static func isMediaType(_ type: ExactText, _ expected: ExactText) -> Bool {
        // Media types ignore the case of ASCII letters (RFC 9110, section 8.3.1).
        type.utf8.starts(with: expected.utf8) { byte, expected in
            byte == expected || (65...90).contains(byte) && byte + 32 == expected
        }
    }

    private mutating func read<Dialect: ReplyDialect>(
        _ bytes: [UInt8], _ dialect: Dialect, _ tell: (Streaming.Event) -> Void
    ) -> CallEnd? {
        guard case .stream(var reader) = form else {
            guard Int64(body.count) + Int64(bytes.count) <= Self.answerLimit else {
                return .failed(.tooLarge)
            }
            body += bytes
            return nil
        }
        form = .whole  // so that the reader's buffer is not shared while it grows
        defer { form = .stream(reader) }
        var end: CallEnd?
        do throws(SSEError) {
            try reader.read(bytes) { if end == nil { end = take($0, dialect, tell) } }
        } catch {
            end = end ?? .failed(.tooLarge)
        }
        return end
    }

    /// Passes an event on. The last event of a reply ends the call, whatever follows on the wire.
    private mutating func take<Dialect: ReplyDialect>(
        _ event: borrowing SSEEvent, _ dialect: Dialect, _ tell: (Streaming.Event) -> Void
    ) -> CallEnd? {
        let told = facts.flags.count
        let said = dialect.event(event, facts: &facts)
        if facts.flags.count > told { tell(.flagged(Array(facts.flags[told...]))) }
        tell(said)
        switch said {
        case .done, .failed: return .completed
        case .token(let text):
            if !text.isEmpty { facts.hear() }
            return nil
        default: return nil
        }
    }

    /// Ends a reply whose last event is the end of the answer.
    private func conclude(_ tell: (Streaming.Event) -> Void) -> CallEnd? {
        guard isGood, case .stream = form, let last = facts.last else { return nil }
        tell(last)
        return .completed
    }

    private mutating func finish<Dialect: ReplyDialect>(
        _ dialect: Dialect, _ tell: (Streaming.Event) -> Void
    ) -> CallEnd? {
        guard isGood else { return refuse(dialect, tell) }
        switch form {
        case .stream(var reader):
            var end: CallEnd?
            do throws(SSEError) {
                try reader.finish { end = take($0, dialect, tell) }
            } catch {
                end = .failed(.tooLarge)
            }
            form = .stream(reader)
            return end ?? conclude(tell)
        case .whole:
            guard let answer = json, let event = dialect.whole(answer, facts: &facts) else {
                return .failed(.malformed)
            }
            if !facts.flags.isEmpty { tell(.flagged(facts.flags)) }
            tell(event)
            return .completed
        case .page:
            let sentence = dialect.sentence(json ?? .null)
            guard !sentence.isEmpty else { return .failed(.malformed) }
            tell(.failed(sentence))
            return .completed
        case .access(let secret):
            guard let answer = json, answer.object != nil else { return .failed(.malformed) }
            tell(.refreshed(Streaming.Access(secret: secret, expires: answer["expires_at"]?.time)))
            return .completed
        }
    }

    private func refuse<Dialect: ReplyDialect>(
        _ dialect: Dialect, _ tell: (Streaming.Event) -> Void
    ) -> CallEnd {
        let refusal = json ?? .null
        switch dialect.refusal(status, refusal) {
        case nil: break
        case .limited where retryAfter != nil: break  // a wait is preferred to a time of day
        case let event?: tell(event)
        }
        let sentence = dialect.sentence(refusal)
        return .refused(
            status: status, retryAfter: retryAfter,
            message: sentence.withoutControlCharacters.cut(toByteCount: ClawlineAnswer.sentenceLimit))
    }

    private var json: JSONValue? {
        try? JSONReader(JSONPolicy(malformedText: .replace)).value(of: body)
    }

    // MARK: Credentials

    /// Requests refreshed credentials from the driver (S9).
    ///
    /// The driver refreshes them at the path, once for all waiting callers, stores the new secret under the old handle,
    /// and answers only with its expiry, `{"expires_at": …}`: no token enters the machine (L10).
    static func refreshing(_ secret: SecretHandle, path: ExactText) -> (exchange: Exchange, progress: Self) {
        let exchange = Exchange.http(
            method: "POST", path: path, headers: [Header("accept", "application/json")], body: Payload([]),
            credential: secret)
        return (exchange, StreamedAnswer(.access(secret)))
    }
}
