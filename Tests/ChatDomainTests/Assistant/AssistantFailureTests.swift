import ChatDomain
import Testing

@Suite("Assistant: failures by kind")
struct AssistantFailureTests {
    @Test("A6: a server's failures give their sentences and a retry; the next question is asked")
    func rejections() {
        let cases: [(AssistantRefusal, Assistant.Mark)] = [
            (.unavailable, .unavailable),
            (.deadlineExceeded, .timedOut),
            (.other("quota of model x"), .failed("AI Error: quota of model x")),
            (.other(""), .other),
            (.other(" \u{7}\n"), .other),
        ]
        for (rejection, mark) in cases {
            var driver = AssistantDriver.open()
            driver.ask(["A", "B"])
            driver.hear(.failed(rejection))
            #expect(driver.marks == [mark, .thinking] && driver.asked == "B")
            #expect(driver.calls.count == 1)
        }
    }

    @Test("A6: every way for a call to end without an answer has its sentence")
    func ends() {
        let cases: [(CallEnd, Assistant.Mark)] = [
            (.completed, .other),
            (.closed(code: 1_000, reason: "bye"), .other),
            (.refused(status: 500, retryAfter: nil, message: "stack trace"), .unavailable),
            (.refused(status: 503, retryAfter: .seconds(9), message: ""), .unavailable),
            (.refused(status: 599, retryAfter: nil, message: ""), .unavailable),
            (.refused(status: 408, retryAfter: nil, message: ""), .timedOut),
            (.refused(status: 400, retryAfter: nil, message: "bad words"), .failed("AI Error: bad words")),
            (.refused(status: 403, retryAfter: nil, message: ""), .other),
            (.refused(status: 302, retryAfter: nil, message: ""), .other),
            (.refused(status: .min, retryAfter: nil, message: ""), .other),
            (.failed(.timedOut), .timedOut),
            (.failed(.unreachable), .unavailable),
            (.failed(.lost), .unavailable),
            (.failed(.insecure), .other),
            (.failed(.tooLarge), .other),
            (.failed(.malformed), .other),
        ]
        for (end, mark) in cases {
            var driver = AssistantDriver.open()
            driver.ask(["A", "B"])
            driver.lose(end)
            #expect(driver.marks == [mark, .thinking], "\(end)")
            driver.advance(by: .seconds(3))
            #expect(driver.marks == [mark, .stillThinking], "\(end)")
            driver.advance(by: .seconds(7))
            #expect(driver.marks == [mark, .timedOut], "\(end)")
        }
    }

    @Test("A6, L8: a server's own sentence is made readable and kept to 1,024 bytes")
    func hostileSentence() {
        var driver = AssistantDriver.asking()
        driver.hear(.failed(.other("\u{202E} no\u{0}pe \n")))
        #expect(driver.marks == [.failed("AI Error: nope")])
        driver = .asking()
        driver.refuse(418, ExactText(String(repeating: "é", count: 100_000)))
        guard case .failed(let sentence, _) = driver.marks.first ?? nil else {
            Issue.record("not failed")
            return
        }
        #expect(sentence.byteCount == 1_024 + 10)
    }

    @Test("A6: offline known beforehand and offline found out look the same and are resumed the same")
    func offline() {
        var known = AssistantDriver.open()
        known.send(.networkChanged(isUp: false))
        known.ask(["A", "B"])
        var found = AssistantDriver.open()
        found.ask(["A", "B"])
        found.lose(.failed(.offline))
        for driver in [known, found] {
            #expect(driver.marks == [.offline, .held] && driver.indicator == nil)
            #expect(driver.calls.isEmpty && driver.timers.isEmpty)
        }
        known.send(.networkChanged(isUp: true))
        found.send(.networkChanged(isUp: true))
        #expect(known.marks == [.thinking, .waiting] && found.marks == known.marks)
        #expect(known.asked == "A" && found.asked == "A")
    }

    @Test("A6: a retry resumes a queue that found out that it is offline; known offline, it changes nothing")
    func offlineRetry() {
        var driver = AssistantDriver.asking()
        driver.lose(.failed(.offline))
        driver.retry(0)
        #expect(driver.marks == [.thinking])
        driver.lose(.failed(.offline))
        driver.send(.networkChanged(isUp: false))
        #expect(driver.marks == [.offline])
        driver.retry(0)
        #expect(driver.marks == [.offline] && driver.calls.isEmpty)
    }

    @Test("A6: the network going down ends nothing that is under way, but keeps the next from being asked")
    func networkDown() {
        var driver = AssistantDriver.open()
        driver.ask(["A", "B"])
        driver.send(.networkChanged(isUp: false))
        #expect(driver.marks == [.thinking, .waiting])
        driver.answer()
        #expect(driver.marks == [nil, .offline] && driver.calls.isEmpty)
        driver.send(.networkChanged(isUp: true))
        #expect(driver.asked == "B" && driver.askedConversation == "c1")
    }

    @Test("A6: a question after the queue was paused waits behind; those behind are asked in order")
    func askWhilePaused() {
        var driver = AssistantDriver.open()
        driver.send(.networkChanged(isUp: false))
        driver.ask(["A", "B"])
        #expect(driver.ask("C").isEmpty)
        #expect(driver.marks == [.offline, .held, .held])
        driver.send(.networkChanged(isUp: true))
        var asked: [ExactText?] = []
        for _ in 0..<3 {
            asked.append(driver.asked)
            driver.answer()
        }
        #expect(asked == ["A", "B", "C"])
    }

    @Test("A6: with nobody signed in there is no call, the sentence shows and the app is asked for log-in")
    func notSignedIn() {
        var driver = AssistantDriver.fresh()
        driver.send(.opened)
        #expect(!driver.wantsLogIn)
        driver.ask(["A", "B"])
        #expect(driver.marks == [.notSignedIn, .held] && driver.wantsLogIn)
        #expect(driver.calls.isEmpty && driver.timers.isEmpty)
        driver.signIn(AssistantDriver.kay)
        #expect(driver.asked == "A" && !driver.wantsLogIn && driver.marks == [.thinking, .waiting])
    }

    @Test("A6: log-in that was dismissed is asked for again by a retry, and the sentence stays")
    func dismissed() {
        var driver = AssistantDriver.fresh()
        driver.send(.opened)
        driver.ask("A")
        driver.send(.logInDismissed)
        #expect(!driver.wantsLogIn && driver.marks == [.notSignedIn])
        driver.retry(0)
        #expect(driver.wantsLogIn && driver.marks == [.notSignedIn] && driver.calls.isEmpty)
    }

    @Test("A6: HTTP 401, UNAUTHENTICATED and a missing token are all “not signed in”; a new token resumes")
    func refusedToken() {
        for refuse in 0..<3 {
            var driver = AssistantDriver.open()
            driver.ask(["A", "B"])
            switch refuse {
            case 0: driver.refuse(401)
            case 1: driver.hear(.failed(.unauthenticated))
            default: driver.lose(.failed(.secretMissing))
            }
            #expect(driver.marks == [.notSignedIn, .held] && driver.wantsLogIn && driver.calls.isEmpty)
            driver.send(.networkChanged(isUp: true))
            #expect(driver.calls.isEmpty)
            driver.send(.signedIn(AssistantDriver.account("kay", secret: "newer")))
            #expect(driver.asked == "A" && !driver.wantsLogIn)
        }
    }

    @Test("A6: neither signed in nor online, the one obstacle shows after the other")
    func bothObstacles() {
        var driver = AssistantDriver.fresh()
        driver.send(.opened)
        driver.send(.networkChanged(isUp: false))
        driver.ask("A")
        #expect(driver.marks == [.notSignedIn])
        driver.signIn(AssistantDriver.kay)
        #expect(driver.marks == [.offline] && driver.calls.isEmpty)
        driver.send(.networkChanged(isUp: true))
        #expect(driver.marks == [.thinking])
    }

    @Test("A6, A4: retrying a question that has failed takes a pause for over")
    func retryResumes() {
        var driver = AssistantDriver.open()
        driver.ask(["A", "B"])
        driver.hear(.failed(.unavailable))
        driver.lose(.failed(.offline))
        #expect(driver.marks == [.unavailable, .offline])
        driver.retry(0)
        #expect(driver.marks == [.waiting, .thinking] && driver.asked == "B")
    }
}
