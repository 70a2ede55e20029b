// What stands in the way of all questions, where each has a stream of its own (C2, S9): no network, credentials that
// are not accepted, or a server that wants to wait. It is told once, by the question that has met it; those behind it
// wait, in every conversation, and go on when it may be gone.

extension Chat {
    // MARK: In the way

    /// The server has said when it takes the next question: until then nothing is asked (S9). Nor is it
    /// without credentials that it accepts, where one refusal says enough, or without a network; the timer is
    /// for devices that never say “network up”.
    func pause(_ state: inout State, _ ending: Streaming.Ending, _ context: Context) -> [Effect] {
        switch (ending.reason, state.obstacle) {
        case (.signInFirst, _), (.signInAgain, _):
            state.obstacle = .credentialsRefused
            return []
        case (.broken(.offline), nil), (.broken(.offline), .offline):
            state.obstacle = .offline
            return [.start(.reconnect, after: configuration.backoff.greatest)]
        default: break
        }
        var until = ending.reason.waitUntil.flatMap { $0 > context.wall ? $0 : nil }
        // A server that names no time, or one that has passed by this clock, is left alone all the same, or all
        // that is queued would be refused, one after the other.
        if until == nil, case .refused(429, _) = ending.reason {
            until = context.wall + configuration.toldWaitLimit
        }
        guard let until else { return [] }
        state.sending.pause(until: context.now + (until - context.wall))
        return [.start(.rate, after: until - context.wall)]
    }

    // MARK: Gone, perhaps

    /// There may be a network again, by the word of the device or of the person, or because time has passed
    /// (C2).
    func lookForNetwork(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard case .offline = state.obstacle else { return goOnAsking(&state, &context) }
        state.obstacle = nil
        return [.cancel(.reconnect)] + goOnAsking(&state, &context)
    }

    /// The person looks at the chat anew, or asks for it: what stood in the way is tried once more.
    func lookAnew(_ state: inout State, _ context: inout Context) -> [Effect] {
        state.forgetRefusal()
        return lookForNetwork(&state, &context)
    }

    /// There is a network, the view is there again, or the server may be asked again: what waits goes on.
    func goOnAsking(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard state.mayAsk else { return [] }
        state.sending.forget(at: context.now)
        let paused = state.sending.pausedUntil.map { Effect.start(.rate, after: $0 - context.now) }
        return (paused.map { [$0] } ?? []) + flushAll(&state, &context)
    }

    /// The next message may be sent (C8).
    func rateAllows(_ state: inout State, _ context: inout Context) -> [Effect] {
        state.conversation.stream == nil ? flushAll(&state, &context) : goOnAsking(&state, &context)
    }

    // MARK: Credentials

    /// What one question has had made new reaches the later ones everywhere, and those that wait for it (S9).
    func takeAccess(
        _ state: inout State, _ access: Streaming.Access?, _ context: inout Context
    ) -> [Effect] {
        guard let account = state.account, let access, access != account.access else { return [] }
        state.account = account.renewed(access)
        return shareAccess(&state, &context)
    }

    func shareAccess(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard state.conversation.stream != nil, let access = state.account?.access else { return [] }
        let shared = atEach(&state, &context) { self.toStream(&$0, .accessChanged(access), &$1) }
        return state.forgetRefusal() ? shared + goOnAsking(&state, &context) : shared
    }
}

extension Chat.State {
    /// Whether a question may be asked, as far as the device knows.
    var mayAsk: Bool { accountToConnect != nil && isNetworkUp && obstacle == nil }

    /// The person wants a question to be tried, whatever was in the way. Returns whether credentials were: then
    /// all conversations have waited.
    mutating func forgetObstacle() -> Bool {
        let isRefused = forgetRefusal()
        obstacle = nil
        return isRefused
    }

    /// The credentials may be accepted now. Returns whether they were not.
    @discardableResult
    fileprivate mutating func forgetRefusal() -> Bool {
        guard case .credentialsRefused = obstacle else { return false }
        obstacle = nil
        return true
    }
}
