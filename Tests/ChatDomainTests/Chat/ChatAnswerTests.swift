import ChatDomain
import Testing

/// Replies find their questions by their order alone; what a person does meanwhile may not confuse them.
@Suite("Chat: which question a reply answers")
struct ChatAnswerTests {
    private typealias Device = Driver<Chat>

    /// Two questions that the server has, and the first reply has begun.
    private static func asked() -> Device {
        var driver = Device.connected()
        for number in 0..<2 {
            driver.sayDurably(ExactText("q\(number + 1)"))
            driver.hear(.acknowledged(driver.saidIDs[number]))
        }
        driver.hear(.delta("r1", "one"))
        driver.advance(by: .milliseconds(100))
        return driver
    }

    @Test(
        "S6, L6, C12: a partial reply is retried by its own question, not by the one that still waits")
    func ownQuestion() {
        for isStopped in [false, true] {
            var driver = Self.asked()
            if isStopped {
                driver.send(.replyStopped(.received("r1")))
            } else {
                driver.hear(.replyFailed(.reply("r1"), reason: "busy"))
            }
            #expect(driver.texts == ["q1", "q2", "one"] && driver.rows[2].offer == .retry)
            driver.hear(.message(Device.reply("r2", "two", at: 9)))
            #expect(driver.rows[2].offer == .retry)
            driver.send(.retried(driver.rows[2].id))
            driver.save()
            #expect(driver.said == ["q1", "q2", "q1"])
            // While it goes, nothing offers to send it once more.
            #expect(driver.rows.allSatisfy { $0.offer != .retry })
            driver.hear(.acknowledged(driver.saidIDs[2]))
            driver.hear(.message(Device.reply("r3", "anew", at: 10)))
            #expect(driver.texts.sorted() == ["anew", "q1", "q2", "two"])
        }
    }

    @Test(
        "C10, C12: a message that the server obeys waits for no reply, now or after a relaunch, and takes no other's"
    )
    func obeyed() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("/stop")
        driver.serve(from: &disk)
        driver.hear(.obeyed(driver.saidIDs[0]))
        driver.say("q2")
        driver.serve(from: &disk)
        driver.hear(.acknowledged(driver.saidIDs[1]))
        driver.hear(.message(Device.reply("r1", "two", at: 1)))
        driver.serve(from: &disk)
        driver.advance(by: .minutes(3))
        #expect(driver.texts == ["/stop", "q2", "two"] && driver.rows.allSatisfy { $0.offer != .retry })
        #expect(driver.stuckSpinner == nil)
        let next = Device.restored(&disk, seed: 2)
        #expect(next.texts == ["/stop", "q2", "two"] && next.rows.allSatisfy { $0.offer != .retry })
        driver.hear(.obeyed(driver.saidIDs[0]))
        #expect(driver.texts == ["/stop", "q2", "two"])
    }

    @Test("C10, C12: a message that the server has obeyed is offered no retry after a relaunch, either")
    func obeyedBefore() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("/stop")
        driver.serve(from: &disk)
        driver.hear(.obeyed(driver.saidIDs[0]))
        driver.serve(from: &disk)
        driver = .relaunched(&disk)
        driver.advance(by: .minutes(3))
        #expect(driver.rows.allSatisfy { $0.offer != .retry } && !driver.isWaiting)
        driver.sayDurably("q2")
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.hear(.message(Device.reply("r1", "two", at: 200)))
        #expect(driver.shows == ["me: /stop", "me: q2", "coach: two"] && !driver.isWaiting)
    }

    @Test("S4: no retry is offered for a reply to another device, or to files whose bytes are gone")
    func nothingToRetry() {
        var driver = Device.connected()
        driver.hear(.message(Device.echo("m1", "theirs", at: 1, from: "device-2")))
        driver.hear(.delta("r1", "one"))
        driver.hear(.replyFailed(.reply("r1"), reason: "busy"))
        #expect(driver.rows.count == 2 && driver.rows[1].offer == .nothing)
        var other = Device.connected()
        other.send(
            .attachmentPicked(PickedFile(kind: .image, mimeType: "image/png", name: "a", bytes: [1])))
        other.save()
        other.sayDurably("mine")
        other.hear(.acknowledged(other.saidIDs[0]))
        other.hear(.delta("r1", "one"))
        other.hear(.replyFailed(.reply("r1"), reason: "busy"))
        #expect(other.rows.count == 2 && other.rows[1].offer == .nothing)
    }

    @Test("S4, C10: a broken reply to another device promises no retry, one to this device does")
    func promises() {
        for isOwn in [false, true] {
            var driver = Device.connected()
            if isOwn {
                driver.sayDurably("mine")
                driver.hear(.acknowledged(driver.saidIDs[0]))
            } else {
                driver.hear(.message(Device.echo("m1", "theirs", at: 1, from: "device-2")))
            }
            driver.hear(.delta("r1", "one"))
            driver.advance(by: .seconds(31))
            #expect(driver.texts.last == "one" && driver.rows.last?.offer == (isOwn ? .retry : .nothing))
            for wording in [Wording.neutral, .coach] {
                let note = Chat.rows(driver.state, newest: 9, wording).last?.note
                #expect(note == (isOwn ? wording.lostAfterText : wording.lostWithoutRetry))
            }
        }
    }

    @Test("C12, L6: a reply that comes after its time is the reply all the same", arguments: [1, 2])
    func late(questions: Int) {
        var driver = Device.connected()
        for number in 0..<questions {
            driver.sayDurably(ExactText("q\(number + 1)"))
            driver.hear(.acknowledged(driver.saidIDs[number]))
            driver.hear(
                .message(
                    Device.echo(MessageID(ExactText("m\(number)")), ExactText("q\(number + 1)"), at: 1)))
        }
        driver.send(.networkChanged(isUp: false))
        driver.advance(by: .seconds(180))
        #expect(driver.statuses == Array(repeating: .failed(.noReply), count: questions))
        driver.send(.networkChanged(isUp: true))
        let replies = (0..<questions).map { number in
            Device.reply(
                MessageID(ExactText("r\(number)")), ExactText("a\(number + 1)"), at: 10 + Int64(number))
        }
        driver.finishConnecting(replaying: replies)
        #expect(driver.rows.allSatisfy { $0.offer != .retry && $0.note == nil })
        #expect(driver.rows.filter { $0.role == .user }.allSatisfy { $0.status == .delivered })
    }

    @Test("S4: where no question is near, no retry is offered, however many replies have failed")
    func unasked() {
        var driver = Device.connected()
        for number in 0..<500 {
            driver.hear(.message(Device.reply(MessageID(ExactText("s\(number)")), "x", at: Int64(number))))
            driver.hear(.delta(MessageID(ExactText("p\(number)")), "y"))
            driver.hear(.replyFailed(.reply(MessageID(ExactText("p\(number)"))), reason: "z"))
        }
        #expect(driver.rows.count == 1_000 && driver.rows.allSatisfy { $0.offer == .nothing })
    }

    @Test(
        "C12, S10: a reply that goes on after a lost connection leaves the wait of the next question alone; left over is the one above"
    )
    func goesOn() {
        var driver = Self.asked()
        driver.lose()
        driver.reconnect()
        driver.hear(.delta("r1", " more"))
        driver.advance(by: .milliseconds(100))
        #expect(driver.statuses[1] == .accepted && driver.texts.contains("one more"))
        driver.advance(by: .seconds(120))
        #expect(driver.statuses[0] == .failed(.noReply) && driver.statuses[1] == .delivered)
    }

    @Test("S10: a stop before the acknowledgement leaves neither a spinner nor the reply")
    func stoppedEarly() {
        for isCut in [false, true] {
            var driver = Device.connected()
            driver.sayDurably("q")
            driver.send(.waitingStopped)
            #expect(!Chat.isTyping(driver.state) && !Chat.isSending(driver.state))
            if isCut {
                driver.lose()
                driver.reconnect()
                driver.save()
            }
            driver.hear(.acknowledged(driver.saidIDs[driver.saidIDs.count - 1]))
            #expect(!Chat.isTyping(driver.state) && driver.statuses == [.delivered])
            driver.hear(.message(Device.reply("r", "unwanted", at: 9)))
            #expect(driver.texts == ["q"] && driver.stuckSpinner == nil)
            // The next question is answered as ever.
            driver.sayDurably("next")
            driver.hear(.acknowledged(driver.saidIDs[driver.saidIDs.count - 1]))
            driver.hear(.message(Device.reply("s", "wanted", at: 10)))
            #expect(driver.texts == ["q", "next", "wanted"])
        }
    }

    @Test("C12: a refusal after a stop is shown, and the next reply is accepted")
    func stoppedAndRefused() {
        var driver = Device.connected()
        driver.sayDurably("q")
        driver.send(.waitingStopped)
        driver.hear(.rejected(driver.saidIDs[0], reason: "no"))
        #expect(driver.statuses == [.failed(.rejected("no"))])
        driver.sayDurably("next")
        driver.hear(.acknowledged(driver.saidIDs[1]))
        driver.hear(.message(Device.reply("s", "wanted", at: 10)))
        #expect(driver.texts == ["q", "next", "wanted"])
    }

    @Test("C5, C12: the question of a partial that the server has lost is unanswered, with a retry")
    func lostPartial() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("q")
        driver.serve(from: &disk)
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.hear(.message(Device.echo("m", "q", at: 1)))
        driver.hear(.delta("r", "half"))
        driver.advance(by: .milliseconds(100))
        driver.lose()
        driver.serve(from: &disk)
        driver = Device.restored(&disk, seed: 2)
        #expect(driver.texts == ["q", "half"])
        driver.send(.shown)
        driver.finishConnecting()
        #expect(driver.texts == ["q"] && driver.statuses == [.failed(.noReply)])
        #expect(driver.rows[0].offer == .retry && driver.stuckSpinner == nil)
    }

    @Test("L3, C12: a message still accepted when its page comes late is unanswered, and delays no other")
    func latePage() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("q")
        driver.serve(from: &disk)
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.serve(from: &disk)
        driver = Device.fresh(seed: 2)
        driver.send(.signedIn(Device.account))
        driver.send(.shown)
        driver.serve(from: &disk, but: { $0 == Device.pageKey(0) })
        driver.advance(by: Chat.Configuration().storageLimit)
        driver.finishConnecting()
        driver.serve(from: &disk)
        #expect(driver.statuses == [.failed(.noReply)] && driver.stuckSpinner == nil)
        driver.hear(.message(Device.reply("r", "late", at: Int64(9))))
        #expect(driver.texts.sorted() == ["late", "q"])
    }
}

/// What may not leave the screen or the disk, and what has to.
@Suite("Chat: what stays, and what goes")
struct ChatKeepingTests {
    private typealias Device = Driver<Chat>

    @Test("L5, C19: a conversation that shows something unsent is neither closed nor forgotten")
    func unsentStays() {
        var driver = Device.connected()
        let work = driver.create("Work")
        driver.save()
        driver.say("q")
        driver.save()
        driver.hear(.rejected(driver.saidIDs[0], reason: "no"))
        driver.save()
        #expect(driver.state.conversation.outbox.handedOver.isEmpty)
        driver.send(.conversationClosed(work))
        #expect(driver.titles.contains("Work") && driver.state.conversation.banner == .conversationHasUnsent)
        driver.send(.deleted(driver.rows[0].id))
        driver.send(.conversationClosed(work))
        #expect(!driver.titles.contains("Work"))
    }

    @Test("L5, R3: the list tells of a refused message, also after a relaunch, until it is deleted or taken")
    func refusedIsListed() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.create("Work")
        driver.serve(from: &disk)
        driver.say("q")
        driver.serve(from: &disk)
        driver.hear(.rejected(driver.saidIDs[0], reason: "no"))
        driver.serve(from: &disk)
        #expect(driver.listed.map { $0.hasUnsent } == [false, true])
        var next = Device.connected(&disk, seed: 2)
        #expect(next.listed.map { $0.hasUnsent } == [false, true])
        next.send(.retried(next.rows[0].id))
        next.serve(from: &disk)
        #expect(next.listed.map { $0.hasUnsent } == [false, true])
        next.hear(.acknowledged(next.saidIDs[0]))
        next.serve(from: &disk)
        #expect(next.listed.map { $0.hasUnsent } == [false, false])
        driver.send(.deleted(driver.rows[0].id))
        #expect(driver.listed.map { $0.hasUnsent } == [false, false])
    }

    @Test("C5: history that was withdrawn before it was loaded does not come back with it")
    func withdrawnUnread() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        for number in 0..<3 {
            driver.hear(.message(Device.reply(MessageID(ExactText("s\(number)")), "old", at: Int64(number))))
        }
        driver.serve(from: &disk)
        driver = Device.fresh(seed: 2)
        driver.send(.signedIn(Device.account))
        driver.send(.shown)
        driver.serve(from: &disk, but: { $0 == Device.contentsKey })
        driver.advance(by: Chat.Configuration().storageLimit)
        driver.hear(.opened)
        driver.hear(.authenticated(replayCount: 1, isTruncated: false, isReset: true))
        driver.hear(.message(Device.reply("n", "new", at: 9)))
        #expect(driver.texts == ["new"])
        driver.serve(from: &disk)
        driver.send(.olderRequested)
        driver.serve(from: &disk)
        #expect(driver.texts == ["new"])
        driver = Device.restored(&disk, seed: 3)
        driver.send(.olderRequested)
        driver.serve(from: &disk)
        #expect(driver.texts == ["new"])
    }

    @Test("C14, L8: the files of a deleted message go, whatever becomes of it afterwards", arguments: 0..<4)
    func deletedFiles(end: Int) {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.send(
            .attachmentPicked(PickedFile(kind: .image, mimeType: "image/png", name: "a", bytes: [1])))
        driver.serve(from: &disk)
        driver.say("q")
        driver.serve(from: &disk)
        let isFile = { (key: Chat.Key) in if case .attachment = key { true } else { false } }
        #expect(disk.records.contains { isFile($0.key) } && driver.said == ["q"])
        if end == 3 { driver.hear(.acknowledged(driver.saidIDs[0])) }
        driver.send(.deleted(driver.rows[0].id))
        switch end {
        case 0:
            driver.lose()
            driver.reconnect()
        case 1: driver.hear(.rejected(driver.saidIDs[0], reason: "no"))
        case 2: driver.hear(.replyFailed(.question(driver.saidIDs[0]), reason: "busy"))
        default: driver.advance(by: .seconds(120))
        }
        driver.serve(from: &disk)
        #expect(driver.rows.isEmpty && !disk.records.contains { isFile($0.key) })
    }

    @Test("L5, C19: the list that names a new conversation is saved again before its draft")
    func listedBeforeDraft() throws {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk)
        driver.create("Work")
        driver.answer(Device.listKey, with: .failed(.full))
        driver.send(.draftEdited("do not lose me"))
        driver.advance(by: .seconds(1))
        driver.serve(from: &disk)
        driver = Device.restored(&disk, seed: 2)
        #expect(driver.titles.contains("Work"))
        let work = try #require(driver.listed.first { $0.title == "Work" })
        driver.send(.conversationSwitched(to: work.id))
        driver.serve(from: &disk)
        #expect(driver.draft == "do not lose me")
    }
}
