// Stored credentials that a launch did not wait for (P1): a slow disk brings them when somebody is at the name field, waits,
// or is in. They let nobody in any more, and stay until others replace them or their person leaves, so that no secret is
// left that nothing names (L10).
//
//     none ──the launch goes on──▶ loading ──the record is read──▶ found ──a sign-in, an erasure──▶ none

extension Pairing {
    /// What is known of stored credentials after a launch has gone on without them.
    enum LateCredentials: DomainValue {
        /// Nothing, or the launch has waited for them.
        case none
        /// The record is still being read.
        case loading(Attempt)
        /// They are stored, unless a save has replaced them.
        case found(Credentials)
    }

    /// The launch went on without this answer. A sign-in that is remembered waits for it no longer (`takePlace`).
    func cameLate(
        _ state: inout State, _ answer: StorageAnswer<Record>, _ context: inout Context
    ) -> [Effect] {
        state.late = .none
        guard case .loaded(.credentials(let credentials)) = answer else { return [] }
        return supersede(&state, credentials, &context)
    }

    /// Credentials that are loaded too late stay (P1), until others replace them; then only the note names their secret.
    func supersede(
        _ state: inout State, _ credentials: Credentials, _ context: inout Context
    ) -> [Effect] {
        if state.erasing.hasLeft(credentials.secret) { return leaveAgain(&state, &context) }
        state.late = .found(credentials)
        return keepRequest(&state, &context)
    }
}

extension Pairing.State {
    /// Stored credentials that were loaded after the launch went on (P1). A sign-in replaces them.
    var superseded: Credentials? { if case .found(let credentials) = late { credentials } else { nil } }

    /// The secrets that may be stored, besides those of a question, a session and the people who have left.
    var otherSecrets: [SecretHandle] {
        guard let late = superseded?.secret else { return unnamed }
        return unnamed.filter { $0 != late } + [late]
    }
}

extension PendingRequest {
    /// Notes that a person is in, or will be at the next launch: they have signed in since their data was to be erased.
    mutating func noteReturn(of credentials: Credentials?) {
        guard let credentials, !left.contains(credentials.secret) else { return }
        erased.removeAll { $0 == credentials.user }
    }
}

extension Pairing.LateCredentials: Normalizable {
    mutating func normalize(_ form: inout NormalForm) {
        switch self {
        case .loading(let attempt): self = .loading(form.normal(attempt))
        case .found(let credentials): self = .found(form.normal(credentials))
        case .none: break
        }
    }
}
