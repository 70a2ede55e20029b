// The admin's side of pairing (P9): the devices that ask to come in, one row each, until they are decided
// about or 300 s old. Decisions travel over a connection that chat owns; pairing is told when it is there.

extension Pairing {
    func openLink(_ state: inout State, _ attempt: Attempt) -> [Effect] {
        guard case .paired = state.phase else { return [] }
        state.incoming.link = attempt
        return []
    }

    /// A decision that was sent just before the connection was lost may not have arrived: its row comes
    /// back. Deciding twice is harmless, because the first decision wins.
    func closeLink(_ state: inout State, _ attempt: Attempt, _ context: inout Context) -> [Effect] {
        guard state.incoming.link == attempt else { return [] }
        state.incoming.link = nil
        for row in state.incoming.rows.rows {
            guard case .decided(let sent) = row.value.standing,
                context.now - sent < configuration.decisionDoubt
            else { continue }
            show(&state, row.value.request, context)
        }
        return []
    }

    func heard(
        _ state: inout State, _ event: Event, _ attempt: Attempt, _ context: inout Context
    ) -> [Effect] {
        guard state.incoming.link == attempt else { return [] }
        switch event {
        case .requested(let request):
            show(&state, request, context)
        case .resolved(let device):
            _ = state.incoming.rows.remove(device)
        case .pending, .granted, .refused:
            return []
        }
        return expiryTimer(state, context)
    }

    /// Shows a request. A device that has a row keeps its place and its age; one too many is counted by the
    /// table and not shown.
    private func show(_ state: inout State, _ request: PairingRequest, _ context: Context) {
        let row = Row(request: request, standing: .undecided)
        _ = state.incoming.rows.insert(row, for: request.device, at: context.moment)
    }

    /// One decision a device, however often it is tapped: a decided row is no longer there to be tapped.
    func decide(
        _ state: inout State, _ device: DeviceID, _ decision: Decision, _ context: inout Context
    ) -> [Effect] {
        guard var row = state.incoming.rows[device], row.standing == .undecided else { return [] }
        guard let link = state.incoming.link else {
            state.notice = .decisionNotSent
            return []
        }
        row.standing = .decided(context.now)
        _ = state.incoming.rows.insert(row, for: device, at: context.moment)
        return [.send(.link(link), .decide(device, decision))]
    }

    func expire(_ state: inout State, _ context: inout Context) -> [Effect] {
        _ = state.incoming.rows.expire(at: context.now)
        return expiryTimer(state, context)
    }

    private func expiryTimer(_ state: State, _ context: Context) -> [Effect] {
        guard let deadline = state.incoming.rows.nextDeadline else { return [.cancel(.incoming)] }
        return [.start(.incoming, after: deadline - context.now)]
    }
}
