@testable import ChatDomain
import Testing

@Suite("Streaming: chunking does not matter")
struct StreamingChunkingTests {
    /// An accent of its own, a family of seven scalars, and a flag: cuts between scalars break characters.
    private static let text = "e\u{301}a👨‍👩‍👧🇩🇪"
    private static let scalars = text.unicodeScalars.map { ExactText(String($0)) }

    /// The text cut after each scalar whose bit is set.
    private func tokens(_ cuts: UInt64) -> [ExactText] {
        var tokens: [ExactText] = []
        for (index, scalar) in Self.scalars.enumerated() {
            if index == 0 || cuts & (1 << UInt64(index - 1)) != 0 {
                tokens.append(scalar)
            } else {
                tokens[tokens.count - 1] = ExactText(tokens[tokens.count - 1].string + scalar.string)
            }
        }
        return tokens
    }

    private func final(_ driver: StreamingDriver) -> ExactText? {
        driver.finished.map { ExactText($0.text.string) }
    }

    @Test("L9: every chunking into tokens gives the same bytes")
    func chunkings() {
        for cuts in 0..<(1 << UInt64(Self.scalars.count - 1)) as Range<UInt64> {
            var driver = StreamingDriver.asked()
            for token in tokens(cuts) { driver.hear(.token(token)) }
            driver.hear(.done(nil, nil))
            #expect(final(driver) == ExactText(Self.text))
        }
    }

    @Test(
        "L9: every window from 50 to 100 ms and every pace give the same bytes",
        arguments: [50, 51, 60, 75, 90, 99, 100] as [Int64])
    func windows(milliseconds: Int64) {
        for seed in 1...20 as ClosedRange<UInt64> {
            var entropy = Entropy.seeded(seed)
            var driver = StreamingDriver.asked { $0.batchInterval = .milliseconds(milliseconds) }
            for token in tokens(entropy.next()) {
                driver.hear(.token(token))
                driver.advance(by: entropy.interval(from: .zero, through: .milliseconds(120)))
                #expect(Self.text.utf8.starts(with: driver.text.utf8), "nothing but a beginning is in view")
            }
            driver.hear(.done(nil, nil))
            #expect(final(driver) == ExactText(Self.text))
        }
    }

    @Test("S2: text only ever grows, a few times a second, also while earlier states are held")
    func held() {
        var driver = StreamingDriver.asked()
        var states: [Streaming.State] = []
        for _ in 0..<200 {
            driver.hear(.token("abc"))
            driver.advance(by: .milliseconds(20))
            states.append(driver.state)
        }
        driver.hear(.done(nil, nil))
        #expect(driver.finished?.text.byteCount == 600)
        let lengths = states.map { Streaming.bubble($0, .neutral)?.text.byteCount ?? 0 }
        #expect(lengths == lengths.sorted() && Set(lengths).count < 60)
    }
}
