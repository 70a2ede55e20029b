// Which message an echo is of, when several say the same, one was deleted, or a history is told anew.

import ChatDomain
import Testing

@Suite("Situations: echoes")
struct EchoSituations {
    private typealias Device = Driver<Chat>

    /// “ok” is with the server as s_1 and answered by r_1. The second “ok” went on a wire and did not arrive.
    private func saidTwice(_ disk: inout Disk<Chat>) -> Device {
        var driver = Device.connected(&disk)
        driver.ask("ok", as: "s_1", at: 1, on: &disk)
        driver.hear(.message(Device.reply("r_1", "yes", at: 2)))
        driver.serve(from: &disk)
        driver.say("ok")
        driver.serve(from: &disk)
        return driver
    }

    private let history = [Device.echo("s_1", "ok", at: 1), Device.reply("r_1", "yes", at: 2)]

    /// The second “ok” is sent again under its id, and is answered.
    private func expectSecond(_ driver: inout Device, on disk: inout Disk<Chat>, sent: ClientID) {
        #expect(driver.saidIDs.last == sent)
        #expect(driver.shows == ["me: ok", "coach: yes", "me: ok"])
        driver.acknowledge()
        driver.hear(.message(Device.echo("s_3", "ok", at: 3)))
        driver.hear(.message(Device.reply("r_3", "again", at: 4)))
        driver.serve(from: &disk)
        #expect(driver.shows == ["me: ok", "coach: yes", "me: ok", "coach: again"])
        driver.advance(by: .minutes(5))
        #expect(driver.shows == ["me: ok", "coach: yes", "me: ok", "coach: again"] && !driver.isWaiting)
    }

    @Test(
        "C10, L5: the echo of an older message with the same text, replayed after a reset, resolves nothing"
    )
    func resetHistory() throws {
        var disk = Disk<Chat>()
        var driver = saidTwice(&disk)
        let sent = try #require(driver.saidIDs.last)
        #expect(driver.said == ["ok", "ok"])
        driver.loseAndReconnect(replaying: history, isReset: true)
        driver.serve(from: &disk)
        #expect(driver.said == ["ok", "ok", "ok"])
        expectSecond(&driver, on: &disk, sent: sent)
    }

    @Test("C10, L5: the same over a relaunch between the two connections")
    func resetHistoryAfterRelaunch() throws {
        var disk = Disk<Chat>()
        let before = saidTwice(&disk)
        let sent = try #require(before.saidIDs.last)
        var driver = Device.relaunched(&disk, replaying: history, isReset: true)
        #expect(driver.said == ["ok"])
        expectSecond(&driver, on: &disk, sent: sent)
    }

    /// What happens after the second “ok” was sent again.
    enum Sequel: CaseIterable {
        case answered, failed, anotherQuestion
    }

    @Test(
        "C10, C5, L5: the same with a refused cursor, when the older message stands on a page that is not loaded",
        arguments: Sequel.allCases, [Interval.zero, .minutes(20_000_000)])
    func refusedCursor(_ sequel: Sequel, _ later: Interval) throws {
        var disk = Disk<Chat>()
        var log = history
        // This device's clock is before that of the server, or after it.
        var driver = Device.restored(&disk) { $0.pageLength = 2 }
        driver.send(.shown)
        driver.finishConnecting()
        driver.ask("ok", as: "s_1", at: 1, on: &disk)
        driver.hear(.message(log[1]))
        for number: Int64 in 0..<8 {
            let more = Device.reply(
                MessageID(ExactText("r_1\(number)")), ExactText("n\(number)"), at: 10 + number)
            driver.hear(.message(more))
            log.append(more)
        }
        driver.serve(from: &disk)
        driver = Device.fresh(seed: 2) { $0.pageLength = 2 }
        driver.context.moment = Moment(now: .origin, wall: driver.context.wall + later)
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk)
        driver.send(.shown)
        driver.finishConnecting()
        #expect(!driver.texts.contains("ok"), "its page is not loaded")
        driver.say("ok")
        driver.serve(from: &disk)
        let sent = try #require(driver.saidIDs.last)
        driver.loseAndReconnect(replaying: log, isCursorRefused: true)
        driver.serve(from: &disk)
        #expect(driver.said == ["ok", "ok"] && driver.saidIDs.last == sent)
        driver.acknowledge()
        driver.hear(.message(Device.echo("s_3", "ok", at: 30)))
        var end: [String]
        switch sequel {
        case .answered:
            driver.hear(.message(Device.reply("r_3", "again", at: 31)))
            end = ["me: ok", "coach: again"]
        case .failed:
            driver.hear(.replyFailed(.reply("r_3"), reason: "busy"))
            end = ["me: ok ! [retry]"]
        case .anotherQuestion:
            driver.hear(.message(Device.reply("r_3", "again", at: 31)))
            driver.ask("M", as: "s_4", at: 32, on: &disk)
            driver.hear(.message(Device.reply("r_4", "for M", at: 33)))
            end = ["me: ok", "coach: again", "me: M", "coach: for M"]
        }
        driver.serve(from: &disk)
        driver.scrollUp(8, on: &disk)
        let whole = ["me: ok", "coach: yes"] + (0..<8).map { "coach: n\($0)" } + end
        #expect(driver.shows == whole && !driver.isWaiting)
        driver.advance(by: .minutes(5))
        #expect(driver.shows == whole)
    }

    @Test(
        "C10, L6: a message whose echo is in doubt is sent again under its id, and is shown once",
        arguments: [false, true])
    func arrivedAfterAll(isReset: Bool) {
        var disk = Disk<Chat>()
        var driver = saidTwice(&disk)
        let echo = Device.echo("s_3", "ok", at: 3)
        driver.loseAndReconnect(replaying: isReset ? history + [echo] : [echo], isReset: isReset)
        driver.serve(from: &disk)
        #expect(Set(driver.saidIDs.map { $0.text }).count == 2)
        driver.acknowledge()
        driver.serve(from: &disk)
        #expect(driver.shows == ["me: ok", "coach: yes", "me: ok"])
        driver.hear(.message(Device.reply("r_3", "again", at: 4)))
        #expect(driver.shows == ["me: ok", "coach: yes", "me: ok", "coach: again"])
        #expect(!driver.isWaiting && driver.statuses[2] == .delivered)
    }

    // MARK: Two copies of one message

    @Test(
        "C10, L6: the echoes of both copies of a retried message, replayed after a relaunch, are one bubble")
    func bothCopies() throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.grow("s_0", to: "Earlier", at: 0)
        driver.ask("Hello", as: "s_1", at: 1, on: &disk)
        driver.hear(.replyFailed(.question(driver.saidIDs[0]), reason: "busy"))
        driver.serve(from: &disk)
        try driver.retry(on: &disk)
        driver.acknowledge()
        driver.hear(.message(Device.echo("s_2", "Hello", at: 2)))
        driver.serve(from: &disk)
        #expect(driver.texts.filter { $0 == "Hello" }.count == 1)
        let replay = [Device.echo("s_1", "Hello", at: 1), Device.echo("s_2", "Hello", at: 2)]
        driver = .relaunched(&disk, replaying: replay)
        #expect(driver.texts.filter { $0 == "Hello" }.count == 1)
        driver.hear(.message(Device.reply("s_9", "Hi", at: 9)))
        #expect(
            driver.texts.suffix(2) == ["Hello", "Hi"] && driver.isDelivered("Hello") && !driver.isWaiting)
    }

    // MARK: What the server has not, and a replayed history

    @Test("C16, C5: a refused message stands below a replayed history, as unsent messages do")
    func refusedStaysLast() {
        var disk = Disk<Chat>()
        var driver = twoAnswered(&disk)
        driver.say("Mine")
        driver.serve(from: &disk)
        driver.hear(.rejected(driver.saidIDs[2], reason: "no"))
        driver.serve(from: &disk)
        driver.loseAndReconnect(replaying: two, isReset: true)
        driver.serve(from: &disk)
        #expect(driver.texts == ["a", "re a", "b", "re b", "Mine"] && driver.rows[4].offer == .retry)
        driver = .relaunched(&disk)
        #expect(driver.texts == ["a", "re a", "b", "re b", "Mine"] && driver.rows[4].offer == .retry)
    }

    @Test(
        "C16, C5: a message that did not arrive stands below a replayed history",
        arguments: [false, true])
    func unsentStaysLast(isRelaunched: Bool) {
        var disk = Disk<Chat>()
        var driver = twoAnswered(&disk)
        driver.say("Mine")
        driver.serve(from: &disk)
        if isRelaunched {
            driver = .relaunched(&disk, replaying: two, isReset: true)
        } else {
            driver.loseAndReconnect(replaying: two, isReset: true)
            driver.serve(from: &disk)
        }
        #expect(driver.texts == ["a", "re a", "b", "re b", "Mine"] && driver.said.last == "Mine")
    }

    private let two = [
        Device.echo("s_1", "a", at: 1), Device.reply("r_1", "re a", at: 2), Device.echo("s_2", "b", at: 3),
        Device.reply("r_2", "re b", at: 4),
    ]

    private func twoAnswered(_ disk: inout Disk<Chat>) -> Device {
        var driver = Device.connected(&disk)
        driver.ask("a", as: "s_1", at: 1, on: &disk)
        driver.hear(.message(two[1]))
        driver.ask("b", as: "s_2", at: 3, on: &disk)
        driver.hear(.message(two[3]))
        driver.serve(from: &disk)
        return driver
    }

    // MARK: What was deleted

    @Test(
        "C10, C13: the echo and the reply of a message go to it, not to a deleted one with the same text",
        arguments: 0..<3)
    func deletedBefore(order: Int) throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("ok")
        driver.serve(from: &disk)
        try driver.delete("ok")
        driver.serve(from: &disk)
        driver.loseAndReconnect()
        driver.say("ok")
        driver.serve(from: &disk)
        try #require(driver.saidIDs.count >= 2 && driver.saidIDs.last != driver.saidIDs[0])
        let echo = Device.echo("s_1", "ok", at: 1)
        switch order {
        case 0:
            driver.hear(.message(echo))
            driver.acknowledge()
        case 1:
            driver.acknowledge()
            driver.hear(.message(echo))
        default: driver.hear(.message(echo))
        }
        driver.hear(.message(Device.reply("r_1", "yes", at: 2)))
        driver.serve(from: &disk)
        if order == 2 { driver.acknowledge() }
        #expect(driver.shows == ["me: ok", "coach: yes"] && !driver.isWaiting)
        driver.advance(by: .seconds(121))
        #expect(driver.shows == ["me: ok", "coach: yes"] && driver.isDelivered("ok") && !driver.isWaiting)
        driver = .relaunched(&disk)
        #expect(driver.shows == ["me: ok", "coach: yes"])
    }

    @Test("C10, C13: the same on one connection, when the server never got the deleted one")
    func deletedOnTheSameConnection() throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("ok")
        driver.serve(from: &disk)
        try driver.delete("ok")
        driver.say("ok")
        driver.serve(from: &disk)
        // The first is in flight until the server answers, or until the connection is lost.
        #expect(driver.saidIDs.count == 1)
        driver.loseAndReconnect()
        driver.serve(from: &disk)
        try #require(driver.saidIDs.count >= 2 && driver.saidIDs.last != driver.saidIDs[0])
        driver.hear(.message(Device.echo("s_1", "ok", at: 1)))
        driver.acknowledge()
        driver.hear(.message(Device.reply("r_1", "yes", at: 2)))
        driver.serve(from: &disk)
        #expect(driver.shows == ["me: ok", "coach: yes"] && !driver.isWaiting)
        driver.advance(by: .seconds(121))
        #expect(driver.shows == ["me: ok", "coach: yes"] && driver.isDelivered("ok") && !driver.isWaiting)
    }

    @Test(
        "L3, C12: a question whose echo was told long after it was sent still waits no longer than its time")
    func echoToldLate() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        for number in 0..<120 {
            let id = MessageID(ExactText("r_\(number)"))
            driver.hear(.message(Device.reply(id, "old", at: Int64(number) - 1_000)))
            driver.serve(from: &disk)
        }
        driver = .restored(&disk, seed: 2)
        driver.context.moment = Moment(now: driver.context.now, wall: Device.epoch)
        driver.send(.shown)
        driver.replay([], isReset: false)
        driver.say("Hello")
        driver.serve(from: &disk)
        driver.lose()
        driver.send(.networkChanged(isUp: false))
        driver.advance(by: .minutes(5))
        driver.send(.networkChanged(isUp: true))
        driver.replay([Device.echo("s_1", "Hello", at: 1)], isReset: true)
        driver.serve(from: &disk)
        driver.acknowledge()
        driver.serve(from: &disk)
        #expect(driver.said == ["Hello", "Hello"] && driver.shows == ["me: Hello"] && driver.isWaiting)
        driver.advance(by: .seconds(121))
        #expect(driver.shows == ["me: Hello ! [retry]"] && !driver.isWaiting)
    }

    @Test(
        "L5: a message of the person keeps its words when a replay gives its id to a reply",
        arguments: [false, true])
    func idGivenToReply(isGrowing: Bool) {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("Hello", as: "s_1", at: 1, on: &disk)
        driver.hear(.message(Device.reply("s_2", "Hi", at: 2)))
        driver.serve(from: &disk)
        driver.lose()
        driver.advance(by: .seconds(3))
        driver.hear(.opened)
        driver.hear(.authenticated(replayCount: 3, isTruncated: false, isReset: true))
        for second in 0..<2 {
            driver.hear(
                .message(Device.reply("s_1", "Not theirs", at: Int64(second), isGrowing: isGrowing)))
        }
        driver.hear(.message(Device.echo("s_1", "Hello", at: 1)))
        driver.hear(.message(Device.reply("s_2", "Hi", at: 2)))
        driver.serve(from: &disk)
        #expect(driver.shows == ["me: Hello", "coach: Hi"])
    }

    @Test("C5, C10, C12: an echo of a replayed history is known when that history is withdrawn once more")
    func withdrawnTwice() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("One", as: "s_1", at: 1, on: &disk)
        driver.hear(.message(Device.reply("r_1", "for One", at: 2)))
        driver.say("Two")
        driver.serve(from: &disk)
        driver.lose()
        driver.advance(by: .seconds(3))
        driver.hear(.opened)
        driver.hear(.authenticated(replayCount: 3, isTruncated: false, isReset: true))
        driver.hear(.message(Device.echo("s_1", "One", at: 1)))
        driver.hear(.message(Device.echo("s_2", "Two", at: 3)))
        driver.loseAndReconnect(
            replaying: [
                Device.echo("s_1", "One", at: 1), Device.reply("r_1", "for One", at: 2),
                Device.echo("s_2", "Two", at: 3),
            ], isReset: true)
        driver.serve(from: &disk)
        #expect(driver.said == ["One", "Two"] && driver.isWaiting && driver.isDelivered("Two"))
        driver.hear(.message(Device.reply("r_2", "for Two", at: 4)))
        #expect(driver.shows == ["me: One", "coach: for One", "me: Two", "coach: for Two"])
        #expect(!driver.isWaiting)
    }

    @Test("C10, L6: a message that was sent twice and then refused is still known by its echo")
    func refusedSecondTime() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("Mine")
        driver.serve(from: &disk)
        driver.loseAndReconnect()
        driver.serve(from: &disk)
        driver.hear(.rejected(driver.saidIDs[1], reason: "known"))
        driver.hear(.message(Device.echo("s_1", "Mine", at: 1)))
        #expect(driver.texts == ["Mine"])
    }

    @Test("C10, L5: of two equal texts that a launch finds sent, one echo is of the older")
    func oldestOfTwo() {
        var disk = Disk<Chat>()
        disk[Device.outboxKey] = .outbox([
            OutboxEntry(key: "c_1", text: "x", written: Device.epoch, wasSent: true, draft: "d_1"),
            OutboxEntry(key: "c_2", text: "x", written: Device.epoch, wasSent: true, draft: "d_2"),
        ])
        let driver = Device.relaunched(&disk, replaying: [Device.echo("s_1", "x", at: 1)])
        #expect(driver.saidIDs == ["c_2"])
    }

    @Test("C16, L5: a message of another device is updated in place; one of this device stays as written")
    func toldAnew() {
        var driver = Device.connected()
        driver.hear(.message(Device.echo("s_1", "a", at: 1, from: "device-2")))
        driver.sayDurably("own")
        driver.acknowledge()
        driver.hear(.message(Device.echo("s_2", "own", client: driver.saidIDs[0], at: 2)))
        driver.hear(.message(Device.echo("s_1", "b", at: 1, from: "device-2")))
        driver.hear(.message(Device.echo("s_2", "other", at: 2)))
        #expect(driver.texts == ["b", "own"])
        let history = [
            Device.echo("s_1", "c", at: 1, from: "device-2"), Device.echo("s_2", "other", at: 2),
        ]
        driver.loseAndReconnect(replaying: history, isReset: true)
        #expect(driver.texts == ["c", "own"])
    }

    @Test("C10, L6: an echo of the same second as the newest message before it is of the message in flight")
    func sameSecond() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.hear(.message(Device.reply("s_1", "hello", at: 5)))
        driver.say("ok")
        driver.serve(from: &disk)
        driver.loseAndReconnect(replaying: [Device.echo("s_2", "ok", at: 5)])
        driver.serve(from: &disk)
        #expect(driver.texts == ["hello", "ok"] && driver.said == ["ok"] && driver.isDelivered("ok"))
    }
}
