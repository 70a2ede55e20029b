// The story of pairing. Each action that makes sense in a phase is one small named step below; every other
// pair of action and phase falls through and changes nothing (L1). Answers carry the attempt that asked for
// them; a step compares it with the one that the state waits for, so a ghost falls through too (L4).

extension Pairing {
    /// Applies an action.
    public func reduce(_ state: inout State, _ action: Action, in context: inout Context) -> [Effect] {
        switch action {
        case .launched: launch(&state, &context)
        case .nameEdited(let text): editName(&state, text)
        case .submitted: submit(&state, &context)
        case .cancelled: cancel(&state, &context)
        case .retried: retry(&state, &context)
        case .signedOut: signOut(&state, notice: nil, &context)
        case .credentialsRefused(let refusal): signOut(&state, notice: .signedOut(refusal), &context)
        case .networkReturned: networkReturned(&state, &context)
        case .noticeDismissed: dismissNotice(&state)

        case .approved(let device, let user): decide(&state, device, .approve(user), &context)
        case .denied(let device, let reason): decide(&state, device, .deny(reason: reason), &context)
        case .linkOpened(let attempt): openLink(&state, attempt)
        case .linkClosed(let attempt): closeLink(&state, attempt, &context)

        case .received(let event, .ask(let attempt)): answered(&state, event, attempt, &context)
        case .received(let event, .link(let attempt)): heard(&state, event, attempt, &context)
        case .ended(.ask(let attempt), let end): askEnded(&state, attempt, end, &context)
        case .ended(.link(let attempt), _): closeLink(&state, attempt, &context)
        case .stored(let answer, let key, let attempt): stored(&state, answer, key, attempt, &context)

        case .timerFired(.restoring): restoringTimedOut(&state, &context)
        case .timerFired(.storage): storageTimedOut(&state, &context)
        case .timerFired(.approval): fail(&state, .timedOut, &context)
        case .timerFired(.retry), .timerFired(.renewal): askAgain(&state, &context)
        case .timerFired(.incoming): expire(&state, &context)
        }
    }

    // MARK: The name

    private func editName(_ state: inout State, _ text: ExactText) -> [Effect] {
        switch state.phase {
        case .idle, .enteringName, .failed(.emptyName):
            state.name = text
            state.phase = .enteringName
        case .restoring, .waitingForApproval, .paired, .failed: break
        }
        return []
    }

    private func submit(_ state: inout State, _ context: inout Context) -> [Effect] {
        switch state.phase {
        case .idle, .enteringName: break
        case .restoring, .waitingForApproval, .paired, .failed: return []
        }
        let name = state.name.withoutControlCharacters.trimmed
            .cut(toByteCount: configuration.nameLimit).trimmed
        guard !name.isEmpty else {
            state.phase = .failed(.emptyName)
            return []
        }
        let request = PendingRequest(name: name, submitted: context.wall)
        return [.save(.request(request), under: .request, context.nextAttempt())]
            + wait(&state, request, remaining: configuration.requestLifetime, &context)
    }

    private func retry(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard case .failed(let failure) = state.phase else { return [] }
        state.phase = .enteringName
        if case .storage = failure, state.name.isEmpty { return launch(&state, &context) }
        return []
    }

    private func cancel(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard case .waitingForApproval(let waiting) = state.phase else { return [] }
        state.phase = .enteringName
        return stopWaiting(waiting, &context)
    }

    private func dismissNotice(_ state: inout State) -> [Effect] {
        state.notice = nil
        return []
    }

    // MARK: Waiting

    /// Begins to wait, or goes on waiting after a relaunch, and asks as soon as the device id is stored.
    func wait(
        _ state: inout State, _ request: PendingRequest, remaining: Interval, _ context: inout Context
    ) -> [Effect] {
        let waiting = Waiting(
            request: request, code: nil, stage: .identifying,
            asking: Throttle(configuration.asking), backoff: Backoff(configuration.backoff))
        state.phase = .waitingForApproval(waiting)
        return [.start(.approval, after: remaining)] + identify(&state, &context)
    }

    /// Asks if it is allowed to ask already, and sees to it that it asks later otherwise.
    func ask(_ state: inout State, _ device: DeviceID, _ context: inout Context) -> [Effect] {
        guard case .waitingForApproval(var waiting) = state.phase else { return [] }
        defer { state.phase = .waitingForApproval(waiting) }
        switch waiting.asking.admit(at: context.now) {
        case .wait(let until):
            if case .asking = waiting.stage {
                return [.start(.renewal, after: until - context.now)]
            }
            waiting.stage = .backingOff
            return [.start(.retry, after: until - context.now)]
        case .now:
            let attempt = context.nextAttempt()
            var effects: [Effect] = [.cancel(.retry)]
            if case .asking(let previous) = waiting.stage { effects.append(.close(.ask(previous))) }
            waiting.stage = .asking(attempt)
            effects.append(
                .open(
                    .ask(attempt), .pair(device, name: waiting.request.name, configuration.device)))
            effects.append(.start(.renewal, after: configuration.renewalInterval))
            return effects
        }
    }

    private func askAgain(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard case .waitingForApproval(let waiting) = state.phase, case .known(let device) = state.device
        else { return [] }
        switch waiting.stage {
        case .asking, .backingOff: return ask(&state, device, &context)
        case .identifying, .savingSecret, .savingCredentials: return []
        }
    }

    private func networkReturned(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard case .waitingForApproval(let waiting) = state.phase, case .backingOff = waiting.stage
        else { return [] }
        return askAgain(&state, &context)
    }

    private func answered(
        _ state: inout State, _ event: Event, _ attempt: Attempt, _ context: inout Context
    ) -> [Effect] {
        guard case .waitingForApproval(var waiting) = state.phase, waiting.stage == .asking(attempt)
        else { return [] }
        switch event {
        case .pending(let code):
            if let code { waiting.code = code }
            state.phase = .waitingForApproval(waiting)
            return []
        case .granted(let secret, let user, let isAdmin):
            return save(&state, waiting, secret, user, isAdmin, &context)
        case .refused(let refusal):
            return fail(&state, .refused(refusal), &context)
        case .requested, .resolved:
            return []
        }
    }

    private func askEnded(
        _ state: inout State, _ attempt: Attempt, _ end: CallEnd, _ context: inout Context
    ) -> [Effect] {
        guard case .waitingForApproval(var waiting) = state.phase, waiting.stage == .asking(attempt)
        else { return [] }
        var told = Interval.zero
        switch end {
        case .refused(let status, _, let message) where Pairing.isFinal(status):
            return fail(&state, .unacceptable(message), &context)
        case .refused(_, let retryAfter, _): told = retryAfter ?? .zero
        case .completed, .closed, .failed: break
        }
        // The request's life bounds the attempts, not a number of them (P6): exhausted, it starts over.
        if waiting.backoff.isExhausted { waiting.backoff.reset() }
        let delay = waiting.backoff.next(&context.entropy) ?? configuration.renewalInterval
        waiting.stage = .backingOff
        state.phase = .waitingForApproval(waiting)
        return [.cancel(.renewal), .start(.retry, after: max(delay, told))]
    }

    /// Whether an HTTP status says that asking the same again cannot help (RFC 9110, section 15.5): all of
    /// 4xx but time-out, conflict, too early and too many.
    private static func isFinal(_ status: Int64) -> Bool {
        switch status {
        case 408, 409, 425, 429: false
        case 400...499: true
        default: false
        }
    }

    func fail(_ state: inout State, _ failure: Failure, _ context: inout Context) -> [Effect] {
        guard case .waitingForApproval(let waiting) = state.phase else { return [] }
        state.phase = .failed(failure)
        return stopWaiting(waiting, &context)
    }

    /// Ends everything that waiting has under way, and takes back what it had begun to store (P7).
    private func stopWaiting(_ waiting: Waiting, _ context: inout Context) -> [Effect] {
        var effects: [Effect] = []
        switch waiting.stage {
        case .identifying, .backingOff: break
        case .asking(let attempt): effects.append(.close(.ask(attempt)))
        case .savingSecret(let credentials, _), .savingCredentials(let credentials, _):
            effects += erase(credentials, &context)
        }
        effects.append(.erase(.request, context.nextAttempt()))
        return effects + Pairing.waitingTimers
    }

    static var waitingTimers: [Effect] {
        [.cancel(.approval), .cancel(.retry), .cancel(.renewal), .cancel(.storage)]
    }

    // MARK: Coming in

    /// Saves what was granted, the secret first, so that the record never names one that is not there.
    private func save(
        _ state: inout State, _ waiting: Waiting, _ secret: Secret, _ user: UserID, _ isAdmin: Bool,
        _ context: inout Context
    ) -> [Effect] {
        guard case .asking(let call) = waiting.stage else { return [] }
        let handle = SecretHandle(ExactText(context.entropy.uuid()))
        let attempt = context.nextAttempt()
        var waiting = waiting
        waiting.stage = .savingSecret(
            Credentials(user: user, isAdmin: isAdmin, secret: handle), attempt)
        state.phase = .waitingForApproval(waiting)
        return [.save(.secret(secret), under: .secret(handle), attempt), .close(.ask(call))]
            + Pairing.waitingTimers + [.start(.storage, after: configuration.storageLimit)]
    }

    /// The person is in.
    func enter(
        _ state: inout State, _ credentials: Credentials, isRemembered: Bool, _ context: inout Context
    ) -> [Effect] {
        state.phase = .paired(Session(credentials: credentials, isRemembered: isRemembered))
        if !isRemembered { state.notice = .notRemembered }
        return [.cancel(.storage), .erase(.request, context.nextAttempt())]
    }

    // MARK: Leaving

    private func signOut(_ state: inout State, notice: Notice?, _ context: inout Context) -> [Effect] {
        guard case .paired(let session) = state.phase else { return [] }
        state.phase = .idle
        state.name = ""
        state.notice = notice
        state.incoming = Incoming(configuration: configuration)
        return erase(session.credentials, &context) + [.cancel(.incoming)]
    }

    /// Erases credentials, the record first, so that it never names a secret that is gone.
    private func erase(_ credentials: Credentials, _ context: inout Context) -> [Effect] {
        [
            .erase(.credentials, context.nextAttempt()),
            .erase(.secret(credentials.secret), context.nextAttempt()),
        ]
    }
}
