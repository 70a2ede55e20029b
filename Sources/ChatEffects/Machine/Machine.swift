// The interpreter. It runs a feature against a backend and is itself a value: feature and state, running timers, open
// calls with their decoding progress, pending storage, clock and generator. It never sleeps or waits. Its owner reports
// the time and all outcomes, and carries out the operations of `drain`.
//
// Guarantees, so that no reducer has to check them:
//
// 1. Effects of one action are carried out in their order; actions are handled one at a time, first in,
//    first out, without re-entrance and without recursion.
// 2. Timers fire at their deadline, in the order of deadline, then of starting; a jump of the clock fires
//    each at its own time. Other input at a time is handled after every timer due by then, also input that
//    had to wait, so the result does not depend on how the arriving bytes are split. A time before the
//    last one counts as the last. (Timers that restart endlessly are slowed down: `greatestFirings`. What has
//    passed at a `wake` or a `resume` fires at its time.)
// 3. Nothing from a cancelled, replaced or ended call or timer reaches the reducer.
// 4. Each call ends once, each storage operation is answered once, to the latest attempt that asked for it; other
//    answers are dropped and counted.
// 5. Equal machines given equal input stay equal, on every platform and in every process.

import ChatDomain

/// Runs one feature against one backend, as a value.
public struct Machine<Codec: Backend>: DomainValue {
    /// The feature that is run.
    public typealias Subject = Codec.Subject

    /// The feature, which is its configuration.
    public let feature: Subject
    /// The codec between the feature and its server.
    @usableFromInline let backend: Codec

    @usableFromInline var current: Subject.State
    @usableFromInline var dropped = Diagnostics()
    @usableFromInline var context: Context
    @usableFromInline var timers = TimerTable<Subject.Timer>()
    @usableFromInline var firings = FiringCount()
    @usableFromInline var calls = CallTable<Subject.Call, Codec.Progress>()
    @usableFromInline var storage = StorageQueue<Subject.Key>()
    @usableFromInline var lastCall: UInt64 = 0
    @usableFromInline var lastTicket: UInt64 = 0
    /// The deliveries that the feature has not received yet. Empty between two calls of the owner.
    @usableFromInline var inbox = Inbox<Subject.Event, Subject.Key>()
    /// The operations that the drivers have not received yet.
    @usableFromInline var outbox: [DriverOperation] = []

    #if !hasFeature(Embedded)
        /// The stored properties: all but the inbox, which is empty between two calls, and the count of firings, which
        /// begins anew.
        private enum CodingKeys: CodingKey {
            case feature, backend, current, dropped, context, timers, calls, storage, lastCall, lastTicket,
                outbox
        }
    #endif

    /// Creates a machine with a state at a moment. `entropy` seeds identifiers and jitter.
    @inlinable
    public init(_ feature: Subject, state: Subject.State, backend: Codec, moment: Moment, entropy: Entropy) {
        self.feature = feature
        self.backend = backend
        current = state
        context = Context(moment: moment, entropy: entropy)
    }

    // MARK: Input

    /// Handles an action of the person or the front end.
    @inlinable
    public mutating func send(_ action: Subject.Action, at moment: Moment) {
        advance(to: moment)
        handle(action)
        settle(until: context.moment)
    }

    /// Advances the clock: every timer due by then fires, each at its own time.
    @inlinable
    public mutating func advance(to moment: Moment) {
        let target = reached(moment)
        settle(until: target)
        context.moment = target
    }

    /// Handles the outcome of an operation.
    @inlinable
    public mutating func receive(_ outcome: Outcome, at moment: Moment) {
        advance(to: moment)
        take(outcome)
        settle(until: context.moment)
    }

    // MARK: Output

    /// Passes the pending operations to the closure, in order, and keeps the buffer's capacity.
    ///
    /// The closure cannot access this machine; deliver an immediate outcome after the call.
    @inlinable
    public mutating func drain(_ carryOut: (DriverOperation) -> Void) {
        for operation in outbox { carryOut(operation) }
        outbox.removeAll(keepingCapacity: true)
    }

    /// Whether `drain` would pass any operation.
    @inlinable
    public var hasOperations: Bool { !outbox.isEmpty }

    /// The latest time for the next call of `advance`; `nil` if no timer needs one.
    @inlinable
    public var nextDeadline: Instant? { timers.nextDeadline }

    /// The state of the feature.
    @inlinable
    public var state: Subject.State { current }

    /// The counts of dropped and postponed items.
    @inlinable
    public var diagnostics: Diagnostics { dropped }

    /// The latest reported moment.
    @inlinable
    public var moment: Moment { context.moment }

    /// The running timers, in firing order.
    @inlinable
    package var runningTimers: [TimerTable<Subject.Timer>.Running] { timers.running }

    /// The open calls, oldest first.
    @inlinable
    package var openCalls: [OpenCall<Subject.Call, Codec.Progress>] { calls.calls }

    /// The storage operations that have not ended, oldest first.
    @inlinable
    package var pendingStorage: [PendingStorage<Subject.Key>] { storage.pending }

    /// The paths to which saves are refused, with the version of the record there.
    @inlinable
    package var sealedPaths: [RecordPath: Int64] {
        Dictionary(storage.sealed.map { ($0.path, $0.version) }, uniquingKeysWith: { first, _ in first })
    }

    // MARK: Handling actions

    /// Applies one action and carries out its effects. Does not settle.
    @inlinable
    mutating func handle(_ action: Subject.Action) {
        let effects = feature.reduce(&current, action, in: &context)
        for effect in effects { perform(effect) }
    }

    /// Handles all deliveries and every timer due by the target.
    @inlinable
    mutating func settle(until target: Moment) {
        let isDue = timers.nextDeadline.map { $0 <= target.now } ?? false
        if isDue || !inbox.isEmpty { settleInTurn(until: target) }
    }

    /// Fires all timers due now, then handles one delivery; without a delivery, moves the clock to the next deadline.
    @inlinable
    mutating func settleInTurn(until target: Moment) {
        firings.begin(at: target.now, for: Self.postponement)
        let greatest = saturatingSum(timers.count, Self.greatestFirings)
        while true {
            let limit = inbox.isEmpty ? target.now : context.now
            if let due = timers.popFirst(dueBy: limit) {
                guard firings.count < greatest else {
                    dropped.postponedTimers.increment()
                    timers.start(due.timer, at: firings.end)
                    continue
                }
                firings.count += 1
                fire(due.timer, at: max(due.deadline, context.now), before: target)
            } else if let delivery = inbox.popFirst() {
                deliver(delivery)
            } else {
                return
            }
        }
    }

    /// Handles a deadline at its own time; the wall time is computed back from the target.
    @inlinable
    mutating func fire(_ timer: Subject.Timer, at reached: Instant, before target: Moment) {
        context.moment = Moment(now: reached, wall: target.wall - (target.now - reached))
        handle(.timerFired(timer))
    }

    /// The most timers that may fire in one settling, and in all settlings within `postponement`, beyond the number
    /// that was running before: enough to catch up with a day of one each second.
    ///
    /// Without the limit, a configuration with a delay of zero, or of a nanosecond, would hang the app. A timer over the
    /// limit is due when the count begins anew.
    @inlinable
    static var greatestFirings: Int64 { 100_000 }

    /// The time in which firings are counted, and the longest delay of timers over `greatestFirings`: long enough for
    /// the app to respond meanwhile, since so many firings take 1.5 ms in the machine, plus the reducer's time.
    @inlinable
    static var postponement: Interval { .seconds(1) }

    /// The moment of the clock after a report: never earlier than before.
    @inlinable
    mutating func reached(_ moment: Moment) -> Moment {
        guard moment.now < context.now else { return moment }
        dropped.clockReversals.increment()
        return Moment(now: context.now, wall: moment.wall)
    }

    @inlinable
    mutating func deliver(_ delivery: Inbox<Subject.Event, Subject.Key>.Delivery) {
        switch delivery {
        case .event(let number, let event):
            guard let index = calls.index(of: number) else {
                return dropped.ghostArrivals.increment()
            }
            handle(.received(event, on: calls[index].call))
        case .end(let number, let end):
            guard let index = calls.index(of: number) else {
                return dropped.ghostArrivals.increment()
            }
            handle(.ended(calls.calls.remove(at: index).call, end))
        case .refused(let key, let attempt, let failure):
            handle(.stored(.failed(failure), under: key, attempt))
        }
    }

    // MARK: Carrying out effects

    @inlinable
    mutating func perform(_ effect: Subject.Effect) {
        switch effect {
        case .open(let call, let request):
            close(call)
            let (exchange, progress) = backend.open(request)
            lastCall &+= 1  // one a nanosecond would last 584 years
            let number = CallNumber(lastCall)
            calls.calls.append(
                OpenCall(number: number, call: call, transport: exchange.transport, progress: progress))
            outbox.append(.open(number, exchange))
        case .send(let call, let frame):
            guard let index = calls.index(of: call), calls[index].phase != .ending else {
                return dropped.unsentMessages.increment()
            }
            var reaction = Reaction<Subject.Event>()
            backend.send(frame, progress: &calls[index].progress, reaction: &reaction)
            apply(reaction, at: index, transportEnd: nil)
        case .close(let call):
            close(call)
        case .load(let key, let attempt):
            enqueue(.load, key, attempt)
        case .save(let record, let key, let attempt):
            enqueue(.save(record.content(written: context.wall)), key, attempt)
        case .erase(let key, let attempt):
            enqueue(.erase, key, attempt)
        case .start(let timer, let delay):
            timers.start(timer, at: max(context.now + delay, context.now))
        case .cancel(let timer):
            timers.cancel(timer)
        case .haptic:
            outbox.append(.haptic)
        }
    }

    @inlinable
    mutating func close(_ call: Subject.Call) {
        guard let index = calls.index(of: call) else { return }
        let closed = calls.calls.remove(at: index)
        if closed.phase != .ending { outbox.append(.close(closed.number)) }
    }
}
