import ChatDomain
import Testing

private typealias Device = Driver<Chat>

@Suite("Chat: replies that are waited for, asked for again, or no longer wanted")
struct ChatWaitingTests {
    /// Connected, with a question that the server has.
    private func asked(_ text: ExactText = "Hi") -> Device {
        var driver = Device.connected()
        driver.sayDurably(text)
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.save()
        return driver
    }

    @Test(
        "S10: a stopped wait stays stopped over a relaunch, and the reply is muted when it comes all the same"
    )
    func stoppedForGood() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("Hi")
        driver.serve(from: &disk)
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.send(.waitingStopped)
        driver.serve(from: &disk)
        driver = .connected(&disk, seed: 2)
        #expect(!Chat.isTyping(driver.state) && !Chat.isSending(driver.state))
        driver.sayDurably("Two")
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.hear(.message(Device.reply("r1", "to Hi", at: 1)))
        driver.hear(.message(Device.reply("r2", "to Two", at: 2)))
        #expect(driver.texts == ["Hi", "Two", "to Two"])
        #expect(!Chat.isTyping(driver.state))
    }

    @Test("S10: a retry makes a stopped question wanted again, also after a relaunch")
    func wantedAgain() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("Hi")
        driver.serve(from: &disk)
        driver.send(.waitingStopped)
        driver.hear(.rejected(driver.saidIDs[0], reason: "busy"))
        driver.serve(from: &disk)
        guard let row = driver.rows.first(where: { $0.offer == .retry }) else {
            Issue.record("no retry is offered")
            return
        }
        driver.send(.retried(row.id))
        driver.serve(from: &disk)
        driver.hear(.acknowledged(driver.saidIDs[1]))
        driver.serve(from: &disk)
        driver = .connected(&disk)
        #expect(Chat.isTyping(driver.state))
    }

    @Test("C12: a reply is awaited from the acknowledgement on until it has ended")
    func awaited() {
        var driver = asked()
        #expect(driver.state.conversation.awaitsReply)
        driver.hear(.delta("r1", "half"))
        #expect(driver.state.conversation.awaitsReply)
        driver.hear(.message(Device.reply("r1", "whole", at: 1)))
        #expect(!driver.state.conversation.awaitsReply)
    }

    // MARK: Asked for again

    @Test("S6: the partial stays until text that replaces it is shown, and goes then")
    func replaced() {
        var driver = asked()
        driver.hear(.delta("r1", "half of"))
        driver.hear(.replyFailed(.reply("r1"), reason: "busy"))
        #expect(driver.texts == ["Hi", "half of"])
        driver.send(.retried(.received("r1")))
        driver.save()
        driver.hear(.acknowledged(driver.saidIDs[1]))
        driver.hear(.began("r2", in: .main))
        driver.hear(.delta("r2", "whole"))
        #expect(driver.texts == ["Hi", "half of"])
        driver.advance(by: .milliseconds(75))
        #expect(driver.texts == ["Hi", "whole"])
        driver.hear(.message(Device.reply("r2", "whole answer", at: 2)))
        #expect(driver.texts == ["Hi", "whole answer"])
    }

    @Test("S6: a whole answer takes the partial's place, also when it comes before the acknowledgement")
    func replacedWhole() {
        var driver = asked()
        driver.hear(.delta("r1", "half"))
        driver.hear(.replyFailed(.reply("r1"), reason: "busy"))
        driver.send(.retried(.received("r1")))
        driver.save()
        driver.hear(.message(Device.reply("r2", "whole", at: 2)))
        #expect(driver.texts == ["Hi", "whole"])
    }

    @Test("S6: the partial stays for good if no text comes")
    func kept() {
        var driver = asked()
        driver.hear(.delta("r1", "half"))
        driver.hear(.replyFailed(.reply("r1"), reason: "busy"))
        driver.send(.retried(.received("r1")))
        driver.save()
        driver.hear(.acknowledged(driver.saidIDs[1]))
        driver.hear(.began("r2", in: .main))
        driver.hear(.replyFailed(.reply("r2"), reason: "busy"))
        #expect(driver.texts.contains("half"))
        driver.hear(.message(Device.reply("r3", "unasked", at: 3)))
        #expect(driver.texts.contains("half"))
    }

    @Test("S6, C12: a retry at the question replaces the partial behind it, and no other reply does")
    func atTheQuestion() {
        var driver = asked()
        driver.hear(.delta("r1", "half"))
        driver.lose()
        driver.reconnect()
        driver.hear(.replyFailed(.question(driver.saidIDs[0]), reason: "gone"))
        driver.send(.retried(.written(driver.saidIDs[0])))
        driver.save()
        driver.hear(.message(Device.reply("x", "of another device", at: 2)))
        driver.hear(.acknowledged(driver.saidIDs[1]))
        #expect(driver.rows.filter { $0.role == .user }.count == 1)
    }

    // MARK: No longer wanted

    @Test("S10: a reply that has not begun can be stopped; it is muted when it comes, and so is no other")
    func stopped() {
        var driver = asked()
        #expect(Chat.isTyping(driver.state))
        driver.send(.waitingStopped)
        #expect(!Chat.isTyping(driver.state) && !Chat.isSending(driver.state))
        driver.sayDurably("And now?")
        driver.hear(.acknowledged(driver.saidIDs[1]))
        driver.hear(.delta("r1", "to the first"))
        driver.hear(.delta("r1", " and more"))
        driver.hear(.delta("r2", "to the second"))
        driver.advance(by: .milliseconds(75))
        #expect(driver.texts == ["Hi", "And now?", "to the second"])
        driver.hear(.message(Device.reply("r1", "to the first and more", at: 2)))
        #expect(driver.texts == ["Hi", "And now?", "to the second"])
    }

    @Test("S10: a stop is told to the server once, for each question and each reply without visible text")
    func stopTold() {
        var driver = asked()
        driver.hear(.began("r1", in: .main))
        driver.sayDurably("And now?")
        driver.hear(.acknowledged(driver.saidIDs[1]))
        driver.send(.waitingStopped)
        driver.send(.waitingStopped)
        #expect(driver.stops == [.stop(.reply("r1")), .stop(.question(driver.saidIDs[1]))])
    }

    @Test("S10: a whole answer that is no longer wanted is muted, and a replay brings it")
    func stoppedWhole() {
        var driver = asked()
        driver.send(.waitingStopped)
        let answer = Device.reply("r1", "whole", at: 2)
        driver.hear(.message(answer))
        #expect(driver.texts == ["Hi"])
        driver.lose()
        driver.reconnect(replaying: [answer])
        #expect(driver.texts == ["Hi", "whole"])
    }

    @Test("S10, C12: nobody is told that an answer failed which nobody wanted")
    func stoppedAndFailed() {
        for fails in [true, false] {
            var driver = asked()
            driver.send(.waitingStopped)
            driver.send(.waitingStopped)
            if fails { driver.hear(.replyFailed(.question(driver.saidIDs[0]), reason: "busy")) }
            driver.advance(by: .seconds(121))
            #expect(driver.statuses == [.delivered] && driver.stuckSpinner == nil)
        }
    }

    @Test("S10: a stop of what has not begun does not stop a reply that is in view")
    func inView() {
        var driver = asked()
        driver.hear(.delta("r1", "so"))
        driver.advance(by: .milliseconds(75))
        driver.send(.waitingStopped)
        driver.hear(.delta("r1", " far"))
        driver.advance(by: .milliseconds(75))
        #expect(driver.texts == ["Hi", "so far"] && driver.rows.last?.isGrowing == true)
    }

    @Test("L1: with nothing to wait for, stopping changes nothing")
    func nothing() {
        var driver = Device.connected()
        let before = driver.state
        #expect(driver.send(.waitingStopped) == [] && driver.state == before)
    }

    // MARK: Too long

    @Test("S7: a reply that goes on for 300 s is ended, with what there is of it")
    func whole() {
        var driver = asked()
        driver.hear(.delta("r1", "."))
        for _ in 0..<14 {
            driver.advance(by: .seconds(20))
            driver.hear(.delta("r1", "."))
        }
        driver.advance(by: .seconds(19))
        #expect(driver.rows[1].isGrowing)
        driver.hear(.delta("r1", "."))
        driver.advance(by: .seconds(1))
        #expect(!driver.rows[1].isGrowing && driver.texts[1] == String(repeating: ".", count: 16))
        #expect(driver.rows[1].offer == .retry)
    }

    // MARK: Signs of life

    @Test("C1: 90 s after the last sign of life the connection counts as lost")
    func liveness() {
        var driver = Device.connected()
        driver.hear(.alive)
        driver.advance(by: .seconds(60))
        driver.hear(.alive)
        driver.advance(by: .seconds(89))
        #expect(driver.isConnected)
        driver.advance(by: .seconds(1))
        #expect(driver.isReconnecting)
    }

    @Test("C1: a server that tells how often it gives a sign of life is lost after twice that")
    func heartbeat() {
        var driver = Device.connected()
        driver.hear(.heartbeat(every: .seconds(120)))
        driver.hear(.alive)
        driver.advance(by: .seconds(239))
        #expect(driver.isConnected)
        driver.advance(by: .seconds(1))
        #expect(driver.isReconnecting)
        driver.reconnect()
        driver.hear(.alive)
        driver.advance(by: .seconds(90))
        #expect(driver.isReconnecting)
    }

    @Test("C1: a server that tells how often it gives a sign of life, and gives none, is lost as well")
    func announcedHeartbeat() {
        for (interval, limit) in [(30, 90), (120, 240)] as [(Int64, Int64)] {
            var driver = Device.connected()
            driver.hear(.heartbeat(every: .seconds(interval)))
            driver.advance(by: .seconds(limit - 1))
            #expect(driver.isConnected)
            driver.advance(by: .seconds(1))
            #expect(driver.isReconnecting)
        }
    }

    @Test("C1: a gap is a sign of life of a server that gives them, because one may be missing there")
    func gapAsSign() {
        var driver = Device.connected()
        driver.hear(.gap)
        driver.advance(by: .hours(2))
        #expect(driver.isConnected)
        driver.hear(.heartbeat(every: .seconds(30)))
        for _ in 0..<3 {
            driver.advance(by: .seconds(80))
            driver.hear(.gap)
        }
        driver.advance(by: .seconds(89))
        #expect(driver.isConnected)
        driver.advance(by: .seconds(1))
        #expect(driver.isReconnecting)
    }

    @Test("C1: where no sign of life was ever seen or announced, none is missed")
    func lifeless() {
        var driver = Device.connected()
        driver.advance(by: .hours(2))
        #expect(driver.isConnected)
        driver.hear(.alive)
        driver.lose()
        driver.reconnect()
        driver.advance(by: .hours(2))
        #expect(driver.isConnected)
    }

    @Test("C12, L3: a launch that finds a retry beside its old page waits for the reply to the retry alone")
    func retryBesideOldPage() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("a")
        driver.serve(from: &disk)
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.serve(from: &disk)
        driver.advance(by: .seconds(120))
        driver.send(.retried(driver.rows[0].id))
        for operation in driver.storage where operation.key == Device.outboxKey {
            _ = disk.carryOut(operation)
        }
        var again = Device.connected(&disk)
        #expect(again.awaitedReplies == [] && again.stuckSpinner == nil)
        again.serve(from: &disk)
        again.hear(.acknowledged(again.saidIDs[0]))
        #expect(again.awaitedReplies == again.saidIDs)
        again.advance(by: .seconds(120))
        #expect(again.statuses == [.failed(.noReply)] && again.stuckSpinner == nil)
    }

    @Test("C5, L3: a wait for a reply ends when the history is withdrawn")
    func withdrawn() {
        var driver = Device.connected()
        driver.sayDurably("a")
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.hear(.message(Device.echo("m1", "a", at: 1)))
        driver.lose()
        driver.advance(by: .seconds(2))
        driver.hear(.authenticated(replayCount: 0, isTruncated: false, isReset: true))
        #expect(driver.texts == [] && Chat.isTyping(driver.state))
        driver.advance(by: .seconds(120))
        #expect(!Chat.isTyping(driver.state) && driver.stuckSpinner == nil)
    }
}
