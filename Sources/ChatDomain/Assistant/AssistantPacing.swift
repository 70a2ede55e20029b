// What of asking outlives the process (SPEC section 1, A8): when the assistant was asked lately, and how long the
// server wants to be left alone. The questions do not (A5), so nothing is asked by a launch; but who relaunches, or
// signs out and in again, asks no more often than who does not.
//
// A question waits until that is known, or until the disk has been silent for 5 s.

extension Assistant {
    /// How the record of pacing stands to storage.
    public enum PacingStorage: DomainValue {
        /// Nobody is signed in, so there is none.
        case unknown
        /// It is being loaded, and questions wait for it; the timer `restoring` runs.
        case loading(Attempt)
        /// It is being loaded, and questions wait no longer. What comes after all is recalled.
        case overdue(Attempt)
        /// It is as stored, or about to be.
        case known
        /// What is stored cannot be read, and must not be overwritten.
        case unreadable

        /// The load that is under way.
        var loading: Attempt? {
            switch self {
            case .loading(let attempt), .overdue(let attempt): attempt
            case .unknown, .known, .unreadable: nil
            }
        }
    }

    func loadPacing(_ state: inout State, of account: Account, _ context: inout Context) -> [Effect] {
        guard case .unknown = state.pacing else { return [] }
        let attempt = context.nextAttempt()
        state.pacing = .loading(attempt)
        return [
            .load(.pacing(account.user), attempt), .start(.restoring, after: configuration.restoringLimit),
        ]
    }

    /// The disk is silent.
    func waitNoLonger(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard case .loading(let attempt) = state.pacing else { return [] }
        state.pacing = .overdue(attempt)
        return ask(&state, &context)
    }

    /// What was stored is recalled besides what this process has done itself. The ends of saves are of no
    /// interest: nobody waits for them.
    func stored(
        _ state: inout State, _ answer: StorageAnswer<Record>, _ key: Key, _ attempt: Attempt,
        _ context: inout Context
    ) -> [Effect] {
        guard let account = state.account, key == .pacing(account.user), state.pacing.loading == attempt
        else { return [] }
        state.pacing = .known
        var effects: [Effect] = [.cancel(.restoring)]
        switch answer {
        case .loaded(.pacing(let record)): effects += recall(record, &state, &context)
        // Only a damaged record was set aside, so that saving overwrites nothing.
        case .failed(let failure) where failure != .damaged: state.pacing = .unreadable
        case .missing, .failed: effects += recall(Pacing(asked: []), &state, &context)
        case .loaded, .saved, .erased: break
        }
        return effects + ask(&state, &context)
    }

    /// It is saved anew at once where that says something else: what this process has done before it knew, and a
    /// wait that was clamped, or each launch would begin one of its own.
    private func recall(_ record: Pacing, _ state: inout State, _ context: inout Context) -> [Effect] {
        let own = state.asking
        state.asking = Throttle(
            configuration.asking, recalling: own.admissions + record.events(in: context), at: context.now)
        if let pause = own.pausedUntil { state.asking.pause(until: pause) }
        let wait = context.rest(
            of: record.notBefore, since: record.written, atMost: configuration.longestPause)
        if wait > .zero { state.asking.pause(until: context.now + wait) }
        let hasOwn = !own.admissions.isEmpty || own.pausedUntil != nil
        let isClamped = record.notBefore.map { $0 - context.wall > wait } ?? false
        return hasOwn || isClamped ? savePacing(state, &context) : []
    }

    /// Keeps what the next process must know. Nobody waits for it.
    func savePacing(_ state: State, _ context: inout Context) -> [Effect] {
        guard let account = state.account, case .known = state.pacing else { return [] }
        let record = Record.pacing(Pacing(of: state.asking, in: context))
        return [.save(record, under: .pacing(account.user), context.nextAttempt())]
    }
}
