import ChatDomain
import Testing

@Suite("Chat: attachments")
struct ChatAttachmentTests {
    private typealias Device = Driver<Chat>

    // MARK: The composer

    @Test("C14: a picked file is copied into storage before anything is sent with it")
    func copied() {
        var driver = Device.connected()
        driver.pick("a.png", "image/png", count: 10)
        driver.send(.sent)
        #expect(driver.rows.isEmpty && !Chat.composer(driver.state).canSend)
        driver.save()
        #expect(Chat.composer(driver.state).canSend)
        driver.send(.sent)
        driver.save()
        #expect(driver.said == ["a.png"] && driver.sentAttachments[0].map { $0.name } == ["a.png"])
        #expect(Chat.composer(driver.state).attachments.isEmpty)
    }

    @Test("C10, C14: a message of files alone has the name of its first file as text")
    func title() {
        let cases: [(ExactText, ExactText, ExactText)] = [
            ("a.png", "image/png", "a.png"), (" \n", "text/plain", "text/plain"), ("", "\u{200B}", "file"),
        ]
        for (name, type, text) in cases {
            var driver = Device.connected()
            driver.pick(name, type, count: 1)
            driver.pick("second", "image/png", count: 1)
            driver.save()
            driver.send(.draftEdited("\u{200B}"))
            driver.send(.sent)
            #expect(driver.state.conversation.outbox.all.map { $0.entry.text } == [text])
            // One that an earlier version has stored without text.
            let stored = OutboxEntry(
                key: "c_1", text: " ", written: Device.epoch, wasSent: true,
                attachments: driver.state.conversation.outbox.all.flatMap { $0.entry.attachments })
            #expect(stored.text == text)
        }
    }

    @Test("C14: a file that cannot be copied leaves the composer, and the person is told")
    func notCopied() {
        var driver = Device.connected()
        for answer: StorageAnswer<Chat.Record>? in [.failed(.full), nil] {
            driver.pick("a.png", "image/png", count: 10)
            if let answer, let copy = driver.storage.last {
                driver.answer(copy.key, with: answer)
            } else {
                driver.advance(by: .seconds(5))
            }
            #expect(Chat.composer(driver.state).attachments.isEmpty)
            #expect(driver.state.conversation.banner != nil)
            driver.save()
            driver.send(.bannerDismissed)
        }
    }

    @Test("C14, L8: no more than 4 files, and none over 100 MB")
    func limits() {
        var driver = Device.connected { $0.uploadLimit = 100 }
        driver.pick("big", "text/plain", count: 101)
        #expect(driver.state.conversation.banner == .attachmentTooLarge)
        for number in 0..<5 { driver.pick(ExactText("\(number)"), "text/plain", count: 100) }
        #expect(driver.state.conversation.banner == .tooManyAttachments)
        #expect(Chat.composer(driver.state).attachments.map { $0.name } == ["0", "1", "2", "3"])
    }

    @Test("C14: a message carries images of 256 KiB in all itself, and the rest is uploaded")
    func inline() {
        var driver = Device.connected()
        driver.pick("a", "image/png", count: 262_144)
        driver.pick("b", "image/png", count: 1)
        driver.pick("c", "text/plain", count: 1)
        let sources = Chat.composer(driver.state).attachments.map { $0.source }
        #expect(sources == [.inline, .file(.waiting), .file(.waiting)])
    }

    @Test(
        "C14, L3, L5: a message whose own bytes are gone says so, and the next connection is not ended by it")
    func bytesGone() {
        var driver = Device.connected()
        driver.pick("a", "image/png", count: 1)
        driver.save()
        driver.sayDurably("look")
        driver.sayDurably("next")
        driver.lose(.failed(.recordMissing))
        #expect(driver.statuses == [.failed(.fileMissing), .queued] && driver.rows[0].offer == .nothing)
        #expect(driver.notes[0] == Wording.neutral.fileMissing)
        driver.reconnect()
        driver.save()
        #expect(driver.said == ["look", "next"])
    }

    @Test(
        "C8: a message for which the server closes the connection as too big is refused, and the next one goes",
        arguments: ["", "Max payload size exceeded"] as [ExactText])
    func tooBig(_ reason: ExactText) {
        var driver = Device.connected()
        driver.pick("a", "image/png", count: 250_000)
        driver.save()
        driver.sayDurably("look")
        driver.sayDurably("next")
        driver.lose(.closed(code: 1009, reason: reason))
        let told: ExactText = reason.isEmpty ? "message too big" : reason
        #expect(driver.statuses == [.failed(.rejected(told)), .queued] && driver.rows[0].offer != .nothing)
        driver.reconnect()
        driver.save()
        #expect(driver.said == ["look", "next"])
    }

    @Test("C8: of the messages in flight the largest is too big for a server that says so")
    func largest() {
        var driver = Device.connected()
        driver.create("Work")
        driver.sayDurably("small")
        driver.send(.conversationSwitched(to: .main))
        driver.sayDurably("much larger")
        driver.lose(.closed(code: 1009, reason: ""))
        #expect(driver.statuses == [.failed(.rejected("message too big"))])
        driver.reconnect()
        driver.save()
        #expect(driver.said == ["small", "much larger", "small"])
    }

    @Test("C8, C14: what a message carries itself counts when the largest is too big")
    func largestByItsImage() {
        var driver = Device.connected()
        driver.pick("x", "image/png", count: 1_000)
        driver.save()
        driver.sayDurably("look")
        driver.create("Work")
        driver.sayDurably("a longer text")
        driver.lose(.closed(code: 1009, reason: ""))
        #expect(driver.statuses == [.queued])
        driver.send(.conversationSwitched(to: .main))
        #expect(driver.statuses == [.failed(.rejected("message too big"))])
    }

    @Test("C8: the largest of the messages in flight is refused as too big, whichever conversation is first")
    func largestIsLast() {
        var driver = Device.connected()
        driver.sayDurably("small")
        driver.create("Work")
        driver.sayDurably("much larger")
        driver.lose(.closed(code: 1009, reason: ""))
        #expect(driver.statuses == [.failed(.rejected("message too big"))])
        driver.send(.conversationSwitched(to: .main))
        #expect(driver.statuses == [.queued])
    }

    @Test("C9, C14: a message that carries its bytes itself goes again after the connection was lost")
    func bytesGoAgain() {
        var driver = Device.connected()
        driver.pick("a", "image/png", count: 1)
        driver.save()
        driver.sayDurably("look")
        driver.lose()
        #expect(driver.statuses == [.queued])
        driver.reconnect()
        driver.save()
        #expect(driver.said == ["look", "look"])
    }

    @Test("C14: a file that is taken out again is erased")
    func removed() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.pick("a", "image/png", count: 1)
        driver.serve(from: &disk)
        let id = Chat.composer(driver.state).attachments[0].id
        #expect(disk[.attachment("kay", id)] != nil)
        driver.send(.attachmentRemoved(id))
        driver.serve(from: &disk)
        #expect(disk[.attachment("kay", id)] == nil && Chat.composer(driver.state).attachments.isEmpty)
    }

    @Test("C14, L5: the files of the composer come back with the draft")
    func draft() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.pick("a", "image/png", count: 1)
        driver.serve(from: &disk)
        driver.advance(by: .seconds(1))
        driver.serve(from: &disk)
        #expect(Chat.composer(Device.restored(&disk).state).attachments.map { $0.name } == ["a"])
    }

    @Test("C14, L8: wherever the process ends, the draft names the file whose bytes the disk has")
    func namedFirst() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.serve(from: &disk)
        driver.pick("a", "image/png", count: 1)
        #expect(driver.storage.count == 2)
        driver.serve(from: &disk) { disk, _ in
            var disk = disk
            let again = Device.restored(&disk, seed: 2)
            #expect(Chat.composer(again.state).attachments.map { $0.name } == ["a"])
        }
    }

    /// What holds up the draft when a file is picked.
    enum Delay: CaseIterable { case otherFile, lastKey, load, outbox }

    @Test("C14, L8: bytes wait for a draft that is delayed and names them", arguments: Delay.allCases)
    func namedLater(delay: Delay) {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.serve(from: &disk)
        switch delay {
        case .otherFile: driver.pick("a", "image/png", count: 1)
        case .lastKey:
            driver.send(.draftEdited("look"))
            driver.advance(by: .seconds(1))
        case .load:
            driver = .fresh(seed: 2)
            driver.send(.signedIn(Device.account))
        case .outbox: driver.say("look")
        }
        driver.pick("b", "image/png", count: 1)
        driver.serve(from: &disk) { disk, _ in
            var stored = disk
            let again = Device.restored(&stored, seed: 3)
            let named = Chat.composer(again.state).attachments.map { $0.id }
            for record in disk.records {
                guard case .attachment(_, let file) = record.key else { continue }
                #expect(named.contains(file))
            }
        }
        #expect(disk.hasFile && Chat.composer(driver.state).canSend)
    }

    @Test("C14, L3: a picked file waits 5 s for a silent draft, and then 5 s for its own bytes")
    func silentDraft() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.serve(from: &disk)
        driver.send(.draftEdited("look"))
        driver.advance(by: .seconds(1))
        driver.pick("a", "image/png", count: 1)
        let isFile = { (key: Chat.Key) -> Bool in if case .attachment = key { true } else { false } }
        driver.advance(by: .milliseconds(4_999))
        #expect(!driver.storage.contains { isFile($0.key) })
        driver.advance(by: .milliseconds(1))
        #expect(driver.storage.contains { isFile($0.key) })
        driver.advance(by: .milliseconds(4_999))
        #expect(Chat.composer(driver.state).attachments.count == 1)
        driver.advance(by: .milliseconds(1))
        #expect(Chat.composer(driver.state).attachments.isEmpty)
    }

    @Test("C14: files are stored at once beside a draft that cannot be saved", arguments: [false, true])
    func refusedDraft(isUnreadable: Bool) {
        var disk = Disk<Chat>()
        var driver = Device.fresh()
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk, failing: { isUnreadable && $0 == Device.draftKey })
        for name in ["a", "b"] as [ExactText] { driver.pick(name, "image/png", count: 1) }
        driver.serve(from: &disk, failing: { $0 == Device.draftKey }, with: .full)
        #expect(Chat.composer(driver.state).attachments.count == 2 && Chat.composer(driver.state).canSend)
    }

    @Test("C14, L8: a file that is taken out before the disk has got its bytes leaves nothing behind")
    func removedWhileWaiting() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.pick("a", "image/png", count: 1)
        for _ in 0..<5 {
            driver.pick("b", "image/png", count: 1)
            if let file = driver.state.conversation.draft.attachments.last {
                driver.send(.attachmentRemoved(file.id))
            }
        }
        #expect(driver.state.conversation.banner == nil)
        driver.serve(from: &disk)
        let files = disk.records.count { if case .attachment = $0.key { true } else { false } }
        #expect(files == 1 && Chat.composer(driver.state).attachments.map { $0.name } == ["a"])
    }

    // MARK: Uploads

    @Test("C14: files are uploaded before the message goes, with progress in steps of 5 %")
    func upload() {
        var driver = Device.uploading()
        #expect(driver.uploads.count == 2 && driver.said.isEmpty)
        #expect(driver.statuses == [.uploading(percent: 0)])
        var steps: [Chat.SendStatus?] = []
        for sent in 0...100 {
            driver.send(.received(.uploadProgress(sent: Int64(sent), of: 100), on: driver.uploads[0]))
            if steps.last != driver.statuses[0] { steps.append(driver.statuses[0]) }
        }
        #expect(steps.count == 11 && steps.last == .uploading(percent: 50))
        driver.finishUpload("a_1")
        #expect(driver.said.isEmpty)
        driver.finishUpload("a_2")
        driver.save()
        #expect(driver.said == ["look"])
        #expect(driver.sentAttachments[0].map { $0.source } == [.asset("a_1"), .asset("a_2")])
    }

    @Test("C14: the progress is the greatest multiple of 5 % below what was sent, whatever the total is")
    func percent() {
        let cases: [(sent: Int64, total: Int64, percent: Int64)] = [
            (1, 2, 50), (5, 10, 50), (10, 10, 100), (11, 10, 100), (20, 39, 50), (38, 39, 95), (220, 230, 95),
            (1, 4, 25), (0, 7, 0), (-1, 7, 0), (1, 0, 0), (.max, .max, 100), (.max / 4, .max, 20),
            (.max / 2 + 1, .max, 50), (.max / 20, .max / 20, 100),
        ]
        for (sent, total, percent) in cases {
            #expect(Chat.Attachment.percent(sent, of: total) == percent, "\(sent) of \(total)")
        }
    }

    @Test("C14: one failed upload fails the message and keeps the other; a retry uploads what is missing")
    func retry() {
        var driver = Device.uploading()
        driver.say("next")
        driver.save()
        let second = driver.uploads[1]
        driver.end(driver.uploads[0], .refused(status: 500, retryAfter: nil, message: ""))
        driver.save()
        #expect(driver.texts == ["next", "look"] && driver.said == ["next"])
        #expect(driver.statuses[1] == .failed(.uploadFailed("")) && driver.rows[1].offer == .retry)
        driver.send(.received(.uploaded("a_2"), on: second))
        driver.end(second, .completed)
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.save()
        driver.send(.retried(driver.rows.first { $0.text.string == "look" }?.id ?? .unnamed(0)))
        driver.save()
        #expect(driver.uploads.count == 1 && driver.texts == ["next", "look"])
        driver.finishUpload("a_1")
        driver.save()
        #expect(driver.said == ["next", "look"])
        #expect(driver.sentAttachments[1].map { $0.source } == [.asset("a_1"), .asset("a_2")])
    }

    @Test("L1, C14: an upload of nothing, or of less, has no progress", arguments: [0, -1, .min] as [Int64])
    func noSize(total: Int64) {
        var driver = Device.uploading()
        driver.send(.received(.uploadProgress(sent: 1, of: total), on: driver.uploads[0]))
        #expect(driver.statuses == [.uploading(percent: 0)])
    }

    @Test("C14, L4: a retry uploads no file that is still being uploaded")
    func retryBesideRunning() {
        var driver = Device.uploading()
        let second = driver.uploads[1]
        driver.end(driver.uploads[0], .refused(status: 500, retryAfter: nil, message: ""))
        driver.save()
        driver.send(.retried(driver.rows[0].id))
        driver.save()
        #expect(driver.uploads.count == 2 && driver.uploads.first == second)
        driver.send(.received(.uploaded("a_2"), on: second))
        driver.end(second, .completed)
        driver.finishUpload("a_1")
        driver.save()
        #expect(driver.sentAttachments[0].map { $0.source } == [.asset("a_1"), .asset("a_2")])
    }

    @Test("C14, L3: an upload without progress for 30 s has failed")
    func silence() {
        var driver = Device.uploading()
        driver.finishUpload("a_1")
        driver.advance(by: .seconds(29))
        driver.send(.received(.uploadProgress(sent: 1, of: 100), on: driver.uploads[0]))
        driver.advance(by: .milliseconds(29_999))
        #expect(driver.uploads.count == 1)
        driver.advance(by: .milliseconds(1))
        #expect(driver.uploads.isEmpty && driver.statuses == [.failed(.uploadFailed(""))])
    }

    @Test("C14, L3: a report of no more bytes than the last is no progress", arguments: [1, 2] as [Int64])
    func stagnation(sent: Int64) {
        var driver = Device.uploading()
        driver.finishUpload("a_1")
        driver.send(.received(.uploadProgress(sent: 2, of: 100), on: driver.uploads[0]))
        driver.advance(by: .seconds(29))
        driver.send(.received(.uploadProgress(sent: sent, of: 100), on: driver.uploads[0]))
        driver.advance(by: .seconds(1))
        #expect(driver.uploads.isEmpty && driver.statuses == [.failed(.uploadFailed(""))])
    }

    @Test("C14: an upload that a redirect begins anew has progress as its count grows, and shows no less")
    func redirected() {
        var driver = Device.uploading()
        driver.finishUpload("a_1")
        for sent in [50, 1, 2] as [Int64] {
            driver.send(.received(.uploadProgress(sent: sent, of: 100), on: driver.uploads[0]))
            #expect(driver.statuses == [.uploading(percent: 75)])
            driver.advance(by: .seconds(10))
        }
        driver.advance(by: .milliseconds(19_999))
        #expect(driver.uploads.count == 1)
        driver.advance(by: .milliseconds(1))
        #expect(driver.uploads.isEmpty)
    }

    @Test("C4: the background ends uploads, and they are queued again")
    func background() {
        var driver = Device.uploading()
        driver.finishUpload("a_1")
        driver.send(.backgrounded)
        driver.advance(by: .seconds(2))
        #expect(driver.calls.isEmpty && driver.statuses == [.queued] && driver.stuckSpinner == nil)
        driver.send(.foregrounded)
        driver.finishConnecting()
        #expect(driver.uploads.count == 1)
        driver.finishUpload("a_2")
        driver.save()
        #expect(driver.said == ["look"])
    }

    @Test("C14, L4: an answer of an earlier upload changes nothing")
    func ghost() {
        var driver = Device.uploading()
        let old = driver.uploads[0]
        driver.send(.left)
        driver.send(.shown)
        driver.finishConnecting()
        let before = driver.state
        driver.send(.received(.uploaded("a_9"), on: old))
        driver.send(.ended(old, .failed(.lost)))
        #expect(driver.state == before)
    }

    @Test("C14: a file that the server has lost is uploaded once more, and no oftener")
    func assetMissing() {
        var driver = Device.uploading()
        driver.finishUpload("a_1")
        driver.finishUpload("a_2")
        driver.save()
        driver.hear(.assetMissing(driver.saidIDs[0], "a_2", reason: "gone"))
        #expect(driver.uploads.count == 1 && driver.statuses == [.uploading(percent: 50)])
        driver.send(.received(.uploadProgress(sent: 50, of: 100), on: driver.uploads[0]))
        #expect(driver.statuses == [.uploading(percent: 75)])
        driver.finishUpload("a_3")
        driver.save()
        #expect(driver.saidIDs.count == 2 && driver.saidIDs[0] == driver.saidIDs[1])
        #expect(driver.sentAttachments[1].map { $0.source } == [.asset("a_1"), .asset("a_3")])
        driver.hear(.assetMissing(driver.saidIDs[0], "a_3", reason: "gone"))
        #expect(driver.statuses == [.failed(.rejected("gone"))])
    }

    @Test("C9, C14: a message whose lost file is uploaded again has the whole time to be acknowledged")
    func assetMissingLate() {
        var driver = Device.uploading()
        driver.finishUpload("a_1")
        driver.finishUpload("a_2")
        driver.save()
        driver.advance(by: .seconds(34))
        #expect(driver.statuses == [.slow])
        driver.hear(.assetMissing(driver.saidIDs[0], "a_2", reason: "gone"))
        driver.finishUpload("a_3")
        driver.save()
        driver.advance(by: .seconds(2))
        #expect(driver.isConnected && driver.statuses == [.sending])
    }

    @Test("C14: the bytes are erased when the message is delivered and answered, and when it is deleted")
    func freed() {
        for isDelivered in [true, false] {
            var disk = Disk<Chat>()
            var driver = Device.connected(&disk)
            driver.pick("a", "image/png", count: 1)
            driver.serve(from: &disk)
            let id = Chat.composer(driver.state).attachments[0].id
            if isDelivered {
                driver.send(.sent)
                driver.serve(from: &disk)
                driver.hear(.acknowledged(driver.saidIDs[0]))
                #expect(disk[.attachment("kay", id)] != nil)
                driver.hear(.message(Device.echo("m1", "a")))
                driver.serve(from: &disk)
                #expect(disk[.attachment("kay", id)] != nil && driver.statuses == [.delivered])
                driver.hear(.message(Device.reply("s1", "nice", at: 1)))
            } else {
                driver.lose()
                driver.send(.sent)
                driver.serve(from: &disk)
                driver.send(.deleted(driver.rows[0].id))
            }
            driver.serve(from: &disk)
            #expect(disk[.attachment("kay", id)] == nil)
        }
    }

    @Test("C14, L5: files and what was uploaded of them outlive the process")
    func relaunch() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.pick("x", "text/plain", count: 9)
        driver.pick("y", "text/plain", count: 9)
        driver.serve(from: &disk)
        driver.say("look")
        driver.serve(from: &disk)
        driver.finishUpload("a_1")
        driver.serve(from: &disk)
        var again = Device.connected(&disk)
        #expect(again.uploads.count == 1)
        again.finishUpload("a_2")
        again.serve(from: &disk)
        #expect(again.sentAttachments.map { $0.map { $0.source } } == [[.asset("a_1"), .asset("a_2")]])
    }

    @Test("C14: the files of a message are uploaded at once, before the outbox is saved")
    func uploadBeforeSave() {
        var driver = Device.connected()
        driver.pick("x", "text/plain", count: 9)
        driver.save()
        driver.say("look")
        #expect(driver.uploads.count == 1 && driver.statuses == [.uploading(percent: 0)])
        #expect(driver.storage.contains { $0.key == Device.outboxKey })
    }

    @Test("C4, C14: a file that is uploaded again without a connection moves the progress of its message")
    func progressUnconnected() {
        var driver = Device.uploading()
        for asset in ["a_1", "a_2"] as [AssetID] { driver.finishUpload(asset) }
        driver.save()
        driver.hear(.assetMissing(driver.saidIDs[0], nil, reason: "gone"))
        driver.save()
        driver.lose(.refused(status: 429, retryAfter: .minutes(10), message: ""))
        #expect(driver.uploads.count == 2 && driver.statuses == [.uploading(percent: 0)])
        driver.finishUpload("a_3")
        #expect(driver.statuses == [.uploading(percent: 50)])
    }

    @Test(
        "C14: a retry uploads a file whose upload ended without a result",
        arguments: [
            (.completed, .uploadFailed("")), (.closed(code: 1000, reason: ""), .uploadFailed("")),
            (.failed(.malformed), .uploadFailed("")), (.failed(.recordMissing), .fileMissing),
        ] as [(CallEnd, SendFailure)])
    func retryWithoutResult(end: CallEnd, failure: SendFailure) {
        var driver = Device.uploading()
        driver.finishUpload("a_1")
        driver.save()
        driver.end(driver.uploads[0], end)
        driver.save()
        #expect(driver.uploads.isEmpty && driver.statuses == [.failed(failure)])
        driver.send(.retried(driver.rows[0].id))
        driver.save()
        #expect(driver.uploads.count == 1 && driver.statuses == [.uploading(percent: 50)])
    }

    @Test("C11, C14: a file that is told lost twice is uploaded once, and its message goes on")
    func assetMissingTwice() {
        var driver = Device.uploading()
        for asset in ["a_1", "a_2"] as [AssetID] { driver.finishUpload(asset) }
        driver.save()
        for _ in 0..<2 { driver.hear(.assetMissing(driver.saidIDs[0], "a_2", reason: "gone")) }
        #expect(driver.uploads.count == 1 && driver.statuses == [.uploading(percent: 50)])
        driver.finishUpload("a_3")
        driver.save()
        #expect(driver.said == ["look", "look"])
    }
}

extension Driver where F == Chat {
    /// Connected, with a message under way whose two files are being uploaded.
    static func uploading() -> Self {
        var driver = connected()
        driver.pick("x", "text/plain", count: 9)
        driver.pick("y", "text/plain", count: 9)
        driver.save()
        driver.sayDurably("look")
        return driver
    }

    mutating func pick(_ name: ExactText, _ type: ExactText, count: Int) {
        send(
            .attachmentPicked(
                PickedFile(
                    kind: .document, mimeType: type, name: name, bytes: Array(repeating: 7, count: count))))
    }

    /// The oldest upload succeeds.
    mutating func finishUpload(_ asset: AssetID) {
        guard let call = uploads.first else {
            Issue.record("There is no upload to finish.")
            return
        }
        send(.received(.uploaded(asset), on: call))
        end(call, .completed)
    }

    /// The files of what went on a wire, in order.
    var sentAttachments: [[Chat.Attachment]] {
        sent.compactMap { sent in
            if case .say(_, _, _, let attachments) = sent.frame { attachments } else { nil }
        }
    }
}
