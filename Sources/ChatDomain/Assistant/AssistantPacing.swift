// What of asking outlives the process (A8): when the assistant was asked lately, and how long the server wants to be
// left alone. The questions do not (A5), so nothing is asked by a launch; but a relaunch, or a sign-out and sign-in,
// asks no more often than staying does. The record is saved as `KeptRecord` says, and nothing waits for that.
//
// A question waits until it is known what is stored, or until the disk has been silent for 5 s; what comes after that is
// recalled all the same.

extension Assistant {
    func loadPacing(_ state: inout State, of account: Account, _ context: inout Context) -> [Effect] {
        guard state.pacing.access == .unread else { return [] }
        let attempt = context.nextAttempt()
        state.isRestoring = state.pacing.loads(under: attempt)
        return [
            .load(.pacing(account.user), attempt), .start(.restoring, after: configuration.restoringLimit),
        ]
    }

    /// The disk is silent.
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
        if state.asking.recall(record, atMost: configuration.longestPause, in: context) {
            _ = state.pacing.changed()
        }
        // A slot may be waited for already, when the disk was late.
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

    /// A sign-out does not wait: what is not durable yet of the person's questions goes behind what is under way.
    func leavePacing(_ state: inout State, _ context: inout Context) -> [Effect] {
        defer { (state.pacing, state.isRestoring) = (KeptRecord(), false) }
        guard let user = state.account?.user, state.pacing.access == .open, !state.pacing.isClean else {
            return [.cancel(.restoring)]
        }
        let record = Record.pacing(Pacing(of: state.asking, in: context))
        return [.cancel(.restoring), .save(record, under: .pacing(user), context.nextAttempt())]
    }
}
