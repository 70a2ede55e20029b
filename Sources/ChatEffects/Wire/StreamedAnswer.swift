// The answer to a question over HTTP, as an event stream or as one JSON text, and the common parts of the conventions:
// status, retry-after, limits, and the end of the call. A dialect decodes each event or whole text. The progress is the
// reader's state in the middle of a line, or the body so far; both are bounded. The feature judges an end without a
// last event (S4).

import ChatDomain

/// The parts of a streamed reply that differ between conventions.
public protocol ReplyDialect {
    /// Decodes an event of a stream, and keeps its facts besides text. A known event without text or news is an empty
    /// token, a sign of life.
    func event(_ event: borrowing SSEEvent, facts: inout ReplyFacts) -> Streaming.Event

    /// Decodes a whole answer; nil when it is malformed.
    func whole(_ answer: JSONValue, facts: inout ReplyFacts) -> Streaming.Event?

    /// The content of a refusal with this status; nil if it has none besides status and sentence.
    func refusal(_ status: Int64, _ body: JSONValue) -> Streaming.Event?

    /// The server's sentence in a refusal; empty when there is none.
    func sentence(_ refusal: JSONValue) -> ExactText
}

extension ReplyDialect {
    /// Nil: the convention has no whole answers.
    public func whole(_ answer: JSONValue, facts: inout ReplyFacts) -> Streaming.Event? { nil }

    /// Nil: a refusal has only its status and sentence.
    public func refusal(_ status: Int64, _ body: JSONValue) -> Streaming.Event? { nil }

    /// The sentence of an error of any usual shape.
    public func sentence(_ refusal: JSONValue) -> ExactText { refusal.errorSentence }
}

/// The answer so far.
public struct StreamedAnswer: DomainValue {
    /// The bytes of a short token's event: a large piece has room for its events from the beginning.
    private static let leastEvent = 64

    enum Form: DomainValue {
        /// An event stream.
        case stream
        /// One JSON text with the reply.
        case whole
        /// One JSON text where a stream was requested: it may name an error.
        case page
        /// One JSON text with the new expiry of a credential.
        case access(SecretHandle)
    }

    private var form: Form
    /// The reader of an event stream. Beside the form, so that it is used in place.
    private var reader = SSEReader()
    /// The head, and the body so far of a JSON text or a refusal.
    private var answer = HTTPAnswer()
    /// The known facts of the reply besides its text.
    private var facts = ReplyFacts()

    init(_ form: Form) {
        self.form = form
    }

    /// The answer to a request for a stream of events.
    public static func stream(_ policy: SSEPolicy = SSEPolicy()) -> Self {
        var answer = Self(.stream)
        answer.reader = SSEReader(policy)
        return answer
    }

    /// The answer to a request for one JSON text, which is as long as an event of a stream may be.
    public static func whole(_ policy: SSEPolicy = SSEPolicy()) -> Self {
        var answer = Self(.whole)
        answer.answer = HTTPAnswer(limit: policy.eventLimit)
        return answer
    }

    private var isStream: Bool { if case .stream = form { true } else { false } }

    /// Reads an arrival.
    public mutating func receive<Dialect: ReplyDialect>(
        _ arrival: Arrival, in dialect: Dialect, _ reaction: inout Reaction<Streaming.Event>
    ) {
        switch arrival {
        case .head(_, let headers):
            _ = answer.receive(arrival, &reaction)
            begin(headers, &reaction)
        case .body(let bytes) where answer.isGood && isStream:
            if bytes.count > Self.leastEvent {
                reaction.events.reserveCapacity(bytes.count / Self.leastEvent)
            }
            Self.read(bytes, &reader, &facts, &reaction) { dialect.event($0, facts: &$1) }
        // No reply explains a redirect that the network has not followed; its sentence does.
        case .ended(.refused(300...399, _, let sentence)) where !sentence.isEmpty:
            reaction.tell(.refused(sentence))
            reaction.end = .completed
        case .body, .ended:
            if answer.receive(arrival, &reaction) { return finish(dialect, &reaction) }
            // A reply that the server called complete is complete, however the connection ends.
            if case .ended = arrival { conclude(&reaction) }
        case .sent: break
        case .opened, .text, .tooLong, .signOfLife: reaction.tell(.skipped)  // not for an HTTP exchange
        }
    }

    /// The server has accepted the question if it answers with success and with the requested type: a proxy's page with
    /// a success status is no answer of the server.
    private mutating func begin(_ headers: [Header], _ reaction: inout Reaction<Streaming.Event>) {
        guard answer.isGood else { return }
        if isStream, let type = headers.first(where: { $0.name == "content-type" })?.value.trimmed {
            if Self.isMediaType(type, "application/json") { return form = .page }
            guard Self.isMediaType(type, "text/event-stream") else {
                return reaction.end = .failed(.malformed)
            }
        }
        reaction.tell(.began(nil))
    }

    private static func isMediaType(_ type: ExactText, _ expected: ExactText) -> Bool {
        // Media types ignore the case of ASCII letters (RFC 9110, section 8.3.1).
        type.utf8.starts(with: expected.utf8) { byte, expected in
            byte == expected || (65...90).contains(byte) && byte + 32 == expected
        }
    }

    /// The decoding of an event. Reading needs nothing else of a dialect, so it is compiled once and not for each
    /// dialect.
    private typealias Meaning = (borrowing SSEEvent, inout ReplyFacts) -> Streaming.Event

    /// Reads a part of a stream. Reader and facts are two properties of one answer, both used in place.
    private static func read(
        _ bytes: [UInt8], _ reader: inout SSEReader, _ facts: inout ReplyFacts,
        _ reaction: inout Reaction<Streaming.Event>, _ meaning: Meaning
    ) {
        do throws(SSEError) {
            try reader.read(bytes) { take($0, &facts, &reaction, meaning) }
        } catch {
            if reaction.end == nil { reaction.end = .failed(.tooLarge) }
        }
    }

    /// Reads the end of a stream.
    private static func finish(
        _ reader: inout SSEReader, _ facts: inout ReplyFacts, _ reaction: inout Reaction<Streaming.Event>,
        _ meaning: Meaning
    ) {
        do throws(SSEError) {
            try reader.finish { take($0, &facts, &reaction, meaning) }
        } catch {
            reaction.end = .failed(.tooLarge)
        }
    }

    /// Passes an event on. The last event of a reply ends the call, whatever follows on the wire.
    private static func take(
        _ event: borrowing SSEEvent, _ facts: inout ReplyFacts,
        _ reaction: inout Reaction<Streaming.Event>, _ meaning: Meaning
    ) {
        guard reaction.end == nil else { return }
        let told = facts.flags.count
        let said = meaning(event, &facts)
        if facts.flags.count > told { reaction.tell(.flagged(facts.flags)) }
        switch said {
        case .done, .failed, .refused: reaction.end = .completed
        case .token(let text): facts.hear(text)
        case .skipped: facts.hasSkipped = true
        default: break
        }
        reaction.tell(said)
    }

    /// Ends a reply whose last event is the end of the answer.
    private func conclude(_ reaction: inout Reaction<Streaming.Event>) {
        guard answer.isGood, let last = facts.last else { return }
        reaction.tell(last)
        reaction.end = .completed
    }

    private mutating func finish<Dialect: ReplyDialect>(
        _ dialect: Dialect, _ reaction: inout Reaction<Streaming.Event>
    ) {
        guard answer.isGood else { return refuse(dialect, &reaction) }
        switch form {
        case .stream:
            Self.finish(&reader, &facts, &reaction) { dialect.event($0, facts: &$1) }
            if reaction.end == nil { conclude(&reaction) }
        case .whole:
            guard let json = answer.json, let event = dialect.whole(json, facts: &facts) else { fallthrough }
            if !facts.flags.isEmpty { reaction.tell(.flagged(facts.flags)) }
            tellWhole(event, &reaction)
            reaction.end = .completed
        case .page:
            let sentence = dialect.sentence(answer.json ?? .null)
            guard !sentence.isEmpty else { return reaction.end = .failed(.malformed) }
            reaction.tell(.failed(sentence))
            reaction.end = .completed
        case .access(let secret):
            guard let json = answer.json, json.object != nil else {
                return reaction.end = .failed(.malformed)
            }
            reaction.tell(.refreshed(Streaming.Access(secret: secret, expires: json["expires_at"]?.time)))
            reaction.end = .completed
        }
    }

    /// Passes a whole reply on. One that is not complete has its text, and then why.
    private mutating func tellWhole(_ event: Streaming.Event, _ reaction: inout Reaction<Streaming.Event>) {
        guard case .whole(let text, _, _) = event else { return reaction.tell(event) }
        facts.hear(text)
        guard case .failed? = facts.last else { return reaction.tell(event) }
        if !text.isBlank { reaction.tell(.token(text)) }
        conclude(&reaction)
    }

    private func refuse<Dialect: ReplyDialect>(
        _ dialect: Dialect, _ reaction: inout Reaction<Streaming.Event>
    ) {
        let refusal = answer.json ?? .null
        let wait = answer.retryAfter ?? ModelError.wait(refusal)
        switch dialect.refusal(answer.status, refusal) {
        case nil: break
        case .limited where wait != nil: break  // a wait is preferred to a time of day
        case let event?: reaction.tell(event)
        }
        let sentence = dialect.sentence(refusal)
        reaction.end = .refused(
            status: answer.status, retryAfter: wait,
            message: sentence.withoutControlCharacters.cut(toByteCount: ClawlineAnswer.sentenceLimit))
    }

    // MARK: Credentials

    /// Requests a new credential in place of an old one (S9).
    ///
    /// The answer has only its end, `{"expires_at": …}`: no token enters the machine (L10).
    static func refreshing(
        _ secret: SecretHandle, path: ExactText, _ headers: [Header] = []
    ) -> (exchange: Exchange, progress: Self) {
        let headers = [Header("accept", "application/json")] + headers
        return (.renewal(path: path, headers: headers, of: secret), StreamedAnswer(.access(secret)))
    }
}

extension Reaction where Event == Streaming.Event {
    /// Appends an event; one outside the protocol is counted as well (S12).
    fileprivate mutating func tell(_ event: Streaming.Event) {
        if case .skipped = event { skipped += 1 }
        events.append(event)
    }
}
