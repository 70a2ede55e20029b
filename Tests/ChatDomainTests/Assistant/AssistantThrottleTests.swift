import ChatDomain
import Testing

@Suite("Assistant: how often to ask")
struct AssistantThrottleTests {
    private static func answered(_ count: Int) -> AssistantDriver {
        var driver = AssistantDriver.open()
        for index in 0..<count {
            driver.ask(ExactText("\(index)"))
            driver.answer()
        }
        return driver
    }

    @Test("A8: ten questions go within a minute; the eleventh waits visibly and goes when its slot comes")
    func tenAMinute() {
        var driver = Self.answered(10)
        driver.advance(by: .seconds(20))
        driver.ask(["K", "L"])
        #expect(driver.calls.isEmpty && driver.marks.suffix(2) == [.throttled, .waiting])
        #expect(driver.indicator == nil && driver.remaining(.slot) == .seconds(40))
        driver.advance(by: .milliseconds(39_999))
        #expect(driver.calls.isEmpty)
        driver.advance(by: .milliseconds(1))
        #expect(driver.asked == "K" && driver.marks.suffix(2) == [.thinking, .waiting])
    }

    @Test("A8, A2: waiting for a slot is not thinking: no notice and no time-out come of it")
    func waitingIsNotThinking() {
        var driver = Self.answered(10)
        driver.ask("K")
        driver.advance(by: .seconds(59))
        #expect(driver.marks.last == .throttled)
        driver.advance(by: .seconds(1))
        driver.advance(by: .milliseconds(2_999))
        #expect(driver.marks.last == .thinking)
    }

    @Test("A8: retries count as questions")
    func retriesCount() {
        var driver = AssistantDriver.open { $0.asking.limit = 2 }
        driver.ask("A")
        driver.hear(.failed(.unavailable))
        driver.retry(0)
        driver.hear(.failed(.unavailable))
        driver.retry(0)
        #expect(driver.marks == [.throttled] && driver.calls.isEmpty)
        driver.advance(by: .seconds(60))
        #expect(driver.asked == "A")
    }

    @Test("A8: switched off, a thousand questions go as fast as they are answered")
    func off() {
        var driver = AssistantDriver.open { $0.asking = .unlimited }
        for _ in 0..<1_000 {
            driver.ask("A")
            #expect(driver.asked == "A")
            driver.answer()
        }
        #expect(driver.timers.isEmpty && driver.state.conversation?.finished.count == 500)
    }

    @Test("A8: a limit of none at all fails the question, which no timer could end")
    func none() {
        var driver = AssistantDriver.open { $0.asking.limit = 0 }
        driver.ask(["A", "B"])
        #expect(driver.marks == [.unavailable, .unavailable] && driver.timers.isEmpty)
    }

    @Test(
        "A8: a server that was asked too often is left alone as long as it says, or 30 s, and no more than 300",
        arguments: [
            (nil, 30), (.seconds(7), 7), (.seconds(45), 45), (.zero, 30), (.seconds(-5), 30),
            (.hours(24), 300), (.max, 300),
        ] as [(Interval?, Int64)])
    func exhausted(told: Interval?, seconds: Int64) {
        for status in [true, false] {
            var driver = AssistantDriver.open()
            driver.ask(["A", "B"])
            if status {
                driver.refuse(429, retryAfter: told)
            } else {
                driver.hear(.failed(.exhausted(retryAfter: told)))
            }
            #expect(driver.marks == [.throttled, .waiting] && driver.calls.isEmpty)
            #expect(driver.timers.map { $0.timer } == [.slot])
            #expect(driver.remaining(.slot) == .seconds(seconds))
            driver.advance(by: .seconds(seconds))
            #expect(driver.asked == "A" && driver.marks == [.thinking, .waiting])
        }
    }

    @Test("A8, L3: a question that is put off again and again fails after five pauses of its own")
    func endless() {
        var driver = AssistantDriver.open()
        driver.ask(["A", "B"])
        for _ in 0..<5 {
            driver.refuse(429)
            #expect(driver.marks == [.throttled, .waiting])
            driver.advance(by: .seconds(30))
        }
        driver.refuse(429)
        #expect(driver.marks == [.unavailable, .throttled])
        driver.advance(by: .seconds(30))
        #expect(driver.asked == "B")
        driver.refuse(429)
        #expect(driver.marks == [.unavailable, .throttled])
        driver.advance(by: .seconds(30))
        #expect(driver.asked == "B")
        driver.answer()
        driver.retry(0)
        driver.refuse(429)
        #expect(driver.marks == [.throttled, nil])
    }

    @Test("A8, A6: going offline while waiting for a slot shows when the slot comes")
    func offlineAtSlot() {
        var driver = AssistantDriver.asking()
        driver.refuse(429)
        driver.send(.networkChanged(isUp: false))
        #expect(driver.marks == [.throttled])
        driver.advance(by: .seconds(30))
        #expect(driver.marks == [.offline] && driver.timers.isEmpty)
        driver.send(.networkChanged(isUp: true))
        #expect(driver.marks == [.thinking])
    }

    @Test("A8: neither the network nor a new token gets round a pause")
    func noWayRound() {
        var driver = AssistantDriver.asking()
        driver.refuse(429, retryAfter: .seconds(60))
        driver.advance(by: .seconds(10))
        driver.send(.networkChanged(isUp: true))
        driver.send(.signedIn(AssistantDriver.account("kay", secret: "newer")))
        driver.retry(0)
        driver.ask("B")
        #expect(driver.calls.isEmpty && driver.remaining(.slot) == .seconds(50))
        driver.send(.closed)
        driver.send(.opened)
        driver.ask("C")
        #expect(driver.calls.isEmpty && driver.remaining(.slot) == .seconds(50))
    }

    @Test("P10: the next person is not held up by what the one before asked")
    func otherPerson() {
        var driver = AssistantDriver.asking()
        driver.refuse(429)
        driver.send(.signedOut)
        #expect(driver.timers.isEmpty)
        driver.signIn(AssistantDriver.account("bo"))
        driver.ask("B")
        #expect(driver.asked == "B")
    }

    @Test("A8: a sign-out allows no more questions, whatever the disk does", arguments: [true, false])
    func signOuts(answers: Bool) {
        var driver = AssistantDriver.fresh()
        var asked = 0
        for _ in 0..<3 {
            driver.send(.signedIn(AssistantDriver.kay))
            if answers { driver.answer(.pacing("kay"), with: .failed(.unreadable)) }
            driver.send(.opened)
            driver.advance(by: .seconds(5))
            for number in 0..<10 {
                driver.ask(ExactText("\(number)"))
                if driver.asked != nil { asked += 1 }
                driver.answer()
            }
            driver.send(.signedOut)
        }
        #expect(asked == 10)
    }

    @Test("A8: a question that is remembered and stored counts once after a sign-out")
    func countedOnce() {
        var disk = Disk<Assistant>()
        var driver = AssistantDriver.fresh()
        var asked = 0
        for _ in 0..<3 {
            driver.send(.signedIn(AssistantDriver.kay))
            driver.send(.opened)
            driver.serve(from: &disk)
            for _ in 0..<3 {
                driver.advance(by: .milliseconds(1) + Interval(nanoseconds: 500))
                driver.ask("A")
                if driver.asked != nil { asked += 1 }
                driver.answer()
                driver.serve(from: &disk)
            }
            driver.send(.signedOut)
        }
        #expect(asked == 9)
    }
}
