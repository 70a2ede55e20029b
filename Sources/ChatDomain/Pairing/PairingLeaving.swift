// How a person leaves this device (SPEC P10), so that it stays left: what is to be erased is written down first,
// in the record of the request, and stays there until it is erased. A launch that finds it there signs nobody in
// with what is left, and erases it.

extension Pairing {
    /// What people have left behind and is to be erased.
    public struct Erasing: DomainValue {
        /// The secrets that are to be erased, and with them the credentials that name one, while they may still be
        /// stored; the latest last.
        public var left: [SecretHandle] = []
        /// The person whose data is to be erased as well, while it may still be stored.
        public var person: UserID?
        /// The saving of the record that says so.
        var note: Attempt?
        /// The erasing of the credentials that were left last.
        var credentials = Step.done
        /// The erasing of the secret that was left last.
        var secret = Step.done

        /// How far an erasing has come.
        enum Step: DomainValue {
            /// There is nothing to erase any more.
            case done
            /// Its answer is waited for.
            case running(Attempt)
            /// It could not be erased: the next launch tries again.
            case failed
        }

        /// Whether nothing of what was left is stored any more.
        public var isOver: Bool { left.isEmpty && person == nil }

        /// Whether an answer is still waited for.
        public var isRunning: Bool {
            if case .running = credentials { return true }
            if case .running = secret { return true }
            return false
        }

        /// How many are remembered (L8): more could not be erased one after the other only while nothing at all can.
        private static var leftLimit: Int { 8 }

        mutating func leave(_ handle: SecretHandle) {
            left = left.filter { $0 != handle }.suffix(Self.leftLimit - 1) + [handle]
        }
    }

    /// The person leaves this device, or the server no longer accepts them; perhaps all that is stored of them is
    /// to go as well.
    func signOut(
        _ state: inout State, notice: Notice?, erasesData: Bool = false, _ context: inout Context
    ) -> [Effect] {
        guard case .paired(let session) = state.phase else { return [] }
        state.phase = .idle
        state.name = ""
        state.notice = notice
        state.incoming = Incoming(configuration: configuration)
        if erasesData { state.erasing.person = session.credentials.user }
        return leave(&state, session.credentials, &context) + [.cancel(.incoming), .cancel(.storage)]
    }

    /// Erases credentials: first it is noted that they are left, then the record goes, then the secret, so that the
    /// record never names one that is gone.
    func leave(_ state: inout State, _ credentials: Credentials, _ context: inout Context) -> [Effect] {
        state.erasing.leave(credentials.secret)
        let note = dropRequest(&state, &context)
        let (record, secret) = (context.nextAttempt(), context.nextAttempt())
        state.erasing.credentials = .running(record)
        state.erasing.secret = .running(secret)
        return note + [
            .erase(.credentials, record), .erase(.secret(credentials.secret), secret),
            .start(.erasing, after: configuration.storageLimit),
        ]
    }

    /// Erases a secret of which no credentials are stored.
    func leave(_ state: inout State, secret handle: SecretHandle, _ context: inout Context) -> [Effect] {
        let attempt = context.nextAttempt()
        state.erasing.leave(handle)
        state.erasing.credentials = .done
        state.erasing.secret = .running(attempt)
        return [.erase(.secret(handle), attempt), .start(.erasing, after: configuration.storageLimit)]
    }

    /// Takes in the answer to an erasing, or says that it was to something else.
    func erasingEnded(
        _ state: inout State, _ answer: StorageAnswer<Record>, _ attempt: Attempt, _ context: inout Context
    ) -> [Effect]? {
        let step: Erasing.Step = if case .failed = answer { .failed } else { .done }
        if state.erasing.note == attempt {
            state.erasing.note = nil
            // There may be no room for it; then what stood there must go all the same, unless somebody waits again.
            guard case .failed = step, !state.phase.isWaiting else { return [] }
            return [.erase(.request, context.nextAttempt())]
        }
        if state.erasing.credentials == .running(attempt) {
            state.erasing.credentials = step
        } else if state.erasing.secret == .running(attempt) {
            state.erasing.secret = step
        } else {
            return nil
        }
        // They would come back at the next launch, were it not noted; and the note may not be stored either.
        if case .failed = step { state.notice = .notErased }
        guard !state.erasing.isRunning else { return [] }
        guard state.erasing.credentials == .done, state.erasing.secret == .done else {
            return [.cancel(.erasing)]
        }
        state.erasing.left.removeLast()
        if case .notErased = state.notice { state.notice = nil }  // it was late, and is no longer true
        return [.cancel(.erasing)] + dropNote(&state, &context)
    }

    /// The disk says nothing: the person has to know that they may still be signed in here.
    func erasingTimedOut(_ state: inout State) -> [Effect] {
        if state.erasing.isRunning { state.notice = .notErased }
        return []
    }

    /// All that was stored of a person is gone.
    func dataErased(_ state: inout State, of user: UserID, _ context: inout Context) -> [Effect] {
        guard state.erasing.person == user else { return [] }
        state.erasing.person = nil
        if case .dataNotErased = state.notice { state.notice = nil }
        return dropNote(&state, &context)
    }

    /// Somebody is in, and remembered: their credentials have taken the place of those that were left.
    func takePlace(_ state: inout State, of user: UserID, _ context: inout Context) -> [Effect] {
        var effects: [Effect] = []
        for handle in state.erasing.left + (state.superseded.map { [$0] } ?? []) {
            effects.append(.erase(.secret(handle), context.nextAttempt()))
        }
        if state.erasing.isRunning { effects.append(.cancel(.erasing)) }
        // Who comes back wants what is stored of them.
        let person = state.erasing.person == user ? nil : state.erasing.person
        state.erasing = Erasing(person: person)
        state.superseded = nil
        return effects
    }

    /// Nothing is left to erase, so that needs no note. Somebody who waits has replaced it.
    private func dropNote(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard state.erasing.isOver, !state.phase.isWaiting else { return [] }
        return dropRequest(&state, &context)
    }
}

extension Pairing.Phase {
    /// Whether a request is stored because somebody waits.
    fileprivate var isWaiting: Bool {
        if case .waitingForApproval = self { true } else { false }
    }
}
