// What stays when something else changes: the turns beside a deleted message, the file beside a lost one, the cursor
// without a row, the draft beside a deletion.

import Testing

@testable import ChatDomain

@Suite("Chat: what stays when something else changes")
struct ChatLeftoverTests {
    private typealias Device = Driver<Chat>

    @Test("C12, C13: a deleted message that was put off takes no reply from the next one")
    func deletedDeferred() throws {
        var driver = Device.connected()
        driver.sayDurably("A")
        driver.hear(.deferred(driver.saidIDs[0], after: .minutes(5)))
        try driver.delete("A")
        driver.save()
        driver.sayDurably("B")
        driver.hear(.message(Device.reply("s_9", "Hi", at: 9)))
        driver.acknowledge()
        #expect(driver.said == ["A", "B"] && driver.shows == ["me: B", "coach: Hi"] && !driver.isWaiting)
        driver.advance(by: .seconds(121))
        #expect(driver.shows == ["me: B", "coach: Hi"])
    }

    @Test("C14: beside a file that the message carries, a lost one is uploaded once more")
    func lostBesideInline() {
        var driver = Device.connected()
        let image = PickedFile(kind: .image, mimeType: "image/png", name: "b", bytes: [2])
        driver.send(.attachmentPicked(image))
        driver.pick("x", "text/plain", count: 9)
        driver.save()
        driver.say("look")
        driver.save()
        #expect(driver.uploads.count == 1)
        driver.finishUpload("a_1")
        driver.save()
        #expect(driver.said == ["look"] && driver.uploads.isEmpty)
        driver.hear(.assetMissing(driver.saidIDs[0], nil, reason: "gone"))
        driver.save()
        #expect(driver.uploads.count == 1)
        driver.finishUpload("a_2")
        driver.save()
        #expect(driver.said == ["look", "look"])
    }

    @Test("C5, C12: the next launch asks for what came after an empty reply, although that has no row")
    func emptyReply() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.hear(.message(Device.numbered(1)))
        driver.serve(from: &disk)
        driver.hear(.message(Device.reply("s_2", "", at: 2)))
        driver.serve(from: &disk)
        driver = .restored(&disk, seed: 2)
        driver.send(.shown)
        #expect(driver.shows == ["coach: 1"] && driver.cursor == "s_2")
    }

    @Test(
        "C13, L5: a deletion saves the draft again only if a save of it has failed",
        arguments: [false, true])
    func deletionBesideDraft(isFailed: Bool) throws {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk)
        driver.send(.draftEdited("Hello"))
        driver.advance(by: .seconds(5))
        driver.serve(from: &disk)
        driver.send(.sent)
        driver.serve(from: &disk, failing: { isFailed && $0 == Device.draftKey })
        try driver.delete("Hello")
        #expect(driver.draftsToBeSaved == (isFailed ? [""] : []))
    }
}
