// What of connecting outlives the process (section 1): when this device authenticated lately (C2), and how long the
// server wants to be left alone (C3), or to be sent no file (C14). Who relaunches connects no more often than who does
// not. It is stored as wall time, and clamped when it is read: no clock and no file holds a person up for longer than
// the server has said, however often the app is launched meanwhile.

extension Chat.Shared {
    /// What the record tells as so near to what this process remembers is the same attempt: two are a second apart at
    /// least, because the backoff begins with one (C2).
    private static var recallTolerance: Interval { .seconds(1) }

    /// Keeps authentications apart; where streams carry chat there are none.
    var authentications: Throttle {
        get {
            if case .socket(let connection) = carrier {
                connection.wrappedValue.authentications
            } else {
                Throttle(.unlimited)
            }
        }
        set {
            guard case .socket(var connection) = carrier else { return }
            connection.wrappedValue.authentications = newValue
            carrier = .socket(connection)
        }
    }

    mutating func loadPacing(of user: UserID, _ step: inout Chat.Step) {
        let attempt = step.context.nextAttempt()
        pacing = KeptRecord()
        if pacing.loads(under: attempt) { step.add(.load(.pacing(user), attempt)) }
    }

    /// Something of it has changed. Nobody waits for it to be stored.
    mutating func savePacing(_ step: inout Chat.Step) {
        _ = pacing.changed()
        writePacing(&step)
    }

    private mutating func writePacing(_ step: inout Chat.Step) {
        guard let user = account?.user, let attempt = pacing.saves(under: step.context.nextAttempt()) else {
            return
        }
        let own = Pacing(of: authentications, in: step.context)
        let files = Pacing(of: uploads, in: step.context)
        let record = Pacing(
            asked: own.asked, notBefore: own.notBefore, written: own.written ?? files.written)
        step.add(.save(.pacing(record, uploadsNotBefore: files.notBefore), under: .pacing(user), attempt))
    }

    /// Returns whether it was loaded just now.
    fileprivate mutating func pacingStored(
        _ answer: StorageAnswer<Chat.Record>, _ attempt: Attempt, _ step: inout Chat.Step
    ) -> Bool {
        guard pacing.loaded(attempt, answer.failure) else {
            if pacing.ended(attempt, succeeded: answer == .saved) != nil { writePacing(&step) }
            return false
        }
        if case .loaded(.pacing(let record, let uploads)) = answer {
            recall(record, uploadsNotBefore: uploads, &step)
        } else {
            recall(Pacing(asked: []), uploadsNotBefore: nil, &step)
        }
        return true
    }

    /// Recalls what an earlier process did, besides what this one has done itself. It is saved anew where that says
    /// something else: what this one has done before it knew, and a wait that was clamped, or each launch would begin it
    /// from the start.
    private mutating func recall(
        _ record: Pacing, uploadsNotBefore: WallTime?, _ step: inout Chat.Step
    ) {
        let (own, now) = (authentications, step.now)
        let asked = record.events(in: step.context).filter { past in
            !own.admissions.contains {
                past < $0 + Self.recallTolerance && $0 < past + Self.recallTolerance
            }
        }
        var recalled = Throttle(own.configuration, recalling: own.admissions + asked, at: now)
        if let pause = own.pausedUntil { recalled.pause(until: pause) }
        let wait = step.rest(of: record.notBefore, record)
        let uploadWait = step.rest(of: uploadsNotBefore, record)
        if wait > .zero { recalled.pause(until: now + wait) }
        if uploadWait > .zero { uploads.pause(until: now + uploadWait) }
        authentications = recalled
        let isClamped =
            [(record.notBefore, wait), (uploadsNotBefore, uploadWait)]
            .contains { told, rest in told.map { $0 - step.wall > rest } ?? false }
        if !own.admissions.isEmpty || own.pausedUntil != nil || isClamped { _ = pacing.changed() }
        writePacing(&step)
    }
}

extension Chat.State {
    mutating func pacingStored(
        _ answer: StorageAnswer<Chat.Record>, _ attempt: Attempt, _ step: inout Chat.Step
    ) {
        if shared.pacingStored(answer, attempt, &step) { restoredAll(&step) }
    }
}

extension Chat.Step {
    /// How long a wait that a record tells still lasts.
    fileprivate func rest(of notBefore: WallTime?, _ record: Pacing) -> Interval {
        context.rest(of: notBefore, since: record.written, atMost: configuration.greatestToldWait)
    }
}
