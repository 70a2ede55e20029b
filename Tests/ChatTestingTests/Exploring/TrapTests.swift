import ChatDomain
import ChatEffects
@testable import ChatTesting
import Testing

@Suite("Traps")
struct TrapTests {
    /// A law that traps as soon as a call has ended.
    private static let trapping = Fetch.exploration().always("traps") { place in
        if case .backingOff = place.state { [true][place.openCalls.count + 1] } else { true }
    }

    private static func words(_ result: ExitTest.Result?) -> String {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }

    @Test("a law that traps ends a search with the way to it, a test, and what was found until then")
    func search() async {
        let result = await #expect(processExitsWith: .exitCode(2), observing: [\.standardErrorContent]) {
            _ = TrapTests.trapping.search()
        }
        let words = Self.words(result)
        #expect(words.contains("“nothing traps” is broken") && words.contains(" states, "))
        #expect(words.contains("1. .person(.started)") && words.contains("2. .end("))
        #expect(words.contains("try exploration.replay(["))
    }

    @Test("a law that traps in a drawn run ends it with its steps and its seed")
    func random() async {
        let result = await #expect(processExitsWith: .exitCode(2), observing: [\.standardErrorContent]) {
            _ = try TrapTests.trapping.random(seeds: 7...200, steps: 60)
        }
        let words = Self.words(result)
        #expect(words.contains("“nothing traps” is broken") && words.contains("(seed 7)"))
        #expect(words.contains(". .person(.started)"))
    }

    @Test("a law that traps in a sweep ends it with the action and its time")
    func sweep() async {
        let result = await #expect(processExitsWith: .exitCode(2), observing: [\.standardErrorContent]) {
            _ = try Sweep(SweepTests().asked(), for: .seconds(20), act: [.cancelled])
                .afterwards("traps", within: .seconds(1)) { [true][$0.nextDeadline == nil ? 1 : 2] }
        }
        #expect(Self.words(result).contains("“nothing traps” does not hold when .cancelled comes at "))
    }

    @Test("a trap outside of a search is nobody's but the process's")
    func foreign() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = [true][try Fetch.exploration().everyOrder().transitions]
        }
        #expect(result?.exitStatus != .exitCode(2) && !Self.words(result).contains("nothing traps"))
    }
}
