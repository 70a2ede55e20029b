import ChatDomain
import Testing

@Suite("Time")
struct TimeTests {
    @Test("bad input: arithmetic at the ends of time saturates instead of trapping")
    func saturates() {
        #expect(Interval.seconds(.max) == .max)
        #expect(Interval.seconds(.min).nanoseconds == .min)
        #expect(Instant.never + .seconds(1) == .never)
        #expect((Instant(nanoseconds: .min) - Instant.never).nanoseconds == .min)
        #expect((Instant.never - Instant(nanoseconds: .min)).nanoseconds == .max)
        #expect(Interval(nanoseconds: .min) * -1 == .max)
        #expect(WallTime(millisecondsSince1970: .max).nanosecondsSince1970 == .max)
    }

    @Test("a clamped interval lies within its bounds")
    func clamps() {
        let bounds = Interval.milliseconds(50)...Interval.milliseconds(100)
        #expect(Interval.milliseconds(7).clamped(to: bounds) == .milliseconds(50))
        #expect(Interval.milliseconds(75).clamped(to: bounds) == .milliseconds(75))
        #expect(Interval.seconds(-7).clamped(to: bounds) == .milliseconds(50))
        #expect(Interval.max.clamped(to: bounds) == .milliseconds(100))
    }
}
