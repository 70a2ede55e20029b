// Smart replies over HTTP (PROTOCOLS section 5): one POST answered by server-sent events that end with [DONE], and
// a form that answers whole. What is remembered of a call is the reader's progress in the middle of a line, or
// the body so far; both are bounded. An end without [DONE] is left to the feature to judge (SPEC S4).

import ChatDomain

/// Speaks the smart-reply convention.
public struct SmartReplyCodec: DomainValue {
    /// The greatest whole answer that is read (SPEC section 8).
    public static let answerLimit: Int64 = 1_048_576

    /// Where replies are streamed.
    public let streamPath: ExactText
    /// Where replies are given whole.
    public let wholePath: ExactText

    private static let scanner = JSONFieldScanner(["content", "error"], JSONPolicy(malformedText: .replace))

    /// Creates a codec for two functions.
    public init(
        streamPath: ExactText = "/generateSmartReplyStreaming", wholePath: ExactText = "/generateSmartReply"
    ) {
        self.streamPath = streamPath
        self.wholePath = wholePath
    }

    /// What has come of a reply.
    public struct Progress: DomainValue {
        /// The form of the reply.
        enum Form: DomainValue {
            /// Events, read so far.
            case stream(SSEReader)
            /// One JSON text, of which these bytes are there.
            case whole([UInt8])
        }

        var form: Form
        var status: Int64 = 0
        var retryAfter: Interval?
        /// The body of an error.
        var complaint: [UInt8] = []

        var isGood: Bool { (200...299).contains(status) }
    }

    /// Says how a reply is asked for. There are no credentials to refresh here, so that is asked of a place
    /// that does not answer; a feature that is told so does not ask.
    func open(_ request: Streaming.Request) -> (exchange: Exchange, progress: Progress) {
        switch request {
        case .stream(let question, let secret):
            (
                exchange(streamPath, question, secret, accept: "text/event-stream"),
                Progress(form: .stream(SSEReader()))
            )
        case .whole(let question, let secret):
            (exchange(wholePath, question, secret, accept: "application/json"), Progress(form: .whole([])))
        case .refreshCredentials(let secret):
            (
                .http(
                    method: "POST", path: "/refresh", headers: [], body: Payload([]), credential: secret),
                Progress(form: .whole([]))
            )
        }
    }

    private func exchange(
        _ path: ExactText, _ question: Streaming.Question, _ secret: SecretHandle, accept: ExactText
    ) -> Exchange {
        var bytes: [UInt8] = []
        JSONWriter.object(into: &bytes) { body in
            body.member("conversationId", question.conversation.text)
            body.member("messageText", question.text)
            if case .smartReply(let kind) = question.purpose { body.member("replyType", kind.wireName) }
        }
        return .http(
            method: "POST", path: path,
            headers: [Header("content-type", "application/json"), Header("accept", accept)],
            body: Payload(bytes: bytes), credential: secret)
    }

    /// Reads what arrives.
    func receive(
        _ arrival: Arrival, progress: inout Progress, tell: (Streaming.Event) -> Void
    ) -> CallEnd? {
        switch arrival {
        case .head(let status, let headers):
            progress.status = status
            progress.retryAfter = AssistantCallable.retryAfter(headers)
            if progress.isGood { tell(.began(nil)) }
            return nil
        case .body(let bytes):
            return progress.isGood ? read(bytes, &progress, tell) : complain(bytes, &progress)
        case .ended(.completed):
            return finish(&progress, tell)
        case .ended, .sent:
            return nil
        case .opened, .text, .signOfLife:
            tell(.skipped)
            return nil
        }
    }

    private func read(
        _ bytes: [UInt8], _ progress: inout Progress, _ tell: (Streaming.Event) -> Void
    ) -> CallEnd? {
        switch progress.form {
        case .stream(var reader):
            progress.form = .whole([])  // so that the reader's buffer is not shared while it grows
            var end: CallEnd?
            do throws(SSEError) {
                try reader.read(bytes) { event in
                    guard end == nil else { return }
                    if event.hasData("[DONE]") {
                        tell(.done(nil, nil))
                        end = .completed
                    } else {
                        tell(Self.event(event.data))
                    }
                }
            } catch {
                end = .failed(.tooLarge)
            }
            progress.form = .stream(reader)
            return end
        case .whole(var body):
            guard Int64(body.count) + Int64(bytes.count) <= Self.answerLimit else {
                return .failed(.tooLarge)
            }
            progress.form = .whole([])  // so that the body is not shared while it grows
            body += bytes
            progress.form = .whole(body)
            return nil
        }
    }

    private static func event(_ data: UnsafeBufferPointer<UInt8>) -> Streaming.Event {
        do throws(JSONError) {
            return try scanner.scan(data) { (fields) throws(JSONError) -> Streaming.Event in
                if let content = fields.string(0) { return .token(content) }
                if let sentence = fields.string(1) { return .failed(sentence) }
                return .skipped
            }
        } catch {
            return .skipped
        }
    }

    /// Keeps the beginning of what an error says; the rest is nobody's concern.
    private func complain(_ bytes: [UInt8], _ progress: inout Progress) -> CallEnd? {
        let room = max(0, Int(ClawlineAnswer.sentenceLimit) - progress.complaint.count)
        progress.complaint += bytes.prefix(room)
        return nil
    }

    private func finish(_ progress: inout Progress, _ tell: (Streaming.Event) -> Void) -> CallEnd? {
        guard progress.isGood else {
            let json = try? JSONReader().value(of: progress.complaint)
            let sentence = json?["error"]?.string ?? json?["message"]?.string ?? ""
            return .refused(
                status: progress.status, retryAfter: progress.retryAfter,
                message: sentence.withoutControlCharacters)
        }
        guard case .whole(let body) = progress.form else { return nil }
        let json = try? JSONReader(JSONPolicy(malformedText: .replace)).value(of: body)
        guard let reply = json?["reply"]?.string else { return .failed(.malformed) }
        tell(.whole(reply, nil, nil))
        return .completed
    }
}

extension SmartReplies.Kind {
    /// The kind as the convention names it.
    var wireName: ExactText {
        switch self {
        case .short: "short"
        case .friendly: "friendly"
        case .professional: "professional"
        case .funny: "funny"
        case .own(let name): name
        }
    }
}
