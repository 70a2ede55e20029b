// The tasks and success criteria of the paper on rendering messages that come in numbered parts, as far as
// they are not about drawing or bytes: on virtual time.

import ChatDomain
import Testing

@Suite("Paper: streaming message rendering")
struct MessageRenderingPaperTests {
    private func parts(_ texts: [ExactText]) -> StreamingDriver {
        var driver = StreamingDriver.asked()
        driver.hear(.began("msg-2"))
        for (index, text) in texts.enumerated() {
            driver.hear(.chunk(Int64(index), text, isFinal: false))
        }
        return driver
    }

    @Test("Task 1: every part reaches the reply")
    func everyPart() {
        let driver = parts(["Hello ", "there", "!"])
        #expect(driver.state.measures.tokens == 3 && driver.state.isRunning)
    }

    @Test("Task 2: what has come is accumulated under the message's id")
    func accumulates() {
        var driver = parts(["Hello ", "there"])
        driver.advance(by: .milliseconds(75))
        #expect(driver.text == "Hello there")
        guard case .streaming(let asking, _) = driver.state.phase else {
            Issue.record("not streaming")
            return
        }
        #expect(asking.id == "msg-2")
    }

    @Test("Task 2: the final part ends the streaming; the full message that follows is the same one")
    func final() {
        var driver = parts(["Hello ", "there"])
        driver.hear(.chunk(2, "!", isFinal: true))
        #expect(driver.finished?.id == "msg-2" && driver.text == "Hello there!")
        #expect(!driver.state.isRunning && driver.timers.isEmpty)
        driver.send(.messageArrived("msg-2", "Hello there!"))
        #expect(driver.finished?.id == "msg-2" && driver.text == "Hello there!")
    }

    @Test("Task 3: while it streams there is a mark for that, and none of sending or failure")
    func marks() {
        var driver = parts(["Hello"])
        driver.advance(by: .milliseconds(75))
        #expect(driver.bubble?.isRunning == true && driver.bubble?.isTyping == false)
        #expect(driver.bubble?.note == nil && driver.bubble?.retry == nil)
    }

    @Test("Task 4: the text in view changes with the parts, so that a view can follow its end")
    func follows() {
        var driver = StreamingDriver.asked()
        var lengths: [Int64] = []
        for index in 0..<5 as Range<Int64> {
            driver.hear(.chunk(index, "word ", isFinal: false))
            driver.advance(by: .milliseconds(100))
            lengths.append(driver.bubble?.text.byteCount ?? 0)
        }
        #expect(lengths == [5, 10, 15, 20, 25])
    }

    @Test("Criteria: parts after the final one and after the full message change nothing")
    func afterwards() throws {
        var driver = parts(["Hello"])
        let call = try #require(driver.calls.last?.call)
        driver.send(.messageArrived("msg-2", "Hello there!"))
        let before = driver.state
        #expect(driver.send(.received(.chunk(1, "late", isFinal: true), on: call)).isEmpty)
        #expect(driver.state == before && driver.text == "Hello there!")
    }
}
