// Questions that were asked more than once, by this device or by two: which copy an echo, a reply or a reset
// belongs to.

import Testing

@testable import ChatDomain

@Suite("Copies of a question, and what each is told")
struct RetriedCopyTests {
    private typealias Device = Driver<Chat>

    /// “Hello” is with the server as s_1, and its reply has failed before any text.
    private static func unanswered(_ disk: inout Disk<Chat>) -> Device {
        var driver = Device.connected(&disk)
        driver.ask("Hello", as: "s_1", at: 1, on: &disk)
        driver.hear(.replyFailed(.question(driver.saidIDs[0]), reason: "busy"))
        driver.serve(from: &disk)
        return driver
    }

    /// The partial reply to “Hello” has failed, and the server has its retry as s_10.
    private static func retried(_ disk: inout Disk<Chat>) throws -> Device {
        var driver = Device.broken(&disk)
        try driver.retry(on: &disk)
        driver.acknowledge()
        driver.hear(.message(Device.echo("s_10", "Hello", at: 10)))
        driver.serve(from: &disk)
        return driver
    }

    @Test("C12: a retry that was never sent leaves no key behind when the late reply comes before the echo")
    func neverSent() throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.hear(.message(Device.reply("s_0", "Hi", at: 0)))
        driver.say("Hello")
        driver.serve(from: &disk)
        driver.acknowledge()
        driver.advance(by: .seconds(121))
        driver.lose()
        try driver.retry(on: &disk)
        driver.reconnect(replaying: [Device.reply("s_9", "Late", at: 9)])
        driver.serve(from: &disk)
        #expect(driver.said == ["Hello"] && driver.shows == ["coach: Hi", "me: Hello", "coach: Late"])
        let written = driver.state.conversation.transcript.message(driver.saidIDs[0])?.written
        #expect(written?.key == driver.saidIDs[0] && written?.former == [])
    }

    @Test("C10: of equal texts, an echo in doubt from before that of the first is not that of the second")
    func echoedInOrder() {
        let text = LongText("ok")
        func time(_ second: Int64) -> WallTime { WallTime(millisecondsSince1970: second * 1_000) }
        var copies = Copies()
        for key in ["c_1", "c_2"] as [ClientID] {
            copies.sent(key, of: key, saying: text, since: time(0))
            #expect(copies.taken(key) == nil)
        }
        let first = copies.echoed("s_5", key: nil, saying: text, at: time(5), .live)
        #expect(first == .of(client: "c_1", key: "c_1"))
        let doubted = Copies.Telling.inDoubt(isNews: false)
        #expect(copies.echoed("s_3", key: nil, saying: text, at: time(3), doubted) == .unclaimed)
        let second = copies.echoed("s_6", key: nil, saying: text, at: time(6), doubted)
        #expect(second == .of(client: "c_2", key: "c_2"))
    }

    @Test("C5, L6: a reset whose replay breaks off before its first message is gone on with")
    func brokenReset() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("Hello", as: "s_1", at: 1, on: &disk)
        driver.hear(.message(Device.reply("s_2", "Hi", at: 2)))
        driver.lose()
        while driver.calls.isEmpty, let next = driver.remaining(.reconnect) { driver.advance(by: next) }
        driver.hear(.opened)
        driver.hear(.authenticated(replayCount: 2, isTruncated: false, isReset: true))
        driver.loseAndReconnect(replaying: [
            Device.echo("s_1", "Hello", at: 1), Device.reply("s_2", "Hi", at: 2),
        ])
        #expect(driver.cursor == nil && driver.isConnected)
        #expect(driver.shows == ["me: Hello", "coach: Hi"] && driver.isDelivered("Hello"))
    }

    @Test("S6, C12: a reply that has begun replaces the partial one, also if its question is obeyed")
    func obeyedAfterBeginning() throws {
        var disk = Disk<Chat>()
        var driver = try Self.retried(&disk)
        driver.grow("s_12", to: "", at: 12)
        driver.hear(.obeyed(driver.saidIDs[1]))
        driver.grow("s_12", to: "All", at: 12)
        #expect(driver.shows == ["me: Hello", "coach: All…"])
    }

    @Test("S6, S3: a partial reply that fails before its first batch is due replaces the earlier one")
    func secondPartial() throws {
        var disk = Disk<Chat>()
        var driver = try Self.retried(&disk)
        driver.hear(.message(Device.reply("s_12", "New", at: 12, isGrowing: true)))
        driver.hear(.replyFailed(.reply("s_12"), reason: "busy"))
        #expect(driver.shows == ["me: Hello", "coach: New ! [retry]"])
    }

    @Test("L6: the echo of a second retry that only the stored outbox has does not double the message")
    func secondRetry() throws {
        var disk = Disk<Chat>()
        var driver = try Self.retried(&disk)
        driver.hear(.replyFailed(.question(driver.saidIDs[1]), reason: "busy"))
        driver.serve(from: &disk)
        let row = try #require(driver.rows.first { $0.offer == .retry })
        driver.send(.retried(row.id))
        driver.serve(from: &disk) { $0 == Device.pageKey(0) }
        #expect(driver.said.count == 3)
        driver = .relaunched(&disk, replaying: [Device.echo("s_20", "Hello", at: 20)])
        #expect(driver.said == [] && driver.queued == [])
        #expect(driver.texts == ["Hello", "Part"] && driver.isDelivered("Hello"))
    }

    @Test("C16, L6: a message that a reset tells under its retry alone has the place of the retry")
    func placeOfRetry() throws {
        var disk = Disk<Chat>()
        var driver = Self.unanswered(&disk)
        try driver.retry(on: &disk)
        driver.acknowledge()
        let replayed = [Device.reply("s_3", "Three", at: 3), Device.echo("s_5", "Hello", at: 5)]
        driver.loseAndReconnect(replaying: replayed, isReset: true)
        #expect(driver.texts == ["Three", "Hello"] && driver.isDelivered("Hello"))
    }

    @Test("C12: a stored reply exactly 120 s after a question of another device is that to the next one")
    func exactlyLate() {
        func told(_ id: MessageID, at second: Int64, by author: Message.Author) -> Message {
            Message(
                id: id, author: author, body: .text(LongText("Hello")), time: Device.epoch + .seconds(second),
                isPlaced: true)
        }
        var disk = Disk<Chat>()
        disk[Device.contentsKey] = .contents(Contents(oldestPage: 0, newestPage: 0))
        let messages = [
            told("s_1", at: 0, by: .elsewhere("tablet")), told("s_2", at: 10, by: .elsewhere("tablet")),
            told("s_3", at: 120, by: .assistant(to: nil)),
        ]
        disk[Device.pageKey(0)] = .page(Page(messages: messages, cursor: "s_3"))
        var driver = Device.fresh()
        driver.context.moment = Moment(now: driver.context.now, wall: Device.epoch + .seconds(121))
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk)
        driver.send(.shown)
        driver.finishConnecting()
        #expect(driver.isConnected && driver.rows.count == 3 && !driver.state.conversation.awaitsReply)
    }
}
