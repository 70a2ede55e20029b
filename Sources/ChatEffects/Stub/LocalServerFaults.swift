// The faults of the in-process backend: the effect of a rule on a due step. If a step's connection ends in the middle,
// the step continues with what the server has by then.

import ChatDomain

extension LocalServer {
    /// The last frame of a connection that the server ends for good.
    enum Farewell {
        case tokenRevoked
        case sessionReplaced

        /// The error frame.
        var frame: [UInt8] {
            switch self {
            case .tokenRevoked: ClawlineFrames.error("token_revoked", message: "Token revoked")
            case .sessionReplaced: ClawlineFrames.error("session_replaced", message: "Connected elsewhere")
            }
        }

        /// The close code: a policy violation or a normal closure (RFC 6455, section 7.4.1).
        var end: CallEnd {
            switch self {
            case .tokenRevoked: .closed(code: 1008, reason: "token_revoked")
            case .sessionReplaced: .closed(code: 1000, reason: "session_replaced")
            }
        }
    }

    mutating func run(_ task: Task, _ outcomes: inout [Outcome]) {
        let kind = task.kind
        guard task.mayFail, let (step, call) = step(of: kind), let fault = behaviour.takeFault(at: step)
        else { return perform(kind, &outcomes) }
        switch fault {
        case .delay(let interval): schedule(kind, after: interval, mayFail: false)
        case .silence: omit(kind)
        case .drop: cut(kind, call, .failed(.lost), &outcomes)
        case .close(let code, let reason):
            let isRequest = call.map { isOpen($0) } ?? false
            cut(kind, call, isRequest ? .completed : .closed(code: code, reason: reason), &outcomes)
        case .noise:
            perform(kind, &outcomes)
            if let call { babble(on: call, &outcomes) }
        case .refuse(let code, let message): refuse(kind, code, message, &outcomes)
        case .status(let status, let retryAfter): answer(kind, call, status, retryAfter, &outcomes)
        case .duplicate: performTwice(kind, &outcomes)
        case .holdBack(let interval): performHeldBack(kind, by: interval, &outcomes)
        case .refuseCursor: refuseCursor(kind, &outcomes)
        case .truncateReplay(let limit): authenticate(kind, replayLimit: limit, &outcomes)
        case .loseHistory:
            if let holder = holder(of: kind, call) { loseHistory(of: holder.user) }
            perform(kind, &outcomes)
        case .loseAssets:
            loseAssets()
            perform(kind, &outcomes)
        case .revokeToken:
            if let holder = holder(of: kind, call) { revoke(holder.device, but: call, &outcomes) }
            part(kind, call, .tokenRevoked, &outcomes)
        case .replaceSession: part(kind, call, .sessionReplaced, &outcomes)
        }
    }

    // MARK: Silence and ends

    /// Skips a step and drops the state that waits for it.
    private mutating func omit(_ kind: Task.Kind) {
        switch kind {
        case .pairing(let device):
            devices.removeAll { $0.id == device && $0.standing == .waiting }
            forgetDeadlines(of: device)
        case .token(_, let id): replies.removeAll { $0.entry.id == id }
        default: break
        }
    }

    /// Ends the connection, unless it has ended already. The server continues with the step, unless its input was still
    /// on the way.
    private mutating func cut(
        _ kind: Task.Kind, _ call: CallNumber?, _ end: CallEnd, _ outcomes: inout [Outcome]
    ) {
        if let call, isOpen(call) || sockets.contains(where: { $0.call == call }) {
            self.end(call, end, &outcomes)
        }
        switch kind {
        case .receipt, .decision: break
        default: perform(kind, &outcomes)
        }
    }

    /// Ends the connection with a farewell; an HTTP request, which has none, ends with the matching status.
    private mutating func part(
        _ kind: Task.Kind, _ call: CallNumber?, _ farewell: Farewell, _ outcomes: inout [Outcome]
    ) {
        guard let call, let socket = sockets.first(where: { $0.call == call }) else {
            return answer(kind, call, 401, nil, &outcomes)
        }
        guard case .connected = socket.phase else { return perform(kind, &outcomes) }
        send(farewell.frame, to: call, &outcomes)
        cut(kind, call, farewell.end, &outcomes)
    }

    /// Revokes a device's token and ends all of its connections except `call`, whose step triggers the fault.
    private mutating func revoke(_ device: DeviceID, but call: CallNumber?, _ outcomes: inout [Outcome]) {
        revoke(device)
        for socket in sockets where socket.call != call {
            guard case .connected(_, device) = socket.phase else { continue }
            send(Farewell.tokenRevoked.frame, to: socket.call, &outcomes)
            end(socket.call, Farewell.tokenRevoked.end, &outcomes)
        }
    }

    /// Answers an HTTP request, or a handshake, with a status alone.
    private mutating func answer(
        _ kind: Task.Kind, _ call: CallNumber?, _ status: Int64, _ retryAfter: Interval?,
        _ outcomes: inout [Outcome]
    ) {
        let headers = retryAfter.map { [Header("retry-after", ExactText("\($0.seconds)"))] } ?? []
        switch kind {
        case .handshake(let call):
            end(call, .refused(status: status, retryAfter: retryAfter, message: ""), &outcomes)
        case .answer(let call, _, _), .whole(let call, _), .suggestion(let call, _, next: 0),
            .coach(let call, _, next: 0), .coachWhole(let call, _), .refresh(let call):
            respond(call, status, headers, body: [], &outcomes)
        case .upload(let upload, _):
            respond(upload.call, status, headers, body: [], &outcomes)
        default: cut(kind, call, .failed(.lost), &outcomes)
        }
    }

    // MARK: Duplicates and delays

    private mutating func performTwice(_ kind: Task.Kind, _ outcomes: inout [Outcome]) {
        let start = outcomes.count
        perform(kind, &outcomes)
        guard isRecognisable(kind) else { return }
        for case .arrived(let call, .text(let frame)) in outcomes[start...] {
            outcomes.append(.arrived(call, .text(frame)))
        }
    }

    private mutating func performHeldBack(
        _ kind: Task.Kind, by interval: Interval, _ outcomes: inout [Outcome]
    ) {
        let start = outcomes.count
        perform(kind, &outcomes)
        guard isRecognisable(kind) else { return }
        let sent = outcomes[start...]
        outcomes.removeSubrange(start...)
        for outcome in sent {
            if case .arrived(let call, .text(let frame)) = outcome {
                schedule(.send(call, frame), after: interval)
            } else {
                outcomes.append(outcome)
            }
        }
    }

    /// Whether the client can recognise the step's output as a duplicate or as out of order.
    private func isRecognisable(_ kind: Task.Kind) -> Bool {
        if case .token = kind, behaviour.dialect == .deltas { false } else { true }
    }

    // MARK: Refusals

    private mutating func refuse(
        _ kind: Task.Kind, _ code: ExactText, _ message: ExactText, _ outcomes: inout [Outcome]
    ) {
        switch kind {
        case .handshake(let call):
            end(call, .refused(status: 503, retryAfter: nil, message: message), &outcomes)
        case .pairing(let device):
            devices.removeAll { $0.id == device }
            forgetDeadlines(of: device)
            guard let call = asking(device) else { return }
            turnAway(call, "pair_result", code, message, &outcomes)
        case .authentication(let call, _, _): turnAway(call, "auth_result", code, message, &outcomes)
        case .decision(let call, _, _):
            complain(call, code, message, about: nil, &outcomes)
        case .receipt(let call, let sender, _, _):
            complain(call, code, message, about: subject(sender.client), &outcomes)
        case .acknowledgement(let call, let client):
            complain(call, code, message, about: subject(client), &outcomes)
        case .echo(let call, _, _):
            guard let call else { return }
            complain(call, code, message, about: nil, &outcomes)
        case .reply(_, let sender, _):
            fail(sender, about: sender.client.text, code, message, &outcomes)
        case .token(_, let id):
            guard let reply = reply(id) else { return }
            replies.removeAll { $0.entry.id == id }
            fail(reply.sender, about: id.text, code, message, &outcomes)
        case .upload(let upload, _):
            let body = ClawlineFrames.error(code, message: message)
            respond(upload.call, Self.httpStatus(of: code), body: body, &outcomes)
        case .answer(let call, _, _), .whole(let call, _):
            respond(call, Self.httpStatus(of: code), body: Self.error(code, message), &outcomes)
        case .suggestion(let call, _, let next): refuseSuggestion(call, next: next, code, message, &outcomes)
        case .coach(let call, let reply, let next):
            refuseCoach(call, next: next, isModel: reply.isModel, code, message, &outcomes)
        case .coachWhole(let call, let reply):
            refuseCoach(call, next: 0, isModel: reply.isModel, code, message, &outcomes)
        case .refresh(let call):
            refuseCoach(call, next: 0, isModel: false, code, message, &outcomes)
        case .expiry, .announcement, .send, .end, .respond: break
        }
    }

    /// Refuses a device or its token: by a result where the protocol has that reason, otherwise by an error and a
    /// close.
    private mutating func turnAway(
        _ call: CallNumber, _ type: StaticString, _ code: ExactText, _ message: ExactText,
        _ outcomes: inout [Outcome]
    ) {
        switch code.string {
        case "pair_rejected", "pair_denied", "pair_timeout", "auth_failed", "token_revoked", "token_expired",
            "device_not_approved":
            send(ClawlineFrames.refused(type, reason: code, message: message), to: call, &outcomes)
        default:
            complain(call, code, message, about: nil, &outcomes)
            end(call, .closed(code: 1008, reason: code), &outcomes)
        }
    }

    private mutating func refuseCursor(_ kind: Task.Kind, _ outcomes: inout [Outcome]) {
        guard case .authentication(let call, _, let cursors) = kind, !cursors.isEmpty else {
            return perform(kind, &outcomes)
        }
        refuseCursor(call, &outcomes)
    }

    private mutating func authenticate(
        _ kind: Task.Kind, replayLimit: Int64, _ outcomes: inout [Outcome]
    ) {
        guard case .authentication(let call, let token, let cursors) = kind else {
            return perform(kind, &outcomes)
        }
        let limit = min(replayLimit, behaviour.replayLimit)
        authenticate(call, token, cursors, replayLimit: limit, &outcomes)
    }

    /// Fails a reply; its question must be resent under a new id.
    private mutating func fail(
        _ sender: Sender, about subject: ExactText, _ code: ExactText, _ message: ExactText,
        _ outcomes: inout [Outcome]
    ) {
        let index = logIndex(of: sender.user)
        logs[index].failed = logs[index].failed.suffix(Self.idempotencyWindow - 1) + [sender.client]
        for call in connections(of: sender.user) {
            complain(call, code, message, about: subject, &outcomes)
        }
    }

    // MARK: The subject of a step

    /// The person and the device of a step; nil if it has none.
    private func holder(of kind: Task.Kind, _ call: CallNumber?) -> Token? {
        switch kind {
        case .authentication(_, let token, _): return token
        case .receipt(_, let sender, _, _), .reply(_, let sender, _): return sender.token
        case .token(_, let id): return reply(id)?.sender.token
        default: break
        }
        if let request = requests.first(where: { $0.call == call }) { return request.token }
        guard case .connected(let user, let device) = sockets.first(where: { $0.call == call })?.phase else {
            return nil
        }
        return Token(user: user, device: device)
    }
}
