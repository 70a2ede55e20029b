import ChatDomain
import Testing

/// What counts as unread can be read.
@Suite("Chat: unread messages that go, and come again")
struct ChatUnreadTests {
    private typealias Device = Driver<Chat>

    /// “1” was read; “2” and “3” have come since the person left the end.
    private func withTwoUnread() -> Device {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.hear(.message(Device.numbered(1)))
        driver.send(.scrolled(isAtEnd: false))
        driver.hear(.message(Device.numbered(2)))
        driver.hear(.message(Device.numbered(3)))
        return driver
    }

    @Test("C22, C5: what a reset takes is no longer unread")
    func taken() {
        var driver = withTwoUnread()
        #expect(Chat.scroll(driver.state) == .stay(unread: 2))
        driver.loseAndReconnect(isReset: true)
        #expect(driver.isConnected && driver.texts == [] && Chat.scroll(driver.state) == .stay(unread: 0))
    }

    @Test("C22, C5: of what a reset tells again what was unread is unread, beside what is new")
    func toldAgain() {
        var driver = withTwoUnread()
        driver.loseAndReconnect(replaying: (1...4).map(Device.numbered), isReset: true)
        #expect(driver.texts == ["1", "2", "3", "4"] && Chat.scroll(driver.state) == .stay(unread: 3))
    }

    @Test("C22, C5: at the end all is read, also what a reset has taken and is still to tell again")
    func readBetween() {
        var driver = withTwoUnread()
        driver.lose()
        while driver.calls.isEmpty, let next = driver.remaining(.reconnect) { driver.advance(by: next) }
        driver.hear(.opened)
        driver.hear(.authenticated(replayCount: 4, isTruncated: false, isReset: true))
        driver.send(.scrolled(isAtEnd: true))
        driver.send(.scrolled(isAtEnd: false))
        for number in 1...4 as ClosedRange<Int64> { driver.hear(.message(Device.numbered(number))) }
        #expect(driver.isConnected && driver.texts == ["1", "2", "3", "4"])
        #expect(Chat.scroll(driver.state) == .stay(unread: 1))
    }

    @Test("C22, C19: what a reset takes from another conversation is not unread in the list")
    func takenElsewhere() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        let work = driver.create("Work")
        driver.send(.conversationSwitched(to: .main))
        driver.serve(from: &disk)
        for id in ["w1", "w2"] as [MessageID] {
            driver.hear(
                .message(
                    IncomingMessage(
                        id: id, conversation: work, role: .assistant, text: "x", time: Device.epoch,
                        isGrowing: false)))
        }
        #expect(driver.listed.map { $0.unread } == [0, 2])
        driver.loseAndReconnect(isReset: true)
        #expect(driver.listed.map { $0.unread } == [0, 0])
        driver.send(.conversationSwitched(to: work))
        #expect(driver.texts == [])
    }

    @Test("C22, C17: a reply that a reset takes half-grown is not unread, and counts once when whole")
    func growing() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.send(.scrolled(isAtEnd: false))
        driver.grow("r", to: "Part")
        #expect(Chat.scroll(driver.state) == .stay(unread: 1))
        var without = driver
        without.loseAndReconnect(isReset: true)
        #expect(without.texts == [] && Chat.scroll(without.state) == .stay(unread: 0))
        driver.loseAndReconnect(replaying: [Device.reply("r", "Partly", at: 9)], isReset: true)
        #expect(driver.texts == ["Partly"] && Chat.scroll(driver.state) == .stay(unread: 1))
    }

    @Test("C22, C13: a deleted message is not unread, also when it is told again")
    func deleted() {
        var driver = withTwoUnread()
        for _ in 0..<2 {
            driver.send(.deleted(.received("s2")))
            #expect(driver.texts == ["1", "3"] && Chat.scroll(driver.state) == .stay(unread: 1))
        }
        driver.send(.deleted(.received("s1")))
        #expect(driver.texts == ["3"] && Chat.scroll(driver.state) == .stay(unread: 1))
        driver.loseAndReconnect(replaying: (1...3).map(Device.numbered), isReset: true)
        #expect(driver.texts == ["3"] && Chat.scroll(driver.state) == .stay(unread: 1))
    }

    @Test("C22, S6: a reply in place of an unread partial one counts once")
    func inPlaceOfPartial() throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("Hello", as: "s_1", at: 1, on: &disk)
        driver.send(.scrolled(isAtEnd: false))
        driver.grow("s_9", to: "Part")
        driver.hear(.replyFailed(.reply("s_9"), reason: "busy"))
        driver.serve(from: &disk)
        #expect(Chat.scroll(driver.state) == .stay(unread: 1))
        try driver.retry(on: &disk)
        driver.acknowledge()
        driver.hear(.message(Device.echo("s_10", "Hello", at: 10)))
        driver.hear(.message(Device.reply("s_12", "Whole", at: 12)))
        #expect(driver.shows == ["me: Hello", "coach: Whole"])
        #expect(Chat.scroll(driver.state) == .stay(unread: 1))
    }

    @Test("C22, C21: unread messages on pages that have left the memory can be read, and count")
    func forgotten() {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk) { $0.transcriptLimit = 1_000 }
        driver.send(.shown)
        driver.finishConnecting()
        driver.send(.scrolled(isAtEnd: false))
        for first: Int64 in stride(from: 1, through: 1_001, by: 100) {
            driver.hearReplies(first...first + 99)
            driver.serve(from: &disk)
        }
        driver.hearReplies(1_101...1_101)
        #expect(driver.heldRows <= 1_050)
        #expect(Chat.scroll(driver.state) == .stay(unread: 1_101))
    }

    @Test("C22: after a launch nothing is unread, and what is deleted then takes nothing from the number")
    func launched() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.send(.scrolled(isAtEnd: false))
        for number in 1...2 as ClosedRange<Int64> { driver.hear(.message(Device.numbered(number))) }
        driver.serve(from: &disk)
        driver = Device.connected(&disk, seed: 2)
        driver.send(.scrolled(isAtEnd: false))
        #expect(driver.texts == ["1", "2"] && Chat.scroll(driver.state) == .stay(unread: 0))
        driver.send(.deleted(.received("s1")))
        driver.hear(.message(Device.numbered(3)))
        #expect(driver.texts == ["2", "3"] && Chat.scroll(driver.state) == .stay(unread: 1))
    }
}
