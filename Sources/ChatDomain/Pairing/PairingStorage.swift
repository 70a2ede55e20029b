// What pairing does with storage: it loads what the last run left, mints the device id once, and saves what
// was granted. Unreadable is never taken for missing (P1): only a load that finds nothing leads to minting.

extension Pairing {
    // MARK: Launch

    /// Loads what is stored. Makes sense once, or again after storage failed.
    func launch(_ state: inout State, _ context: inout Context) -> [Effect] {
        switch (state.phase, state.device) {
        case (.idle, .unknown), (.enteringName, .unavailable): break
        default: return []
        }
        let (device, credentials, request) = (
            context.nextAttempt(), context.nextAttempt(), context.nextAttempt()
        )
        state.device = .loading(device)
        state.phase = .restoring(
            Restoring(credentials: .loading(credentials), request: .loading(request)))
        return [
            .start(.restoring, after: configuration.restoringLimit),
            .load(.device, device), .load(.credentials, credentials), .load(.request, request),
        ]
    }

    /// Leaves `restoring` once it is known who is signed in, or that nobody is.
    private func settle(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard case .restoring(let restoring) = state.phase,
            case .none = restoring.credentials, case .known(let request) = restoring.request
        else { return [] }
        switch state.device {
        case .unknown, .loading, .saving: return []
        case .unavailable(let failure):
            state.phase = .failed(.storage(failure))
            return [.cancel(.restoring)]
        case .known: return [.cancel(.restoring)] + resume(&state, request, &context)
        }
    }

    /// Goes on with the request that was waiting when the app ended, if it still lives (P6). Its age is
    /// wall time, which may have been set back or forth: it lives no longer than a new one, and not at all
    /// once it is over.
    private func resume(
        _ state: inout State, _ request: PendingRequest?, _ context: inout Context
    ) -> [Effect] {
        state.phase = .idle
        guard let request else { return [] }
        state.name = request.name
        let whole = configuration.requestLifetime
        let remaining = min(request.submitted + whole - context.wall, whole)
        guard remaining > .zero else {
            state.phase = .failed(.timedOut)
            return [.erase(.request, context.nextAttempt())]
        }
        return wait(&state, request, remaining: remaining, &context)
    }

    /// Starts without what has not been loaded in time.
    func restoringTimedOut(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard case .restoring(var restoring) = state.phase else { return [] }
        restoring.credentials = .none
        if case .loading = restoring.request { restoring.request = .known(nil) }
        state.phase = .restoring(restoring)
        switch state.device {
        case .loading, .saving: state.device = .unavailable(.unavailable)
        case .unknown, .known, .unavailable: break
        }
        guard case .unavailable = state.device else { return settle(&state, &context) }
        state.phase = .idle  // the id is asked for again when it is needed
        return []
    }

    // MARK: The device id

    /// Asks once the device id is stored, and sees to it that it is.
    func identify(_ state: inout State, _ context: inout Context) -> [Effect] {
        switch state.device {
        case .known(let device): return ask(&state, device, &context)
        case .loading, .saving: return [.start(.storage, after: configuration.storageLimit)]
        case .unknown, .unavailable:
            let attempt = context.nextAttempt()
            state.device = .loading(attempt)
            return [.load(.device, attempt), .start(.storage, after: configuration.storageLimit)]
        }
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
        case .restoring: return settle(&state, &context)
        case .waitingForApproval(let waiting):
            guard case .identifying = waiting.stage else { return [] }
            return [.cancel(.storage)] + ask(&state, device, &context)
        case .idle, .enteringName, .paired, .failed: return []
        }
    }

    private func unidentified(
        _ state: inout State, _ failure: StorageFailure, _ context: inout Context
    ) -> [Effect] {
        state.device = .unavailable(failure)
        switch state.phase {
        case .restoring: return settle(&state, &context)
        case .waitingForApproval: return fail(&state, .storage(failure), &context)
        case .idle, .enteringName, .paired, .failed: return []
        }
    }

    // MARK: Answers

    func stored(
        _ state: inout State, _ answer: StorageAnswer<Record>, _ key: Key, _ attempt: Attempt,
        _ context: inout Context
    ) -> [Effect] {
        switch key {
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
        switch state.phase {
        case .restoring(var restoring):
            guard restoring.credentials == .loading(attempt) else { return [] }
            switch answer {
            case .loaded(.credentials(let credentials)):
                let attempt = context.nextAttempt()
                restoring.credentials = .findingSecret(credentials, attempt)
                state.phase = .restoring(restoring)
                return [.load(.secret(credentials.secret), attempt)]
            case .failed(let failure):
                return unreadable(&state, failure)
            case .missing, .loaded, .saved, .erased:
                return notSignedIn(&state, restoring, &context)
            }
        case .waitingForApproval(let waiting):
            guard case .savingCredentials(let credentials, attempt) = waiting.stage else { return [] }
            return enter(&state, credentials, isRemembered: answer == .saved, &context)
        case .idle, .enteringName, .failed:
            if case .failed = answer { state.notice = .notErased }
            return []
        case .paired:
            return []
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
            case .loaded: return restored(&state, credentials, &context)
            case .failed(let failure): return unreadable(&state, failure)
            case .missing, .saved, .erased: return notSignedIn(&state, restoring, &context)
            }
        case .waitingForApproval(var waiting):
            guard case .savingSecret(let credentials, attempt) = waiting.stage else { return [] }
            guard answer == .saved else {
                return enter(&state, credentials, isRemembered: false, &context)
            }
            let attempt = context.nextAttempt()
            waiting.stage = .savingCredentials(credentials, attempt)
            state.phase = .waitingForApproval(waiting)
            return [.save(.credentials(credentials), under: .credentials, attempt)]
        case .idle, .enteringName, .paired, .failed:
            return []
        }
    }

    private func requestStored(
        _ state: inout State, _ answer: StorageAnswer<Record>, _ attempt: Attempt, _ context: inout Context
    ) -> [Effect] {
        guard case .restoring(var restoring) = state.phase, restoring.request == .loading(attempt)
        else { return [] }
        if case .loaded(.request(let request)) = answer {
            restoring.request = .known(request)
        } else {
            restoring.request = .known(nil)  // a request that cannot be read is made again by the person
        }
        state.phase = .restoring(restoring)
        return settle(&state, &context)
    }

    /// No network is asked: who was in is in (P1).
    private func restored(
        _ state: inout State, _ credentials: Credentials, _ context: inout Context
    ) -> [Effect] {
        state.phase = .paired(Session(credentials: credentials, isRemembered: true))
        return [.cancel(.restoring)]
    }

    private func notSignedIn(
        _ state: inout State, _ restoring: Restoring, _ context: inout Context
    ) -> [Effect] {
        var restoring = restoring
        restoring.credentials = .none
        state.phase = .restoring(restoring)
        return settle(&state, &context)
    }

    /// Somebody may be signed in here; a new pairing would hide it, so the person is told (P1).
    private func unreadable(_ state: inout State, _ failure: StorageFailure) -> [Effect] {
        state.phase = .failed(.storage(failure))
        state.device = .unavailable(failure)
        return [.cancel(.restoring)]
    }

    func storageTimedOut(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard case .waitingForApproval(let waiting) = state.phase else { return [] }
        switch waiting.stage {
        case .identifying: return unidentified(&state, .unavailable, &context)
        case .savingSecret(let credentials, _), .savingCredentials(let credentials, _):
            return enter(&state, credentials, isRemembered: false, &context)
        case .asking, .backingOff: return []
        }
    }
}
