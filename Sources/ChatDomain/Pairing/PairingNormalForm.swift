// The normal form of pairing, for a search: two machines with equal normal forms behave alike. The reasons:
//
// - Attempts are only compared for equality, and a new one differs from all others.
// - The device's id and the handles of secrets are minted here. Reducers compare handles only with each other, and the
//   id with nothing. The incoming devices, the people and the texts are named by others, and stay.
// - Each decision by time uses a difference from now, or between two times of the same clock. The throttle forgets
//   what no longer matters before it is related, as it does by itself before each decision.
// - No decision depends on the count of refused rows.
//
// A row's decision keeps its age although it matters only for a few seconds, because the limit is in the configuration:
// the row itself is gone after its lifetime.

extension Pairing.State: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        phase.normalize(&form)
        device.normalize(&form)
        requests.normalize(&form)
        incoming.normalize(&form)
        erasing.normalize(&form)
        record.normalize(&form)
        late.normalize(&form)
        unnamed.normalize(&form)
    }
}

extension Pairing.Phase: Normalizable {
    package mutating func normalize(_ form: inout NormalForm) {
        switch self {
        case .restoring(var restoring):
            restoring.credentials.normalize(&form)
            restoring.request.normalize(&form)
            self = .restoring(restoring)
        case .waitingForApproval(var waiting):
            waiting.request.normalize(&form)
            waiting.stage.normalize(&form)
            self = .waitingForApproval(waiting)
        case .paired(var session):
            session.credentials.normalize(&form)
            session.record.normalize(&form)
            self = .paired(session)
        case .failed(.unreadable(let failure, let credentials)):
            self = .failed(.unreadable(failure, form.normal(credentials)))
        case .idle, .enteringName, .failed: break
        }
    }
}

extension Pairing.RestoredCredentials: Normalizable {
    package mutating func normalize(_ form: inout NormalForm) {
        switch self {
        case .loading(let attempt): self = .loading(form.normal(attempt))
        case .findingSecret(let credentials, let attempt):
            self = .findingSecret(form.normal(credentials), form.normal(attempt))
        case .found(let credentials): self = .found(form.normal(credentials))
        case .none: break
        }
    }
}

extension Pairing.DeviceIdentity: Normalizable {
    package mutating func normalize(_ form: inout NormalForm) {
        switch self {
        case .loading(let attempt): self = .loading(form.normal(attempt))
        case .saving(let device, let attempt): self = .saving(form.renamed(device), form.normal(attempt))
        case .known(let device): self = .known(form.renamed(device))
        case .unknown, .unavailable: break
        }
    }
}

extension Pairing.Stage: Normalizable {
    package mutating func normalize(_ form: inout NormalForm) {
        switch self {
        case .asking(let attempt): self = .asking(form.normal(attempt))
        case .savingSecret(let credentials, let attempt):
            self = .savingSecret(form.normal(credentials), form.normal(attempt))
        case .savingCredentials(let credentials, let attempt):
            self = .savingCredentials(form.normal(credentials), form.normal(attempt))
        case .identifying, .backingOff: break
        }
    }
}

extension Pairing.Incoming: Normalizable {
    package mutating func normalize(_ form: inout NormalForm) {
        link.normalize(&form)
        rows.normalize(&form) { row, form in
            guard case .decided(let sent) = row.standing else { return }
            row.standing = .decided(form.normal(sent))
        }
    }
}

extension Pairing.Erasing: Normalizable {
    mutating func normalize(_ form: inout NormalForm) {
        for index in left.indices {
            left[index].handle.normalize(&form)
            left[index].running.normalize(&form)
        }
        for index in data.indices { data[index].attempt.normalize(&form) }
    }
}

extension Credentials: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        self = Credentials(user: user, isAdmin: isAdmin, secret: form.normal(secret))
    }
}

extension PendingRequest: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        submitted.normalize(&form)
        pacing.normalize(&form)
        secrets.normalize(&form)
        left.normalize(&form)
    }
}

extension Pairing.Call: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        switch self {
        case .ask(let attempt): self = .ask(form.normal(attempt))
        case .link(let attempt): self = .link(form.normal(attempt))
        }
    }
}

extension Pairing.Key: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        guard case .secret(let handle) = self else { return }
        self = .secret(form.normal(handle))
    }
}

extension Pairing.Record: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        switch self {
        case .device(let device): self = .device(form.renamed(device))
        case .credentials(let credentials): self = .credentials(form.normal(credentials))
        case .request(let request): self = .request(form.normal(request))
        case .secret: break
        }
    }
}

extension Pairing.Request: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        guard case .pair(let device, let name, let info) = self else { return }
        self = .pair(form.renamed(device), name: name, info)
    }
}

// Devices that others name, decisions about them, deadlines: nothing to replace.
extension Pairing.Event: Normalizable {}
extension Pairing.Frame: Normalizable {}
extension Pairing.Timer: Normalizable {}
