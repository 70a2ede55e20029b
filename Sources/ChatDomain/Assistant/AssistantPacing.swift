// The stored limits of asking (A8): the times of the latest questions, and a wait that the server demands. Questions
// are not stored (A5), so a launch asks nothing; but a relaunch, or a sign-out and sign-in, allows no more questions
// than staying does. The record is saved by the rules of `KeptRecord`, and nothing waits for the save.
//
// A question waits until the record is loaded, or until the disk has been silent for 5 s. A later record is still
// merged.

extension Assistant {
    func loadPacing(_ state: inout State, of account: Account, _ context: inout Context) -> [Effect] {
        guard state.pacing.access == .unread else { return [] }
        let attempt = context.nextAttempt()
        state.isRestoring = state.pacing.loads(under: attempt)
        return [
            .load(.pacing(account.user), attempt), .start(.restoring, after: configuration.restoringLimit),
        ]
    }

    /// Goes on without the record, because the disk is silent.
    func waitNoLonger(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard state.isRestoring else { return [] }
        state.isRestoring = false
        return ask(&state, &context)
    }

    func stored(
        _ state: inout State, _ answer: StorageAnswer<Record>, _ key: Key, _ attempt: Attempt,
        _ context: inout Context
    ) -> [Effect] {
        guard let account = state.account, key == .pacing(account.user) else { return [] }
        guard state.pacing.loaded(attempt, answer.failure) else {
            let ended = state.pacing.ended(attempt, succeeded: answer == .saved)
            return ended == nil ? [] : savePacing(&state, &context)
        }
        state.isRestoring = false
        let record = if case .loaded(.pacing(let record)) = answer { record } else { Pacing(asked: []) }
        let longest = configuration.longestPause
        // A record keeps milliseconds.
        if state.asking.recall(record, atMost: longest, within: .milliseconds(2), in: context) {
            _ = state.pacing.changed()
        }
        // After a late load, the timer of a slot may already run.
        return [.cancel(.restoring), .cancel(.slot)] + savePacing(&state, &context) + ask(&state, &context)
    }

    func keepPacing(_ state: inout State, _ context: inout Context) -> [Effect] {
        _ = state.pacing.changed()
        return savePacing(&state, &context)
    }

    private func savePacing(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard let user = state.account?.user, let attempt = state.pacing.saves(under: context.nextAttempt())
        else { return [] }
        return [.save(.pacing(Pacing(of: state.asking, in: context)), under: .pacing(user), attempt)]
    }

    /// A sign-out does not wait: the unsaved record is saved after the operation under way.
    func leavePacing(_ state: inout State, _ context: inout Context) -> [Effect] {
        defer { (state.pacing, state.isRestoring) = (KeptRecord(), false) }
        guard let user = state.account?.user, state.pacing.access == .open, !state.pacing.isClean else {
            return [.cancel(.restoring)]
        }
        let record = Record.pacing(Pacing(of: state.asking, in: context))
        return [.cancel(.restoring), .save(record, under: .pacing(user), context.nextAttempt())]
    }
}
