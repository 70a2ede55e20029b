import ChatDomain
import ChatEffects
@testable import ChatTesting
import Foundation
import Testing

@Suite("A search, cut")
struct SearchTests {
    /// A world of three layers: from its start a step leads to each of many states, and from each of those to as many.
    struct Wide: World {
        static var width: Int { 300 }
        var path: [Int] = []

        func steps(into list: inout [Int]) { if path.count < 2 { list += 0..<Self.width } }
        mutating func take(_ step: Int) { path.append(step) }
        func hash(normalized hasher: inout Hasher) { hasher.combine(path) }
    }

    /// A light that two switches turn on and off again, and a step that is wrong in the dark.
    struct Lamp: ShrinkableWorld {
        enum Step: Hashable { case one, other, go }

        var (isOn, isWrong) = (false, false)

        func steps(into list: inout [Step]) { list += [.one, .other, .go] }
        mutating func take(_ step: Step) { if step == .go { isWrong = !isOn } else { isOn.toggle() } }
        func hash(normalized hasher: inout Hasher) { hasher.combine(isOn) }
        func drawn(_ choices: inout Choices) -> Step? { nil }
        func possible(_ step: Step, isDrawn: Bool) -> Step? { step }
        func simpler(_ step: Step) -> [Step] { [] }
        func numbers(_ kind: Positioned) -> [UInt64] { [] }
        static func moved(_ step: Step, _ position: (Positioned, Int) -> Int?) -> Step? { step }
        static func beginsProcess(_ step: Step) -> Bool { false }
    }

    @Test(
        "a failure is shrunk by two steps that depend on each other, whatever number there are",
        arguments: 1...9)
    func pairs(count: Int) {
        let law = Law<Lamp>("light") { !$0.isWrong }
        let run = RandomRun(start: Lamp(), laws: [law])
        for place in 0...count {
            var steps = Array(repeating: [Lamp.Step.one, .other], count: count).flatMap { $0 }
            steps.insert(.one, at: min(place * 2, steps.count))
            steps.append(.other)
            let taken = (steps + [.go]).map { RandomRun<Lamp>.Taken(step: $0, isDrawn: false) }
            #expect(run.shrunk(taken, "", law).steps == [.go])
        }
    }

    /// A count that two processors share.
    private final class Count: @unchecked Sendable {
        private let lock = NSLock()
        /// Only touched under the lock.
        private var value = 0

        func increment() -> Int {
            lock.withLock {
                value += 1
                return value
            }
        }
    }

    @Test("it is asked at every state whether to stop, and keeps what it has found", arguments: [1, 2])
    func stopping(processors: Int) {
        let asked = Count()
        var search = Search(start: Wide(), laws: [])
        search.processors = processors
        search.isCancelled = { asked.increment() > 1 + Wide.width + 50 }
        let report = search.run()
        #expect(report.extent == .stopped)
        // The start is left, what comes of it is judged, and fifty of that are left.
        #expect(report.transitions <= 51 * Wide.width, "\(report)")
        #expect(report.states > Wide.width && report.depth == 2, "\(report)")
        #expect(report.description.contains("stopped; every order of 1 step;"), "\(report)")
    }

    @Test("a limit of states is kept to the state, on one processor and on two", arguments: [1, 2])
    func limit(processors: Int) {
        var search = Search(start: Wide(), laws: [])
        (search.processors, search.greatestCount) = (processors, 1_000)
        let report = search.run()
        #expect(report.states == 1_000 && report.extent == .cutByStates(1_000), "\(report)")
        search.greatestCount = 1 + Wide.width + Wide.width * Wide.width
        #expect(search.run().extent == .closed)
    }

    /// A world whose start has more steps than two bytes can count.
    struct Broad: World {
        var place = 0

        func steps(into list: inout [Int]) { if place == 0 { list += 1...65_537 } }
        mutating func take(_ step: Int) { place = step }
        func hash(normalized hasher: inout Hasher) { hasher.combine(place) }
    }

    @Test("the way to a broken law names its step, however many steps a state has")
    func broad() {
        let search = Search(start: Broad(), laws: [Law<Broad>("not the last") { $0.place < 65_537 }])
        let report = search.run()
        #expect(report.violation?.steps == [65_537], "\(report)")
    }

    @Test("a promise is not broken in a state that a limit kept the search from leaving")
    func promise() {
        let promised = Explore(
            Fetch(), from: .idle, [.person(.started).atMost(1), .ends(.failed(.lost)), .clock(.deadline)]
        )
        .after(.person(.started))
        .eventually("it ends") { !$0.state.isUnderWay }
        #expect(promised.search(depth: 2).violation == nil)
        #expect(promised.search(states: 3).violation == nil)
    }
}
