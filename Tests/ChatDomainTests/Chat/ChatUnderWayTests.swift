// What happens to what is under way: a reply that is deleted while it grows, an upload beside another that
// breaks off, a connection that is confirmed again, and a reply whose conversation only its turn tells.

import Testing

@testable import ChatDomain

@Suite("Chat: changes to what is under way")
struct ChatUnderWayTests {
    private typealias Device = Driver<Chat>

    @Test("C13, C18, C20: a reply that is deleted while it grows is stopped at the server, and nothing waits")
    func deletedWhileGrowing() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("Hello", as: "s_1", at: 1, on: &disk)
        driver.grow("s_9", to: "Part")
        driver.hear(.typing(isActive: true, at: nil, in: nil))
        driver.send(.deleted(.received("s_9")))
        #expect(driver.stops == [.stop(.reply("s_9"), in: .main)])
        #expect(driver.shows == ["me: Hello"] && !driver.isWaiting)
        driver.grow("s_9", to: "Part and more")
        #expect(driver.shows == ["me: Hello"] && !driver.isWaiting)
    }

    @Test(
        "C14: a message whose files go again shows the upload that runs, and that it waits when none does",
        arguments: [false, true])
    func brokenBesideAnother(succeeds: Bool) throws {
        var driver = Device.uploading()
        driver.finishUpload("a_1")
        driver.finishUpload("a_2")
        driver.save()
        driver.hear(.assetMissing(try #require(driver.saidIDs.first), nil, reason: "gone"))
        driver.save()
        try #require(driver.uploads.count == 2)
        driver.end(driver.uploads[0], .failed(.lost))
        #expect(driver.statuses == [.uploading(percent: 0)])
        if succeeds { driver.finishUpload("a_4") } else { driver.end(driver.uploads[0], .failed(.lost)) }
        #expect(driver.statuses == [.queued])
    }

    @Test(
        "C5, S12: a second confirmation on one connection withdraws nothing, during the replay and after it",
        arguments: [1, 2] as [Int64])
    func confirmedAgain(count: Int64) {
        var driver = Device.connecting()
        driver.hear(.opened)
        driver.hear(.authenticated(replayCount: count, isTruncated: false, isReset: true))
        driver.hear(.message(Device.reply("s_1", "One", at: 1)))
        driver.hear(.authenticated(replayCount: 1, isTruncated: false, isReset: true))
        driver.hear(.message(Device.reply("s_2", "Two", at: 2)))
        #expect(driver.texts == ["One", "Two"] && driver.isConnected && driver.stuckSpinner == nil)
    }

    @Test("C19, S15: the late text of a reply that failed without any is shown where its question was asked")
    func lateInSecondConversation() {
        var driver = Device.connected()
        driver.create("Work")
        driver.sayDurably("Hello")
        driver.acknowledge()
        driver.hear(.replyFailed(.reply("s_9"), reason: "busy"))
        #expect(driver.rows.map { $0.note != nil } == [true])
        driver.hear(.message(Device.reply("s_9", "Hi", at: 9, in: nil)))
        #expect(driver.shows == ["me: Hello", "coach: Hi"])
        driver.send(.conversationSwitched(to: .main))
        #expect(driver.texts.isEmpty)
    }
}
