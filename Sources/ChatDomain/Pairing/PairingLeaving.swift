// Sign-out from this device for good (P10). An erasure is first noted in the record of the request, and the note stays
// until the erasure is complete; a launch that finds the note signs nobody in, and erases the rest.

extension Pairing {
    /// The data of people who have left, to be erased.
    struct Erasing: DomainValue {
        /// The credentials to be erased; the latest last.
        var left: [Leaving] = []
        /// The people whose data is to be erased; the latest last.
        var data: [Data] = []

        /// The credentials of one person, to be erased.
        struct Leaving: DomainValue {
            var handle: SecretHandle
            /// The erasures whose answers are awaited.
            var running: [Attempt] = []
            /// Whether an erasure has failed: the next launch tries again.
            var isIncomplete = false
        }

        /// The data of one person, to be erased.
        struct Data: DomainValue {
            let user: UserID
            /// The erasure under way; `nil` after a failure, until the person or the next launch tries again.
            var attempt: Attempt?
        }

        /// Whether an answer about credentials is awaited.
        var isRunning: Bool { left.contains { !$0.running.isEmpty } }

        var isErasingData: Bool { data.contains { $0.attempt != nil } }

        /// The maximum number of notes (L8): more people than use one device; their names fill at most 100 KiB.
        fileprivate static var limit: Int { 100 }

        /// Notes the data of a person. Returns whether there is room.
        mutating func eraseData(of user: UserID, _ attempt: Attempt?) -> Bool {
            data.removeAll { $0.user == user }
            guard data.count < Self.limit else { return false }
            data.append(Data(user: user, attempt: attempt))
            return true
        }

        func hasLeft(_ handle: SecretHandle) -> Bool { left.contains { $0.handle == handle } }

        mutating func leave(_ leaving: Leaving) {
            left = left.filter { $0.handle != leaving.handle }.suffix(Self.limit - 1) + [leaving]
        }
    }

    /// Signs the person out, who leaves this device or whose credentials the server no longer accepts.
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
        // Otherwise the record is that of another person, who was loaded too late and has not left.
        let erasesRecord = state.superseded.map { $0.user == session.credentials.user } ?? true
        return leave(&state, session.credentials, erasesRecord: erasesRecord, &context) + [
            .cancel(.incoming), .cancel(.storage),
        ]
    }

    /// Signs out and erases all data, or repeats the failed erasures.
    func signOutForGood(_ state: inout State, _ context: inout Context) -> [Effect] {
        if case .paired = state.phase { return signOut(&state, notice: nil, erasesData: true, &context) }
        guard eraseDataAgain(&state, &context) else { return [] }
        return [.start(.erasing, after: configuration.storageLimit)]
    }

    /// Repeats the failed erasures of data. Returns whether there are any.
    private func eraseDataAgain(_ state: inout State, _ context: inout Context) -> Bool {
        var hasBegun = false
        for index in state.erasing.data.indices where state.erasing.data[index].attempt == nil {
            state.erasing.data[index].attempt = context.nextAttempt()
            hasBegun = true
        }
        return hasBegun
    }

    /// Continues the erasures of an earlier launch, as its record says.
    func takeOver(_ state: inout State, _ request: PendingRequest, _ context: inout Context) -> [Effect] {
        for handle in request.left where !state.erasing.hasLeft(handle) {
            state.erasing.leave(Erasing.Leaving(handle: handle))
        }
        state.unnamed = Array((state.unnamed + request.secrets).suffix(Erasing.limit))
        // The records under an empty name belong to all people.
        for user in request.erased where !user.text.isEmpty { _ = state.erasing.eraseData(of: user, nil) }
        return eraseDataAgain(&state, &context) ? [.start(.erasing, after: configuration.storageLimit)] : []
    }

    func leaveAgain(_ state: inout State, _ context: inout Context) -> [Effect] {
        // The credentials that are being saved now must stay; the others are erased after the sign-in.
        guard !state.phase.isSaving else { return [] }
        var effects: [Effect] = []
        // One of them is the record's, unless it is known to name who has not left.
        let isTheirs = state.superseded.map { state.erasing.hasLeft($0.secret) } ?? true
        for leaving in state.erasing.left where leaving.running.isEmpty {
            let erasesRecord = effects.isEmpty && isTheirs
            effects += erase(&state, leaving.handle, erasesRecord: erasesRecord, &context)
        }
        return effects
    }

    func leave(
        _ state: inout State, _ credentials: Credentials, erasesRecord: Bool = true, _ context: inout Context
    ) -> [Effect] {
        // The record may name another secret. Nothing would name that afterwards, so it is left too.
        let other = erasesRecord ? state.superseded : nil
        if let other { state.erasing.leave(Erasing.Leaving(handle: other.secret)) }
        state.erasing.leave(Erasing.Leaving(handle: credentials.secret))
        let note = keepRequest(&state, &context)
        return note + erase(&state, credentials.secret, erasesRecord: erasesRecord, &context)
            + (other.map { erase(&state, $0.secret, erasesRecord: false, &context) } ?? [])
    }

    /// The record is erased first, if it may be theirs, so that it never names a secret that is gone.
    private func erase(
        _ state: inout State, _ handle: SecretHandle, erasesRecord: Bool, _ context: inout Context
    ) -> [Effect] {
        if erasesRecord, state.superseded != nil { state.late = .none }
        let (record, secret) = (context.nextAttempt(), context.nextAttempt())
        state.erasing.leave(
            Erasing.Leaving(handle: handle, running: erasesRecord ? [record, secret] : [secret]))
        return (erasesRecord ? [.erase(.credentials, record)] : []) + [
            .erase(.secret(handle), secret), .start(.erasing, after: configuration.storageLimit),
        ]
    }

    /// Takes the answer to an erasure; `nil` for any other answer.
    func erasingEnded(
        _ state: inout State, _ answer: StorageAnswer<Record>, _ attempt: Attempt, _ context: inout Context
    ) -> [Effect]? {
        let index = state.erasing.left.firstIndex { $0.running.contains(attempt) }
        guard let index else { return nil }
        state.erasing.left[index].running.removeAll { $0 == attempt }
        if case .failed = answer {
            state.erasing.left[index].isIncomplete = true
            // Without the note, the person would be signed in at the next launch; and it may not be stored either.
            state.notice = .notErased
        }
        let leaving = state.erasing.left[index]
        guard leaving.running.isEmpty, !leaving.isIncomplete else { return stopTimer(state) }
        state.erasing.left.remove(at: index)
        if state.erasing.left.isEmpty, case .notErased = state.notice {
            // It was late. Data that is left is late too, or was refused.
            state.notice = state.erasing.data.isEmpty ? nil : .dataNotErased
        }
        return stopTimer(state) + keepRequest(&state, &context)
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
        if state.erasing.data.isEmpty, case .dataNotErased = state.notice {
            state.notice = state.erasing.left.contains { $0.isIncomplete } ? .notErased : nil
        }
        return stopTimer(state) + keepRequest(&state, &context)
    }

    private func stopTimer(_ state: State) -> [Effect] {
        state.erasing.isRunning || state.erasing.isErasingData ? [] : [.cancel(.erasing)]
    }

    /// Applies that new credentials have replaced those that were left.
    func takePlace(_ state: inout State, of user: UserID, _ context: inout Context) -> [Effect] {
        var effects: [Effect] = []
        let left = state.erasing.left.map { $0.handle }
        for handle in left + state.otherSecrets {
            effects.append(.erase(.secret(handle), context.nextAttempt()))
        }
        let wasRunning = state.erasing.isRunning
        state.erasing = Erasing(data: state.erasing.data)
        comeBack(&state, user)
        (state.late, state.unnamed) = (.none, [])
        return wasRunning ? effects + stopTimer(state) : effects
    }

    func comeBack(_ state: inout State, _ user: UserID) { state.erasing.data.removeAll { $0.user == user } }

    /// Applies a request that was loaded after the launch went on: its notes still count (P10).
    func requestLoadedLate(
        _ state: inout State, _ request: PendingRequest?, _ context: inout Context
    ) -> [Effect] {
        // The next try reads it again, and may know by the credentials who has come back.
        if case .failed(.unreadable) = state.phase { return [] }
        guard let request else { return saveRequest(&state, &context) }
        guard case .paired(let session) = state.phase, session.isRemembered else {
            recall(&state, request, context)
            var request = request
            for known in [state.session?.credentials, state.superseded] { request.noteReturn(of: known) }
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
