// The conventions of streamed replies by name, and the decoding of an answer's bytes: for tests, for the fuzzer and for
// the inspection of a server's answers.
//
//     ReplyFormat.openAI.decode([bytes]).text

import ChatDomain
import ChatEffects

/// A convention of streamed replies.
public enum ReplyFormat: String, CaseIterable, Sendable {
    case coach
    case smartReply = "smart-reply"
    case openAI = "openai"
    case openAIResponses = "openai-responses"
    case anthropic
    case google
    case aiSDK = "ai-sdk"

    /// Decodes the body of an answer, which comes in pieces. Nothing is read after the end of the reply.
    public func decode<Pieces: Sequence>(
        _ pieces: Pieces, status: Int64 = 200, headers: [Header] = [], ending: CallEnd = .completed
    ) -> DecodedReply where Pieces.Element == [UInt8] {
        var reply = DecodedReply()
        switch self {
        case .coach: reply.read(CoachStreamCodec(), pieces, status, headers, ending)
        case .smartReply: reply.read(SmartReplyCodec(), pieces, status, headers, ending)
        case .openAI: reply.read(ModelBackend(OpenAIChat(), .any), pieces, status, headers, ending)
        case .openAIResponses:
            reply.read(ModelBackend(OpenAIResponses(), .any), pieces, status, headers, ending)
        case .anthropic: reply.read(ModelBackend(AnthropicMessages(), .any), pieces, status, headers, ending)
        case .google: reply.read(ModelBackend(GoogleGenerateContent(), .any), pieces, status, headers, ending)
        case .aiSDK: reply.read(ModelBackend(AISDKMessageStream(), .any), pieces, status, headers, ending)
        }
        return reply
    }
}

/// The result of an answer.
public struct DecodedReply: PlainValue {
    /// The end of a reply.
    public enum Outcome: String, PlainValue {
        /// It is complete.
        case finished
        /// It has text and is not complete.
        case interrupted
        /// It has no text.
        case failed
    }

    /// The text that a person sees.
    public private(set) var text: ExactText = ""
    /// The end of the reply.
    public private(set) var outcome = Outcome.failed
    /// Why it is not complete.
    public private(set) var reason: ExactText?
    /// The server's id of the reply.
    public private(set) var id: MessageID?
    /// The cost.
    public private(set) var usage: Usage?
    /// The number of items that the decoder does not know.
    public private(set) var skipped: UInt64 = 0
    /// The marks of the reply.
    public private(set) var flags: [ExactText] = []
    /// The number of events, and the end that the backend gave the call.
    public private(set) var events: Int64 = 0
    /// The end that the backend gave the call; nil when it left that to the transport.
    public private(set) var end: CallEnd?

    fileprivate mutating func read<Codec: Backend, Pieces: Sequence>(
        _ codec: Codec, _ pieces: Pieces, _ status: Int64, _ headers: [Header], _ ending: CallEnd
    )
    where
        Codec.Subject.Request == Streaming.Request, Codec.Subject.Event == Streaming.Event,
        Pieces.Element == [UInt8]
    {
        let question = Streaming.Question(conversation: .main, client: "question", text: "")
        var progress = codec.open(.stream(question, SecretHandle("key"))).progress
        var isComplete = false
        func take(_ arrival: Arrival) {
            var reaction = Reaction<Streaming.Event>()
            codec.receive(arrival, progress: &progress, reaction: &reaction)
            for event in reaction.events where note(event) { isComplete = true }
            skipped += reaction.skipped
            end = reaction.end
        }
        take(.head(status: status, headers: headers))
        for piece in pieces {
            guard end == nil else { break }
            take(.body(piece))
        }
        if end == nil { take(.ended(ending)) }
        conclude(isComplete: isComplete, end ?? ending)
    }

    /// Takes an event; returns whether the reply is complete.
    private mutating func note(_ event: Streaming.Event) -> Bool {
        events += 1
        switch event {
        case .token(let text): self.text.append(text)
        case .whole(let text, let id, let usage):
            (self.text, self.id, self.usage) = (text, id, usage)
            return true
        case .done(let id, let usage):
            (self.id, self.usage) = (id, usage)
            return true
        case .failed(let sentence), .refused(let sentence):
            reason = sentence.isEmpty ? "the server gave no reason" : sentence
        case .flagged(let flags): self.flags = flags
        case .limited: reason = "the server wants a wait"
        case .began, .refreshed, .skipped: break
        }
        return false
    }

    private mutating func conclude(isComplete: Bool, _ end: CallEnd) {
        if isComplete, !text.isEmpty {
            outcome = .finished
            return
        }
        outcome = text.isEmpty ? .failed : .interrupted
        guard reason == nil else { return }
        switch end {
        case .completed where isComplete: reason = "the reply is complete and has no text"
        case .completed, .closed: reason = "the stream ended before the reply was complete"
        case .refused(let status, _, let message):
            let sentence = message.isEmpty ? Wording.neutral.reasons.refused : message
            reason = ExactText("status \(status): \(sentence.string)")
        case .failed(let failure): reason = Wording.neutral.reason(failure)
        }
    }
}

extension ModelServer {
    /// A server for which only the answers matter.
    static let any = ModelServer(path: "", model: "")
}
