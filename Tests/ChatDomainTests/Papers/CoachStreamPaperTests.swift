// What the design of a coach's streamed reply promises its users, as far as it is not about drawing or bytes: on virtual
// time, in the coach's voice.

@testable import ChatDomain
import Testing

@Suite("Design: the coach's stream")
struct CoachStreamPaperTests {
    @Test("AC1: a typing indicator shows as soon as the message is sent, well within 500 ms")
    func typingIndicator() {
        let driver = StreamingDriver.asked()
        #expect(driver.bubble?.isTyping == true && driver.context.now == .origin + .seconds(1_000))
    }

    @Test("AC2: text appears in steps of 50 to 100 ms, not token by token")
    func smooth() {
        var driver = StreamingDriver.asked()
        var steps: [(at: Instant, length: Int)] = []
        for _ in 0..<1_000 {
            driver.hear(.token("w"))
            driver.advance(by: .milliseconds(7))
            let length = driver.text.utf8.count
            if length != steps.last?.length ?? 0 { steps.append((driver.context.now, length)) }
        }
        #expect(steps.count > 50)
        for (earlier, later) in zip(steps, steps.dropFirst()) {
            #expect(later.at - earlier.at >= .milliseconds(50) && later.length - earlier.length > 1)
            #expect(later.at - earlier.at <= .milliseconds(100))
        }
    }

    @Test("AC3: when the stream completes the indicator is gone and the message is final")
    func completion() {
        var driver = StreamingDriver.growing()
        driver.hear(.done("550e8400-e29b-41d4-a716-446655440000", nil))
        #expect(driver.finished?.id == "550e8400-e29b-41d4-a716-446655440000")
        #expect(driver.bubble?.isTyping == false && driver.bubble?.isRunning == false)
    }

    @Test("AC4: after an interruption the partial stays and retry asks for the last message again")
    func interruption() {
        var driver = StreamingDriver.growing()
        let request = driver.request
        driver.lose()
        #expect(driver.text == "Hello" && driver.bubble?.retry?.title == "Retry")
        driver.send(.retried)
        #expect(driver.request == request && driver.bubble?.retry == nil)
        driver.hear(.token("Hello again"))
        driver.hear(.done(nil, nil))
        #expect(driver.text == "Hello again")
    }

    @Test("Task 9.1: the tokens of the example make its text, and done brings its usage")
    func example() {
        var driver = StreamingDriver.asked()
        driver.hear(.token("Hello"))
        driver.hear(.token(" world"))
        driver.hear(.done("m", Usage(prompt: 10, completion: 2, total: 12)))
        #expect(driver.text == "Hello world")
        #expect(driver.finished?.usage == Usage(prompt: 10, completion: 2, total: 12))
    }

    @Test("Task 9.1: a 401 is an error and no text")
    func unauthorised() {
        var driver = StreamingDriver.asked()
        driver.refuse(401)
        #expect(driver.note == "I had trouble remembering you. Please sign in again." && driver.text.isEmpty)
    }

    @Test("Task 9.2: what has gathered is flushed in order at the end")
    func flush() {
        var driver = StreamingDriver.asked()
        for token in ["Hello", " ", "World"] as [ExactText] { driver.hear(.token(token)) }
        driver.hear(.done(nil, nil))
        #expect(driver.text == "Hello World" && driver.state.measures.visibleUpdates == 1)
    }

    @Test("Task 9.2: what gathered for one reply is not shown in the next")
    func reset() {
        var driver = StreamingDriver.asked()
        driver.hear(.token("Some content"))
        driver.send(.asked(StreamingDriver.question("Next", client: "c2")))
        driver.advance(by: .seconds(1))
        #expect(driver.text.isEmpty && !driver.isRunning(.batch))
    }

    @Test("Task 1: every error speaks in the first person, in the coach's words")
    func sentences() {
        let expected: [(CallEnd, ExactText)] = [
            (.failed(.malformed), "I had trouble connecting. Let's try again."),
            (.failed(.insecure), "I had trouble connecting. Let's try again."),
            (
                .refused(status: 500, retryAfter: nil, message: "x"),
                "Coach is taking a moment. Let's try again."
            ),
            (.completed, "Our connection was interrupted. Let's try again."),
            (.failed(.secretMissing), "Please sign in to continue our conversation."),
        ]
        for (end, sentence) in expected {
            var driver = StreamingDriver.asked()
            driver.lose(end)
            #expect(driver.note == sentence)
        }
        for (failure, sentence) in [
            (.offline, "I couldn't connect right now. Let's try again when you're back online."),
            (.unreachable, "I had trouble connecting. Let's try again."),
        ] as [(CallFailure, ExactText)] {
            var driver = StreamingDriver.asked()
            driver.lose(.failed(failure))
            driver.advance(by: .seconds(1))
            driver.lose(.failed(failure))
            #expect(driver.note == sentence)
        }
    }

    @Test("Review fix 13: a connection that hangs is given up after 30 s")
    func hanging() {
        var driver = StreamingDriver.asked()
        driver.advance(by: .seconds(30))
        #expect(!driver.state.isRunning && driver.bubble?.retry != nil)
    }

    @Test("Review fix 17: the session's token is refreshed before a stream that it would not outlive")
    func refresh() {
        let soon = WallTime(millisecondsSince1970: 1_000_000_000) + .seconds(5)
        var driver = StreamingDriver.ready(
            access: Streaming.Access(secret: SecretHandle("first"), expires: soon), canRefresh: true)
        driver.send(.asked(StreamingDriver.question()))
        #expect(driver.request == .refreshCredentials(SecretHandle("first")))
    }

    @Test("Checklist: the screen reader says “Coach is typing” while nothing is shown")
    func voiceOver() {
        #expect(StreamingDriver.asked().bubble?.label == LongText("Coach is typing"))
    }

    @Test("Checklist: nothing is left running after any end")
    func noLeaks() {
        for end in [.completed, .failed(.lost), .failed(.malformed)] as [CallEnd] {
            var driver = StreamingDriver.growing()
            driver.lose(end)
            #expect(driver.timers.isEmpty && driver.calls.isEmpty)
        }
    }
}
