// What the server says of a message or its reply when that is over, or before it was sent: nothing changes.

import Testing

@testable import ChatDomain

@Suite("Chat: words that come late or too early")
struct ChatLateWordTests {
    private typealias Device = Driver<Chat>

    @Test("C12: a copy that the server obeys after a retry ends no wait for the reply to the retry")
    func obeyedFormer() throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("Hello", as: "s_1", at: 1, on: &disk)
        driver.hear(.replyFailed(.question(driver.saidIDs[0]), reason: "busy"))
        try driver.retry(on: &disk)
        driver.acknowledge()
        try #require(driver.saidIDs.count == 2 && driver.isWaiting)
        driver.hear(.obeyed(driver.saidIDs[0]))
        #expect(driver.isWaiting && driver.statuses == [.accepted])
        driver.hear(.message(Device.reply("s_9", "Hi", at: 9)))
        driver.serve(from: &disk)
        #expect(driver.shows == ["me: Hello", "coach: Hi"] && !driver.isWaiting)
    }

    @Test("L5, C12: a reply that fails to a message that was never sent leaves the message in the outbox")
    func failedBeforeSent() {
        var driver = Device.connected()
        driver.sayDurably("one")
        driver.sayDurably("two")
        let queued = driver.queued
        driver.hear(.replyFailed(.question(queued.last ?? ""), reason: "busy"))
        #expect(driver.said == ["one"] && driver.queued == queued && driver.texts == ["one", "two"])
        driver.acknowledge()
        driver.save()
        #expect(driver.said == ["one", "two"])
    }

    @Test(
        "C12: a reply that fails after its question is known to be without one changes nothing",
        arguments: [false, true])
    func failedAfterwards(isCommand: Bool) {
        var driver = Device.connected()
        driver.sayDurably("Hello")
        driver.acknowledge()
        if isCommand { driver.hear(.obeyed(driver.saidIDs[0])) } else { driver.advance(by: .seconds(121)) }
        let before = driver.state
        driver.hear(.replyFailed(.question(driver.saidIDs[0]), reason: "busy"))
        #expect(driver.state == before && driver.shows == ["me: Hello" + (isCommand ? "" : " ! [retry]")])
    }

    @Test("C12, C5: a question that a reset has withdrawn waits no longer when its reply fails")
    func withdrawnFails() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("Hello", as: "s_1", at: 1, on: &disk)
        driver.loseAndReconnect(isReset: true)
        #expect(driver.shows == [] && driver.isWaiting)
        driver.hear(.replyFailed(.question(driver.saidIDs[0]), reason: "busy"))
        #expect(!driver.isWaiting && driver.stuckSpinner == nil)
        #expect(!driver.isRunning(.replyLimit(.written(driver.saidIDs[0]), in: .main)))
    }
}
