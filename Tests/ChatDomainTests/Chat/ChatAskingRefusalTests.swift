@testable import ChatDomain
import Testing

/// One refusal is told once, at the question that has met it; what is queued waits for new credentials.
@Suite("Chat carried by streams: credentials that are not accepted")
struct ChatAskingRefusalTests {
    typealias ChatDriver = Driver<Chat>

    /// One was refused, Two and Three wait.
    private func refused(_ end: CallEnd = .refused(status: 401, retryAfter: nil, message: "")) -> ChatDriver {
        var driver = ChatDriver.asking()
        for text: ExactText in ["One", "Two", "Three"] { driver.sayDurably(text) }
        driver.breakOff(end)
        driver.save()
        return driver
    }

    @Test("S9, C8: one refusal is told once, and neither time nor the network brings another")
    func once() {
        let ends: [(CallEnd, ExactText)] = [
            (.refused(status: 401, retryAfter: nil, message: ""), Wording.neutral.signInAgain),
            (.failed(.secretMissing), Wording.neutral.signInFirst),
        ]
        for (end, sentence) in ends {
            var driver = refused(end)
            for _ in 0..<2 {
                #expect(driver.questions.isEmpty && driver.notes == [sentence, nil, nil])
                #expect(driver.statuses[1] == nil || driver.statuses[1] == .queued)
                #expect(Chat.connectionLine(driver.state, .neutral) == Wording.neutral.signInAgain)
                #expect(driver.stuckSpinner == nil)
                driver.send(.networkChanged(isUp: false))
                driver.send(.networkChanged(isUp: true))
                driver.send(.backgrounded)
                driver.advance(by: .seconds(120))
                driver.send(.foregrounded)
                driver.save()
            }
        }
    }

    @Test(
        "S9: a rate limit without a time keeps all that is queued"
    )
    func limitedWithoutTime() {
        for isByClock in [false, true] {
            var driver = ChatDriver.asking()
            for text: ExactText in ["One", "Two", "Three"] { driver.sayDurably(text) }
            if isByClock {
                driver.reply(.limited(until: driver.context.wall - .seconds(5)))
            } else {
                driver.breakOff(.refused(status: 429, retryAfter: nil, message: ""))
            }
            driver.save()
            #expect(driver.questions.isEmpty && driver.rows[1].note == nil && driver.stuckSpinner == nil)
            #expect(Chat.connectionLine(driver.state, .neutral) == Wording.neutral.serverAskedToWait)
            driver.advance(by: .seconds(30))
            driver.save()
            #expect(driver.questions.map { $0.text } == ["Two"])
        }
    }

    @Test("L8, S10: questions that were stopped before the server had them are shown, and hold nothing up")
    func stoppedOften() {
        var driver = ChatDriver.asking()
        for number in 0..<5 {
            driver.sayDurably(ExactText("\(number)"))
            driver.stop()
            driver.save()
        }
        #expect(driver.rows.count == 5)
    }

    @Test("S9: questions wait for new credentials, first in, first out, also under the old handle")
    func renewed() {
        let renewed = Account(user: "kay", secret: SecretHandle("new"), device: "device-1")
        for account in [renewed, ChatDriver.account] {
            var driver = refused()
            driver.send(.signedIn(account))
            driver.save()
            #expect(driver.questions.map { $0.text } == ["Two"])
            #expect(Chat.connectionLine(driver.state, .neutral) == nil)
            driver.answer("2")
            driver.answer("3")
            #expect(driver.texts == ["One", "Two", "2", "Three", "3"] && driver.queued.isEmpty)
        }
    }

    @Test("S9: a question or a look at the chat tries one more, and no more than one")
    func triedAnew() {
        let acts: [[Chat.Action]] = [
            [.reconnectRequested], [.left, .shown], [.draftEdited("Four"), .sent],
        ]
        for act in acts {
            var driver = refused()
            for action in act { driver.send(action) }
            driver.save()
            #expect(driver.questions.map { $0.text } == ["Two"])
            driver.breakOff(.refused(status: 401, retryAfter: nil, message: ""))
            driver.save()
            #expect(driver.questions.isEmpty && driver.stuckSpinner == nil)
            #expect(
                driver.notes.prefix(3) == [Wording.neutral.signInAgain, Wording.neutral.signInAgain, nil])
        }
        var driver = refused()
        driver.send(.retried(driver.rows[0].id))
        driver.save()
        #expect(driver.questions.map { $0.text } == ["Two"] && driver.queued.count == 3)
    }

    @Test(
        "S9, C19: a send in one conversation tries the others too, and no more than once each"
    )
    func othersTried() {
        var driver = refused()
        driver.send(.conversationCreated(title: "b"))
        driver.save()
        let other = driver.state.conversation.id
        driver.sayDurably("Other")
        #expect(Set(driver.questions.map { $0.text }) == ["Two", "Other"] && driver.stuckSpinner == nil)
        driver.answer("yes", in: other)
        driver.answer("2")
        driver.answer("3")
        #expect(driver.questions.isEmpty && driver.queued.isEmpty && driver.stuckSpinner == nil)
        #expect(driver.state.others.allSatisfy { $0.outbox.queue.waiting.isEmpty })
    }

    @Test(
        "S9, C19: the queue of another conversation waits too, and goes with the credentials that one fetches",
        arguments: [SecretHandle("new"), ChatDriver.account.secret])
    func conversations(secret: SecretHandle) {
        var driver = ChatDriver.asking(Streaming.Configuration(canRefresh: true))
        driver.sayDurably("One")
        driver.send(.conversationCreated(title: "b"))
        driver.save()
        let other = driver.state.conversation.id
        driver.sayDurably("Other")
        driver.sayDurably("Waits")
        guard let call = driver.stream(in: other) else { return #expect(Bool(false)) }
        driver.end(call, .failed(.secretMissing))
        driver.save()
        #expect(driver.questions.map { $0.text } == ["One"])
        // The one that runs meets the refusal as well, and has the credentials made new.
        driver.breakOff(.refused(status: 401, retryAfter: nil, message: ""))
        driver.reply(.refreshed(Streaming.Access(secret: secret, expires: nil)))
        driver.save()
        #expect(Set(driver.questions.map { $0.text }) == ["One", "Waits"])
    }

    @Test("S9, C2: refused credentials hold all questions back, also when a network is lost meanwhile")
    func refusedBeforeOffline() throws {
        var driver = ChatDriver.asking()
        driver.sayDurably("one")
        let other = driver.create("other")
        driver.save()
        driver.sayDurably("two")
        driver.end(try #require(driver.stream()), .refused(status: 401, retryAfter: nil, message: ""))
        // The first time, it is tried again (S8).
        for _ in 0..<2 {
            driver.end(try #require(driver.stream(in: other)), .failed(.offline))
            driver.advance(by: .milliseconds(400))
        }
        driver.save()
        #expect(driver.obstacle == .credentialsRefused)
        driver.send(.networkChanged(isUp: false))
        driver.send(.networkChanged(isUp: true))
        #expect(driver.questions.isEmpty)
    }

    @Test("S9: a rate limit with a wait of nothing keeps all that is queued, as one without a time does")
    func limitedForNothing() {
        var driver = ChatDriver.asking()
        for text: ExactText in ["One", "Two"] { driver.sayDurably(text) }
        driver.breakOff(.refused(status: 429, retryAfter: .zero, message: ""))
        driver.save()
        driver.advance(by: .milliseconds(29_999))
        #expect(driver.questions.isEmpty && driver.stuckSpinner == nil)
        driver.advance(by: .milliseconds(1))
        driver.save()
        #expect(driver.questions.map { $0.text } == ["Two"])
    }

    @Test("S9, C19: a retry in one conversation tries the others too")
    func othersTriedByRetry() {
        var driver = ChatDriver.asking()
        let other = driver.create("b")
        driver.save()
        driver.sayDurably("Other")
        driver.sayDurably("Waits")
        driver.send(.conversationSwitched(to: .main))
        driver.sayDurably("One")
        driver.breakOff(.refused(status: 401, retryAfter: nil, message: ""))
        driver.answer("yes", in: other)
        driver.save()
        #expect(driver.questions.isEmpty && driver.notes == [Wording.neutral.signInAgain])
        driver.send(.retried(driver.rows[0].id))
        driver.save()
        #expect(Set(driver.questions.map { $0.text }) == ["One", "Waits"] && driver.stuckSpinner == nil)
    }
}
