import ChatDomain
import Testing

@Suite("Chat carried by streams: files")
struct ChatAskingFileTests {
    typealias ChatDriver = Driver<Chat>

    private let file = Chat.Attachment(
        id: "f", owner: "kay", kind: .image, mimeType: "image/png", name: "a", byteCount: 1, source: .inline)

    @Test("C14: a question is text alone: a file is refused in plain words before anything is lost")
    func picked() {
        var driver = ChatDriver.asking()
        driver.send(.draftEdited("Look"))
        driver.send(
            .attachmentPicked(PickedFile(kind: .image, mimeType: "image/png", name: "a", bytes: [1])))
        #expect(
            Chat.banner(driver.state, .neutral) == Wording.neutral.filesNotTaken && driver.draft == "Look")
        #expect(!driver.feature.configuration.takesFiles && Chat.composer(driver.state).attachments.isEmpty)
        #expect(Driver<Chat>.connected().feature.configuration.takesFiles)
    }

    @Test("R3, C14: a socket whose backend takes no files does not say that it takes them, and refuses one")
    func socketWithoutFiles() {
        var driver = ChatDriver.connected { $0.attachmentLimit = 0 }
        #expect(!driver.feature.configuration.takesFiles)
        driver.pick("a", "text/plain", count: 1)
        #expect(Chat.banner(driver.state, .neutral) == Wording.neutral.filesNotTaken)
        #expect(Chat.composer(driver.state).attachments.isEmpty)
    }

    @Test("C14, L5: a draft that was stored with files keeps text and files, and goes when they are out")
    func draft() {
        var disk = Disk<Chat>()
        disk[ChatDriver.draftKey] = .draft("Look", attachments: [file])
        var driver = ChatDriver.asking(&disk)
        driver.send(.sent)
        #expect(Chat.banner(driver.state, .neutral) == Wording.neutral.filesNotTaken && driver.rows.isEmpty)
        #expect(driver.draft == "Look" && Chat.composer(driver.state).attachments == [file])
        driver.send(.attachmentRemoved("f"))
        driver.send(.sent)
        driver.serve(from: &disk)
        #expect(driver.questions.map { $0.text } == ["Look"])
    }

    @Test("C14, L5: a message that was stored with files says why it is not sent, and its text can go alone")
    func stored() {
        var disk = Disk<Chat>()
        disk[.attachment("kay", "f")] = .attachment(AttachmentData(bytes: [1], isInline: true))
        disk[ChatDriver.outboxKey] = .outbox([
            OutboxEntry(
                key: "c_1", text: "Look", written: ChatDriver.asking().context.wall, wasSent: false,
                attachments: [file])
        ])
        var driver = ChatDriver.asking(&disk)
        driver.serve(from: &disk)
        #expect(driver.questions.isEmpty && driver.texts == ["Look"] && driver.rows[0].offer == .retry)
        #expect(driver.notes == [Wording.neutral.filesNotTaken])
        driver = .asking(&disk)
        #expect(driver.texts == ["Look"] && driver.notes == [Wording.neutral.filesNotTaken])
        driver.send(.messageEdited("c_1", "Look here"))
        driver.serve(from: &disk)
        #expect(driver.questions.map { $0.text } == ["Look here"] && driver.texts == ["Look here"])
        #expect(disk[.attachment("kay", "f")] == nil)
    }
}
