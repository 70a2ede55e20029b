// The limits that outlive the process: of a socket the last authentications (C2) and a wait that the server demands (C3),
// of streams such a wait (S9), and one for uploads (C14). So a relaunch asks no more often. Start with `savePacing`. Times are stored as
// wall time and clamped when they are read, so neither a wrong clock nor a damaged record extends a wait.

extension Chat.Shared {
    /// A stored event within this time of a known one is the same event: the backoff keeps attempts one second apart
    /// (C2).
    private static var recallTolerance: Interval { .seconds(1) }

    /// The throttle that outlives the process: of authentications on a socket, and of questions on streams (S9).
    var lasting: Throttle {
        get {
            guard case .socket(let connection) = carrier else { return sending }
            return connection.wrappedValue.authentications
        }
        set {
            guard case .socket(var connection) = carrier else { return sending = newValue }
            connection.wrappedValue.authentications = newValue
            carrier = .socket(connection)
        }
    }

    /// Counts a change and saves it. No step waits for it.
    mutating func savePacing(_ step: inout Chat.Step) {
        _ = pacing.changed()
        writePacing(&step)
    }

    mutating func writePacing(_ step: inout Chat.Step) {
        guard let user = account?.user else { return }
        let own = Pacing(of: lasting, in: step.context)
        let files = Pacing(of: uploads, in: step.context)
        let record = Pacing(asked: own.asked, notBefore: own.notBefore, written: own.written ?? files.written)
        step.save(&pacing, .pacing(record, uploadsNotBefore: files.notBefore), under: .pacing(user))
    }

    /// Returns whether the answer ends the load.
    fileprivate mutating func pacingStored(
        _ answer: StorageAnswer<Chat.Record>, _ attempt: Attempt, _ step: inout Chat.Step
    ) -> Bool {
        guard pacing.loaded(attempt, answer.failure) else {
            if pacing.ended(attempt, succeeded: answer == .saved) != nil { writePacing(&step) }
            return false
        }
        var (stored, files) = (Pacing(asked: []), Pacing(asked: []))
        if case .loaded(.pacing(let record, let notBefore)) = answer {
            (stored, files) = (record, Pacing(asked: [], notBefore: notBefore, written: record.written))
        }
        let longest = step.configuration.greatestToldWait
        let isNews = lasting.recall(
            stored, atMost: longest, within: Self.recallTolerance, in: step.context)
        if uploads.recall(files, atMost: longest, in: step.context) || isNews { _ = pacing.changed() }
        limitPause(&step)
        limitUploadPause(&step)
        writePacing(&step)
        return true
    }

    /// Starts the timer that ends the wait for uploads; the rows say that the server demands it until then (R3).
    func limitUploadPause(_ step: inout Chat.Step) {
        guard let until = uploads.pausedUntil else { return }
        step.add(.start(.uploadsAllowed, after: until - step.now))
    }
}

extension Chat.State {
    mutating func pacingStored(
        _ answer: StorageAnswer<Chat.Record>, _ attempt: Attempt, _ step: inout Chat.Step
    ) {
        if shared.pacingStored(answer, attempt, &step) { restoredAll(&step) }
    }
}
