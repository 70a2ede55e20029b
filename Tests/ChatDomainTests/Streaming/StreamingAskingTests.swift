@testable import ChatDomain
import Testing

@Suite("Streaming: asking and asking again")
struct StreamingAskingTests {
    @Test("S6: a retry asks the same question under the same client id")
    func retry() {
        var driver = StreamingDriver.growing()
        let first = driver.request
        driver.lose()
        driver.send(.retried)
        #expect(driver.request == first && driver.calls.count == 1)
    }

    @Test("S6: accepted and then failed, the question gets a new client id, told in the state")
    func newID() {
        var driver = StreamingDriver.growing()
        driver.hear(.failed("no"))
        #expect(driver.state.question?.key == "c1", "until it is asked again")
        driver.send(.retried)
        let client = driver.state.question?.key
        #expect(client != "c1" && driver.state.question?.text == "Hi")
        guard case .stream(let question, _) = driver.request else {
            Issue.record("not asked")
            return
        }
        #expect(question.key == client)
    }

    @Test("S6: the name of a reply that failed is not that of the reply under a new client id")
    func newReply() {
        var driver = StreamingDriver.asked()
        driver.hear(.began("m1"))
        driver.hear(.failed("no"))
        driver.send(.retried)
        driver.hear(.token("New"))
        driver.hear(.done(nil, nil))
        #expect(driver.finished?.id == nil && driver.finished?.text == LongText("New"))

        driver = .asked(hasFallback: true)
        driver.hear(.began("m1"))
        driver.hear(.failed("no"))
        driver.hear(.whole("New", nil, nil))
        #expect(driver.finished?.id == nil && driver.finished?.text == LongText("New"))

        driver = .asked()
        driver.hear(.began("m1"))
        driver.lose(.completed)
        driver.send(.retried)
        driver.hear(.token("New"))
        driver.hear(.done(nil, nil))
        #expect(driver.finished?.id == "m1", "the same client id is answered by the same reply")
    }

    @Test("S6: an error before the server has taken the question keeps the client id")
    func notAccepted() {
        var driver = StreamingDriver.asked()
        driver.hear(.failed("no"))
        driver.send(.retried)
        #expect(driver.state.question?.key == "c1" && driver.calls.count == 1)
    }

    @Test("S6: the old partial stays until text that replaces it is shown, and for good if none comes")
    func oldPartial() {
        var driver = StreamingDriver.growing()
        driver.lose()
        driver.send(.retried)
        #expect(driver.text == "Hello" && driver.bubble?.isTyping == true)
        driver.hear(.token("New"))
        #expect(driver.text == "Hello")
        var other = driver
        driver.advance(by: .milliseconds(75))
        #expect(driver.text == "New" && driver.bubble?.isTyping == false)
        other = .growing()
        other.lose()
        other.send(.retried)
        other.refuse(500)
        #expect(other.text == "Hello" && other.isInterrupted)
        other.send(.retried)
        #expect(other.text == "Hello" && other.calls.count == 1)
    }

    @Test("S6: retry does nothing where there is nothing to retry")
    func noRetry() {
        var driver = StreamingDriver.ready()
        #expect(driver.send(.retried).isEmpty)
        driver = .growing()
        #expect(driver.send(.retried).isEmpty)
        driver.hear(.done(nil, nil))
        #expect(driver.send(.retried).isEmpty && driver.calls.isEmpty)
    }

    @Test(
        "S8: a connection lost before the first token is tried again once, after 400 ms exactly",
        arguments: [CallFailure.lost, .unreachable, .offline])
    func automaticRetry(failure: CallFailure) {
        var driver = StreamingDriver.asked()
        driver.lose(.failed(failure))
        #expect(driver.calls.isEmpty && driver.bubble?.isTyping == true && driver.missingTimer == nil)
        driver.advance(by: .milliseconds(400) - Interval(nanoseconds: 1))
        #expect(driver.calls.isEmpty)
        driver.advance(by: Interval(nanoseconds: 1))
        #expect(driver.calls.count == 1)
        driver.lose(.failed(failure))
        #expect(driver.ending?.reason == .broken(failure) && driver.timers.isEmpty)
    }

    @Test("S7, S8: an empty token is not the first: a connection lost behind it is tried again")
    func emptyToken() {
        var driver = StreamingDriver.asked()
        driver.hear(.began(nil))
        driver.hear(.token(""))
        #expect(driver.isRunning(.firstToken))
        driver.lose()
        driver.advance(by: .milliseconds(400))
        #expect(driver.calls.count == 1 && driver.missingTimer == nil)
    }

    @Test(
        "S7, S8: white space is not the first text: a connection lost behind it is tried again, without it",
        arguments: [false, true])
    func blankToken(isPending: Bool) {
        var driver = StreamingDriver.asked()
        driver.hear(.token("\n\n"))
        #expect(driver.isRunning(.firstToken) && driver.missingTimer == nil)
        if !isPending { driver.advance(by: .milliseconds(75)) }
        #expect(driver.isRunning(.batch) == isPending && !driver.isRunning(.silence))
        driver.lose()
        driver.advance(by: .milliseconds(400))
        #expect(driver.calls.count == 1 && driver.missingTimer == nil && !driver.isRunning(.batch))
        driver.hear(.token("Hi"))
        driver.hear(.done(nil, nil))
        #expect(driver.finished?.text == LongText("Hi"))
    }

    @Test("S7: no text but white space in 30 s has failed at 30 s exactly, also with signs of life behind it")
    func blankTimeLimit() {
        var driver = StreamingDriver.asked()
        driver.hear(.token("\n\n"))
        for _ in 0..<29 {
            driver.advance(by: .seconds(1))
            driver.hear(.token(""))
        }
        driver.advance(by: .seconds(1) - Interval(nanoseconds: 1))
        #expect(driver.state.isRunning)
        driver.advance(by: Interval(nanoseconds: 1))
        #expect(driver.ending?.reason == .timedOut && driver.text.isEmpty && driver.timers.isEmpty)
    }

    @Test(
        "S8: a reply that is asked for again has its own marks, and not those of the stream that was lost",
        arguments: ["", "\n"] as [ExactText])
    func marksOfLost(sign: ExactText) {
        var driver = StreamingDriver.asked()
        driver.hear(.flagged(["old"]))
        driver.hear(.token(sign))
        driver.lose()
        driver.advance(by: .milliseconds(400))
        driver.hear(.token("Hi"))
        driver.hear(.done(nil, nil))
        #expect(driver.finished?.flags == [])
    }

    @Test("S8: nothing but a lost network is tried again, and nothing after the first token")
    func noAutomaticRetry() {
        for end in [
            .completed, .closed(code: 1_000, reason: ""), .failed(.insecure), .failed(.timedOut),
            .failed(.malformed), .failed(.tooLarge), .failed(.secretMissing),
            .refused(status: 503, retryAfter: nil, message: ""),
        ] as [CallEnd] {
            var driver = StreamingDriver.asked()
            driver.lose(end)
            #expect(driver.ending != nil && driver.timers.isEmpty, "\(end)")
        }
        var driver = StreamingDriver.growing()
        driver.lose()
        #expect(driver.isInterrupted && driver.timers.isEmpty)
    }

    @Test("S8: one asking costs at most one request more, whatever goes wrong")
    func atMostTwo() {
        let ends: [CallEnd] = [
            .failed(.lost), .completed, .refused(status: 401, retryAfter: nil, message: ""),
            .refused(status: 500, retryAfter: nil, message: ""),
        ]
        for hasFallback in [false, true] {
            for first in ends {
                for second in ends {
                    var driver = StreamingDriver.asked(hasFallback: hasFallback, canRefresh: true)
                    var requests = 0
                    for end in [first, second, first, second] {
                        guard driver.state.isRunning else { break }
                        driver.advance(by: .milliseconds(400))
                        if case .refresh = driver.calls.last?.call {
                            driver.hear(.refreshed(StreamingDriver.renewed))
                        }
                        requests += 1
                        driver.lose(end)
                    }
                    #expect(requests <= 2 && !driver.state.isRunning, "\(first), \(second)")
                }
            }
        }
    }

    @Test("S9: without credentials the sign-in sentence, and no call")
    func noCredentials() {
        var driver = StreamingDriver.ready(access: nil)
        driver.send(.asked(StreamingDriver.question()))
        #expect(driver.calls.isEmpty && driver.timers.isEmpty)
        #expect(driver.note == "Please sign in to continue our conversation.")
        driver.send(.accessChanged(StreamingDriver.access))
        driver.send(.retried)
        #expect(driver.calls.count == 1)
    }

    @Test(
        "S9: credentials with 60 s left or less are refreshed before, where that is possible",
        arguments: [(60, true, true), (61, true, false), (-5, true, true), (10, false, false)]
            as [(Int64, Bool, Bool)])
    func refreshBefore(left: Int64, canRefresh: Bool, refreshes: Bool) {
        let expires = WallTime(millisecondsSince1970: 1_000_000_000) + .seconds(left)
        let access = Streaming.Access(secret: SecretHandle("first"), expires: expires)
        var driver = StreamingDriver.ready(access: access, canRefresh: canRefresh)
        driver.send(.asked(StreamingDriver.question()))
        guard refreshes else {
            #expect(driver.request == .stream(StreamingDriver.question(), access.secret))
            return
        }
        #expect(driver.request == .refreshCredentials(access.secret) && driver.missingTimer == nil)
        #expect(driver.bubble?.isTyping == true)
        driver.hear(.refreshed(StreamingDriver.renewed))
        #expect(driver.request == .stream(StreamingDriver.question(), SecretHandle("second")))
        #expect(driver.calls.count == 1 && !driver.isRunning(.refresh))
    }

    @Test("S9: a refresh that fails, or is silent for 10 s, lets the old credentials have their try")
    func refreshFails() {
        let expires = WallTime(millisecondsSince1970: 1_000_000_000)
        let access = Streaming.Access(secret: SecretHandle("first"), expires: expires)
        for isSilent in [false, true] {
            var driver = StreamingDriver.ready(access: access, canRefresh: true)
            driver.send(.asked(StreamingDriver.question()))
            if isSilent { driver.advance(by: .seconds(10)) } else { driver.lose(.failed(.lost)) }
            #expect(driver.request == .stream(StreamingDriver.question(), access.secret))
            #expect(driver.calls.count == 1 && !driver.isRunning(.refresh))
            driver.refuse(401)
            #expect(driver.request == .refreshCredentials(access.secret), "none has been fetched yet")
            var other = driver
            driver.hear(.refreshed(StreamingDriver.renewed))
            #expect(driver.request == .stream(StreamingDriver.question(), SecretHandle("second")))
            driver.refuse(401)
            #expect(driver.ending?.reason == .signInAgain && driver.calls.isEmpty)
            if isSilent { other.advance(by: .seconds(10)) } else { other.lose(.failed(.lost)) }
            #expect(other.ending?.reason == (isSilent ? .signInAgain : .broken(.lost)))
            #expect(other.calls.isEmpty && other.timers.isEmpty)
        }
    }

    @Test("S9: a 401 after a refresh that was fetched, here or by somebody else, gives the sign-in sentence")
    func refreshedOnce() {
        let expires = WallTime(millisecondsSince1970: 1_000_000_000)
        let access = Streaming.Access(secret: SecretHandle("first"), expires: expires)
        for isShared in [false, true] {
            var driver = StreamingDriver.ready(access: access, canRefresh: true)
            driver.send(.asked(StreamingDriver.question()))
            if isShared {
                driver.send(.accessChanged(StreamingDriver.renewed))
            } else {
                driver.hear(.refreshed(StreamingDriver.renewed))
            }
            driver.refuse(401)
            #expect(driver.ending?.reason == .signInAgain && driver.calls.isEmpty && driver.timers.isEmpty)
        }
    }

    @Test("S9: 401 refreshes once and asks again; a second 401 gives the sign-in sentence")
    func unauthorised() {
        var driver = StreamingDriver.asked(canRefresh: true)
        driver.refuse(401)
        #expect(driver.request == .refreshCredentials(SecretHandle("first")) && driver.missingTimer == nil)
        driver.hear(.refreshed(StreamingDriver.renewed))
        #expect(driver.request == .stream(StreamingDriver.question(), SecretHandle("second")))
        driver.refuse(401)
        #expect(driver.note == "I had trouble remembering you. Please sign in again.")
        #expect(driver.state.access == StreamingDriver.renewed, "credentials are kept")
        #expect(driver.calls.isEmpty && driver.timers.isEmpty)
    }

    @Test("S9: 401 without a way to refresh, or with one that fails, gives the sign-in sentence")
    func unauthorisedForGood() {
        var driver = StreamingDriver.asked(hasFallback: true)
        driver.refuse(401)
        #expect(driver.ending?.reason == .signInAgain && driver.calls.isEmpty)
        driver = .asked(canRefresh: true)
        driver.refuse(401)
        driver.advance(by: .seconds(10))
        #expect(driver.ending?.reason == .signInAgain && driver.calls.isEmpty && driver.timers.isEmpty)
        driver = .asked(canRefresh: true)
        driver.refuse(401)
        driver.refuse(400)
        #expect(driver.ending?.reason == .signInAgain && driver.calls.isEmpty && driver.timers.isEmpty)
    }

    @Test("S9: a refresh that meets a broken connection is no refusal: the person may try again")
    func refreshWithoutNetwork() {
        var driver = StreamingDriver.asked(canRefresh: true)
        driver.refuse(401)
        driver.lose(.failed(.offline))
        #expect(driver.ending?.reason == .broken(.offline) && driver.note != Wording.coach.signInAgain)
        #expect(driver.bubble?.retry != nil && driver.calls.isEmpty && driver.timers.isEmpty)
    }

    @Test("S9: a wait for new credentials ends with those that another feature has fetched")
    func shared() throws {
        var driver = StreamingDriver.asked(canRefresh: true)
        driver.refuse(401)
        let refresh = try #require(driver.calls.last?.call)
        #expect(driver.send(.accessChanged(StreamingDriver.access)).isEmpty, "these were refused")
        driver.send(.accessChanged(StreamingDriver.renewed))
        #expect(driver.request == .stream(StreamingDriver.question(), SecretHandle("second")))
        #expect(driver.calls.count == 1 && !driver.isRunning(.refresh))
        #expect(driver.send(.ended(refresh, .failed(.lost))).isEmpty)
    }

    @Test("S9: a stream under way keeps its credentials; the next one has the new ones")
    func underWay() {
        var driver = StreamingDriver.growing()
        #expect(driver.send(.accessChanged(StreamingDriver.renewed)).isEmpty)
        driver.hear(.done(nil, nil))
        driver.send(.asked(StreamingDriver.question("Again")))
        #expect(driver.request == .stream(StreamingDriver.question("Again"), SecretHandle("second")))
    }

    @Test("S9: 429 shows its wait, other HTTP errors the one general sentence")
    func httpErrors() {
        var driver = StreamingDriver.asked()
        let now = driver.context.wall
        driver.refuse(429, retryAfter: .seconds(90))
        #expect(driver.note == Wording.coach.serverAskedToWait)
        #expect(driver.bubble?.waitUntil == now + .seconds(90))
        for status in [400, 403, 404, 418, 500, 503] as [Int64] {
            driver = .asked()
            driver.refuse(status, retryAfter: .seconds(-9))
            #expect(driver.note == "Coach is taking a moment. Let's try again.")
            #expect(driver.bubble?.waitUntil == nil)
        }
        driver = .asked()
        driver.refuse(429, retryAfter: .seconds(-9))
        #expect(driver.bubble?.waitUntil == driver.context.wall)
    }

    @Test(
        "S9, S13: a wait that is told by the clock ends the asking, in either form; one that has passed is now"
    )
    func limitedByTheClock() {
        for (ahead, shown) in [(3_600, 3_600), (-5, 0)] as [(Int64, Int64)] {
            var driver = StreamingDriver.asked(hasFallback: true)
            let now = driver.context.wall
            driver.hear(.limited(until: now + .seconds(ahead)))
            #expect(driver.note == Wording.coach.serverAskedToWait && driver.bubble?.retry != nil)
            #expect(driver.bubble?.waitUntil == now + .seconds(shown))
            #expect(driver.calls.isEmpty && driver.timers.isEmpty)

            driver = .growing(hasFallback: true)
            driver.lose()
            let then = driver.context.wall
            driver.hear(.limited(until: then + .seconds(ahead)))
            #expect(driver.isInterrupted && driver.text == "Hello")
            #expect(driver.bubble?.waitUntil == then + .seconds(shown))
            #expect(driver.calls.isEmpty && driver.timers.isEmpty)
        }
    }

    @Test("S10, L7: stop is effective at once at every stage, silent, and idempotent")
    func stop() {
        var stages: [StreamingDriver] = [.asked(), .growing()]
        var backingOff = StreamingDriver.asked()
        backingOff.lose()
        var refreshing = StreamingDriver.asked(canRefresh: true)
        refreshing.refuse(401)
        var fallingBack = StreamingDriver.asked(hasFallback: true)
        fallingBack.lose()
        stages += [refreshing, fallingBack, backingOff]
        // Only between two attempts no call is open.
        #expect(stages.map { $0.calls.isEmpty } == [false, false, false, false, true])
        for var driver in stages {
            let call = driver.calls.last?.call
            #expect(driver.state.isRunning)
            driver.send(.stopped)
            #expect(driver.ending?.reason == .stopped && driver.note == nil)
            #expect(driver.calls.isEmpty && driver.timers.isEmpty)
            let before = driver.state
            #expect(driver.send(.stopped).isEmpty)
            driver.advance(by: .seconds(400))
            if let call {
                #expect(driver.send(.received(.token("late"), on: call)).isEmpty)
                #expect(driver.send(.received(.whole("late", nil, nil), on: call)).isEmpty)
                #expect(driver.send(.ended(call, .failed(.lost))).isEmpty)
            }
            #expect(driver.state == before)
        }
    }

    @Test("S11: leaving and the background end the stream, keep its text, and say nothing")
    func leave() {
        for action in [.left, .backgrounded] as [Streaming.Action] {
            var driver = StreamingDriver.growing()
            driver.send(action)
            #expect(driver.text == "Hello" && driver.note == nil && driver.bubble?.retry != nil)
            #expect(driver.calls.isEmpty && driver.timers.isEmpty && driver.send(action).isEmpty)
        }
    }

    @Test("S11: every event belongs to the question's own conversation")
    func conversation() {
        var driver = StreamingDriver.growing()
        driver.hear(.done(nil, nil))
        #expect(driver.finished?.question.conversation == "talk")
    }

    @Test("P10: without credentials everything is as before the first question, and nothing runs")
    func signOut() {
        for var driver in [StreamingDriver.growing(), .asked()] {
            driver.send(.accessChanged(nil))
            #expect(driver.state == Streaming.State() && driver.calls.isEmpty && driver.timers.isEmpty)
        }
    }

    @Test("S6, C12: a reply that ends without text was taken and failed, so a retry has a new key")
    func emptyReply() {
        for hasBegun in [true, false] {
            var driver = StreamingDriver.asked()
            if hasBegun { driver.hear(.began("m1")) }
            driver.hear(.done("m1", nil))
            #expect(driver.ending == ReplyEnding(.empty, needsNewKey: true))
            driver.send(.retried)
            #expect(driver.state.question?.key != "c1")
        }
    }

    @Test("L8: an id of a reply that is too long to be genuine is none, and its text is taken")
    func longID() {
        for (length, isTaken) in [(1_024, true), (1_025, false)] {
            let id = MessageID(String(repeating: "m", count: length))
            var driver = StreamingDriver.asked()
            driver.hear(.began(id))
            driver.hear(.token("x"))
            driver.hear(.done(id, nil))
            #expect(driver.finished?.id == (isTaken ? id : nil) && driver.finished?.text == LongText("x"))
        }
    }
}
