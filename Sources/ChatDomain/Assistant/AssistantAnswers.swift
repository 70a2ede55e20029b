// The answers to the question in flight (A5, A6, A8). An answer of another attempt changes nothing (L4). The question
// is answered, fails or is deferred, and the next one is asked; or an obstacle pauses the queue.

extension Assistant {
    func received(
        _ state: inout State, _ event: Event, _ attempt: Attempt, _ context: inout Context
    ) -> [Effect] {
        guard let asking = state.conversation?.queue.asking, asking.attempt == attempt else { return [] }
        let over = [.close(.ask(attempt))] + Assistant.askingTimers
        switch event {
        case .answered(let text, let id, let time, let tokens):
            guard let id, isValid(id), !text.trimmed.isEmpty else {
                return over + fail(&state, .other, &context)
            }
            let kept = text.cut(toByteCount: configuration.answerTextLimit)
            let answer = Answer(
                text: kept, isWhole: kept.byteCount == text.byteCount, time: time ?? context.wall,
                responseTime: context.now - asking.since, tokens: tokens.flatMap { $0 < 0 ? nil : $0 })
            return over + answered(&state, answer, id, &context)
        case .failed(let rejection): return over + apply(&state, consequence(of: rejection), &context)
        }
    }

    func ended(
        _ state: inout State, _ attempt: Attempt, _ end: CallEnd, _ context: inout Context
    ) -> [Effect] {
        guard let asking = state.conversation?.queue.asking, asking.attempt == attempt else { return [] }
        return Assistant.askingTimers + apply(&state, consequence(of: end), &context)
    }

    // MARK: Consequences

    private enum Consequence {
        case failure(Failure)
        case obstacle(Obstacle)
        case deferral(told: Interval?)
    }

    private func apply(
        _ state: inout State, _ consequence: Consequence, _ context: inout Context
    ) -> [Effect] {
        switch consequence {
        case .failure(let failure): fail(&state, failure, &context)
        case .obstacle(let obstacle): pause(&state, obstacle)
        case .deferral(let told): putOff(&state, told, &context)
        }
    }

    private func answered(
        _ state: inout State, _ answer: Answer, _ id: ConversationID, _ context: inout Context
    ) -> [Effect] {
        state.measures.responses.add(answer.responseTime)
        state.conversation?.messages.increment()
        if state.conversation?.id == nil { state.conversation?.id = id }
        return leaveQueue(&state, .answered(answer), &context)
    }

    func fail(_ state: inout State, _ failure: Failure, _ context: inout Context) -> [Effect] {
        state.measures.failures.count(failure)
        return leaveQueue(&state, .failed(failure), &context)
    }

    private func leaveQueue(_ state: inout State, _ ending: Ending, _ context: inout Context) -> [Effect] {
        guard let head = state.conversation?.queue.removeHead() else { return [] }
        state.conversation?.insert(FinishedQuestion(question: head.question, ending: ending))
        state.conversation?.updated = context.wall
        return ask(&state, &context)
    }

    /// Defers the question for as long as the server demands (A8); after too many deferrals it fails.
    private func putOff(_ state: inout State, _ wish: Interval?, _ context: inout Context) -> [Effect] {
        state.measures.failures.countExhaustion()
        let wait = wish.flatMap { $0 > .zero ? $0 : nil } ?? configuration.defaultPause
        state.asking.pause(until: context.now + min(wait, configuration.longestPause))
        let told = keepPacing(&state, &context)
        let deferrals = state.conversation?.queue.deferHead() ?? 0
        guard deferrals <= configuration.deferralLimit else {
            return told + fail(&state, .unavailable, &context)
        }
        return told + ask(&state, &context)
    }

    // MARK: Reasons

    private func consequence(of rejection: AssistantRefusal) -> Consequence {
        switch rejection {
        case .unauthenticated: .obstacle(.notSignedIn)
        case .exhausted(let retryAfter): .deferral(told: retryAfter)
        case .deadlineExceeded: .failure(.timedOut)
        case .unavailable: .failure(.unavailable)
        case .other(let sentence): .failure(refused(sentence))
        }
    }

    private func consequence(of end: CallEnd) -> Consequence {
        switch end {
        case .completed, .closed: .failure(.other)
        case .refused(let status, let retryAfter, let message):
            switch status {
            case 401: .obstacle(.notSignedIn)
            case 408: .failure(.timedOut)
            case 429: .deferral(told: retryAfter)
            case 500...599: .failure(.unavailable)
            default: .failure(refused(message))
            }
        case .failed(let failure):
            switch failure {
            case .offline: .obstacle(.offline)
            case .secretMissing: .obstacle(.notSignedIn)
            case .timedOut: .failure(.timedOut)
            case .unreachable, .lost: .failure(.unavailable)
            case .insecure, .tooLarge, .malformed, .recordMissing: .failure(.other)
            }
        }
    }

    private func refused(_ sentence: ExactText) -> Failure {
        let readable = sentence.cut(toByteCount: configuration.textLimit).withoutControlCharacters.trimmed
        return readable.isEmpty ? .other : .refused(readable)
    }

    /// Whether the text is an id: some servers send “error-saving” instead.
    private func isValid(_ id: ConversationID) -> Bool {
        id.isGenuine && !id.text.trimmed.isEmpty && id.text != "error-saving"
    }
}
