// What a scenario rejects, and how it says so. Each failure is compared with its whole message.

import ChatDomain
import ChatEffects
import ChatTesting
import Testing

@Suite("Scenario: a failure says what differs, and after which steps")
struct ScenarioFailureTests {
    typealias Fetch = Fetching<PlainName>

    /// The message of what a scenario rejects.
    private func message(_ body: (inout Scenario<Fetch>) throws -> Void) throws -> String {
        var scenario = Scenario(Fetch(), state: .init())
        do {
            try body(&scenario)
        } catch let failure as ScenarioFailure {
            return failure.message
        }
        Issue.record("nothing was rejected")
        return ""
    }

    private func ask(_ scenario: inout Scenario<Fetch>) throws {
        let wall = scenario.moment.wall
        try scenario.send(
            .asked, effects: [.open(PlainName(1), "page"), .start(.patience, after: .seconds(10))]
        ) { $0.phase = .fetching($0[1], since: wall) }
    }

    @Test("a field that has another value, and one that changed unsaid, by its path")
    func state() throws {
        let text = try message { scenario in
            try ask(&scenario)
            try scenario.advance(by: .seconds(1))
            try scenario.deliver(
                "Hello",
                effects: [
                    .close(PlainName(1)), .cancel(.patience), .save(Note(text: "Hello"), under: .note, 2),
                ]
            ) { $0.pages = [.init(text: "Hallo", time: WallTime(millisecondsSince1970: 1_000_001_000))] }
        }
        #expect(
            text == """
                The state differs:
                  phase
                    expected .fetching(1, since: 1970 + 1000000 s)
                    actual   .idle
                  pages[0].text
                    expected "Hallo"
                    actual   "Hello"
                Steps:
                  1. +0 s  send(.asked)
                  2. +1 s  advance(by: 1 s)
                  3. +1 s  deliver("Hello", on: PlainName(attempt: 1))
                """)
    }

    @Test("an effect that is missing, and one that nobody expects")
    func effects() throws {
        let text = try message { scenario in
            let wall = scenario.moment.wall
            try scenario.send(
                .asked,
                effects: [.open(PlainName(1), "page"), .start(.patience, after: .seconds(11)), .haptic]
            ) { $0.phase = .fetching($0[1], since: wall) }
        }
        #expect(
            text == """
                The effects differ:
                  missing     .start(.patience, after: 11 s)
                  unexpected  .start(.patience, after: 10 s)
                    start.after: expected 11 s, actual 10 s
                  missing     .haptic
                Steps:
                  1. +0 s  send(.asked)
                """)
    }

    @Test("an unsaid effect, the firing of a timer in it")
    func unsaid() throws {
        let text = try message { scenario in
            try ask(&scenario)
            try scenario.advance(by: .seconds(10)) { $0.phase = .failed }
        }
        #expect(
            text == """
                The effects differ:
                  unexpected  .close(PlainName(attempt: 1))
                  unexpected  .cancel(.patience)
                Steps:
                  1. +0 s  send(.asked)
                  2. +10 s  advance(by: 10 s)
                """)
    }

    @Test("one name for two attempts, and two names for one", arguments: [[1, 1, 1], [1, 3, 2]])
    func names(names: [UInt64]) throws {
        let text = try message { scenario in
            try ask(&scenario)
            let wall = scenario.moment.wall
            try scenario.send(
                .asked,
                effects: [
                    .close(PlainName(Attempt(number: names[1]))), .cancel(.patience),
                    .open(PlainName(Attempt(number: names[2])), "page"),
                    .start(.patience, after: .seconds(10)),
                ]
            ) { $0.phase = .fetching($0[Attempt(number: names[2])], since: wall) }
        }
        #expect(text.contains("The effects differ:\n  missing     "))
    }

    @Test("undeclared open effects fail a scenario, and so do declared ones that are not open")
    func leftovers() throws {
        let text = try message { scenario in
            try ask(&scenario)
            try scenario.finish(leaving: .storage(.note))
        }
        #expect(
            text == """
                Not left open at the end: .storage(.note)
                Left open at the end: .call(PlainName(attempt: 1))
                Left open at the end: .timer(.patience), due in 10 s
                Steps:
                  1. +0 s  send(.asked)
                """)
    }

    @Test("an answer from a call or a disk that nobody has asked, or that it cannot give")
    func nobody() throws {
        let silence = try message { try $0.deliver("Hello") }
        #expect(silence == "There is not exactly one call; open are: none\nSteps:")
        let position = try message { scenario in
            try ask(&scenario)
            try scenario.end(.at(1), .completed)
        }
        #expect(position.hasPrefix("There is no call at position 1; open are: PlainName(attempt: 1)\n"))
        let disk = try message { try $0.answer(.saved, to: .named(.note)) }
        #expect(disk.hasPrefix("There is no storage operation named .note; to be answered are: none\n"))
        let answer = try message { scenario in
            scenario = scenario.relaxed
            try scenario.send(.asked)
            try scenario.deliver("Hello")
            try scenario.answer(.missing)
        }
        #expect(answer.hasPrefix("The operation has no such answer: answer(.missing, to: .note)\n"))
    }

    @Test("a name that no effect has brought, by its number")
    func unknownName() throws {
        let text = try message { scenario in
            let wall = scenario.moment.wall
            try scenario.send(
                .asked, effects: [.open(PlainName(1), "page"), .start(.patience, after: .seconds(10))]
            ) { $0.phase = .fetching($0[77], since: wall) }
        }
        #expect(text.contains("expected unnamed attempt 77\n    actual   1\n"), "\(text)")
    }

    @Test("a time that goes back, which moves neither clock")
    func back() throws {
        let text = try message { scenario in
            try ask(&scenario)
            try scenario.advance(by: .seconds(-5))
        }
        #expect(text == "Time does not go back: advance(by: -5 s)\nSteps:\n  1. +0 s  send(.asked)")
        let reports = Reports()
        var scenario = Scenario(Fetch(), state: .init()).reporting { reports.failures.append($0) }
        let before = scenario.moment
        try scenario.advance(by: .seconds(-5))
        #expect(reports.failures.count == 1 && scenario.moment == before)
    }

    @Test("a scenario that reports its failures goes on, and each has its line")
    func reporting() throws {
        let reports = Reports()
        var scenario = Scenario(Fetch(), state: .init()).reporting { reports.failures.append($0) }
        let line = #line as UInt
        try scenario.send(.asked)
        try scenario.send(.cancelled, effects: [.close(PlainName(1)), .cancel(.patience)]) {
            $0.phase = .idle
        }
        let last = #line as UInt
        try scenario.deliver("Hello")
        #expect(reports.failures.map(\.line) == [line + 1, last + 1])
        #expect(
            reports.failures.first?.description.contains("ScenarioFailureTests.swift:\(line + 1): ") == true)
    }

    @Test("a failure marks the line of its step in Swift Testing")
    func recorded() throws {
        try withKnownIssue {
            var scenario = Scenario(Fetch(), state: .init()).reporting { failure in
                Issue.record(
                    "\(failure.message)",
                    sourceLocation: SourceLocation(
                        fileID: "\(failure.fileID)", filePath: "\(failure.filePath)", line: Int(failure.line),
                        column: 1))
            }
            try scenario.send(.cancelled, effects: [.haptic])
        } matching: { issue in
            issue.sourceLocation?.fileID.hasSuffix("ScenarioFailureTests.swift") == true
        }
    }
}
