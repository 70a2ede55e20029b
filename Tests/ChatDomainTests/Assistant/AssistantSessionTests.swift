@testable import ChatDomain
import Testing

@Suite("Assistant: the conversation and its person")
struct AssistantSessionTests {
    @Test("A5: closing clears the conversation, closes the call and stops every timer")
    func closing() {
        var driver = AssistantDriver.open()
        driver.ask(["A", "B"])
        driver.answer()
        driver.send(.closed)
        #expect(driver.state.conversation == nil && driver.rows.isEmpty)
        #expect(driver.calls.isEmpty && driver.timers.isEmpty)
        driver.send(.opened)
        #expect(driver.rows.isEmpty && driver.state.conversation?.id == nil)
        driver.ask("C")
        #expect(driver.askedConversation == nil)
    }

    @Test("A5: closing while a question waits for its slot stops the wait; the limit goes on")
    func closingWhileWaiting() {
        var driver = AssistantDriver.open { $0.asking = .init(limit: 1, window: .seconds(60)) }
        driver.ask(["A", "B"])
        driver.answer()
        #expect(driver.isRunning(.slot))
        driver.send(.closed)
        #expect(driver.timers.isEmpty)
        driver.send(.opened)
        driver.ask("C")
        #expect(driver.marks == [.throttled] && driver.remaining(.slot) == .seconds(60))
    }

    @Test("A5, L5: half a question survives closing the view")
    func draft() {
        var driver = AssistantDriver.open()
        driver.send(.draftEdited("half a thou"))
        driver.send(.closed)
        driver.send(.opened)
        #expect(driver.composer.text == "half a thou" && driver.composer.refusal == nil)
    }

    @Test("L1: while the view is closed, nothing that belongs to it does anything")
    func closed() {
        var driver = AssistantDriver.fresh()
        driver.signIn(AssistantDriver.kay)
        let before = driver.state
        let call = Assistant.Call.ask(Attempt(number: 1))
        let actions: [Assistant.Action] = [
            .closed, .draftEdited("x"), .exampleTapped("x"), .sent, .retried(QuestionID(number: 0)),
            .logInDismissed, .networkChanged(isUp: true), .timerFired(.notice), .timerFired(.answer),
            .timerFired(.slot), .ended(call, .completed),
            .received(.answered("x", conversation: "c", time: nil, tokens: nil), on: call),
        ]
        for action in actions {
            #expect(driver.send(action).isEmpty && driver.state == before)
        }
    }

    @Test("L1, A6: a sign-out while nobody is signed in keeps the question that waits, and the draft")
    func signedOutAlready() {
        var driver = AssistantDriver.fresh()
        driver.send(.opened)
        driver.ask("Why?")
        driver.send(.draftEdited("And"))
        let before = driver.state
        #expect(driver.send(.signedOut).isEmpty && driver.state == before)
        #expect(driver.marks == [.notSignedIn] && driver.composer.text == "And")
    }

    @Test("A5: opening what is open keeps it")
    func openTwice() {
        var driver = AssistantDriver.asking()
        let before = driver.state
        #expect(driver.send(.opened).isEmpty && driver.state == before)
    }

    @Test(
        "A5: an answer without a valid id, or that says nothing, is an error and no conversation begins",
        arguments: [
            ("Yes.", nil), ("Yes.", ""), ("Yes.", "  "), ("Yes.", "error-saving"), ("", "c1"), (" \n", "c1"),
        ] as [(ExactText, ConversationID?)])
    func invalid(text: ExactText, id: ConversationID?) {
        var driver = AssistantDriver.open()
        driver.ask(["A", "B"])
        driver.answer(text, conversation: id)
        #expect(driver.marks == [.other, .thinking] && driver.askedConversation == nil)
        driver.answer(conversation: "c1")
        driver.ask("C")
        driver.answer(text, conversation: id)
        driver.ask("D")
        #expect(driver.askedConversation == "c1")
    }

    @Test("A5, L8: an id of more than 1,024 bytes is none")
    func longID() {
        var driver = AssistantDriver.asking()
        driver.answer(conversation: ConversationID(String(repeating: "x", count: 1_025)))
        #expect(driver.marks == [.other])
        driver.retry(0)
        driver.answer(conversation: ConversationID(String(repeating: "x", count: 1_024)))
        #expect(driver.marks == [nil])
    }

    @Test("A5: the conversation knows when it began and when it was last changed")
    func times() {
        var driver = AssistantDriver.open()
        let start = driver.context.wall
        driver.advance(by: .seconds(5))
        driver.ask("A")
        #expect(driver.state.conversation?.created == start)
        #expect(driver.state.conversation?.updated == start + .seconds(5))
        driver.advance(by: .seconds(2))
        driver.answer(time: WallTime(millisecondsSince1970: 0))
        #expect(driver.state.conversation?.updated == start + .seconds(7))
    }

    @Test("P10: signing out ends what is under way and leaves nothing of the person; the view stays open")
    func signOut() {
        var driver = AssistantDriver.open()
        driver.ask(["A", "B"])
        driver.answer("private")
        driver.send(.draftEdited("also private"))
        driver.send(.signedOut)
        #expect(driver.calls.isEmpty && driver.timers.isEmpty && driver.rows.isEmpty)
        #expect(driver.composer.text.isEmpty && !driver.wantsLogIn)
        #expect(Assistant.welcome(driver.state, .neutral) != nil)
        driver.signIn(AssistantDriver.account("bo"))
        driver.ask("C")
        #expect(
            driver.calls.map { $0.request } == [
                .ask("C", conversation: nil, user: "bo", secret: SecretHandle("secret"))
            ])
    }

    @Test("P10: a sign-in without a sign-out before it shows nothing of the other person")
    func otherPerson() {
        var driver = AssistantDriver.asking("private")
        driver.signIn(AssistantDriver.account("bo"))
        #expect(driver.rows.isEmpty && driver.calls.isEmpty && driver.timers.isEmpty)
        #expect(driver.state.account?.user == "bo")
    }

    @Test("S9, L2: a new token of the same person keeps the call under way and reaches the next")
    func newToken() {
        var driver = AssistantDriver.open()
        driver.ask(["A", "B"])
        #expect(driver.send(.signedIn(AssistantDriver.account("kay", secret: "newer"))).isEmpty)
        #expect(driver.asked == "A")
        driver.answer()
        #expect(
            driver.calls.map { $0.request } == [
                .ask("B", conversation: "c1", user: "kay", secret: SecretHandle("newer"))
            ])
    }

    @Test("L8: a conversation forgets its oldest answers, and refuses when all that is left has none")
    func exchangeLimit() {
        var driver = AssistantDriver.open {
            $0.exchangeLimit = 3
            $0.asking = .unlimited
        }
        driver.ask(["A", "B"])
        driver.hear(.failed(.unavailable))
        driver.answer("b")
        driver.ask("C")
        driver.answer("c")
        driver.ask("D")
        #expect(driver.bubbles == ["A", "C", "→ c", "D"])
        driver.hear(.failed(.unavailable))
        driver.ask("E")
        #expect(driver.bubbles == ["A", "D", "E"])
        driver.ask("F")
        #expect(driver.bubbles == ["A", "D", "E"] && driver.composer.text == "F")
        #expect(driver.composer.refusal == Wording.neutral.assistantConversationFull)
        driver.answer("e")
        driver.send(.sent)
        #expect(driver.bubbles == ["A", "D", "F"])
    }

    @Test("L8: an answer of more than 1 MiB is cut and says so")
    func longAnswer() {
        var driver = AssistantDriver.asking()
        driver.answer(ExactText(String(repeating: "x", count: 1_048_577)))
        #expect(driver.rows.last?.text.byteCount == 1_048_576)
        #expect(driver.rows.last?.mark == .cut(Wording.neutral.replyTooLong))
    }
}
