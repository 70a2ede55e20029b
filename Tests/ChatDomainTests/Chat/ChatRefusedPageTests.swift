// Pages that the disk does not take: what leaves memory meanwhile, and what a sign-out then stores.

import Testing

@testable import ChatDomain

@Suite("Chat: pages that the disk does not take")
struct ChatRefusedPageTests {
    private typealias Device = Driver<Chat>

    @Test("L5, L8, C17: a reply that grows keeps its place above all that a silent disk makes room for")
    func growing() {
        let limit = Chat.Conversation.fewestKept
        var driver = Device.connected { $0.transcriptLimit = limit }
        driver.grow("s_0", to: "Part", at: 0)
        driver.hearReplies(1...limit + 50)
        #expect(driver.texts.first == "Part" && driver.heldRows <= limit + 1)
        driver.grow("s_0", to: "Part of it", at: 0)
        #expect(driver.texts.first == "Part of it" && driver.texts.last == "r")
    }

    @Test(
        "L8, C21: a page that leaves memory during its save keeps its number until the disk has answered",
        arguments: [false, true])
    func number(isStored: Bool) {
        var table = PageTable(length: 2)
        table.restored(nil)
        for row in 0..<6 as Range<Int64> { table.appended(row) }
        table.beganSaving(0)
        table.work = .savingPage(0, cursor: nil)
        table.forgetOldest()
        #expect(table.ordinals(of: 1, end: 6) == 2..<4 && table.dirty.numbers == [1, 2])
        table.work = .none
        if isStored { _ = table.contents(after: 0) } else { table.notSaved(0) }
        let next: Int64 = isStored ? 1 : 0
        #expect(table.ordinals(of: next, end: 6) == 2..<4 && table.dirty.numbers == [next, next + 1])
        #expect(table.previousPage == (isStored ? 0 : nil))
    }

    @Test("C5, P10: a sign-out on a disk that has refused a page names no page that is not there")
    func signOut() {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk) { $0.pageLength = 2 }
        driver.send(.shown)
        driver.finishConnecting()
        driver.hearReplies(1...2)
        driver.serve(from: &disk)
        driver.hearReplies(3...6)
        driver.serve(from: &disk, failing: { $0 == Device.pageKey(1) }, with: .full)
        driver.send(.signedOut)
        driver.serve(from: &disk, failing: { $0 == Device.pageKey(1) }, with: .full)
        driver = Device.restored(&disk, seed: 2) { $0.pageLength = 2 }
        driver.send(.shown)
        #expect(driver.state.conversation.banner == nil && driver.rows.count == 2)
        #expect(driver.askedCursor == "s_2")
    }

    @Test("C5: a page stored after a first reset does not come back with a second")
    func secondReset() {
        var disk = Disk<Chat>()
        var driver = Device.connected()
        driver.hear(.message(Device.reply("s_1", "one", at: 1)))
        driver.lose()
        while driver.calls.isEmpty, let next = driver.remaining(.reconnect) { driver.advance(by: next) }
        driver.hear(.opened)
        driver.hear(.authenticated(replayCount: 1, isTruncated: false, isReset: true))
        driver.serve(from: &disk)  // the page whose save began before the reset
        driver.loseAndReconnect(isReset: true)
        driver.serve(from: &disk)
        #expect(driver.texts.isEmpty && Device.restored(&disk, seed: 2).texts.isEmpty)
    }
}
