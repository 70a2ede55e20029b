// What the design of streamed smart replies promises its users, as far as it is not about drawing or bytes: on virtual
// time.

@testable import ChatDomain
import Testing

@Suite("Design: smart replies")
struct SmartRepliesPaperTests {
    @Test("Functional: a suggestion streams into view, each piece within 100 ms of its arrival")
    func streams() {
        var driver = SmartRepliesDriver.asked()
        var arrived = ""
        for word in ["See", " you", " at", " eight"] {
            driver.hear(.token(ExactText(word)))
            arrived += word
            driver.advance(by: .milliseconds(100))
            #expect(driver.panel.bubble?.text.string == arrived)
        }
    }

    @Test("Functional: the progress indicator shows while it streams and not after")
    func progress() {
        var driver = SmartRepliesDriver.asked()
        #expect(driver.panel.bubble?.isRunning == true && driver.panel.bubble?.isTyping == true)
        driver.hear(.token("x"))
        driver.hear(.done(nil, nil))
        #expect(driver.panel.bubble == nil && driver.panel.selected == LongText("x"))
    }

    @Test("Functional: the other buttons are disabled while it streams")
    func disabled() {
        #expect(SmartRepliesDriver.asked().enabled == 0)
    }

    @Test("Functional: a different kind cancels the stream before it")
    func differentKind() {
        var driver = SmartRepliesDriver.asked(.short)
        let first = driver.calls.last?.call
        driver.send(.requested(.professional, SmartRepliesDriver.target))
        #expect(driver.calls.count == 1 && driver.calls.last?.call != first)
    }

    @Test("Edge case: a connection that drops falls back to the whole form, before and after text")
    func drop() {
        for hasText in [false, true] {
            var driver = SmartRepliesDriver.asked()
            if hasText { driver.hear(.token("Su")) }
            driver.lose()
            #expect(driver.isRunning(.fallback))
            driver.hear(.whole("Sure", nil, nil))
            #expect(driver.selected == "Sure")
        }
    }

    @Test("Edge case: the background cancels the stream, and no fallback follows")
    func background() {
        var driver = SmartRepliesDriver.asked()
        driver.hear(.token("Su"))
        driver.send(.backgrounded)
        driver.advance(by: .seconds(60))
        #expect(driver.calls.isEmpty && driver.panel.bubble == nil && driver.selected == nil)
    }

    @Test("Edge case: dismissing while it streams cancels it, and late pieces change nothing")
    func dismiss() throws {
        var driver = SmartRepliesDriver.asked()
        let call = try #require(driver.calls.last?.call)
        driver.send(.dismissed)
        #expect(driver.send(.received(.token("late"), on: call)).isEmpty)
        #expect(driver.send(.received(.done(nil, nil), on: call)).isEmpty)
        #expect(driver.selected == nil && driver.calls.isEmpty && driver.timers.isEmpty)
    }

    @Test("Edge case: a slow connection times out after 30 s and falls back")
    func slow() {
        var driver = SmartRepliesDriver.asked()
        driver.advance(by: .seconds(30))
        #expect(driver.isRunning(.fallback) && driver.calls.count == 1)
        driver.hear(.whole("Sure", nil, nil))
        #expect(driver.selected == "Sure")
    }

    @Test("Edge case: many requests in a row leave one stream, the last")
    func rapid() {
        var driver = SmartRepliesDriver.ready()
        for index in 0..<40 {
            driver.send(.requested(SmartReplies.Kind.shipped[index % 4], SmartRepliesDriver.target))
        }
        #expect(driver.calls.count == 1 && driver.askedKind == .funny)
    }

    @Test("Edge case: characters that come in pieces are whole in the end")
    func unicode() {
        var driver = SmartRepliesDriver.asked()
        for scalar in "👩🏽‍🚀e\u{301}".unicodeScalars { driver.hear(.token(ExactText(String(scalar)))) }
        driver.hear(.done(nil, nil))
        #expect(driver.selected.map { ExactText($0) } == "👩🏽‍🚀e\u{301}")
    }

    @Test("Edge case: the final result is cached, and shown the next time without a call")
    func cached() {
        var driver = SmartRepliesDriver.ready()
        driver.suggest("Sure")
        driver.send(.taken)
        driver.send(.requested(.short, SmartRepliesDriver.target))
        #expect(driver.selected == "Sure" && driver.calls.isEmpty)
    }

    @Test("Related: a tap is felt for each visible update")
    func haptic() {
        var driver = SmartRepliesDriver.asked()
        driver.hear(.token("a"))
        driver.hear(.token("b"))
        driver.advance(by: .milliseconds(75))
        #expect(driver.haptics == 1)
    }

    @Test("Performance: a hundred cancelled streams leave nothing behind")
    func noLeaks() {
        var driver = SmartRepliesDriver.ready()
        for _ in 0..<100 {
            driver.send(.requested(.short, SmartRepliesDriver.target))
            driver.hear(.token("x"))
            driver.send(.dismissed)
        }
        #expect(driver.calls.isEmpty && driver.timers.isEmpty)
        #expect(driver.state.reply.phase == .idle && driver.state.cache.count == 0)
    }
}
