import ChatDomain
import Testing

/// Replies of servers that name the question: whatever comes in whichever order, each is that to its question.
@Suite("Chat: replies that name their question")
struct ChatNamedReplyTests {
    private typealias Device = Driver<Chat>

    private static func reply(
        _ id: MessageID, _ text: ExactText, to question: ClientID, at second: Int64 = 1,
        isGrowing: Bool = false
    ) -> Chat.Event {
        .message(
            IncomingMessage(
                id: id, role: .assistant, text: text, time: Device.epoch + .seconds(second),
                isGrowing: isGrowing, question: question))
    }

    /// Two questions that the server has.
    private static func asked() -> Device {
        var driver = Device.connected()
        for number in 0..<2 {
            driver.sayDurably(ExactText("q\(number + 1)"))
            driver.hear(.acknowledged(driver.saidIDs[number]))
        }
        return driver
    }

    @Test("C12: a reply to another client's question answers none here, and one's own failure is told")
    func foreign() {
        var driver = Self.asked()
        driver.hear(Self.reply("other", "Other", to: "other"))
        #expect(driver.rows.prefix(2).allSatisfy { $0.status == .accepted })
        driver.hear(.replyFailed(.question(driver.saidIDs[0]), reason: "provider failed"))
        #expect(driver.texts == ["q1", "q2", "Other"])
        #expect(driver.rows[0].note == "provider failed" && driver.rows[0].offer == .retry)
        driver.hear(Self.reply("k2", "Mine", to: driver.saidIDs[1], at: 2))
        #expect(driver.rows[1].status == .delivered && driver.rows[1].offer != .retry)
        driver.advance(by: .minutes(3))
        #expect(driver.rows.filter { $0.offer == .retry }.count == 1 && driver.stuckSpinner == nil)
    }

    @Test("C12, S6: replies out of order have their own questions, and a retry asks the right one again")
    func outOfOrder() {
        var driver = Self.asked()
        driver.hear(Self.reply("k2", "two", to: driver.saidIDs[1], at: 2))
        #expect(driver.rows[0].status == .accepted && driver.rows[1].status == .delivered)
        driver.hear(Self.reply("k1", "on", to: driver.saidIDs[0], at: 3, isGrowing: true))
        driver.advance(by: .milliseconds(100))
        driver.hear(.replyFailed(.reply("k1"), reason: "busy"))
        guard let partial = driver.rows.first(where: { $0.text.string == "on" }) else {
            Issue.record("the partial reply is not shown")
            return
        }
        #expect(partial.offer == .retry)
        driver.send(.retried(partial.id))
        driver.save()
        #expect(driver.said == ["q1", "q2", "q1"])
    }

    @Test("C12: of two questions, one answered, the other says that it is not, and no reply moves")
    func noneMoves() {
        var driver = Self.asked()
        driver.hear(Self.reply("k1", "one", to: driver.saidIDs[0]))
        driver.advance(by: .seconds(121))
        #expect(driver.statuses[0] == .delivered && driver.rows[0].offer != .retry)
        #expect(driver.rows[1].offer == .retry && driver.texts == ["q1", "q2", "one"])
    }

    @Test("C12: a question that has failed, or whose time is over, is answered by the reply that names it")
    func failedBefore() {
        for isOver in [false, true] {
            var driver = Self.asked()
            if isOver {
                driver.advance(by: .seconds(121))
            } else {
                driver.hear(.replyFailed(.question(driver.saidIDs[0]), reason: "provider failed"))
            }
            #expect(driver.rows[0].offer == .retry)
            driver.hear(Self.reply("k1", "one", to: driver.saidIDs[0]))
            #expect(driver.rows[0].status == .delivered && driver.rows[0].offer != .retry)
            #expect(driver.texts == ["q1", "q2", "one"] && driver.stuckSpinner == nil)
        }
    }

    @Test(
        "C11, C12: a reply acknowledges the question that it names, before a refusal and after it",
        arguments: [false, true])
    func refused(isFirst: Bool) {
        var driver = Device.connected()
        driver.sayDurably("q1")
        let key = driver.saidIDs[0]
        if isFirst { driver.hear(.rejected(key, reason: "x")) }
        driver.hear(Self.reply("k1", "o", to: key, isGrowing: true))
        if !isFirst { driver.hear(.rejected(key, reason: "x")) }
        driver.hear(Self.reply("k1", "one", to: key))
        #expect(driver.texts == ["q1", "one"] && driver.statuses[0] == .delivered)
        #expect(driver.rows.allSatisfy { $0.offer != .retry } && driver.queued.isEmpty)
        driver.advance(by: .minutes(3))
        #expect(driver.statuses[0] == .delivered && driver.said == ["q1"])
    }

    @Test("C20: replies to a stopped question stay muted, and take no other question's turn")
    func stopped() {
        var driver = Device.connected()
        driver.sayDurably("q1")
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.send(.waitingStopped)
        driver.sayDurably("q2")
        driver.hear(.acknowledged(driver.saidIDs[1]))
        driver.hear(Self.reply("a", "unwanted", to: driver.saidIDs[0], at: 2))
        driver.hear(Self.reply("b", "unwanted", to: driver.saidIDs[0], at: 3))
        #expect(driver.texts.filter { $0 == "unwanted" }.isEmpty && driver.statuses[1] == .accepted)
        driver.hear(Self.reply("c", "two", to: driver.saidIDs[1], at: 4))
        #expect(driver.statuses[1] == .delivered)
    }

    @Test("C12: a question of an earlier launch is answered by the reply that names it, and by no other")
    func relaunched() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        for number in 0..<2 {
            driver.say(ExactText("q\(number + 1)"))
            driver.serve(from: &disk)
            driver.hear(.acknowledged(driver.saidIDs[number]))
        }
        driver.serve(from: &disk)
        let keys = driver.saidIDs
        driver = Device.connected(&disk, seed: 2)
        driver.hear(Self.reply("k2", "two", to: keys[1], at: 2))
        driver.serve(from: &disk)
        #expect(driver.statuses[1] == .delivered && driver.statuses[0] != .delivered)
        driver.hear(Self.reply("k1", "one", to: keys[0], at: 3))
        #expect(driver.statuses.prefix(2) == [.delivered, .delivered])
        #expect(driver.rows.allSatisfy { $0.offer != .retry } && driver.stuckSpinner == nil)
    }
}
