// The row of a reply that grows: it counts like any other in memory, and once as unread.

import Testing

@testable import ChatDomain

@Suite("Chat: the rows of replies that grow")
struct ChatGrowingRowTests {
    private typealias Device = Driver<Chat>

    @Test("C21, L8: a reply that begins to grow takes the place of the oldest messages in memory")
    func bounded() {
        let limit = Chat.Conversation.fewestKept
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk) { $0.transcriptLimit = limit }
        driver.send(.shown)
        driver.finishConnecting()
        driver.hearReplies(1...limit)
        driver.serve(from: &disk)
        #expect(driver.heldRows == limit)
        driver.grow("s_new", to: "Part", at: limit + 1)
        #expect(driver.heldRows < limit && driver.texts.last == "Part")
    }

    @Test("C22: a reply that was read while it grew is not unread again with its further text")
    func readWhileItGrows() {
        var driver = Device.connected()
        driver.send(.scrolled(isAtEnd: false))
        driver.grow("s_1", to: "Part")
        #expect(Chat.scroll(driver.state) == .stay(unread: 1))
        driver.send(.scrolled(isAtEnd: true))
        driver.send(.scrolled(isAtEnd: false))
        driver.grow("s_1", to: "Part of it")
        #expect(driver.texts == ["Part of it"] && Chat.scroll(driver.state) == .stay(unread: 0))
        driver.hear(.message(Device.reply("s_1", "Part of it all.", at: 9)))
        #expect(driver.texts == ["Part of it all."] && Chat.scroll(driver.state) == .stay(unread: 0))
    }
}
