import ChatDomain
@testable import ChatEffects
import Testing

/// What a person sees of a server that misbehaves over HTTP: the assistant and smart replies. Uploads are in
/// UploadStoryTests.swift.
@Suite("HTTP that misbehaves, as it is seen")
struct HTTPFaultStoryTests {
    // MARK: The assistant

    private func asked(_ rules: [LocalServer.Rule]) -> StoryLoop {
        var loop = StoryLoop.paired(rules: rules)
        loop.send(.assistant(.opened))
        loop.send(.assistant(.draftEdited("Why?")))
        loop.send(.assistant(.sent))
        return loop
    }

    private func texts(_ loop: StoryLoop) -> [String] {
        Assistant.rows(loop.state.assistant, .neutral).map { $0.text.string }
    }

    private func failure(_ loop: StoryLoop) -> ExactText? {
        guard case .failed(let sentence, _) = Assistant.rows(loop.state.assistant, .neutral).last?.mark
        else { return nil }
        return sentence
    }

    @Test("A8: 429 with a wait puts the question off for as long, visibly, and then it is answered")
    func assistantWaits() {
        var loop = asked([.init(.answer, .status(429, retryAfter: .seconds(20)), times: 1)])
        loop.advance(by: .milliseconds(21_499))
        let mark = Assistant.rows(loop.state.assistant, .neutral).last?.mark
        #expect(mark == .awaitingSlot(Wording.neutral.awaitingSlot))
        loop.advance(by: .milliseconds(1_500))
        #expect(texts(loop).last == "Why?")
        loop.advance(by: .milliseconds(1))
        #expect(texts(loop) == ["Why?", "You asked: Why?"])
    }

    @Test("A8: an exhaustion that names no wait lasts 30 s")
    func assistantExhausted() {
        var loop = asked([
            .init(.answer, .refuse(code: "RESOURCE_EXHAUSTED", message: "Enough"), times: 1)
        ])
        loop.advance(by: .milliseconds(31_500))
        #expect(texts(loop) == ["Why?"])
        loop.advance(by: .milliseconds(1_500))
        #expect(texts(loop) == ["Why?", "You asked: Why?"])
    }

    @Test(
        "A6: a server error says so, and asking again is answered",
        arguments: [
            .init(.answer, .status(500), times: 1), .init(.answer, .status(503), times: 1),
            .init(.answer, .drop, times: 1),
        ] as [LocalServer.Rule])
    func assistantUnavailable(_ rule: LocalServer.Rule) throws {
        var loop = asked([rule])
        loop.advance(by: .seconds(2))
        #expect(failure(loop) == Wording.neutral.assistantUnavailable)
        guard case .question(let id) = Assistant.rows(loop.state.assistant, .neutral).last?.id else {
            Issue.record("the question is gone")
            return
        }
        loop.send(.assistant(.retried(id)))
        loop.advance(by: .seconds(2))
        #expect(texts(loop) == ["Why?", "You asked: Why?"])
    }

    @Test(
        "A6: 401 says to log in, and the question is kept",
        arguments: [
            .init(.answer, .status(401)), .init(.answer, .revokeToken, times: 1),
        ] as [LocalServer.Rule])
    func assistantUnknown(_ rule: LocalServer.Rule) {
        var loop = asked([rule])
        loop.advance(by: .seconds(2))
        #expect(
            failure(loop) == Wording.neutral.assistantSignIn && Assistant.wantsLogIn(loop.state.assistant))
        loop.advance(by: .minutes(5))
        #expect(texts(loop) == ["Why?"] && loop.machine.openCalls.isEmpty)
    }

    // MARK: Smart replies

    private func wished(_ rules: [LocalServer.Rule]) -> StoryLoop {
        var loop = StoryLoop.paired(rules: rules)
        let target = SmartReplies.Target(conversation: "main", message: "s_1", text: "Are you there?")
        loop.send(.smartReplies(.requested(.friendly, target)))
        return loop
    }

    private func bubble(_ loop: StoryLoop) -> Streaming.Bubble? {
        loop.machine.feature.smartReplies.panel(loop.state.smartReplies, in: "main", .neutral).bubble
    }

    @Test("S9, S13: 429 shows its wait and is not asked for in the other form")
    func suggestionWaits() {
        var loop = wished([.init(.suggestion(0), .status(429, retryAfter: .seconds(20)))])
        loop.advance(by: .milliseconds(1_500))
        let now = loop.moment.wall
        #expect(bubble(loop)?.note == Wording.neutral.serverAskedToWait)
        #expect(bubble(loop)?.waitUntil == now + .seconds(20))
        loop.advance(by: .minutes(5))
        #expect(bubble(loop)?.note == Wording.neutral.serverAskedToWait && loop.machine.openCalls.isEmpty)
    }

    @Test(
        "S9: 401 says to sign in, whoever refuses",
        arguments: [.status(401), .revokeToken] as [LocalServer.Fault])
    func suggestionUnknown(_ fault: LocalServer.Fault) {
        var loop = wished([.init(.suggestion(0), fault)])
        loop.advance(by: .minutes(1))
        #expect(bubble(loop)?.note == Wording.neutral.signInAgain && loop.machine.openCalls.isEmpty)
    }

    @Test(
        "S13: 5xx is asked for once as a whole; when that fails too, the sentence stands and retry is offered"
    )
    func suggestionFallsBack() {
        var loop = wished([.init(.suggestion(0), .status(503))])
        loop.advance(by: .seconds(4))
        #expect(loop.state.smartReplies.selected?.string == "A friendly answer to “Are you there?”")
        loop = wished([.init(.suggestion(0), .status(503)), .init(.wholeSuggestion, .status(500))])
        loop.advance(by: .seconds(4))
        #expect(loop.state.smartReplies.selected == nil && loop.machine.openCalls.isEmpty)
        #expect(bubble(loop)?.note == Wording.neutral.replyFailed && bubble(loop)?.retry != nil)
    }

    @Test("S13: the whole form may be silent, or late: it has 30 s")
    func wholeIsLate() {
        let down = LocalServer.Rule(.suggestion(0), .status(503))
        var loop = wished([down, .init(.wholeSuggestion, .delay(.seconds(20)))])
        loop.advance(by: .seconds(24))
        #expect(loop.state.smartReplies.selected != nil)
        loop = wished([down, .init(.wholeSuggestion, .silence)])
        loop.advance(by: .seconds(40))
        #expect(loop.state.smartReplies.selected == nil && bubble(loop)?.isRunning == false)
        #expect(loop.machine.openCalls.isEmpty)
    }
}
