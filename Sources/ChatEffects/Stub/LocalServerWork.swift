// The steps of the in-process backend without a fault. The effects of faults are in LocalServerFaults.swift.

import ChatDomain

extension LocalServer {
    /// The step of a task, with its connection; nil for a task without a step.
    func step(of kind: Task.Kind) -> (Step, CallNumber?)? {
        switch kind {
        case .handshake(let call): (.handshake, call)
        case .pairing(let device): (.pairing, asking(device))
        case .authentication(let call, _, _): (.authentication, call)
        case .announcement(let call, _): (.announcement, call)
        case .decision(let call, _, _): (.decision, call)
        case .receipt(let call, _, _, _): (.receipt, call)
        case .acknowledgement(let call, _): (.acknowledgement, call)
        case .echo(let call, _, _): (.echo, call)
        case .reply(let call, _, _): (.reply, call)
        case .token(let call, let id):
            indexOfReply(id).map { (.token(replies[$0].sentTokens + 1), call) }
        case .answer(let call, _, _): (.answer, call)
        case .suggestion(let call, _, let next): (.suggestion(next), call)
        case .whole(let call, _): (.wholeSuggestion, call)
        case .upload(let upload, let percent): (.upload(percent: percent), upload.call)
        case .coach(let call, _, let next): (.coach(next), call)
        case .coachWhole(let call, _): (.coachWhole, call)
        case .refresh(let call): (.refresh, call)
        case .expiry, .send, .end, .respond: nil
        }
    }

    /// The newest connection with a pairing request of the device; nil if there is none.
    func asking(_ device: DeviceID) -> CallNumber? {
        sockets.last { $0.phase == .pairing(device) }?.call
    }

    func reply(_ id: MessageID) -> Reply? {
        indexOfReply(id).map { replies[$0] }
    }

    /// The index of a growing reply; nil if it is finished. An index avoids a copy of the reply.
    func indexOfReply(_ id: MessageID) -> Int? {
        replies.indices.first { replies[$0].entry.id == id }
    }

    // MARK: Steps

    mutating func perform(_ kind: Task.Kind, _ outcomes: inout [Outcome]) {
        switch kind {
        case .handshake(let call):
            guard let index = sockets.firstIndex(where: { $0.call == call }) else { return }
            sockets[index].phase = .open
            outcomes.append(.arrived(call, .opened))
        case .pairing(let device): answer(device, &outcomes)
        case .expiry(let device): expire(device, &outcomes)
        case .announcement(let call, let device): announce(device, to: call, &outcomes)
        case .decision(let call, let device, let decision):
            guard !decide(device, decision) else { return }
            complain(call, "invalid_message", "Already resolved", about: nil, &outcomes)
        case .authentication(let call, let token, let cursors):
            authenticate(call, token, cursors, replayLimit: behaviour.replayLimit, &outcomes)
        case .receipt(let call, let sender, let text, let files):
            receive(text, files, sender, call, &outcomes)
        case .acknowledgement(let call, let client):
            send(ClawlineFrames.acknowledged(client), to: call, &outcomes)
        case .echo(_, let user, let entry):
            broadcast(entry, entry.text, isGrowing: false, to: user, &outcomes)
        case .reply(let call, let sender, let text): begin(text, sender, call)
        case .token(let call, let id): grow(id, call, &outcomes)
        case .send(let call, let bytes): send(bytes, to: call, &outcomes)
        case .upload(let upload, let percent): take(upload, percent: percent, &outcomes)
        case .end(let call, let callEnd): end(call, callEnd, &outcomes)
        case .answer(let call, let question, let conversation):
            answer(call, question, conversation: conversation, &outcomes)
        case .suggestion(let call, let words, let next): suggest(call, words, next: next, &outcomes)
        case .whole(let call, let body): respond(call, 200, body: body, &outcomes)
        case .coach(let call, let reply, let next): coach(call, reply, next: next, &outcomes)
        case .coachWhole(let call, let reply): coachWhole(call, reply, &outcomes)
        case .refresh(let call): refresh(call, &outcomes)
        case .respond(let call, let status, let headers, let body):
            respond(call, status, headers, body: body, &outcomes)
        }
    }

    // MARK: Authentication

    mutating func authenticate(
        _ call: CallNumber, _ token: Token?, _ cursors: [Chat.Cursor], replayLimit: Int64,
        _ outcomes: inout [Outcome]
    ) {
        guard let token, obstacle(to: token) == nil else {
            let reason = token.flatMap { obstacle(to: $0) } ?? "auth_failed"
            let answer = ClawlineFrames.refused("auth_result", reason: reason, message: nil)
            send(answer, to: call, &outcomes)
            return
        }
        let user = token.user
        let log = logs[logIndex(of: user)]
        let found = entries(of: user, after: cursors)
        guard let missed = found ?? (log.isLost ? log.entries : nil) else {
            return refuseCursor(call, &outcomes)
        }
        let replayed = missed.suffix(Int(clamping: max(replayLimit, 0)))
        replaceSession(of: token.device, &outcomes)
        guard let index = sockets.firstIndex(where: { $0.call == call }) else { return }
        sockets[index].phase = .connected(user, token.device)
        lastID += 1
        let answer = ClawlineFrames.authenticated(
            user, session: lastID, replayCount: replayed.count, isTruncated: replayed.count < missed.count,
            isReset: log.isLost && (found == nil || cursors.isEmpty))
        send(answer, to: call, &outcomes)
        for entry in replayed {
            let frame = ClawlineFrames.message(
                entry, text: entry.text, isGrowing: false, namesClient: behaviour.namesClients)
            send(frame, to: call, &outcomes)
        }
        announceAll(to: call, user)
    }

    /// Refuses an unknown cursor. The socket stays open for another authentication.
    mutating func refuseCursor(_ call: CallNumber, _ outcomes: inout [Outcome]) {
        guard let index = sockets.firstIndex(where: { $0.call == call }) else { return }
        sockets[index].phase = .open
        complain(call, "invalid_message", "Unknown lastMessageId", about: nil, &outcomes)
    }

    /// The entries after the cursors, and all entries of conversations without a cursor; nil when a cursor is unknown.
    private func entries(of user: UserID, after cursors: [Chat.Cursor]) -> [Entry]? {
        let entries = log(of: user)
        // The start of the missed entries, for each cursor.
        var followed: [(conversation: ConversationID, start: Int)] = []
        for cursor in cursors {
            if let index = entries.lastIndex(where: { $0.id == cursor.last }) {
                followed.append((cursor.conversation, index + 1))
            } else if isFromBefore(cursor.last) {
                followed.append((cursor.conversation, 0))
            } else {
                return nil
            }
        }
        // The scan starts after the earliest cursor, unless a conversation has no cursor: a client that reconnects
        // every minute must not cause a scan of the whole log.
        let known = logs.first { $0.user == user }?.conversations ?? []
        let isEachFollowed = known.allSatisfy { id in followed.contains { $0.conversation == id } }
        let start = isEachFollowed ? followed.map { $0.start }.min() ?? 0 : 0
        var missed: [Entry] = []
        for index in entries.indices[start...] {
            let first = followed.first { $0.conversation == entries[index].conversation }?.start
            if index >= first ?? 0 { missed.append(entries[index]) }
        }
        return missed
    }

    /// Whether an earlier process of the server issued the id: all entries of this one are newer.
    private func isFromBefore(_ id: MessageID) -> Bool {
        guard id.text.string.hasPrefix(Self.idPrefix),
            let number = UInt64(id.text.string.dropFirst(Self.idPrefix.count))
        else { return false }
        return number <= idsBefore ?? 0
    }

    /// Ends older connections of a device: only the newest one stays.
    private mutating func replaceSession(of device: DeviceID, _ outcomes: inout [Outcome]) {
        for socket in sockets {
            guard case .connected(_, device) = socket.phase else { continue }
            send(Farewell.sessionReplaced.frame, to: socket.call, &outcomes)
            end(socket.call, Farewell.sessionReplaced.end, &outcomes)
        }
    }
}
