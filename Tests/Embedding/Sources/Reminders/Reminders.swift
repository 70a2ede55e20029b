import ChatDomain

// sample state
/// Reminds a person later: here at the time, and on the server as soon as it takes the reminder.
public struct Reminders: Feature {
    public init() {}

    public struct Reminder: DomainValue {
        public var text: ExactText
        public var due: WallTime
        public var isOnServer = false
    }

    public struct State: DomainValue {
        public internal(set) var account: Account?
        /// Those to come, soonest first.
        public internal(set) var waiting: [Reminder] = []
        /// Those whose time has come, until they are dismissed.
        public internal(set) var due: [Reminder] = []
        /// Whether the last change is stored, or could not be.
        public internal(set) var record = KeptRecord()
        var upload: Upload?
        var backoff = Backoff(Backoff.Configuration(limit: 10))

        public init() {}
    }

    /// The reminder that is on its way to the server.
    struct Upload: DomainValue {
        let call: Call
        let reminder: Reminder
    }
    // end

    // sample vocabulary
    public enum Action: FeatureAction {
        case added(ExactText, after: Interval)
        case dismissed
        case accountChanged(Account?)
        case received(Event, on: Call)
        case ended(Call, CallEnd)
        case stored(StorageAnswer<Record>, under: Key, Attempt)
        case timerFired(Timer)
    }

    public enum Call: DomainValue { case upload(Attempt) }
    public enum Request: PlainValue { case upload(Reminder, SecretHandle) }
    public enum Event: PlainValue { case taken }
    public struct Key: DomainValue { let user: UserID }
    public struct Record: PlainValue { let reminders: [Reminder] }
    public enum Timer: DomainValue { case due, retry }
    public typealias Frame = Never
    // end
}

// sample reducer
extension Reminders {
    public func reduce(_ state: inout State, _ action: Action, in context: inout Context) -> [Effect] {
        switch action {
        case .accountChanged(let account):
            let left = leave(&state, &context)
            guard let account else { return left }
            state.account = account
            let attempt = context.nextAttempt()
            _ = state.record.loads(under: attempt)
            return left + [.load(Key(user: account.user), attempt)]
        case .added(let text, let delay):
            guard state.account != nil, !text.isEmpty, state.waiting.count < 100 else { return [] }
            state.waiting.append(Reminder(text: text, due: context.wall + delay))
            return changed(&state, &context)
        case .dismissed:
            guard !state.due.isEmpty else { return [] }
            state.due.removeFirst()
            return changed(&state, &context)
        case .timerFired(.due):
            let due = state.waiting.prefix { $0.due <= context.wall }
            state.due += due
            state.waiting.removeFirst(due.count)
            return due.isEmpty ? [] : changed(&state, &context)
        case .timerFired(.retry):
            guard let silent = state.upload else { return upload(&state, &context) }
            state.upload = nil
            return [.close(silent.call)] + later(&state, nil, &context)
        case .received(.taken, on: let call):
            guard let upload = state.upload, upload.call == call else { return [] }
            for index in state.waiting.indices where state.waiting[index] == upload.reminder {
                state.waiting[index].isOnServer = true
            }
            state.backoff.reset()
            return changed(&state, &context)
        case .ended(let call, let end):
            guard state.upload?.call == call else { return [] }
            state.upload = nil
            if case .completed = end { return [.cancel(.retry)] + upload(&state, &context) }
            if case .refused(_, let asked, _) = end { return later(&state, asked, &context) }
            return later(&state, nil, &context)
        case .stored(let answer, under: let key, let attempt):
            guard state.account?.user == key.user else { return [] }
            if state.record.loaded(attempt, answer.failure) {
                if case .loaded(let stored) = answer { state.waiting += stored.reminders }
                return changed(&state, &context)
            }
            guard state.record.ended(attempt, succeeded: answer == .saved) != nil else { return [] }
            return save(&state, &context)
        }
    }

    private func changed(_ state: inout State, _ context: inout Context) -> [Effect] {
        state.waiting.sort { $0.due < $1.due }
        state.record.changed()
        let alarm = state.waiting.first.map { Effect.start(.due, after: $0.due - context.wall) }
        return [alarm ?? .cancel(.due)] + save(&state, &context) + upload(&state, &context)
    }

    private func save(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard let user = state.account?.user, let attempt = state.record.saves(under: context.nextAttempt())
        else { return [] }
        return [.save(Record(reminders: state.due + state.waiting), under: Key(user: user), attempt)]
    }

    private func upload(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard let account = state.account, state.upload == nil,
            let next = state.waiting.first(where: { !$0.isOnServer })
        else { return [] }
        let new = Upload(call: .upload(context.nextAttempt()), reminder: next)
        state.upload = new
        return [.start(.retry, after: .seconds(30)), .open(new.call, .upload(next, account.secret))]
    }

    /// Tries again, after the wait that the server has asked for or longer.
    private func later(_ state: inout State, _ asked: Interval?, _ context: inout Context) -> [Effect] {
        guard let delay = state.backoff.next(&context.entropy) else { return [.cancel(.retry)] }
        return [.start(.retry, after: max(delay, asked ?? .zero))]
    }

    /// Sign-out: nothing goes on, and a change that is not stored yet is stored behind the save under way.
    private func leave(_ state: inout State, _ context: inout Context) -> [Effect] {
        defer { state = State() }
        guard let user = state.account?.user else { return [] }
        var effects: [Effect] = [.cancel(.due), .cancel(.retry)]
        if let upload = state.upload { effects.append(.close(upload.call)) }
        guard state.record.access == .open, !state.record.isClean else { return effects }
        let record = Record(reminders: state.due + state.waiting)
        return effects + [.save(record, under: Key(user: user), context.nextAttempt())]
    }
}
// end
