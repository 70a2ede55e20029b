// The normal form of the cache of smart replies: which caches answer alike from now on.

import Testing

@testable import ChatDomain

@Suite("The normal form of the cache of smart replies")
struct ReplyCacheFormTests {
    private let start = WallTime(millisecondsSince1970: 1_000_000_000)

    /// The normal form, after that age, of a cache with one reply.
    private func normal(_ text: String, after age: Interval, from start: WallTime) -> ReplyCache {
        var cache = ReplyCache()
        let key = ReplyCache.Key(conversation: "talk", message: "m1", kind: .short)
        cache.store(LongText(text), for: key, at: start)
        var form = NormalForm(moment: Moment(now: .origin, wall: start + age), horizon: .hours(48))
        return form.normal(cache)
    }

    @Test("S14: caches are alike whose replies are as old, and a reply counts until it is a day old")
    func ages() {
        let last = Interval.hours(24) - Interval(nanoseconds: 1)
        for age in [Interval.zero, .hours(1), last] {
            let cache = normal("Yes", after: age, from: start)
            #expect(cache.count == 1 && cache == normal("Yes", after: age, from: start + .hours(7)))
            #expect(cache != normal("No", after: age, from: start))
        }
        #expect(normal("Yes", after: .zero, from: start) != normal("Yes", after: .hours(1), from: start))
        #expect(normal("Yes", after: .hours(24), from: start) == ReplyCache())
    }
}
