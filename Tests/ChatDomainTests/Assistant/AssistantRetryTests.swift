import ChatDomain
import Testing

@Suite("Assistant: asking again")
struct AssistantRetryTests {
    @Test("A4: a retry asks the same in its place, without a second bubble")
    func inPlace() {
        var driver = AssistantDriver.open()
        driver.ask(["A", "B"])
        driver.advance(by: .seconds(10))
        driver.answer("b")
        driver.retry(0)
        #expect(driver.asked == "A" && driver.askedConversation == "c1")
        #expect(driver.bubbles == ["A", "B", "→ b"] && driver.marks == [.thinking, nil])
        driver.answer("a")
        #expect(driver.bubbles == ["A", "→ a", "B", "→ b"])
    }

    @Test("A4: a retry has its own 3 s and 10 s, and may time out again")
    func deadlines() {
        var driver = AssistantDriver.asking()
        driver.advance(by: .seconds(10))
        driver.advance(by: .seconds(5))
        driver.retry(0)
        driver.advance(by: .milliseconds(2_999))
        #expect(driver.marks == [.thinking])
        driver.advance(by: .milliseconds(7_001))
        #expect(driver.marks == [.timedOut] && driver.bubbles == ["Why?"])
    }

    @Test("A4: a second tap, and a tap on what waits, is in flight or was answered, do nothing")
    func senseless() {
        var driver = AssistantDriver.open()
        driver.ask(["A", "B", "C", "D"])
        driver.answer()
        driver.hear(.failed(.unavailable))
        driver.retry(1)
        for index in 0..<4 {
            let before = driver.state
            #expect(driver.retry(index).isEmpty && driver.state == before)
        }
        let before = driver.state
        driver.send(.retried(QuestionID(number: 77)))
        driver.send(.retried(QuestionID(number: .max)))
        #expect(driver.state == before)
    }

    @Test("A4: a retried question goes behind those that wait, and is still shown in its place")
    func order() {
        var driver = AssistantDriver.open()
        driver.ask(["A", "B", "C"])
        driver.hear(.failed(.unavailable))
        driver.retry(0)
        #expect(driver.bubbles == ["A", "B", "C"] && driver.marks == [.waiting, .thinking, .waiting])
        driver.answer()
        #expect(driver.asked == "C")
        driver.answer()
        #expect(driver.asked == "A")
    }

    @Test("A4, L8: a retry into a full queue is refused visibly, and can be made later")
    func full() {
        var driver = AssistantDriver.asking("A")
        driver.hear(.failed(.unavailable))
        for index in 1...20 { driver.ask(ExactText("\(index)")) }
        driver.retry(0)
        #expect(driver.marks.first == .unavailable)
        #expect(driver.composer.refusal == Wording.neutral.assistantQueueFull)
        driver.answer()
        driver.retry(0)
        #expect(driver.marks.first == .waiting && driver.composer.refusal == nil)
    }

    @Test("A4, A5: a tap on a question of a conversation that was closed reaches no question of the next")
    func staleTap() {
        var driver = AssistantDriver.asking()
        driver.hear(.failed(.unavailable))
        guard let old = driver.question(0) else {
            Issue.record("no question")
            return
        }
        driver.send(.closed)
        driver.send(.opened)
        driver.ask("New?")
        driver.hear(.failed(.unavailable))
        let before = driver.state
        #expect(driver.send(.retried(old)).isEmpty && driver.state == before)
    }

    @Test("A4: two questions that are asked again keep their places, before a later one with its answer")
    func twoInPlace() {
        var driver = AssistantDriver.open()
        driver.ask(["A", "B", "C"])
        for _ in 0..<2 { driver.hear(.failed(.unavailable)) }
        driver.answer("c")
        driver.retry(0)
        driver.retry(1)
        #expect(driver.bubbles == ["A", "B", "C", "→ c"] && driver.marks == [.thinking, .waiting, nil])
    }

    @Test("A4, L8: a tap on a question that waits in a full queue does nothing, and refuses nothing")
    func waitingInFull() {
        var driver = AssistantDriver.open()
        for index in 1...20 { driver.ask(ExactText("\(index)")) }
        let before = driver.state
        #expect(driver.retry(1).isEmpty && driver.state == before && driver.composer.refusal == nil)
    }

    @Test("A4: of two failed questions, the one that is tapped is asked again")
    func secondOfTwo() {
        var driver = AssistantDriver.open()
        driver.ask(["A", "B"])
        for _ in 0..<2 { driver.hear(.failed(.unavailable)) }
        driver.retry(1)
        #expect(driver.asked == "B" && driver.marks == [.unavailable, .thinking])
    }
}
