// What the composer and the rows of the person do where a limit, a wait or a sign-out is in the way.

import Testing

@testable import ChatDomain

@Suite("Chat: what is refused, held or sent once more")
struct ChatSendingAgainTests {
    private typealias Device = Driver<Chat>

    /// A stored message that is older than 12 hours.
    private static func entry(
        _ key: ClientID, _ text: ExactText, wasSent: Bool = false, files: [Chat.Attachment] = []
    ) -> OutboxEntry {
        OutboxEntry(
            key: key, text: text, written: WallTime(millisecondsSince1970: 900_000_000), wasSent: wasSent,
            attachments: files)
    }

    @Test("C12, L8: a retry that finds a full outbox is refused, and says so")
    func retryWithoutRoom() {
        var driver = Device.connected { $0.outboxLimit = 1 }
        driver.sayDurably("a")
        driver.hear(.rejected(driver.saidIDs[0], reason: "No."))
        driver.save()
        driver.lose()
        driver.sayDurably("b")
        driver.send(.retried(driver.rows[0].id))
        driver.save()
        #expect(driver.state.conversation.banner == .outboxFull)
        #expect(driver.statuses == [.failed(.rejected("No.")), .queued] && driver.queued.count == 1)
    }

    @Test("C8: the consent to send another message sends no old one")
    func otherApproved() {
        var disk = Disk<Chat>()
        disk[Device.outboxKey] = .outbox([Self.entry("c_1", "old"), Self.entry("c_2", "next")])
        var driver = Device.connected(&disk)
        driver.serve(from: &disk)
        driver.send(.heldApproved("c_2"))
        driver.serve(from: &disk)
        #expect(driver.said.isEmpty && driver.rows.first?.offer == .consent)
        driver.send(.heldApproved("c_1"))
        driver.serve(from: &disk)
        #expect(driver.said == ["old"])
    }

    @Test("C7: sending clears the error that is shown")
    func errorCleared() {
        var driver = Device.connected()
        driver.hear(.failed("Out of order."))
        #expect(driver.state.conversation.banner == .serverError("Out of order."))
        driver.say("a")
        #expect(driver.state.conversation.banner == nil)
    }

    @Test("C13: a message whose page is not loaded is not edited into an empty one", arguments: ["", " \n"])
    func blankEdit(text: String) {
        var disk = Disk<Chat>()
        disk[Device.outboxKey] = .outbox([Self.entry("c_1", "Hi", wasSent: true)])
        var driver = Device.fresh()
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk) { $0 == Device.contentsKey }
        driver.send(.messageEdited("c_1", ExactText(text)))
        #expect(driver.texts == ["Hi"] && driver.queued == ["c_1"])
    }

    @Test("L1, P10: nothing is typed before anybody is signed in")
    func typedSignedOut() {
        var driver = Device.fresh()
        #expect(driver.send(.draftEdited("x")).isEmpty && driver.draft.isEmpty)
        driver.send(.signedIn(Device.account))
        driver.save()
        driver.send(.signedOut)
        #expect(driver.send(.draftEdited("x")).isEmpty && driver.draft.isEmpty)
    }

    // MARK: Files

    @Test("C14, L5: a file that was taken out of the composer does not come back with the next launch")
    func removedFile() throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.pick("f", "text/plain", count: 1)
        driver.serve(from: &disk)
        driver.send(.attachmentRemoved(try #require(Chat.composer(driver.state).attachments.first).id))
        driver.advance(by: .seconds(1))
        driver.serve(from: &disk)
        #expect(Chat.composer(Device.restored(&disk, seed: 2).state).attachments.isEmpty && !disk.hasFile)
    }

    @Test("C14, L3: a file that goes up again, and whose upload the network breaks off, looks no longer busy")
    func brokenWhileUploadingAgain() {
        var driver = Device.connected()
        driver.pick("x", "text/plain", count: 9)
        driver.save()
        driver.sayDurably("look")
        driver.finishUpload("a_1")
        driver.save()
        driver.hear(.assetMissing(driver.saidIDs[0], "a_1", reason: "gone"))
        #expect(driver.statuses == [.uploading(percent: 0)])
        driver.end(driver.uploads[0], .failed(.lost))
        #expect(driver.statuses == [.queued] && driver.stuckSpinner == nil)
    }

    @Test("C14: a failed upload that the person tries again begins at once, also on a silent disk")
    func uploadAgainAtOnce() {
        var driver = Device.uploading()
        driver.end(driver.uploads[0], .refused(status: 500, retryAfter: nil, message: ""))
        driver.save()
        driver.finishUpload("a_2")
        driver.save()
        driver.send(.retried(driver.rows[0].id))
        #expect(driver.uploads.count == 1 && driver.statuses == [.uploading(percent: 50)])
    }

    @Test("C13, C14: the file of an old message that is edited goes up at once, also on a silent disk")
    func uploadEditedAtOnce() {
        var disk = Disk<Chat>()
        let file = Chat.Attachment(
            id: "f_1", owner: "kay", kind: .document, mimeType: "text/plain", name: "x", byteCount: 9,
            source: .file(.waiting))
        disk[Device.outboxKey] = .outbox([Self.entry("c_1", "old", files: [file])])
        var driver = Device.connected(&disk)
        driver.serve(from: &disk)
        #expect(driver.uploads.isEmpty && driver.rows.first?.offer == .consent)
        driver.send(.messageEdited("c_1", "new"))
        #expect(driver.uploads.count == 1 && driver.texts == ["new"])
    }

    @Test("L4, P10: no timer of a file that is being copied outlives the sign-out")
    func copyingAtSignOut() {
        var driver = Device.connected()
        driver.pick("f", "text/plain", count: 1)
        driver.send(.signedOut)
        #expect(driver.timers.isEmpty)
    }
}
