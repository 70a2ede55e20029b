// The transitions of pairing. An action that makes sense in a phase is one named step; any other changes nothing (L1).
// Steps compare the attempt of an answer with the awaited one, so a ghost changes nothing either (L4).

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
        case .signedOutForGood: signOutForGood(&state, &context)
        case .credentialsRefused(let refusal): signOut(&state, notice: .signedOut(refusal), &context)
        case .networkReturned: askAgain(&state, isOpen: false, &context)
        case .noticeDismissed: dismissNotice(&state)
        case .dataErased(let attempt): dataErasingEnded(&state, attempt, hasFailed: false, &context)
        case .dataNotErased(let attempt): dataErasingEnded(&state, attempt, hasFailed: true, &context)

        case .approved(let device, let user): approve(&state, device, as: user, &context)
        case .denied(let device, let reason): deny(&state, device, reason: reason, &context)
        case .linkOpened(let attempt): openLink(&state, attempt, &context)
        case .linkClosed(let attempt): closeLink(&state, attempt, &context)

        case .received(let event, .ask(let attempt)): answered(&state, event, attempt, &context)
        case .received(let event, .link(let attempt)): heard(&state, event, attempt, &context)
        case .ended(.ask(let attempt), let end): askEnded(&state, attempt, end, &context)
        case .ended(.link(let attempt), _): closeLink(&state, attempt, &context)
        case .stored(let answer, let key, let attempt): stored(&state, answer, key, attempt, &context)

        case .timerFired(.restoring): restoringTimedOut(&state, &context)
        case .timerFired(.storage): storageTimedOut(&state, &context)
        case .timerFired(.erasing): erasingTimedOut(&state)
        case .timerFired(.approval): approvalTimedOut(&state, &context)
        case .timerFired(.retry): askAgain(&state, isOpen: false, &context)
        case .timerFired(.renewal): askAgain(&state, isOpen: true, &context)
        case .timerFired(.incoming): expire(&state, &context)
        }
    }

    // MARK: The name

    private func editName(_ state: inout State, _ text: ExactText) -> [Effect] {
        switch state.phase {
        case .idle, .enteringName, .failed(.emptyName):
            state.name = text.cut(toByteCount: configuration.textLimit)
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
        let name = name(state.name)
        guard !name.isEmpty else {
            state.phase = .failed(.emptyName)
            return []
        }
        let request = PendingRequest(name: name, submitted: context.wall)
        return wait(&state, request, &context)
    }

    /// The sent and visible form of a name (P2). The second trimming removes white space at the end that the cut made.
    func name(_ text: ExactText) -> ExactText {
        let name = text.withoutControlCharacters.trimmed.cut(toByteCount: configuration.nameLimit).trimmed
        return name.isBlank ? "" : name
    }

    func readable(_ text: ExactText?) -> ExactText? {
        guard let text else { return nil }
        let readable = text.cut(toByteCount: configuration.textLimit).withoutControlCharacters.trimmed
        return readable.isEmpty ? nil : readable
    }

    private func retry(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard case .failed(let failure) = state.phase else { return identifyAgain(&state, &context) }
        if case .unreadable = failure { return restore(&state, &context) }
        state.phase = .enteringName
        return []
    }

    private func cancel(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard case .waitingForApproval(let waiting) = state.phase else { return [] }
        state.phase = .enteringName
        return stopWaiting(&state, waiting, &context)
    }

    private func dismissNotice(_ state: inout State) -> [Effect] {
        state.notice = nil
        return []
    }

    // MARK: Waiting

    /// Begins to wait for the rest of the request's life, or for `shortest` if that is longer, and asks once the device id
    /// is stored. The request names the secret in advance, so that no launch leaves it behind.
    func wait(
        _ state: inout State, _ request: PendingRequest, atLeast shortest: Interval = .zero,
        _ context: inout Context
    ) -> [Effect] {
        var request = request
        // The wall clock may have been set (P6): the record says of the request's life what the timer does.
        let earliest = context.wall + shortest - configuration.requestLifetime
        request.submitted = max(min(request.submitted, context.wall), earliest)
        let remaining = request.submitted + configuration.requestLifetime - context.wall
        request.secrets = [SecretHandle(ExactText(context.entropy.uuid()))]
        let waiting = Waiting(
            request: request, code: nil, stage: .identifying, backoff: Backoff(configuration.backoff))
        state.phase = .waitingForApproval(waiting)
        _ = state.record.changed()  // saved below, or together with the question
        return [.start(.approval, after: remaining)] + identify(&state, &context)
            + saveRequest(&state, &context)
    }

    func ask(_ state: inout State, _ device: DeviceID, _ context: inout Context) -> [Effect] {
        guard case .waitingForApproval(var waiting) = state.phase else { return [] }
        switch state.requests.admit(at: context.now) {
        case .wait(let until):
            if case .asking = waiting.stage { return [.start(.renewal, after: until - context.now)] }
            waiting.stage = .backingOff
            state.phase = .waitingForApproval(waiting)
            return [.start(.retry, after: until - context.now)]
        case .now:
            let attempt = context.nextAttempt()
            var effects: [Effect] = []
            effects.reserveCapacity(5)  // asking is the most frequent step
            effects.append(.cancel(.retry))
            if case .asking(let previous) = waiting.stage { effects.append(.close(.ask(previous))) }
            waiting.stage = .asking(attempt)
            waiting.isHeard = false
            state.phase = .waitingForApproval(waiting)
            effects += keepRequest(&state, &context)
            let question = Request.pair(device, name: waiting.request.name, configuration.device)
            effects.append(.open(.ask(attempt), question))
            effects.append(.start(.renewal, after: configuration.renewalInterval))
            return effects
        }
    }

    /// Asks again: after a wait, or within a question (`isOpen`), which shows whether the connection still works.
    private func askAgain(_ state: inout State, isOpen: Bool, _ context: inout Context) -> [Effect] {
        guard case .waitingForApproval(let waiting) = state.phase, case .known(let device) = state.device
        else { return [] }
        return switch waiting.stage {
        case .asking where isOpen, .backingOff where !isOpen: ask(&state, device, &context)
        case .identifying, .asking, .backingOff, .savingSecret, .savingCredentials: []
        }
    }

    private func answered(
        _ state: inout State, _ event: Event, _ attempt: Attempt, _ context: inout Context
    ) -> [Effect] {
        guard case .waitingForApproval(var waiting) = state.phase, waiting.stage == .asking(attempt)
        else { return [] }
        switch event {
        case .pending(let code):
            if let code = readable(code) { waiting.code = code }
            waiting.isHeard = true
            waiting.trouble = nil
            state.phase = .waitingForApproval(waiting)
            return []
        case .granted(let secret, let user, let isAdmin):
            // A token without a user id, or the reverse, counts as none (P1).
            guard !secret.reveal().isEmpty, user.isGenuine else { return [] }
            return save(&state, waiting, secret, user, isAdmin, &context)
        case .refused(let refusal): return fail(&state, .refused(readable(refusal)), &context)
        case .requested, .resolved, .notDecided, .rights: return []
        }
    }

    private func askEnded(
        _ state: inout State, _ attempt: Attempt, _ end: CallEnd, _ context: inout Context
    ) -> [Effect] {
        guard case .waitingForApproval(var waiting) = state.phase, waiting.stage == .asking(attempt)
        else { return [] }
        var told = Interval.zero
        state.requests.forget(at: context.now)  // so that a withdrawal changes only what is stored
        let requests = state.requests
        switch end {
        case .refused(let status, _, let message) where Pairing.isFinal(status):
            return fail(&state, .unacceptable(readable(message)), &context)
        case .refused(_, let retryAfter?, _) where retryAfter > .zero:
            // No wait is longer than the lifetime of a request: a mistake of the server would lock the device out.
            told = min(retryAfter, configuration.requestLifetime)
            state.requests.pause(until: context.now + told)
        // A question that has not left this device does not count (C2).
        case .failed(.offline) where !waiting.isHeard: state.requests.withdraw()
        case .refused, .completed, .closed, .failed: break
        }
        let delay = delay(after: end, &waiting.backoff, &context)
        waiting.trouble = trouble(end, waiting)
        waiting.stage = .backingOff
        state.phase = .waitingForApproval(waiting)
        let changed = requests == state.requests ? [] : keepRequest(&state, &context)
        return [.cancel(.renewal)] + changed + [.start(.retry, after: max(delay, told))]
    }

    /// A complete exchange without an answer comes from a server that cannot keep a call open; the question is still
    /// pending.
    private func delay(after end: CallEnd, _ backoff: inout Backoff, _ context: inout Context) -> Interval {
        if case .completed = end { return configuration.renewalInterval }
        // The lifetime of the request limits the attempts, not their number (P6): a used-up backoff starts again.
        if backoff.isExhausted { backoff.reset() }
        return backoff.next(&context.entropy) ?? configuration.renewalInterval
    }

    /// The reason that the person sees while the question waits; `nil` for a usual end: a server may close the call
    /// once it has heard the question.
    private func trouble(_ end: CallEnd, _ waiting: Waiting) -> CallEnd? {
        switch end {
        case .completed: nil
        case .closed: waiting.isHeard ? nil : .failed(.lost)
        case .refused(let status, _, let message):
            .refused(status: status, retryAfter: nil, message: readable(message) ?? "")
        case .failed: end
        }
    }

    private func readable(_ refusal: PairingRefusal) -> PairingRefusal {
        switch refusal {
        case .denied(let reason): .denied(reason: readable(reason))
        case .rejected(let reason): .rejected(reason: readable(reason))
        case .timedOut: .timedOut
        }
    }

    /// Whether a repetition with this status is useless (RFC 9110, section 15.5): 4xx except time-out, conflict, too
    /// early and too many.
    private static func isFinal(_ status: Int64) -> Bool {
        switch status {
        case 408, 409, 425, 429: false
        case 400...499: true
        default: false
        }
    }

    /// A request that the server has granted cannot time out any more.
    private func approvalTimedOut(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard case .waitingForApproval(let waiting) = state.phase else { return [] }
        switch waiting.stage {
        case .identifying, .asking, .backingOff: return fail(&state, .timedOut, &context)
        case .savingSecret, .savingCredentials: return []
        }
    }

    func fail(_ state: inout State, _ failure: Failure, _ context: inout Context) -> [Effect] {
        guard case .waitingForApproval(let waiting) = state.phase else { return [] }
        state.phase = .failed(failure)
        return stopWaiting(&state, waiting, &context)
    }

    private func stopWaiting(_ state: inout State, _ waiting: Waiting, _ context: inout Context) -> [Effect] {
        let effects =
            switch waiting.stage {
            case .identifying, .backingOff: keepRequest(&state, &context)
            case .asking(let attempt): [.close(.ask(attempt))] + keepRequest(&state, &context)
            // The record was not touched: an older one that could not be loaded stays.
            case .savingSecret(let credentials, _): leave(&state, credentials, erasesRecord: false, &context)
            case .savingCredentials(let credentials, _): leave(&state, credentials, &context)
            }
        return effects + Pairing.waitingTimers
    }

    static let waitingTimers: [Effect] =
        [.cancel(.approval), .cancel(.retry), .cancel(.renewal), .cancel(.storage)]

    // MARK: Entering

    /// Saves the granted credentials, the secret first, so that the record never names a missing one.
    private func save(
        _ state: inout State, _ waiting: Waiting, _ secret: Secret, _ user: UserID, _ isAdmin: Bool,
        _ context: inout Context
    ) -> [Effect] {
        guard case .asking(let call) = waiting.stage, let handle = waiting.request.secrets.last
        else { return [] }
        let attempt = context.nextAttempt()
        var waiting = waiting
        waiting.stage = .savingSecret(Credentials(user: user, isAdmin: isAdmin, secret: handle), attempt)
        state.phase = .waitingForApproval(waiting)
        return [.save(.secret(secret), under: .secret(handle), attempt), .close(.ask(call))]
            + Pairing.waitingTimers + [.start(.storage, after: configuration.storageLimit)]
    }

    /// Signs in. A save of the record that is still under way may succeed later.
    func enter(
        _ state: inout State, _ credentials: Credentials, isRemembered: Bool, saving: Attempt? = nil,
        _ context: inout Context
    ) -> [Effect] {
        var session = Session(credentials: credentials, isRemembered: isRemembered)
        if let saving {
            session.record.changed()
            _ = session.record.saves(under: saving)
        }
        state.phase = .paired(session)
        guard isRemembered else {
            state.notice = .notRemembered
            comeBack(&state, credentials.user)
            return [.cancel(.storage)] + keepRequest(&state, &context)
        }
        let effects = takePlace(&state, of: credentials.user, &context)
        switch state.notice {
        case .signedOut: state.notice = nil  // no longer true
        case .notErased, .dataNotErased:
            // These credentials have replaced those, and who comes back keeps the data; that of others may be left.
            state.notice = state.erasing.data.isEmpty ? nil : .dataNotErased
        case .notRemembered, .deviceUnavailable, .decisionNotSent, .decisionRefused, nil: break
        }
        return [.cancel(.storage)] + effects + keepRequest(&state, &context)
    }

    /// Asks again, because the token is lost with the process that was to save it; the server still has it (R4, P8).
    func askAnew(_ state: inout State, _ waiting: Waiting, _ context: inout Context) -> [Effect] {
        let unnamed = waiting.request.secrets.map { Effect.erase(.secret($0), context.nextAttempt()) }
        // A granted request has not waited too long, however the clock was set.
        return [.cancel(.storage)] + unnamed
            + wait(&state, waiting.request, atLeast: configuration.renewalInterval, &context)
    }
}
