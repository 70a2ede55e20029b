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

        /// How many are remembered (L8): more could not be erased one after the other only while nothing at all can.
        private static var leftLimit: Int { 8 }

        mutating func eraseData(of user: UserID, _ attempt: Attempt?) {
            data =
                data.filter { $0.user != user }.suffix(Self.leftLimit - 1) + [
                    Data(user: user, attempt: attempt)
                ]
        }

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
        if erasesData { state.erasing.eraseData(of: session.credentials.user, context.nextAttempt()) }
        let timers: [Effect] = [.cancel(.incoming), .cancel(.storage)]
        guard !session.isRemembered, state.superseded != nil else {
            return leave(&state, session.credentials, &context) + timers
        }
        // The record is that of somebody who was loaded too late, and has not left.
        let erasing = leave(&state, secret: session.credentials.secret, &context)
        return dropRequest(&state, &context) + erasing + timers
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
        for user in request.erased where !user.text.isEmpty { state.erasing.eraseData(of: user, nil) }
        return eraseDataAgain(&state, &context) ? [.start(.erasing, after: configuration.storageLimit)] : []
    }

    /// Goes on with what the last run could not end, when nobody is signed in.
    func leaveAgain(_ state: inout State, _ context: inout Context) -> [Effect] {
        // What others are saving in its place must stay; theirs is erased once they are in.
        guard let latest = state.erasing.left.last, !state.phase.isSaving else { return [] }
        let (record, secret) = (context.nextAttempt(), context.nextAttempt())
        state.erasing.credentials = .running(record)
        state.erasing.secret = .running(secret)
        let others = state.erasing.left.dropLast().map { Effect.erase(.secret($0), context.nextAttempt()) }
        state.erasing.left = [latest]
        return others + [
            .erase(.credentials, record), .erase(.secret(latest), secret),
            .start(.erasing, after: configuration.storageLimit),
        ]
    }

    /// Erases credentials: first it is noted that they are left, then the record goes, then the secret, so that the
    /// record never names one that is gone.
    func leave(_ state: inout State, _ credentials: Credentials, _ context: inout Context) -> [Effect] {
        state.erasing.leave(credentials.secret)
        let note = dropRequest(&state, &context)
        // Their record goes with this one, so nothing would name it any more.
        let superseded = state.superseded.map { [Effect.erase(.secret($0), context.nextAttempt())] } ?? []
        state.superseded = nil
        let (record, secret) = (context.nextAttempt(), context.nextAttempt())
        state.erasing.credentials = .running(record)
        state.erasing.secret = .running(secret)
        return note + superseded + [
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
            // There may be no room for it. Then what stood there goes, unless somebody waits again, and leaves room.
            guard case .failed(.full) = answer, !state.phase.isWaiting else { return [] }
            return [.erase(.request, context.nextAttempt())] + note(&state, &context)
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
        let stopping = stopTimer(state)
        guard state.erasing.credentials == .done, state.erasing.secret == .done else { return stopping }
        state.erasing.left.removeLast()
        if case .notErased = state.notice { state.notice = nil }  // it was late, and is no longer true
        return stopping + dropNote(&state, &context)
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
        return stopTimer(state) + dropNote(&state, &context)
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
    func requestStoredLate(
        _ state: inout State, _ answer: StorageAnswer<Record>, _ context: inout Context
    ) -> [Effect] {
        guard case .loaded(.request(let request)) = answer else { return [] }
        if case .paired(let session) = state.phase {
            guard request.left.contains(session.credentials.secret) else { return [] }
            let erasesData = request.erased.contains(session.credentials.user)
            return signOut(&state, notice: nil, erasesData: erasesData, &context)
        }
        return takeOver(&state, request, &context) + leaveAgain(&state, &context)
    }

    // MARK: The note

    /// Nobody waits any more. The stored request goes first, so that it is gone also when there is no room
    /// for what then takes its place: the memory of asking, without a name, so that who cancels and
    /// relaunches asks no more often than who waits (P6). Only what a person has left behind is noted at once, so
    /// that there is no moment without the note (P10).
    func dropRequest(
        _ state: inout State, naming secret: SecretHandle? = nil, _ context: inout Context
    ) -> [Effect] {
        state.asking.forget(at: context.now)
        let attempt = context.nextAttempt()
        guard state.erasing.isOver else {
            state.erasing.note = attempt
            return note(&state, naming: secret, under: attempt, context)
        }
        let erasing = Effect.erase(.request, context.nextAttempt())
        let isEmpty = state.asking.admissions.isEmpty && state.asking.pausedUntil == nil && secret == nil
        return isEmpty ? [erasing] : [erasing] + note(&state, naming: secret, under: attempt, context)
    }

    /// Stores what must outlive the process although nobody waits.
    func note(_ state: inout State, _ context: inout Context) -> [Effect] {
        note(&state, naming: nil, under: context.nextAttempt(), context)
    }

    private func note(
        _ state: inout State, naming secret: SecretHandle?, under attempt: Attempt, _ context: Context
    ) -> [Effect] {
        var memory = PendingRequest(name: "", submitted: context.wall, secret: secret)
        record(in: &memory, state, context)
        return [.save(.request(memory), under: .request, attempt)]
    }

    /// Who is in has no use for a request; only what is still to be erased stays noted.
    func forgetRequest(_ state: inout State, _ context: inout Context) -> [Effect] {
        state.erasing.isOver ? [.erase(.request, context.nextAttempt())] : dropRequest(&state, &context)
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

    /// Whether credentials are being saved.
    fileprivate var isSaving: Bool {
        guard case .waitingForApproval(let waiting) = self else { return false }
        return switch waiting.stage {
        case .savingSecret, .savingCredentials: true
        case .identifying, .asking, .backingOff: false
        }
    }
}
