// The files of a question whose answer fails, is lost or is stopped; and a file that the server has lost.

import Testing

@testable import ChatDomain

@Suite("Situations: files and answers")
struct FileSituations {
    private typealias Device = Driver<Chat>

    /// “look” is with the server, with a picture.
    private func asked(_ disk: inout Disk<Chat>) -> Device {
        var driver = Device.connected(&disk)
        driver.send(
            .attachmentPicked(PickedFile(kind: .image, mimeType: "image/png", name: "a", bytes: [1])))
        driver.serve(from: &disk)
        driver.ask("look", as: "s_1", at: 1, on: &disk)
        return driver
    }

    /// “look” waits for the upload of its file.
    private func uploading(_ disk: inout Disk<Chat>) -> Device {
        var driver = Device.connected(&disk)
        driver.pick("a", "text/plain", count: 1)
        driver.serve(from: &disk)
        driver.say("look")
        driver.serve(from: &disk)
        return driver
    }

    /// How a reply ends without text.
    enum Failure: CaseIterable { case empty, blank, named, questionNamed }

    @Test("C12, C14: a reply without text leaves the files for the retry", arguments: Failure.allCases)
    func failed(failure: Failure) throws {
        var disk = Disk<Chat>()
        var driver = asked(&disk)
        let text: ExactText = failure == .blank ? "\n" : ""
        if failure != .empty {
            driver.grow("s_9", to: text)
            driver.serve(from: &disk)
        }
        switch failure {
        case .empty, .blank: driver.hear(.message(Device.reply("s_9", text, at: 9)))
        case .named: driver.hear(.replyFailed(.reply("s_9"), reason: "busy"))
        case .questionNamed: driver.hear(.replyFailed(.question(driver.saidIDs[0]), reason: "busy"))
        }
        driver.serve(from: &disk)
        #expect(driver.shows == ["me: look ! [retry]"] && disk.hasFile)
        try driver.retry(on: &disk)
        driver.acknowledge()
        driver.grow("s_12", to: "A cat", at: 12)
        driver.serve(from: &disk)
        #expect(driver.said == ["look", "look"] && !disk.hasFile)
    }

    @Test(
        "C14, L8: the files go with the text of the reply, or when it is stopped", arguments: [false, true])
    func released(isStopped: Bool) {
        var disk = Disk<Chat>()
        var driver = asked(&disk)
        driver.hear(.message(Device.reply("s_9", "", at: 9, isGrowing: true)))
        driver.serve(from: &disk)
        #expect(disk.hasFile)
        if isStopped { driver.send(.waitingStopped) } else { driver.grow("s_9", to: "A c") }
        driver.serve(from: &disk)
        #expect(!disk.hasFile && driver.rows[0].note == nil)
    }

    @Test("C12, C14: a question whose picture is gone and whose reply is lost with the process says so")
    func lostWithProcess() {
        var disk = Disk<Chat>()
        var driver = asked(&disk)
        driver.grow("s_9", to: "A c")
        driver.serve(from: &disk)
        driver.lose()
        driver.serve(from: &disk)
        driver = .relaunched(&disk)
        #expect(driver.shows == ["me: look !"] && driver.note("look") == Wording.neutral.fileMissing.string)
    }

    @Test(
        "C12, C14: a reply lost before its first text can be asked for again, with the picture",
        arguments: [false, true])
    func lostBeforeText(isRelaunch: Bool) throws {
        var disk = Disk<Chat>()
        var driver = asked(&disk)
        driver.grow("s_9", to: "")
        driver.lose()
        driver.serve(from: &disk)
        if isRelaunch { driver = .relaunched(&disk) } else { driver.reconnect() }
        driver.serve(from: &disk)
        #expect(disk.hasFile)
        try driver.retry(on: &disk)
        #expect(driver.said.last == "look" && driver.sentAttachments.last?.count == 1)
        driver.acknowledge()
        driver.grow("s_12", to: "A cat", at: 12)
        driver.serve(from: &disk)
        #expect(!disk.hasFile)
    }

    @Test(
        "C12, C14: a question whose picture is gone and whose reply moves to the nearest question says so at once"
    )
    func overtaken() {
        var disk = Disk<Chat>()
        var driver = asked(&disk)
        driver.ask("Still there?", as: "s_2", at: 2, on: &disk)
        driver.hear(.message(Device.reply("s_9", "Yes", at: 9)))
        driver.serve(from: &disk)
        #expect(!disk.hasFile)
        driver.advance(by: .seconds(121))
        driver.serve(from: &disk)
        let shows = ["me: look !", "me: Still there?", "coach: Yes"]
        #expect(driver.shows == shows && driver.note("look") == Wording.neutral.fileMissing.string)
        driver = .relaunched(&disk)
        #expect(driver.shows == shows && !driver.isWaiting)
    }

    @Test("L3, C14: nothing turns when a file that the server has lost cannot be uploaded again")
    func assetLost() {
        var disk = Disk<Chat>()
        var driver = uploading(&disk)
        driver.finishUpload("a_1")
        driver.serve(from: &disk)
        #expect(driver.said == ["look"])
        driver.hear(.assetMissing(driver.saidIDs[0], "a_1", reason: "gone"))
        driver.serve(from: &disk)
        driver.end(driver.uploads[0], .refused(status: 413, retryAfter: nil, message: "too large"))
        driver.serve(from: &disk)
        #expect(driver.shows == ["me: look ! [retry]"] && !driver.isWaiting)
    }

    @Test(
        "L5, C14: a message goes again with its lost file although an unasked reply has grown meanwhile",
        arguments: [false, true])
    func assetLostBesideReply(isBroken: Bool) {
        var disk = Disk<Chat>()
        var driver = uploading(&disk)
        driver.finishUpload("a_1")
        driver.serve(from: &disk)
        driver.grow("s_9", to: "News")
        if isBroken { driver.hear(.replyFailed(.reply("s_9"), reason: "busy")) }
        driver.hear(.assetMissing(driver.saidIDs[0], "a_1", reason: "gone"))
        driver.hear(.message(Device.reply("s_9", "News!", at: 9)))
        driver.serve(from: &disk)
        #expect(disk.hasFile && driver.uploads.count == 1 && driver.outbox(on: disk).count == 1)
        driver.finishUpload("a_2")
        driver.serve(from: &disk)
        #expect(driver.said == ["look", "look"])
        driver.acknowledge()
        #expect(driver.statuses.contains(.accepted))
    }

    @Test("L5, C10, C11: a message that was put off goes again although an unasked reply has grown meanwhile")
    func deferredBesideReply() {
        var driver = Device.connected { $0.sending = Throttle.Configuration(limit: 1, window: .seconds(10)) }
        driver.sayDurably("a")
        driver.grow("s_9", to: "News")
        driver.hear(.deferred(driver.saidIDs[0]))
        driver.advance(by: .seconds(1))
        driver.hear(.message(Device.reply("s_9", "News!", at: 9)))
        driver.save()
        driver.advance(by: .seconds(10))
        #expect(driver.said == ["a", "a"])
        driver.acknowledge()
        #expect(driver.statuses.contains(.accepted))
    }

    @Test("C12, C14: an upload for a retry ends when the reply to the earlier copy goes on")
    func retryDropped() throws {
        var disk = Disk<Chat>()
        var driver = uploading(&disk)
        driver.finishUpload("a_1")
        driver.serve(from: &disk)
        driver.acknowledge()
        driver.hear(.message(Device.echo("s_1", "look", at: 1)))
        driver.grow("s_9", to: "A c")
        driver.hear(.replyFailed(.reply("s_9"), reason: "busy"))
        driver.serve(from: &disk)
        try driver.retry(on: &disk)
        driver.hear(.assetMissing(driver.saidIDs[1], "a_1", reason: "gone"))
        driver.serve(from: &disk)
        #expect(driver.uploads.count == 1)
        driver.hear(.message(Device.reply("s_9", "A cat", at: 9)))
        driver.serve(from: &disk)
        #expect(driver.shows == ["me: look", "coach: A cat"] && driver.uploads.isEmpty)
    }

    @Test(
        "C14, C12: of two files, one whose bytes are gone says so, whichever comes first",
        arguments: [false, true])
    func goneBesideUploaded(isUploadFirst: Bool) {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        let files = [
            PickedFile(kind: .document, mimeType: "text/plain", name: "a", bytes: [1]),
            PickedFile(kind: .image, mimeType: "image/png", name: "b", bytes: [2]),
        ]
        for file in isUploadFirst ? files : files.reversed() { driver.send(.attachmentPicked(file)) }
        driver.serve(from: &disk)
        driver.say("look")
        driver.serve(from: &disk)
        driver.finishUpload("a_1")
        driver.serve(from: &disk)
        driver.acknowledge()
        driver.hear(.message(Device.echo("s_1", "look", at: 1)))
        driver.grow("s_9", to: "A c")
        driver.serve(from: &disk)
        driver.lose()
        driver.serve(from: &disk)
        driver = .relaunched(&disk)
        #expect(driver.shows == ["me: look !"] && driver.note("look") == Wording.neutral.fileMissing.string)
    }

    @Test("C13, C14: a message whose file is still uploaded is stored as not sent")
    func storedWhileUploading() {
        var disk = Disk<Chat>()
        var driver = uploading(&disk)
        #expect(driver.uploads.count == 1 && driver.outbox(on: disk).map { $0.wasSent } == [false])
        driver.finishUpload("a_1")
        driver.serve(from: &disk)
        #expect(driver.said == ["look"] && driver.outbox(on: disk).map { $0.wasSent } == [true])
    }

    @Test("L5, C6: a file that was picked before the stored draft is read stays beside it")
    func pickedBeforeDraft() {
        var disk = Disk<Chat>()
        disk[Device.draftKey] = .draft("old", id: "d_1")
        var driver = Device.fresh()
        driver.send(.signedIn(Device.account))
        driver.send(
            .attachmentPicked(PickedFile(kind: .image, mimeType: "image/png", name: "a", bytes: [1])))
        driver.serve(from: &disk)
        #expect(driver.draft == "old" && Chat.composer(driver.state).attachments.map { $0.name } == ["a"])
        driver.advance(by: .seconds(1))
        driver.serve(from: &disk)
        let again = Device.restored(&disk)
        #expect(again.draft == "old" && Chat.composer(again.state).attachments.map { $0.name } == ["a"])
    }

    @Test("Limits: drafts that were joined hold more inline files than a message takes, and none is lost")
    func joinedInline() {
        var disk = Disk<Chat>()
        var driver = Device.fresh()
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk)
        driver.pick("a", "image/png", count: 200_000)
        driver.serve(from: &disk)
        driver.advance(by: .seconds(1))
        driver.serve(from: &disk)
        driver = Device.fresh()
        driver.send(.signedIn(Device.account))
        driver.pick("b", "image/png", count: 200_000)
        driver.serve(from: &disk)
        driver.send(.shown)
        driver.finishConnecting()
        let files = { (driver: Device) in Chat.composer(driver.state).attachments.map { $0.name } }
        #expect(files(driver) == ["a", "b"])
        driver.sayDurably("look")
        #expect(driver.said.isEmpty && files(driver) == ["a", "b"] && driver.draft == "look")
        #expect(driver.state.conversation.banner == .attachmentTooLarge)
        driver.send(.attachmentRemoved(driver.state.conversation.draft.attachments[0].id))
        driver.send(.sent)
        driver.serve(from: &disk)
        #expect(driver.said == ["look"])
    }

    @Test("C12, C14: a partial reply to a question whose picture is gone asks for no other, even if tapped")
    func partialWithoutPicture() {
        var disk = Disk<Chat>()
        var driver = asked(&disk)
        driver.grow("s_9", to: "A c")
        driver.hear(.replyFailed(.reply("s_9"), reason: "busy"))
        driver.serve(from: &disk)
        #expect(driver.shows == ["me: look", "coach: A c !"] && !disk.hasFile)
        driver.send(.retried(.received("s_9")))
        driver.serve(from: &disk)
        #expect(driver.said == ["look"] && driver.shows == ["me: look", "coach: A c !"])
    }

    @Test("C13, C14: a message whose lost file cannot be uploaded again leaves the outbox when it is deleted")
    func deletedWithoutFile() throws {
        var disk = Disk<Chat>()
        var driver = uploading(&disk)
        driver.finishUpload("a_1")
        driver.serve(from: &disk)
        driver.hear(.assetMissing(driver.saidIDs[0], "a_1", reason: "gone"))
        driver.end(driver.uploads[0], .refused(status: 413, retryAfter: nil, message: "too large"))
        driver.serve(from: &disk)
        #expect(driver.shows == ["me: look ! [retry]"] && driver.outbox(on: disk).count == 1)
        try driver.delete("look")
        driver.serve(from: &disk)
        #expect(driver.rows.isEmpty && driver.outbox(on: disk).isEmpty && !disk.hasFile)
    }
}
