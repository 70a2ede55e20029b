// A loop on the system's clock. It drives the same loop that tests run on virtual time, and wakes at the next deadline
// or at an arrival. Everything runs on this actor, one step at a time. All code on the way to the loop is inlinable: in
// an app's module it is compiled for the app's own backend, and then takes a fifth of the time.

import ChatDomain
import Foundation

/// Drives a loop in real time.
public final actor SystemLoop<Codec: Backend, Store: RecordStore, Server: NetworkDriver> {
    /// The feature that is driven.
    public typealias Subject = Codec.Subject

    /// The state after each change. A slow reader gets the newest, not each.
    public nonisolated let states: AsyncStream<Subject.State>

    @usableFromInline var loop: Loop<Codec, Store, Server>
    @usableFromInline let continuation: AsyncStream<Subject.State>.Continuation
    @usableFromInline var time: SystemTime
    @usableFromInline let arrivals: Arrivals?
    @usableFromInline var alarm: Task<Void, Never>?
    /// The time of the alarm. An alarm that rings too early is set again then; so an action that moves a deadline into
    /// the future costs no task.
    @usableFromInline var alarmTime: Instant?
    /// The recorder: gets the entries of the loop's journal, and whether they are the last.
    @usableFromInline var record: JournalReader?

    /// Takes the entries of a journal, and whether they are the last.
    @usableFromInline package typealias JournalReader = ([Journal<Codec>.Entry], _ areLast: Bool) -> Void

    /// Takes over a loop; its moment is now. Drivers that work by themselves report by arrivals.
    @inlinable
    public init(_ loop: sending Loop<Codec, Store, Server>, arrivals: Arrivals? = nil) {
        self.init(loop, arrivals: arrivals, record: nil)
    }

    /// Takes over a loop whose inputs are recorded, if it keeps a journal.
    @inlinable
    package init(
        _ loop: sending Loop<Codec, Store, Server>, arrivals: Arrivals? = nil, record: sending JournalReader?
    ) {
        time = SystemTime(startingAt: loop.moment.now)
        self.loop = loop
        self.arrivals = arrivals
        self.record = record
        (states, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        arrivals?.onArrival { [weak self] in
            Task { await self?.takeArrivals() }
        }
    }

    deinit {
        alarm?.cancel()
        continuation.finish()
    }

    /// The current state of the feature.
    @inlinable
    public var state: Subject.State { loop.state }

    /// The number of requested haptic taps; a front end plays one for each that is new.
    @inlinable
    public var haptics: Counter { loop.haptics }

    /// Handles an action of the person or the front end.
    @inlinable
    public func send(_ action: Subject.Action) {
        catchUp()
        loop.send(action)
        publish()
    }

    /// Changes the server at the current moment, as an outside event does.
    public func changeServer(_ change: @Sendable (inout Server, Moment) -> Void) {
        catchUp()
        change(&loop.server, loop.moment)
        catchUp()
        publish()
    }

    /// Waits until all storage operations are answered, at most until the limit: a process that ends before loses them.
    public func waitForStorage(atMost limit: Interval) async {
        let end = time.moment().now + limit
        // A disk answers in milliseconds, so polling costs less than a list of waiting callers.
        while loop.isStoring, time.moment().now < end {
            try? await Task.sleep(for: .milliseconds(2))
        }
    }

    /// Ends the recording, if there is one.
    public func endRecording() {
        record?(loop.takeJournal(), true)
        record = nil
    }

    @inlinable
    func takeArrivals() {
        guard arrivals?.isEmpty == false else { return }
        catchUp()
        publish()
    }

    /// Brings the loop to the present. What has arrived comes before a deadline that passed while it waited: a busy
    /// system is no reason to take an answer for late.
    @inlinable
    func catchUp() {
        // What arrives from now on is later than this, and wakes the loop again.
        var present = time.moment()
        if let (outcomes, since) = arrivals?.takeAll() {
            let arrived = time.moment(ofArrivalAt: since, notBefore: loop.moment.now, present: &present)
            if arrived.now > loop.moment.now { loop.catchUp(to: arrived) }
            loop.receive(outcomes)
        }
        loop.catchUp(to: present)
    }

    @inlinable
    func wakeUp() {
        alarmTime = nil
        catchUp()
        publish()
    }

    /// Publishes the state, and sets the alarm to the next deadline unless it rings earlier.
    @inlinable
    func publish() {
        continuation.yield(loop.state)
        if record != nil { passOnJournal() }
        guard let deadline = loop.nextDeadline, alarmTime.map({ deadline < $0 }) ?? true else { return }
        setAlarm(at: deadline)
    }

    @usableFromInline
    func passOnJournal() { record?(loop.takeJournal(), false) }

    @inlinable
    func setAlarm(at deadline: Instant) {
        alarm?.cancel()
        // An app may sleep for days, and a deadline may be years away; one day at a time is enough.
        let now = time.moment().now
        let wait = min(max(deadline - now, .zero), .hours(24))
        alarmTime = now + wait
        alarm = Task { [weak self] in
            try? await Task.sleep(for: .nanoseconds(wait.nanoseconds), clock: .continuous)
            guard !Task.isCancelled else { return }
            await self?.wakeUp()
        }
    }
}

/// The system's clocks as moments.
public struct SystemTime: Sendable {
    private let start: ContinuousClock.Instant
    private var origin: Instant

    /// Creates a clock that starts at an instant.
    public init(startingAt origin: Instant = .origin) {
        start = ContinuousClock.now
        self.origin = origin
    }

    /// Both clocks now. The monotonic clock also runs while the system sleeps.
    public func moment() -> Moment { Moment(now: instant(ContinuousClock.now), wall: SystemTime.wall()) }

    /// Both clocks at the arrival of something that has waited since, not before the loop's own time. A wait of a second
    /// or more is a stall: the loop had no turn, and could do nothing in that time. So the monotonic clock goes on from
    /// the arrival, which is the present then, or the deadline of what the arrival leads to would have passed already.
    @usableFromInline
    package mutating func moment(
        ofArrivalAt since: ContinuousClock.Instant, notBefore earliest: Instant, present: inout Moment
    ) -> Moment {
        let arrived = max(min(instant(since), present.now), earliest)
        let wait = present.now - arrived
        guard wait >= .seconds(1) else { return Moment(now: arrived, wall: present.wall - wait) }
        origin = origin - wait
        present.now = arrived
        return present
    }

    private func instant(_ instant: ContinuousClock.Instant) -> Instant {
        let passed = (instant - start).components
        let nanoseconds = passed.attoseconds / 1_000_000_000
        return origin + Interval.seconds(passed.seconds) + Interval(nanoseconds: nanoseconds)
    }

    /// The wall clock now.
    public static func wall() -> WallTime {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let seconds = WallTime(nanosecondsSince1970: 0) + Interval.seconds(Int64(now.tv_sec))
        return seconds + Interval(nanoseconds: Int64(now.tv_nsec))
    }
}
