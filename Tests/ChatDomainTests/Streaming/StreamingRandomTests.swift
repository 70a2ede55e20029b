@testable import ChatDomain
import Testing

@Suite("Streaming: random actions")
struct StreamingRandomTests {
    @Test("L1, L3, L4, L7, L8: random actions leave one call at most, a timer for it, and no ghost")
    func random() {
        for seed in 1...24 as ClosedRange<UInt64> {
            var entropy = Entropy.seeded(seed)
            var driver = StreamingDriver.ready(
                seed: seed, hasFallback: seed.isMultiple(of: 2), canRefresh: seed.isMultiple(of: 3)
            ) {
                $0.replyTextLimit = 200
            }
            var old: [Streaming.Call] = []
            for _ in 0..<250 {
                let call = driver.calls.last?.call
                act(&driver, &entropy)
                if let call, driver.calls.last?.call != call { old.append(call) }
                check(driver, old, entropy.next())
            }
        }
    }

    private func act(_ driver: inout StreamingDriver, _ entropy: inout Entropy) {
        switch entropy.next() % 24 {
        case 0, 1: driver.send(.asked(StreamingDriver.question()))
        case 2, 3: driver.send(.retried)
        case 4: driver.send(.stopped)
        case 5: driver.send([.left, .backgrounded, .dismissed][Int(entropy.next() % 3)])
        case 6: driver.send(.accessChanged(entropy.next() % 4 == 0 ? nil : access(driver, &entropy)))
        case 7, 8: driver.hear(.began("m1"))
        case 9...14: driver.hear(.token("ab"))
        case 15: driver.hear(.done(nil, nil))
        case 16: driver.hear(.failed("no"))
        case 17: driver.hear(.whole("whole", nil, nil))
        case 18: driver.hear(.refreshed(access(driver, &entropy)))
        case 19: driver.lose(entropy.next() % 2 == 0 ? .failed(.lost) : .completed)
        case 20: driver.refuse([401, 429, 503][Int(entropy.next() % 3)])
        case 21: driver.hear(.skipped)
        case 22: driver.hear(.limited(until: driver.context.wall + .seconds(30)))
        default: driver.advance(by: .milliseconds(Int64(entropy.next() % 12_000)))
        }
    }

    private func access(_ driver: StreamingDriver, _ entropy: inout Entropy) -> Streaming.Access {
        let left = Interval.seconds(Int64(entropy.next() % 200))
        let name = ExactText("s\(entropy.next() % 5)")
        return Streaming.Access(secret: SecretHandle(name), expires: driver.context.wall + left)
    }

    private func check(_ driver: StreamingDriver, _ old: [Streaming.Call], _ draw: UInt64) {
        #expect(driver.calls.count <= 1 && driver.calls.last?.call == driver.state.phase.call)
        #expect(driver.missingTimer == nil)
        #expect(driver.state.isRunning || driver.timers.isEmpty)
        #expect(driver.state.isRunning || driver.bubble?.isTyping != true)
        #expect((driver.bubble?.text.byteCount ?? 0) <= 202)
        if driver.ending?.reason.isCancel == true { #expect(driver.note == nil) }
        guard !old.isEmpty else { return }
        var ghost = driver
        let call = old[Int(draw % UInt64(old.count))]
        let effects =
            ghost.send(.received(.token("ghost"), on: call)) + ghost.send(.received(.failed(""), on: call))
            + ghost.send(.received(.refreshed(StreamingDriver.renewed), on: call))
            + ghost.send(.ended(call, .failed(.lost)))
        #expect(effects.isEmpty && ghost.state == driver.state)
    }

    @Test("L2: the same actions from the same seed give the same state and effects")
    func deterministic() {
        for seed in 1...4 as ClosedRange<UInt64> {
            let states = (0..<2).map { _ in
                var entropy = Entropy.seeded(seed)
                var driver = StreamingDriver.ready(seed: seed, hasFallback: true, canRefresh: true)
                for _ in 0..<200 { act(&driver, &entropy) }
                return driver
            }
            #expect(states[0].state == states[1].state && states[0].context == states[1].context)
        }
    }
}
