// What of connecting outlives the process (SPEC section 1): when this device authenticated lately (C2), and how
// long the server wants to be left alone (C3). Who relaunches connects no more often than who does not. It is
// stored as wall time, and clamped when it is read: no clock and no file holds a person up for longer than the
// rules allow.

/// When a device authenticated lately, and until when it must not.
public struct Pacing: PlainValue {
    /// The attempts to authenticate that can still matter, oldest first.
    public let asked: [WallTime]
    /// The server wants to be left alone until then, if it has said so.
    public let notBefore: WallTime?

    /// Creates a record.
    public init(asked: [WallTime], notBefore: WallTime? = nil) {
        self.asked = asked
        self.notBefore = notBefore
    }
}

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
        switch answer {
        case .loaded(.pacing(let record)): recall(record, &state, context)
        case .failed(.newer): state.pacing = .unreadable
        case .loaded, .missing, .saved, .erased, .failed: break
        }
        return restoredAll(&state, &context)
    }

    private func recall(_ record: Pacing, _ state: inout State, _ context: Context) {
        let pause = state.authentications.pausedUntil
        let asked = record.asked.map { context.now - (context.wall - $0) }
        state.authentications = Throttle(
            configuration.authentications, recalling: state.authentications.admissions + asked,
            at: context.now)
        if let pause { state.authentications.pause(until: pause) }
        guard let notBefore = record.notBefore else { return }
        let wait = (notBefore - context.wall).clamped(to: .zero...Chat.greatestStoredWait)
        if wait > .zero { state.authentications.pause(until: context.now + wait) }
    }

    /// Keeps what the next process must know. Nobody waits for it.
    func savePacing(_ state: State, _ context: inout Context) -> [Effect] {
        guard let account = state.account, case .known = state.pacing else { return [] }
        let asked = state.authentications.admissions.map { context.wall - (context.now - $0) }
        let notBefore = state.authentications.pausedUntil.map { context.wall + ($0 - context.now) }
        return [
            .save(
                .pacing(Pacing(asked: asked, notBefore: notBefore)), under: .pacing(account.user),
                context.nextAttempt())
        ]
    }
}
