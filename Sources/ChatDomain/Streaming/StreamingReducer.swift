// The transitions of one question: asked, asked again, ended locally. StreamingReceiving.swift handles the events of
// calls. Each answer carries its attempt; a step compares it with the attempt in the state, so a stale answer changes
// nothing (L1, L4). One asking sends its question at most twice (S8): again after a lost connection, with new
// credentials, or for the whole reply.

extension Streaming {
    /// Applies an action.
    public func reduce(_ state: inout State, _ action: Action, in context: inout Context) -> [Effect] {
        switch action {
        case .asked(let question, let kept): ask(&state, question, kept, &context)
        case .retried: retry(&state, &context)
        case .stopped: cancel(&state, .stopped, context)
        case .left, .backgrounded: cancel(&state, .left, context)
        case .dismissed: dismiss(&state, context)
        case .accessChanged(let access): changeAccess(&state, access, &context)

        case .received(.skipped, let call): skip(&state, call)
        case .received(let event, .stream(let attempt)): receive(&state, event, attempt, &context)
        case .received(let event, .fallback(let attempt)): receiveWhole(&state, event, attempt, context)
        case .received(let event, .refresh(let attempt)): receiveAccess(&state, event, attempt, &context)
        case .ended(.stream(let attempt), let end): streamEnded(&state, attempt, end, &context)
        case .ended(.fallback(let attempt), let end): fallbackEnded(&state, attempt, end, context)
        case .ended(.refresh(let attempt), let end): refreshEnded(&state, attempt, end, &context)
        case .stored: []

        case .timerFired(.batch): showBatch(&state)
        case .timerFired(.firstToken): firstTokenTimedOut(&state, &context)
        case .timerFired(.silence): silenceTimedOut(&state, &context)
        case .timerFired(.total): streamTimedOut(&state, &context)
        case .timerFired(.retry): askAgain(&state, &context)
        case .timerFired(.fallback): fallbackTimedOut(&state, context)
        case .timerFired(.refresh): refreshTimedOut(&state, &context)
        }
    }

    // MARK: Asking

    private func ask(
        _ state: inout State, _ question: Question, _ kept: LongText, _ context: inout Context
    ) -> [Effect] {
        let closing = closeAll(&state, context).effects
        let asking = Asking(question: question, kept: Kept(earlier: kept))
        return closing + begin(&state, asking, &context)
    }

    private func retry(_ state: inout State, _ context: inout Context) -> [Effect] {
        let unfinished: UnfinishedReply
        var kept = Kept.nothing
        switch state.phase {
        case .interrupted(let reply, let partial): (unfinished, kept) = (reply, Kept(earlier: partial.text))
        case .failed(let reply): unfinished = reply
        case .idle, .waiting, .streaming, .finished: return []
        }
        var asking = Asking(question: unfinished.question, kept: kept)
        asking.id = unfinished.id
        if unfinished.ending.needsNewKey { renew(&asking, &context) }
        return begin(&state, asking, &context)
    }

    /// A new key means a new reply: the server had accepted the question and then failed (S6).
    func renew(_ asking: inout Asking, _ context: inout Context) {
        asking.question.key = ClientID(context.entropy.uuid())
        asking.id = nil
    }

    private func begin(_ state: inout State, _ asking: Asking, _ context: inout Context) -> [Effect] {
        state.measures = Measures(started: context.now)
        guard let access = state.access else {
            conclude(&state, asking, .signInFirst, needsNewKey: false, context)
            return []
        }
        guard configuration.canRefresh, isExpiring(access, context) else {
            return openStream(&state, asking, access, &context)
        }
        return refresh(&state, asking, access, .expiry, &context)
    }

    private func isExpiring(_ access: Access, _ context: Context) -> Bool {
        guard let expires = access.expires else { return false }
        return expires - context.wall <= configuration.refreshMargin
    }

    private func openStream(
        _ state: inout State, _ asking: Asking, _ access: Access, _ context: inout Context
    ) -> [Effect] {
        let attempt = context.nextAttempt()
        let reply = OpenReply(attempt: attempt, growth: Growth(at: context.now))
        var asking = asking
        asking.flags = []  // the new reply has marks of its own
        state.phase = .waiting(asking, .open(reply))
        return [
            .open(.stream(attempt), .stream(asking.question, access.secret)),
            .start(.firstToken, after: configuration.firstTokenLimit),
            .start(.total, after: configuration.totalLimit),
        ]
    }

    private func askAgain(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard case .waiting(let asking, .backingOff) = state.phase, let access = state.access
        else { return [] }
        return openStream(&state, asking, access, &context)
    }

    // MARK: Credentials

    func refresh(
        _ state: inout State, _ asking: Asking, _ access: Access, _ cause: RefreshCause,
        _ context: inout Context
    ) -> [Effect] {
        let attempt = context.nextAttempt()
        state.phase = .waiting(asking, .refreshing(attempt, cause))
        return [
            .open(.refresh(attempt), .refreshCredentials(access.secret)),
            .start(.refresh, after: configuration.refreshLimit),
        ]
    }

    private func receiveAccess(
        _ state: inout State, _ event: Event, _ attempt: Attempt, _ context: inout Context
    ) -> [Effect] {
        guard case .waiting(let asking, .refreshing(attempt, _)) = state.phase,
            case .refreshed(let access) = event
        else { return [] }
        state.access = access
        return askWithRenewed(access, &state, asking, endingRefresh: attempt, &context)
    }

    /// Ends the refresh, and asks with the new credentials, whoever brought them.
    private func askWithRenewed(
        _ access: Access, _ state: inout State, _ asking: Asking, endingRefresh attempt: Attempt,
        _ context: inout Context
    ) -> [Effect] {
        var asking = asking
        asking.mayRefresh = false
        return [.close(.refresh(attempt)), .cancel(.refresh)] + openStream(&state, asking, access, &context)
    }

    private func refreshEnded(
        _ state: inout State, _ attempt: Attempt, _ end: CallEnd, _ context: inout Context
    ) -> [Effect] {
        guard case .waiting(let asking, .refreshing(attempt, let cause)) = state.phase else { return [] }
        // A broken connection says nothing about the credentials.
        let why = if case .failed = end { reason(end, context) } else { Reason.signInAgain }
        return [.cancel(.refresh)] + refreshFailed(&state, asking, cause, why, &context)
    }

    private func refreshTimedOut(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard case .waiting(let asking, .refreshing(let attempt, let cause)) = state.phase else { return [] }
        return [.close(.refresh(attempt))] + refreshFailed(&state, asking, cause, .signInAgain, &context)
    }

    /// Ends a wait for new credentials: old ones that only expire soon may still work, refused ones do not.
    private func refreshFailed(
        _ state: inout State, _ asking: Asking, _ cause: RefreshCause, _ why: Reason,
        _ context: inout Context
    ) -> [Effect] {
        switch cause {
        case .expiry:
            guard let access = state.access else { return [] }
            return openStream(&state, asking, access, &context)
        case .refusal:
            conclude(&state, asking, why, needsNewKey: false, context)
            return []
        }
    }

    /// A call in flight keeps its credentials. A question that waits for new ones continues with these.
    private func changeAccess(_ state: inout State, _ access: Access?, _ context: inout Context) -> [Effect] {
        guard access != state.access else { return [] }
        guard let access else {
            let closing = closeAll(&state, context).effects
            state = State()
            return closing
        }
        state.access = access
        guard case .waiting(let asking, .refreshing(let attempt, _)) = state.phase else { return [] }
        return askWithRenewed(access, &state, asking, endingRefresh: attempt, &context)
    }

    // MARK: Local ends

    /// Ends the reply at once and silently; its text stays (S10, S11, L7).
    private func cancel(_ state: inout State, _ reason: Reason, _ context: Context) -> [Effect] {
        let (asking, effects) = closeAll(&state, context)
        guard let asking else { return [] }
        conclude(&state, asking, reason, needsNewKey: false, context)
        return effects
    }

    private func dismiss(_ state: inout State, _ context: Context) -> [Effect] {
        let effects = closeAll(&state, context).effects
        state.phase = .idle
        return effects
    }

    func finish(_ state: inout State, _ asking: Asking, _ text: LongText, _ usage: Usage?) {
        state.phase = .finished(
            FinishedReply(
                question: asking.question, id: asking.id, text: text, flags: asking.flags, usage: usage))
    }

    func conclude(
        _ state: inout State, _ asking: Asking, _ reason: Reason, needsNewKey: Bool, _ context: Context
    ) {
        state.measures.duration = context.now - state.measures.started
        let ending = ReplyEnding(asking.outcome(reason), needsNewKey: needsNewKey)
        let reply = UnfinishedReply(
            question: asking.question, id: asking.id,
            ending: ending.waiting(noLongerThan: context.wall + configuration.greatestToldWait))
        switch asking.kept {
        case .nothing where !reason.isCancel: state.phase = .failed(reply)
        case .nothing, .earlier, .current: state.phase = .interrupted(reply, asking.kept)
        }
    }

    /// Shows pending text first (S3). The caller sets the phase.
    private func closeAll(_ state: inout State, _ context: Context) -> (asking: Asking?, effects: [Effect]) {
        switch state.phase {
        case .idle, .finished, .interrupted, .failed: return (nil, [])
        case .streaming(var asking, var reply), .waiting(var asking, .open(var reply)):
            showAll(&state, &asking, &reply)
            return (asking, [.close(.stream(reply.attempt))] + Streaming.streamTimers)
        case .waiting(let asking, .refreshing(let attempt, _)):
            return (asking, [.close(.refresh(attempt)), .cancel(.refresh)])
        case .waiting(let asking, .backingOff): return (asking, [.cancel(.retry)])
        case .waiting(let asking, .fallingBack(let attempt)):
            return (asking, [.close(.fallback(attempt)), .cancel(.fallback)])
        }
    }

    static var streamTimers: [Effect] {
        [.cancel(.batch), .cancel(.firstToken), .cancel(.silence), .cancel(.total)]
    }
}
