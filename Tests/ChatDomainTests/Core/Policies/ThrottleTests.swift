@testable import ChatDomain
import Testing

@Suite("Throttle")
struct ThrottleTests {
    private let fiveASecond = Throttle.Configuration(limit: 5, window: .seconds(1))

    private func at(_ milliseconds: Int64) -> Instant {
        .origin + .milliseconds(milliseconds)
    }

    @Test("P6, C2: requests of an earlier process are recalled beside those of this one")
    func recalled() {
        let moment = Moment(now: at(5_000), wall: WallTime(millisecondsSince1970: 1_000_000))
        let context = Context(moment: moment, entropy: .least(1))
        var throttle = Throttle(fiveASecond)
        _ = throttle.admit(at: at(4_900))
        _ = throttle.recall(
            Pacing(asked: [moment.wall - .milliseconds(500)]), atMost: .hours(1), in: context)
        #expect(throttle.admissions == [at(4_500), at(4_900)])
    }

    @Test("bad input: where the longest wait is negative, a stored one holds nothing up")
    func negativeLongest() {
        let moment = Moment(now: at(0), wall: WallTime(millisecondsSince1970: 1_000_000))
        let context = Context(moment: moment, entropy: .least(1))
        var throttle = Throttle(fiveASecond)
        let record = Pacing(asked: [], notBefore: moment.wall + .seconds(10))
        for longest in [Interval.zero, Interval(nanoseconds: -1), Interval(nanoseconds: .min)] {
            let isClamped = throttle.recall(record, atMost: longest, in: context)
            #expect(isClamped)
            #expect(throttle.admit(at: at(0)) == .now)
        }
    }

    @Test("C8: the sixth event within a second waits until the first is exactly a second old")
    func border() {
        var throttle = Throttle(fiveASecond)
        for time in [0, 100, 200, 300, 400] as [Int64] {
            #expect(throttle.admit(at: at(time)) == .now)
        }
        #expect(throttle.admit(at: at(400)) == .wait(until: at(1_000)))
        #expect(throttle.admit(at: at(1_000) - Interval(nanoseconds: 1)) == .wait(until: at(1_000)))
        #expect(throttle.admit(at: at(1_000)) == .now)
        #expect(throttle.admit(at: at(1_000)) == .wait(until: at(1_100)))
    }

    @Test(
        "C2, C8, A8: an event is admitted exactly when fewer than the limit fall in the window before it",
        arguments: [(1, 10), (2, 7), (4, 60), (5, 10), (10, 60)] as [(Int64, Int64)])
    func bruteForce(limit: Int64, window: Int64) {
        for seed in 0..<20 as Range<UInt64> {
            var entropy = Entropy.seeded(seed)
            var throttle = Throttle(
                Throttle.Configuration(limit: limit, window: Interval(nanoseconds: window)))
            var admitted: [Int64] = []
            var now: Int64 = -50
            for _ in 0..<200 {
                now += Int64(entropy.below(Int(2 * window / limit) + 1))
                let recent = admitted.filter { $0 > now - window }.count
                switch throttle.admit(at: Instant(nanoseconds: now)) {
                case .now:
                    #expect(recent < Int(limit))
                    admitted.append(now)
                case .wait(let until):
                    #expect(recent == Int(limit))
                    var early = throttle
                    #expect(early.admit(at: until - Interval(nanoseconds: 1)) == .wait(until: until))
                    #expect(early.admit(at: until) == .now)
                }
                #expect(throttle.admissions.count <= Int(limit))
            }
            for start in admitted {
                #expect(admitted.filter { $0 >= start && $0 < start + window }.count <= Int(limit))
            }
            #expect(admitted.count > Int(limit))
        }
    }

    @Test("A8: a pause holds everything until its end; the longest of several counts")
    func pauses() {
        var throttle = Throttle(fiveASecond)
        throttle.pause(until: at(30_000))
        throttle.pause(until: at(10_000))
        #expect(throttle.admit(at: at(29_999)) == .wait(until: at(30_000)))
        #expect(throttle.pausedUntil == at(30_000))
        #expect(throttle.admit(at: at(30_000)) == .now)
        #expect(throttle.pausedUntil == nil)
    }

    @Test("a full window that ends after the pause is what is waited for")
    func pauseInsideWindow() {
        var throttle = Throttle(Throttle.Configuration(limit: 1, window: .seconds(1)))
        #expect(throttle.admit(at: at(0)) == .now)
        throttle.pause(until: at(500))
        #expect(throttle.admit(at: at(100)) == .wait(until: at(1_000)))
        throttle.pause(until: at(2_000))
        #expect(throttle.admit(at: at(100)) == .wait(until: at(2_000)))
    }

    @Test("an event that waits costs nothing")
    func refusalsDoNotCount() {
        var throttle = Throttle(fiveASecond)
        for _ in 0..<5 { _ = throttle.admit(at: at(0)) }
        let full = throttle
        for _ in 0..<100 { _ = throttle.admit(at: at(500)) }
        #expect(throttle == full)
        #expect(throttle.admit(at: at(1_000)) == .now)
    }

    @Test("a machine forgets what no longer matters: equal futures are equal values")
    func normalForm() {
        var used = Throttle(fiveASecond)
        for time in 0..<5 as Range<Int64> { _ = used.admit(at: at(time)) }
        used.pause(until: at(900))
        used.forget(at: at(1_004))
        #expect(used == Throttle(fiveASecond))
    }

    @Test("A8: a throttle without limit admits everything and remembers nothing")
    func unlimited() {
        var throttle = Throttle(.unlimited)
        for _ in 0..<100 { #expect(throttle.admit(at: at(0)) == .now) }
        #expect(throttle == Throttle(.unlimited))
        throttle.pause(until: at(1))
        #expect(throttle.admit(at: at(0)) == .wait(until: at(1)))
    }

    @Test("P6: admissions of an earlier process count, and a clock set back costs one window at most")
    func recalls() {
        let rule = Throttle.Configuration(limit: 4, window: .seconds(60))
        let stored = [at(20_000), at(9_000_000), at(-70_000), at(10_000), at(15_000)]
        var throttle = Throttle(rule, recalling: stored, at: at(30_000))
        #expect(throttle.admissions == [at(10_000), at(15_000), at(20_000), at(30_000)])
        #expect(throttle.admit(at: at(30_000)) == .wait(until: at(70_000)))

        let many = Throttle(rule, recalling: Array(repeating: .never, count: 500), at: at(0))
        #expect(many.admissions == Array(repeating: at(0), count: 4))
    }

    @Test("C2, C14: an outdated event hides no stored one, and a record without a wait pauses nothing")
    func recallsBesideOutdated() {
        let moment = Moment(now: at(60_000), wall: WallTime(millisecondsSince1970: 1_000_000))
        let context = Context(moment: moment, entropy: .least(1))
        var throttle = Throttle(Throttle.Configuration(limit: 4, window: .seconds(60)))
        _ = throttle.admit(at: at(0))
        let stored = Pacing(asked: [moment.wall - .milliseconds(59_500)])
        let isNews = throttle.recall(stored, atMost: .hours(1), within: .seconds(1), in: context)
        #expect(!isNews && throttle.admissions == [at(500)] && throttle.pausedUntil == nil)
    }

    @Test("C2: an authentication that did not happen is not counted, and none before it is forgotten")
    func withdrawn() {
        var throttle = Throttle(Throttle.Configuration(limit: 2, window: .seconds(10)))
        throttle.withdraw()
        #expect(throttle.admit(at: .origin) == .now)
        for _ in 0..<3 {
            #expect(throttle.admit(at: .origin + .seconds(1)) == .now)
            throttle.withdraw()
        }
        #expect(throttle.admissions == [.origin])
    }

    @Test("bad input: a clock that goes back is taken as standing still")
    func clockGoesBack() {
        var throttle = Throttle(Throttle.Configuration(limit: 2, window: .seconds(1)))
        #expect(throttle.admit(at: at(500)) == .now)
        #expect(throttle.admit(at: at(-9_000)) == .now)
        #expect(throttle.admissions == [at(500), at(500)])
        #expect(throttle.admit(at: Instant(nanoseconds: .min)) == .wait(until: at(1_500)))
    }

    @Test("bad input: limits and windows at their extremes do not trap, and memory stays bounded")
    func extremes() {
        var none = Throttle(Throttle.Configuration(limit: .min, window: .seconds(1)))
        #expect(none.admit(at: at(0)) == .wait(until: .never))

        var forever = Throttle(Throttle.Configuration(limit: 1, window: .max))
        #expect(forever.admit(at: at(5)) == .now)
        #expect(forever.admit(at: at(6)) == .wait(until: .never))

        var backwards = Throttle(Throttle.Configuration(limit: 1, window: Interval(nanoseconds: .min)))
        #expect(backwards.admit(at: .never) == .now)
        #expect(backwards.admit(at: Instant(nanoseconds: .min)) == .now)

        var huge = Throttle(Throttle.Configuration(limit: .max, window: .seconds(1)))
        var admitted = 0
        for _ in 0..<1_100 where huge.admit(at: at(0)) == .now { admitted += 1 }
        #expect(admitted == 1_000)
        #expect(huge.admissions.count == 1_000)
    }
}
