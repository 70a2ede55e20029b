// What a stored record of requests adds to a throttle, and when the record must be saved again.

import Testing

@testable import ChatDomain

@Suite("Pacing: records that are recalled")
struct PacingTests {
    private let context = Context(
        moment: Moment(now: .origin + .seconds(100), wall: WallTime(millisecondsSince1970: 1_000_000)),
        entropy: .least(1))

    private func throttle() -> Throttle { Throttle(Throttle.Configuration(limit: 4, window: .seconds(60))) }

    @Test(
        "C2, A8: a record is saved again only if the throttle knows an event or a wait of its own",
        arguments: [(false, false), (true, false), (false, true), (true, true)])
    func own(hasEvent: Bool, hasWait: Bool) {
        var throttle = throttle()
        if hasEvent { #expect(throttle.admit(at: context.now) == .now) }
        if hasWait { throttle.pause(until: context.now + .seconds(5)) }
        let record = Pacing(asked: [context.wall - .seconds(10)], notBefore: context.wall + .seconds(10))
        let isNews = throttle.recall(record, atMost: .hours(1), in: context)
        #expect(isNews == (hasEvent || hasWait) && throttle.pausedUntil == context.now + .seconds(10))
        #expect(throttle.admissions.count == (hasEvent ? 2 : 1))
    }

    @Test(
        "S9, A8: a record is saved again if its wait was too long, and not if it is the longest allowed",
        arguments: [(-5, false), (0, false), (30, false), (31, true)] as [(Int64, Bool)])
    func clamped(seconds: Int64, isClamped: Bool) {
        var throttle = throttle()
        let record = Pacing(asked: [], notBefore: context.wall + .seconds(seconds))
        #expect(throttle.recall(record, atMost: .seconds(30), in: context) == isClamped)
        let wait = throttle.pausedUntil.map { $0 - context.now } ?? .zero
        #expect(wait == .seconds(min(max(seconds, 0), 30)))
    }
}
