@testable import ChatDomain
import Testing

@Suite("Streaming: a reply grows")
struct StreamingGrowingTests {
    @Test("S1: the typing indicator shows until text is in view, the progress mark until the end")
    func indicators() {
        var driver = StreamingDriver.asked()
        #expect(driver.bubble?.isTyping == true && driver.bubble?.isRunning == true)
        driver.hear(.began("m1"))
        driver.hear(.token("Hello"))
        #expect(driver.bubble?.isTyping == true, "nothing is in view yet")
        driver.advance(by: .milliseconds(75))
        #expect(driver.bubble?.isTyping == false && driver.bubble?.isRunning == true)
        driver.hear(.done("m1", nil))
        #expect(driver.bubble?.isTyping == false && driver.bubble?.isRunning == false)
        driver = .growing()
        driver.lose()
        #expect(driver.bubble?.isTyping == false && driver.bubble?.isRunning == false)
    }

    @Test("S1, S6: white space replaces no partial and is no text")
    func whiteSpace() {
        var driver = StreamingDriver.growing()
        driver.lose()
        driver.send(.retried)
        driver.hear(.token("\n\n"))
        driver.advance(by: .milliseconds(75))
        #expect(driver.text == "Hello" && driver.bubble?.isTyping == true)
        #expect(driver.state.measures.visibleUpdates == 0 && driver.state.measures.timeToFirstToken == nil)
        var other = driver
        driver.hear(.done(nil, nil))
        #expect(driver.text == "Hello" && driver.isInterrupted)
        other.hear(.token("New"))
        other.advance(by: .milliseconds(75))
        #expect(other.text == "\n\nNew" && other.bubble?.isTyping == false)
        #expect(other.state.measures.timeToFirstToken == .milliseconds(75))
    }

    @Test("S2: gathered text is shown 75 ms after the first token, not a nanosecond sooner")
    func batch() {
        var driver = StreamingDriver.asked()
        driver.hear(.token("Hel"))
        driver.advance(by: .milliseconds(75) - Interval(nanoseconds: 1))
        driver.hear(.token("lo"))
        #expect(driver.text.isEmpty)
        driver.advance(by: Interval(nanoseconds: 1))
        #expect(driver.text == "Hello" && driver.state.measures.visibleUpdates == 1)
        #expect(!driver.isRunning(.batch))
    }

    @Test("S2: a thousand tokens at once cost one visible update")
    func manyTokens() {
        var driver = StreamingDriver.asked()
        for _ in 0..<1_000 { driver.hear(.token("ab")) }
        driver.advance(by: .milliseconds(100))
        #expect(driver.text.utf8.count == 2_000)
        #expect(driver.state.measures.visibleUpdates == 1 && driver.state.measures.tokens == 1_000)
    }

    @Test(
        "S2: the interval that an app asks for stays within 50 and 100 ms",
        arguments: [(0, 50), (10, 50), (60, 60), (100, 100), (5_000, 100)] as [(Int64, Int64)])
    func interval(wanted: Int64, used: Int64) {
        var driver = StreamingDriver.asked { $0.batchInterval = .milliseconds(wanted) }
        driver.hear(.token("x"))
        #expect(driver.remaining(.batch) == .milliseconds(used))
    }

    @Test("S3: done shows what is pending and finalises with id and usage; nothing is applied after it")
    func done() throws {
        var driver = StreamingDriver.growing()
        let call = try #require(driver.calls.last?.call)
        driver.hear(.began("provisional"))
        driver.hear(.done("m1", Usage(prompt: 10, completion: 2, total: 12)))
        #expect(driver.finished?.text == LongText("Hello") && driver.finished?.id == "m1")
        #expect(driver.finished?.usage?.total == 12)
        #expect(driver.calls.isEmpty && driver.timers.isEmpty)
        let before = driver.state
        for event in [.token("x"), .done("m2", nil), .failed("no")] as [Streaming.Event] {
            #expect(driver.send(.received(event, on: call)).isEmpty)
        }
        #expect(driver.send(.ended(call, .failed(.lost))).isEmpty && driver.state == before)
    }

    @Test("S3: error, loss, stop, leaving and background all show what is pending first")
    func pendingFirst() {
        for end in 0..<5 {
            var driver = StreamingDriver.growing()
            switch end {
            case 0: driver.hear(.failed("no"))
            case 1: driver.lose()
            case 2: driver.send(.stopped)
            case 3: driver.send(.left)
            default: driver.send(.backgrounded)
            }
            #expect(driver.text == "Hello" && driver.isInterrupted)
            #expect(driver.calls.isEmpty && driver.timers.isEmpty)
        }
    }

    @Test("S4: an end without done keeps text, says that it was interrupted, and offers retry")
    func earlyEnd() {
        var driver = StreamingDriver.growing()
        driver.lose(.completed)
        #expect(driver.isInterrupted && driver.ending?.reason == .endedEarly)
        #expect(driver.note == "Our conversation was interrupted. Tap retry to continue.")
        #expect(driver.bubble?.retry?.title == "Retry")
    }

    @Test("S4: an end without done and without text has failed, and offers retry all the same")
    func emptyEnd() {
        var driver = StreamingDriver.asked()
        driver.hear(.began(nil))
        driver.lose(.completed)
        #expect(!driver.isInterrupted && driver.ending?.reason == .endedEarly)
        #expect(driver.note == "Our connection was interrupted. Let's try again.")
        #expect(driver.bubble?.retry != nil)
    }

    @Test("S4: done without any text is no reply")
    func emptyDone() {
        var driver = StreamingDriver.asked()
        driver.hear(.token(""))
        driver.hear(.done("m1", nil))
        #expect(driver.ending?.reason == .empty && driver.bubble?.retry != nil)
    }

    @Test("S5: an error in the stream keeps the text and shows the server's sentence, made readable")
    func inStreamError() {
        var driver = StreamingDriver.growing()
        driver.hear(.failed(ExactText("Sorry\u{7}, \u{202E}no" + String(repeating: "!", count: 5_000))))
        #expect(driver.text == "Hello" && driver.bubble?.retry != nil)
        #expect((driver.note?.byteCount ?? 9_999) <= 1_024)
        #expect(driver.note?.string.hasPrefix("Sorry, no!") == true)
        driver = .growing()
        driver.hear(.failed(""))
        #expect(driver.note == "Coach is taking a moment. Let's try again.")
    }

    @Test("S7: no text in 30 s has failed at 30 s exactly; text a nanosecond earlier has not")
    func firstToken() {
        var driver = StreamingDriver.asked()
        driver.hear(.began(nil))
        driver.advance(by: .seconds(30) - Interval(nanoseconds: 1))
        var other = driver
        driver.advance(by: Interval(nanoseconds: 1))
        #expect(driver.ending?.reason == .timedOut && driver.calls.isEmpty && driver.timers.isEmpty)
        other.hear(.token("x"))
        other.advance(by: .seconds(29))
        #expect(other.state.isRunning && !other.isRunning(.firstToken))
    }

    @Test("S7, L4: a timer of a phase that is over changes nothing, also if it was about to fire")
    func lateTimers() {
        for (start, timers) in [
            (.asked(), [.silence, .retry, .fallback, .refresh]),
            (.growing(), [.firstToken, .retry, .fallback, .refresh]),
        ] as [(StreamingDriver, [Streaming.Timer])] {
            for timer in timers {
                var driver = start
                #expect(driver.send(.timerFired(timer)).isEmpty && driver.state == start.state)
            }
        }
    }

    @Test("S7: silence counts 30 s from the last token, not from the batch that shows it")
    func silence() {
        var driver = StreamingDriver.asked()
        driver.hear(.token("a"))
        driver.advance(by: .milliseconds(40))
        driver.hear(.token("b"))
        driver.advance(by: .seconds(30) - Interval(nanoseconds: 1))
        #expect(driver.state.isRunning)
        driver.advance(by: Interval(nanoseconds: 1))
        #expect(driver.isInterrupted && driver.ending?.reason == .timedOut && driver.text == "ab")
    }

    @Test("S7: a stream that keeps delivering does not time out at 30 s, but at 300 s exactly")
    func whole() {
        var driver = StreamingDriver.asked()
        for _ in 0..<299 {
            driver.advance(by: .seconds(1))
            driver.hear(.token("x"))
        }
        driver.advance(by: .seconds(1) - Interval(nanoseconds: 1))
        #expect(driver.state.isRunning && driver.text.count == 299)
        driver.advance(by: Interval(nanoseconds: 1))
        #expect(driver.ending?.reason == .timedOut && driver.text.count == 299 && driver.timers.isEmpty)
    }

    @Test("Section 1: what a backend marks a reply with stays with that reply, bounded, and with no other")
    func flags() {
        var driver = StreamingDriver.asked(hasFallback: true)
        driver.hear(.flagged(["draft"]))
        driver.hear(.token("Hi"))
        driver.hear(.flagged(["care", "goal"]))
        var other = driver
        driver.hear(.done("m1", nil))
        #expect(driver.finished?.flags == ["care", "goal"])
        other.lose()
        other.hear(.flagged((0..<100).map { ExactText(String(repeating: "f", count: 100 + $0)) }))
        var bare = other
        other.hear(.whole("All", nil, nil))
        #expect(other.finished?.flags.count == 16)
        #expect(other.finished?.flags.allSatisfy { $0.byteCount == 64 } == true)
        bare.send(.retried)
        bare.send(.asked(StreamingDriver.question("Other", client: "c2")))
        bare.hear(.token("x"))
        bare.hear(.done(nil, nil))
        #expect(bare.finished?.flags == [])
    }

    @Test("S12: an event that is not of the protocol is counted and changes nothing else")
    func skipped() throws {
        var driver = StreamingDriver.growing()
        let call = try #require(driver.calls.last?.call)
        let before = driver.state.phase
        for event in [.skipped, .whole("x", nil, nil), .refreshed(StreamingDriver.renewed)]
            as [Streaming.Event]
        {
            #expect(driver.hear(event).isEmpty)
        }
        #expect(driver.state.phase == before && driver.state.skipped.value == 3)
        driver.hear(.done(nil, nil))
        #expect(driver.finished?.text == LongText("Hello"))
        driver.send(.received(.skipped, on: call))
        #expect(driver.state.skipped.value == 3, "the call is over")
    }

    @Test("L8: a reply over 1 MiB is ended with a notice")
    func tooLong() {
        var driver = StreamingDriver.asked(hasFallback: true)
        let piece = ExactText(String(repeating: "x", count: 65_536))
        for _ in 0..<16 { driver.hear(.token(piece)) }
        #expect(driver.state.isRunning)
        driver.hear(.token("y"))
        #expect(driver.ending?.reason == .tooLong && driver.calls.isEmpty && driver.timers.isEmpty)
        #expect(driver.text.utf8.count == 1_048_576 && driver.note == Wording.coach.replyTooLong)
    }

    @Test("S16: time to the first token, tokens, visible updates and duration are measured from asking")
    func measures() {
        var driver = StreamingDriver.asked()
        driver.advance(by: .milliseconds(501))
        driver.hear(.token("a"))
        driver.hear(.token("b"))
        driver.advance(by: .seconds(1))
        driver.hear(.done(nil, nil))
        let measures = driver.state.measures
        #expect(measures.timeToFirstToken == .milliseconds(501) && measures.tokens == 2)
        #expect(measures.visibleUpdates == 1 && measures.duration == .milliseconds(1_501))
    }

    @Test("S16: a first token after 500 ms has missed the target, at 500 ms it has not, nor if none comes")
    func target() {
        var driver = StreamingDriver.asked()
        let feature = driver.feature
        driver.advance(by: .milliseconds(500))
        #expect(feature.missedFirstTokenTarget(driver.state, at: driver.context.now) == nil)
        var late = driver
        driver.hear(.token("a"))
        #expect(feature.missedFirstTokenTarget(driver.state, at: driver.context.now) == false)
        late.advance(by: .milliseconds(1))
        #expect(feature.missedFirstTokenTarget(late.state, at: late.context.now) == true)
        var failed = StreamingDriver.asked()
        failed.refuse(500)
        failed.advance(by: .seconds(1))
        #expect(feature.missedFirstTokenTarget(failed.state, at: failed.context.now) == nil)
    }

    @Test("S17: a screen reader hears “typing” while nothing is shown, the text otherwise, and no token")
    func screenReader() {
        var driver = StreamingDriver.asked()
        #expect(driver.bubble?.label == LongText("Coach is typing") && driver.bubble?.announcement == nil)
        driver.hear(.token("Hello"))
        driver.advance(by: .milliseconds(75))
        #expect(driver.bubble?.label == LongText("Hello") && driver.bubble?.announcement == nil)
        driver.hear(.done(nil, nil))
        #expect(driver.bubble?.announcement == LongText("Hello"))
        driver = .asked()
        driver.lose(.completed)
        #expect(driver.bubble?.retry?.label == "Retry sending message")
        #expect(driver.bubble?.announcement?.string == driver.note?.string && driver.note != nil)
    }

    @Test("S16: the duration of a reply that breaks off, fails, is stopped or never begins is measured too")
    func incompleteMeasures() {
        for end in 0..<3 {
            var driver = StreamingDriver.growing()
            driver.advance(by: .seconds(1))
            switch end {
            case 0: driver.lose()
            case 1: driver.hear(.failed("no"))
            default: driver.send(.stopped)
            }
            #expect(driver.isInterrupted && driver.state.measures.duration == .milliseconds(1_075))
        }
        var driver = StreamingDriver.asked()
        driver.advance(by: .seconds(2))
        driver.refuse(500)
        #expect(driver.ending != nil && driver.state.measures.duration == .seconds(2))
    }

    @Test("S7, S16: a later token restarts no timer, and does not count as the first")
    func secondToken() {
        var driver = StreamingDriver.asked()
        driver.advance(by: .milliseconds(501))
        driver.hear(.token("a"))
        driver.advance(by: .seconds(1))
        driver.hear(.token("b"))
        #expect(driver.state.measures.timeToFirstToken == .milliseconds(501))
        #expect(driver.remaining(.silence) == .seconds(29))
    }
}
