// Which question a reply answers (C12, S6). On a socket nobody says so: replies begin in the order of the questions
// that wait for one. The latest pairs are remembered, so that what broke off is asked for again by its own question
// and no other; where nobody knows any more, no retry is offered.

extension Chat {
    /// A reply has begun: the oldest message that waits for one has it (C12). Returns also whether the person
    /// still wants it.
    func replyBegan(_ state: inout State, _ id: MessageID) -> (isWanted: Bool, effects: [Effect]) {
        if let client = state.conversation.awaitingReply.first {
            state.conversation.awaitingReply.removeFirst()
            state.setStatus(of: client, to: .delivered)
            return (state.conversation.answer(client, by: id), [.cancel(.reply(client))])
        }
        // None waits: it answers the one that is on the wire, whose acknowledgement is still to come.
        if case .inFlight(let outgoing) = state.conversation.outbox.queue.phase {
            state.conversation.answeredEarly = outgoing.id
            return (state.conversation.answer(outgoing.id, by: id), [])
        }
        // Or one whose wait was over, because the network was away for longer.
        if let late = state.conversation.overdue(before: id) {
            state.setStatus(of: late, to: .delivered)
            return (state.conversation.answer(late, by: id), [])
        }
        return (true, [])
    }

    /// A reply will not come. When nothing has been seen of it, it is the one that is waited for first, once however
    /// often the server says so.
    func replyFailed(
        _ state: inout State, _ id: MessageID, _ reason: ExactText, _ context: inout Context
    ) -> [Effect] {
        guard !state.conversation.knows(id), let client = state.conversation.awaitingReply.first else {
            return interrupt(&state, id, .failed(reason), &context)
        }
        state.conversation.remember(Answer(reply: id, question: client))
        return replyFailed(&state, to: client, reason, &context)
    }

    /// A replay is complete: what it does not contain of the replies that were broken off before this launch
    /// does not exist any more (C5), and their questions have no reply.
    func dropStoredPartials(_ state: inout State) {
        for id in state.conversation.storedPartials {
            guard let ordinal = state.conversation.transcript.ordinal(of: id),
                case .interrupted(_, .lost) = state.conversation.transcript[ordinal]?.body
            else { continue }
            let question = state.conversation.question(ofReply: ordinal)
            state.conversation.transcript.remove(ordinal)
            guard let question, !state.conversation.hasReply(behind: question),
                let message = state.conversation.transcript[question], message.status == .delivered,
                message.canGoAgain, let client = message.client
            else { continue }
            state.setStatus(of: client, to: .failed(.noReply))
        }
        state.conversation.storedPartials = []
    }
}

extension Chat {
    /// A reply and the question that it answers.
    public struct Answer: DomainValue {
        /// The reply.
        public let reply: MessageID
        /// The question, under the id that it has now.
        public var question: ClientID
    }
}

extension Chat.Conversation {
    /// Learns which reply answers a message. Returns whether the person still wants it.
    fileprivate mutating func answer(_ client: ClientID, by reply: MessageID) -> Bool {
        for index in replaced.indices where replaced[index].by == .question(client) {
            replaced[index].by = .reply(reply)
        }
        remember(Chat.Answer(reply: reply, question: client))
        guard let index = unwanted.firstIndex(of: client) else { return true }
        unwanted.remove(at: index)
        return false
    }

    fileprivate mutating func remember(_ answer: Chat.Answer) {
        // Replies break off late or never, so a bounded number is enough (SPEC section 8).
        if answers.count >= 1_000 { answers.removeFirst() }
        answers.append(answer)
    }

    /// Whether anything has been heard of a reply.
    func knows(_ reply: MessageID) -> Bool {
        transcript.ordinal(of: reply) != nil || answers.contains { $0.reply == reply }
    }

    /// A question goes again under another id.
    mutating func renameQuestion(_ old: ClientID, _ new: ClientID) {
        for index in answers.indices where answers[index].question == old { answers[index].question = new }
    }

    /// How many rows away from a reply its question is looked for. Farther away it would be a guess, and to look at
    /// all rows would cost the more the longer a transcript without questions is.
    private static var reach: Int { 32 }

    /// The question that a reply answers although its wait was over: the oldest of those right before it.
    fileprivate func overdue(before reply: MessageID) -> ClientID? {
        guard let ordinal = transcript.ordinal(of: reply) else { return nil }
        var oldest: ClientID?
        for row in transcript.rows.newestFirst(before: ordinal).prefix(Self.reach)
        where row.value.role == .user {
            guard row.value.status == .failed(.noReply), let client = row.value.client else { break }
            oldest = client
        }
        return oldest
    }

    fileprivate func hasReply(behind question: Int64) -> Bool {
        for row in transcript.rows.rows(from: question).prefix(Self.reach) where row.ordinal > question {
            switch row.value.role {
            case .user: return false
            case .assistant: return true
            case .system: continue
            }
        }
        return false
    }

    /// The message to be sent again: the one that failed, or the question of a reply that broke off.
    func question(of row: Chat.Row.ID) -> Int64? {
        guard let ordinal = ordinal(of: row), let message = transcript[ordinal] else { return nil }
        if case .failed = message.status { return message.isHidden ? nil : ordinal }
        guard case .interrupted = message.body else { return nil }
        return question(ofReply: ordinal)
    }

    /// The question of a reply, if it is known, in memory and not deleted.
    func question(ofReply reply: Int64) -> Int64? {
        guard let message = transcript[reply] else { return nil }
        let answered = answers.last { $0.reply == message.id }?.question
        if let client = message.client?.question ?? answered {
            return transcript.ordinal(of: client).flatMap { transcript[$0]?.isHidden == false ? $0 : nil }
        }
        // An earlier launch knew it: it is the one before, as long as that one waits for no other reply.
        for row in transcript.rows.newestFirst(before: reply).prefix(Self.reach) {
            guard row.value.role == .user, !row.value.isHidden else { continue }
            guard let client = row.value.client, !awaitingReply.contains(client),
                !outbox.queue.contains(client)
            else { return nil }
            return row.ordinal
        }
        return nil
    }

    /// Whether what broke off can be asked for again from here (S4).
    func canAskAgain(_ reply: Int64) -> Bool {
        guard let question = question(ofReply: reply), let message = transcript[question],
            let client = message.client
        else { return false }
        return message.canGoAgain && !outbox.queue.contains(client)
    }

    /// The partial that the answer to a question is to replace: the reply that was pointed at, or the one that
    /// broke off right behind the question.
    func partial(for row: Chat.Row.ID, after question: Int64) -> MessageID? {
        if let ordinal = ordinal(of: row), ordinal != question { return transcript[ordinal]?.id }
        for row in transcript.rows.rows(from: question) where row.ordinal > question {
            if row.value.isHidden { continue }
            guard row.value.role == .assistant, case .interrupted = row.value.body else { return nil }
            return row.value.id
        }
        return nil
    }
}
