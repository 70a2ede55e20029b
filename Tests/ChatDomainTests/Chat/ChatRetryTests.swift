import ChatDomain
import Testing

@Suite("Chat: what is sent again")
struct ChatRetryTests {
    private typealias Device = Driver<Chat>

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

    @Test("C12: a message that was accepted and not answered is sent again under a new id, in its place")
    func retryUnanswered() {
        var driver = Device.connected()
        driver.sayDurably("a")
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.hear(.message(Device.echo("m1", "a", at: 1)))
        driver.save()
        driver.advance(by: .seconds(120))
        driver.hear(.message(Device.echo("m5", "other", at: 5, from: "device-2")))
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

    @Test("C12: a refused message is sent again under its own id")
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

    @Test("C12, L6: a refused message whose retry waits over a relaunch can be refused again, under its id")
    func refusedOverRelaunch() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("a")
        driver.serve(from: &disk)
        driver.hear(.rejected(driver.saidIDs[0], reason: "no"))
        driver.lose()
        driver.send(.retried(driver.rows[0].id))
        driver.serve(from: &disk)
        #expect(driver.outbox(on: disk).map { $0.wasSent } == [false])
        driver = .connected(&disk)
        driver.serve(from: &disk)
        #expect(driver.said == ["a"])
        driver.hear(.rejected(driver.saidIDs[0], reason: "no"))
        #expect(driver.statuses == [.failed(.rejected("no"))])
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
        "C13: a message that is sent again is not changed before its old page is loaded; the new text goes too"
    )
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

    @Test("C13: a message that is sent again and is deleted before its old page is loaded stays so")
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

    @Test("C13: a deleted message stays deleted when the server names it before its page is loaded")
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
        "C13, L6: pages that a replay may touch are loaded before, so messages are known and deleted ones stay deleted"
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
}

extension Driver where F == Chat {
    /// A disk answers all but what is under one key.
    fileprivate mutating func serve(from disk: inout Disk<Chat>, except silent: Chat.Key) {
        while let operation = storage.first(where: { $0.key != silent }) {
            answer(operation.key, with: disk.carryOut(operation))
        }
    }
}
