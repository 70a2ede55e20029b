@testable import ChatDomain
import Testing

@Suite("Chat: changing what was written")
struct ChatChangingTests {
    private typealias Device = Driver<Chat>

    // MARK: Delete

    @Test("C13: a message that was never on a wire can be deleted, and nothing brings it back")
    func deleteUnsent() {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk)
        driver.send(.shown)
        driver.say("a")
        driver.say("b")
        driver.serve(from: &disk)
        let id = driver.queued[0]
        driver.send(.deleted(.written(id)))
        driver.serve(from: &disk)
        #expect(driver.texts == ["b"])
        driver.finishConnecting()
        driver.hear(.acknowledged(id))
        driver.hear(.rejected(id, reason: "no"))
        driver.serve(from: &disk)
        #expect(driver.said == ["b"] && driver.texts == ["b"])
        #expect(Device.connected(&disk).texts == ["b"])
    }

    @Test("C13: a sent message is hidden, and stays hidden over echo, replay and relaunch")
    func deleteSent() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("a")
        driver.serve(from: &disk)
        driver.send(.deleted(driver.rows[0].id))
        #expect(driver.rows.isEmpty)
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.hear(.message(Device.echo("m1", "a", at: 1)))
        driver.serve(from: &disk)
        #expect(driver.rows.isEmpty)
        var again = Device.restored(&disk)
        again.send(.shown)
        again.hear(.opened)
        again.hear(.authenticated(replayCount: 1, isTruncated: false, isReset: true))
        again.hear(.message(Device.echo("m1", "a", at: 1)))
        again.serve(from: &disk)
        #expect(again.rows.isEmpty && again.said.isEmpty && again.isConnected)
    }

    @Test("R3, C13: the newest rows are those that can be seen; deleted ones take no place among them")
    func newestThatCanBeSeen() {
        var driver = Device.connected()
        for (index, id) in (["s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8"] as [MessageID]).enumerated() {
            driver.hear(.message(Device.reply(id, id.text, at: Int64(index))))
        }
        driver.send(.deleted(.received("s8")))
        driver.send(.deleted(.received("s6")))
        let rows = Chat.rows(driver.state, newest: 3, .neutral)
        #expect(rows.map { $0.text.string } == ["s4", "s5", "s7"])
        #expect(Chat.rows(driver.state, newest: 0, .neutral).isEmpty)
    }

    @Test("C13: a deleted message that may not have arrived is not sent again")
    func deleteLost() {
        var driver = Device.connected()
        driver.sayDurably("a")
        driver.sayDurably("b")
        driver.send(.deleted(driver.rows[0].id))
        #expect(driver.said == ["a"])
        driver.lose()
        driver.reconnect()
        driver.save()
        #expect(driver.said == ["a", "b"] && driver.texts == ["b"])
    }

    @Test("C13: a refused message is gone for good once deleted")
    func deleteRefused() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("a")
        driver.answerOutbox(with: .saved)
        driver.hear(.rejected(driver.saidIDs[0], reason: "no"))
        driver.send(.deleted(driver.rows[0].id))
        driver.serve(from: &disk)
        #expect(Device.connected(&disk).rows.isEmpty && disk[Device.outboxKey] == .outbox([]))
    }

    @Test("C13, L8: no more than 1,000 deleted messages are remembered over a reset of the history")
    func deletedLimit() {
        var transcript = ChatTranscript(seed: 1, pageLength: 50)
        for number in 0..<1_005 {
            transcript.insert(
                Message(
                    id: MessageID("s\(number)"), author: .assistant(to: nil), body: .text(LongText("x")),
                    time: Device.epoch + .seconds(Int64(number)), isPlaced: true, isHidden: true))
        }
        _ = transcript.withdraw()
        #expect(transcript.rows.count == 0 && transcript.pages.hidden.count == 1_000)
        #expect(
            !transcript.pages.hidden.contains("s4") && transcript.pages.hidden.contains("s5"))
    }

    @Test("C13: a deleted message that joins its echo is remembered as deleted under the name of the echo")
    func joinedDeleted() {
        var transcript = ChatTranscript(seed: 1, pageLength: 50)
        transcript.insert(
            Message(
                author: .here(.init(client: "c_1", status: .sending)), body: .text(LongText("x")),
                time: Device.epoch, isHidden: true))
        transcript.insert(
            Message(
                id: "s_1", author: .elsewhere(nil), body: .text(LongText("x")), time: Device.epoch,
                isPlaced: true))
        transcript.join("c_1", to: "s_1")
        #expect(transcript.rows.count == 1 && transcript.pages.hidden == ["s_1"])
    }

    // MARK: Edit

    @Test("C13: an edit of a message that was never on a wire keeps its place and its id")
    func editUnsent() {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk)
        driver.send(.shown)
        driver.say("a")
        driver.say("b")
        let ids = driver.queued
        driver.send(.messageEdited(ids[0], " c "))
        driver.send(.messageEdited(ids[0], "  "))
        driver.serve(from: &disk)
        #expect(driver.texts == ["c", "b"] && driver.queued == ids)
        #expect(Device.restored(&disk).texts == ["c", "b"])
        driver.finishConnecting()
        driver.save()
        #expect(driver.said == ["c"])
    }

    @Test("C13: the text beside the files of a message that was never on a wire can be removed")
    func editToFilesOnly() {
        var driver = Device.connecting()
        driver.send(
            .attachmentPicked(PickedFile(kind: .image, mimeType: "image/png", name: "a", bytes: [1])))
        driver.save()
        driver.sayDurably("caption")
        #expect(driver.texts == ["caption"])
        driver.send(.messageEdited(driver.queued[0], " "))
        driver.save()
        // A message of files alone has the name of its first as its text.
        #expect(driver.texts == ["a"] && driver.rows[0].attachments.count == 1)
        driver.finishConnecting()
        driver.save()
        #expect(driver.said == ["a"])
    }

    @Test("C13: an edit that leaves the text of an unsent message as it is changes nothing")
    func editUnchanged() {
        var driver = Device.connecting()
        driver.sayDurably("a")
        let before = driver.state
        let effects = driver.send(.messageEdited(driver.queued[0], " a "))
        #expect(effects.isEmpty && driver.state == before)
    }

    @Test("C13: an edit is durable before the message goes on the wire")
    func editBeforeWire() {
        var driver = Device.connected()
        driver.say("a")
        driver.send(.messageEdited(driver.queued[0], "b"))
        driver.answerOutbox(with: .saved)
        #expect(driver.said.isEmpty)
        driver.answerOutbox(with: .saved)
        #expect(driver.said == ["b"])
    }

    @Test("C13: an edit of what is on a wire goes as a new message when the fate of the old is known")
    func editSent() {
        var driver = Device.connected()
        driver.sayDurably("a")
        driver.send(.messageEdited(driver.saidIDs[0], "b"))
        driver.save()
        #expect(driver.said == ["a"] && driver.texts == ["a", "b"])
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.save()
        #expect(driver.said == ["a", "b"] && driver.saidIDs[0] != driver.saidIDs[1])
    }

    @Test("C13: a second tap on saving an edit sends it once, before and after the server has it")
    func editTwice() {
        var driver = Device.connected()
        driver.sayDurably("a")
        let first = driver.saidIDs[0]
        driver.send(.messageEdited(first, "b"))
        driver.send(.messageEdited(first, "b"))
        driver.save()
        driver.hear(.acknowledged(first))
        driver.save()
        driver.send(.messageEdited(first, "b"))
        driver.hear(.acknowledged(driver.saidIDs[1]))
        driver.save()
        driver.send(.messageEdited(first, "b"))
        driver.save()
        #expect(driver.said == ["a", "b"] && driver.texts == ["a", "b"])
    }

    @Test("C13: an edit is sent again when its message was deleted, or when something was said since")
    func editAgain() {
        var driver = Device.connected()
        func serve() {
            driver.save()
            driver.acknowledge()
            driver.save()
        }
        driver.say("a")
        serve()
        let first = driver.saidIDs[0]
        driver.send(.messageEdited(first, "b"))
        serve()
        driver.send(.deleted(.written(driver.saidIDs[1])))
        driver.send(.messageEdited(first, "b"))
        serve()
        driver.say("c")
        serve()
        driver.send(.messageEdited(first, "b"))
        serve()
        #expect(driver.said == ["a", "b", "b", "c", "b"])
    }

    @Test("C13: an edit is sent again when its message was deleted in flight")
    func editAgainInFlight() {
        var driver = Device.connected()
        driver.sayDurably("a")
        driver.acknowledge()
        driver.save()
        let first = driver.saidIDs[0]
        driver.send(.messageEdited(first, "b"))
        driver.save()
        driver.send(.deleted(.written(driver.saidIDs[1])))
        driver.send(.messageEdited(first, "b"))
        driver.send(.messageEdited(first, "b"))
        driver.save()
        driver.hear(.acknowledged(driver.saidIDs[1]))
        driver.save()
        #expect(driver.said == ["a", "b", "b"] && driver.texts == ["a", "b"])
    }

    @Test("C13: an edit of a refused message takes its place on the screen")
    func editRefused() {
        var driver = Device.connected()
        driver.sayDurably("a")
        driver.hear(.rejected(driver.saidIDs[0], reason: "no"))
        driver.save()
        driver.send(.messageEdited(driver.saidIDs[0], "b"))
        driver.save()
        #expect(driver.texts == ["b"] && driver.said == ["a", "b"])
    }

    @Test("C13, L8: an edit that is too long or has no room is refused")
    func editLimits() {
        var driver = Device.connecting()
        driver.say("a")
        let long = ExactText(String(repeating: "x", count: 65_537))
        driver.send(.messageEdited(driver.queued[0], long))
        #expect(driver.texts == ["a"] && driver.state.conversation.banner == .textTooLong)
    }

    // MARK: Old messages

    @Test("C8: a message of 12 hours ago asks before it is sent, and goes when the person says so")
    func held() {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk)
        driver.say("old")
        driver.serve(from: &disk)
        driver.advance(by: .hours(12) - .milliseconds(1))
        driver.say("new")
        driver.serve(from: &disk)
        var early = driver
        early.send(.shown)
        early.finishConnecting()
        early.save()
        #expect(early.said == ["old"])
        driver.advance(by: .milliseconds(1))
        driver.send(.shown)
        driver.finishConnecting()
        driver.save()
        #expect(driver.said.isEmpty && driver.rows.map { $0.offer } == [.consent, .edit])
        #expect(driver.stuckSpinner == nil)
        var deleting = driver
        deleting.send(.deleted(driver.rows[0].id))
        deleting.save()
        #expect(deleting.said == ["new"])
        driver.send(.heldApproved(driver.queued[1]))
        #expect(driver.said.isEmpty)
        driver.send(.heldApproved(driver.queued[0]))
        driver.save()
        #expect(driver.said == ["old"])
    }

    // MARK: Looking

    @Test("C22: the end is followed; a view elsewhere shows the number of new messages")
    func scroll() {
        var driver = Device.connected()
        driver.hear(.message(Device.reply("s1", "one", at: 1)))
        #expect(Chat.scroll(driver.state) == .toEnd)
        driver.send(.scrolled(isAtEnd: false))
        driver.hear(.message(Device.reply("s2", "two", at: 2)))
        driver.hear(.message(Device.reply("s2", "TWO", at: 2)))
        driver.hear(.delta("s3", "x"))
        driver.hear(.delta("s3", "y"))
        driver.advance(by: .milliseconds(75))
        driver.send(.scrolled(isAtEnd: false))
        #expect(Chat.scroll(driver.state) == .stay(unread: 2))
        driver.say("hello")
        #expect(Chat.scroll(driver.state) == .toEnd)
        driver.send(.scrolled(isAtEnd: false))
        #expect(Chat.scroll(driver.state) == .stay(unread: 0))
        driver.send(.scrolled(isAtEnd: true))
        #expect(Chat.scroll(driver.state) == .toEnd)
    }

    @Test("C13, L8: an unsent message can be edited to the longest text, to the byte")
    func editToLongest() {
        var driver = Device.connecting()
        driver.say("a")
        let longest = String(repeating: "x", count: 65_536)
        driver.send(.messageEdited(driver.queued[0], ExactText(longest)))
        #expect(driver.texts == [longest] && driver.state.conversation.banner == nil)
    }

    @Test("C13: a message that is deleted on the wire leaves the outbox once the server has it")
    func deletedOnWire() throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        let isSilent = { (key: Chat.Key) in key == Device.pageKey(0) || key == Device.contentsKey }
        driver.say("a")
        driver.serve(from: &disk, but: isSilent)
        try driver.delete("a")
        driver.acknowledge()
        driver.serve(from: &disk, but: isSilent)
        #expect(driver.said == ["a"] && driver.outbox(on: disk).isEmpty)
        #expect(Device.restored(&disk, seed: 2).rows.isEmpty)
    }

    @Test("C13: a refused message that is deleted before its row is stored does not come back")
    func deleteBeforeStored() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("a")
        driver.serve(from: &disk) { $0 != Device.outboxKey }
        driver.hear(.rejected(driver.saidIDs[0], reason: "no"))
        driver.send(.deleted(driver.rows[0].id))
        driver.serve(from: &disk) { $0 != Device.outboxKey }
        driver = .connected(&disk)
        driver.serve(from: &disk)
        #expect(driver.rows.isEmpty && driver.said.isEmpty)
    }

    @Test("C13, L8: the deletion of a message that the outbox no longer holds does not write the outbox")
    func deleteStored() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("a", as: "s_1", at: 1, on: &disk)
        driver.hear(.message(Device.reply("s_2", "b", at: 2)))
        driver.serve(from: &disk)
        #expect(driver.outbox(on: disk).isEmpty)
        driver.send(.deleted(driver.rows[0].id))
        #expect(driver.texts == ["b"] && !driver.storage.contains { $0.key == Device.outboxKey })
    }

    @Test("C13: an edit of a refused message to the text of a later one is another message")
    func editRefusedToNewest() {
        var driver = Device.connected()
        driver.sayDurably("a")
        driver.hear(.rejected(driver.saidIDs[0], reason: "no"))
        driver.save()
        driver.sayDurably("b")
        driver.acknowledge()
        driver.save()
        #expect(driver.texts == ["a", "b"])
        driver.send(.messageEdited(driver.saidIDs[0], "b"))
        driver.save()
        #expect(driver.texts == ["b", "b"] && driver.said == ["a", "b", "b"])
    }
}
