// How a person leaves this device (SPEC P10), so that it stays left: what is to be erased is written down first,
// in the record of the request, and stays there until it is erased. A launch that finds it there signs nobody in
// with what is left, and erases it.

extension Pairing {
    /// What people have left behind and is to be erased.
    public struct Erasing: DomainValue {
        /// The secrets that are to be erased, and with them the credentials that name one, while they may still be
        /// stored; the latest last.
        public var left: [SecretHandle] = []
        /// The people whose data is to be erased, while it may still be stored; the latest last.
        public var data: [Data] = []
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

        /// The data of a person that is to be erased.
        public struct Data: DomainValue {
            /// Whose data.
            public let user: UserID
            /// The erasing, until it has ended; none when it has failed, and is tried again when the person wants it
            /// once more, or by the next launch.
            public var attempt: Attempt?
        }

        /// Whether nothing of what was left is stored any more.
        public var isOver: Bool { left.isEmpty && data.isEmpty }

        /// Whether an answer about credentials is still waited for.
        public var isRunning: Bool {
            if case .running = credentials { return true }
            if case .running = secret { return true }
            return false
        }

        /// Whether an answer about somebody's data is still waited for.
        var isErasingData: Bool { data.contains { $0.attempt != nil } }

        /// How many are remembered (L8): so many people do not come and go on a device on which nothing can be erased,
        /// and their names fill a record of at most 100 KiB.
        private static var limit: Int { 100 }

        /// Remembers whose data is to be erased. Returns whether there is room for that.
        mutating func eraseData(of user: UserID, _ attempt: Attempt?) -> Bool {
            data.removeAll { $0.user == user }
            guard data.count < Self.limit else { return false }
            data.append(Data(user: user, attempt: attempt))
            return true
        }

        mutating func leave(_ handle: SecretHandle) {
            left = left.filter { $0 != handle }.suffix(Self.limit - 1) + [handle]
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
        if erasesData, !state.erasing.eraseData(of: session.credentials.user, context.nextAttempt()) {
            state.notice = .dataNotErased
        }
        // Else the record is that of somebody who was loaded too late, and has not left.
        let erasesRecord = session.isRemembered || state.superseded == nil
        return leave(&state, session.credentials, erasesRecord: erasesRecord, &context) + [
            .cancel(.incoming), .cancel(.storage),
        ]
    }

    /// The person wants erased what is stored of them, and leaves; or wants tried again what has failed.
    func signOutForGood(_ state: inout State, _ context: inout Context) -> [Effect] {
        if case .paired = state.phase { return signOut(&state, notice: nil, erasesData: true, &context) }
        guard eraseDataAgain(&state, &context) else { return [] }
        return [.start(.erasing, after: configuration.storageLimit)]
    }

    /// Begins to erase the data of those of whom it is still to be erased. Returns whether there are any.
    private func eraseDataAgain(_ state: inout State, _ context: inout Context) -> Bool {
        var hasBegun = false
        for index in state.erasing.data.indices where state.erasing.data[index].attempt == nil {
            state.erasing.data[index].attempt = context.nextAttempt()
            hasBegun = true
        }
        return hasBegun
    }

    /// Takes over what the last run could not end. It is noted already, in the record that this is read from.
    func takeOver(_ state: inout State, _ request: PendingRequest, _ context: inout Context) -> [Effect] {
        for handle in request.left { state.erasing.leave(handle) }
        // Below an empty name lies what belongs to everybody.
        for user in request.erased where !user.text.isEmpty { _ = state.erasing.eraseData(of: user, nil) }
        return eraseDataAgain(&state, &context) ? [.start(.erasing, after: configuration.storageLimit)] : []
    }

    /// Goes on with what the last run could not end, when nobody is signed in.
    func leaveAgain(_ state: inout State, _ context: inout Context) -> [Effect] {
        // What others are saving in its place must stay; theirs is erased once they are in.
        guard let latest = state.erasing.left.last, !state.phase.isSaving else { return [] }
        let others = state.erasing.left.dropLast().map { Effect.erase(.secret($0), context.nextAttempt()) }
        state.erasing.left = [latest]
        return others + erase(&state, latest, erasesRecord: true, &context)
    }

    /// Erases credentials, and first notes that they are left.
    func leave(
        _ state: inout State, _ credentials: Credentials, erasesRecord: Bool = true, _ context: inout Context
    ) -> [Effect] {
        state.erasing.leave(credentials.secret)
        let note = keepRequest(&state, &context)
        // Another secret that the record may name goes with it, because nothing would name that any more.
        let other = erasesRecord ? state.superseded : nil
        if erasesRecord { state.superseded = nil }
        return note + (other.map { [.erase(.secret($0), context.nextAttempt())] } ?? [])
            + erase(&state, credentials.secret, erasesRecord: erasesRecord, &context)
    }

    /// The record goes first, if it may be theirs, so that it never names a secret that is gone.
    private func erase(
        _ state: inout State, _ handle: SecretHandle, erasesRecord: Bool, _ context: inout Context
    ) -> [Effect] {
        let (record, secret) = (context.nextAttempt(), context.nextAttempt())
        state.erasing.credentials = erasesRecord ? .running(record) : .done
        state.erasing.secret = .running(secret)
        return (erasesRecord ? [.erase(.credentials, record)] : []) + [
            .erase(.secret(handle), secret), .start(.erasing, after: configuration.storageLimit),
        ]
    }

    /// Takes in the answer to an erasing, or says that it was to something else.
    func erasingEnded(
        _ state: inout State, _ answer: StorageAnswer<Record>, _ attempt: Attempt, _ context: inout Context
    ) -> [Effect]? {
        let step: Erasing.Step = if case .failed = answer { .failed } else { .done }
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
        let stopping = stopTimer(state)
        guard state.erasing.credentials == .done, state.erasing.secret == .done else { return stopping }
        state.erasing.left.removeLast()
        if case .notErased = state.notice { state.notice = nil }  // it was late, and is no longer true
        return stopping + keepRequest(&state, &context)
    }

    /// The disk says nothing: the person has to know that they may still be signed in here.
    func erasingTimedOut(_ state: inout State) -> [Effect] {
        if state.erasing.isRunning {
            state.notice = .notErased
        } else if state.erasing.isErasingData {
            state.notice = .dataNotErased
        }
        return []
    }

    /// Nothing is stored of a person any more, or it could not be erased.
    func dataErasingEnded(
        _ state: inout State, _ attempt: Attempt, hasFailed: Bool, _ context: inout Context
    ) -> [Effect] {
        guard let index = state.erasing.data.firstIndex(where: { $0.attempt == attempt }) else { return [] }
        guard !hasFailed else {
            state.erasing.data[index].attempt = nil
            state.notice = .dataNotErased
            return stopTimer(state)
        }
        state.erasing.data.remove(at: index)
        if state.erasing.data.isEmpty, case .dataNotErased = state.notice { state.notice = nil }
        return stopTimer(state) + keepRequest(&state, &context)
    }

    private func stopTimer(_ state: State) -> [Effect] {
        state.erasing.isRunning || state.erasing.isErasingData ? [] : [.cancel(.erasing)]
    }

    /// Somebody is in, and remembered: their credentials have taken the place of those that were left.
    func takePlace(_ state: inout State, of user: UserID, _ context: inout Context) -> [Effect] {
        var effects: [Effect] = []
        for handle in state.erasing.left + (state.superseded.map { [$0] } ?? []) {
            effects.append(.erase(.secret(handle), context.nextAttempt()))
        }
        let wasRunning = state.erasing.isRunning
        state.erasing = Erasing(data: state.erasing.data)
        comeBack(&state, user)
        state.superseded = nil
        return wasRunning ? effects + stopTimer(state) : effects
    }

    /// Who comes back wants what is stored of them.
    func comeBack(_ state: inout State, _ user: UserID) {
        state.erasing.data.removeAll { $0.user == user }
    }

    /// The launch went on without the request; what it notes counts all the same (P10).
    func requestLoadedLate(
        _ state: inout State, _ request: PendingRequest?, _ context: inout Context
    ) -> [Effect] {
        guard let request else { return saveRequest(&state, &context) }
        guard case .paired(let session) = state.phase else {
            recall(&state, request, context)
            return takeOver(&state, request, &context) + leaveAgain(&state, &context)
                + saveRequest(&state, &context)
        }
        let effects = takeIn(&state, request, besides: session.credentials, &context)
        guard request.left.contains(session.credentials.secret) else {
            return effects + keepRequest(&state, &context)
        }
        let erasesData = request.erased.contains(session.credentials.user)
        return effects + signOut(&state, notice: nil, erasesData: erasesData, &context)
    }
}

extension Pairing.Phase {
    /// Whether credentials are being saved.
    fileprivate var isSaving: Bool {
        guard case .waitingForApproval(let waiting) = self else { return false }
        return switch waiting.stage {
        case .savingSecret, .savingCredentials: true
        case .identifying, .asking, .backingOff: false
        }
    }
}
