// Orders of things that are rare, each of which once lost, doubled or showed something wrong.

import ChatDomain
import Testing

private typealias Device = Driver<Chat>

@Suite("Chat: rare orders of things")
struct ChatRareTests {
    @Test("L5: a draft is loaded and saved also when something was sent before the outbox was there")
    func earlySend() {
        var driver = Device.fresh()
        driver.send(.signedIn(Device.account))
        driver.send(.draftEdited("early"))
        driver.send(.sent)
        driver.answer(Device.outboxKey, with: .missing)
        driver.answer(Device.outboxKey, with: .saved)
        driver.answer(Device.draftKey, with: .loaded(.draft("of the last time")))
        #expect(driver.draft == "of the last time")
        driver.send(.draftEdited("new"))
        driver.advance(by: .seconds(1))
        #expect(driver.storage.contains { $0.key == Device.draftKey })
    }

    @Test("S7: text that waits for its batch when the silence ends was not silent")
    func lastMoment() {
        var driver = Device.connected()
        driver.hear(.delta("r", "a"))
        driver.advance(by: .milliseconds(75))
        driver.advance(by: .milliseconds(29_875))  // 29.95 s after the token
        driver.hear(.delta("r", "b"))
        driver.advance(by: .milliseconds(75))
        #expect(driver.rows[0].isGrowing && driver.texts == ["ab"])
        driver.advance(by: .milliseconds(29_924))
        #expect(driver.rows[0].isGrowing)
        driver.advance(by: .milliseconds(1))
        #expect(!driver.rows[0].isGrowing && driver.stuckSpinner == nil)
    }

    @Test("C19, L4: events of a reply after its end, or after it was not accepted, are shown nowhere else")
    func strayText() {
        var driver = Device.connected { $0.growingLimit = 1 }
        driver.send(.conversationCreated(title: "Work"))
        let work = driver.state.conversation.id
        driver.send(.conversationSwitched(to: .main))
        driver.hear(.began("r1", in: work))
        driver.hear(.began("r2", in: work))
        driver.hear(.delta("r2", "too many"))
        driver.send(.conversationSwitched(to: work))
        driver.send(.replyStopped(.received("r1")))
        driver.hear(.delta("r1", "more"))
        driver.hear(.chunk("r1", index: 0, "more", isFinal: false))
        driver.send(.conversationSwitched(to: .main))
        driver.advance(by: .seconds(1))
        #expect(driver.texts == [])
    }

    @Test("L5: a retry for which the line has no room says so, and loses nothing")
    func fullLine() {
        var disk = Disk<Chat>()
        let stored = (0..<50).map {
            OutboxEntry(
                key: ClientID("c_\($0)"), text: "x", written: Device.epoch, wasSent: false,
                attachments: $0 == 0
                    ? [
                        Chat.Attachment(
                            id: "f", owner: "kay", kind: .document, mimeType: "text/plain", name: "n",
                            byteCount: 1, source: .file(.waiting))
                    ] : [])
        }
        var driver = Device.fresh { $0.heldAfter = .hours(1_000_000_000) }
        driver.send(.signedIn(Device.account))
        driver.send(.draftEdited("one more"))
        driver.send(.sent)
        driver.answer(Device.outboxKey, with: .loaded(.outbox(stored)))
        driver.serve(from: &disk)
        driver.send(.shown)
        driver.finishConnecting()
        driver.end(driver.uploads[0], .refused(status: 500, retryAfter: nil, message: ""))
        driver.serve(from: &disk)
        driver.send(.retried(.written("c_0")))
        #expect(driver.rows.contains { $0.id == .written("c_0") })
        #expect(driver.state.conversation.banner == .outboxFull)
    }

    /// A message with a file was refused.
    private static func refusedFile() -> Device {
        var driver = Device.connected()
        let file = PickedFile(kind: .image, mimeType: "image/png", name: "n", bytes: [1])
        driver.send(.attachmentPicked(file))
        driver.save()
        driver.sayDurably("with a file")
        driver.hear(.rejected(driver.saidIDs[0], reason: "no"))
        driver.save()
        return driver
    }

    @Test(
        "C14, L5: the files of a refused message are there for what takes its place, and go when it is deleted"
    )
    func refusedFiles() {
        for isEdited in [true, false] {
            var driver = Self.refusedFile()
            let row = driver.rows[0].id
            driver.send(isEdited ? .messageEdited(driver.saidIDs[0], "better") : .deleted(row))
            #expect(driver.erasedFiles == (isEdited ? 0 : 1))
        }
    }

    @Test("C11, C14: the files of an edited message stay when the server has answered the old one after all")
    func filesOfWrongRefusal() {
        var driver = Self.refusedFile()
        driver.send(.messageEdited(driver.saidIDs[0], "better"))
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.hear(.message(Device.reply("r1", "answer", at: 1)))
        #expect(driver.erasedFiles == 0)
        driver.save()
        #expect(driver.said == ["with a file", "better"] && driver.sentAttachments.last?.count == 1)
    }

    @Test("C13: the text beside the files of a refused message can be removed")
    func refusedToFilesOnly() {
        var driver = Self.refusedFile()
        driver.send(.messageEdited(driver.saidIDs[0], " "))
        #expect(driver.erasedFiles == 0)
        driver.save()
        // A message of files alone has the name of its first as its text.
        #expect(driver.said == ["with a file", "n"] && driver.sentAttachments.last?.count == 1)
    }

    @Test("C13: a message whose upload failed can be edited")
    func editedParked() {
        var driver = Device.connected()
        let file = PickedFile(kind: .document, mimeType: "text/plain", name: "n", bytes: [1])
        driver.send(.attachmentPicked(file))
        driver.save()
        driver.sayDurably("old")
        driver.end(driver.uploads[0], .refused(status: 500, retryAfter: nil, message: ""))
        driver.save()
        guard case .written(let client) = driver.rows[0].id else { return #expect(Bool(false)) }
        driver.send(.messageEdited(client, "new"))
        #expect(driver.texts == ["new"] && driver.statuses == [.failed(.uploadFailed(""))])
    }

    @Test("C13, C14: the files of a message whose upload failed are erased once when it is deleted")
    func deletedParked() {
        var driver = Device.connected()
        driver.pick("n", "text/plain", count: 1)
        driver.save()
        driver.sayDurably("old")
        driver.end(driver.uploads[0], .refused(status: 500, retryAfter: nil, message: ""))
        driver.save()
        driver.send(.deleted(driver.rows[0].id))
        #expect(driver.rows.isEmpty && driver.erasedFiles == 1)
    }

    @Test("C13, C7: a message that went back to the composer is not sent by a later launch as well")
    func givenBack() {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk)
        driver.say("once")
        let late = driver.storage
        driver.advance(by: .seconds(5))
        #expect(driver.draft == "once")
        for operation in late { _ = disk.carryOut(operation) }
        for operation in late { driver.answer(operation.key, with: .saved) }
        driver.serve(from: &disk)
        driver.send(.draftEdited(""))
        driver.advance(by: .seconds(1))
        driver.serve(from: &disk)
        let again = Device.connected(&disk)
        #expect(again.said == [] && again.texts == [])
    }

    @Test("C6, C19: a conversation that has spoken before the list was there is open")
    func spokeEarly() {
        var driver = Device.fresh()
        driver.send(.signedIn(Device.account))
        driver.send(.shown)
        driver.advance(by: .seconds(5))
        driver.finishConnecting()
        driver.hear(
            .message(
                IncomingMessage(
                    id: "m", conversation: "work", role: .assistant, text: "x", time: Device.epoch,
                    isGrowing: false)))
        let closed = ConversationEntry(id: "work", title: "Work", isClosed: true)
        driver.answer(
            Device.listKey,
            with: .loaded(.conversations([ConversationEntry(id: .main), closed], current: .main)))
        #expect(Chat.conversations(driver.state, .neutral).map { $0.title } == ["Chat", "Work"])
    }

    @Test(
        "R2: short of memory, older messages leave it where nobody looks at them, and come back by scrolling")
    func memory() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        for number in 0..<1_200 {
            driver.hear(.message(Device.reply(MessageID("s\(number)"), "x", at: Int64(number))))
        }
        driver.serve(from: &disk)
        driver.send(.scrolled(isAtEnd: false))
        driver.send(.memoryWarned)
        #expect(driver.rows.count == 1_200, "the person may be reading them")
        driver.send(.scrolled(isAtEnd: true))
        driver.send(.memoryWarned)
        #expect(driver.rows.count <= 1_050 && driver.rows.count >= 1_000)
        driver.send(.olderRequested)
        driver.serve(from: &disk)
        #expect(driver.rows.count > 1_000)
    }
}

extension Driver where F == Chat {
    /// How many erasures of files the disk has not answered.
    fileprivate var erasedFiles: Int {
        storage.count { operation in
            if case .attachment = operation.key, case .erase = operation.work { true } else { false }
        }
    }
}
