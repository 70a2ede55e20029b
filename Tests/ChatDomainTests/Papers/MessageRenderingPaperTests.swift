// What the design of messages that come in numbered parts promises its users, as far as it is not about drawing or
// bytes: on virtual time. Such messages come over a socket.

import ChatDomain
import Testing

@Suite("Design: streaming message rendering")
struct MessageRenderingPaperTests {
    private typealias Device = Driver<Chat>

    private func parts(_ texts: [ExactText]) -> Device {
        var driver = Device.connected()
        driver.hear(.began("msg-2", in: .main))
        for (index, text) in texts.enumerated() {
            driver.hear(.chunk("msg-2", index: Int64(index), text, isFinal: false))
        }
        return driver
    }

    @Test("Task 1: every part reaches the reply")
    func everyPart() {
        var driver = parts(["Hello ", "there", "!"])
        driver.advance(by: .milliseconds(100))
        #expect(driver.texts == ["Hello there!"])
    }

    @Test("Task 2: what has come is accumulated under the message's id")
    func accumulates() {
        var driver = parts(["Hello ", "there"])
        driver.advance(by: .milliseconds(75))
        #expect(driver.rows.map { $0.id } == [.received("msg-2")] && driver.texts == ["Hello there"])
    }

    @Test("Task 2: the final part ends the streaming; the full message that follows is the same one")
    func final() {
        var driver = parts(["Hello ", "there"])
        driver.hear(.chunk("msg-2", index: 2, "!", isFinal: true))
        #expect(driver.texts == ["Hello there!"] && !driver.rows[0].isGrowing)
        driver.hear(.message(Device.reply("msg-2", "Hello there!", at: 2)))
        #expect(driver.texts == ["Hello there!"] && driver.rows[0].id == .received("msg-2"))
    }

    @Test("Task 3: while it streams there is a mark for that, and none of sending or failure")
    func marks() {
        var driver = parts(["Hello"])
        driver.advance(by: .milliseconds(75))
        #expect(driver.rows[0].isGrowing && !Chat.isTyping(driver.state))
        #expect(driver.rows[0].note == nil && driver.rows[0].offer == .stop)
    }

    @Test("Task 4: the text in view changes with the parts, so that a view can follow its end")
    func follows() {
        var driver = Device.connected()
        var lengths: [Int] = []
        for index in 0..<5 as Range<Int64> {
            driver.hear(.chunk("msg-2", index: index, "word ", isFinal: false))
            driver.advance(by: .milliseconds(100))
            lengths.append(driver.texts[0].utf8.count)
        }
        #expect(lengths == [5, 10, 15, 20, 25])
    }

    @Test("Criteria: parts after the final one and after the full message change nothing")
    func afterwards() {
        var driver = parts(["Hello"])
        driver.hear(.message(Device.reply("msg-2", "Hello there!", at: 2)))
        let before = driver.state
        #expect(driver.hear(.chunk("msg-2", index: 1, "late", isFinal: true)).isEmpty)
        #expect(driver.state == before && driver.texts == ["Hello there!"])
    }
}
