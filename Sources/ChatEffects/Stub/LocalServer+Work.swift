// What the in-process backend does when the time of a task has come. Each task is a step at which a rule may
// make something go wrong; what then remains of the step follows it.

import ChatDomain

extension LocalServer {
    mutating func run(_ task: Task, _ outcomes: inout [Outcome]) {
        guard task.mayFail, let (step, call) = place(of: task.kind), let fault = behaviour.takeFault(at: step)
        else { return perform(task.kind, &outcomes) }
        switch fault {
        case .delay(let interval): schedule(task.kind, after: interval, mayFail: false)
        case .silence: omit(task.kind)
        case .drop: cut(task.kind, step, call, .failed(.lost), &outcomes)
        case .close(let code, let reason):
            let isExchange = call.map { exchanges.contains($0) } ?? false
            let end = isExchange ? CallEnd.completed : .closed(code: code, reason: reason)
            cut(task.kind, step, call, end, &outcomes)
        case .noise:
            perform(task.kind, &outcomes)
            if let call { babble(on: call, &outcomes) }
        case .refuse(let code, let message): refuse(task.kind, code, message, &outcomes)
        }
    }

    /// The step that a task is, and the connection that it concerns.
    private func place(of kind: Task.Kind) -> (Step, CallNumber?)? {
        switch kind {
        case .handshake(let call): (.handshake, call)
        case .pairing(let device): (.pairing, asking(device))
        case .authentication(let call, _, _, _): (.authentication, call)
        case .receipt(let call, _, _): (.receipt, call)
        case .acknowledgement(let call, _): (.acknowledgement, call)
        case .echo(let call, _, _): (.echo, call)
        case .reply(let call, _, _): (.reply, call)
        case .token(let call, let id): reply(id).map { (.token($0.sentTokens + 1), call) }
        case .answer(let call, _, _): (.answer, call)
        case .suggestion(let call, _, let next): (.suggestion(next), call)
        case .coach(let call, _, let next): (.coach(next), call)
        case .coachWhole(let call, _): (.coachWhole, call)
        case .refresh(let call): (.refresh, call)
        case .send, .end, .respond, .http: nil
        }
    }

    /// The newest connection on which a device asks to come in.
    private func asking(_ device: DeviceID) -> CallNumber? {
        sockets.last { $0.phase == .pairing(device) }?.call
    }

    private func reply(_ id: MessageID) -> Reply? {
        replies.first { $0.entry.id == id }
    }

    // MARK: Faults

    /// A step does not happen; what waited for it is forgotten.
    private mutating func omit(_ kind: Task.Kind) {
        switch kind {
        case .pairing(let device): devices.removeAll { $0.id == device && !$0.isApproved }
        case .token(_, let id): replies.removeAll { $0.entry.id == id }
        default: break
        }
    }

    /// The connection ends. The server goes on with the step, unless what it needs was still on its way.
    private mutating func cut(
        _ kind: Task.Kind, _ step: Step, _ call: CallNumber?, _ end: CallEnd, _ outcomes: inout [Outcome]
    ) {
        if let call { self.end(call, end, &outcomes) }
        if step != .receipt { perform(kind, &outcomes) }
    }

    private mutating func refuse(
        _ kind: Task.Kind, _ code: ExactText, _ message: ExactText, _ outcomes: inout [Outcome]
    ) {
        switch kind {
        case .handshake(let call):
            end(call, .refused(status: 503, retryAfter: nil, message: message), &outcomes)
        case .pairing(let device):
            devices.removeAll { $0.id == device }
            guard let call = asking(device) else { return }
            send(ClawlineFrames.refused("pair_result", reason: code, message: message), to: call, &outcomes)
        case .authentication(let call, _, _, _):
            send(ClawlineFrames.refused("auth_result", reason: code, message: message), to: call, &outcomes)
        case .receipt(let call, let sender, _):
            complain(call, code, message, about: sender.client.text, &outcomes)
        case .acknowledgement(let call, let client):
            complain(call, code, message, about: client.text, &outcomes)
        case .echo(let call, _, _):
            complain(call, code, message, about: nil, &outcomes)
        case .reply(_, let sender, _):
            fail(sender, about: sender.client.text, code, message, &outcomes)
        case .token(_, let id):
            guard let reply = reply(id) else { return }
            replies.removeAll { $0.entry.id == id }
            fail(reply.sender, about: id.text, code, message, &outcomes)
        case .answer(let call, _, _):
            respond(call, Self.httpStatus(of: code), Self.error(code, message), &outcomes)
        case .suggestion(let call, _, let next): refuseSuggestion(call, next: next, code, message, &outcomes)
        case .coach(let call, _, let next): refuseCoach(call, next: next, code, message, &outcomes)
        case .coachWhole(let call, _), .refresh(let call):
            refuseCoach(call, next: 0, code, message, &outcomes)
        case .send, .end, .respond, .http: break
        }
    }

    /// A reply fails: its question must come again under a new id.
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

    // MARK: Steps

    private mutating func perform(_ kind: Task.Kind, _ outcomes: inout [Outcome]) {
        switch kind {
        case .handshake(let call):
            guard let index = sockets.firstIndex(where: { $0.call == call }) else { return }
            sockets[index].phase = .open
            outcomes.append(.arrived(call, .opened))
        case .pairing(let device): decide(device, &outcomes)
        case .authentication(let call, let device, let isGood, let cursors):
            authenticate(call, device, isGood, cursors, &outcomes)
        case .receipt(let call, let sender, let text): receive(text, sender, call, &outcomes)
        case .acknowledgement(let call, let client):
            send(ClawlineFrames.acknowledged(client), to: call, &outcomes)
        case .echo(_, let user, let entry):
            broadcast(entry, entry.text, isGrowing: false, to: user, &outcomes)
        case .reply(let call, let sender, let text): begin(text, sender, call)
        case .token(let call, let id): grow(id, call, &outcomes)
        case .send(let call, let bytes): send(bytes, to: call, &outcomes)
        case .http(let call, let arrival): outcomes.append(.arrived(call, arrival))
        case .end(let call, let callEnd): end(call, callEnd, &outcomes)
        case .answer(let call, let question, let conversation):
            answer(call, question, conversation: conversation, &outcomes)
        case .suggestion(let call, let words, let next): suggest(call, words, next: next, &outcomes)
        case .coach(let call, let reply, let next): coach(call, reply, next: next, &outcomes)
        case .coachWhole(let call, let reply): coachWhole(call, reply, &outcomes)
        case .refresh(let call): refresh(call, &outcomes)
        case .respond(let call, let status, let body): respond(call, status, body, &outcomes)
        }
    }

    private mutating func decide(_ device: DeviceID, _ outcomes: inout [Outcome]) {
        guard let index = devices.firstIndex(where: { $0.id == device }) else { return }
        devices[index].isApproved = !devices[index].name.isEmpty
        let approved = devices[index]
        let answer: [UInt8]
        if approved.isApproved {
            answer = ClawlineFrames.granted(
                Self.token(of: device), approved.user, isAdmin: behaviour.grantsAdmin)
        } else {
            devices.remove(at: index)
            answer = ClawlineFrames.refused(
                "pair_result", reason: "pair_rejected", message: "Name cannot be empty")
        }
        guard let call = asking(device) else { return }
        send(answer, to: call, &outcomes)
    }

    private mutating func authenticate(
        _ call: CallNumber, _ device: DeviceID, _ isGood: Bool, _ cursors: [Chat.Cursor],
        _ outcomes: inout [Outcome]
    ) {
        guard let index = sockets.firstIndex(where: { $0.call == call }) else { return }
        guard isGood else {
            let answer = ClawlineFrames.refused("auth_result", reason: "auth_failed", message: nil)
            send(answer, to: call, &outcomes)
            return
        }
        // A token outlives this server, which forgets with its process whose it was: then the device is the
        // user, so that a stored token is as good as on a real server.
        let user = devices.first { $0.id == device && $0.isApproved }?.user ?? UserID(device.text)
        guard let missed = entries(of: user, after: cursors) else {
            sockets[index].phase = .open
            complain(call, "invalid_message", "Unknown lastMessageId", about: nil, &outcomes)
            return
        }
        let replayed = missed.suffix(Int(clamping: max(behaviour.replayLimit, 0)))
        replaceSession(of: device, &outcomes)
        guard let index = sockets.firstIndex(where: { $0.call == call }) else { return }
        sockets[index].phase = .connected(user, device)
        lastID += 1
        let answer = ClawlineFrames.authenticated(
            user, session: lastID, replayCount: replayed.count, isTruncated: replayed.count < missed.count)
        send(answer, to: call, &outcomes)
        for entry in replayed {
            let frame = ClawlineFrames.message(
                entry, text: entry.text, isGrowing: false, namesClient: behaviour.namesClients)
            send(frame, to: call, &outcomes)
        }
    }

    /// What came after the cursors, of each conversation that has one; nothing when one is not known here.
    private func entries(of user: UserID, after cursors: [Chat.Cursor]) -> [Entry]? {
        let entries = log(of: user)
        var followed: [(conversation: ConversationID, index: Int)] = []
        for cursor in cursors {
            guard let index = entries.lastIndex(where: { $0.id == cursor.last }) else { return nil }
            followed.append((cursor.conversation, index))
        }
        var missed: [Entry] = []
        for (index, entry) in entries.enumerated() {
            let last = followed.first { $0.conversation == entry.conversation }?.index
            if last.map({ index > $0 }) ?? true { missed.append(entry) }
        }
        return missed
    }

    /// One connection a device: the newest.
    private mutating func replaceSession(of device: DeviceID, _ outcomes: inout [Outcome]) {
        for socket in sockets {
            guard case .connected(_, device) = socket.phase else { continue }
            complain(socket.call, "session_replaced", "Connected elsewhere", about: nil, &outcomes)
            end(socket.call, .closed(code: 1000, reason: "session_replaced"), &outcomes)
        }
    }
}
