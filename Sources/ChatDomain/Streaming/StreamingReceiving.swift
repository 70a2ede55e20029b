// The events of open calls, and what follows their end (S2–S5, S7, S8, S12, S13). A changing reply is taken out of the
// state and put back afterwards: its text is uniquely referenced and grows in place, so a token costs the same at any
// length.

extension Streaming {
    // MARK: The stream

    func receive(
        _ state: inout State, _ event: Event, _ attempt: Attempt, _ context: inout Context
    ) -> [Effect] {
        guard var open = Open(state.phase, attempt) else { return [] }
        state.phase = .idle
        switch event {
        case .began(let id):
            open.accept()
            open.asking.take(id)
            return putBack(&state, open)
        case .token(let text): return grow(&state, &open, by: text, &context)
        case .flagged(let flags):
            open.asking.mark(with: flags)
            return putBack(&state, open)
        case .done(let id, let usage):
            open.accept()
            open.asking.take(id)
            return finishStream(&state, open, usage, &context)
        case .failed(let sentence):
            return [.close(.stream(attempt))]
                + breakOff(&state, open, .reported(readable(sentence)), &context)
        case .refused(let sentence):
            return [.close(.stream(attempt))]
                + giveUp(&state, open, .reported(readable(sentence)), context)
        case .limited(let time):
            return [.close(.stream(attempt))] + breakOff(&state, open, limit(time, context), &context)
        case .whole, .refreshed, .skipped:
            state.skipped.increment()
            return putBack(&state, open)
        }
    }

    func skip(_ state: inout State, _ call: Call) -> [Effect] {
        if state.phase.call == call { state.skipped.increment() }
        return []
    }

    private func grow(
        _ state: inout State, _ open: inout Open, by text: ExactText, _ context: inout Context
    ) -> [Effect] {
        open.accept()
        let limits = Growth.Limits(text: configuration.replyTextLimit, chunks: 0, chunkBytes: 0)
        let taken = open.reply.growth.take(.token(text), at: context.now, limits)
        var effects: [Effect] = []
        if taken.batch != .nothing {
            state.measures.tokens = saturatingSum(state.measures.tokens, 1)
            if case .displaced = taken.batch { countUpdate(&state, &open.asking) }
            if !open.hasBegun, !text.isBlank {
                open.hasBegun = true
                state.measures.timeToFirstToken = context.now - state.measures.started
                effects = [.cancel(.firstToken), .start(.silence, after: configuration.silenceLimit)]
            }
        }
        if case .first = taken.batch {
            effects.append(.start(.batch, after: TokenBatch.interval(configuration.batchInterval)))
        }
        guard taken.end == nil else {
            return effects + [.close(.stream(open.reply.attempt))] + giveUp(&state, open, .tooLong, context)
        }
        putBack(&state, open)
        return effects
    }

    private func countUpdate(_ state: inout State, _ asking: inout Asking) {
        asking.kept = .nothing
        state.measures.visibleUpdates = saturatingSum(state.measures.visibleUpdates, 1)
    }

    /// Finishes a reply that has text; one without text breaks off.
    private func finishStream(
        _ state: inout State, _ open: Open, _ usage: Usage?, _ context: inout Context
    ) -> [Effect] {
        var open = open
        let closing: [Effect] = [.close(.stream(open.reply.attempt))]
        showAll(&state, &open.asking, &open.reply)
        let text = open.reply.growth.shown
        guard !text.isBlank else { return closing + breakOff(&state, open, .empty, &context) }
        state.measures.duration = context.now - state.measures.started
        finish(&state, open.asking, text, usage)
        return closing + Streaming.streamTimers
    }

    func showBatch(_ state: inout State) -> [Effect] {
        guard var open = Open(state.phase) else { return [] }
        state.phase = .idle
        if open.reply.growth.flush() { countUpdate(&state, &open.asking) }
        return putBack(&state, open)
    }

    /// Shows all text, so that a later reply or the end keeps it (S3).
    func showAll(_ state: inout State, _ asking: inout Asking, _ reply: inout OpenReply) {
        if reply.growth.flush() { countUpdate(&state, &asking) }
        if !reply.growth.shown.isBlank { asking.kept = .current(reply.growth.shown, asking.flags) }
    }

    // MARK: The end of the stream

    func streamEnded(
        _ state: inout State, _ attempt: Attempt, _ end: CallEnd, _ context: inout Context
    ) -> [Effect] {
        guard let open = Open(state.phase, attempt) else { return [] }
        if case .refused(401, _, _) = end, !open.hasBegun, configuration.canRefresh, open.asking.mayRefresh,
            open.asking.mayAskAgain, let access = state.access
        {
            var asking = open.asking
            asking.extra = .used(after: .signInAgain)
            return Streaming.streamTimers + refresh(&state, asking, access, .refusal, &context)
        }
        return breakOff(&state, open, reason(end, context), &context)
    }

    func firstTokenTimedOut(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard case .waiting(_, .open) = state.phase else { return [] }
        return streamTimedOut(&state, &context)
    }

    /// Silence counts from the last token, whose arrival restarts no timer (S7).
    func silenceTimedOut(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard case .streaming(_, let reply) = state.phase else { return [] }
        if let rest = reply.growth.silence(at: context.now, limit: configuration.silenceLimit) {
            return [.start(.silence, after: rest)]
        }
        return streamTimedOut(&state, &context)
    }

    func streamTimedOut(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard let open = Open(state.phase) else { return [] }
        return [.close(.stream(open.reply.attempt))] + breakOff(&state, open, .timedOut, &context)
    }

    /// After an incomplete stream: the whole reply (S13), one retry (S8), or a reported end (S4, S5).
    private func breakOff(
        _ state: inout State, _ open: Open, _ reason: Reason, _ context: inout Context
    ) -> [Effect] {
        let isWorthwhile =
            configuration.hasFallback ? reason.allowsFallback : reason.allowsRetry && !open.hasBegun
        guard isWorthwhile, open.asking.mayAskAgain, let access = state.access else {
            return giveUp(&state, open, reason, context)
        }
        var (asking, reply) = (open.asking, open.reply)
        showAll(&state, &asking, &reply)
        asking.extra = .used(after: reason)
        guard configuration.hasFallback else {
            state.phase = .waiting(asking, .backingOff)
            return Streaming.streamTimers + [.start(.retry, after: configuration.retryDelay)]
        }
        if open.needsNewKey(after: reason) { renew(&asking, &context) }
        return Streaming.streamTimers + fallBack(&state, asking, access, &context)
    }

    private func giveUp(
        _ state: inout State, _ open: Open, _ reason: Reason, _ context: Context
    ) -> [Effect] {
        var (asking, reply) = (open.asking, open.reply)
        showAll(&state, &asking, &reply)
        conclude(&state, asking, reason, needsNewKey: open.needsNewKey(after: reason), context)
        return Streaming.streamTimers
    }

    // MARK: The open reply

    private struct Open {
        var asking: Asking
        var reply: OpenReply
        var hasBegun: Bool

        init?(_ phase: Phase) {
            switch phase {
            case .waiting(let asking, .open(let reply)):
                (self.asking, self.reply, hasBegun) = (asking, reply, false)
            case .streaming(let asking, let reply):
                (self.asking, self.reply, hasBegun) = (asking, reply, true)
            case .idle, .waiting, .finished, .interrupted, .failed: return nil
            }
        }

        init?(_ phase: Phase, _ attempt: Attempt) {
            self.init(phase)
            guard reply.attempt == attempt else { return nil }
        }

        /// The server has taken the question, so its conversation is not new there any more.
        mutating func accept() {
            guard !reply.isAccepted else { return }
            reply.isAccepted = true
            if case .message = asking.question.purpose { asking.question.purpose = .message(isFirst: false) }
        }

        /// Whether the server took the question and then failed it (S6).
        func needsNewKey(after reason: Reason) -> Bool { reply.isAccepted && reason.isServersFailure }
    }

    @discardableResult private func putBack(_ state: inout State, _ open: Open) -> [Effect] {
        state.phase =
            open.hasBegun ? .streaming(open.asking, open.reply) : .waiting(open.asking, .open(open.reply))
        return []
    }
}

extension Streaming.Phase {
    var call: Streaming.Call? {
        switch self {
        case .waiting(_, .open(let reply)), .streaming(_, let reply): .stream(reply.attempt)
        case .waiting(_, .refreshing(let attempt, _)): .refresh(attempt)
        case .waiting(_, .fallingBack(let attempt)): .fallback(attempt)
        case .idle, .waiting(_, .backingOff), .finished, .interrupted, .failed: nil
        }
    }
}

extension Streaming.Asking {
    /// How the asking has ended. An extra request without a network tells nothing of the request before it.
    func outcome(_ last: Streaming.Reason) -> Streaming.Reason {
        guard last == .broken(.offline), case .used(after: let first) = extra, first.mayHaveArrived
        else { return last }
        return first
    }

    mutating func take(_ id: MessageID?) {
        if let id, id.isGenuine { self.id = id }
    }

    /// Keeps at most 16 marks of 64 bytes; more have no use (L8).
    mutating func mark(with flags: [ExactText]) {
        self.flags = flags.prefix(16).map { $0.cut(toByteCount: 64) }
    }
}
