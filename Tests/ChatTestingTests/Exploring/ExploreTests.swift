import ChatDomain
import ChatEffects
@testable import ChatTesting
import Testing

@Suite("Exploring")
struct ExploreTests {
    @Test("a feature without a mistake is searched to closure, and the report says what was visited")
    func closure() throws {
        let report = try Fetch.exploration().everyOrder()
        #expect(report.extent == .closed && report.states > 50 && report.transitions > report.states)
        #expect(report.grid.contains("1 ns before each deadline"))
        #expect(report.description.contains("closed"))
    }

    @Test("the progress of a search claims nothing that only its end shows")
    func progress() throws {
        let told = Locked<[SearchReport<MachineWorld<Uncoded<Fetch>>>]>([])
        try Fetch.exploration().telling { report in told.withLock { $0.append(report) } }.everyOrder()
        let reports = told.withLock { $0 }
        #expect(reports.count > 2 && reports.last?.extent == .closed)
        for report in reports.dropLast() {
            #expect(report.extent != .closed && !report.description.contains("closed"), "\(report)")
        }
    }

    @Test("one processor and two find the same states")
    func processors() throws {
        let one = try Fetch.exploration().everyOrder(processors: 1)
        let two = try Fetch.exploration().everyOrder(processors: 2)
        #expect(one.states == two.states && one.transitions == two.transitions && one.depth == two.depth)
    }

    @Test(
        "each mistake is found on a shortest way, and by random runs that shrink to as few steps",
        arguments: [
            (Fetch.Mistake.forgetsToCancelTheLimit, 2), (.takesAnyAttempt, 3), (.forgetsTheLimit, 1),
        ])
    func mistakes(_ mistake: Fetch.Mistake, _ length: Int) throws {
        let report = Fetch.exploration(mistake).search()
        let violation = try #require(report.violation)
        #expect(report.extent == .violated && violation.steps.count == length, "\(violation)")
        let drawn = try #require(throws: Violation<MachineWorld<Uncoded<Fetch>>>.self) {
            try Fetch.exploration(mistake).random(seeds: 1...200, steps: 60)
        }
        #expect(drawn.steps.count == length && drawn.seed != nil, "\(drawn)")
        #expect(throws: Violation<MachineWorld<Uncoded<Fetch>>>.self) {
            try Fetch.exploration(mistake).replay(drawn.steps)
        }
        try Fetch.exploration().replay(drawn.steps)
    }

    @Test("a promise is broken by a loop that is fair, and not by one in which time stands still")
    func promise() throws {
        func promised(_ mistake: Fetch.Mistake?) -> SearchReport<MachineWorld<Uncoded<Fetch>>> {
            Explore(
                Fetch(mistake: mistake), from: .idle,
                [.person(.started).atMost(1), .ends(.failed(.lost)), .clock(.deadline)]
            )
            .eventually("it ends") { !$0.state.isUnderWay && $0.budgets == [0] }
            .search()
        }
        #expect(promised(nil).violation == nil)
        let endless = try #require(promised(.countsNothing).violation)
        #expect(!endless.loop.isEmpty, "\(endless)")
    }

    @Test("a limit of depth or of states is told as one")
    func cut() throws {
        #expect(try Fetch.exploration().everyOrder(depth: 3).extent == .cutByDepth(3))
        if case .cutByStates = try Fetch.exploration().everyOrder(states: 10).extent {
        } else {
            Issue.record("not cut")
        }
        #expect(try Fetch.exploration().stopping { true }.everyOrder().extent == .stopped)
    }

    @Test("a failure prints its steps with their times, and a test that repeats them")
    func printing() throws {
        let report = Fetch.exploration(.forgetsToCancelTheLimit).search()
        let text = try #require(report.violation?.description)
        #expect(text.contains("1. .person(.started)  at 0 s"), "\(text)")
        #expect(text.contains("            .event(\"text\", call: 0),\n"), "\(text)")
        #expect(text.contains("try exploration.replay(["))
    }

    @Test("bytes spell a run, and the same bytes spell the same")
    func bytes() throws {
        let bytes: [UInt8] = [0, 2, 9, 1, 4, 4, 0, 7, 7, 3, 1, 2]
        try Fetch.exploration().run(bytes: bytes)
        #expect(throws: Violation<MachineWorld<Uncoded<Fetch>>>.self) {
            try Fetch.exploration(.forgetsTheLimit).run(bytes: bytes)
        }
    }
}
