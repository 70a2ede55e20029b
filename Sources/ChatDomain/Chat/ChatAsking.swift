// Where each question has a stream of its own (SPEC section 3, C15, S1–S13): how a message of the outbox becomes
// a question, and what its reply leaves in the transcript. There is no connection: a question needs an account
// and a network, and one at a time runs in a conversation.
//
//     queued ──first, saved, no reply runs──▶ asked ──taken by the server──▶ accepted ──text──▶ delivered
//        ▲                                      │                               │                  │
//        └──────retried───── failed ◀───────────┴── over, and nothing has come ─┘    reply: finished, interrupted
//
// The growing itself is streaming's to decide (Streaming/). What is told of it here is read off its state, before
// and after each step of it: so nothing is known twice. `flush` in ChatSending.swift says when the next may go.

extension Chat {
    private var streaming: Streaming {
        switch configuration.carriage {
        case .streams(let configuration): Streaming(configuration: configuration)
        case .socket: Streaming()
        }
    }

    // MARK: Asking

    /// Asks what has just left the queue.
    func ask(_ state: inout State, _ entry: OutboxEntry, _ context: inout Context) -> [Effect] {
        guard entry.attachments.isEmpty else { return refuseFiles(&state, entry.client, &context) }
        guard let account = state.account,
            let ordinal = state.conversation.transcript.ordinal(of: entry.client)
        else { return rejected(&state, entry.client, "", &context) }
        let question = Streaming.Question(
            conversation: state.conversation.id, client: entry.client, text: entry.text,
            purpose: .message(isFirst: state.conversation.isFirst(ordinal)),
            earlier: earlier(state.conversation, before: ordinal), person: account.user)
        state.conversation.forgetDeletedReply(to: entry.client)
        let kept = state.conversation.partial(of: entry.client)
        return toStream(&state, .accessChanged(account.access), &context)
            + toStream(&state, .asked(question, keeping: kept), &context)
    }

    /// A question is text alone. One with files was written while something else carried the conversations.
    private func refuseFiles(
        _ state: inout State, _ client: ClientID, _ context: inout Context
    ) -> [Effect] {
        state.setStatus(of: client, to: .failed(.filesNotTaken))
        return leaveQueue(&state, client, &context) + flush(&state, &context)
    }

    /// What was said before a question, as far as there is room, for backends that remember nothing. It begins
    /// with the person, as models expect.
    private func earlier(_ conversation: Conversation, before ordinal: Int64) -> [Streaming.Turn] {
        var turns: [Streaming.Turn] = []
        var room = configuration.earlierByteLimit
        for row in conversation.transcript.rows.newestFirst(before: ordinal) {
            guard Int64(turns.count) < configuration.earlierTurnLimit else { break }
            guard let text = row.value.said else { continue }
            guard text.byteCount <= room else { break }
            room -= text.byteCount
            turns.append(Streaming.Turn(role: row.value.role, text: ExactText(text.string)))
        }
        while let oldest = turns.last, oldest.role != .user { turns.removeLast() }
        turns.reverse()
        return turns
    }

    // MARK: Ending it from here

    /// The view was left or the app is no longer in front: no reply goes on (S11).
    func leaveStreams(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard state.conversation.stream != nil else { return [] }
        return atEach(&state, &context) { self.toStream(&$0, .left, &$1) }
    }

    /// The person no longer wants the reply of which nothing can be seen yet (S10).
    func stopAsking(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard state.conversation.stream?.isTyping == true else { return [] }
        return toStream(&state, .stopped, &context)
    }

    /// The person has read enough of the reply of that name (S10).
    func stopAsking(_ state: inout State, _ id: MessageID, _ context: inout Context) -> [Effect] {
        guard state.conversation.replyThatRuns == id else { return [] }
        return toStream(&state, .stopped, &context)
    }

    /// The person no longer wants to see a row: if it is a question, or the reply to it, that is no longer
    /// wanted either.
    func stopAsking(_ state: inout State, _ ordinal: Int64, _ context: inout Context) -> [Effect] {
        guard let client = state.conversation.transcript[ordinal]?.client,
            state.conversation.isAsking(client.question ?? client)
        else { return [] }
        return toStream(&state, .stopped, &context)
    }

    // MARK: What becomes of it

    /// Lets the stream of the conversation go one step, and does here what follows from it.
    func toStream(
        _ state: inout State, _ action: Streaming.Action, _ context: inout Context
    ) -> [Effect] {
        // It is taken out while it changes, so that its text is not shared and grows in place.
        guard var stream = state.conversation.stream else { return [] }
        state.conversation.stream = nil
        let before = Glimpse(stream)
        let id = state.conversation.id
        let effects: [Effect] = streaming.reduce(&stream, action, in: &context).map { effect in
            effect.map(call: { .stream(id, $0) }, request: { .ask($0) }, timer: { .stream(id, $0) })
        }
        let after = Glimpse(stream)
        let access = stream.access
        state.conversation.stream = stream
        if case .asked = action {
            return after.isRunning ? effects : effects + streamEnded(&state, &context)
        }
        guard before != after else { return effects }
        return effects + follow(&state, from: before, to: after, &context)
            + takeAccess(&state, access, &context)
    }

    /// What of a stream says that something follows here.
    private struct Glimpse: Equatable {
        let client: ClientID?
        let asked: ClientID?
        let isRunning: Bool
        let isAccepted: Bool
        let visibleUpdates: Int64
        let access: Streaming.Access?

        init(_ stream: Streaming.State) {
            client = stream.question?.origin
            asked = stream.question?.client
            isRunning = stream.isRunning
            isAccepted = stream.isAccepted
            visibleUpdates = stream.measures.visibleUpdates
            access = stream.access
        }
    }

    private func follow(
        _ state: inout State, from before: Glimpse, to after: Glimpse, _ context: inout Context
    ) -> [Effect] {
        guard after.isRunning else { return before.isRunning ? streamEnded(&state, &context) : [] }
        guard let client = after.client, let asked = after.asked else { return [] }
        if after.visibleUpdates != before.visibleUpdates { showReply(&state, to: client, context) }
        if asked != before.asked { return goesUnder(&state, asked, insteadOf: client, &context) }
        return after.isAccepted && !before.isAccepted ? accepted(&state, client, &context) : []
    }

    /// The server had taken the question and then failed, and is asked once more under another id (S13). The
    /// record of the outbox names that one, so that whoever asks again after a relaunch asks under it (L6).
    private func goesUnder(
        _ state: inout State, _ asked: ClientID, insteadOf client: ClientID, _ context: inout Context
    ) -> [Effect] {
        guard let ordinal = state.conversation.transcript.ordinal(of: client),
            let message = state.conversation.transcript[ordinal], case .text(let text) = message.body
        else { return [] }
        let entry = OutboxEntry(
            client: asked, text: ExactText(text.string), written: message.time, wasSent: true,
            replaces: client)
        return changeOutbox(&state, &context) { conversation, revision in
            conversation.renamed = revision
            conversation.outbox.forgetRefused(client)
            conversation.outbox.keepRefused(entry)
        }
    }

    /// The server has taken the question.
    private func accepted(
        _ state: inout State, _ client: ClientID, _ context: inout Context
    ) -> [Effect] {
        guard state.conversation.outbox.clientInFlight == client else { return [] }
        state.setStatus(of: client, to: .accepted)
        return leaveQueue(&state, client, &context)
    }

    /// Text of the reply is in view, and stands in a row from now on.
    private func showReply(_ state: inout State, to client: ClientID, _ context: Context) {
        guard state.conversation.stream?.inView.isEmpty == false else { return }
        if state.conversation.transcript.ordinal(of: client.reply) == nil {
            setReply(&state, to: client, .growing, context)
        }
        guard let ordinal = state.conversation.transcript.ordinal(of: client),
            state.conversation.transcript[ordinal]?.status != .delivered
        else { return }
        state.setStatus(of: client, to: .delivered)
    }

    private func streamEnded(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard let phase = state.conversation.stream?.phase else { return [] }
        switch phase {
        case .idle, .waiting, .streaming: return []
        case .finished(let reply):
            let client = reply.question.origin
            setReply(&state, to: client, .text(reply.text), context)
            if let id = reply.id, let ordinal = state.conversation.transcript.ordinal(of: client.reply) {
                state.conversation.transcript.name(ordinal, id)
            }
            return answered(&state, client, &context)
        case .interrupted(let ending, let partial) where !partial.isEmpty:
            let ending = ending.waiting(noLongerThan: context.wall + configuration.greatestToldWait)
            let client = nameAsAsked(&state, ending)
            let body = Message.Body.interrupted(
                partial, .ended(ending.reason, needsNewID: ending.needsNewID))
            setReply(&state, to: client, body, context)
            return pause(&state, ending, context) + answered(&state, client, &context)
        case .interrupted(let ending, _), .failed(let ending):
            let ending = ending.waiting(noLongerThan: context.wall + configuration.greatestToldWait)
            return pause(&state, ending, context) + unanswered(&state, ending, &context)
        }
    }

    /// Something of a reply has come, and so the server has the question.
    private func answered(
        _ state: inout State, _ client: ClientID, _ context: inout Context
    ) -> [Effect] {
        state.setStatus(of: client, to: .delivered)
        return leaveQueue(&state, client, &context) + flush(&state, &context)
    }

    /// Nothing has come: that is said where the question stands (S4).
    private func unanswered(
        _ state: inout State, _ ending: Streaming.Ending, _ context: inout Context
    ) -> [Effect] {
        let client = nameAsAsked(&state, ending)
        state.setStatus(
            of: client, to: .failed(.ended(ending.reason, needsNewID: ending.needsNewID)))
        return leaveQueue(&state, client, &context) + flush(&state, &context)
    }

    /// From here on the question is known by the id under which it was asked last: what becomes of that one
    /// may not be known, and it goes again under it (S6, L6).
    private func nameAsAsked(_ state: inout State, _ ending: Streaming.Ending) -> ClientID {
        let (origin, client) = (ending.question.origin, ending.question.client)
        if client != origin, let ordinal = state.conversation.transcript.ordinal(of: origin) {
            state.conversation.rename(ordinal, from: origin, to: client)
        }
        return client
    }

    /// What becomes of a message is shown in the transcript. Nobody replays it, so its entry stays in the record
    /// of the outbox until the transcript is stored (L5).
    private func leaveQueue(
        _ state: inout State, _ client: ClientID, _ context: inout Context
    ) -> [Effect] {
        let outgoing = state.conversation.outbox.queue.elements.first { $0.id == client }
        guard let outgoing else { return [] }
        state.conversation.outbox.keepRefused(outgoing.entry)
        return dequeue(&state, client, &context)
    }

    /// Gives the reply to a question its row behind that, or changes it there. A question that is asked again
    /// keeps its place, and so its reply stands there too (S6, C16).
    private func setReply(
        _ state: inout State, to client: ClientID, _ body: Message.Body, _ context: Context
    ) {
        if let ordinal = state.conversation.transcript.ordinal(of: client.reply) {
            return state.conversation.transcript.update(ordinal) { $0.body = body }
        }
        let reply = Message(client: client.reply, role: .assistant, body: body, time: context.wall)
        if let question = state.conversation.transcript.ordinal(of: client) {
            state.conversation.transcript.insert(reply, behind: question)
        } else {
            state.conversation.transcript.insert(reply)
        }
        arrived(&state)
        trim(&state)
    }

}

extension Streaming.State {
    /// Whether the server has taken the question, by the call that is open.
    fileprivate var isAccepted: Bool {
        switch phase {
        case .waiting(_, .open(let reply)): reply.isAccepted
        case .streaming: true
        case .idle, .waiting, .finished, .interrupted, .failed: false
        }
    }
}
