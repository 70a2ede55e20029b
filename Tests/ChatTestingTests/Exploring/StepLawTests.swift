// Laws of a step, with the worlds before and after it: each way of driving asks them.

import ChatDomain
import ChatEffects
import ChatTesting
import Testing

@Suite("Laws of each step")
struct StepLawTests {
    typealias Broken = Violation<MachineWorld<Uncoded<Fetch>>>

    private static let exploration = Explore(
        Fetch(), from: .idle,
        [.person(.started, .cancelled), .calls { _ in ["text"] }, .ends(.failed(.lost)), .clock(.deadline)])

    /// A law that no state breaks on its own; the step that breaks it changes nothing.
    private let stepped = StepLawTests.exploration.eachStep(
        "a start begins anew"
    ) { before, step, after in
        guard case .done = before.state, step == .person(.started) else { return true }
        return after.state != before.state
    }

    private let steps: [MachineStep<Fetch>] = [.person(.started), .event("text"), .person(.started)]

    @Test("a step that breaks a law is found on a shortest way, also where it changes nothing")
    func search() throws {
        let violation = try #require(stepped.search().violation)
        #expect(violation.steps == steps && violation.law == "a start begins anew", "\(violation)")
        #expect("\(violation)".contains("“a start begins anew” does not hold"))
    }

    @Test("a drawn run with a step that breaks a law is shrunk to as few steps, and replayed")
    func drawn() throws {
        let violation = try #require(throws: Broken.self) { try stepped.random(seeds: 1...50, steps: 60) }
        #expect(violation.steps == steps, "\(violation)")
        let again = try #require(throws: Broken.self) { try stepped.replay(steps + [.person(.cancelled)]) }
        #expect(again.steps == steps, "\(again)")
    }

    @Test("a law of each step gets the state before the step and the one after it")
    func sides() throws {
        let started = Self.exploration.eachStep("only a start leaves the beginning") { before, step, after in
            before.state != .idle || after.state == .idle || step == .person(.started)
        }
        #expect(try started.everyOrder().extent == .closed)
    }
}
