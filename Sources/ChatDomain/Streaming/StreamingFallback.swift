// The whole reply in place of a stream that failed (S13), and the mapping from the end of a call to a `Reason`.
// A fallback is the last request of an asking: it is never retried.

extension Streaming {
    // MARK: The whole reply

    func fallBack(
        _ state: inout State, _ asking: Asking, _ access: Access, _ context: inout Context
    ) -> [Effect] {
        let attempt = context.nextAttempt()
        var asking = asking
        asking.flags = []  // the new reply has marks of its own
        state.phase = .waiting(asking, .fallingBack(attempt))
        return [
            .open(.fallback(attempt), .whole(asking.question, access.secret)),
            .start(.fallback, after: configuration.fallbackLimit),
        ]
    }

    func receiveWhole(
        _ state: inout State, _ event: Event, _ attempt: Attempt, _ context: Context
    ) -> [Effect] {
        guard case .waiting(var asking, .fallingBack(attempt)) = state.phase else { return [] }
        let closing: [Effect] = [.close(.fallback(attempt)), .cancel(.fallback)]
        switch event {
        case .whole(let text, let id, let usage):
            asking.take(id)
            guard !text.isBlank, text.byteCount <= configuration.replyTextLimit else {
                conclude(&state, asking, text.isBlank ? .empty : .tooLong, needsNewKey: text.isBlank, context)
                return closing
            }
            state.measures.duration = context.now - state.measures.started
            state.measures.timeToFirstToken = state.measures.timeToFirstToken ?? state.measures.duration
            state.measures.visibleUpdates = saturatingSum(state.measures.visibleUpdates, 1)
            finish(&state, asking, LongText(text), usage)
            return closing
        case .failed(let sentence):
            conclude(&state, asking, .reported(readable(sentence)), needsNewKey: true, context)
            return closing
        case .refused(let sentence):
            conclude(&state, asking, .reported(readable(sentence)), needsNewKey: false, context)
            return closing
        case .limited(let time):
            conclude(&state, asking, limit(time, context), needsNewKey: false, context)
            return closing
        case .flagged(let flags): asking.mark(with: flags)
        // The text of a whole reply that has ended early; the reason follows.
        case .token(let text):
            let partial = LongText(text.cut(toByteCount: configuration.replyTextLimit))
            if !partial.isBlank { asking.kept = .current(partial, asking.flags) }
        case .began, .done, .refreshed, .skipped: return []
        }
        state.phase = .waiting(asking, .fallingBack(attempt))
        return []
    }

    func fallbackEnded(
        _ state: inout State, _ attempt: Attempt, _ end: CallEnd, _ context: Context
    ) -> [Effect] {
        guard case .waiting(let asking, .fallingBack(attempt)) = state.phase else { return [] }
        conclude(&state, asking, reason(end, context), needsNewKey: false, context)
        return [.cancel(.fallback)]
    }

    func fallbackTimedOut(_ state: inout State, _ context: Context) -> [Effect] {
        guard case .waiting(let asking, .fallingBack(let attempt)) = state.phase else { return [] }
        conclude(&state, asking, .timedOut, needsNewKey: false, context)
        return [.close(.fallback(attempt))]
    }

    // MARK: Reasons

    func reason(_ end: CallEnd, _ context: Context) -> Reason {
        switch end {
        case .completed, .closed: .endedEarly
        case .refused(401, _, _): .signInAgain
        // A server that is down and demands no wait is down all the same: the next question waits for it (C8).
        case .refused(let status, let wait?, _) where wait > .zero || status == 429:
            .refused(status: status, until: context.wall + max(wait, .zero))
        case .refused(let status, _, _): .refused(status: status, until: nil)
        case .failed(.secretMissing): .signInFirst
        case .failed(let failure): .broken(failure)
        }
    }

    func limit(_ time: WallTime, _ context: Context) -> Reason {
        .refused(status: 429, until: max(time, context.wall))
    }

    func readable(_ sentence: ExactText) -> ExactText {
        sentence.cut(toByteCount: configuration.sentenceLimit).withoutControlCharacters.trimmed
    }
}
