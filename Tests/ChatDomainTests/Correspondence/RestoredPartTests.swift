// What a launch finds of replies and copies: partial replies that the server goes on with, retries that were never
// sent, and echoes that came before the page of their message.

import Testing

@testable import ChatDomain

@Suite("Parts that a launch finds")
struct RestoredPartTests {
    private typealias Device = Driver<Chat>

    @Test("C5: a stored partial that a replay goes on with stays when a later replay does not contain it")
    func goesOn() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("Hello", as: "s_1", at: 1, on: &disk)
        driver.grow("s_9", to: "Part")
        driver.lose()
        driver.serve(from: &disk)
        driver = .relaunched(&disk, replaying: [Device.reply("s_9", "Part of", at: 9, isGrowing: true)])
        driver.hear(.replayEnded)
        driver.advance(by: .milliseconds(100))
        #expect(driver.isConnected && driver.texts.contains("Part of"))
        driver.loseAndReconnect()
        #expect(driver.isConnected && driver.shows.contains("coach: Part of ! [retry]"))
    }

    @Test("C12, C5: a reply that a launch is told is that to the copy before a retry that was never sent")
    func beforeUnsentRetry() throws {
        var disk = Disk<Chat>()
        var driver = Device.broken(&disk)
        driver.lose()
        try driver.retry(on: &disk)
        #expect(driver.said == ["Hello"] && driver.outbox(on: disk).map { $0.wasSent } == [false])
        driver = .relaunched(&disk, replaying: [Device.reply("s_10", "All", at: 10)])
        #expect(driver.said == [] && driver.queued == [] && driver.shows == ["me: Hello", "coach: All"])
    }

    @Test("C10, C21: a message on a page has the echo that was told before, also if older pages are to come")
    func toldBeforeItsPage() {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk) { $0.pageLength = 2 }
        driver.send(.shown)
        driver.finishConnecting()
        driver.hearReplies(1...2)
        driver.say("ok")
        driver.serve(from: &disk)
        driver.acknowledge()
        driver.hearReplies(4...6)
        driver.serve(from: &disk)
        driver = Device.restored(&disk, seed: 2) { $0.pageLength = 2 }
        driver.send(.shown)
        driver.hear(.opened)
        driver.hear(.cursorRefused)
        driver.replay([Device.echo("s_3", "ok", at: 3)], isReset: false)
        driver.scrollUp(1, on: &disk)
        #expect(driver.texts == ["ok", "r", "r", "r"] && Chat.hasOlder(driver.state))
    }

    @Test("C10: a copy that has claimed an echo has no other, and a second echo is of nobody")
    func claimsOne() {
        let (time, text) = (WallTime(millisecondsSince1970: 0), LongText("ok"))
        var copies = Copies()
        copies.sent("c_1", of: "c_1", saying: text, since: nil)
        copies.remember("s_1", saying: text, at: time)
        #expect(copies.taken("c_1") == "s_1" && copies.open.isEmpty)
        #expect(copies.echoed("s_2", key: nil, saying: text, at: time, .live) == .unclaimed)
    }
}
