// L3 for the whole app: everything that the state shows as under way has a running timer that ends it.

import ChatDomain
import ChatEffects

/// An activity of the machine without a timer that ends it; nil if there is none.
func stuckSpinner(_ machine: Machine<ClawlineBackend>) -> String? {
    let running = Set(machine.runningTimers.map { $0.timer })
    let state = machine.state
    return pairingSpinner(state.pairing) { running.contains(.pairing($0)) }
        ?? chatSpinner(state.chat) { running.contains(.chat($0)) }
        ?? assistantSpinner(state.assistant) { running.contains(.assistant($0)) }
        ?? replySpinner(state.smartReplies.reply) { running.contains(.smartReplies($0)) }
}

func pairingSpinner(_ state: Pairing.State, _ runs: (Pairing.Timer) -> Bool) -> String? {
    if !state.incoming.rows.rows.isEmpty, !runs(.incoming) { return "pairing requests" }
    switch state.phase {
    case .restoring: return runs(.restoring) ? nil : "restoring"
    case .idle, .enteringName, .paired, .failed: return nil
    case .waitingForApproval(let waiting):
        switch waiting.stage {
        case .identifying: return runs(.approval) && runs(.storage) ? nil : "identifying"
        case .asking: return runs(.approval) && runs(.renewal) ? nil : "asking to come in"
        case .backingOff: return runs(.approval) && runs(.retry) ? nil : "asking again"
        case .savingSecret, .savingCredentials: return runs(.storage) ? nil : "saving credentials"
        }
    }
}

func assistantSpinner(_ state: Assistant.State, _ runs: (Assistant.Timer) -> Bool) -> String? {
    switch state.conversation?.queue.head?.stage {
    case nil, .paused: nil
    case .awaitingSlot: runs(.slot) || runs(.restoring) ? nil : "awaiting a slot"
    case .asking(let asking):
        runs(.answer) && (asking.patience == .stillThinking || runs(.notice)) ? nil : "thinking"
    }
}

func replySpinner(_ state: Streaming.State, _ runs: (Streaming.Timer) -> Bool) -> String? {
    let needed: [Streaming.Timer]
    switch state.phase {
    case .idle, .finished, .interrupted, .failed: needed = []
    case .waiting(_, .refreshing): needed = [.refresh]
    case .waiting(_, .backingOff): needed = [.retry]
    case .waiting(_, .fallingBack): needed = [.fallback]
    case .waiting(_, .open(let reply)):
        needed = [.firstToken, .total] + (reply.growth.isPending ? [.batch] : [])
    case .streaming(_, let reply):
        needed = [.silence, .total] + (reply.growth.isPending ? [.batch] : [])
    }
    return needed.allSatisfy(runs) ? nil : "a suggestion"
}

func chatSpinner(_ state: Chat.State, _ runs: (Chat.Timer) -> Bool) -> String? {
    if state.account != nil, !state.shared.wish.isRestored, !runs(.restoring) { return "restoring the chat" }
    if state.list.record.isPending, !runs(.listLimit) { return "saving the list" }
    if case .socket(let connection) = state.shared.carrier, connection.wrappedValue.isRefetching,
        !runs(.refetch)
    {
        return "refetching"
    }
    switch state.connection {
    case .connecting where !runs(.connecting): return "connecting"
    case .authenticating where !runs(.authenticating): return "authenticating"
    case .replaying where !(runs(.replay) && runs(.replayProgress)): return "replaying"
    case .reconnecting(.backoff) where !runs(.reconnect): return "reconnecting"
    case .disconnected, .connecting, .authenticating, .replaying, .connected, .reconnecting, .failed: break
    }
    let isConnected = if case .connected = state.connection { true } else { false }
    for conversation in state.conversations {
        if state.account != nil, !conversation.isRestored, !runs(.restoring) { return "restoring one" }
        if let stuck = spinner(in: conversation, isConnected: isConnected, runs) { return stuck }
    }
    return nil
}

private func spinner(
    in conversation: Chat.Conversation, isConnected: Bool, _ runs: (Chat.Timer) -> Bool
) -> String? {
    let id = conversation.id
    if let stream = conversation.stream {
        if let stuck = replySpinner(stream, { runs(.stream(id, $0)) }) { return stuck }
        let running = stream.isRunning ? stream.question?.key : nil
        if case .inFlight(let outgoing) = conversation.outbox.queue.phase, outgoing.id != running {
            return "a question without a stream"
        }
        return nil
    }
    switch conversation.outbox.queue.phase {
    case .inFlight where !runs(.slow(id)) && !runs(.acknowledgement(id)): return "sending"
    case .blocked where !runs(.deferral(id)): return "deferred"
    case .idle, .inFlight, .blocked: break
    }
    if conversation.typing.isIncoming, !runs(.typing(id)) { return "typing" }
    if conversation.typing.isOutgoing, !runs(.typingStopped(id)) { return "own typing" }
    if conversation.outbox.record.isPending, !runs(.outboxLimit(id)) { return "saving the outbox" }
    if conversation.draft.record.isPending, !runs(.draftLimit(id)) { return "saving the draft" }
    let draft = conversation.draft
    for file in draft.attachments where draft.isCopying(file.id) && !runs(.copying(file.id)) {
        return "copying"
    }
    for outgoing in conversation.outbox.all {
        for attachment in outgoing.entry.attachments where attachment.isTimed {
            if !runs(.upload(attachment.id)) { return "uploading" }
        }
    }
    for turn in conversation.pushed.turns.turns {
        // A message that nothing sends any more has no acknowledgement to wait for.
        if turn.stage == .sent, case .written(let key) = turn.question,
            !conversation.outbox.all.contains(where: { $0.id == key })
        {
            return "asked"
        }
        if isConnected, case .waiting(.stopped) = turn.stage { return "accepted, with a connection" }
        guard case .waiting(.running) = turn.stage else { continue }
        if !runs(.replyLimit(turn.question, in: id)) { return "accepted" }
    }
    for reply in conversation.growing {
        if !runs(.silence(reply.id)) || !runs(.total(reply.id)) { return "growing" }
        if reply.growth.isPending, !runs(.batch(reply.id)) { return "a batch" }
        if reply.growth.hasGap, !runs(.gap(reply.id)) { return "a gap" }
    }
    guard isConnected, conversation.isRestored, case .idle = conversation.outbox.queue.phase,
        let head = conversation.outbox.queue.waiting.first, head.consent != .asked,
        !head.entry.attachments.contains(where: { $0.isTimed })
    else { return nil }
    return runs(.rate) || runs(.uploadsAllowed) || runs(.outboxLimit(id)) ? nil : "queued"
}
