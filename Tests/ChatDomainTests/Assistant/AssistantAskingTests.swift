import ChatDomain
import Testing

@Suite("Assistant: asking")
struct AssistantAskingTests {
    @Test("A2: a question is shown and asked at once, for the signed-in person")
    func atOnce() {
        let driver = AssistantDriver.asking()
        #expect(driver.bubbles == ["Why?"] && driver.marks == [.thinking] && driver.composer.text.isEmpty)
        #expect(driver.rows.first?.time == driver.context.wall)
        #expect(
            driver.calls.map { $0.request } == [
                .ask("Why?", conversation: nil, user: "kay", secret: SecretHandle("secret"))
            ])
    }

    @Test("A2: “thinking” shows until the answer does, and the answer stands below its question")
    func answer() {
        var driver = AssistantDriver.asking()
        driver.advance(by: .milliseconds(2_900))
        #expect(driver.indicator == "AI is thinking...")
        driver.answer("Because.", time: WallTime(millisecondsSince1970: 5))
        #expect(driver.indicator == nil && driver.bubbles == ["Why?", "→ Because."])
        #expect(driver.rows.map { $0.speaker } == ["You", "Assistant"] && driver.marks == [nil])
        #expect(driver.rows.last?.time == WallTime(millisecondsSince1970: 5))
        #expect(driver.timers.isEmpty && driver.calls.isEmpty)
    }

    @Test("A2: an answer without a time of the server's carries this device's")
    func answerTime() {
        var driver = AssistantDriver.asking()
        driver.advance(by: .seconds(2))
        driver.answer()
        #expect(driver.rows.last?.time == driver.context.wall)
    }

    @Test("A2: the notice comes at 3 s, not before, and goes with the answer")
    func notice() {
        var driver = AssistantDriver.asking()
        driver.advance(by: .milliseconds(2_999))
        #expect(driver.marks == [.thinking])
        driver.advance(by: .milliseconds(1))
        #expect(driver.marks == [.stillThinking] && driver.indicator == "This may take a moment...")
        driver.answer()
        #expect(driver.marks == [nil] && driver.indicator == nil)
    }

    @Test("A2: an answer just before 10 s counts; one exactly at 10 s is late, and its call is closed")
    func timeOut() {
        var driver = AssistantDriver.asking()
        driver.advance(by: Interval(nanoseconds: 9_999_999_999))
        driver.answer()
        #expect(driver.bubbles == ["Why?", "→ Because."])

        driver = .asking()
        let call = driver.calls.map { $0.call }
        driver.advance(by: .seconds(10))
        #expect(driver.calls.isEmpty && driver.timers.isEmpty && driver.marks == [.timedOut])
        let before = driver.state
        for call in call {
            driver.send(.received(.answered("Late.", conversation: "c1", time: nil, tokens: nil), on: call))
            driver.send(.ended(call, .completed))
        }
        #expect(driver.state == before)
    }

    @Test(
        "A2: a queued question does not think, and has its 10 s from when it is asked",
        arguments: [nil, .timedOut] as [Assistant.Mark?])
    func fromDispatch(first: Assistant.Mark?) {
        var driver = AssistantDriver.open()
        driver.ask(["A", "B"])
        driver.advance(by: .seconds(9))
        #expect(driver.marks == [.stillThinking, .waiting])
        if first == nil { driver.answer() } else { driver.advance(by: .seconds(1)) }
        #expect(driver.marks == [first, .thinking])
        driver.advance(by: .milliseconds(9_999))
        #expect(driver.marks == [first, .stillThinking])
        driver.advance(by: .milliseconds(1))
        #expect(driver.marks == [first, .timedOut])
    }

    @Test("A2: a jump of the clock over both deadlines ends in the time-out")
    func clockJump() {
        var driver = AssistantDriver.asking()
        driver.advance(by: .hours(1_000))
        #expect(driver.marks == [.timedOut] && driver.calls.isEmpty)
    }

    @Test("A3: rapid questions are all shown, asked one at a time and in order, each with its mark")
    func rapid() {
        var driver = AssistantDriver.open()
        driver.ask(["A", "B", "C", "D", "E"])
        #expect(driver.bubbles == ["A", "B", "C", "D", "E"])
        #expect(driver.marks == [.thinking, .waiting, .waiting, .waiting, .waiting])
        for text in ["A", "B", "C", "D", "E"] as [ExactText] {
            #expect(driver.calls.count == 1 && driver.asked == text)
            driver.answer(ExactText(text.string + "!"))
        }
        #expect(
            driver.bubbles == ["A", "→ A!", "B", "→ B!", "C", "→ C!", "D", "→ D!", "E", "→ E!"])
        #expect(driver.calls.isEmpty && driver.timers.isEmpty)
    }

    @Test("A3: the same text twice is two questions")
    func sameText() {
        var driver = AssistantDriver.open()
        driver.ask(["Why?", "Why?"])
        driver.answer("One.")
        driver.answer("Two.")
        #expect(driver.bubbles == ["Why?", "→ One.", "Why?", "→ Two."])
    }

    @Test("A3, A5: the first answer's conversation is named by all behind it, also when a later one differs")
    func conversation() {
        var driver = AssistantDriver.open()
        driver.ask(["A", "B", "C"])
        #expect(driver.askedConversation == nil)
        driver.answer(conversation: "c1")
        #expect(driver.askedConversation == "c1")
        driver.answer(conversation: "c2")
        #expect(driver.asked == "C" && driver.askedConversation == "c1")
    }

    @Test("A3, A5: while no answer has come, none is named")
    func noConversationYet() {
        var driver = AssistantDriver.open()
        driver.ask(["A", "B", "C"])
        driver.advance(by: .seconds(10))
        #expect(driver.asked == "B" && driver.askedConversation == nil)
        driver.refuse(500)
        #expect(driver.asked == "C" && driver.askedConversation == nil)
    }

    @Test("A3: a time-out and a server's error mark their own question, and the others go on")
    func goesOn() {
        var driver = AssistantDriver.open()
        driver.ask(["A", "B", "C"])
        driver.advance(by: .seconds(10))
        driver.hear(.failed(.other("no")))
        driver.answer()
        #expect(driver.marks == [.timedOut, .failed("AI Error: no"), nil])
        #expect(driver.bubbles == ["A", "B", "C", "→ Because."])
    }

    @Test("A3, L6: a second answer on the same call, and its end, touch neither question nor the next")
    func duplicates() {
        var driver = AssistantDriver.open()
        driver.ask(["A", "B"])
        guard let first = driver.calls.last?.call else {
            Issue.record("nothing was asked")
            return
        }
        driver.answer("1")
        let before = driver.state
        driver.send(.received(.answered("again", conversation: "c9", time: nil, tokens: 1), on: first))
        driver.send(.received(.failed(.unauthenticated), on: first))
        driver.send(.ended(first, .completed))
        driver.send(.ended(first, .failed(.lost)))
        #expect(driver.state == before && driver.asked == "B")
    }

    @Test("L8: the twentieth question is queued, the next is refused and its text stays")
    func queueFull() {
        var driver = AssistantDriver.open()
        for index in 1...20 { driver.ask(ExactText("\(index)")) }
        #expect(driver.rows.count == 20 && driver.composer.refusal == nil)
        #expect(driver.ask("21").isEmpty)
        #expect(driver.rows.count == 20 && driver.composer.text == "21")
        #expect(driver.composer.refusal == Wording.neutral.assistantQueueFull)
        driver.answer()
        driver.send(.sent)
        #expect(driver.bubbles.last == "21" && driver.composer.refusal == nil)
    }
}
