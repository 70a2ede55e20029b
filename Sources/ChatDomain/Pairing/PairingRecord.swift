// The record of the request, by the law of `KeptRecord`: one operation under way, and the newest content behind it. What
// it holds follows from the state alone (`kept`), so a step that changes something in it calls `keepRequest` and need
// not know what stands there. It keeps three things:
//
// - the question that waits, so that it goes on after a relaunch (P6);
// - how often the server was asked lately, so that cancel and relaunch ask no more often than waiting (P6);
// - what a person has left behind and is still to be erased, until it is (P10).
//
// Nobody waits for a save, so no timer runs.

extension Pairing {
    /// What the record is to hold; `nil` when it is to be erased.
    func kept(_ state: State, _ context: Context) -> PendingRequest? {
        var kept = PendingRequest(name: "", submitted: context.wall)
        switch state.phase {
        case .waitingForApproval(let waiting): kept = waiting.request
        // A signed-in person has no use for a request.
        case .paired(let session) where session.isRemembered: if state.erasing.isOver { return nil }
        // A secret may be stored that no credentials name.
        case .paired(let session): kept.secret = session.credentials.secret
        case .restoring, .idle, .enteringName, .failed: break
        }
        let pacing = Pacing(of: state.asking, in: context)
        (kept.asked, kept.notBefore) = (pacing.asked, pacing.notBefore)
        (kept.left, kept.erased) = (state.erasing.left, state.erasing.data.map { $0.user })
        let isOver = kept.asked.isEmpty && kept.notBefore == nil && state.erasing.isOver
        return isOver && kept.name.isEmpty && kept.secret == nil ? nil : kept
    }

    /// Something has changed that the record tells. One that could not be read is read again first.
    func keepRequest(_ state: inout State, _ context: inout Context) -> [Effect] {
        _ = state.record.changed()
        return switch state.record.access {
        case .unread, .closed: loadRequest(&state, &context)
        case .loading, .gated, .open: saveRequest(&state, &context)
        }
    }

    /// Saves what has changed, if a save is to begin; not before it is known who waited when the last run ended.
    func saveRequest(_ state: inout State, _ context: inout Context) -> [Effect] {
        if case .restoring = state.phase { return [] }
        guard let attempt = state.record.saves(under: context.nextAttempt()) else { return [] }
        guard let kept = kept(state, context) else { return [.erase(.request, attempt)] }
        return [.save(.request(kept), under: .request, attempt)]
    }

    func loadRequest(_ state: inout State, _ context: inout Context) -> [Effect] {
        if case .loading = state.record.access { return [] }
        let attempt = context.nextAttempt()
        state.record.readsAgain(evenIfOpen: true)
        return state.record.loads(under: attempt) ? [.load(.request, attempt)] : []
    }

    func requestStored(
        _ state: inout State, _ answer: StorageAnswer<Record>, _ attempt: Attempt, _ context: inout Context
    ) -> [Effect] {
        guard !state.record.loaded(attempt, answer.failure) else {
            return requestLoaded(&state, answer, &context)
        }
        // To erase keeps nothing, unless there is nothing to keep.
        let isStored = answer == .saved || answer == .erased && kept(state, context) == nil
        switch (state.record.ended(attempt, succeeded: isStored), answer) {
        case (nil, _): return []
        // There may be no room. Then what stands there goes, unless somebody waits, and leaves some.
        case (.failed(isNews: true), .failed(.full)) where kept(state, context)?.name.isEmpty == true:
            state.record.retry()
            return state.record.saves(under: context.nextAttempt()).map { [.erase(.request, $0)] } ?? []
        case (.failed, .erased): state.record.retry()
        default: break
        }
        return saveRequest(&state, &context)
    }
}
