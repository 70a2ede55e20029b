// Pairing and storage: the records are loaded, the device id is minted once, and granted credentials are saved.
// An unreadable record never counts as missing (P1).

extension Pairing {
    // MARK: Launch

    func launch(_ state: inout State, _ context: inout Context) -> [Effect] {
        switch (state.phase, state.device) {
        case (.idle, .unknown), (.enteringName, .unknown): restore(&state, &context)
        default: []
        }
    }

    func restore(_ state: inout State, _ context: inout Context) -> [Effect] {
        var effects: [Effect] = [.start(.restoring, after: configuration.restoringLimit)]
        switch state.device {
        case .loading, .saving, .known: break
        case .unknown, .unavailable: effects += loadDevice(&state, &context)
        }
        // Credentials that an earlier attempt has found, or still loads, are not loaded again (L8).
        var credentials = RestoredCredentials.none
        if case .failed(.unreadable(_, let soFar)) = state.phase { credentials = soFar }
        if credentials == .none {
            let attempt = context.nextAttempt()
            credentials = .loading(attempt)
            effects.append(.load(.credentials, attempt))
        }
        state.phase = .restoring(Restoring(credentials: credentials))
        return effects + loadRequest(&state, &context)
    }

    private func finishRestoring(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard case .restoring(let restoring) = state.phase, state.record.isRead else { return [] }
        var request = restoring.request
        switch restoring.credentials {
        case .loading, .findingSecret: return []
        case .found(let credentials) where request?.left.contains(credentials.secret) == true:
            // The person has left, and the process ended before the erasure did (P10).
            return continueRestoring(&state, restoring, .none, &context)
        case .found(let credentials): return restored(&state, credentials, request, &context)
        case .none: break
        }
        switch state.device {
        case .unknown, .loading, .saving: return []
        case .unavailable(let failure): return unreadable(&state, failure)
        case .known:
            // A secret without credentials was stored for a person who did not get in: it belongs to nobody.
            let nobodys = (request?.secrets ?? []).map { Effect.erase(.secret($0), context.nextAttempt()) }
            request?.secrets = []
            let resumed = resume(&state, request, &context)
            return [.cancel(.restoring)] + leaveAgain(&state, &context) + nobodys + resumed
        }
    }

    /// Continues a stored request (P6), unless its life is over.
    private func resume(
        _ state: inout State, _ request: PendingRequest?, _ context: inout Context
    ) -> [Effect] {
        state.phase = .idle
        guard let request else { return saveRequest(&state, &context) }
        recall(&state, request, context)
        let erasing = takeOver(&state, request, &context)
        guard !request.name.isEmpty else {
            return erasing + (kept(state, context) == nil ? keepRequest(&state, &context) : [])
        }
        state.name = request.name
        guard request.submitted + configuration.requestLifetime > context.wall else {
            state.phase = .failed(.timedOut)
            return erasing + keepRequest(&state, &context)
        }
        let again = PendingRequest(name: request.name, submitted: request.submitted)
        return erasing + wait(&state, again, &context)
    }

    func recall(_ state: inout State, _ request: PendingRequest, _ context: Context) {
        // A record keeps milliseconds, and may be read by two tries.
        _ = state.requests.recall(
            request.pacing, atMost: configuration.requestLifetime, within: .milliseconds(2), in: context)
    }

    /// Starts without the records that did not load in time. The device id is still used when it comes.
    func restoringTimedOut(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard case .restoring(let restoring) = state.phase else { return [] }
        if case .found(let credentials) = restoring.credentials {
            return restored(&state, credentials, restoring.request, &context)
        }
        if case .unavailable(let failure) = state.device {
            return unreadable(&state, failure, soFar: restoring.credentials)
        }
        var request = restoring.request
        switch restoring.credentials {
        case .findingSecret(let credentials, _):
            request?.noteReturn(of: credentials)
            return resume(&state, request, &context) + supersede(&state, credentials, &context)
        case .loading(let attempt): state.late = .loading(attempt)
        case .found, .none: break
        }
        return resume(&state, request, &context)
    }

    // MARK: The device id

    func identify(_ state: inout State, _ context: inout Context) -> [Effect] {
        switch state.device {
        case .known(let device): return ask(&state, device, &context)
        case .loading, .saving: return [.start(.storage, after: configuration.storageLimit)]
        case .unknown, .unavailable:
            return loadDevice(&state, &context) + [.start(.storage, after: configuration.storageLimit)]
        }
    }

    private func loadDevice(_ state: inout State, _ context: inout Context) -> [Effect] {
        let attempt = context.nextAttempt()
        state.device = .loading(attempt)
        return [.load(.device, attempt)]
    }

    private func mint(_ state: inout State, _ context: inout Context) -> [Effect] {
        let device = DeviceID(context.entropy.uuid())
        let attempt = context.nextAttempt()
        state.device = .saving(device, attempt)
        return [.save(.device(device), under: .device, attempt)]
    }

    private func identified(_ state: inout State, _ device: DeviceID, _ context: inout Context) -> [Effect] {
        state.device = .known(device)
        switch state.phase {
        case .restoring: return finishRestoring(&state, &context)
        case .waitingForApproval(let waiting):
            guard case .identifying = waiting.stage else { return [] }
            return [.cancel(.storage)] + ask(&state, device, &context)
        case .paired:
            // The id was late, and the notice about it is no longer true.
            if case .deviceUnavailable = state.notice { state.notice = nil }
            return [.cancel(.storage)]
        case .idle, .enteringName, .failed: return []
        }
    }

    private func unidentified(
        _ state: inout State, _ failure: StorageFailure, _ context: inout Context
    ) -> [Effect] {
        state.device = .unavailable(failure)
        switch state.phase {
        case .restoring: return finishRestoring(&state, &context)
        case .waitingForApproval: return fail(&state, .storage(failure), &context)
        case .paired:
            // The person stays signed in, but nothing can be connected without the id.
            state.notice = .deviceUnavailable(failure)
            return [.cancel(.storage)]
        case .idle, .enteringName, .failed: return []
        }
    }

    // MARK: Answers

    func stored(
        _ state: inout State, _ answer: StorageAnswer<Record>, _ key: Key, _ attempt: Attempt,
        _ context: inout Context
    ) -> [Effect] {
        if let effects = erasingEnded(&state, answer, attempt, &context) { return effects }
        return switch key {
        case .device: deviceStored(&state, answer, attempt, &context)
        case .credentials: credentialsStored(&state, answer, attempt, &context)
        case .secret(let handle): secretStored(&state, answer, handle, attempt, &context)
        case .request: requestStored(&state, answer, attempt, &context)
        }
    }

    private func deviceStored(
        _ state: inout State, _ answer: StorageAnswer<Record>, _ attempt: Attempt, _ context: inout Context
    ) -> [Effect] {
        switch (state.device, answer) {
        case (.loading(attempt), .loaded(.device(let device))): identified(&state, device, &context)
        case (.loading(attempt), .missing): mint(&state, &context)
        case (.loading(attempt), .failed(let failure)): unidentified(&state, failure, &context)
        case (.saving(let device, attempt), .saved): identified(&state, device, &context)
        case (.saving(_, attempt), .failed(let failure)): unidentified(&state, failure, &context)
        default: []
        }
    }

    private func credentialsStored(
        _ state: inout State, _ answer: StorageAnswer<Record>, _ attempt: Attempt, _ context: inout Context
    ) -> [Effect] {
        if state.late == .loading(attempt) { return cameLate(&state, answer, &context) }
        switch state.phase {
        case .restoring(var restoring):
            guard restoring.credentials == .loading(attempt) else { return [] }
            switch answer {
            case .loaded(.credentials(let credentials)) where !credentials.user.text.isEmpty:
                let attempt = context.nextAttempt()
                restoring.credentials = .findingSecret(credentials, attempt)
                state.phase = .restoring(restoring)
                return [.load(.secret(credentials.secret), attempt)]
            case .failed(let failure): return unreadable(&state, failure)
            case .missing, .loaded, .saved, .erased:
                return continueRestoring(&state, restoring, .none, &context)
            }
        case .waitingForApproval(let waiting):
            guard case .savingCredentials(let credentials, attempt) = waiting.stage else { return [] }
            return enter(&state, credentials, isRemembered: answer == .saved, &context)
        case .failed(.unreadable(let failure, .loading(attempt))): return unreadable(&state, failure)
        case .idle, .enteringName, .failed: return []
        case .paired(var session):
            guard let ended = session.record.ended(attempt, succeeded: answer == .saved) else { return [] }
            // The record names the secret in use, and that of late credentials no longer.
            if ended == .durable { (state.unnamed, state.late) = (state.otherSecrets, .none) }
            return saveRights(&state, session, &context)
        }
    }

    private func secretStored(
        _ state: inout State, _ answer: StorageAnswer<Record>, _ handle: SecretHandle, _ attempt: Attempt,
        _ context: inout Context
    ) -> [Effect] {
        switch state.phase {
        case .restoring(let restoring):
            guard case .findingSecret(let credentials, attempt) = restoring.credentials else { return [] }
            switch answer {
            case .loaded: return continueRestoring(&state, restoring, .found(credentials), &context)
            case .failed(let failure): return unreadable(&state, failure)
            case .missing, .saved, .erased: return continueRestoring(&state, restoring, .none, &context)
            }
        case .waitingForApproval(var waiting):
            guard case .savingSecret(let credentials, attempt) = waiting.stage else { return [] }
            switch answer {
            case .saved: break
            case .missing: return askAnew(&state, waiting, &context)
            case .failed, .loaded, .erased: return enter(&state, credentials, isRemembered: false, &context)
            }
            let attempt = context.nextAttempt()
            waiting.stage = .savingCredentials(credentials, attempt)
            state.phase = .waitingForApproval(waiting)
            return [.save(.credentials(credentials), under: .credentials, attempt)]
        case .failed(.unreadable(let failure, .findingSecret(_, attempt))): return unreadable(&state, failure)
        case .idle, .enteringName, .paired, .failed: return []
        }
    }

    func requestLoaded(
        _ state: inout State, _ answer: StorageAnswer<Record>, _ context: inout Context
    ) -> [Effect] {
        let request: PendingRequest? =
            if case .loaded(.request(let request)) = answer { request } else { nil }
        guard case .restoring(var restoring) = state.phase else {
            return requestLoadedLate(&state, request, &context)
        }
        // A person who has signed out must not be let in again (P10).
        if let failure = answer.failure, failure == .unreadable || failure == .unavailable,
            restoring.credentials != .none
        {
            return unreadable(&state, failure, soFar: restoring.credentials)
        }
        restoring.request = request
        state.phase = .restoring(restoring)
        return finishRestoring(&state, &context)
    }

    /// Signs in the stored account without the network (P1). A stored request was granted just before, and must not
    /// continue later.
    private func restored(
        _ state: inout State, _ credentials: Credentials, _ request: PendingRequest?, _ context: inout Context
    ) -> [Effect] {
        state.phase = .paired(Session(credentials: credentials, isRemembered: true))
        var effects: [Effect] = [.cancel(.restoring)]
        switch state.device {
        case .known: break
        case .unknown, .loading, .saving: effects.append(.start(.storage, after: configuration.storageLimit))
        case .unavailable(let failure): state.notice = .deviceUnavailable(failure)
        }
        // A request that was not loaded in time is still being loaded, and is applied then.
        guard let request else { return effects }
        return effects + takeIn(&state, request, besides: credentials, &context)
            + keepRequest(&state, &context)
    }

    func takeIn(
        _ state: inout State, _ request: PendingRequest, besides credentials: Credentials,
        _ context: inout Context
    ) -> [Effect] {
        recall(&state, request, context)
        var effects: [Effect] = []
        for left in request.left + request.secrets where left != credentials.secret {
            effects.append(.erase(.secret(left), context.nextAttempt()))
        }
        var noted = request
        (noted.left, noted.secrets) = ([], [])
        noted.erased.removeAll { $0 == credentials.user }  // they have signed in since, or leave again
        return effects + takeOver(&state, noted, &context)
    }

    private func continueRestoring(
        _ state: inout State, _ restoring: Restoring, _ credentials: RestoredCredentials,
        _ context: inout Context
    ) -> [Effect] {
        var restoring = restoring
        restoring.credentials = credentials
        state.phase = .restoring(restoring)
        return finishRestoring(&state, &context)
    }

    /// Stops the launch: an account may be stored here, and a new pairing would hide it (P1).
    private func unreadable(
        _ state: inout State, _ failure: StorageFailure, soFar credentials: RestoredCredentials = .none
    ) -> [Effect] {
        state.phase = .failed(.unreadable(failure, credentials))
        return [.cancel(.restoring)]
    }

    func identifyAgain(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard case .paired = state.phase else { return [] }
        switch (state.device, state.notice) {
        case (.unavailable, _), (.loading, .deviceUnavailable), (.saving, .deviceUnavailable): break
        default: return []
        }
        state.notice = nil
        return identify(&state, &context)
    }

    func storageTimedOut(_ state: inout State, _ context: inout Context) -> [Effect] {
        // The operation is still under way, and its answer is used when it comes; no second one is begun (L8).
        if case .paired = state.phase {
            state.notice = .deviceUnavailable(.unavailable)
            return []
        }
        guard case .waitingForApproval(let waiting) = state.phase else { return [] }
        switch waiting.stage {
        case .identifying: return fail(&state, .storage(.unavailable), &context)
        case .savingSecret(let credentials, _):
            return enter(&state, credentials, isRemembered: false, &context)
        case .savingCredentials(let credentials, let attempt):
            return enter(&state, credentials, isRemembered: false, saving: attempt, &context)
        case .asking, .backingOff: return []
        }
    }
}
