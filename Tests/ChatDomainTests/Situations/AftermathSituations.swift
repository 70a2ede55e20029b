// What stays behind when something is over: timers, turns, times, marks and shares of a limit. Each situation ends one
// thing, by a refusal, a stop, a loss, a deletion or a retry, and looks at what must go with it and what must stay.

import Testing

@testable import ChatDomain

@Suite("Situations: what stays behind")
struct AftermathSituations {
    private typealias Device = Driver<Chat>

    // MARK: Timers

    @Test("C9, L4: a lost connection leaves no timer of the message in flight")
    func lostInFlight() {
        var driver = Device.connected()
        driver.sayDurably("q")
        driver.advance(by: .seconds(6))
        #expect(driver.statuses == [.slow] && driver.isRunning(.acknowledgement(.main)))
        driver.lose()
        #expect(!driver.isRunning(.slow(.main)) && !driver.isRunning(.acknowledgement(.main)))
    }

    @Test("S15, L4: a numbered reply that a full message ends leaves no timer of its gap")
    func gapThatIsOver() {
        var driver = Device.connected()
        driver.hear(.began("r", in: .main))
        driver.hear(.chunk("r", index: 1, "lo", isFinal: false))
        #expect(driver.isRunning(.gap("r")))
        driver.hear(.message(Device.reply("r", "Hello", at: 9)))
        #expect(driver.texts == ["Hello"] && !driver.isRunning(.gap("r")))
    }

    @Test("C3: a replay has one deadline in all, however steadily its messages come")
    func replayDeadline() throws {
        var driver = Device.connecting()
        driver.hear(.opened)
        driver.hear(.authenticated(replayCount: 3, isTruncated: false, isReset: false))
        let whole = try #require(driver.remaining(.replay))
        for number: Int64 in 1...2 {
            driver.advance(by: .seconds(1))
            driver.hear(.message(Device.reply(MessageID(ExactText("s\(number)")), "x", at: number)))
            #expect(driver.remaining(.replay) == whole - .seconds(number))
        }
    }

    @Test("C4, C14: uploads go on while the server lets only the connection wait")
    func uploadsGoOn() {
        var driver = Device.uploading()
        driver.lose(.refused(status: 429, retryAfter: .minutes(10), message: ""))
        #expect(driver.failure != nil && driver.uploads.count == 2)
    }

    // MARK: Messages that are over

    @Test("C10, C11: a refused message takes no echo of a later one with its text")
    func refusedThenEchoed() {
        var driver = Device.connected()
        driver.sayDurably("ok")
        driver.hear(.rejected(driver.saidIDs[0], reason: "no"))
        driver.save()
        driver.sayDurably("ok")
        driver.hear(.message(Device.echo("s_2", "ok", at: 2)))
        driver.save()
        #expect(driver.statuses.count == 2 && driver.statuses.contains(.failed(.rejected("no"))))
        #expect(driver.statuses.contains(.delivered) && driver.queued.isEmpty)
    }

    @Test("C14, S6: a delivered question with an uploaded file is asked again after a reply that broke off")
    func uploadedFileAgain() throws {
        var disk = Disk<Chat>()
        var driver = Device.withUploadedFile(&disk)
        driver.acknowledge()
        driver.hear(.message(Device.echo("s_1", "look", at: 1)))
        driver.grow("s_9", to: "Part")
        driver.hear(.replyFailed(.reply("s_9"), reason: "busy"))
        driver.serve(from: &disk)
        try driver.retry(on: &disk)
        #expect(driver.said == ["look", "look"])
        #expect(driver.sentAttachments.map { $0.map { $0.source } } == [[.asset("a_1")], [.asset("a_1")]])
    }

    @Test("C5, C12, C13: a reset that withdraws a deleted reply leaves no note below its question")
    func deletedReplyWithdrawn() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("Hello", as: "s_1", at: 1, on: &disk)
        driver.hear(.message(Device.reply("s_9", "Hi", at: 9)))
        driver.serve(from: &disk)
        driver.send(.deleted(driver.rows[1].id))
        driver.serve(from: &disk)
        driver.loseAndReconnect(replaying: [Device.echo("s_1", "Hello", at: 1)], isReset: true)
        driver.serve(from: &disk)
        #expect(driver.shows == ["me: Hello"] && !driver.isWaiting)
    }

    @Test("S6, R3: kept rows take back the retry of a broken reply while its question is asked again")
    func keptOffer() throws {
        var disk = Disk<Chat>()
        var driver = Device.broken(&disk)
        var kept = Chat.Rows()
        kept.update(driver.state, newest: 20, .neutral)
        #expect(kept.map { $0.offer } == driver.rows.map { $0.offer })
        try driver.retry(on: &disk)
        kept.update(driver.state, newest: 20, .neutral)
        #expect(kept.map { $0.offer } == driver.rows.map { $0.offer })
        #expect(!kept.contains { $0.offer == .retry })
    }

    @Test("R3, L5: kept rows ask for consent to a message that has become too old on its way")
    func keptConsent() {
        var driver = Device.connected()
        driver.sayDurably("q")
        driver.send(.networkChanged(isUp: false))
        driver.lose()
        var kept = Chat.Rows()
        kept.update(driver.state, newest: 20, .neutral)
        #expect(kept.map { $0.offer } == [.edit])
        driver.advance(by: .hours(13))
        driver.send(.networkChanged(isUp: true))
        driver.finishConnecting()
        kept.update(driver.state, newest: 20, .neutral)
        #expect(kept.map { $0.offer } == [.consent] && driver.rows.map { $0.offer } == [.consent])
    }

    @Test("C14, L1: the files of an answered message are erased, and only once")
    func filesErasedOnce() {
        func erased(_ driver: Device) -> Int {
            driver.storage.count { operation in
                if case .attachment = operation.key, case .erase = operation.work { true } else { false }
            }
        }
        var driver = Device.uploading()
        for asset in ["a_1", "a_2"] as [AssetID] { driver.finishUpload(asset) }
        driver.save()
        driver.acknowledge()
        driver.hear(.message(Device.echo("s_1", "look", at: 1)))
        driver.hear(.message(Device.reply("s_9", "Nice", at: 9)))
        #expect(erased(driver) == 2)
        driver.save()
        driver.send(.draftEdited("more"))
        #expect(erased(driver) == 0)
    }

    @Test("C12: a reply after the time of two questions counts for the nearest alone")
    func lateForTwo() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("one", as: "s_1", at: 1, on: &disk)
        driver.ask("two", as: "s_2", at: 2, on: &disk)
        driver.advance(by: .seconds(121))
        #expect(driver.shows == ["me: one ! [retry]", "me: two ! [retry]"])
        driver.hear(.message(Device.reply("s_9", "late", at: 130)))
        #expect(driver.shows == ["me: one ! [retry]", "me: two", "coach: late"])
    }

    // MARK: Replies that nobody wants any more

    @Test("C20, S10: a stopped reply stays muted when it is told complete beyond the limit of growing ones")
    func stoppedInTheCrowd() {
        var driver = Device.connected { $0.growingLimit = 1 }
        driver.hear(.message(Device.reply("r_1", "Some", at: 1, isGrowing: true)))
        driver.advance(by: .milliseconds(100))
        driver.sayDurably("q")
        driver.acknowledge()
        driver.send(.waitingStopped)
        driver.hear(.began("r_2", in: .main))
        driver.hear(.chunk("r_2", index: 0, "unwanted", isFinal: true))
        driver.advance(by: .seconds(1))
        #expect(driver.texts == ["Some", "q"] && !Chat.isTyping(driver.state))
    }

    @Test("S17, C12: a screen reader hears why a reply to another device ended without text")
    func spokenNote() throws {
        var driver = Device.connected()
        driver.hear(.message(Device.echo("s_1", "q", at: 1, from: "device-2")))
        driver.hear(.message(Device.reply("s_9", "", at: 9, isGrowing: true)))
        driver.hear(.replyFailed(.reply("s_9"), reason: "busy"))
        let row = try #require(driver.rows.last)
        #expect(row.text.isEmpty && row.note != nil && row.label.string == row.note?.string)
    }

    // MARK: Conversations

    @Test("C19, S1: the list says that a reply is awaited in a conversation that is not in view")
    func awaitedElsewhere() {
        var driver = Device.connected()
        driver.create("Work")
        driver.sayDurably("to work")
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.send(.conversationSwitched(to: .main))
        #expect(driver.listed.map { $0.isTyping } == [false, true] && !Chat.isTyping(driver.state))
    }

    @Test("C19, L5: a closed conversation that a message reopens is open in the next launch, too")
    func reopened() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        let work = driver.create("Work")
        driver.serve(from: &disk)
        driver.send(.conversationClosed(work))
        driver.serve(from: &disk)
        #expect(driver.titles == ["Chat"])
        driver.hear(
            .message(
                IncomingMessage(
                    id: "m", conversation: work, role: .assistant, text: "x", time: Device.epoch,
                    isGrowing: false)))
        driver.serve(from: &disk)
        #expect(driver.titles == ["Chat", "Work"])
        #expect(Device.restored(&disk, seed: 2).titles == ["Chat", "Work"])
    }

    // MARK: Limits

    @Test("L5, L8: two unsent messages on a page that a full disk never takes are both stored later")
    func keptOnForgottenPage() {
        let isPage: (Chat.Key) -> Bool = { if case .page = $0 { true } else { false } }
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk) { $0.transcriptLimit = 10 }
        driver.send(.shown)
        driver.finishConnecting()
        for text in ["A", "B"] as [ExactText] {
            driver.say(text)
            driver.serve(from: &disk, failing: isPage, with: .full)
            driver.hear(.rejected(driver.saidIDs[driver.saidIDs.count - 1], reason: "no"))
            driver.serve(from: &disk, failing: isPage, with: .full)
        }
        driver.hearReplies(1...Chat.Conversation.fewestKept + 200)
        driver.serve(from: &disk, failing: isPage, with: .full)
        #expect(driver.texts.prefix(2) == ["A", "B"])
        #expect(driver.heldRows <= Chat.Conversation.fewestKept + 100)
        driver.hearReplies(2_000...2_000)
        driver.serve(from: &disk)
        driver = Device.restored(&disk, seed: 2)
        driver.scrollUp(40, on: &disk)
        #expect(driver.texts.prefix(2) == ["A", "B"])
    }

    @Test("C9: a slow message stays slow when a reply fails that came before its acknowledgement")
    func slowBesideFailedReply() {
        var driver = Device.connected()
        driver.sayDurably("q")
        driver.hear(.message(Device.reply("s_9", "", at: 9, isGrowing: true)))
        driver.advance(by: .seconds(6))
        driver.hear(.message(Device.reply("s_9", "", at: 9, isGrowing: true)))
        #expect(driver.statuses.first == .slow)
        driver.hear(.replyFailed(.reply("s_9"), reason: "busy"))
        #expect(driver.statuses.first == .slow)
        driver.acknowledge()
        #expect(driver.statuses.first == .accepted)
    }

    @Test("C9, L4: a late acknowledgement leaves no timer, and the next message has the whole time")
    func acknowledgedLate() {
        var driver = Device.connected()
        driver.sayDurably("one")
        driver.advance(by: .seconds(6))
        #expect(driver.statuses == [.slow] && driver.isRunning(.acknowledgement(.main)))
        driver.acknowledge()
        #expect(!driver.isRunning(.slow(.main)) && !driver.isRunning(.acknowledgement(.main)))
        driver.hear(.message(Device.reply("s_9", "yes", at: 9)))
        driver.save()
        driver.advance(by: .seconds(27))
        driver.sayDurably("two")
        driver.advance(by: .seconds(3))
        #expect(driver.isConnected && driver.statuses.last == .sending)
    }
}
