// What the open calls bring, and what follows when they end (S2–S5, S7, S8, S12, S13, S15).
//
// While the reply changes it is taken out of the state and put back afterwards, so that its text is not
// shared and grows in place: a token costs the same however much has come.

extension Streaming {
    // MARK: The stream

    func receive(
        _ state: inout State, _ event: Event, _ attempt: Attempt, _ context: inout Context
    ) -> [Effect] {
        guard var open = Open(state.phase, attempt) else { return [] }
        state.phase = .idle
        switch event {
        case .began(let id):
            open.reply.isAccepted = true
            if let id { open.asking.id = id }
            return putBack(&state, open)
        case .token(let text):
            return grow(&state, &open, context) { $0.append(text, at: context.now) }
        case .replaced(let text):
            return grow(&state, &open, context) { $0.replace(text, at: context.now) }
        case .chunk(let index, let text, let isFinal):
            return takeChunk(&state, open, index, text, isFinal: isFinal, &context)
        case .done(let id, let usage):
            if let id { open.asking.id = id }
            return finishStream(&state, open, usage, &context)
        case .failed(let sentence):
            return [.close(.stream(attempt))]
                + breakOff(&state, open, .reported(readable(sentence)), &context)
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

    /// Adds text. The first of a reply ends the wait for it; the first of a batch starts the batch's timer.
    private func grow(
        _ state: inout State, _ open: inout Open, _ context: Context,
        _ add: (inout GrowingText) -> GrowingText.Taken
    ) -> [Effect] {
        open.reply.isAccepted = true
        let taken = add(&open.reply.text)
        guard taken != .nothing else { return putBack(&state, open) }
        count(&state, taken, &open)
        guard open.reply.text.byteCount <= configuration.replyTextLimit else {
            return cut(&state, open, context)
        }
        var effects: [Effect] = []
        if !open.hasBegun {
            open.hasBegun = true
            state.measures.timeToFirstToken = context.now - state.measures.started
            effects = [.cancel(.firstToken), .start(.silence, after: configuration.silenceLimit)]
        }
        if case .first = taken {
            effects.append(.start(.batch, after: TokenBatch.interval(configuration.batchInterval)))
        }
        return effects + putBack(&state, open)
    }

    private func count(_ state: inout State, _ taken: GrowingText.Taken, _ open: inout Open) {
        state.measures.tokens = saturatingSum(state.measures.tokens, 1)
        if case .displaced = taken {
            open.asking.kept = .nothing
            state.measures.visibleUpdates = saturatingSum(state.measures.visibleUpdates, 1)
        }
    }

    /// A reply that is too long ends as it is (C21).
    private func cut(_ state: inout State, _ open: Open, _ context: Context) -> [Effect] {
        var open = open
        showAll(&state, &open.asking, &open.reply)
        conclude(&state, open.asking, .tooLong, needsNewID: false, context)
        return [.close(.stream(open.reply.attempt))] + Streaming.streamTimers
    }

    /// Takes a numbered part: what it completes grows like tokens, what came too early waits (S15).
    private func takeChunk(
        _ state: inout State, _ open: Open, _ index: Int64, _ text: ExactText, isFinal: Bool,
        _ context: inout Context
    ) -> [Effect] {
        var open = open
        open.reply.isAccepted = true
        let hadGap = open.reply.order.hasGap
        switch open.reply.order.accept(text, at: index, byteCount: text.byteCount, isFinal: isFinal) {
        case .duplicate, .ignored:
            return putBack(&state, open)
        case .waiting:
            return (hadGap ? [] : [.start(.gap, after: configuration.gapLimit)]) + putBack(&state, open)
        case .overflow:
            return [.close(.stream(open.reply.attempt))] + breakOff(&state, open, .gap, &context)
        case .ready(let run, let completes):
            var effects: [Effect] = []
            if open.reply.order.hasGap {
                effects = [.start(.gap, after: configuration.gapLimit)]
            } else if hadGap {
                effects = [.cancel(.gap)]
            }
            putBackSilently(&state, open)
            for part in run {
                // The part before may have been one too many (C21).
                guard var open = Open(state.phase, open.reply.attempt) else { return effects }
                state.phase = .idle
                effects += grow(&state, &open, context) { $0.append(part, at: context.now) }
            }
            guard completes, let open = Open(state.phase, open.reply.attempt) else { return effects }
            return effects + finishStream(&state, open, nil, &context)
        }
    }

    /// The server says that this is all. It is not, when a numbered part is missing, which the final one may be
    /// too, or when there is nothing.
    private func finishStream(
        _ state: inout State, _ open: Open, _ usage: Usage?, _ context: inout Context
    ) -> [Effect] {
        var open = open
        let closing: [Effect] = [.close(.stream(open.reply.attempt))]
        guard !open.reply.order.isUnfinished else { return closing + breakOff(&state, open, .gap, &context) }
        showAll(&state, &open.asking, &open.reply)
        let text = open.reply.text.shown
        guard !text.isEmpty else { return closing + breakOff(&state, open, .empty, &context) }
        state.measures.duration = context.now - state.measures.started
        finish(&state, open.asking.question, open.asking.id, text, usage)
        return closing + Streaming.streamTimers
    }

    /// Shows what has gathered. The deadlines of the stream run on: no effect follows.
    func showBatch(_ state: inout State) -> [Effect] {
        guard case .streaming(var asking, var reply) = state.phase else { return [] }
        state.phase = .idle
        if reply.text.flush() {
            asking.kept = .nothing
            state.measures.visibleUpdates = saturatingSum(state.measures.visibleUpdates, 1)
        }
        state.phase = .streaming(asking, reply)
        return []
    }

    /// Shows what is pending, and keeps what has come where a later reply or the end finds it (S3).
    func showAll(_ state: inout State, _ asking: inout Asking, _ reply: inout OpenReply) {
        if reply.text.flush() {
            asking.kept = .nothing
            state.measures.visibleUpdates = saturatingSum(state.measures.visibleUpdates, 1)
        }
        if !reply.text.shown.isEmpty { asking.kept = .current(reply.text.shown) }
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
            asking.mayAskAgain = false
            return Streaming.streamTimers + refresh(&state, asking, access, .refusal, &context)
        }
        return breakOff(&state, open, reason(end, context), &context)
    }

    func firstTokenTimedOut(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard case .waiting(_, .open) = state.phase else { return [] }
        return streamTimedOut(&state, .timedOut, &context)
    }

    /// Text that has come since the first does not start the timer anew; what is left of the silence after the
    /// last of it is waited for here (S7).
    func silenceTimedOut(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard case .streaming(_, let reply) = state.phase else { return [] }
        let silent = context.now - reply.text.lastArrival
        guard silent >= configuration.silenceLimit else {
            return [.start(.silence, after: configuration.silenceLimit - silent)]
        }
        return streamTimedOut(&state, .timedOut, &context)
    }

    func gapTimedOut(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard let open = Open(state.phase), open.reply.order.hasGap else { return [] }
        return streamTimedOut(&state, .gap, &context)
    }

    func streamTimedOut(_ state: inout State, _ reason: Reason, _ context: inout Context) -> [Effect] {
        guard let open = Open(state.phase) else { return [] }
        return [.close(.stream(open.reply.attempt))] + breakOff(&state, open, reason, &context)
    }

    /// The stream is over and not complete: ask for the whole reply (S13), ask again (S8), or say so (S4, S5).
    private func breakOff(
        _ state: inout State, _ open: Open, _ reason: Reason, _ context: inout Context
    ) -> [Effect] {
        var (asking, reply) = (open.asking, open.reply)
        showAll(&state, &asking, &reply)
        let needsNewID = reply.isAccepted && reason.isReported
        let effects = Streaming.streamTimers
        if configuration.hasFallback {
            guard asking.mayAskAgain, reason.allowsFallback, let access = state.access else {
                conclude(&state, asking, reason, needsNewID: needsNewID, context)
                return effects
            }
            if needsNewID { renew(&asking, &context) }
            return effects + fallBack(&state, asking, access, &context)
        }
        guard asking.mayAskAgain, reason.allowsRetry, !open.hasBegun else {
            conclude(&state, asking, reason, needsNewID: needsNewID, context)
            return effects
        }
        asking.mayAskAgain = false
        state.phase = .waiting(asking, .backingOff)
        return effects + [.start(.retry, after: configuration.retryDelay)]
    }

    // MARK: The open reply

    /// An open stream, taken out of the phase.
    private struct Open {
        var asking: Asking
        var reply: OpenReply
        /// Whether text of it has come.
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
    }

    private func putBack(_ state: inout State, _ open: Open) -> [Effect] {
        putBackSilently(&state, open)
        return []
    }

    private func putBackSilently(_ state: inout State, _ open: Open) {
        state.phase =
            open.hasBegun
            ? .streaming(open.asking, open.reply) : .waiting(open.asking, .open(open.reply))
    }
}

extension Streaming.Phase {
    /// The call that is open.
    public var call: Streaming.Call? {
        switch self {
        case .waiting(_, .open(let reply)), .streaming(_, let reply): .stream(reply.attempt)
        case .waiting(_, .refreshing(let attempt, _)): .refresh(attempt)
        case .waiting(_, .fallingBack(let attempt)): .fallback(attempt)
        case .idle, .waiting(_, .backingOff), .finished, .interrupted, .failed: nil
        }
    }
}

extension Streaming.Reason {
    fileprivate var isReported: Bool {
        if case .reported = self { true } else { false }
    }
}
