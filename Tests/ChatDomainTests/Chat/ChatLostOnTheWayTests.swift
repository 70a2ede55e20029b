// What is lost or late between a device, its disk and a server: files, acknowledgements, connections and answers of
// the disk. Each loss is said once, and nothing fails for it that may still come.

import Testing

@testable import ChatDomain

@Suite("Chat: what is lost on the way")
struct ChatLostOnTheWayTests {
    private typealias Device = Driver<Chat>

    @Test("C14: a message fails when its files are lost and one of them was lost before")
    func filesLost() {
        var driver = Device.uploading()
        driver.finishUpload("a_1")
        driver.finishUpload("a_2")
        driver.save()
        driver.hear(.assetMissing(driver.saidIDs[0], "a_2", reason: "gone"))
        driver.save()
        #expect(driver.uploads.count == 1)
        driver.finishUpload("a_3")
        driver.save()
        driver.advance(by: .seconds(1))
        #expect(driver.said == ["look", "look"])
        driver.hear(.assetMissing(driver.saidIDs[0], nil, reason: "gone"))
        driver.save()
        #expect(driver.statuses == [.failed(.rejected("gone"))] && driver.uploads.isEmpty)
    }

    @Test(
        "C9, C10: a reply that names its question proves that the server has it, without an acknowledgement",
        arguments: [false, true])
    func acknowledgementLost(isGrowing: Bool) throws {
        var driver = Device.connected()
        driver.sayDurably("q1")
        let question = try #require(driver.newestSaidID)
        driver.hear(
            .message(
                IncomingMessage(
                    id: "s_1", role: .assistant, text: "one", time: Device.epoch, isGrowing: isGrowing,
                    question: question)))
        driver.save()
        #expect(driver.statuses[0] == .delivered && driver.queued.isEmpty)
        #expect(!Chat.isSending(driver.state))
        driver.sayDurably("q2")
        #expect(driver.said == ["q1", "q2"])
        driver.acknowledge()
        driver.advance(by: .seconds(36))
        #expect(driver.isConnected && driver.statuses[0] == .delivered)
    }

    @Test("C12, S6: a connection that breaks before the first text of the reply to a retry fails no question")
    func lostBeforeText() throws {
        var disk = Disk<Chat>()
        var driver = Device.broken(&disk)
        try driver.retry(on: &disk)
        driver.acknowledge()
        driver.hear(.message(Device.echo("s_10", "Hello", at: 10)))
        driver.hear(.message(Device.reply("s_11", "", at: 11, isGrowing: true)))
        driver.serve(from: &disk)
        driver.lose()
        driver.serve(from: &disk)
        #expect(driver.shows == ["me: Hello", "coach: Part ! [retry]"])
        #expect(driver.statuses[0] == .delivered)
        driver.reconnect(replaying: [Device.reply("s_11", "whole", at: 11)])
        driver.serve(from: &disk)
        #expect(driver.shows == ["me: Hello", "coach: whole"])
    }

    @Test("C5, C21: a partial on an older page stays in view until a replay could have told it")
    func partialWithoutConnection() {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk) { $0.pageLength = 2 }
        driver.send(.shown)
        driver.finishConnecting()
        driver.grow("s_1", to: "Part", at: 1)
        driver.hearReplies(2...5)
        driver.lose()
        driver.advance(by: .seconds(5))
        // The process ends within a replay that has moved the cursor, and that does not bring the partial.
        driver.hear(.opened)
        driver.hear(.authenticated(replayCount: 9, isTruncated: false, isReset: false))
        driver.hearReplies(2...5)
        driver.serve(from: &disk)
        driver = Device.restored(&disk, seed: 2) { $0.pageLength = 2 }
        #expect(driver.shows == ["coach: r"])
        driver.scrollUp(2, on: &disk)
        #expect(driver.shows.first == "coach: Part !" && driver.rows.count == 5)
        driver.send(.shown)
        driver.finishConnecting()
        #expect(driver.texts == ["r", "r", "r", "r"])
    }

    @Test(
        "C7, L5: a save of the outbox that was said to be late is not said again when the disk refuses it",
        arguments: [false, true])
    func lateRefusal(isConnected: Bool) {
        var driver = isConnected ? Device.connected() : Device.connecting()
        driver.say("a")
        driver.advance(by: Chat.Configuration().storageLimit)
        #expect(driver.state.conversation.banner == .notSaved(.unavailable))
        driver.send(.bannerDismissed)
        driver.answerOutbox(with: .failed(.full))
        #expect(driver.state.conversation.banner == nil)
        #expect(driver.texts == (isConnected ? ["a"] : []) && driver.draft == (isConnected ? "" : "a"))
    }
}
