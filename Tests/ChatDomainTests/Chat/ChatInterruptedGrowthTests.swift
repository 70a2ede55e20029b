// Replies that grow over a lost connection, beside others, or while a replay is running, and the cursor
// of the next connection.

import ChatDomain
import Testing

@Suite("Chat: replies that grow, break off and go on")
struct ChatInterruptedGrowthTests {
    private typealias Device = Driver<Chat>

    @Test("S7, L3: a reply that goes on after a lost connection ends 300 s later, however it drips")
    func wholeDuration() {
        var driver = Device.connected()
        driver.grow("s_9", to: "Part")
        driver.loseAndReconnect()
        driver.grow("s_9", to: "Part of")
        for _ in 0..<14 {
            driver.advance(by: .seconds(20))
            driver.hear(.delta("s_9", "."))
        }
        #expect(driver.rows.map { $0.isGrowing } == [true])
        driver.advance(by: .seconds(20))
        #expect(driver.rows.map { $0.isGrowing } == [false] && driver.texts == ["Part of.............."])
    }

    @Test(
        "C22, S3: a reply that ends before its first batch was due is unread, if the person has scrolled up",
        arguments: [
            [.delta("s_9", "Part")],
            [.delta("s_9", "Part"), .replyFailed(.reply("s_9"), reason: "busy")],
            [.chunk("s_9", index: 0, "Part", isFinal: true)],
        ] as [[Chat.Event]])
    func unreadAtOnce(events: [Chat.Event]) {
        var driver = Device.connected()
        driver.send(.scrolled(isAtEnd: false))
        for event in events { driver.hear(event) }
        driver.lose()
        #expect(driver.texts == ["Part"] && Chat.scroll(driver.state) == .stay(unread: 1))
    }

    @Test(
        "C22: a reply that was read while it grew is not unread when whole, whatever another one has",
        arguments: [false, true])
    func readWhileGrowing(isInterrupted: Bool) {
        var driver = Device.connected()
        driver.send(.scrolled(isAtEnd: false))
        driver.grow("r_1", to: "One", at: 1)
        driver.grow("r_2", to: "", at: 2)
        #expect(Chat.scroll(driver.state) == .stay(unread: 1))
        for isAtEnd in [true, false] { driver.send(.scrolled(isAtEnd: isAtEnd)) }
        if isInterrupted {
            driver.loseAndReconnect()
            driver.grow("r_1", to: "One, and", at: 1)
            #expect(driver.texts.first == "One, and" && Chat.scroll(driver.state) == .stay(unread: 0))
        }
        driver.hear(.message(Device.reply("r_1", "One.", at: 1)))
        #expect(driver.texts.first == "One." && Chat.scroll(driver.state) == .stay(unread: 0))
    }

    @Test("S6: a lost connection leaves no row of a retry's reply without text beside the partial one")
    func retryWithoutText() throws {
        var disk = Disk<Chat>()
        var driver = Device.broken(&disk)
        try driver.retry(on: &disk)
        driver.acknowledge()
        driver.hear(.message(Device.echo("s_10", "Hello", at: 10)))
        driver.grow("s_12", to: "", at: 12)
        driver.lose()
        #expect(driver.texts == ["Hello", "Part"])
    }

    @Test("C5: a reply that ends during a replay does not move the cursor over what is still to be told")
    func endedDuringReplay() {
        var driver = Device.connected()
        driver.hear(.message(Device.numbered(1)))
        driver.loseAndReconnect(replaying: [
            Device.reply("s9", "Par", at: 9, isGrowing: true), Device.reply("s9", "Part", at: 9),
        ])
        #expect(driver.texts == ["1", "Part"] && !driver.isConnected)
        driver.loseAndReconnect()
        #expect(driver.cursor == "s1")
    }

    @Test(
        "C5, C16: an older reply that is told anew with more than a text does not move the cursor back",
        arguments: [(["kept"], nil), ([], "c_9")] as [([ExactText], ClientID?)])
    func toldAnew(flags: [ExactText], question: ClientID?) {
        var driver = Device.connected()
        for number: Int64 in 1...2 { driver.hear(.message(Device.numbered(number))) }
        driver.hear(
            .message(
                IncomingMessage(
                    id: "s1", role: .assistant, text: "one", time: Device.epoch + .seconds(1),
                    isGrowing: false, flags: flags, question: question)))
        #expect(driver.texts == ["one", "2"])
        driver.loseAndReconnect()
        #expect(driver.cursor == "s2")
    }
}
