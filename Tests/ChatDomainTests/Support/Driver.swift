// Drives one feature at the level of its reducer, without interpreter and backend: a value that carries out
// effects by writing them down. Timers, open calls and pending storage are lists that a test can read, and
// answer in any order. Nothing here checks anything; where the real interpreter would drop an answer (a
// ghost), a test can still send it with `send`.

@testable import ChatDomain

/// A feature in the hands of a test.
struct Driver<F: Feature> {
    struct Running {
        let timer: F.Timer
        let deadline: Instant
    }

    struct Open {
        let call: F.Call
        let request: F.Request
    }

    struct Sent: Equatable {
        let call: F.Call
        let frame: F.Frame
    }

    struct Pending: Equatable {
        enum Work: Equatable {
            case load
            case save(F.Record)
            case erase
        }

        let key: F.Key
        var attempt: Attempt
        let work: Work
    }

    let feature: F
    var state: F.State
    var context: Context
    /// In the order in which they will fire.
    private(set) var timers: [Running] = []
    /// Oldest first.
    private(set) var calls: [Open] = []
    /// Every frame that was sent on an open call.
    private(set) var sent: [Sent] = []
    /// Oldest first.
    private(set) var storage: [Pending] = []
    /// How many taps were asked for.
    private(set) var haptics = 0
    /// Whether a call is opened by another feature, so that it may be open although it is not in the list.
    var isForeign: @Sendable (F.Call) -> Bool = { _ in false }

    /// Whether the records under two keys overlap, so that their operations keep their order.
    var overlap: @Sendable (F.Key, F.Key) -> Bool = { $0 == $1 }

    /// Starts at a wall time of a million seconds and a monotonic time of a thousand.
    init(
        _ feature: F, state: F.State, seed: UInt64 = 1,
        wall: WallTime = WallTime(millisecondsSince1970: 1_000_000_000)
    ) {
        self.feature = feature
        self.state = state
        let moment = Moment(now: .origin + .seconds(1_000), wall: wall)
        context = Context(moment: moment, entropy: .seeded(seed))
    }

    @discardableResult
    mutating func send(_ action: F.Action) -> [F.Effect] {
        let effects = feature.reduce(&state, action, in: &context)
        for effect in effects { perform(effect) }
        return effects
    }

    /// Lets time pass on both clocks; every timer due by then fires at its own time.
    mutating func advance(by interval: Interval) {
        let end = context.moment + interval
        while let due = timers.first, due.deadline <= end.now {
            timers.removeFirst()
            context.moment = context.moment + (max(due.deadline, context.now) - context.now)
            send(.timerFired(due.timer))
        }
        context.moment = context.moment + (end.now - context.now)
    }

    /// Answers the oldest pending operation under a key, if there is one.
    @discardableResult
    mutating func answer(_ key: F.Key, with answer: StorageAnswer<F.Record>) -> [F.Effect] {
        guard let index = storage.firstIndex(where: { $0.key == key }) else { return [] }
        let operation = storage.remove(at: index)
        return send(.stored(answer, under: operation.key, operation.attempt))
    }

    /// Answers pending operations from a disk until none is left; of one key they end in order.
    mutating func serve(from disk: inout Disk<F>) {
        serve(from: &disk) { _, _ in }
    }

    /// The same, but for some keys, for which the disk says nothing.
    mutating func serve(from disk: inout Disk<F>, but isSilent: (F.Key) -> Bool) {
        while let operation = storage.first(where: { !isSilent($0.key) }) {
            answer(operation.key, with: disk.carryOut(operation))
        }
    }

    /// The same, but for some keys, at which nothing can be read or changed.
    mutating func serve(
        from disk: inout Disk<F>, failing isFailing: (F.Key) -> Bool,
        with failure: StorageFailure = .unreadable
    ) {
        while let operation = storage.first {
            answer(
                operation.key, with: isFailing(operation.key) ? .failed(failure) : disk.carryOut(operation))
        }
    }

    /// The same, and shows the disk as it is after each write, before the write is answered.
    mutating func serve(from disk: inout Disk<F>, afterWrite: (Disk<F>, Self) -> Void) {
        while let operation = storage.first {
            let result = disk.carryOut(operation)
            if operation.work != .load { afterWrite(disk, self) }
            answer(operation.key, with: result)
        }
    }

    /// Ends an open call.
    @discardableResult
    mutating func end(_ call: F.Call, _ end: CallEnd) -> [F.Effect] {
        guard let index = calls.firstIndex(where: { $0.call == call }) else { return [] }
        calls.remove(at: index)
        return send(.ended(call, end))
    }

    func isRunning(_ timer: F.Timer) -> Bool {
        timers.contains { $0.timer == timer }
    }

    /// How long a timer has to run, or `nil`.
    func remaining(_ timer: F.Timer) -> Interval? {
        timers.first { $0.timer == timer }.map { $0.deadline - context.now }
    }

    private mutating func perform(_ effect: F.Effect) {
        switch effect {
        case .open(let call, let request):
            calls.removeAll { $0.call == call }
            calls.append(Open(call: call, request: request))
        case .send(let call, let frame):
            if isForeign(call) || calls.contains(where: { $0.call == call }) {
                sent.append(Sent(call: call, frame: frame))
            }
        case .close(let call): calls.removeAll { $0.call == call }
        case .load(let key, let attempt):
            // An unanswered load of the key is replaced, unless something behind it changes what it reads.
            if let last = storage.lastIndex(where: { overlap($0.key, key) }), storage[last].key == key,
                storage[last].work == .load
            {
                storage[last].attempt = attempt
            } else {
                storage.append(Pending(key: key, attempt: attempt, work: .load))
            }
        case .save(let record, let key, let attempt):
            storage.append(Pending(key: key, attempt: attempt, work: .save(record)))
        case .erase(let key, let attempt):
            storage.append(Pending(key: key, attempt: attempt, work: .erase))
        case .start(let timer, let delay):
            stop(timer)
            let deadline = context.now + max(delay, .zero)
            let place = timers.firstIndex { $0.deadline > deadline } ?? timers.count
            timers.insert(Running(timer: timer, deadline: deadline), at: place)
        case .cancel(let timer): stop(timer)
        case .haptic: haptics += 1
        }
    }

    /// Each timer runs once, so the first is the only one.
    private mutating func stop(_ timer: F.Timer) {
        if let index = timers.firstIndex(where: { $0.timer == timer }) { timers.remove(at: index) }
    }
}

/// Records that outlive a driver, for relaunches.
struct Disk<F: Feature> {
    private(set) var records: [(key: F.Key, record: F.Record)] = []

    subscript(key: F.Key) -> F.Record? {
        get { records.first { $0.key == key }?.record }
        set {
            records.removeAll { $0.key == key }
            if let newValue { records.append((key, newValue)) }
        }
    }

    mutating func carryOut(_ operation: Driver<F>.Pending) -> StorageAnswer<F.Record> {
        switch operation.work {
        case .load:
            return self[operation.key].map { .loaded($0) } ?? .missing
        case .save(let record):
            self[operation.key] = record
            return .saved
        case .erase:
            self[operation.key] = nil
            return .erased
        }
    }
}
