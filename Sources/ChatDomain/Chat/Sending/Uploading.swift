// Uploads (C14). The files of the first waiting message are uploaded before it is sent, all at once, each in a call of
// its own with a silence limit (L3). A completed upload is kept, whatever happens to the others. Start with `upload`;
// `uploadEnded` handles every end.
//
//     waiting ──first in line, connected──▶ running ──▶ asset
//        ▲ ▲                                │ │ │
//        │ └──new connection, or timer──────┘ │ └──refused for good──▶ refused
//        │        (broken by the network)     └──failed──▶ failed         │
//        └──────────────────────────retry─────────────────┴───────────────┘
//
// An interrupted or postponed upload keeps its message in line, and those behind it wait (C8). A failed or refused one
// parks the message, and the others go on. A refused message stays parked over a relaunch, with the server's sentence;
// a failed one is tried again by the next launch.

extension Chat.Conversation {
    // MARK: Beginning

    /// Uploads the missing files of the first waiting message.
    mutating func upload(_ head: Outgoing, _ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard let account = shared.account else { return }
        // A file was refused in an earlier launch.
        if let failure = head.entry.refusal { return park(head.id, failure, &shared, &step) }
        if case .wait(let until) = shared.uploads.admit(at: step.now) {
            return holdUpload(head, until - step.now, &shared, &step)
        }
        for file in head.entry.attachments where file.source == .file(.waiting) {
            let attempt = step.context.nextAttempt()
            outbox.change(file.id) { $0.source = .file(.running(attempt, sent: 0, percent: 0)) }
            step.add(.open(.upload(file.id, attempt), .upload(account.secret, file)))
            step.add(.start(.upload(file.id), after: step.configuration.uploadSilenceLimit))
        }
        showUpload(of: head.id)
    }

    /// The server demands a wait (C3, S9). A short one holds the queue; a longer one parks the message and shows the
    /// time.
    private mutating func holdUpload(
        _ head: Outgoing, _ wait: Interval, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        guard wait > step.configuration.toldWaitLimit else { return }
        let reason = Streaming.Reason.refused(status: 429, until: step.wall + wait)
        park(head.id, .unanswered(ReplyEnding(reason, needsNewKey: false)), &shared, &step)
    }

    /// Makes the interrupted uploads ready to start again. Returns whether there are any.
    @discardableResult mutating func resumeUploads(_ step: inout Chat.Step) -> Bool {
        let broken = outbox.all.flatMap { $0.entry.attachments }.filter { $0.source == .file(.broken) }
        for file in broken {
            outbox.change(file.id) { $0.source = .file(.waiting) }
            step.add(.cancel(.upload(file.id)))
        }
        return !broken.isEmpty
    }

    /// Stops every upload. It starts again when its message is first in line on a connection (C4).
    mutating func haltUploads(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        for outgoing in outbox.all { haltUploads(of: outgoing, &shared, &step) }
    }

    mutating func haltUploads(of outgoing: Outgoing, _ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        for file in outgoing.entry.attachments where file.isTimed {
            outbox.change(file.id) { $0.source = .file(.waiting) }
            if let running = file.running { step.add(.close(.upload(file.id, running.attempt))) }
            step.add(.cancel(.upload(file.id)))
        }
        showUpload(of: outgoing.id)
    }

    // MARK: Ends

    mutating func uploading(
        _ event: Chat.Event, _ file: AttachmentID, _ attempt: Attempt, _ shared: inout Chat.Shared,
        _ step: inout Chat.Step
    ) {
        guard let outgoing = outbox.uploading(file, attempt),
            let running = outgoing.entry.attachments.first(where: { $0.id == file })?.running
        else { return }
        switch event {
        case .uploadProgress(let sent, let total):
            // A count that does not grow is no progress. After a redirect it begins anew.
            if sent > running.sent {
                step.add(.start(.upload(file), after: step.configuration.uploadSilenceLimit))
            }
            let percent = max(running.percent, Chat.Attachment.percent(sent, of: total))
            outbox.change(file) { $0.source = .file(.running(attempt, sent: sent, percent: percent)) }
            if percent > running.percent { showUpload(of: outgoing.id) }
        case .uploaded(let asset):
            step.add(.cancel(.upload(file)))
            changeOutbox(&shared, &step) { outbox, _ in
                outbox.change(file) {
                    $0.source = .asset(asset)
                    $0.uploads = saturatingSum($0.uploads, 1)
                }
            }
            showUpload(of: outgoing.id)
            flush(&shared, &step)
        default: break
        }
    }

    mutating func uploadEnded(
        _ file: AttachmentID, _ attempt: Attempt, _ end: CallEnd, _ shared: inout Chat.Shared,
        _ step: inout Chat.Step
    ) {
        guard let outgoing = outbox.uploading(file, attempt) else { return }
        step.add(.cancel(.upload(file)))
        func leave(_ upload: Chat.Attachment.Upload) { outbox.change(file) { $0.source = .file(upload) } }
        switch end {
        case .refused(401, _, _):
            // The token is that of the socket; the message waits for the next sign-in (P10).
            leave(.waiting)
            step.ask(.endConnection(.stopped(.credentialsRefused(.authenticationFailed))))
        case .failed(.secretMissing):
            leave(.waiting)
            step.ask(.endConnection(.stopped(.credentialsRefused(.tokenExpired))))
        case .refused(429, let told, _):
            // Without a time, the longest wait that keeps the queue, so that the server is not asked without end (C3).
            let wait = min(
                max(told ?? step.configuration.toldWaitLimit, step.configuration.backoff.first),
                step.configuration.greatestToldWait)
            leave(.waiting)
            shared.uploads.pause(until: step.now + wait)
            shared.limitUploadPause(&step)
            shared.savePacing(&step)
            showUpload(of: outgoing.id)
            flush(&shared, &step)
        case .failed(.offline), .failed(.unreachable), .failed(.lost), .failed(.timedOut):
            // The delay of an attempt without a network (C2); a new connection ends it earlier.
            leave(.broken)
            step.add(.start(.upload(file), after: step.configuration.backoff.greatest))
            showUpload(of: outgoing.id)
        case .failed(.recordMissing):
            leave(.failed)
            park(outgoing.id, .fileMissing, &shared, &step)
        case .refused(let status, _, let sentence):
            let sentence = sentence.withoutControlCharacters.trimmed.cut(
                toByteCount: Chat.Attachment.sentenceLimit)
            // A client error repeats itself (RFC 9110, section 15.5), except a time-out.
            let isForGood = (400..<500).contains(status) && status != 408
            leave(isForGood ? .refused(sentence) : .failed)
            park(outgoing.id, .uploadFailed(sentence), &shared, &step)
        case .completed, .closed, .failed:
            leave(.failed)
            park(outgoing.id, .uploadFailed(""), &shared, &step)
        }
    }

    /// The silence limit of an upload, or the delay after an interruption, has passed.
    mutating func uploadSilent(_ file: AttachmentID, _ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard let attachment = outbox.attachment(file) else { return }
        if let attempt = attachment.running?.attempt {
            // Silence is a failure; a time-out would count as an interruption and start again.
            step.add(.close(.upload(file, attempt)))
            uploadEnded(file, attempt, .completed, &shared, &step)
        } else if attachment.source == .file(.broken) {
            outbox.change(file) { $0.source = .file(.waiting) }
            flush(&shared, &step)
        }
    }

    /// Moves a message out of the queue because a file cannot be sent now; its other uploads go on.
    mutating func park(
        _ key: ClientID, _ failure: SendFailure, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        guard case .done(var outgoing) = outbox.queue.remove(key) else { return }
        outgoing.failure = failure
        setStatus(of: key, to: .failed(failure))
        changeOutbox(&shared, &step) { outbox, _ in outbox.parked.append(outgoing) }
        flush(&shared, &step)
    }

    /// Requeues a parked message, at the end. Only the missing files are uploaded.
    mutating func retryUpload(_ parked: Outgoing, _ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        // The queue of an earlier launch may exceed its limit.
        guard outbox.queue.count < outbox.queue.limit else {
            banner = .outboxFull
            return
        }
        setStatus(of: parked.id, to: .queued)
        resumeUploads(&step)
        changeOutbox(&shared, &step) { outbox, revision in
            var again = parked
            (again.revision, again.failure) = (revision, nil)
            for index in again.entry.attachments.indices {
                let file = again.entry.attachments[index]
                if !file.isReady, file.running == nil {
                    again.entry.attachments[index].source = .file(.waiting)
                }
            }
            outbox.parked.removeAll { $0.id == parked.id }
            _ = outbox.queue.enqueue(again)
        }
        flush(&shared, &step)
    }

    /// The server has lost a file of the message in flight. The file is uploaded once more (C14); a second loss, or a
    /// file that was never here, rejects the message.
    mutating func assetMissing(
        _ key: ClientID, _ asset: AssetID?, _ reason: ExactText, _ shared: inout Chat.Shared,
        _ step: inout Chat.Step
    ) {
        guard case .inFlight(let outgoing) = outbox.queue.phase, outgoing.id == key else {
            // A waiting message misses no file yet; one that left the queue was accepted before.
            return outbox.contains(key) ? () : rejected(key, reason, &shared, &step)
        }
        let missing = outgoing.entry.attachments.filter { file in
            guard case .asset(let known) = file.source else { return false }
            return asset == nil || asset == known
        }
        guard !missing.isEmpty, missing.allSatisfy({ $0.kind != .asset && $0.uploads < 2 }) else {
            return rejected(key, reason, &shared, &step)
        }
        requeueNotTaken()
        setStatus(of: key, to: .queued)
        for file in missing { outbox.change(file.id) { $0.source = .file(.waiting) } }
        step.add([.cancel(.slow(id)), .cancel(.acknowledgement(id))])
        flush(&shared, &step)
    }

    /// Stops the uploads of a message that is never sent, and erases its bytes.
    mutating func discard(_ outgoing: Outgoing, _ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        haltUploads(of: outgoing, &shared, &step)
        erase(outgoing.entry.attachments, &step)
    }

    var inlineInFlight: ClientID? {
        guard let outgoing = outbox.inFlight,
            outgoing.entry.attachments.contains(where: { $0.source == .inline })
        else { return nil }
        return outgoing.id
    }

    // MARK: Showing

    /// Shows at the message, if it has a row, how far its uploads are, or that it waits when none runs any more.
    private mutating func showUpload(of key: ClientID) {
        if let percent = outbox.percent(of: key) {
            setStatus(of: key, to: .uploading(percent: percent))
        } else if case .uploading = transcript.message(key)?.status {
            setStatus(of: key, to: .queued)
        }
    }
}

extension Outbox {
    func uploading(_ id: AttachmentID, _ attempt: Attempt) -> Outgoing? {
        // Every conversation is asked about each progress.
        guard count > 0 else { return nil }
        return all.first { outgoing in
            outgoing.entry.attachments.contains { $0.id == id && $0.running?.attempt == attempt }
        }
    }

    func attachment(_ id: AttachmentID) -> Chat.Attachment? {
        for outgoing in all {
            if let found = outgoing.entry.attachments.first(where: { $0.id == id }) { return found }
        }
        return nil
    }

    /// Changes a file of a message that is not in flight.
    mutating func change(_ id: AttachmentID, _ body: (inout Chat.Attachment) -> Void) {
        for index in parked.indices { parked[index].entry.change(id, body) }
        for outgoing in queue.elements where outgoing.entry.attachments.contains(where: { $0.id == id }) {
            var changed = outgoing
            changed.entry.change(id, body)
            _ = queue.replace(with: changed)
        }
    }

    func percent(of key: ClientID) -> Int64? { queue.elements.first { $0.id == key }?.entry.percent ?? nil }
}

extension OutboxEntry {
    fileprivate mutating func change(_ id: AttachmentID, _ body: (inout Chat.Attachment) -> Void) {
        for index in attachments.indices where attachments[index].id == id { body(&attachments[index]) }
    }

    var percent: Int64? {
        guard attachments.contains(where: { $0.running != nil }) else { return nil }
        let sum = attachments.reduce(Int64(0)) { $0 + ($1.isReady ? 100 : $1.running?.percent ?? 0) }
        return sum / Int64(attachments.count) / 5 * 5
    }

    var isReady: Bool { attachments.allSatisfy { $0.isReady } }

    /// Why the message waits for the person: the server has refused a file.
    var refusal: SendFailure? {
        for case .file(.refused(let sentence)) in attachments.lazy.map({ $0.source }) {
            return .uploadFailed(sentence)
        }
        return nil
    }
}
