// What chat shows as under way must have a timer that ends it (L3).

@testable import ChatDomain

extension Driver where F == Chat {
    /// What the state says is under way although no timer would end it (L3).
    var stuckSpinner: String? {
        if state.account != nil, !state.shared.wish.isRestored, !isRunning(.restoring) { return "restoring" }
        if state.list.record.isPending, !isRunning(.listLimit) { return "saving the list" }
        switch state.connection {
        case .connecting where !isRunning(.connecting): return "connecting"
        case .authenticating where !isRunning(.authenticating): return "authenticating"
        case .replaying where !(isRunning(.replay) && isRunning(.replayProgress)): return "replaying"
        case .reconnecting(.backoff) where !isRunning(.reconnect): return "reconnecting"
        default: break
        }
        if isRefetching, !isRunning(.refetch) { return "refetching" }
        for conversation in [state.conversation] + state.others {
            if let stuck = stuckSpinner(in: conversation) { return stuck }
        }
        return nil
    }

    private var isRefetching: Bool {
        if case .socket(let connection) = state.shared.carrier {
            connection.wrappedValue.isRefetching
        } else {
            false
        }
    }

    private func stuckSpinner(in conversation: Chat.Conversation) -> String? {
        let id = conversation.id
        if state.account != nil, !conversation.isRestored, !isRunning(.restoring) { return "restoring one" }
        if let stream = conversation.stream { return stuckSpinner(in: conversation, stream) }
        switch conversation.outbox.queue.phase {
        case .inFlight where !isRunning(.slow(id)) && !isRunning(.acknowledgement(id)): return "sending"
        case .blocked where !isRunning(.deferral(id)): return "deferred"
        case .idle, .inFlight, .blocked: break
        }
        if conversation.typing.isIncoming, !isRunning(.typing(id)) { return "typing" }
        if conversation.typing.isOutgoing, !isRunning(.typingStopped(id)) { return "own typing" }
        if conversation.outbox.record.isPending, !isRunning(.outboxLimit(id)) { return "saving the outbox" }
        if conversation.draft.record.isPending, !isRunning(.draftLimit(id)) { return "saving the draft" }
        let draft = conversation.draft
        for file in draft.attachments where draft.isCopying(file.id) && !isRunning(.copying(file.id)) {
            return "copying"
        }
        for outgoing in conversation.outbox.parked + conversation.outbox.queue.elements {
            for attachment in outgoing.entry.attachments where attachment.isTimed {
                if !isRunning(.upload(attachment.id)) { return "uploading" }
            }
        }
        if conversation.outbox.record.isPending, !isRunning(.outboxLimit(id)) { return "saving" }
        for turn in conversation.pushed.turns.turns {
            switch turn.stage {
            case .waiting(.running) where !isRunning(.replyLimit(turn.question, in: id)): return "reply"
            case .waiting(.stopped) where isConnected: return "reply, with a connection"
            case .sent, .waiting, .overdue, .answered, .failed: break
            }
        }
        for reply in conversation.growing {
            if !isRunning(.silence(reply.id)) { return "growing" }
            if reply.growth.isPending, !isRunning(.batch(reply.id)) { return "batch" }
            if reply.growth.hasGap, !isRunning(.gap(reply.id)) { return "gap" }
        }
        if isConnected, conversation.isRestored, case .idle = conversation.outbox.queue.phase,
            let head = conversation.outbox.queue.waiting.first, head.consent != .asked,
            !head.entry.attachments.contains(where: { $0.isTimed }),
            !isRunning(.rate), !isRunning(.uploadsAllowed), !isRunning(.outboxLimit(id))
        {
            return "queued"
        }
        return nil
    }
}
