// What the design of an assistant's chat promises its users, item by item, on virtual time. What is purely a matter of
// drawing (bubbles, colours, animation, frame rate) has no test here. Where Docs/Rules.md decides otherwise, the test
// says so.

import ChatDomain
import Testing

@Suite("Design: AI assistant chat")
struct AssistantChatPaperTests {
    // MARK: Functional requirements and their gates

    @Test("M1, gate: a question appears at once, and its answer within 5 s is shown")
    func conversationGate() {
        var driver = AssistantDriver.open()
        driver.ask("What did John say about his knee?")
        #expect(driver.bubbles == ["What did John say about his knee?"])
        driver.advance(by: .milliseconds(4_999))
        driver.answer("It hurts.")
        #expect(driver.bubbles == ["What did John say about his knee?", "→ It hurts."])
    }

    @Test("M1: the call carries the user's id, the message, and the conversation once there is one")
    func callContents() {
        var driver = AssistantDriver.asking("A")
        driver.answer(conversation: "c7")
        driver.ask("B")
        #expect(
            driver.calls.map { $0.request } == [
                .ask("B", conversation: "c7", user: "kay", secret: SecretHandle("secret"))
            ])
    }

    @Test("M1: calls do not block: the composer works while an answer is awaited")
    func doesNotBlock() {
        var driver = AssistantDriver.asking()
        driver.send(.draftEdited("And"))
        #expect(driver.composer.text == "And" && driver.composer.canSend && driver.indicator != nil)
    }

    @Test("M2, gate: offline, a question shows “No internet connection” and makes no call")
    func offlineGate() {
        var driver = AssistantDriver.open()
        driver.send(.networkChanged(isUp: false))
        driver.ask("A")
        #expect(driver.marks == [.offline] && driver.calls.isEmpty)
    }

    @Test("M2: authentication is checked before a call")
    func authenticationCheck() {
        var driver = AssistantDriver.fresh()
        driver.send(.opened)
        #expect(driver.ask("A").isEmpty)
    }

    @Test("M3, gate: three questions appear in order, and the answers keep their context")
    func contextGate() {
        var driver = AssistantDriver.open()
        var conversations: [ConversationID?] = []
        driver.ask(["A", "B", "C"])
        for _ in 0..<3 {
            conversations.append(driver.askedConversation)
            driver.answer(conversation: "c1")
        }
        #expect(driver.bubbles.filter { $0 != "→ Because." } == ["A", "B", "C"])
        #expect(conversations == [nil, "c1", "c1"])
    }

    @Test("M3: the conversation is cleared when the view is closed")
    func cleared() {
        var driver = AssistantDriver.asking()
        driver.answer()
        driver.send(.closed)
        driver.send(.opened)
        #expect(driver.rows.isEmpty && Assistant.welcome(driver.state, .neutral) != nil)
    }

    @Test("M4, gate: a time-out shows “Request took too long” and a retry")
    func timeOutGate() {
        var driver = AssistantDriver.asking()
        driver.advance(by: .seconds(10))
        #expect(
            driver.marks == [
                .failed("Request took too long. Try asking in a different way.", retry: "Retry")
            ])
    }

    @Test("M4: every failure has a sentence and a retry that asks again")
    func retryEverywhere() {
        let ends: [CallEnd] = [
            .failed(.offline), .failed(.lost), .failed(.unreachable), .failed(.timedOut), .failed(.malformed),
            .failed(.secretMissing), .completed, .refused(status: 401, retryAfter: nil, message: ""),
            .refused(status: 500, retryAfter: nil, message: ""),
            .refused(status: 403, retryAfter: nil, message: "not for you"),
        ]
        for end in ends {
            var driver = AssistantDriver.asking()
            driver.lose(end)
            guard case .failed(let sentence, let retry) = driver.marks.first ?? nil else {
                Issue.record("no failure after \(end)")
                continue
            }
            #expect(!sentence.isEmpty && retry == "Retry")
            driver.retry(0)
            #expect(driver.asked == "Why?" && driver.bubbles == ["Why?"])
        }
    }

    @Test("should S1: first use shows a welcome and examples that fill the composer")
    func emptyState() {
        var driver = AssistantDriver.open()
        let examples = Assistant.welcome(driver.state, .neutral)?.examples ?? []
        #expect(examples.count == 3)
        for example in examples {
            driver.send(.exampleTapped(example))
            #expect(driver.composer.text == example)
        }
    }

    @Test(
        "should S2: answers carry the server's time, questions this device's; both read “Just now”, “2m ago”")
    func timestamps() {
        var driver = AssistantDriver.asking()
        let asked = driver.context.wall
        driver.advance(by: .seconds(2))
        driver.answer(time: asked + .seconds(1))
        #expect(driver.rows.map { $0.time } == [asked, asked + .seconds(1)])
        driver.advance(by: .seconds(120))
        let texts = driver.rows.map { row in
            RelativeTime(row.time, now: driver.context.wall, utcOffset: .zero)
                .text(.neutral, date: { _ in "" })
        }
        #expect(texts == ["2m ago", "2m ago"])
        #expect(
            RelativeTime(asked, now: asked + .seconds(59), utcOffset: .zero)
                .text(.neutral, date: { _ in "" }) == "Just now")
    }

    @Test("should S4: a screen reader is told whose each bubble is")
    func accessibility() {
        var driver = AssistantDriver.asking()
        driver.answer()
        #expect(driver.rows.map { $0.speaker } == ["You", "Assistant"])
    }

    // MARK: Validation and errors

    @Test("validation: text.count > 0 and < 2,000")
    func validation() {
        for (count, isValid) in [(0, false), (1, true), (1_000, true), (1_999, true), (2_000, false)] {
            var driver = AssistantDriver.open()
            driver.ask(ExactText(String(repeating: "a", count: count)))
            #expect((driver.calls.count == 1) == isValid)
        }
    }

    @Test("validation: an answer without a valid conversation id is an error")
    func answerValidation() {
        var driver = AssistantDriver.asking()
        driver.answer(conversation: "")
        #expect(driver.marks == [.other])
    }

    @Test("errors: each kind has its sentence")
    func errorSentences() {
        let copy = Wording.neutral
        #expect(copy.assistantSignIn == "Please log in to use AI assistant")
        #expect(copy.emptyMessage == "Message cannot be empty")
        #expect(copy.assistantOffline == "No internet connection. Check your network and try again.")
        #expect(copy.assistantTimedOut == "Request took too long. Try asking in a different way.")
        #expect(copy.assistantError("x") == "AI Error: x")
        #expect(copy.assistantFailed == "Something went wrong. Please try again.")
    }

    // MARK: Happy path

    @Test("manual steps 1 to 11: open, ask, wait, read, ask on in the same conversation")
    func happyPath() {
        var driver = AssistantDriver.fresh()
        driver.signIn(AssistantDriver.kay)
        driver.send(.opened)
        #expect(Assistant.welcome(driver.state, .neutral) != nil)
        driver.send(.draftEdited("Tell me about my recent conversations"))
        #expect(driver.composer.canSend)
        driver.send(.sent)
        #expect(driver.bubbles == ["Tell me about my recent conversations"])
        #expect(driver.indicator == "AI is thinking...")
        driver.advance(by: .seconds(3))
        #expect(driver.indicator == "This may take a moment...")
        driver.advance(by: .seconds(1))
        driver.answer("You spoke with John.", conversation: "c1")
        #expect(driver.indicator == nil && driver.bubbles.last == "→ You spoke with John.")
        driver.ask("What else?")
        #expect(driver.askedConversation == "c1")
        driver.answer("And with Sarah.", conversation: "c1")
        #expect(driver.rows.count == 4 && driver.calls.isEmpty && driver.timers.isEmpty)
    }

    // MARK: Edge cases

    @Test("edge case 1: an empty message makes no call, and says why")
    func emptyMessage() {
        var driver = AssistantDriver.open()
        driver.send(.sent)
        #expect(driver.calls.isEmpty && !driver.composer.canSend)
        #expect(driver.composer.refusal == "Message cannot be empty")
    }

    @Test("edge case 2: 1,000 characters go; 2,000 are refused (Docs/Rules.md decides the border)")
    func longMessage() {
        var driver = AssistantDriver.asking(ExactText(String(repeating: "a", count: 1_000)))
        #expect(driver.calls.count == 1)
        driver.ask(ExactText(String(repeating: "a", count: 2_000)))
        #expect(driver.composer.refusal == "Message too long, please shorten" && driver.rows.count == 1)
    }

    @Test("edge case 3: five rapid questions each have their mark, and all are answered")
    func spam() {
        var driver = AssistantDriver.open()
        driver.ask(["1", "2", "3", "4", "5"])
        #expect(driver.marks.count == 5 && driver.marks.allSatisfy { $0 != nil })
        for _ in 0..<5 { driver.answer() }
        #expect(driver.rows.count == 10 && driver.marks.allSatisfy { $0 == nil })
    }

    @Test("edge case 4: emoji and special characters go as they are")
    func emoji() {
        let text: ExactText = "What did 🏋️ John say about 🦵 knee?"
        var driver = AssistantDriver.asking(text)
        #expect(driver.asked == text)
        driver.answer("🦵🏽 \"is\" <fine> & \\o/")
        #expect(driver.bubbles.last == "→ 🦵🏽 \"is\" <fine> & \\o/")
    }

    // MARK: Error handling

    @Test("offline mode: the sentence shows; when reconnected the question goes, and a retry works too")
    func offlineMode() {
        for isKnown in [true, false] {
            var driver = AssistantDriver.open()
            if isKnown { driver.send(.networkChanged(isUp: false)) }
            driver.ask("A")
            driver.lose(.failed(.offline))
            #expect(driver.marks == [.offline])
            if isKnown { driver.send(.networkChanged(isUp: true)) } else { driver.retry(0) }
            #expect(driver.calls.count == 1)
            driver.answer()
            #expect(driver.bubbles == ["A", "→ Because."])
        }
    }

    @Test("invalid input: after an empty send the person can type and send")
    func invalidInput() {
        var driver = AssistantDriver.open()
        driver.ask("  ")
        driver.ask("A")
        #expect(driver.asked == "A" && driver.composer.refusal == nil)
    }

    @Test("network time-out: a server that takes 15 s is given 10, its answer is late, a retry works")
    func networkTimeOut() {
        var driver = AssistantDriver.asking()
        let call = driver.calls.map { $0.call }
        driver.advance(by: .seconds(15))
        for call in call {
            driver.send(.received(.answered("Late.", conversation: "c1", time: nil, tokens: nil), on: call))
        }
        #expect(driver.marks == [.timedOut] && driver.bubbles == ["Why?"])
        driver.retry(0)
        driver.answer()
        #expect(driver.bubbles == ["Why?", "→ Because."])
    }

    @Test("backend error 500: “temporarily unavailable”, and a retry")
    func backendError() {
        var driver = AssistantDriver.asking()
        driver.refuse(500, "Internal Server Error")
        #expect(driver.marks == [.unavailable])
        driver.retry(0)
        #expect(driver.calls.count == 1)
    }

    @Test("authentication error: no call, the sentence, and the app is asked to show log-in")
    func authenticationError() {
        var driver = AssistantDriver.open()
        driver.send(.signedOut)
        driver.ask("A")
        #expect(driver.calls.isEmpty && driver.marks == [.notSignedIn] && driver.wantsLogIn)
    }

    // MARK: Roll-out

    @Test("metrics: openings, messages per conversation, failures and response time can be read")
    func metrics() {
        var driver = AssistantDriver.asking()
        driver.advance(by: .seconds(2))
        driver.answer()
        driver.ask("B")
        driver.refuse(500)
        let measures = driver.state.measures
        #expect(measures.openings.value == 1 && measures.messagesPerConversationInHundredths == 300)
        #expect(measures.failures.unavailable.value == 1 && measures.responses.mean == .seconds(2))
    }

    @Test("manual validation: ten and more questions keep their context")
    func manyQuestions() {
        var driver = AssistantDriver.open()
        for index in 0..<25 {
            driver.advance(by: .seconds(6))  // ten a minute
            driver.ask(ExactText("\(index)"))
            #expect(driver.askedConversation == (index == 0 ? nil : "c1"))
            driver.answer(conversation: "c1")
        }
        #expect(driver.rows.count == 50)
    }

    @Test("open question 4: more than ten questions a minute wait, visibly, unless that is switched off")
    func rateLimit() {
        for isLimited in [true, false] {
            var driver = AssistantDriver.open { if !isLimited { $0.asking = .unlimited } }
            for _ in 0..<10 {
                driver.ask("A")
                driver.answer()
            }
            driver.ask("B")
            #expect(driver.marks.last == (isLimited ? .throttled : .thinking))
        }
    }
}
