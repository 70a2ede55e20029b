// What of connecting outlives the process (SPEC section 1): when this device authenticated lately (C2), and how
// long the server wants to be left alone (C3), or to be sent no file (C14). Who relaunches connects no more often
// than who does not. It is stored as wall time, and clamped when it is read: no clock and no file holds a person
// up for longer than the rules allow, however often the app is launched meanwhile.

extension Chat {
    /// How the record of pacing stands to storage.
    public enum PacingStorage: DomainValue {
        /// Nothing was loaded yet, and nothing is saved.
        case unknown
        /// It is being loaded.
        case loading(Attempt)
        /// It is as stored, or about to be.
        case known
        /// What is stored cannot be read, and must not be overwritten.
        case unreadable
    }

    /// A server's wait that was stored counts for a day at most, whatever the clock says.
    private static let greatestStoredWait = Interval.hours(24)

    /// What the record tells as so near to what this process remembers is the same attempt: two are a second
    /// apart at least, because the backoff begins with one (C2).
    private static let recallTolerance = Interval.seconds(1)

    func loadPacing(_ state: inout State, of account: Account, _ context: inout Context) -> Effect {
        let attempt = context.nextAttempt()
        state.pacing = .loading(attempt)
        return .load(.pacing(account.user), attempt)
    }

    /// What was stored is recalled besides what this process has done itself.
    func pacingStored(
        _ state: inout State, _ answer: StorageAnswer<Record>, _ attempt: Attempt, _ context: inout Context
    ) -> [Effect] {
        guard case .loading(attempt) = state.pacing else { return [] }
        state.pacing = .known
        var effects: [Effect] = []
        switch answer {
        case .loaded(.pacing(let record, let uploads)):
            effects = recall(record, uploadsNotBefore: uploads, &state, &context)
        // Only a damaged record was set aside, so that saving overwrites nothing.
        case .failed(let failure) where failure != .damaged: state.pacing = .unreadable
        case .missing, .failed: effects = recall(Pacing(asked: []), uploadsNotBefore: nil, &state, &context)
        case .loaded, .saved, .erased: break
        }
        return effects + restoredAll(&state, &context)
    }

    /// Recalls what an earlier process did. It is saved anew at once where that says something else: what this
    /// one has done before it knew, and a wait that was clamped, or each launch would begin a day of its own.
    private func recall(
        _ record: Pacing, uploadsNotBefore: WallTime?, _ state: inout State, _ context: inout Context
    ) -> [Effect] {
        let own = state.authentications
        let asked = record.events(in: context).filter { past in
            !own.admissions.contains { past < $0 + Chat.recallTolerance && $0 < past + Chat.recallTolerance }
        }
        state.authentications = Throttle(
            configuration.authentications, recalling: own.admissions + asked, at: context.now)
        if let pause = own.pausedUntil { state.authentications.pause(until: pause) }
        let (wait, uploadWait) = (
            context.rest(of: record.notBefore, atMost: Chat.greatestStoredWait),
            context.rest(of: uploadsNotBefore, atMost: Chat.greatestStoredWait)
        )
        if wait > .zero { state.authentications.pause(until: context.now + wait) }
        if uploadWait > .zero { state.uploads.pause(until: context.now + uploadWait) }
        let isClamped = max(wait, uploadWait) == Chat.greatestStoredWait
        let hasOwn = !own.admissions.isEmpty || own.pausedUntil != nil
        return hasOwn || isClamped ? savePacing(state, &context) : []
    }

    /// Keeps what the next process must know. Nobody waits for it.
    func savePacing(_ state: State, _ context: inout Context) -> [Effect] {
        guard let account = state.account, case .known = state.pacing else { return [] }
        let record = Record.pacing(
            Pacing(of: state.authentications, in: context),
            uploadsNotBefore: Pacing(of: state.uploads, in: context).notBefore)
        return [.save(record, under: .pacing(account.user), context.nextAttempt())]
    }
}
