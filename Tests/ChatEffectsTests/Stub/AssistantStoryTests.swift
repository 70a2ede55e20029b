@testable import ChatDomain
@testable import ChatEffects
import Testing

/// The assistant through everything: root, codec of callable functions, server within the process.
@Suite("The assistant, from question to answer")
struct AssistantStoryTests {
    private func loop(rules: [LocalServer.Rule] = []) -> StoryLoop {
        var loop = StoryLoop.paired(rules: rules)
        loop.send(.assistant(.opened))
        return loop
    }

    private func ask(_ question: ExactText, _ loop: inout StoryLoop) {
        loop.send(.assistant(.draftEdited(question)))
        loop.send(.assistant(.sent))
    }

    private func asked(_ loop: StoryLoop) -> ExactText? {
        let queue = loop.state.assistant.conversation?.queue
        return queue?.asking == nil ? nil : queue?.head?.question.text
    }

    private func texts(_ loop: StoryLoop) -> [String] {
        Assistant.rows(loop.state.assistant, .neutral).map { $0.text.string }
    }

    @Test("A2, A5, R1: a question is answered through the root, and the next goes on in its conversation")
    func answers() {
        var loop = loop()
        ask("One?", &loop)
        ask("Two?", &loop)
        loop.advance(by: .milliseconds(1_499))
        #expect(texts(loop) == ["One?", "Two?"])
        loop.advance(by: .milliseconds(1))
        #expect(texts(loop).contains("You asked: One?"))
        let first = loop.state.assistant.conversation?.id
        loop.advance(by: .seconds(2))
        #expect(texts(loop).contains("You asked: Two?"))
        #expect(first != nil && loop.state.assistant.conversation?.id == first)
    }

    @Test("A2: an answer that comes after 10 s changes nothing any more")
    func late() {
        var loop = loop(rules: [.init(.answer, .delay(.seconds(20)), times: 1)])
        ask("Slow?", &loop)
        loop.advance(by: .seconds(10))
        let after = loop.state.assistant
        #expect(loop.machine.openCalls.isEmpty)
        loop.advance(by: .seconds(60))
        #expect(loop.state.assistant == after)
        #expect(texts(loop) == ["Slow?"])
    }

    @Test("A2: what a server in the process has answered before a stall ends comes before the time-out in it")
    func stalled() {
        var loop = loop()
        ask("One?", &loop)
        loop.advance(by: .seconds(1))
        loop.catchUp(to: loop.moment + .minutes(1))
        #expect(texts(loop).contains("You asked: One?"))
    }

    @Test("R4, A2: a question that a resumed machine asks has its 10 s from the present")
    func resumed() {
        var loop = loop(rules: [.init(.answer, .silence)])
        for question in ["One?", "Two?", "Three?"] as [ExactText] { ask(question, &loop) }
        loop.advance(by: .seconds(1))
        var server = loop.server
        server.dropConnections()
        loop = StoryLoop(
            resuming: loop.machine, store: loop.store.restarted(), server: server,
            wall: loop.moment.wall + .minutes(1))
        #expect(asked(loop) == "Two?")
        loop.advance(by: .milliseconds(9_999))
        #expect(asked(loop) == "Two?")
        loop.advance(by: .milliseconds(1))
        #expect(asked(loop) == "Three?")
    }

    @Test(
        "A6: each status of a callable function becomes its own sentence",
        arguments: [
            ("UNAVAILABLE", Wording.neutral.assistantUnavailable),
            ("INTERNAL", Wording.neutral.assistantUnavailable),
            ("DEADLINE_EXCEEDED", Wording.neutral.assistantTimedOut),
            ("PERMISSION_DENIED", Wording.neutral.assistantError("nope")),
        ] as [(ExactText, ExactText)])
    func statuses(_ status: ExactText, _ sentence: ExactText) {
        var loop = loop(rules: [.init(.answer, .refuse(code: status, message: "nope"), times: 1)])
        ask("Why?", &loop)
        loop.advance(by: .seconds(2))
        guard case .failed(let said, _) = Assistant.rows(loop.state.assistant, .neutral).last?.mark else {
            Issue.record("the question did not fail")
            return
        }
        #expect(said == sentence)
    }

    @Test("A6, R2: without network the question waits, and the network's return asks it")
    func offline() {
        var loop = loop()
        loop.server.goOffline()
        loop.send(.networkChanged(isUp: false))
        ask("Anybody?", &loop)
        loop.advance(by: .minutes(5))
        #expect(texts(loop) == ["Anybody?"])
        loop.server.goOnline()
        loop.send(.networkChanged(isUp: true))
        loop.advance(by: .seconds(2))
        #expect(texts(loop).contains("You asked: Anybody?"))
    }

    @Test("P10, L4: signing out closes the call, and no answer reaches the next person")
    func signOut() {
        var loop = loop()
        ask("Mine?", &loop)
        loop.send(.pairing(.signedOut))
        #expect(loop.machine.openCalls.isEmpty)
        loop.advance(by: .minutes(1))
        #expect(texts(loop).isEmpty)
    }
}
