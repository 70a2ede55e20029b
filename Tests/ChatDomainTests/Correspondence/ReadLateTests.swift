// Copies of a message, and their echoes, when the record that names them is read late: after a
// relaunch, in the middle of a replay, or while a question is being answered.

import Testing

@testable import ChatDomain

@Suite("Copies and questions whose records are read late")
struct ReadLateTests {
    private typealias Device = Driver<Chat>

    /// The reply to “Hello”, s_1, has failed, and its retry was sent.
    private static func retried(_ disk: inout Disk<Chat>) throws -> Device {
        var driver = Device.broken(&disk)
        try driver.retry(on: &disk)
        #expect(driver.said == ["Hello", "Hello"])
        return driver
    }

    @Test("L6, C10: the echo of a former copy that is told before its page settles no retry")
    func formerEchoBeforePage() throws {
        var disk = Disk<Chat>()
        _ = try Self.retried(&disk)
        var driver = Device.withSilentContents(&disk)
        driver.finishConnecting(replaying: [Device.echo("s_1", "Hello", at: 1)])
        driver.serve(from: &disk)
        #expect(driver.shows == ["me: Hello", "coach: Part !"] && !driver.isDelivered("Hello"))
        #expect(driver.queued == driver.saidIDs && driver.said == ["Hello"])
        driver.acknowledge()
        driver.hear(.message(Device.echo("s_10", "Hello", at: 10)))
        #expect(driver.shows == ["me: Hello", "coach: Part !"] && driver.isDelivered("Hello"))
    }

    @Test("C12: a retried question with its reply waits for no other, also if its page comes late")
    func answeredBeforePage() throws {
        var disk = Disk<Chat>()
        var driver = try Self.retried(&disk)
        let log = [
            Device.echo("s_1", "Hello", at: 1), Device.echo("s_10", "Hello", at: 10),
            Device.reply("s_12", "All", at: 12),
        ]
        driver.acknowledge()
        for message in log.dropFirst() { driver.hear(.message(message)) }
        driver.serve(from: &disk)
        driver = Device.withSilentContents(&disk)
        driver.hear(.opened)
        driver.hear(.authenticated(replayCount: 3, isTruncated: false, isReset: false))
        driver.hear(.message(log[0]))
        driver.serve(from: &disk)
        for message in log.dropFirst() { driver.hear(.message(message)) }
        #expect(driver.isConnected && driver.shows == ["me: Hello", "coach: All"] && !driver.isWaiting)
        driver.ask("More", as: "s_20", at: 20, on: &disk)
        driver.hear(.message(Device.reply("s_21", "Yes", at: 21)))
        #expect(driver.isDelivered("More") && !driver.isWaiting)
    }

    @Test("C10, L6: after a relaunch, an accepted message without a reply has its echo, also in doubt")
    func acceptedBeforeRelaunch() {
        var disk = Disk<Chat>()
        var driver = Device.onPagesOfTwo(&disk)
        driver.send(.shown)
        driver.finishConnecting()
        driver.say("Hello")
        driver.serve(from: &disk)
        driver.acknowledge()
        driver.advance(by: .seconds(121))
        driver.serve(from: &disk)
        #expect(driver.shows.last == "me: Hello ! [retry]")
        driver = .restored(&disk, seed: 3) { $0.pageLength = 2 }
        driver.send(.shown)
        driver.hear(.opened)
        driver.hear(.cursorRefused)
        let history = (1...5).map(Device.numbered)
        driver.replay(history + [Device.echo("s_6", "Hello", at: 6)], isReset: false)
        #expect(driver.isConnected && driver.texts == ["1", "2", "3", "4", "5", "Hello"])
    }

    @Test("C10, C13: after a relaunch, of two equal texts the one that was not deleted has the echo")
    func deletedInFlight() throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("ok")
        driver.serve(from: &disk)
        try driver.delete("ok")
        driver.lose()
        driver.say("ok")
        driver.serve(from: &disk)
        driver.reconnect()
        driver.serve(from: &disk)
        #expect(driver.said == ["ok", "ok"] && driver.texts == ["ok"])
        driver = .relaunched(&disk, replaying: [Device.echo("s_2", "ok", at: 2)])
        #expect(driver.shows == ["me: ok"] && driver.isDelivered("ok"))
        #expect(driver.said == [] && driver.queued == [])
    }

    @Test("C5, C16, L6: both copies that a reset tells keep their names, also if the retry has a row before")
    func rowBeforeEchoes() throws {
        var disk = Disk<Chat>()
        var driver = Device.onPagesOfTwo(&disk)
        driver.send(.shown)
        driver.finishConnecting()
        driver.ask("Hello", as: "s_6", at: 6, on: &disk)
        driver.hear(.replyFailed(.question(driver.saidIDs[0]), reason: "busy"))
        driver.serve(from: &disk)
        try driver.retry(on: &disk)
        driver.send(.olderRequested)
        driver.lose()
        while driver.calls.isEmpty, let next = driver.remaining(.reconnect) { driver.advance(by: next) }
        driver.hear(.opened)
        driver.hear(.authenticated(replayCount: 2, isTruncated: false, isReset: true))
        // The older page was asked for before the reset; its answer gives the retry a row.
        driver.serve(from: &disk)
        let echoes = [Device.echo("s_6", "Hello", at: 6), Device.echo("s_10", "Hello", at: 10)]
        for echo in echoes { driver.hear(.message(echo)) }
        driver.serve(from: &disk)
        driver.acknowledge()
        #expect(driver.isConnected && driver.shows == ["me: Hello"] && driver.said.count == 3)
        for echo in echoes { driver.hear(.message(echo)) }
        #expect(driver.shows == ["me: Hello"] && driver.isDelivered("Hello"))
    }

    @Test(
        "C6, C15: contents that are read while a question is answered say nothing of it",
        arguments: [false, true])
    func askedBeforeContents(isAccepted: Bool) {
        var disk = Disk<Chat>()
        var driver = Device.freshAsking()
        driver.send(.signedIn(Device.account))
        driver.send(.shown)
        driver.serve(from: &disk) { $0 == Device.contentsKey }
        driver.advance(by: Chat.Configuration().storageLimit)
        driver.say("Hi")
        driver.serve(from: &disk) { $0 == Device.contentsKey }
        if isAccepted { driver.reply(.began(nil)) }
        driver.serve(from: &disk)
        #expect(driver.statuses == [isAccepted ? .accepted : .sending] && driver.notes == [nil])
        driver.answer("Hello")
        #expect(driver.screen == ["user: Hi", "coach: Hello"] && driver.statuses.first == .delivered)
    }

    @Test(
        "R5, L6, C12: a question in the outbox has the name of its row, if an earlier version gave it another",
        arguments: [("c_2", []), ("c_0", ["c_0"])] as [(ClientID, [ClientID])])
    func otherName(name: ClientID, former: [ClientID]) {
        var disk = Disk<Chat>()
        let written = Message.Written(
            client: name, key: "c_2", status: .queued, former: former.map { Message.Former(key: $0) })
        let row = Message(
            author: .here(written), body: .text(LongText("Hi")), time: Device.epoch, isPlaced: false)
        disk[Device.contentsKey] = .contents(Contents(oldestPage: 0, newestPage: 0))
        disk[Device.pageKey(0)] = .page(Page(messages: [row], cursor: nil))
        disk[Device.outboxKey] = .outbox([
            OutboxEntry(key: "c_2", client: "c_1", text: "Hi", written: Device.epoch, wasSent: false)
        ])
        var driver = Device.asking(&disk)
        driver.serve(from: &disk)
        #expect(driver.screen == ["user: Hi"] && driver.questions.map(\.key) == ["c_2"])
        driver.answer("Hello")
        #expect(driver.screen == ["user: Hi", "coach: Hello"] && driver.statuses.first == .delivered)
    }
}
