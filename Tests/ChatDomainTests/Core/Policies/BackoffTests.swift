@testable import ChatDomain
import Testing

@Suite("Backoff")
struct BackoffTests {
    private func delays(_ count: Int, _ configuration: Backoff.Configuration, _ entropy: Entropy)
        -> [Interval?]
    {
        var backoff = Backoff(configuration)
        var entropy = entropy
        return (0..<count).map { _ in backoff.next(&entropy) }
    }

    @Test("C2: delays double from 1 s to 30 s, twenty times, and then there are none")
    func doubles() {
        let expected: [Interval?] =
            [1, 2, 4, 8, 16].map { .seconds($0) }
            + Array(repeating: .seconds(30), count: 15) + [nil, nil]
        #expect(delays(22, Backoff.Configuration(), .least(0)) == expected)
        let latest = expected.map { $0.map { $0 + .seconds(1) } }
        #expect(delays(22, Backoff.Configuration(), .greatest(0)) == latest)
    }

    @Test("C2: jitter stays within its second and is not always the same")
    func jitters() {
        for seed in 0..<50 as Range<UInt64> {
            let drawn = delays(20, Backoff.Configuration(), .seeded(seed)).compactMap { $0 }
            let plain = delays(20, Backoff.Configuration(), .least(0)).compactMap { $0 }
            let jitter = zip(drawn, plain).map { $0 - $1 }
            #expect(jitter.allSatisfy { $0 >= .zero && $0 <= .seconds(1) })
            #expect(Set(jitter).count > 10)
        }
    }

    @Test("an exhausted backoff counts no further and takes no randomness")
    func exhausted() {
        var backoff = Backoff(Backoff.Configuration(limit: 2))
        var entropy = Entropy.seeded(7)
        _ = backoff.next(&entropy)
        #expect(!backoff.isExhausted)
        _ = backoff.next(&entropy)
        #expect(backoff.isExhausted)
        let before = (backoff, entropy)
        #expect(backoff.next(&entropy) == nil)
        #expect(backoff == before.0)
        #expect(entropy == before.1)
        #expect(backoff.attempts == 2)
    }

    @Test("C2: a reset begins again at the first delay")
    func resets() {
        var backoff = Backoff()
        var entropy = Entropy.least(0)
        for _ in 0..<20 { _ = backoff.next(&entropy) }
        #expect(backoff.isExhausted)
        backoff.reset()
        #expect(backoff == Backoff())
        #expect(backoff.next(&entropy) == .seconds(1))
    }

    @Test("bad input: attempt 10,000 and the longest intervals saturate")
    func saturates() {
        let long = Backoff.Configuration(first: .max, greatest: .max, jitter: .max, limit: .max)
        #expect(delays(3, long, .greatest(0)) == [.max, .max, .max])
        let small = Backoff.Configuration(
            first: Interval(nanoseconds: 1), greatest: .seconds(30), jitter: .zero, limit: .max)
        let many = delays(10_000, small, .least(0)).compactMap { $0 }
        #expect(many.count == 10_000)
        #expect(zip(many, many.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(many.last == .seconds(30))
    }

    @Test("bad input: negative intervals are no delay, a negative limit is no attempt")
    func negative() {
        let least = Interval(nanoseconds: .min)
        let negative = Backoff.Configuration(first: least, greatest: .seconds(30), jitter: least)
        #expect(delays(2, negative, .seeded(1)) == [.zero, .zero])
        let capped = Backoff.Configuration(first: .seconds(5), greatest: least, jitter: .zero)
        #expect(delays(2, capped, .seeded(1)) == [.zero, .zero])
        let inverted = Backoff.Configuration(first: .seconds(5), greatest: .seconds(2), jitter: .zero)
        #expect(delays(2, inverted, .seeded(1)) == [.seconds(2), .seconds(2)])
        #expect(delays(1, Backoff.Configuration(limit: .min), .seeded(1)) == [nil])
    }
}
