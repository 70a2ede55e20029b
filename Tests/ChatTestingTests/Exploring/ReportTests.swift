// What the claim of a search rests on, as its report says it.

import ChatDomain
import ChatEffects
import ChatTesting
import Testing

@Suite("The report of a search")
struct ReportTests {
    @Test("it says at which times answers arrive, which ages it tells apart, and that it draws nothing")
    func grid() {
        func grid(_ happenings: [Happening<Fetch>]) -> String {
            Explore(Fetch(), from: .idle, [.person(.started)] + happenings).search(depth: 1).grid
        }
        #expect(
            grid([.clock(.by(.seconds(5)), .deadline, .by(.seconds(3)))])
                == "answers arrive at once, at each deadline, each 3 s later, each 5 s later")
        #expect(grid([.time()]) == "time stands still; drawn choices are left out")
        #expect(grid([.drawn { _, _ in .cancelled }]) == "time stands still; drawn choices are left out")
        let aged = Explore(Fetch(), from: .idle, [.person(.started)]).agesUpTo(.minutes(2)).search()
        #expect(aged.grid == "time stands still; ages up to 120 s")
        #expect("\(aged)".contains("; ages up to 120 s"), "\(aged)")
    }

    @Test(
        "a search in which nothing can happen checks nothing, and says so",
        arguments: [[], [.time()]] as [[Happening<Fetch>]])
    func nothing(_ happenings: [Happening<Fetch>]) throws {
        let exploration = Explore(Fetch(), from: .idle, happenings)
        let failure = try #require(throws: NothingHappens.self) { try exploration.everyOrder() }
        #expect("\(exploration.search())".hasSuffix("; \(failure)"), "\(failure)")
        #expect("\(failure)".contains("nothing in the list of events is possible"))
        // A limit or a broken law is the reason for no step, and not the list.
        let cut = Explore(Fetch(), from: .idle, [.person(.started)])
        #expect(try cut.everyOrder(depth: 0).extent == .cutByDepth(0))
        #expect(exploration.never("starts") { _ in true }.search().nothing == nil)
    }
}
