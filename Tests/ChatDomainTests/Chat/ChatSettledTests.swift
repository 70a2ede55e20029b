// What is settled stays settled: the uploads of a file are counted over a relaunch, consent to an old message ends
// with the sign-out, and a file that was taken out brings no notice.

import ChatDomain
import Testing

@Suite("Chat: what a relaunch, a sign-out or a removal leaves")
struct ChatSettledTests {
    private typealias Device = Driver<Chat>

    @Test("C14: a file that the server has lost before a relaunch is uploaded once more in all")
    func lostBeforeRelaunch() {
        var disk = Disk<Chat>()
        var driver = Device.withUploadedFile(&disk)
        driver.hear(.assetMissing(driver.saidIDs[0], "a_1", reason: "gone"))
        // Another message saves the outbox during the second upload.
        driver.say("next")
        driver.serve(from: &disk)
        driver = .relaunched(&disk)
        #expect(driver.uploads.count == 1 && driver.said.isEmpty)
        driver.finishUpload("a_2")
        driver.serve(from: &disk)
        driver.hear(.assetMissing(driver.saidIDs[0], "a_2", reason: "gone"))
        driver.serve(from: &disk)
        #expect(driver.uploads.isEmpty && driver.shows == ["me: look ! [retry]", "me: next"])
    }

    @Test("C14, L4: a file that is taken out while a slow disk saves it brings no notice")
    func removedFromSlowDisk() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        func isFile(_ key: Chat.Key) -> Bool { if case .attachment = key { true } else { false } }
        driver.pick("a", "image/png", count: 1)
        driver.serve(from: &disk, but: isFile)
        #expect(driver.storage.count == 1)
        for file in Chat.composer(driver.state).attachments { driver.send(.attachmentRemoved(file.id)) }
        driver.advance(by: .seconds(1))
        driver.serve(from: &disk, but: isFile)
        driver.advance(by: .seconds(9))
        #expect(driver.state.conversation.banner == nil)
        driver.serve(from: &disk)
        #expect(!disk.hasFile && driver.state.conversation.banner == nil)
    }

    @Test("L5, P10: an old message that was approved and did not go asks again after the next sign-in")
    func approvedBeforeSignOut() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.lose(.failed(.offline))
        driver.say("old")
        driver.serve(from: &disk)
        driver.advance(by: .hours(13))
        driver.send(.networkChanged(isUp: true))
        driver.reconnect()
        driver.serve(from: &disk)
        #expect(driver.rows.map { $0.offer } == [.consent])
        driver.send(.heldApproved(driver.queued[0]))
        // The disk is silent, so it has not gone yet.
        driver.send(.signedOut)
        driver.advance(by: .hours(48))
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk)
        driver.finishConnecting()
        driver.serve(from: &disk)
        #expect(driver.said.isEmpty && driver.rows.map { $0.offer } == [.consent])
        driver.send(.heldApproved(driver.queued[0]))
        driver.serve(from: &disk)
        #expect(driver.said == ["old"])
    }
}
