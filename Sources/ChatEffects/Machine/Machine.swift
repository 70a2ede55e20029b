// The interpreter. It runs a feature against a backend and is itself a value: feature and state, running
// timers, open calls with their decoding progress, pending storage, clock and generator. It never sleeps and
// never waits; whoever owns it tells it the time and what happened, and carries out what `drain` hands over.
//
// What it guarantees, so that no reducer has to check it:
//
// 1. Effects of one action are carried out in their order; actions are handled one at a time, first in,
//    first out, without re-entrance and without recursion.
// 2. Timers fire at their deadline, in the order of deadline, then of starting; a jump of the clock fires
//    each at its own time. Whatever else is handled at a time is handled after every timer due by then, also
//    what had to wait, so that it does not matter how arriving bytes were split. An earlier time than the
//    last is taken as the last. (Timers that start anew without end are slowed down: `greatestFirings`.)
// 3. Nothing from a cancelled, replaced or ended call or timer reaches the reducer.
// 4. Each call ends once, each storage operation is answered once; other answers are dropped and counted.
// 5. Equal machines given equal input stay equal, on every platform and in every process.

import ChatDomain

/// Runs one feature against one backend, as a value.
public struct Machine<Codec: Backend>: DomainValue {
    /// The feature that is run.
    public typealias Subject = Codec.Subject

    /// The feature, which is its configuration.
    public let feature: Subject
    /// The codec between the feature and its server.
    public let backend: Codec

    @usableFromInline var current: Subject.State
    @usableFromInline var dropped = Diagnostics()
    @usableFromInline var context: Context
    @usableFromInline var timers = TimerTable<Subject.Timer>()
    @usableFromInline var calls = CallTable<Subject.Call, Codec.Progress>()
    @usableFromInline var storage = StorageQueue<Subject.Key>()
    @usableFromInline var lastCall: UInt64 = 0
    @usableFromInline var lastTicket: UInt64 = 0
    /// What the feature has yet to be told. Empty between two calls of the owner.
    @usableFromInline var inbox = Inbox<Subject.Event, Subject.Key>()
    /// What the drivers have yet to be told.
    @usableFromInline var outbox: [DriverOperation] = []

    #if !hasFeature(Embedded)
        /// What is stored of a machine: all but the inbox, which is empty between two calls.
        private enum CodingKeys: CodingKey {
            case feature, backend, current, dropped, context, timers, calls, storage, lastCall, lastTicket,
                outbox
        }
    #endif

    /// Creates a machine in a state, at a moment, with a seed from which identifiers and jitter follow.
    @inlinable
    public init(_ feature: Subject, state: Subject.State, backend: Codec, moment: Moment, entropy: Entropy) {
        self.feature = feature
        self.backend = backend
        current = state
        context = Context(moment: moment, entropy: entropy)
    }

    // MARK: Input

    /// Handles what a person or the front end did.
    @inlinable
    public mutating func send(_ action: Subject.Action, at moment: Moment) {
        advance(to: moment)
        handle(action)
        settle(until: context.moment)
    }

    /// Lets time pass: every timer due by then fires, each at its own time.
    @inlinable
    public mutating func advance(to moment: Moment) {
        let target = reached(moment)
        settle(until: target)
        context.moment = target
    }

    /// Takes in what a driver answered.
    @inlinable
    public mutating func receive(_ outcome: Outcome, at moment: Moment) {
        advance(to: moment)
        switch outcome {
        case .arrived(let number, let arrival): take(arrival, on: number)
        case .loaded(let ticket, let bytes): answer(ticket, .loaded(bytes))
        case .missing(let ticket): answer(ticket, .missing)
        case .saved(let ticket): answer(ticket, .saved)
        case .erased(let ticket): answer(ticket, .erased)
        case .failed(let ticket, let failure): answer(ticket, .failed(failure))
        }
        settle(until: context.moment)
    }

    // MARK: Output

    /// Hands over what the drivers must do, in order, and keeps the buffer's capacity.
    ///
    /// The closure cannot use this machine meanwhile; an answer that is there at once is given afterwards.
    @inlinable
    public mutating func drain(_ carryOut: (DriverOperation) -> Void) {
        for operation in outbox { carryOut(operation) }
        outbox.removeAll(keepingCapacity: true)
    }

    /// Whether `drain` would hand over anything.
    @inlinable
    public var hasOperations: Bool { !outbox.isEmpty }

    /// When the machine wants to be told the time next, at the latest; `nil` when it need not be.
    @inlinable
    public var nextDeadline: Instant? { timers.nextDeadline }

    /// What the feature knows.
    @inlinable
    public var state: Subject.State { current }

    /// What was dropped.
    @inlinable
    public var diagnostics: Diagnostics { dropped }

    /// What the clocks said last.
    @inlinable
    public var moment: Moment { context.moment }

    /// The running timers, in the order in which they will fire.
    @inlinable
    public var runningTimers: [TimerTable<Subject.Timer>.Running] { timers.running }

    /// The open calls, oldest first.
    @inlinable
    public var openCalls: [OpenCall<Subject.Call, Codec.Progress>] { calls.calls }

    /// The storage operations that have not ended, oldest first.
    @inlinable
    public var pendingStorage: [PendingStorage<Subject.Key>] { storage.pending }

    // MARK: Handling actions

    /// Applies one action and carries out its effects. Does not settle.
    @inlinable
    mutating func handle(_ action: Subject.Action) {
        let effects = feature.reduce(&current, action, in: &context)
        for effect in effects { perform(effect) }
    }

    /// Handles what is waiting and every timer that is due by the target, until nothing is left.
    @inlinable
    mutating func settle(until target: Moment) {
        let isDue = timers.nextDeadline.map { $0 <= target.now } ?? false
        if isDue || !inbox.isEmpty { settleInTurn(until: target) }
    }

    /// Fires what is due now, then tells one thing that waits, then lets the clock reach the next deadline.
    @inlinable
    mutating func settleInTurn(until target: Moment) {
        var firings = saturatingSum(timers.count, Self.greatestFirings)
        while true {
            let limit = inbox.isEmpty ? target.now : context.now
            if let due = timers.popFirst(dueBy: limit) {
                guard firings > 0 else {
                    dropped.postponedTimers.increment()
                    timers.start(due.timer, at: target.now + Self.postponement)
                    continue
                }
                firings -= 1
                fire(due.timer, at: max(due.deadline, context.now), before: target)
            } else if let delivery = inbox.popFirst() {
                deliver(delivery)
            } else {
                return
            }
        }
    }

    /// Handles a deadline at its own time; the wall clock is reckoned back from the target.
    @inlinable
    mutating func fire(_ timer: Subject.Timer, at reached: Instant, before target: Moment) {
        context.moment = Moment(now: reached, wall: target.wall - (target.now - reached))
        handle(.timerFired(timer))
    }

    /// How many more timers may fire each time the machine settles than were running before: enough to
    /// catch up with a day of one each second.
    ///
    /// Without it a configuration that names a delay of zero, or of a nanosecond before a night's sleep,
    /// would hang the app. A timer over it is due after `postponement`.
    @inlinable
    static var greatestFirings: Int64 { 100_000 }

    /// How long timers over `greatestFirings` wait: so long that the app answers meanwhile, since so many
    /// firings take 1.5 ms in the machine, and the reducer's own time on top.
    @inlinable
    static var postponement: Interval { .seconds(1) }

    /// The moment that the clock shows after being told one: never earlier than before.
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
