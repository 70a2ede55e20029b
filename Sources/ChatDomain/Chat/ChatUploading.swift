// Uploads (C14). The first message that waits has its files uploaded before it goes; all of them at once, each
// a call of its own with a limit to its silence. One that breaks fails the message, which leaves the line so
// that the rest can go on; what has arrived of it stays arrived, and a retry uploads what is missing.

extension Chat {
    // MARK: Beginning

    /// Uploads what is missing of the first message that waits.
    func upload(_ state: inout State, _ head: Outgoing, _ context: inout Context) -> [Effect] {
        guard let account = state.account else { return [] }
        if case .wait(let until) = state.uploads.admit(at: context.now) {
            return holdUpload(&state, head, until - context.now, &context)
        }
        var effects: [Effect] = []
        for attachment in head.entry.attachments where attachment.source == .file(.waiting) {
            let attempt = context.nextAttempt()
            state.conversation.outbox.change(attachment.id) {
                $0.source = .file(.running(attempt, percent: 0))
            }
            effects += [
                .open(.upload(attachment.id, attempt), .upload(account.secret, attachment)),
                .start(.upload(attachment.id), after: configuration.uploadSilenceLimit),
            ]
        }
        showUpload(&state, of: head.id)
        return effects
    }

    /// The server wants no file before its time (C3, S9). A short wait is waited, and holds back what stands
    /// behind the message; for a longer one the message leaves the line and shows the time.
    private func holdUpload(
        _ state: inout State, _ head: Outgoing, _ wait: Interval, _ context: inout Context
    ) -> [Effect] {
        let timer = Effect.start(.uploadsAllowed, after: wait)
        guard wait > configuration.toldWaitLimit else { return [timer] }
        let reason = Streaming.Reason.refused(status: 429, until: context.wall + wait)
        return [timer] + park(&state, head.id, .ended(reason, needsNewID: false), &context)
    }

    /// The server takes files again.
    func uploadsAllowed(_ state: inout State, _ context: inout Context) -> [Effect] {
        state.uploads.forget(at: context.now)
        return flushAll(&state, &context)
    }

    /// Ends every upload; each begins anew when its message is the first that waits on a connection (C4).
    func haltUploads(_ state: inout State) -> [Effect] {
        let outgoing = state.conversation.outbox.queue.elements + state.conversation.outbox.parked
        return outgoing.flatMap { haltUploads(&state, of: $0) }
    }

    func haltUploads(_ state: inout State, of outgoing: Outgoing) -> [Effect] {
        var effects: [Effect] = []
        for attachment in outgoing.entry.attachments {
            guard let running = attachment.running else { continue }
            state.conversation.outbox.change(attachment.id) { $0.source = .file(.waiting) }
            effects += [.close(.upload(attachment.id, running.attempt)), .cancel(.upload(attachment.id))]
        }
        showWaiting(&state, outgoing.id)
        return effects
    }

    // MARK: What becomes of them

    func uploading(
        _ state: inout State, _ event: Event, _ id: AttachmentID, _ attempt: Attempt,
        _ context: inout Context
    ) -> [Effect] {
        guard let outgoing = state.conversation.outbox.uploading(id, attempt),
            let running = outgoing.entry.attachments.first(where: { $0.id == id })?.running
        else { return [] }
        switch event {
        case .uploadProgress(let sent, let total):
            let alive = Effect.start(.upload(id), after: configuration.uploadSilenceLimit)
            let percent = Self.step(sent, of: total)
            guard percent > running.percent else { return [alive] }
            state.conversation.outbox.change(id) { $0.source = .file(.running(attempt, percent: percent)) }
            showUpload(&state, of: outgoing.id)
            return [alive]
        case .uploaded(let asset):
            let saving = changeOutbox(&state, &context) { conversation, _ in
                conversation.outbox.change(id) {
                    $0.source = .asset(asset)
                    $0.uploads = saturatingSum($0.uploads, 1)
                }
            }
            showUpload(&state, of: outgoing.id)
            return [.cancel(.upload(id))] + saving + flush(&state, &context)
        default: return []
        }
    }

    /// How much is sent, in percent and steps of 5 (C14).
    private static func step(_ sent: Int64, of total: Int64) -> Int64 {
        guard total > 0, sent > 0 else { return 0 }
        // In parts of a percent first, so that nothing overflows.
        let twentieths = min(sent, total) / max(total / 20, 1)
        return min(twentieths, 20) * 5
    }

    func uploadEnded(
        _ state: inout State, _ id: AttachmentID, _ attempt: Attempt, _ end: CallEnd,
        _ context: inout Context
    ) -> [Effect] {
        guard let outgoing = state.conversation.outbox.uploading(id, attempt) else { return [] }
        let ended: [Effect] = [.cancel(.upload(id))]
        state.conversation.outbox.change(id) { $0.source = .file(.waiting) }
        switch end {
        case .refused(401, _, _):
            // It is the token with which the socket came in; the message waits for the next one (P10).
            return ended + stop(&state, .credentialsRefused(.authenticationFailed), &context)
        case .failed(.secretMissing):
            return ended + stop(&state, .credentialsRefused(.tokenExpired), &context)
        case .refused(429, let told, _):
            // A server that names no time is left alone as long as the longest that is waited for, and one that
            // names none at all as long as after a lost connection, or it would be asked without end.
            let wait = max(told ?? configuration.toldWaitLimit, configuration.backoff.first)
            state.uploads.pause(until: context.now + wait)
            showWaiting(&state, outgoing.id)
            return ended + savePacing(state, &context) + flush(&state, &context)
        case .failed(.recordMissing):
            state.conversation.outbox.change(id) { $0.source = .file(.failed) }
            return ended + park(&state, outgoing.id, .fileMissing, &context)
        case .completed, .closed, .failed, .refused:
            state.conversation.outbox.change(id) { $0.source = .file(.failed) }
            return ended + park(&state, outgoing.id, .uploadFailed, &context)
        }
    }

    /// A message that has its row shows there that it waits, when nothing of it is being uploaded.
    private func showWaiting(_ state: inout State, _ client: ClientID) {
        guard state.conversation.outbox.percent(of: client) == nil,
            let ordinal = state.conversation.transcript.ordinal(of: client),
            case .uploading = state.conversation.transcript[ordinal]?.status
        else { return }
        state.setStatus(of: client, to: .queued)
    }

    func uploadSilent(_ state: inout State, _ id: AttachmentID, _ context: inout Context) -> [Effect] {
        guard let running = state.conversation.outbox.attachment(id)?.running else { return [] }
        return [.close(.upload(id, running.attempt))]
            + uploadEnded(&state, id, running.attempt, .failed(.timedOut), &context)
    }

    /// An upload broke: the message leaves the line and says so; its other uploads go on.
    func park(
        _ state: inout State, _ client: ClientID, _ failure: SendFailure, _ context: inout Context
    ) -> [Effect] {
        guard case .done(var outgoing) = state.conversation.outbox.queue.remove(client) else { return [] }
        outgoing.failure = failure
        state.setStatus(of: client, to: .failed(failure))
        return changeOutbox(&state, &context) { conversation, _ in
            conversation.outbox.parked.append(outgoing)
        } + flush(&state, &context)
    }

    /// The person tries once more: what has not arrived is uploaded, at the end of the line.
    func retryUpload(_ state: inout State, _ parked: Outgoing, _ context: inout Context) -> [Effect] {
        // What an earlier launch had accepted may have filled the line beyond its limit.
        guard state.conversation.outbox.queue.count < state.conversation.outbox.queue.limit else {
            state.conversation.banner = .outboxFull
            return []
        }
        state.setStatus(of: parked.id, to: .queued)
        return changeOutbox(&state, &context) { conversation, revision in
            var again = parked
            again.revision = revision
            again.failure = nil
            for index in again.entry.attachments.indices where again.entry.attachments[index].hasFailed {
                again.entry.attachments[index].source = .file(.waiting)
            }
            conversation.outbox.parked.removeAll { $0.id == parked.id }
            _ = conversation.outbox.queue.enqueue(again)
        } + flush(&state, &context)
    }

    /// The server no longer has a file of the message on the wire: that one is uploaded once more (C14). One
    /// that it does not have a second time, or that was never here, it will never have.
    func assetMissing(
        _ state: inout State, _ client: ClientID, _ asset: AssetID?, _ reason: ExactText,
        _ context: inout Context
    ) -> [Effect] {
        guard case .inFlight(let outgoing) = state.conversation.outbox.queue.phase, outgoing.id == client
        else { return refusedAfterAll(&state, client, reason, &context) }
        let missing = outgoing.entry.attachments.filter { attachment in
            guard case .asset(let known) = attachment.source else { return false }
            return asset == nil || asset == known
        }
        guard !missing.isEmpty, missing.allSatisfy({ $0.kind != .asset && $0.uploads < 2 }) else {
            return rejected(&state, client, reason, &context)
        }
        state.conversation.outbox.requeueNotTaken()
        state.setStatus(of: client, to: .queued)
        for attachment in missing {
            state.conversation.outbox.change(attachment.id) { $0.source = .file(.waiting) }
        }
        return [.cancel(.slow(state.conversation.id)), .cancel(.acknowledgement(state.conversation.id))]
            + flush(&state, &context)
    }

    // MARK: Showing and freeing

    /// A message that has its row shows there how far its uploads are.
    private func showUpload(_ state: inout State, of client: ClientID) {
        guard let percent = state.conversation.outbox.percent(of: client) else { return }
        state.setStatus(of: client, to: .uploading(percent: percent))
    }

    /// A message will never be sent: its uploads end, and its bytes are erased.
    func discard(_ state: inout State, _ outgoing: Outgoing, _ context: inout Context) -> [Effect] {
        haltUploads(&state, of: outgoing) + erase(outgoing.entry.attachments, &context)
    }

    /// Erases the bytes of what has been delivered since (C14).
    func free(_ state: inout State, _ context: inout Context) -> [Effect] {
        let delivered = state.conversation.delivered
        state.conversation.delivered = []
        return erase(delivered, &context)
    }
}

extension Chat.State {
    /// The messages on the wire that carry files themselves.
    var inlineInFlight: [ClientID] {
        conversations.compactMap { conversation in
            guard case .inFlight(let outgoing) = conversation.outbox.queue.phase,
                outgoing.entry.attachments.contains(where: { $0.source == .inline })
            else { return nil }
            return outgoing.id
        }
    }
}

extension Outbox {
    /// The message whose upload runs under an attempt.
    func uploading(_ id: AttachmentID, _ attempt: Attempt) -> Outgoing? {
        (parked + queue.elements).first { outgoing in
            outgoing.entry.attachments.contains { $0.id == id && $0.running?.attempt == attempt }
        }
    }

    /// An attachment of any message.
    func attachment(_ id: AttachmentID) -> Attachment? {
        for outgoing in parked + queue.elements {
            if let found = outgoing.entry.attachments.first(where: { $0.id == id }) { return found }
        }
        return nil
    }

    /// Changes an attachment of a message that is not on a wire.
    mutating func change(_ id: AttachmentID, _ body: (inout Attachment) -> Void) {
        for index in parked.indices { parked[index].entry.change(id, body) }
        for outgoing in queue.elements where outgoing.entry.attachments.contains(where: { $0.id == id }) {
            var changed = outgoing
            changed.entry.change(id, body)
            _ = queue.replace(with: changed)
        }
    }

    /// How far the uploads of a message are, if it has any that run.
    func percent(of client: ClientID) -> Int64? {
        let attachments = queue.elements.first { $0.id == client }?.entry.attachments ?? []
        guard attachments.contains(where: { $0.running != nil }) else { return nil }
        let sum = attachments.reduce(Int64(0)) { $0 + ($1.isReady ? 100 : $1.running?.percent ?? 0) }
        return sum / Int64(attachments.count) / 5 * 5
    }
}

extension OutboxEntry {
    fileprivate mutating func change(_ id: AttachmentID, _ body: (inout Attachment) -> Void) {
        for index in attachments.indices where attachments[index].id == id { body(&attachments[index]) }
    }

    /// Whether all of it can go on a wire.
    var isReady: Bool { attachments.allSatisfy { $0.isReady } }
}
