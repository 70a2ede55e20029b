// A replay that breaks off goes on where it was.

@testable import ChatDomain
import Testing

@Suite("Situations: replays")
struct ReplaySituations {
    private typealias Device = Driver<Chat>

    private let log = (1...30).map { number in
        Device.reply(MessageID(ExactText("s_\(number)")), ExactText("\(number)"), at: Int64(number))
    }

    /// What the server replays on a connection that asks from a cursor.
    private func rest(after cursor: MessageID?) -> ArraySlice<IncomingMessage> {
        let index = log.firstIndex { $0.id == cursor }
        return log[(index.map { $0 + 1 } ?? 0)...]
    }

    @Test(
        "C5: a replay that breaks off goes on where it was, and what waits is sent after it",
        arguments: [false, true])
    func goesOn(isRelaunched: Bool) {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk)
        driver.send(.shown)
        driver.say("Mine")
        driver.serve(from: &disk)
        var cursors: [MessageID?] = []
        for attempt in 0..<5 where driver.texts.count < 31 {
            while driver.calls.isEmpty, let next = driver.remaining(.reconnect) { driver.advance(by: next) }
            cursors.append(driver.cursor)
            let told = rest(after: driver.cursor)
            driver.hear(.opened)
            driver.hear(.authenticated(replayCount: Int64(told.count), isTruncated: false, isReset: false))
            for message in told.prefix(10) { driver.hear(.message(message)) }
            driver.serve(from: &disk)
            guard told.count > 10 else { break }
            if isRelaunched {
                let wall = driver.context.wall
                driver = .fresh(seed: UInt64(attempt + 2))
                driver.context.moment = Moment(now: .origin, wall: wall + .minutes(1))
                driver.send(.signedIn(Device.account))
                driver.serve(from: &disk)
                driver.send(.shown)
                driver.serve(from: &disk)
            } else {
                driver.lose()
            }
        }
        #expect(cursors == [nil, "s_10", "s_20"])
        #expect(driver.texts == log.map { $0.text.string } + ["Mine"])
        #expect(driver.isConnected && driver.said == ["Mine"])
    }

    @Test("C5: a cursor does not move past what the disk has not taken, over a relaunch")
    func storedOnly() {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk)
        driver.send(.shown)
        driver.hear(.opened)
        driver.hear(.authenticated(replayCount: 30, isTruncated: false, isReset: false))
        for message in log.prefix(10) { driver.hear(.message(message)) }
        driver.serve(from: &disk)
        for message in log.dropFirst(10).prefix(10) { driver.hear(.message(message)) }
        driver = .restored(&disk, seed: 2)
        driver.send(.shown)
        #expect(driver.cursor == "s_10" && driver.texts == (1...10).map { "\($0)" })
    }

    /// “Mine” was refused and stands on a stored page; three pages have come after it. The next launch has only the
    /// newest in memory when the server withdraws its history.
    private func withdrawn(_ disk: inout Disk<Chat>) -> Device {
        var driver = Device.restored(&disk) { $0.pageLength = 2 }
        driver.send(.shown)
        driver.finishConnecting()
        driver.sayDurably("Mine")
        driver.serve(from: &disk)
        driver.hear(.rejected(driver.saidIDs[0], reason: "too large"))
        for message in log.prefix(7) { driver.hear(.message(message)) }
        driver.serve(from: &disk)
        driver = Device.restored(&disk, seed: 2) { $0.pageLength = 2 }
        driver.send(.shown)
        #expect(!driver.texts.contains("Mine"))
        driver.replay([Device.reply("s_40", "New", at: 40)], isReset: true)
        return driver
    }

    @Test("L5, C5: a message that the server never had stays when its page is withdrawn before it is loaded")
    func unsentOnWithdrawnPage() throws {
        var disk = Disk<Chat>()
        var driver = withdrawn(&disk)
        driver.serve(from: &disk)
        #expect(driver.shows == ["coach: New", "me: Mine ! [retry]"])
        driver = .relaunched(&disk, seed: 3)
        #expect(driver.shows == ["coach: New", "me: Mine ! [retry]"])
        try driver.delete("Mine")
        driver.serve(from: &disk)
        driver.loseAndReconnect(replaying: [Device.reply("s_41", "Newer", at: 41)], isReset: true)
        driver.serve(from: &disk)
        #expect(driver.shows == ["coach: Newer"])
    }

    @Test("L5, C5: a withdrawn page that no disk brings yet is looked through by the next launch")
    func unsentOnSilentPage() {
        var disk = Disk<Chat>()
        var driver = withdrawn(&disk)
        driver.serve(from: &disk, but: { $0 == Device.pageKey(0) })
        driver.advance(by: .seconds(30))
        #expect(driver.shows == ["coach: New"] && driver.mostUnderWay == 1)
        #expect(driver.state.conversation.banner == .notRestored(.unavailable))
        driver = .relaunched(&disk, seed: 3, replaying: [Device.reply("s_40", "New", at: 40)], isReset: true)
        #expect(driver.shows == ["coach: New", "me: Mine ! [retry]"])
    }

    @Test("L5, R5: a withdrawn page that cannot be read stays on the disk, and that is told")
    func unsentOnUnreadablePage() {
        var disk = Disk<Chat>()
        var driver = withdrawn(&disk)
        driver.serve(from: &disk, failing: { $0 == Device.pageKey(0) })
        #expect(driver.state.conversation.banner == .notRestored(.unreadable))
        driver = .relaunched(&disk, seed: 3, replaying: [Device.reply("s_40", "New", at: 40)], isReset: true)
        #expect(driver.shows == ["coach: New", "me: Mine ! [retry]"])
    }

    @Test("C12, C5: a reply that a relaunch broke off keeps its question when it goes on behind a reset")
    func goesOnBehindReset() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("Hello", as: "s_1", at: 1, on: &disk)
        driver.grow("s_9", to: "Part", at: 2)
        driver.ask("Next", as: "s_2", at: 3, on: &disk)
        driver.lose()
        driver.serve(from: &disk)
        driver = .relaunched(
            &disk, replaying: [Device.echo("s_1", "Hello", at: 1), Device.echo("s_2", "Next", at: 3)],
            isReset: true)
        driver.grow("s_9", to: "Part and more", at: 4)
        #expect(Chat.isTyping(driver.state))
        driver.hear(.message(Device.reply("s_9", "Part and more", at: 4)))
        driver.hear(.message(Device.reply("s_10", "To next", at: 5)))
        driver.advance(by: .seconds(121))
        #expect(driver.shows == ["me: Hello", "me: Next", "coach: Part and more", "coach: To next"])
    }
}
