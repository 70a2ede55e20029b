// The path of a question from the queue to the network (A2–A4, A8). Only `ask` decides whether the head can be asked;
// it runs after each change that may allow it.

extension Assistant {
    func enqueue(_ state: inout State, _ question: Question, _ context: inout Context) -> [Effect] {
        state.conversation?.queue.append(question)
        state.conversation?.updated = context.wall
        return state.conversation?.queue.count == 1 ? ask(&state, &context) : []
    }

    /// Asks a question again, in its place (A4). A failed one goes to the end and ends a pause.
    func retry(_ state: inout State, _ id: QuestionID, _ context: inout Context) -> [Effect] {
        guard let head = state.conversation?.queue.head, head.question.id == id else {
            return retryFailed(&state, id, &context)
        }
        return insist(&state, &context)
    }

    private func retryFailed(_ state: inout State, _ id: QuestionID, _ context: inout Context) -> [Effect] {
        guard let conversation = state.conversation, conversation.hasFailed(id) else { return [] }
        guard conversation.queue.count < configuration.queueLimit else {
            state.conversation?.refusal = .queueFull
            return []
        }
        guard let question = state.conversation?.takeFailed(id) else { return [] }
        state.conversation?.refusal = nil
        let effects = enqueue(&state, question, &context)
        // The only question was asked just now, or has met its obstacle.
        return conversation.queue.head == nil ? effects : effects + insist(&state, &context)
    }

    private func insist(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard case .paused(let obstacle) = state.conversation?.queue.head?.stage else { return [] }
        return resume(&state, from: obstacle, &context)
    }

    func resume(_ state: inout State, from obstacle: Obstacle, _ context: inout Context) -> [Effect] {
        guard state.conversation?.queue.head?.stage == .paused(obstacle) else { return [] }
        state.conversation?.queue.setStage(.awaitingSlot)
        return ask(&state, &context)
    }

    /// Asks the head, or sets the timer or the obstacle that it waits for.
    func ask(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard let conversation = state.conversation, let head = conversation.queue.head,
            head.stage == .awaitingSlot
        else { return [] }
        guard let account = state.account else { return pause(&state, .notSignedIn) }
        guard state.isNetworkUp else { return pause(&state, .offline) }
        guard !state.isRestoring else { return [] }
        switch state.asking.admit(at: context.now) {
        case .wait(until: .never): return fail(&state, .unavailable, &context)  // no timer would end this
        case .wait(let until): return [.start(.slot, after: until - context.now)]
        case .now: break
        }
        let attempt = context.nextAttempt()
        state.conversation?.queue.setStage(.asking(Asking(attempt: attempt, since: context.now)))
        let counted = state.asking.admissions.isEmpty ? [] : keepPacing(&state, &context)
        return counted + [
            .open(
                .ask(attempt),
                .ask(
                    head.question.text, conversation: conversation.id, user: account.user,
                    secret: account.secret)),
            .start(.notice, after: configuration.noticeDelay),
            .start(.answer, after: configuration.answerLimit),
        ]
    }

    func pause(_ state: inout State, _ obstacle: Obstacle) -> [Effect] {
        state.measures.failures.count(obstacle)
        state.conversation?.queue.setStage(.paused(obstacle))
        if obstacle == .notSignedIn { state.conversation?.logIn = .wanted }
        return []
    }

    // MARK: Deadlines

    func sayThatItTakesLong(_ state: inout State) -> [Effect] {
        guard var asking = state.conversation?.queue.asking else { return [] }
        asking.patience = .stillThinking
        state.conversation?.queue.setStage(.asking(asking))
        return []
    }

    func giveUp(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard let asking = state.conversation?.queue.asking else { return [] }
        return [.close(.ask(asking.attempt))] + Assistant.askingTimers + fail(&state, .timedOut, &context)
    }
}
