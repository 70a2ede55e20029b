// How a person leaves this device for good (P10). What is to be erased is first noted in the record of the request,
// and stays there until it is erased; a launch that finds it there signs nobody in, and erases it.

extension Pairing {
    /// What people have left behind and is to be erased.
    struct Erasing: DomainValue {
        /// The secrets to be erased, and with them the credentials that name one; the latest last.
        var left: [SecretHandle] = []
        /// The people whose data is to be erased, while it may still be stored; the latest last.
        var data: [Data] = []
        var credentials = Step.done
        var secret = Step.done

        enum Step: DomainValue {
            /// There is nothing to erase any more.
            case done
            /// Its answer is waited for.
            case running(Attempt)
            /// It could not be erased: the next launch tries again.
            case failed
        }

        /// The data of a person that is to be erased.
        struct Data: DomainValue {
            /// Whose data.
            let user: UserID
            /// The erasing, until it has ended; none when it has failed and waits for the person or the next launch.
            var attempt: Attempt?
        }

        /// Whether nothing of what was left is stored any more.
        var isOver: Bool { left.isEmpty && data.isEmpty }

        /// Whether an answer about credentials is still waited for.
        var isRunning: Bool {
            if case .running = credentials { return true }
            if case .running = secret { return true }
            return false
        }

        var isErasingData: Bool { data.contains { $0.attempt != nil } }

        /// How many are remembered (L8): more than come and go on one device; their names fill at most 100 KiB.
        private static var limit: Int { 100 }

        /// Returns whether there is room.
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

    /// The person leaves this device, or the server no longer accepts them.
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

    /// Signs out and erases all data, or tries again what has failed.
    func signOutForGood(_ state: inout State, _ context: inout Context) -> [Effect] {
        if case .paired = state.phase { return signOut(&state, notice: nil, erasesData: true, &context) }
        guard eraseDataAgain(&state, &context) else { return [] }
        return [.start(.erasing, after: configuration.storageLimit)]
    }

    /// Returns whether there is any data to erase.
    private func eraseDataAgain(_ state: inout State, _ context: inout Context) -> Bool {
        var hasBegun = false
        for index in state.erasing.data.indices where state.erasing.data[index].attempt == nil {
            state.erasing.data[index].attempt = context.nextAttempt()
            hasBegun = true
        }
        return hasBegun
    }

    /// Takes over what an earlier launch could not end, as its record says.
    func takeOver(_ state: inout State, _ request: PendingRequest, _ context: inout Context) -> [Effect] {
        for handle in request.left { state.erasing.leave(handle) }
        // Below an empty name lies what belongs to everybody.
        for user in request.erased where !user.text.isEmpty { _ = state.erasing.eraseData(of: user, nil) }
        return eraseDataAgain(&state, &context) ? [.start(.erasing, after: configuration.storageLimit)] : []
    }

    func leaveAgain(_ state: inout State, _ context: inout Context) -> [Effect] {
        // What others are saving in its place must stay; theirs is erased once they are in.
        guard let latest = state.erasing.left.last, !state.phase.isSaving else { return [] }
        let others = state.erasing.left.dropLast().map { Effect.erase(.secret($0), context.nextAttempt()) }
        state.erasing.left = [latest]
        return others + erase(&state, latest, erasesRecord: true, &context)
    }

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

    /// Takes the answer to an erasing; `nil` when it was to something else.
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

    func erasingTimedOut(_ state: inout State) -> [Effect] {
        if state.erasing.isRunning {
            state.notice = .notErased
        } else if state.erasing.isErasingData {
            state.notice = .dataNotErased
        }
        return []
    }

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

    /// The new credentials have taken the place of those that were left.
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

    func comeBack(_ state: inout State, _ user: UserID) { state.erasing.data.removeAll { $0.user == user } }

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
    fileprivate var isSaving: Bool {
        guard case .waitingForApproval(let waiting) = self else { return false }
        return switch waiting.stage {
        case .savingSecret, .savingCredentials: true
        case .identifying, .asking, .backingOff: false
        }
    }
}
