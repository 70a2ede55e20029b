// What comes a second time: a try, a telling, a tap. A question that is asked again, an echo and a reply that are told
// again, and a row that is looked at again change no more than the second time should.

import Testing

@testable import ChatDomain

@Suite("Situations: the second time")
struct SecondTimeSituations {
    private typealias Device = Driver<Chat>

    @Test("C12: a refused question offers its retry while its lost reply goes on without any text")
    func textlessReply() {
        var driver = Device.connected()
        driver.sayDurably("q")
        driver.hear(.message(Device.reply("s_9", "", at: 9, isGrowing: true)))
        driver.lose()
        driver.reconnect()
        driver.hear(.rejected(driver.saidIDs[0], reason: "no"))
        driver.hear(.message(Device.reply("s_9", "", at: 9, isGrowing: true)))
        #expect(driver.said == ["q", "q"] && driver.shows == ["me: q ! [retry]"])
    }

    @Test("R3, C21: kept rows show a message that waits after its row has left memory")
    func keptWaiting() {
        var driver = Device.connected {
            $0.pageLength = 1
            $0.transcriptLimit = Chat.Conversation.fewestKept
        }
        driver.sayDurably("q")
        driver.hear(.deferred(driver.saidIDs[0], after: .minutes(5)))
        driver.hearReplies(1...Chat.Conversation.fewestKept - 1)
        driver.save()
        var kept = Chat.Rows()
        kept.update(driver.state, newest: 20, .neutral)
        #expect(kept.count == 20 && kept.last?.text.string == "r")
        driver.hearReplies(Chat.Conversation.fewestKept...Chat.Conversation.fewestKept)
        kept.update(driver.state, newest: 20, .neutral)
        #expect(driver.texts.last == "q" && driver.texts.first == "r")
        #expect(kept.count == 21 && kept.last?.text.string == "q")
    }

    @Test("C5, C10: a running question of another device counts in a replay like any other, and is shown")
    func runningQuestion() {
        var driver = Device.connecting()
        driver.finishConnecting(replaying: [
            IncomingMessage(
                id: "s_1", role: .user, text: "Hi", time: Device.epoch, device: "desktop", isGrowing: true)
        ])
        #expect(driver.isConnected && driver.shows == ["me: Hi"])
    }

    @Test("C5, L3: the server ends a replay in which fewer messages came than it had announced")
    func shortReplay() {
        var driver = Device.connecting()
        driver.hear(.opened)
        driver.hear(.authenticated(replayCount: 2, isTruncated: false, isReset: false))
        driver.hear(.message(Device.reply("s_1", "Hi", at: 1)))
        #expect(!driver.isConnected)
        driver.hear(.replayEnded)
        #expect(driver.isConnected && driver.shows == ["coach: Hi"])
        driver.hear(.replayEnded)
        #expect(driver.isConnected)
    }

    /// “q” is answered; its entry in the outbox has lost the mark that it was sent, and has this text. The next launch.
    private func unmarked(_ disk: inout Disk<Chat>, saying text: ExactText) throws -> Device {
        var driver = Device.asking(&disk)
        driver.say("q")
        driver.serve(from: &disk)
        let key = try #require(driver.questions.first?.key)
        driver.reply(.token("a"))
        driver.reply(.done(nil, nil))
        driver.serve(from: &disk)
        disk[Device.outboxKey] = .outbox([
            OutboxEntry(key: key, text: text, written: Device.epoch, wasSent: false)
        ])
        driver = .asking(&disk, seed: 2)
        driver.serve(from: &disk)
        return driver
    }

    @Test("L6, S9: a question whose whole reply is stored is not asked again when the disk has lost its mark")
    func answeredWithoutMark() throws {
        var disk = Disk<Chat>()
        let driver = try unmarked(&disk, saying: "q")
        #expect(driver.questions.isEmpty && driver.queued.isEmpty && driver.outbox(on: disk).isEmpty)
        #expect(driver.shows == ["me: q", "coach: a"])
    }

    @Test("L5, L6, S9: an unmarked entry with another text than its answered question is a new message")
    func unmarkedWithOtherText() throws {
        var disk = Disk<Chat>()
        let driver = try unmarked(&disk, saying: "other")
        #expect(driver.shows == ["me: q", "coach: a", "me: other"])
        #expect(driver.questions.map { $0.text } == ["other"])
    }

    @Test("C5, C10: an echo that is told twice does not move the cursor back")
    func echoToldTwice() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("Hello", as: "s_1", at: 1, on: &disk)
        driver.hear(.message(Device.reply("s_9", "Hi", at: 9)))
        driver.hear(.message(Device.echo("s_1", "Hello", at: 1)))
        driver.loseAndReconnect()
        #expect(driver.cursor == "s_9")
    }

    @Test("L5, L6: a message that a disk has lost the sending of is not sent again after its echo")
    func unmarkedButEchoed() {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk)
        driver.send(.shown)
        driver.say("q")
        driver.serve(from: &disk)
        var early = disk
        driver.finishConnecting()
        driver.serve(from: &disk)
        #expect(driver.said == ["q"])
        let echo = Device.echo("s_1", "q", client: driver.saidIDs.last, at: 1)
        driver = .relaunched(&early, replaying: [echo])
        #expect(driver.shows == ["me: q"] && driver.isDelivered("q"))
        #expect(driver.said.isEmpty && driver.queued.isEmpty)
    }

    @Test("C12, S3: a lost reply that a replay ends without text is over, and its partial stays")
    func endedWithoutText() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("Hello", as: "s_1", at: 1, on: &disk)
        driver.grow("s_9", to: "Part")
        driver.loseAndReconnect(replaying: [Device.reply("s_9", "", at: 9)])
        driver.grow("s_9", to: "Part of it")
        #expect(driver.shows == ["me: Hello", "coach: Part ! [retry]"])
    }

    @Test("C20, S10: a replay shows the reply that was stopped before it began")
    func stoppedAndReplayed() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("Hello", as: "s_1", at: 1, on: &disk)
        driver.send(.waitingStopped)
        driver.loseAndReconnect(replaying: [Device.reply("s_9", "Hi", at: 9)])
        #expect(driver.shows == ["me: Hello", "coach: Hi"])
    }

    @Test("C12, C20: a refused question whose muted reply has come is asked again under a new key")
    func refusedAfterMutedReply() throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("q")
        driver.serve(from: &disk)
        driver.send(.waitingStopped)
        driver.hear(.message(Device.reply("s_9", "Hi", at: 9)))
        driver.hear(.rejected(driver.saidIDs[0], reason: "no"))
        driver.serve(from: &disk)
        try driver.retry(on: &disk)
        #expect(driver.said == ["q", "q"] && driver.saidIDs.first != driver.saidIDs.last)
    }

    @Test("C11, C12: a deferral takes back one send alone, so an earlier one may still have been accepted")
    func deferredAfterLoss() {
        var driver = Device.connected()
        driver.sayDurably("q")
        driver.lose()
        driver.reconnect()
        driver.hear(.deferred(driver.saidIDs[0]))
        driver.advance(by: .seconds(1))
        #expect(driver.said == ["q", "q", "q"])
        driver.hear(.rejected(driver.saidIDs[0], reason: "no"))
        let ending = ReplyEnding(.reported("no"), needsNewKey: true)
        #expect(driver.statuses == [.failed(.unanswered(ending))])
    }

    @Test("C11, C12: a message that was sent before keeps its reply when it is put off")
    func deferredWithReply() {
        var driver = Device.connected()
        driver.sayDurably("q")
        driver.lose()
        driver.reconnect()
        driver.grow("s_9", to: "A")
        driver.hear(.deferred(driver.saidIDs[0]))
        driver.advance(by: .seconds(1))
        driver.acknowledge()
        driver.hear(.message(Device.reply("s_9", "Answer", at: 9)))
        driver.save()
        driver.advance(by: .seconds(121))
        #expect(driver.statuses == [.delivered, nil])
    }

    @Test("C11, C12: put off, lost and then refused, a message was never taken, and keeps its id")
    func deferredAndLost() {
        var driver = Device.connected()
        driver.sayDurably("a")
        driver.hear(.deferred(driver.saidIDs[0]))
        driver.lose()
        driver.reconnect()
        driver.save()
        #expect(driver.said == ["a", "a"])
        driver.hear(.rejected(driver.saidIDs[1], reason: "no"))
        driver.save()
        #expect(driver.statuses == [.failed(.rejected("no"))])
        driver.send(.retried(driver.rows[0].id))
        driver.save()
        #expect(driver.said.count == 3 && driver.saidIDs[2] == driver.saidIDs[0])
    }

    @Test("C12, L6: a refused retry that is tried again after a relaunch waits for its reply")
    func refusedRetryAfterRelaunch() throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("one", as: "s_1", at: 1, on: &disk)
        driver.ask("two", as: "s_2", at: 2, on: &disk)
        driver.grow("s_9", to: "Part")
        driver.hear(.replyFailed(.reply("s_9"), reason: "busy"))
        driver.serve(from: &disk)
        try driver.retry(on: &disk)
        driver.hear(.rejected(driver.saidIDs[2], reason: "no"))
        driver.serve(from: &disk)
        driver = .relaunched(&disk)
        try driver.retry(on: &disk)
        driver.acknowledge()
        #expect(driver.said == ["one"] && driver.statuses.first == .accepted)
    }

    @Test("C2, C8: a retry lets the question go at once that waited for the network")
    func releasedByRetry() throws {
        var driver = Device.asking()
        driver.sayDurably("a")
        driver.breakOff(.refused(status: 400, retryAfter: nil, message: ""))
        driver.save()
        driver.sayDurably("b")
        for _ in 0..<2 {
            driver.breakOff(.failed(.offline))
            driver.advance(by: .milliseconds(400))
        }
        driver.save()
        #expect(driver.questions.isEmpty && driver.obstacle == .offline)
        let failed = try #require(driver.rows.first { $0.offer == .retry })
        driver.send(.retried(failed.id))
        driver.save()
        #expect(driver.questions.map { $0.text } == ["b"])
    }

    @Test("C13: a second tap on delete changes nothing")
    func deletedTwice() throws {
        var driver = Device.connected()
        driver.hear(.message(Device.reply("s1", "x", at: 1)))
        driver.save()
        let row = try #require(driver.rows.first).id
        driver.send(.deleted(row))
        driver.save()
        let effects = driver.send(.deleted(row))
        #expect(effects.isEmpty && driver.texts.isEmpty)
    }
}
