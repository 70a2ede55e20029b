// The in-process backend's coach: it replies “You said: ” and the text, word by word as server-sent events with a type,
// then `done` with an id and the usage; or as one whole answer. A refresh extends the credentials of the request, so
// the answer has only their expiry.

import ChatDomain

extension LocalServer {
    /// The coach's reply to a question.
    package struct CoachReply: PlainValue {
        /// The words, each with the space before it.
        let words: [ExactText]
        /// The number of words in the question, which count as a model's tokens.
        let questionLength: Int
        /// Whether it is sent in the chunks of a model instead of the coach's events.
        let isModel: Bool

        init(to question: ExactText, isModel: Bool = false) {
            self.isModel = isModel
            words = Self.words("You said: " + question.string)
            questionLength = Self.words(question.string).count
        }

        /// The whole text.
        var text: ExactText { words.reduce(into: "") { $0.append($1) } }

        private static func words(_ text: String) -> [ExactText] {
            let words = text.split(separator: " ", omittingEmptySubsequences: false)
            return words.enumerated().map { ExactText(($0.offset == 0 ? "" : " ") + String($0.element)) }
        }
    }

    /// The path for whole replies; the coach's own server has none.
    static let coachWholePath: ExactText = "/functions/v1/chat"

    /// Creates the row of a conversation, once.
    mutating func makeRow(_ call: CallNumber, _ bytes: [UInt8]) {
        let id = (try? JSONReader().value(of: bytes))?["id"]?.string ?? ""
        let status: Int64 = id.isEmpty ? 400 : rows.contains(id) ? 409 : 201
        if status == 201 { rows.append(id) }
        schedule(.respond(call, status: status, body: []), after: .zero)
    }

    /// Handles a question to the coach.
    mutating func askCoach(_ call: CallNumber, _ bytes: [UInt8], isStream: Bool) {
        let wish = try? JSONReader().value(of: bytes)
        guard let question = wish?["message"]?.string, !question.isEmpty,
            let conversation = wish?["conversation_id"]?.string, wish?["first_message"]?.bool == false
        else {
            let body = coachError("bad_request", "There is no message")
            return schedule(.respond(call, status: 400, body: body), after: .zero, mayFail: false)
        }
        guard !behaviour.keepsRows || rows.contains(conversation) else {
            let body = coachError("not_found", "There is no such conversation")
            return schedule(.respond(call, status: 404, body: body), after: .zero, mayFail: false)
        }
        let reply = CoachReply(to: question)
        schedule(
            isStream ? .coach(call, reply, next: 0) : .coachWhole(call, reply), after: behaviour.answerDelay)
    }

    /// Sends the head of a reply, one of its words, or its end.
    mutating func coach(
        _ call: CallNumber, _ reply: CoachReply, next: Int64, _ outcomes: inout [Outcome]
    ) {
        guard isOpen(call) else { return }
        let index = Int(next) - 1
        if index < 0 {
            outcomes.append(.arrived(call, .head(status: 200, headers: Self.eventStream)))
        } else if reply.isModel {
            let word = index < reply.words.count ? reply.words[index] : nil
            outcomes.append(.arrived(call, .body(Self.modelChunk(word))))
            guard word != nil else {
                outcomes.append(.arrived(call, .body(Self.modelEnd(of: reply))))
                return end(call, .completed, &outcomes)
            }
        } else if index < reply.words.count {
            sendEvent("token", on: call, &outcomes) { event in
                event.member("content", reply.words[index])
                event.member("memory_moment", false)
            }
        } else {
            let id = nextMessageID()
            sendEvent("done", on: call, &outcomes) { event in
                event.member("message_id", id.text)
                Self.writeUsage(of: reply, into: &event)
            }
            return end(call, .completed, &outcomes)
        }
        schedule(.coach(call, reply, next: next + 1), after: behaviour.wordInterval)
    }

    /// Sends a reply as one whole answer.
    mutating func coachWhole(_ call: CallNumber, _ reply: CoachReply, _ outcomes: inout [Outcome]) {
        guard !reply.isModel else { return respond(call, 200, body: Self.modelAnswer(reply), &outcomes) }
        let id = nextMessageID()
        var body: [UInt8] = []
        JSONWriter.object(into: &body) { answer in
            answer.member("content", reply.text)
            answer.member("message_id", id.text)
            Self.writeUsage(of: reply, into: &answer)
        }
        respond(call, 200, body: body, &outcomes)
    }

    /// Extends the credentials of a request.
    mutating func refresh(_ call: CallNumber, _ outcomes: inout [Outcome]) {
        var body: [UInt8] = []
        let expiry = moment.wall + behaviour.credentialLife
        JSONWriter.object(into: &body) { $0.member("expires_at", expiry.millisecondsSince1970) }
        respond(call, 200, body: body, &outcomes)
    }

    // MARK: Faults

    /// Refuses a reply: with a status before its head, as an event after it.
    mutating func refuseCoach(
        _ call: CallNumber, next: Int64, isModel: Bool, _ code: ExactText, _ message: ExactText,
        _ outcomes: inout [Outcome]
    ) {
        guard next > 0 else {
            let body = isModel ? modelError(code, message) : coachError(code, message)
            return respond(call, Self.httpStatus(of: code), body: body, &outcomes)
        }
        guard isOpen(call) else { return }
        guard !isModel else {
            outcomes.append(.arrived(call, .body(Self.event(modelError(code, message)))))
            return end(call, .completed, &outcomes)
        }
        sendEvent("error", on: call, &outcomes) { $0.member("message", message) }
        end(call, .completed, &outcomes)
    }

    /// The body of a refusal. For a rate limit it contains the time of the reset.
    func coachError(_ code: ExactText, _ message: ExactText) -> [UInt8] {
        var body: [UInt8] = []
        JSONWriter.object(into: &body) { answer in
            answer.member("error", code)
            guard code == "rate_limited" else { return answer.member("message", message) }
            answer.member("is_trial", true)
            answer.member("remaining_until_reset", (moment.wall + behaviour.limitReset).iso8601)
            answer.member("current_count", 5)
            answer.member("limit", 5)
        }
        return body
    }

    /// Sends frames outside the protocol: half a JSON text, and where frames have types, an unknown one.
    func babble(on call: CallNumber, _ outcomes: inout [Outcome]) {
        send(Array(#"{"type":"#.utf8), to: call, &outcomes)
        guard isOpen(call) else { return }
        outcomes.append(.arrived(call, .body(Self.event(Array(#"{"type":"#.utf8)))))
        outcomes.append(.arrived(call, .body(Self.event(Array(#"{"type":"confetti"}"#.utf8)))))
    }

    // MARK: Encoding

    private func sendEvent(
        _ type: ExactText, on call: CallNumber, _ outcomes: inout [Outcome],
        _ fields: (inout JSONObjectWriter) -> Void
    ) {
        var data: [UInt8] = []
        JSONWriter.object(into: &data) { event in
            event.member("type", type)
            fields(&event)
        }
        outcomes.append(.arrived(call, .body(Self.event(data))))
    }

    static func writeUsage(of reply: CoachReply, into answer: inout JSONObjectWriter) {
        answer.object("usage") { usage in
            usage.member("prompt_tokens", reply.questionLength)
            usage.member("completion_tokens", reply.words.count)
            usage.member("total_tokens", reply.questionLength + reply.words.count)
        }
    }
}
