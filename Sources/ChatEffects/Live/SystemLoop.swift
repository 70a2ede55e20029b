// A loop on the system's clock: it tells the same loop that tests drive virtually what time it is, and wakes
// itself at the next deadline. Everything that happens, happens on this actor, one thing after the other.

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

    /// Takes over a loop; its moment is now.
    public init(_ loop: sending Loop<Codec, Store, Server>) {
        time = SystemTime(startingAt: loop.moment.now)
        self.loop = loop
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
        settled()
    }

    /// Changes the server, as the world around a server changes it at a moment.
    public func changeServer(_ change: @Sendable (inout Server, Moment) -> Void) {
        loop.advance(to: time.moment())
        change(&loop.server, loop.moment)
        loop.advance(to: time.moment())
        settled()
    }

    private func wakeUp() {
        loop.advance(to: time.moment())
        settled()
    }

    /// Tells who listens, and sees to it that the next deadline is not slept through.
    private func settled() {
        continuation.yield(loop.state)
        alarm?.cancel()
        guard let deadline = loop.nextDeadline else { return }
        let wait = max(deadline - loop.moment.now, .zero)
        // An app may sleep for days, and a deadline may be years away: a day at a time is enough.
        let bounded = min(wait, .hours(24))
        alarm = Task { [weak self] in
            try? await Task.sleep(for: .nanoseconds(bounded.nanoseconds), clock: .continuous)
            guard !Task.isCancelled else { return }
            await self?.wakeUp()
        }
    }
}

/// What the system's clocks say, as moments.
public struct SystemTime: Sendable {
    private let start: ContinuousClock.Instant
    private let origin: Instant

    /// Starts counting at an instant.
    public init(startingAt origin: Instant = .origin) {
        start = ContinuousClock.now
        self.origin = origin
    }

    /// Both clocks now. The monotonic one goes on while the system sleeps.
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
