// The normal form of pairing, for a search: two machines with equal normal forms behave alike. Why that holds:
//
// - Attempts are compared for equality alone, and a new one equals none that is there.
// - The device's id and the handles of secrets are minted here. Reducers compare handles with each other, and the id with
//   nothing. The devices that ask to come in, the people and the texts are named by others, and stay.
// - Each decision by time is one by a difference from now, or between two times of the same clock. The throttle forgets
//   what no longer matters before it is related, as it does by itself before each decision.
// - Nothing reads the count of refused rows.
//
// A row's decision keeps its age although it matters for a few seconds, because the limit stands in the configuration:
// the row itself is gone after its lifetime.

extension Pairing.State: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        phase.normalize(&form)
        device.normalize(&form)
        asking.normalize(&form)
        incoming.normalize(&form)
        erasing.normalize(&form)
        record.normalize(&form)
        superseded.normalize(&form)
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
        case .paired(let session):
            var credentials = session.credentials
            credentials.normalize(&form)
            self = .paired(Pairing.Session(credentials: credentials, isRemembered: session.isRemembered))
        case .failed(.unreadable(let failure, var credentials)):
            credentials.normalize(&form)
            self = .failed(.unreadable(failure, credentials))
        case .idle, .enteringName, .failed: break
        }
    }
}

extension Pairing.RestoredCredentials: Normalizable {
    package mutating func normalize(_ form: inout NormalForm) {
        switch self {
        case .loading(var attempt):
            form.rename(&attempt)
            self = .loading(attempt)
        case .findingSecret(var credentials, var attempt):
            credentials.normalize(&form)
            form.rename(&attempt)
            self = .findingSecret(credentials, attempt)
        case .found(var credentials):
            credentials.normalize(&form)
            self = .found(credentials)
        case .none: break
        }
    }
}

extension Pairing.DeviceIdentity: Normalizable {
    package mutating func normalize(_ form: inout NormalForm) {
        switch self {
        case .loading(var attempt):
            form.rename(&attempt)
            self = .loading(attempt)
        case .saving(var device, var attempt):
            form.rename(&device)
            form.rename(&attempt)
            self = .saving(device, attempt)
        case .known(var device):
            form.rename(&device)
            self = .known(device)
        case .unknown, .unavailable: break
        }
    }
}

extension Pairing.Stage: Normalizable {
    package mutating func normalize(_ form: inout NormalForm) {
        switch self {
        case .asking(var attempt):
            form.rename(&attempt)
            self = .asking(attempt)
        case .savingSecret(var credentials, var attempt):
            credentials.normalize(&form)
            form.rename(&attempt)
            self = .savingSecret(credentials, attempt)
        case .savingCredentials(var credentials, var attempt):
            credentials.normalize(&form)
            form.rename(&attempt)
            self = .savingCredentials(credentials, attempt)
        case .identifying, .backingOff: break
        }
    }
}

extension Pairing.Incoming: Normalizable {
    package mutating func normalize(_ form: inout NormalForm) {
        form.rename(&link)
        rows.normalize(&form) { row, form in
            guard case .decided(var sent) = row.standing else { return }
            form.relate(&sent)
            row.standing = .decided(sent)
        }
    }
}

extension Pairing.Erasing: Normalizable {
    mutating func normalize(_ form: inout NormalForm) {
        left.normalize(&form)
        for index in data.indices { form.rename(&data[index].attempt) }
        credentials.normalize(&form)
        secret.normalize(&form)
    }
}

extension Pairing.Erasing.Step: Normalizable {
    mutating func normalize(_ form: inout NormalForm) {
        guard case .running(var attempt) = self else { return }
        form.rename(&attempt)
        self = .running(attempt)
    }
}

extension Credentials: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        var handle = secret
        handle.normalize(&form)
        self = Credentials(user: user, isAdmin: isAdmin, secret: handle)
    }
}

extension PendingRequest: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        var submitted = submitted
        form.relate(&submitted)
        asked.normalize(&form)
        form.relate(&notBefore)
        secret.normalize(&form)
        left.normalize(&form)
        self = PendingRequest(
            name: name, submitted: submitted, asked: asked, notBefore: notBefore, secret: secret, left: left,
            erased: erased)
    }
}

extension Pairing.Call: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        switch self {
        case .ask(var attempt):
            form.rename(&attempt)
            self = .ask(attempt)
        case .link(var attempt):
            form.rename(&attempt)
            self = .link(attempt)
        }
    }
}

extension Pairing.Key: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        guard case .secret(var handle) = self else { return }
        handle.normalize(&form)
        self = .secret(handle)
    }
}

extension Pairing.Record: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        switch self {
        case .device(var device):
            form.rename(&device)
            self = .device(device)
        case .credentials(var credentials):
            credentials.normalize(&form)
            self = .credentials(credentials)
        case .request(var request):
            request.normalize(&form)
            self = .request(request)
        case .secret: break
        }
    }
}

extension Pairing.Request: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        guard case .pair(var device, let name, let info) = self else { return }
        form.rename(&device)
        self = .pair(device, name: name, info)
    }
}

// Devices that others name, decisions about them, deadlines: nothing to replace.
extension Pairing.Event: Normalizable {}
extension Pairing.Frame: Normalizable {}
extension Pairing.Timer: Normalizable {}
