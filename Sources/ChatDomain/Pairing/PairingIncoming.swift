// The admin's side of pairing (P9): the devices that ask to come in, one row each, for 300 s or until a decision.
// Decisions are sent over a connection that chat owns; the root reports when it opens and closes.
//
// A row with a decision is kept, but not shown, until it expires. If the decision did not arrive, the row returns to
// its place with its age.

extension Pairing {
    /// A new connection means that the former one is gone.
    func openLink(_ state: inout State, _ attempt: Attempt, _ context: inout Context) -> [Effect] {
        guard case .paired = state.phase, state.incoming.link != attempt else { return [] }
        reopenDoubtful(&state, context)
        state.incoming.link = attempt
        return []
    }

    func closeLink(_ state: inout State, _ attempt: Attempt, _ context: inout Context) -> [Effect] {
        guard state.incoming.link == attempt else { return [] }
        reopenDoubtful(&state, context)
        state.incoming.link = nil
        return []
    }

    /// A decision just before a lost connection may not have arrived, so its row comes back. The first decision wins.
    private func reopenDoubtful(_ state: inout State, _ context: Context) {
        for row in state.incoming.rows.rows {
            guard case .decided(let sent) = row.value.standing,
                context.now - sent < configuration.decisionDoubt
            else { continue }
            show(&state, row.value.request, context)
        }
    }

    func heard(
        _ state: inout State, _ event: Event, _ attempt: Attempt, _ context: inout Context
    ) -> [Effect] {
        guard state.incoming.link == attempt else { return [] }
        switch event {
        case .requested(let request):
            guard let request = presentable(request) else { return [] }
            makeRoom(&state, for: request.device)
            show(&state, request, context)
        case .resolved(let device): guard state.incoming.rows.remove(device) != nil else { return [] }
        case .notDecided(let device, let reason):
            guard let row = state.incoming.rows[device], row.standing != .undecided else { return [] }
            show(&state, row.request, context)
            state.notice = .decisionRefused(readable(reason))
        case .rights(let isAdmin):
            let saved = setRights(&state, isAdmin, &context)
            // Who is no longer an admin sees no requests.
            guard !isAdmin, !state.incoming.rows.rows.isEmpty else { return saved }
            state.incoming.rows = Incoming(configuration: configuration).rows
            return saved + expiryTimer(state, context)
        case .pending, .granted, .refused: return []
        }
        return expiryTimer(state, context)
    }

    /// The presentable part of an unknown device's request; `nil` without a genuine id.
    private func presentable(_ request: PairingRequest) -> PairingRequest? {
        guard request.device.isGenuine else { return nil }
        let info = DeviceInfo(
            platform: readable(request.info.platform) ?? "", model: readable(request.info.model) ?? "",
            systemVersion: readable(request.info.systemVersion), appVersion: readable(request.info.appVersion)
        )
        return PairingRequest(device: request.device, claimedName: name(request.claimedName), info: info)
    }

    private func makeRoom(_ state: inout State, for device: DeviceID) {
        let table = state.incoming.rows
        guard table[device] == nil, Int64(table.rows.count) >= table.limit else { return }
        // The oldest decision goes: a lost link may still bring back a later one.
        var oldest: (device: DeviceID, sent: Instant)?
        for row in table.rows {
            guard case .decided(let sent) = row.value.standing, oldest.map({ sent < $0.sent }) ?? true else {
                continue
            }
            oldest = (row.key, sent)
        }
        if let oldest { _ = state.incoming.rows.remove(oldest.device) }
    }

    /// Shows a request. A device with a row keeps its place and age; a full table counts and refuses a new one.
    private func show(_ state: inout State, _ request: PairingRequest, _ context: Context) {
        let row = Row(request: request, standing: .undecided)
        state.incoming.rows.insert(row, for: request.device, at: context.moment)
    }

    /// A failed save is not reported: every connection brings the rights again.
    private func setRights(_ state: inout State, _ isAdmin: Bool, _ context: inout Context) -> [Effect] {
        guard case .paired(var session) = state.phase else { return [] }
        let former = session.credentials
        guard former.isAdmin != isAdmin || session.record.isInDoubt else { return [] }
        session.credentials = Credentials(user: former.user, isAdmin: isAdmin, secret: former.secret)
        session.record.changed()
        return saveRights(&state, session, &context)
    }

    func saveRights(_ state: inout State, _ session: Session, _ context: inout Context) -> [Effect] {
        var session = session
        let attempt = session.isRemembered ? session.record.saves(under: context.nextAttempt()) : nil
        state.phase = .paired(session)
        return attempt.map { [.save(.credentials(session.credentials), under: .credentials, $0)] } ?? []
    }

    /// A new account has a name in a form that all servers accept.
    func approve(
        _ state: inout State, _ device: DeviceID, as user: UserID?, _ context: inout Context
    ) -> [Effect] {
        guard user?.text.trimmed.isEmpty != true, state.incoming.rows[device]?.standing == .undecided else {
            return []
        }
        return decide(
            &state, device, .approve(user ?? UserID("user_" + context.entropy.uuid())), &context)
    }

    func deny(
        _ state: inout State, _ device: DeviceID, reason: ExactText?, _ context: inout Context
    ) -> [Effect] {
        decide(&state, device, .deny(reason: readable(reason)), &context)
    }

    /// A device gets one decision, because a row with a decision is not shown.
    private func decide(
        _ state: inout State, _ device: DeviceID, _ decision: Decision, _ context: inout Context
    ) -> [Effect] {
        guard var row = state.incoming.rows[device], row.standing == .undecided else { return [] }
        guard let link = state.incoming.link else {
            state.notice = .decisionNotSent
            return []
        }
        row.standing = .decided(context.now)
        state.incoming.rows.insert(row, for: device, at: context.moment)
        return [.send(.link(link), .decide(device, decision))]
    }

    func expire(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard !state.incoming.rows.expire(at: context.now).isEmpty else { return [] }
        return expiryTimer(state, context)
    }

    private func expiryTimer(_ state: State, _ context: Context) -> [Effect] {
        guard let deadline = state.incoming.rows.nextDeadline else { return [.cancel(.incoming)] }
        return [.start(.incoming, after: deadline - context.now)]
    }
}
