// Which message a reply settles: one in pieces that all come at once, one to the copy before a retry, one that only order
// gives to a message, and one that fails without text.

import ChatDomain
import Testing

@Suite("Chat: what a reply settles")
struct ChatReplyTurnTests {
    private typealias Device = Driver<Chat>

    @Test("S6, S15: a reply to a retry whose pieces all come within one batch replaces the partial")
    func piecesAtOnce() throws {
        var disk = Disk<Chat>()
        var driver = Device.broken(&disk)
        try driver.retry(on: &disk)
        driver.acknowledge()
        driver.hear(.chunk("s_12", index: 0, "Who", isFinal: false))
        driver.hear(.chunk("s_12", index: 1, "le", isFinal: true))
        #expect(driver.shows == ["me: Hello", "coach: Whole"] && !driver.isWaiting)
        driver.serve(from: &disk)
        #expect(Device.relaunched(&disk).shows == ["me: Hello", "coach: Whole"])
    }

    @Test("C9, C12: a retry that was in flight goes again, though the reply to the copy before it has come")
    func retryInFlight() throws {
        var disk = Disk<Chat>()
        var driver = Device.broken(&disk)
        try driver.retry(on: &disk)
        driver.loseAndReconnect(replaying: [Device.reply("s_9", "Whole", at: 9)])
        driver.serve(from: &disk)
        #expect(driver.said == ["Hello", "Hello", "Hello"] && driver.saidIDs[1] == driver.saidIDs[2])
        driver.acknowledge()
        driver.hear(.message(Device.echo("s_10", "Hello", at: 10)))
        driver.hear(.message(Device.reply("s_11", "Again", at: 11)))
        driver.advance(by: .seconds(121))
        #expect(driver.shows == ["me: Hello", "coach: Whole", "coach: Again"] && !driver.isWaiting)
    }

    @Test(
        "C12, L5: a failed reply that order gave to the message in flight takes no turn from its own",
        arguments: [.replyFailed(.reply("r_0"), reason: "busy"), .message(Device.reply("r_0", "", at: 1))]
            as [Chat.Event])
    func failedBeforeOwn(failure: Chat.Event) {
        var driver = Device.connected()
        driver.sayDurably("Hello")
        driver.hear(.began("r_0", in: .main))
        driver.hear(failure)
        #expect(driver.shows == ["me: Hello"] && driver.isWaiting)
        driver.hear(.message(Device.reply("r_1", "Hi", at: 2)))
        driver.acknowledge()
        #expect(!driver.isWaiting && driver.isDelivered("Hello"))
        driver.advance(by: .seconds(121))
        #expect(driver.shows == ["me: Hello", "coach: Hi"])
    }

    @Test("L5, C12: the end of a reply that only order gave to a message does not say that it arrived")
    func wholeByOrder() throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("Hello")
        driver.serve(from: &disk)
        driver.grow("r_1", to: "Part")
        driver.lose()
        driver.serve(from: &disk)
        disk[Device.outboxKey] = nil
        driver = .relaunched(&disk, replaying: [Device.reply("r_1", "Part and rest", at: 9)])
        #expect(driver.shows == ["me: Hello", "coach: Part and rest"] && driver.listed[0].hasUnsent)
        driver.send(.deleted(driver.rows[1].id))
        #expect(driver.shows == ["me: Hello ! [retry]"])
        try driver.retry(on: &disk)
        #expect(driver.said == ["Hello"])
    }

    @Test("S10, C20: a stop reaches a deferred message, though order gave its turn to another reply")
    func stoppedBehindAnother() {
        var driver = Device.connected()
        driver.sayDurably("Hello")
        driver.hear(.began("r_0", in: .main))
        driver.hear(.deferred(driver.saidIDs[0]))
        #expect(Chat.isTyping(driver.state))
        driver.send(.waitingStopped)
        driver.advance(by: .seconds(1))
        #expect(driver.said == ["Hello", "Hello"] && !driver.isWaiting)
        driver.acknowledge()
        driver.hear(.message(Device.reply("r_1", "unwanted", at: 2)))
        #expect(driver.shows == ["me: Hello"] && !driver.isWaiting)
    }

    @Test(
        "S10, C20: a reply that names a stopped question is muted, though another reply had its turn",
        arguments: [false, true])
    func stoppedThenNamed(isLost: Bool) {
        var driver = Device.connected()
        driver.sayDurably("Hello")
        let key = driver.saidIDs[0]
        driver.hear(.began("r_0", in: .main))
        driver.send(.waitingStopped)
        if isLost { driver.loseAndReconnect() }
        driver.acknowledge()
        driver.hear(
            .message(
                IncomingMessage(
                    id: "r_1", role: .assistant, text: "unwanted", time: Device.epoch + .seconds(9),
                    isGrowing: false, question: key)))
        #expect(driver.shows == ["me: Hello"])
    }

    @Test(
        "C12: a reply that fails without text answers no later question, which says in time that it has none",
        arguments: [false, true])
    func staysFailed(isNamed: Bool) {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("One", as: "s_1", at: 1, on: &disk)
        driver.ask("Two", as: "s_2", at: 2, on: &disk)
        driver.hear(
            isNamed
                ? .replyFailed(.reply("s_3"), reason: "busy") : .message(Device.reply("s_3", "", at: 3)))
        let failed = driver.statuses[0]
        #expect(driver.statuses[1] == .delivered)
        driver.advance(by: .seconds(121))
        #expect(driver.statuses == [failed, .failed(.noReply)])
        #expect(driver.shows == ["me: One ! [retry]", "me: Two ! [retry]"])
    }
}
