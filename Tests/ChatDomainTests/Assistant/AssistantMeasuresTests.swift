@testable import ChatDomain
import Testing

@Suite("Assistant: measures")
struct AssistantMeasuresTests {
    @Test("A10: response time is measured for each answer from its own asking")
    func responseTimes() {
        var driver = AssistantDriver.open()
        driver.ask(["A", "B"])
        driver.advance(by: .seconds(6))
        driver.answer(tokens: 123)
        driver.advance(by: .seconds(2))
        driver.answer(tokens: -4)
        let answers = (driver.state.conversation?.finished ?? []).compactMap { exchange in
            if case .answered(let answer) = exchange.ending { answer } else { nil }
        }
        #expect(answers.map { $0.responseTime } == [.seconds(6), .seconds(2)])
        #expect(answers.map { $0.tokens } == [123, nil])
        let responses = driver.state.measures.responses
        #expect(responses.answers.value == 2 && responses.latest == .seconds(2))
        #expect(responses.longest == .seconds(6) && responses.mean == .seconds(4))
        #expect(responses.total == .seconds(8))
    }

    @Test("A10: failures are counted by kind, pauses once for each attempt")
    func failures() {
        var driver = AssistantDriver.open()
        driver.ask(["A", "B", "C", "D", "E", "F", "G"])
        driver.advance(by: .seconds(10))
        driver.refuse(500)
        driver.hear(.failed(.other("no")))
        driver.answer(conversation: nil)
        driver.refuse(429)
        driver.advance(by: .seconds(30))
        driver.answer()
        driver.lose(.failed(.offline))
        driver.send(.networkChanged(isUp: true))
        driver.refuse(401)
        let failures = driver.state.measures.failures
        #expect(failures.timedOut.value == 1 && failures.unavailable.value == 1)
        #expect(failures.refused.value == 1 && failures.other.value == 1)
        #expect(failures.exhausted.value == 1 && failures.offline.value == 1)
        #expect(failures.notSignedIn.value == 1)
    }

    @Test("A10: openings, conversations and messages in each are counted, and outlive closing")
    func conversations() {
        var driver = AssistantDriver.open()
        #expect(driver.state.measures.messagesPerConversationInHundredths == 0)
        driver.ask(["A", "B"])
        driver.answer()
        #expect(driver.state.conversation?.messages.value == 3)
        driver.send(.closed)
        driver.send(.opened)
        driver.send(.closed)
        driver.send(.opened)
        driver.ask("C")
        driver.answer()
        #expect(driver.state.conversation?.messages.value == 2)
        let measures = driver.state.measures
        #expect(measures.openings.value == 3 && measures.conversations.value == 2)
        #expect(measures.questions.value == 3 && measures.messagesPerConversationInHundredths == 250)
    }

    @Test("A10: a refused text and a retry are no further messages")
    func notMessages() {
        var driver = AssistantDriver.open()
        driver.ask("")
        #expect(driver.state.measures.conversations.value == 0)
        driver.ask("A")
        driver.refuse(500)
        driver.retry(0)
        driver.answer()
        #expect(driver.state.measures.questions.value == 1 && driver.state.conversation?.messages.value == 2)
    }

    @Test("A10: one retry without a network is one pause")
    func onePause() {
        var driver = AssistantDriver.asking()
        driver.advance(by: .seconds(10))
        driver.send(.networkChanged(isUp: false))
        driver.retry(0)
        #expect(driver.marks == [.offline] && driver.state.measures.failures.offline.value == 1)
    }
}
