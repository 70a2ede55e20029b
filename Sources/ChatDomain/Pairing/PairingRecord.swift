// The record of the request, by the rules of `KeptRecord`: one operation under way, and the newest content behind it.
// Its content follows from the state alone (`kept`), so a step that changes it calls `keepRequest` and need not know
// the stored content. It keeps three things:
//
// - the question that waits, so that it continues after a relaunch (P6);
// - the times of the latest questions, so that a cancel or a relaunch allows no more questions than waiting (P6);
// - the data of people who have left, until it is erased (P10).
//
// Nothing waits for a save, so no timer runs.

extension Pairing {
    /// The content of the record; `nil` if it must be erased.
    func kept(_ state: State, _ context: Context) -> PendingRequest? {
        var kept = PendingRequest(name: "", submitted: context.wall)
        switch state.phase {
        case .waitingForApproval(let waiting): kept = waiting.request
        // A signed-in person needs no request; the times count when they leave.
        case .paired(let session) where session.isRemembered: break
        // The secret may be stored without credentials that name it.
        case .paired(let session): kept.secrets = [session.credentials.secret]
        case .restoring, .idle, .enteringName, .failed: break
        }
        kept.pacing = Pacing(of: state.requests, in: context)
        (kept.left, kept.erased) = (state.erasing.left.map { $0.handle }, state.erasing.data.map { $0.user })
        kept.secrets = state.otherSecrets + kept.secrets
        return kept.pacing == Pacing(asked: []) && kept.isMemory ? nil : kept
    }

    /// Notes a change of the record's content. A record that was not readable is first read again.
    func keepRequest(_ state: inout State, _ context: inout Context) -> [Effect] {
        _ = state.record.changed()
        return switch state.record.access {
        case .unread, .closed: loadRequest(&state, &context)
        case .loading, .gated, .open: saveRequest(&state, &context)
        }
    }

    /// Saves the changes, if a save is due. None is due before a launch knows the stored request.
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
        // An erased record is up to date only if its content must be erased. The content is made only where it counts.
        let isStored = answer == .saved || answer == .erased && kept(state, context) == nil
        switch (state.record.ended(attempt, succeeded: isStored), answer) {
        case (nil, _): return []
        case (_, .failed(.newer)): break
        // The old record may name a question that has ended (P7), and is erased; what is noted goes only for room.
        case (.failed(isNews: true), .failed(let failure))
        where kept(state, context).map({ failure == .full ? $0.name.isEmpty : $0.isMemory }) == true:
            state.record.retry()
            return state.record.saves(under: context.nextAttempt()).map { [.erase(.request, $0)] } ?? []
        case (.failed, .erased): state.record.retry()
        default: break
        }
        return saveRequest(&state, &context)
    }
}

extension PendingRequest {
    /// Whether nothing is noted but the times of questions.
    fileprivate var isMemory: Bool { name.isEmpty && secrets.isEmpty && left.isEmpty && erased.isEmpty }
}
