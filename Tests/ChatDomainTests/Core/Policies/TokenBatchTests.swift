@testable import ChatDomain
import Testing

@Suite("Token batch")
struct TokenBatchTests {
    @Test("S2: the first token of a batch starts the timer, the others do not")
    func firstStartsTimer() {
        var batch = TokenBatch()
        #expect(batch.append("a") == .first)
        #expect(batch.append("b") == .further)
        #expect(batch.flush() == "ab")
        #expect(batch.append("c") == .first)
    }

    @Test("S2: nothing is shown when nothing is pending, and an empty token is nothing")
    func empty() {
        var batch = TokenBatch()
        #expect(batch.flush() == nil)
        #expect(batch.append("") == .nothing)
        #expect(batch.isEmpty)
        #expect(batch.flush() == nil)
        _ = batch.append("a")
        #expect(batch.append("") == .nothing)
        #expect(batch.flush() == "a")
        #expect(batch == TokenBatch())
    }

    @Test("S2: many small tokens make one update")
    func gathers() {
        var batch = TokenBatch()
        for _ in 0..<1_000 {
            _ = batch.append("ab ")
        }
        #expect(batch.byteCount == 3_000)
        #expect(batch.flush() == ExactText(String(repeating: "ab ", count: 1_000)))
        #expect(batch.isEmpty)
    }

    @Test("L9: however tokens fall into batches, the text is the same to the byte")
    func anyBatching() {
        // A letter and its accent, the halves of a flag and of a family, all in tokens of their own.
        let tokens: [ExactText] = [
            "e", "\u{301}", "\u{1F1E8}", "", "\u{1F1ED}", "👩", "\u{200D}", "👧", "\r", "\n",
        ]
        let whole = ExactText(tokens.map(\.string).joined())
        for cut in 0..<(1 << tokens.count) {
            var batch = TokenBatch()
            var shown: [UInt8] = []
            for (index, token) in tokens.enumerated() {
                _ = batch.append(token)
                if cut & (1 << index) != 0, let pending = batch.flush() {
                    shown += pending.utf8
                }
            }
            if let pending = batch.flush() { shown += pending.utf8 }
            #expect(shown == Array(whole.utf8))
        }
    }

    @Test("L8: a batch never holds more than its limit and loses nothing at it")
    func bounded() {
        var batch = TokenBatch()
        var entropy = Entropy.seeded(3)
        var shown: Int64 = 0
        var taken: Int64 = 0
        for _ in 0..<2_000 {
            let token = ExactText(String(repeating: "x", count: entropy.below(300)))
            taken += token.byteCount
            if case .displaced(let full) = batch.append(token) {
                #expect(full.byteCount > TokenBatch.byteLimit - 300)
                shown += full.byteCount
            }
            #expect(batch.byteCount <= TokenBatch.byteLimit)
        }
        #expect(shown > 0)
        shown += batch.flush()?.byteCount ?? 0
        #expect(shown == taken)

        let huge = ExactText(String(repeating: "y", count: 100_000))
        #expect(batch.append(huge) == .first)
        guard case .displaced(let full) = batch.append("z") else {
            Issue.record("a token was added to a batch that is over its limit")
            return
        }
        #expect(full == huge)
        #expect(batch.flush() == "z")
    }

    @Test("S2: the interval is 75 ms, and never outside of 50 to 100 ms")
    func interval() {
        #expect(TokenBatch.interval() == .milliseconds(75))
        #expect(TokenBatch.interval(.milliseconds(60)) == .milliseconds(60))
        #expect(TokenBatch.interval(Interval(nanoseconds: .min)) == .milliseconds(50))
        #expect(TokenBatch.interval(.max) == .milliseconds(100))
    }
}
