// A loop on the system's clock. It drives the same loop that tests run on virtual time, and wakes at the next deadline.
// Everything runs on this actor, one step at a time.

import ChatDomain
import Foundation

/// Drives a loop in real time.
public actor SystemLoop<Codec: Backend, Store: RecordStore, Server: SimulatedServer> {
    /// The feature that is driven.
    public typealias Subject = Codec.Subject

    /// The state after each change. Who is slow to look gets the newest, not each.
    public nonisolated let states: AsyncStream<Subject.State>

    private var loop: Loop<Codec, Store, Server>
    private let continuation: AsyncStream<Subject.State>.Continuation
    private let time: SystemTime
    private var alarm: Task<Void, Never>?
    /// Who records: gets the entries of the loop's journal, and whether they are the last.
    private var record: JournalReader?

    /// Takes the entries of a journal, and whether they are the last.
    package typealias JournalReader = ([Journal<Codec>.Entry], _ areLast: Bool) -> Void

    /// Takes over a loop; its moment is now.
    public init(_ loop: sending Loop<Codec, Store, Server>) {
        self.init(loop, record: nil)
    }

    /// Takes over a loop whose inputs are recorded, if it keeps a journal.
    package init(_ loop: sending Loop<Codec, Store, Server>, record: sending JournalReader?) {
        time = SystemTime(startingAt: loop.moment.now)
        self.loop = loop
        self.record = record
        (states, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    deinit {
        alarm?.cancel()
        continuation.finish()
    }

    /// What the feature knows now.
    public var state: Subject.State { loop.state }

    /// Handles what a person or the front end did.
    public func send(_ action: Subject.Action) {
        loop.advance(to: time.moment())
        loop.send(action)
        publish()
    }

    /// Changes the server at the current moment, as an outside event does.
    public func changeServer(_ change: @Sendable (inout Server, Moment) -> Void) {
        loop.advance(to: time.moment())
        change(&loop.server, loop.moment)
        loop.advance(to: time.moment())
        publish()
    }

    /// Ends the recording, if there is one.
    package func endRecording() {
        record?(loop.takeJournal(), true)
        record = nil
    }

    private func wakeUp() {
        loop.advance(to: time.moment())
        publish()
    }

    /// Publishes the state and sets the alarm for the next deadline.
    private func publish() {
        continuation.yield(loop.state)
        record?(loop.takeJournal(), false)
        alarm?.cancel()
        guard let deadline = loop.nextDeadline else { return }
        let wait = max(deadline - loop.moment.now, .zero)
        // An app may sleep for days, and a deadline may be years away; one day at a time is enough.
        let bounded = min(wait, .hours(24))
        alarm = Task { [weak self] in
            try? await Task.sleep(for: .nanoseconds(bounded.nanoseconds), clock: .continuous)
            guard !Task.isCancelled else { return }
            await self?.wakeUp()
        }
    }
}

/// The system's clocks as moments.
public struct SystemTime: Sendable {
    private let start: ContinuousClock.Instant
    private let origin: Instant

    /// Creates a clock that starts at an instant.
    public init(startingAt origin: Instant = .origin) {
        start = ContinuousClock.now
        self.origin = origin
    }

    /// Both clocks now. The monotonic clock also runs while the system sleeps.
    public func moment() -> Moment {
        let passed = (ContinuousClock.now - start).components
        let nanoseconds = passed.attoseconds / 1_000_000_000
        return Moment(
            now: origin + Interval.seconds(passed.seconds) + Interval(nanoseconds: nanoseconds),
            wall: SystemTime.wall())
    }

    /// The wall clock now.
    public static func wall() -> WallTime {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let seconds = WallTime(nanosecondsSince1970: 0) + Interval.seconds(Int64(now.tv_sec))
        return seconds + Interval(nanoseconds: Int64(now.tv_nsec))
    }
}
