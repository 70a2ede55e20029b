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

    /// A step out, and a turn between two other places.
    private struct Turning: World {
        var place = 0

        func steps(into list: inout [Int]) { list += [2, 1 - min(place, 1)] }
        mutating func take(_ step: Int) { place = step }
        func hash(normalized hasher: inout Hasher) { hasher.combine(place) }
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

    @Test("a promise that traps ends a search with the way to it, as a law does")
    func promise() async {
        let result = await #expect(processExitsWith: .exitCode(2), observing: [\.standardErrorContent]) {
            _ = Fetch.exploration().eventually("traps") { place in
                if case .backingOff = place.state { [true][place.openCalls.count + 1] } else { false }
            }.search()
        }
        let words = Self.words(result)
        #expect(words.contains("“nothing traps” is broken") && words.contains(" states, "))
        #expect(words.contains("1. .person(.started)") && words.contains("2. .end("))
    }

    @Test("a promise whose fairness traps when a loop is looked for ends the search with the way to the step")
    func fairness() async {
        let result = await #expect(processExitsWith: .exitCode(2), observing: [\.standardErrorContent]) {
            var search = Search(start: Turning(), laws: [])
            search.promises = [
                Promise(name: "out", isKept: { $0.place == 2 }, isFair: { $0 == 2 || [true][$0 + 1] })
            ]
            _ = search.run()
        }
        let words = Self.words(result)
        #expect(words.contains("“nothing traps” is broken") && words.contains(" states, "))
        #expect(words.contains("1. 1"))
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
