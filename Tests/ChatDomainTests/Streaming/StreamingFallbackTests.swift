@testable import ChatDomain
import Testing

@Suite("Streaming: the whole reply instead")
struct StreamingFallbackTests {
    @Test(
        "S13: a stream that fails is asked for once in the whole form",
        arguments: [
            .failed(.lost), .failed(.offline), .failed(.timedOut), .completed, .failed(.malformed),
            .refused(status: 404, retryAfter: nil, message: ""),
            .refused(status: 502, retryAfter: nil, message: ""),
        ] as [CallEnd])
    func fallback(end: CallEnd) {
        for var driver in [StreamingDriver.asked(hasFallback: true), .growing(hasFallback: true)] {
            let partial = driver.text
            driver.lose(end)
            #expect(driver.request == .whole(StreamingDriver.question(), SecretHandle("first")))
            #expect(driver.missingTimer == nil && driver.timers.count == 1)
            #expect(driver.text.hasPrefix(partial) && driver.bubble?.isRunning == true)
            driver.hear(.whole("All", "m1", nil))
            #expect(driver.finished?.text == LongText("All") && driver.finished?.id == "m1")
            #expect(driver.calls.isEmpty)
            #expect(driver.timers.isEmpty && driver.note == nil)
        }
    }

    @Test("S13: time-outs, gaps and errors in the stream fall back too, the last under a new key")
    func otherFallbacks() {
        var driver = StreamingDriver.asked(hasFallback: true)
        driver.advance(by: .seconds(30))
        #expect(driver.request == .whole(StreamingDriver.question(), SecretHandle("first")))
        driver = .growing(hasFallback: true)
        driver.advance(by: .seconds(30))
        #expect(driver.calls.count == 1 && driver.isRunning(.fallback) && driver.bubble?.isTyping == false)
        driver = .growing(hasFallback: true)
        driver.hear(.failed("no"))
        guard case .whole(let question, _) = driver.request else {
            Issue.record("no fallback")
            return
        }
        #expect(question.key != "c1" && question.key == driver.state.question?.key)
    }

    @Test("S16, S13: a whole reply counts as one token, at the end of all that the person has waited")
    func measured() {
        var driver = StreamingDriver.asked(hasFallback: true)
        driver.advance(by: .seconds(30))
        driver.advance(by: .seconds(2))
        driver.hear(.whole("All", "m1", nil))
        let measures = driver.state.measures
        #expect(measures.duration == .seconds(32) && measures.timeToFirstToken == .seconds(32))
        #expect(measures.visibleUpdates == 1)
    }

    @Test("S13: a whole reply is asked for as the first of a conversation only if the stream brought nothing")
    func first() {
        for isTaken in [false, true] {
            var driver = StreamingDriver.ready(hasFallback: true)
            let question = Streaming.Question(
                conversation: "talk", client: "c1", text: "Hi", purpose: .message(isFirst: true))
            driver.send(.asked(question))
            if isTaken { driver.hear(.token("Hel")) }
            driver.lose()
            guard case .whole(let again, _) = driver.request else {
                Issue.record("no fallback")
                return
            }
            #expect(again.purpose == .message(isFirst: !isTaken))
        }
    }

    @Test("S13: no refusal of person or credentials falls back, nor a 408, which is no time-out of ours")
    func noFallback() {
        for status in [400, 401, 403, 408, 429] as [Int64] {
            var driver = StreamingDriver.asked(hasFallback: true)
            driver.refuse(status)
            #expect(driver.ending != nil && driver.calls.isEmpty && driver.timers.isEmpty)
        }
        for isGrowing in [false, true] {
            var driver = isGrowing ? StreamingDriver.growing(hasFallback: true) : .asked(hasFallback: true)
            driver.hear(.refused("No."))
            #expect(
                driver.ending?.reason == .reported("No.") && driver.calls.isEmpty && driver.timers.isEmpty)
            #expect(driver.text == (isGrowing ? "Hello" : ""))
        }
        var driver = StreamingDriver.growing(hasFallback: true)
        driver.lose(.failed(.insecure))
        #expect(driver.isInterrupted && driver.calls.isEmpty)
    }

    @Test("S13, S6: a fallback that fails, is empty, or is silent for 30 s exactly, leaves the partial")
    func failedFallback() {
        for end in 0..<4 {
            var driver = StreamingDriver.growing(hasFallback: true)
            driver.lose()
            switch end {
            case 0: driver.lose(.failed(.lost))
            case 1: driver.hear(.whole("", nil, nil))
            case 2: driver.hear(.failed("no"))
            default:
                driver.advance(by: .seconds(30) - Interval(nanoseconds: 1))
                #expect(driver.state.isRunning)
                driver.advance(by: Interval(nanoseconds: 1))
            }
            #expect(driver.text == "Hello" && driver.isInterrupted && driver.bubble?.retry != nil)
            #expect(driver.calls.isEmpty && driver.timers.isEmpty)
            // An empty reply and a reported failure say that the server has taken the question.
            #expect(driver.ending?.needsNewKey == (end == 1 || end == 2))
        }
    }

    @Test(
        "S8, S13, C2: a whole reply that finds no network leaves open whether the stream's question has arrived",
        arguments: [
            (.completed, .endedEarly), (.failed(.lost), .broken(.lost)), (.failed(.unreachable), nil),
            (.refused(status: 404, retryAfter: nil, message: ""), nil),
            (.refused(status: 502, retryAfter: nil, message: ""), .refused(status: 502, until: nil)),
        ] as [(CallEnd, Streaming.Reason?)])
    func offlineWhole(end: CallEnd, first: Streaming.Reason?) {
        var driver = StreamingDriver.asked(hasFallback: true)
        driver.lose(end)
        driver.lose(.failed(.offline))
        #expect(driver.ending?.reason == first ?? .broken(.offline))
    }

    @Test("S13, L8: a whole reply of exactly the limit is taken, and one of a byte more is not")
    func limit() {
        for (text, isTaken) in [("abc", true), ("abcd", false)] {
            var driver = StreamingDriver.asked(hasFallback: true) { $0.replyTextLimit = 3 }
            driver.lose()
            driver.hear(.whole(ExactText(text), "m1", nil))
            #expect(driver.finished?.text == (isTaken ? LongText(text) : nil) && driver.calls.isEmpty)
        }
    }

    @Test("S13: a whole reply has its own marks, and not those of the stream that failed")
    func marks() {
        for marks in [[], ["new"]] as [[ExactText]] {
            var driver = StreamingDriver.growing(hasFallback: true)
            driver.hear(.flagged(["old"]))
            driver.lose()
            if !marks.isEmpty { driver.hear(.flagged(marks)) }
            driver.hear(.whole("All", "m1", nil))
            #expect(driver.finished?.flags == marks)
        }
    }

    @Test("S13, C16: a whole reply has the id that comes with it, and not that of the stream that failed")
    func ownID() {
        for began in [nil, "m1"] as [MessageID?] {
            var driver = StreamingDriver.asked(hasFallback: true)
            driver.hear(.began(began))
            driver.hear(.token("Hel"))
            driver.lose()
            driver.hear(.whole("Hello", "m2", nil))
            #expect(driver.finished?.id == "m2")
        }
    }

    @Test("S13: a whole reply of white space that has ended early leaves the partial")
    func whiteSpace() {
        var driver = StreamingDriver.growing(hasFallback: true)
        driver.lose()
        driver.hear(.token("\n\n"))
        driver.hear(.failed("Cut."))
        #expect(driver.text == "Hello" && driver.note == "Cut.")
    }

    @Test("S5, S13: a whole reply that has ended early shows its text, and why")
    func endedEarly() {
        var driver = StreamingDriver.asked(hasFallback: true) { $0.replyTextLimit = 8 }
        driver.lose()
        driver.hear(.token("All of it"))
        #expect(driver.state.isRunning)
        driver.hear(.failed("Cut."))
        #expect(driver.text == "All of i" && driver.isInterrupted && driver.bubble?.retry != nil)
        #expect(driver.calls.isEmpty && driver.timers.isEmpty)
    }

    @Test("S6, C12, S13: a whole reply without text was taken and failed, so a retry has a new key")
    func emptyWhole() {
        var driver = StreamingDriver.asked(hasFallback: true)
        driver.lose()
        driver.hear(.whole("", "m1", nil))
        #expect(driver.ending == ReplyEnding(.empty, needsNewKey: true))
        driver.send(.retried)
        #expect(driver.state.question?.key != "c1")
    }

    @Test("S6, S13: a whole reply that the server reports as failed was taken, so a retry has a new key")
    func failedWhole() {
        var driver = StreamingDriver.asked(hasFallback: true)
        driver.lose()
        #expect(driver.state.question?.key == "c1")
        driver.hear(.failed("no"))
        #expect(driver.ending == ReplyEnding(.reported("no"), needsNewKey: true))
        driver.send(.retried)
        #expect(driver.state.question?.key != "c1" && driver.calls.count == 1)
    }

    @Test("S6, S13: a whole reply that the server has put off was not taken, so a retry keeps the key")
    func limitedWhole() {
        var driver = StreamingDriver.asked(hasFallback: true)
        driver.lose()
        driver.hear(.limited(until: driver.context.wall + .seconds(40)))
        #expect(driver.ending?.needsNewKey == false && driver.calls.isEmpty && driver.timers.isEmpty)
        driver.send(.retried)
        #expect(driver.state.question?.key == "c1")
    }
}
