// Steps that name nothing where they come: a replay and a beginning say so, whatever drives it.

import ChatDomain
import ChatEffects
import ChatTesting
import Testing

@Suite("Steps that name nothing")
struct NamelessTests {
    typealias Step = MachineStep<Fetch>

    private let asking = Explore(
        Fetch(), from: .idle, [.person(.started), .calls { _ in ["text"] }, .relaunch({ _ in .idle })])

    private func complaint(_ steps: [Step]) throws -> String {
        let failure = try #require(throws: NothingHappens.self) { try asking.replay(steps) }
        return "\(failure)"
    }

    @Test("a replayed step that names no call or process is told with its number")
    func calls() throws {
        let ended = Step.person(.cancelled)
        #expect(try complaint([ended, .event("text")]) == "step 2: there is no call at position 0")
        #expect(
            try complaint([.person(.started), .end(.completed, call: 1)])
                == "step 2: there is no call at position 1")
        #expect(try complaint([.arrival(.opened)]) == "step 1: there is no call at position 0")
        #expect(try complaint([.relaunch(writesDone: 1)]) == "step 1: 0 writes have begun, not 1")
        #expect(try complaint([.relaunch(beginning: 1)]) == "step 1: there is no relaunch at position 1")
        // What the list does not offer is possible, and time passes where no timer runs.
        try asking.replay([.clock(.deadline), .person(.started), .end(.completed), .clock(.deadline)])
    }

    @Test("a replayed answer of the disk has an operation that can have it, or a disk that has answered")
    func operations() throws {
        func replay(_ storage: Happening<Keeping>, _ steps: MachineStep<Keeping>...) throws {
            try Explore(Keeping(key: .plain), from: Keeping.State(), [.person(.given), storage]).replay(steps)
        }
        let answered = Happening<Keeping>.storage(.answered)
        try replay(answered, .person(.given), .storage(.answered))
        try replay(.promptStorage(), .person(.given), .storage(.answered))
        let missing = try #require(throws: NothingHappens.self) { try replay(answered, .storage(.answered)) }
        #expect("\(missing)" == "step 1: there is no storage operation at position 0")
        let unsuited = try #require(throws: NothingHappens.self) {
            try replay(answered, .person(.given), .storage(.failed(.damaged)))
        }
        #expect("\(unsuited)" == "step 2: the storage operation at position 0 has no such answer")
    }

    @Test("a beginning with a step that names nothing is told by each way of driving")
    func beginnings() throws {
        let begun = asking.after(.person(.started)).after(.event("text", call: 2))
        let text = "after, step 2: there is no call at position 2"
        let ways: [() throws -> Void] = [
            { try begun.everyOrder(depth: 2) }, { try begun.random(seeds: 1...2, steps: 3) },
            { try begun.run(bytes: [0]) }, { try begun.replay([]) },
        ]
        for way in ways {
            let failure = try #require(throws: NothingHappens.self) { try way() }
            #expect("\(failure)" == text)
        }
        let report = begun.search()
        #expect(report.extent == .stopped && "\(report)".hasSuffix("; " + text), "\(report)")
    }
}
