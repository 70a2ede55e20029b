// What a message does when it goes out once more: to its timers, to the uploads of others, to the files that a
// retry needs, and to the conversation that still waits for its answer.

import Testing

@testable import ChatDomain

@Suite("Chat: a second time, beside others")
struct ChatBesideOthersTests {
    private typealias Device = Driver<Chat>

    @Test("C9, C11: a slow message that is put off has all of its time when it is sent again")
    func slowAndDeferred() {
        var driver = Device.connected()
        driver.sayDurably("a")
        driver.advance(by: .seconds(34))
        #expect(driver.statuses == [.slow])
        driver.hear(.deferred(driver.saidIDs[0]))
        driver.advance(by: .seconds(1))
        #expect(driver.said == ["a", "a"])
        // 35 s after the first send the connection would be lost, and the message would go once more.
        driver.advance(by: .seconds(30))
        #expect(driver.isConnected && driver.statuses == [.slow])
        driver.acknowledge()
        #expect(driver.said == ["a", "a"] && driver.statuses == [.accepted])
    }

    @Test("C14, C8: a retry of a failed upload also starts the upload that the network broke ahead of it")
    func retryBesideBroken() throws {
        var driver = Device.connected()
        for text in ["first", "second"] as [ExactText] {
            driver.pick(text, "text/plain", count: 9)
            driver.save()
            driver.sayDurably(text)
        }
        let failing = try #require(driver.uploads.first)
        driver.end(failing, .refused(status: 500, retryAfter: nil, message: ""))
        driver.save()
        let breaking = try #require(driver.uploads.first)
        driver.end(breaking, .failed(.lost))
        #expect(driver.uploads.isEmpty)
        let failed = try #require(driver.rows.first { $0.offer == .retry })
        driver.send(.retried(failed.id))
        driver.save()
        #expect(driver.uploads.count == 1 && driver.stuckSpinner == nil)
        for asset in ["a_2", "a_1"] as [AssetID] {
            driver.finishUpload(asset)
            driver.save()
            driver.acknowledge()
            driver.save()
        }
        #expect(driver.said == ["second", "first"])
    }

    @Test("C13: a second tap on “save” sends nothing again, also while the page of the message is not loaded")
    func savedTwice() {
        var disk = Disk<Chat>()
        disk[Device.outboxKey] = .outbox([
            OutboxEntry(key: "c_1", text: "Hi", written: Device.fresh().context.wall, wasSent: true)
        ])
        var driver = Device.fresh()
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk) { $0 == Device.contentsKey }
        for _ in 0..<2 { driver.send(.messageEdited("c_1", "Hello")) }
        #expect(driver.texts == ["Hi", "Hello"] && driver.queued.count == 2)
        driver.serve(from: &disk)
        driver.send(.shown)
        driver.finishConnecting()
        for _ in 0..<2 {
            driver.acknowledge()
            driver.serve(from: &disk)
        }
        #expect(driver.said == ["Hi", "Hello"])
    }

    @Test("C12, C14: a reply that a lost connection ends before its first text leaves the file for the retry")
    func lostWithoutText() throws {
        var disk = Disk<Chat>()
        var driver = Device.withUploadedFile(&disk)
        driver.acknowledge()
        driver.grow("s_9", to: "")
        driver.lose()
        driver.serve(from: &disk)
        #expect(disk.hasFile)
        driver.reconnect()
        driver.serve(from: &disk)
        try driver.retry(on: &disk)
        // The server has lost the file, too, so its bytes go up once more.
        driver.hear(.assetMissing(driver.saidIDs[1], "a_1", reason: "gone"))
        driver.serve(from: &disk)
        #expect(driver.uploads.count == 1 && disk.hasFile)
        driver.finishUpload("a_2")
        driver.serve(from: &disk)
        driver.acknowledge()
        driver.grow("s_12", to: "A cat", at: 12)
        driver.serve(from: &disk)
        #expect(driver.said == ["look", "look", "look"] && !disk.hasFile)
    }

    @Test("L8, C13: a closed conversation makes room once the answer to its deleted message is here")
    func roomAfterAnswer() throws {
        var driver = Device.connected { $0.conversationLimit = 2 }
        let work = driver.create("Work")
        driver.save()
        driver.sayDurably("b")
        try driver.delete("b")
        driver.save()
        driver.send(.conversationClosed(work))
        driver.save()
        driver.create("Play")
        #expect(driver.titles == ["Chat"] && driver.state.conversation.banner == .tooManyConversations)
        driver.acknowledge()
        driver.save()
        driver.create("Play")
        #expect(driver.titles == ["Chat", "Play"])
    }
}
