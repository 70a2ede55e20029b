import ChatDomain
import Testing

@Suite("Chat: changing what was written")
struct ChatChangingTests {
    private typealias Device = Driver<Chat>

    // MARK: Retry

    @Test(
        "C12, L6: refused when it is sent again, a message may have been taken before, and goes under a new id"
    )
    func refusedAgain() {
        var driver = Device.connected()
        driver.sayDurably("a")
        driver.lose()
        driver.reconnect()
        driver.hear(.rejected(driver.saidIDs[1], reason: "Send again under a new id"))
        driver.save()
        #expect(driver.rows.map { $0.offer } == [.retry] && driver.saidIDs[0] == driver.saidIDs[1])
        driver.send(.retried(driver.rows[0].id))
        driver.save()
        #expect(driver.said == ["a", "a", "a"] && driver.saidIDs[2] != driver.saidIDs[1])
        #expect(driver.texts == ["a"])
    }

    @Test("C12: a message that was accepted and not answered goes again under a new id, in its place")
    func retryUnanswered() {
        var driver = Device.connected()
        driver.sayDurably("a")
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.hear(.message(Device.echo("m1", "a", at: 1)))
        driver.save()
        driver.advance(by: .seconds(120))
        driver.hear(.message(Device.reply("s5", "other", at: 5)))
        #expect(driver.rows[0].offer == .retry)
        driver.send(.retried(driver.rows[0].id))
        driver.save()
        #expect(driver.said == ["a", "a"] && driver.saidIDs[0] != driver.saidIDs[1])
        #expect(driver.texts == ["a", "other"] && driver.statuses[0] == .sending)
        driver.hear(.acknowledged(driver.saidIDs[0]))
        #expect(driver.statuses[0] == .sending)
        driver.hear(.acknowledged(driver.saidIDs[1]))
        driver.hear(.message(Device.echo("m2", "a", at: 6)))
        driver.hear(.message(Device.echo("m2", "a", at: 6)))
        driver.hear(.message(Device.reply("s7", "yes", at: 7)))
        #expect(driver.texts == ["a", "other", "yes"] && driver.statuses[0] == .delivered)
    }

    @Test("C12: a refused message goes again under its own id")
    func retryRefused() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.sayDurably("a")
        driver.hear(.rejected(driver.saidIDs[0], reason: "no"))
        driver.serve(from: &disk)
        driver.send(.retried(driver.rows[0].id))
        driver.serve(from: &disk)
        #expect(driver.saidIDs.count == 2 && driver.saidIDs[0] == driver.saidIDs[1])
        driver.hear(.message(Device.echo("m1", "a")))
        #expect(driver.texts == ["a"] && driver.statuses == [.delivered])
        driver.serve(from: &disk)
        #expect(disk[Device.outboxKey] == .outbox([]))
    }

    @Test("C12: a retry and a reconnection send one copy")
    func retryAndFlush() {
        var driver = Device.connected()
        driver.sayDurably("a")
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.save()
        driver.hear(.replyFailed(.question(driver.saidIDs[0]), reason: "busy"))
        driver.lose()
        driver.send(.retried(driver.rows[0].id))
        driver.send(.retried(driver.rows[0].id))
        driver.save()
        driver.reconnect()
        driver.send(.retried(driver.rows[0].id))
        driver.save()
        #expect(driver.said == ["a", "a"] && driver.texts == ["a"])
    }

    @Test("C12, L6: whichever record of a retry is stored when the process ends, there is one bubble")
    func retryStored() {
        for isOutboxStored in [true, false] {
            var disk = Disk<Chat>()
            var driver = Device.connected(&disk)
            driver.say("a")
            driver.serve(from: &disk)
            driver.hear(.acknowledged(driver.saidIDs[0]))
            driver.hear(.replyFailed(.question(driver.saidIDs[0]), reason: "busy"))
            driver.serve(from: &disk)
            driver.send(.retried(driver.rows[0].id))
            for operation in driver.storage where (operation.key == Device.outboxKey) == isOutboxStored {
                _ = disk.carryOut(operation)
            }
            let again = Device.connected(&disk)
            #expect(again.texts == ["a"])
            #expect(again.queued.count == (isOutboxStored ? 1 : 0))
        }
    }

    @Test("C12, L6: a retry that is on the wire before its first bubble is loaded has one bubble then")
    func retryBeforeLoaded() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("a")
        driver.serve(from: &disk)
        driver.hear(.message(Device.echo("m1", "a")))
        driver.hear(.replyFailed(.question(driver.saidIDs[0]), reason: "busy"))
        driver.serve(from: &disk)
        driver.send(.retried(driver.rows[0].id))
        for operation in driver.storage where operation.key == Device.outboxKey {
            _ = disk.carryOut(operation)
        }
        var again = Device.fresh(seed: 2)
        again.send(.signedIn(Device.account))
        again.send(.shown)
        again.serve(from: &disk, except: Device.pageKey(0))
        again.advance(by: .seconds(5))
        again.finishConnecting()
        again.serve(from: &disk, except: Device.pageKey(0))
        #expect(again.said == ["a"] && again.texts == ["a"])
        again.serve(from: &disk)
        #expect(again.texts == ["a"])
    }

    /// A process that knows of a retry, and has not loaded the page of what it repeats yet.
    private static func retryBeforePage(_ disk: inout Disk<Chat>) -> Device {
        var driver = Device.connected(&disk)
        driver.say("a")
        driver.serve(from: &disk)
        driver.hear(.message(Device.echo("m1", "a")))
        driver.hear(.replyFailed(.question(driver.saidIDs[0]), reason: "busy"))
        driver.lose()
        driver.serve(from: &disk)
        driver.send(.retried(driver.rows[0].id))
        for operation in driver.storage where operation.key == Device.outboxKey {
            _ = disk.carryOut(operation)
        }
        var again = Device.fresh(seed: 2)
        again.send(.signedIn(Device.account))
        again.serve(from: &disk, except: Device.pageKey(0))
        return again
    }

    @Test(
        "C13: a message that goes again is not changed before its old page is loaded; the new text goes too")
    func editedBeforeLoaded() {
        var disk = Disk<Chat>()
        var driver = Self.retryBeforePage(&disk)
        driver.send(.messageEdited(driver.queued[0], "b"))
        driver.serve(from: &disk)
        #expect(driver.texts == ["a", "b"])
        driver.send(.shown)
        driver.finishConnecting()
        driver.serve(from: &disk)
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.serve(from: &disk)
        #expect(driver.said == ["a", "b"])
    }

    @Test("C13: a message that goes again and is deleted before its old page is loaded stays so")
    func deletedBeforeLoaded() {
        var disk = Disk<Chat>()
        var driver = Self.retryBeforePage(&disk)
        driver.send(.deleted(.written(driver.queued[0])))
        driver.serve(from: &disk)
        #expect(driver.texts == [] && driver.queued == [])
        #expect(Device.restored(&disk).texts == [])
    }

    @Test("C10, C12, L6: a retry that goes on in another process has its echo matched, one bubble in all")
    func retryAfterRelaunch() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("a")
        driver.serve(from: &disk)
        driver.hear(.message(Device.echo("m1", "a")))
        driver.hear(.replyFailed(.question(driver.saidIDs[0]), reason: "busy"))
        driver.lose()
        driver.send(.retried(driver.rows[0].id))
        driver.serve(from: &disk)
        var again = Device.connected(&disk)
        again.serve(from: &disk)
        #expect(again.said == ["a"])
        again.hear(.message(Device.echo("m2", "a")))
        #expect(again.texts == ["a"] && again.queued.isEmpty)
    }

    @Test("C13: what was deleted stays so when the server says it before it is loaded")
    func deletedLoadedLate() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("a")
        driver.serve(from: &disk)
        driver.hear(.message(Device.echo("m1", "a")))
        driver.send(.deleted(driver.rows[0].id))
        driver.serve(from: &disk)
        var again = Device.fresh()
        again.send(.signedIn(Device.account))
        again.send(.shown)
        again.advance(by: .seconds(5))
        again.finishConnecting(replaying: [Device.echo("m1", "a")])
        again.serve(from: &disk)
        #expect(again.texts == [])
    }

    @Test(
        "C13, L6: what a replay may bring is loaded before, so that it is known and what was deleted stays so"
    )
    func deletedInOlderPage() {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk) { $0.pageLength = 2 }
        driver.send(.shown)
        driver.finishConnecting()
        // While a reply grows the cursor stays before it, so the next replay brings all of this again.
        driver.hear(.delta("s1", "par"))
        let echoes = (1...5).map { Device.echo(MessageID("m\($0)"), ExactText("\($0)"), at: Int64($0)) }
        for echo in echoes { driver.hear(.message(echo)) }
        driver.send(.deleted(.received("m1")))
        driver.serve(from: &disk)
        var again = Device.restored(&disk) { $0.pageLength = 2 }
        again.send(.shown)
        again.finishConnecting(replaying: echoes)
        #expect(again.askedCursor == nil && again.texts == ["2", "3", "4", "5"])
    }

    @Test("C12: a reply that failed leads to its question")
    func retryReply() {
        var driver = Device.connected()
        driver.sayDurably("a")
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.hear(.delta("s1", "par"))
        driver.hear(.replyFailed(.reply("s1"), reason: "busy"))
        driver.save()
        #expect(driver.rows[1].offer == .retry)
        driver.send(.retried(.received("s1")))
        driver.save()
        #expect(driver.said == ["a", "a"] && driver.texts == ["a", "par"])
    }

    // MARK: Delete

    @Test("C13: what was never on a wire can be deleted, and nothing brings it back")
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

    @Test("C13: what was on a wire is hidden, and stays so over echo, replay and relaunch")
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
        var transcript = Transcript(seed: 1, pageLength: 50)
        for number in 0..<1_005 {
            transcript.insert(
                Message(
                    id: MessageID("s\(number)"), role: .assistant, body: .text(LongText("x")),
                    time: Device.epoch + .seconds(Int64(number)), isPlaced: true, isHidden: true))
        }
        transcript.withdraw()
        #expect(transcript.rows.count == 1_000)
        #expect(
            transcript.ordinal(of: MessageID("s4")) == nil && transcript.ordinal(of: MessageID("s5")) != nil)
    }

    // MARK: Edit

    @Test("C13: what was never on a wire says something else, in its place and under its id")
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

    @Test("C22: the end is followed, and who looks elsewhere is told how much has come")
    func scroll() {
        var driver = Device.connected()
        driver.hear(.message(Device.reply("s1", "one", at: 1)))
        #expect(Chat.scroll(driver.state) == .toEnd)
        driver.send(.scrolled(isAtEnd: false))
        driver.hear(.message(Device.reply("s2", "two", at: 2)))
        driver.hear(.message(Device.reply("s2", "TWO", at: 2)))
        driver.hear(.delta("s3", "x"))
        driver.hear(.delta("s3", "y"))
        driver.send(.scrolled(isAtEnd: false))
        #expect(Chat.scroll(driver.state) == .stay(unread: 2))
        driver.say("hello")
        #expect(Chat.scroll(driver.state) == .toEnd)
        driver.send(.scrolled(isAtEnd: false))
        #expect(Chat.scroll(driver.state) == .stay(unread: 0))
        driver.send(.scrolled(isAtEnd: true))
        #expect(Chat.scroll(driver.state) == .toEnd)
    }
}

extension Driver where F == Chat {
    /// A disk answers all but what is under one key.
    fileprivate mutating func serve(from disk: inout Disk<Chat>, except silent: Chat.Key) {
        while let operation = storage.first(where: { $0.key != silent }) {
            answer(operation.key, with: disk.carryOut(operation))
        }
    }
}
