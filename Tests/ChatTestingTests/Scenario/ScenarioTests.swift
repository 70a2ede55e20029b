// What a scenario accepts. What it rejects, and how it says so, is in ScenarioFailureTests.

@testable import ChatDomain
import ChatEffects
import ChatTesting
import Testing

@Suite("Scenario: what is said has happened")
struct ScenarioTests {
    typealias Fetch = Fetching<PlainName>

    @Test(
        "state and effects of each step, with free names for attempts, with and without a normal form of the call"
    )
    func story() throws {
        try story(PlainName.self)
        try story(NormalName.self)
    }

    private func story<Name: CallName>(_ name: Name.Type) throws {
        var scenario = Scenario(Fetching<Name>(), state: .init())
        let start = scenario.moment.wall
        try scenario.send(
            .asked, effects: [.open(Name(7), "page"), .start(.patience, after: .seconds(10))]
        ) { $0.phase = .fetching($0[7], since: start) }
        try scenario.advance(by: .seconds(9))
        try scenario.send(
            .asked,
            effects: [
                .close(Name(7)), .cancel(.patience), .open(Name(3), "page"),
                .start(.patience, after: .seconds(10)),
            ]
        ) { $0.phase = .fetching($0[3], since: start + .seconds(9)) }
        try scenario.deliver(
            "Hello",
            effects: [.close(Name(3)), .cancel(.patience), .save(Note(text: "Hello"), under: .note, 1)]
        ) {
            $0.phase = .idle
            $0.pages.append(.init(text: "Hello", time: start + .seconds(9)))
        }
        try scenario.answer(.saved) { $0.isKept = true }
        try scenario.finish()
    }

    @Test("a step taken out leaves the names of the others as they are")
    func survives() throws {
        for isAskedBefore in [true, false] {
            var scenario = Scenario(Fetch(), state: .init())
            if isAskedBefore {
                let asked: [Fetch.Effect] = [
                    .open(PlainName(1), "page"), .start(.patience, after: .seconds(10)),
                ]
                let start = scenario.moment.wall
                try scenario.send(.asked, effects: asked) { $0.phase = .fetching($0[1], since: start) }
                try scenario.end(.only, .failed(.lost), effects: [.cancel(.patience)]) { $0.phase = .failed }
            }
            let wall = scenario.moment.wall
            try scenario.send(
                .asked, effects: [.open(PlainName(2), "page"), .start(.patience, after: .seconds(10))]
            ) { $0.phase = .fetching($0[2], since: wall) }
            try scenario.advance(
                by: .seconds(10), effects: [.close(PlainName(2)), .cancel(.patience)]
            ) { $0.phase = .failed }
            try scenario.finish()
        }
    }

    @Test("a relaxed scenario checks what a step says, and nothing else")
    func relaxed() throws {
        var scenario = Scenario(Fetch(), state: .init()).relaxed
        try scenario.send(.asked)
        try scenario.send(.asked, effects: [.close(PlainName(1)), .open(PlainName(2), "page")])
        try scenario.deliver("Hello", on: .named(PlainName(2))) { $0.phase = .idle }
        try scenario.finish(leaving: .storage(.note))
        #expect(throws: ScenarioFailure.self) { try scenario.finish(leaving: .timer(.patience)) }
        #expect(throws: ScenarioFailure.self) { try scenario.advance(by: .zero) { $0.isKept = true } }
        #expect(throws: ScenarioFailure.self) { try scenario.send(.cancelled, effects: [.haptic]) }
    }

    @Test("open effects at the end are listed, exactly or by their kind")
    func leaving() throws {
        var scenario = Scenario(Fetch(), state: .init()).relaxed
        try scenario.send(.asked, effects: [.open(PlainName(5), "page")])
        try scenario.finish(leaving: .call(PlainName(5)), .timer(.patience))
        try scenario.finish(leaving: .anyCalls, .anyTimers, .anyStorage)
    }

    @Test("timers and keys with an attempt are named as calls are, also where the machine counts otherwise")
    func named() throws {
        var scenario = Scenario(Uploading(), state: .init())
        for name: Attempt in [2, 1] {
            try scenario.send(
                .begun,
                effects: [
                    .open(.upload(name), true), .start(.limit(name), after: .seconds(10)),
                    .save(Uploading.Part(), under: .part(name), name),
                ])
        }
        try scenario.finish(
            leaving: .anyCalls, .timer(.limit(1)), .timer(.limit(2)), .storage(.part(1)), .storage(.part(2)))
        try scenario.answer(.saved, to: .named(.part(1)))
        try scenario.finish(leaving: .anyCalls, .anyTimers, .storage(.part(2)))
        #expect(throws: ScenarioFailure.self) {
            try scenario.finish(leaving: .anyCalls, .anyTimers, .storage(.part(1)))
        }
    }

    @Test("where no effect has brought a name, timers and keys are meant by the machine's number")
    func unnamed() throws {
        var scenario = Scenario(Uploading(), state: .init()).relaxed
        for _ in 0..<2 { try scenario.send(.begun) }
        try scenario.answer(.saved, to: .named(.part(2)))
        try scenario.finish(leaving: .anyCalls, .anyTimers, .storage(.part(1)))
        #expect(throws: ScenarioFailure.self) {
            try scenario.finish(leaving: .anyCalls, .anyTimers, .storage(.part(2)))
        }
    }

    @Test("a scenario is a value: a copy is a second way on")
    func copies() throws {
        var scenario = Scenario(Fetch(), state: .init()).relaxed
        try scenario.send(.asked)
        var other = scenario
        try scenario.deliver("Hello") { $0.phase = .idle }
        try other.end(.newest, .completed) { $0.phase = .failed }
        #expect(scenario.state.pages.count == 1 && other.state.pages.isEmpty)
    }

    @Test("A2: a question to the assistant that is not answered within 10 s has timed out")
    func assistant() throws {
        let kay = Account(user: "kay", secret: SecretHandle("secret"), device: "device")
        var scenario = Scenario(Assistant(), state: Assistant.State(configuration: .init())).relaxed
        try scenario.send(.signedIn(kay), effects: [.load(.pacing("kay"), 1)]) { $0.account = kay }
        try scenario.answer(.missing, to: .named(.pacing("kay")))
        try scenario.send(.opened)
        try scenario.send(.draftEdited("Why?")) { $0.draft = "Why?" }
        try scenario.send(
            .sent,
            effects: [
                .open(.ask(2), .ask("Why?", conversation: nil, user: "kay", secret: kay.secret)),
                .start(.answer, after: .seconds(10)),
            ]
        ) { $0.draft = "" }
        try scenario.advance(by: .seconds(10), effects: [.close(.ask(2))])
        #expect(scenario.state.conversation?.finished.map(\.ending) == [.failed(.timedOut)])
    }

    @Test("only attempts are named freely: a call with the secret of somebody else is another call")
    func otherSecret() throws {
        let kay = Account(user: "kay", secret: SecretHandle("secret"), device: "device")
        var scenario = Scenario(Assistant(), state: Assistant.State(configuration: .init())).relaxed
        try scenario.send(.signedIn(kay))
        try scenario.answer(.missing, to: .named(.pacing("kay")))
        try scenario.send(.opened)
        try scenario.send(.draftEdited("Why?"))
        var other = scenario
        func asked(_ secret: SecretHandle) -> [Assistant.Effect] {
            [.open(.ask(2), .ask("Why?", conversation: nil, user: "kay", secret: secret))]
        }
        try scenario.send(.sent, effects: asked(kay.secret))
        #expect(throws: ScenarioFailure.self) {
            try other.send(.sent, effects: asked(SecretHandle("somebody else's")))
        }
    }
}
