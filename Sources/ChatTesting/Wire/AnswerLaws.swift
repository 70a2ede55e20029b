// Laws of the decoders of whole HTTP answers under any bytes. The choice of an input also chooses the status and the end
// of the exchange. What must hold of each answer:
//
// - Pieces of any size give the result of one piece.
// - An answer never ends without a result: an event, another exchange, or an end that says why there is none.
// - A refusal keeps the status, and its sentence has a limit.

import ChatDomain
import ChatEffects

enum AnswerLaws {
    /// The laws, each under the name of its decoder.
    static let all: [ByteLaw] = [
        law("clawline-upload", ChatCarriages(link: ClawlineLink())) {
            $0.open(.upload(secret, file)).progress
        },
        law("assistant-answer", AssistantCallable()) {
            $0.open(.ask("x", conversation: "k", user: "u", secret: secret)).progress
        },
        law("coach-row", CoachStreamCodec(row: .init())) {
            $0.open(.stream(first, secret)).progress
        },
        law("credentials", CoachStreamCodec()) { $0.open(.refreshCredentials(secret)).progress },
        ByteLaw(name: "whole-reply") { choice, bytes in
            wholes[Int(choice) % wholes.count].complaint(choice, bytes)
        },
    ]

    /// The conventions with whole replies; the choice of an input chooses one.
    private static let wholes = [
        whole(CoachStreamCodec()), whole(SmartReplyCodec()), whole(ModelBackend(OpenAIChat(), .any)),
        whole(ModelBackend(OpenAIResponses(), .any)), whole(ModelBackend(AnthropicMessages(), .any)),
        whole(ModelBackend(GoogleGenerateContent(), .any)),
    ]

    // MARK: Requests

    private static let secret = SecretHandle("h")

    private static let file = Chat.Attachment(
        id: "f", owner: "u", kind: .document, mimeType: "text/plain", name: "a", byteCount: 1,
        source: .file(.waiting))

    private static let question = Streaming.Question(conversation: .main, client: "c_1", text: "x")

    /// The first question of a conversation, which needs a row.
    private static let first = Streaming.Question(
        conversation: .main, client: "c_1", text: "x", purpose: .message(isFirst: true))

    private static func whole<Codec: Backend>(_ codec: Codec) -> ByteLaw
    where Codec.Subject.Request == Streaming.Request {
        law("", codec) { $0.open(.whole(question, secret)).progress }
    }

    // MARK: Laws

    /// The result of an answer.
    private struct Outcome<Event: PlainValue>: Equatable {
        /// The events, and how many of them the head has not brought.
        var events: [Event] = []
        var news = 0
        var next: Exchange?
        var end: CallEnd?
        var skipped: UInt64 = 0
    }

    private static func law<Codec: Backend>(
        _ name: String, _ codec: Codec, _ open: @escaping @Sendable (Codec) -> Codec.Progress
    ) -> ByteLaw {
        ByteLaw(name: name) { choice, bytes in
            let beginning = open(codec)
            let status: Int64 = [200, 200, 200, 201, 409, 429, 500, 403][Int(choice >> 5)]
            let ending: CallEnd = choice & 7 == 7 ? .failed(.lost) : .completed
            func outcome(_ pieces: [[UInt8]]) -> Outcome<Codec.Subject.Event> {
                var progress = beginning
                var outcome = Outcome<Codec.Subject.Event>()
                let body = pieces.map { Arrival.body($0) }
                for arrival in [.head(status: status, headers: [])] + body + [.ended(ending)] {
                    var reaction = Reaction<Codec.Subject.Event>()
                    codec.receive(arrival, progress: &progress, reaction: &reaction)
                    outcome.events += reaction.events
                    if case .head = arrival {} else { outcome.news += reaction.events.count }
                    outcome.skipped += reaction.skipped
                    (outcome.end, outcome.next) = (reaction.end, reaction.next)
                    if reaction.end != nil { break }
                }
                return outcome
            }
            let whole = outcome([bytes])
            guard outcome(ByteLaw.pieces(bytes, choice)) == whole else {
                return "the pieces give another outcome than the whole"
            }
            return violation(whole, status, ending)
        }
    }

    private static func violation<Event>(
        _ outcome: Outcome<Event>, _ status: Int64, _ ending: CallEnd
    ) -> String? {
        if case .refused(let told, _, let message) = outcome.end {
            if told != status { return "a refusal has another status" }
            return message.byteCount > 1_024 ? "a sentence for a person is long" : nil
        }
        let isSilent = outcome.news == 0 && outcome.next == nil && outcome.end == nil
        return isSilent && ending == .completed ? "an answer has no result" : nil
    }
}
