import ChatDomain
import Testing

@Suite("Relative time")
struct RelativeTimeTests {
    /// 1970-01-11 at 12:00 UTC.
    private let noon = WallTime(millisecondsSince1970: 0) + .hours(10 * 24 + 12)

    private func ago(_ age: Interval, at now: WallTime? = nil, offset: Interval = .zero) -> RelativeTime {
        let now = now ?? noon
        return RelativeTime(now - age, now: now, utcOffset: offset)
    }

    @Test("A9: under 60 s, and anything in the future, is just now")
    func justNow() {
        #expect(ago(.zero) == .justNow)
        #expect(ago(Interval(nanoseconds: 59_999_999_999)) == .justNow)
        #expect(ago(.seconds(-1)) == .justNow && ago(.hours(-100)) == .justNow)
    }

    @Test("A9: from 60 s it is whole minutes, up to 59, also over midnight")
    func minutes() {
        #expect(ago(.seconds(60)) == .minutesAgo(1) && ago(.seconds(119)) == .minutesAgo(1))
        #expect(ago(.seconds(120)) == .minutesAgo(2))
        #expect(ago(Interval(nanoseconds: 3_599_999_999_999)) == .minutesAgo(59))
        #expect(ago(.minutes(59), at: noon + .hours(12)) == .minutesAgo(59))
    }

    @Test("A9: from 60 min it is whole hours, as long as it is the same day")
    func hours() {
        #expect(ago(.minutes(60)) == .hoursAgo(1) && ago(.minutes(119)) == .hoursAgo(1))
        #expect(ago(.hours(12)) == .hoursAgo(12))
        #expect(ago(.hours(23), at: noon + .milliseconds(12 * 3_600_000 - 1)) == .hoursAgo(23))
    }

    @Test("A9: the calendar day before is yesterday, the one before that is a date")
    func days() {
        #expect(ago(.hours(12) + .milliseconds(1)) == .yesterday)
        #expect(ago(.hours(36)) == .yesterday)
        #expect(ago(.minutes(60), at: noon + .hours(12)) == .yesterday)
        let longer = Interval.hours(36) + .milliseconds(1)
        #expect(ago(longer) == .date(noon - longer))
    }

    @Test("A9: the day is that of the UTC offset")
    func offset() {
        #expect(ago(.hours(13), offset: .hours(2)) == .hoursAgo(13))
        #expect(ago(.hours(11), offset: .hours(-2)) == .yesterday)
        #expect(ago(.hours(11), offset: .minutes(-61)) == .yesterday)
        #expect(ago(.hours(17), offset: .minutes(5 * 60 + 45)) == .hoursAgo(17))
    }

    @Test("A9: days before 1970 begin at their midnight too")
    func before1970() {
        let midnight = WallTime(millisecondsSince1970: 0)
        #expect(ago(.hours(2), at: midnight + .hours(1)) == .yesterday)
        #expect(ago(.hours(2), at: midnight - .hours(1)) == .hoursAgo(2))
        #expect(ago(.hours(24), at: midnight) == .yesterday)
        let lastMoment = midnight - .hours(24) - Interval(nanoseconds: 1)
        #expect(RelativeTime(lastMoment, now: midnight, utcOffset: .zero) == .date(lastMoment))
    }

    @Test("A9, L1: the ends of time do not trap")
    func extremes() {
        let (first, last) = (
            WallTime(nanosecondsSince1970: .min), WallTime(nanosecondsSince1970: .max)
        )
        for offset in [Interval(nanoseconds: .min), .zero, .max] {
            #expect(RelativeTime(last, now: first, utcOffset: offset) == .justNow)
            #expect(RelativeTime(last, now: last, utcOffset: offset) == .justNow)
        }
        #expect(RelativeTime(first, now: last, utcOffset: .zero) == .date(first))
    }

    @Test("A9: in words")
    func words() {
        let date: (WallTime) -> ExactText = { ExactText("on day \($0.millisecondsSince1970 / 86_400_000)") }
        let wording = Wording.neutral
        #expect(RelativeTime.justNow.text(wording, date: date) == "Just now")
        #expect(RelativeTime.minutesAgo(2).text(wording, date: date) == "2m ago")
        #expect(RelativeTime.hoursAgo(3).text(wording, date: date) == "3h ago")
        #expect(RelativeTime.yesterday.text(wording, date: date) == "Yesterday")
        #expect(RelativeTime.date(noon).text(wording, date: date) == "on day 10")
    }
}
