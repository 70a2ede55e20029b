// Echoes that a full replay tells while pages are not loaded: they may be of messages in flight, of accepted ones whose echo
// did not come, or of old ones.

import ChatDomain
import Testing

@Suite("Situations: echoes in doubt")
struct DoubtSituations {
    typealias Device = Driver<Chat>

    /// Eight replies, most of them on pages that are not loaded.
    func withUnloadedPages(_ disk: inout Disk<Chat>) -> (driver: Device, log: [IncomingMessage]) {
        var driver = Device.restored(&disk) { $0.pageLength = 2 }
        driver.send(.shown)
        driver.finishConnecting()
        var log: [IncomingMessage] = []
        for number: Int64 in 0..<8 {
            log.append(
                Device.reply(MessageID(ExactText("r_1\(number)")), ExactText("n\(number)"), at: number))
            driver.hear(.message(log[Int(number)]))
        }
        driver.serve(from: &disk)
        driver = Device.restored(&disk, seed: 2) { $0.pageLength = 2 }
        driver.send(.shown)
        driver.finishConnecting()
        return (driver, log)
    }

    /// The same, and “A”, whose echo was told only by a full replay.
    func withEchoInDoubt(_ disk: inout Disk<Chat>) -> Device {
        var (driver, log) = withUnloadedPages(&disk)
        driver.say("A")
        driver.serve(from: &disk)
        log.append(Device.echo("s_a", "A", at: 10))
        driver.loseAndReconnect(replaying: log, isCursorRefused: true)
        driver.serve(from: &disk)
        return driver
    }

    @Test(
        "C10, L6: the echo of an accepted message that was never told stands once, when a later history tells it",
        arguments: [false, true])
    func neverEchoed(isReset: Bool) {
        var disk = Disk<Chat>()
        var (driver, log) = withUnloadedPages(&disk)
        driver.say("A")
        driver.serve(from: &disk)
        driver.acknowledge()
        driver.hear(.message(Device.reply("r_a", "for A", at: 11)))
        driver.serve(from: &disk)
        log += [Device.echo("s_a", "A", at: 10), Device.reply("r_a", "for A", at: 11)]
        driver.loseAndReconnect(replaying: log, isReset: isReset, isCursorRefused: !isReset)
        driver.serve(from: &disk)
        #expect(driver.texts.filter { $0 == "A" }.count == 1 && driver.said == ["A"])
    }

    @Test(
        "C10, C12: accepted messages whose echoes only a later history tells have the replies below them",
        arguments: [false, true], [[false, false], [true, false], [true, true]])
    func toldLate(isReset: Bool, isAnsweredBefore: [Bool]) {
        var disk = Disk<Chat>()
        var (driver, log) = withUnloadedPages(&disk)
        let texts: [ExactText] = ["A", "B", "A"]
        for (index, text) in texts.enumerated() {
            let number = Int64(index)
            driver.say(text)
            driver.serve(from: &disk)
            driver.acknowledge()
            let reply = Device.reply(
                MessageID(ExactText("r_2\(number)")), ExactText("re \(number)"), at: 11 + 2 * number)
            if index < 2, isAnsweredBefore[index] { driver.hear(.message(reply)) }
            driver.serve(from: &disk)
            let echo = Device.echo(MessageID(ExactText("s_2\(number)")), text, at: 10 + 2 * number)
            log += [echo, reply]
        }
        driver.loseAndReconnect(replaying: log, isReset: isReset, isCursorRefused: !isReset)
        driver.serve(from: &disk)
        driver.scrollUp(8, on: &disk)
        let whole =
            (0..<8).map { "coach: n\($0)" } + [
                "me: A", "coach: re 0", "me: B", "coach: re 1", "me: A", "coach: re 2",
            ]
        #expect(driver.shows == whole)
        #expect(driver.said == ["A", "B", "A"])
        driver.advance(by: .minutes(5))
        #expect(driver.shows == whole)
        #expect(!driver.isWaiting)
    }

    @Test("C12: an empty reply to an echo in doubt is missing from the message that the echo is of")
    func emptyInDoubt() {
        var disk = Disk<Chat>()
        var (driver, log) = withUnloadedPages(&disk)
        driver.say("A")
        driver.serve(from: &disk)
        log += [Device.echo("s_a", "A", at: 10), Device.reply("r_a", "", at: 11)]
        driver.loseAndReconnect(replaying: log, isCursorRefused: true)
        driver.serve(from: &disk)
        #expect(driver.said == ["A", "A"])
        driver.acknowledge()
        driver.serve(from: &disk)
        #expect(driver.shows.suffix(1) == ["me: A ! [retry]"] && !driver.isWaiting)
        driver = .relaunched(&disk)
        #expect(driver.shows.last == "me: A ! [retry]")
    }

    @Test(
        "C10, C12: a failure that names a question whose echo is in doubt leaves no turn for the next reply")
    func failedInDoubt() throws {
        var disk = Disk<Chat>()
        var driver = withEchoInDoubt(&disk)
        let key = try #require(driver.saidIDs.last)
        driver.hear(.replyFailed(.question(key), reason: "busy"))
        driver.serve(from: &disk)
        #expect(driver.shows.suffix(1) == ["me: A ! [retry]"])
        driver.ask("B", as: "s_b", at: 12, on: &disk)
        driver.hear(.message(Device.reply("r_b", "re B", at: 13)))
        driver.advance(by: .minutes(5))
        #expect(driver.shows.suffix(3) == ["me: A ! [retry]", "me: B", "coach: re B"] && !driver.isWaiting)
    }

    @Test("C16, C20: a message that joins its echo takes over the server's time, and stays stopped")
    func joinedAndStopped() throws {
        var disk = Disk<Chat>()
        var driver = withEchoInDoubt(&disk)
        driver.send(.waitingStopped)
        driver.acknowledge()
        driver.serve(from: &disk)
        let row = try #require(driver.rows.last { $0.text.string == "A" })
        #expect(row.time == Device.epoch + .seconds(10) && row.status == .delivered)
        driver.hear(.message(Device.reply("r_a", "unwanted", at: 11)))
        #expect(driver.texts.last == "A" && !driver.isWaiting)
    }

    @Test(
        "C13: a message that is deleted in flight does not come back with a history that is told anew",
        arguments: [false, true])
    func deletedInFlight(isReset: Bool) throws {
        var disk = Disk<Chat>()
        var (driver, log) = withUnloadedPages(&disk)
        driver.say("A")
        driver.serve(from: &disk)
        try driver.delete("A")
        driver.serve(from: &disk)
        log.append(Device.echo("s_a", "A", at: 10))
        driver.loseAndReconnect(replaying: log, isReset: isReset, isCursorRefused: !isReset)
        driver.serve(from: &disk)
        #expect(driver.said == ["A"] && driver.texts.last == "n7" && !driver.texts.contains("A"))
        driver = .relaunched(&disk, seed: 3)
        driver.scrollUp(8, on: &disk)
        #expect(driver.texts == (0..<8).map { "n\($0)" })
    }

    // MARK: An old message with the same text on a page that is not loaded

    /// “ok” is answered and stands with eight replies on pages of which most are not loaded; then “ok” is said again.
    private func saidAgain(_ disk: inout Disk<Chat>) -> (driver: Device, log: [IncomingMessage]) {
        var driver = Device.restored(&disk) { $0.pageLength = 2 }
        driver.send(.shown)
        driver.finishConnecting()
        driver.ask("ok", as: "s_1", at: 1, on: &disk)
        var log = [Device.echo("s_1", "ok", at: 1), Device.reply("r_1", "yes", at: 2)]
        for number: Int64 in 0..<8 {
            log.append(
                Device.reply(MessageID(ExactText("r_1\(number)")), ExactText("n\(number)"), at: 10 + number))
        }
        for reply in log.dropFirst() { driver.hear(.message(reply)) }
        driver.serve(from: &disk)
        driver = Device.restored(&disk, seed: 2) { $0.pageLength = 2 }
        driver.send(.shown)
        driver.finishConnecting()
        driver.say("ok")
        driver.serve(from: &disk)
        return (driver, log)
    }

    /// Loads every page. What stands below the eight replies.
    private func end(_ driver: inout Device, on disk: inout Disk<Chat>) -> [String] {
        driver.scrollUp(8, on: &disk)
        #expect(driver.shows.prefix(2) == ["me: ok", "coach: yes"])
        return Array(driver.shows.dropFirst(10))
    }

    @Test("L5, C10: a failure that names a message is no proof that the server has it")
    func failedByName() throws {
        var disk = Disk<Chat>()
        var (driver, log) = saidAgain(&disk)
        let sent = try #require(driver.saidIDs.last)
        driver.hear(.replyFailed(.question(sent), reason: "busy"))
        driver.serve(from: &disk)
        driver.loseAndReconnect(replaying: log, isCursorRefused: true)
        driver.serve(from: &disk)
        #expect(end(&driver, on: &disk) == ["me: ok ! [retry]"])
    }

    @Test("C10, C12: an accepted message takes neither the echo nor the reply of an older one with its text")
    func acceptedBefore() throws {
        var disk = Disk<Chat>()
        var (driver, log) = saidAgain(&disk)
        let sent = try #require(driver.saidIDs.last)
        driver.acknowledge()
        driver.serve(from: &disk)
        log.append(Device.echo("s_3", "ok", at: 30))
        driver.loseAndReconnect(replaying: log, isCursorRefused: true)
        driver.serve(from: &disk)
        #expect(driver.isWaiting)
        driver.hear(.replyFailed(.question(sent), reason: "busy"))
        driver.serve(from: &disk)
        #expect(end(&driver, on: &disk) == ["me: ok ! [retry]"] && !driver.isWaiting)
    }

    @Test("C10, C12: of two equal messages, both told late, each has its own echo and reply")
    func twoToldLate() {
        var disk = Disk<Chat>()
        var (driver, log) = saidAgain(&disk)
        driver.acknowledge()
        driver.say("ok")
        driver.serve(from: &disk)
        log += [
            Device.echo("s_2", "ok", at: 30), Device.reply("r_2", "two", at: 31),
            Device.echo("s_3", "ok", at: 32), Device.reply("r_3", "three", at: 33),
        ]
        driver.loseAndReconnect(replaying: log, isCursorRefused: true)
        driver.serve(from: &disk)
        driver.acknowledge()
        driver.serve(from: &disk)
        let whole = ["me: ok", "coach: two", "me: ok", "coach: three"]
        #expect(end(&driver, on: &disk) == whole && !driver.isWaiting)
        driver.advance(by: .minutes(5))
        #expect(driver.shows.suffix(4) == whole[...])
    }

    @Test("L5, C10: an older message that a replay tells after a relaunch is not the unsent one")
    func relaunchedWithinReplay() throws {
        var disk = Disk<Chat>()
        var (driver, log) = saidAgain(&disk)
        let sent = try #require(driver.saidIDs.last)
        driver.lose()
        while driver.calls.isEmpty, let next = driver.remaining(.reconnect) { driver.advance(by: next) }
        driver.hear(.opened)
        driver.hear(.cursorRefused)
        driver.hear(.opened)
        driver.hear(.authenticated(replayCount: Int64(log.count) + 1, isTruncated: false, isReset: false))
        // The cursor moves to what comes first, and is stored.
        let first = Device.reply("r_0", "first", at: 0)
        driver.hear(.message(first))
        driver.serve(from: &disk)
        driver = Device.restored(&disk, seed: 3) { $0.pageLength = 2 }
        driver.send(.shown)
        driver.finishConnecting(replaying: log)
        driver.serve(from: &disk)
        #expect(driver.saidIDs.last == sent && driver.shows.last?.hasPrefix("me: ok") == true)
    }

    // MARK: What is said of a message stays

    @Test("C12: a message that is said to be unanswered stays so when its echo is told late")
    func unansweredBefore() {
        var disk = Disk<Chat>()
        var (driver, log) = withUnloadedPages(&disk)
        driver.say("A")
        driver.serve(from: &disk)
        driver.acknowledge()
        driver.advance(by: .seconds(121))
        #expect(driver.shows.last == "me: A ! [retry]")
        log.append(Device.echo("s_a", "A", at: 10))
        driver.loseAndReconnect(replaying: log, isCursorRefused: true)
        driver.serve(from: &disk)
        #expect(driver.shows.last == "me: A ! [retry]" && !driver.isWaiting)
    }

    @Test("C12: a message that has failed awaits no reply when its echo is known for certain at last")
    func failedLongBefore() throws {
        var disk = Disk<Chat>()
        var (driver, log) = withUnloadedPages(&disk)
        driver.say("A")
        driver.serve(from: &disk)
        let sent = try #require(driver.saidIDs.last)
        driver.hear(.replyFailed(.question(sent), reason: "busy"))
        driver.serve(from: &disk)
        // So long that no reply is awaited to what the history tells.
        driver.advance(by: .hours(300))
        log.append(Device.echo("s_a", "A", at: 10))
        driver.loseAndReconnect(replaying: log, isCursorRefused: true)
        driver.serve(from: &disk)
        #expect(driver.texts.filter { $0 == "A" }.count == 2)
        driver.scrollUp(8, on: &disk)
        #expect(driver.texts.filter { $0 == "A" }.count == 1)
        #expect(driver.shows.last == "me: A ! [retry]" && !driver.isWaiting)
    }

    @Test("C12, L6: a failed question that the server has after all keeps its turn when it is retried")
    func failedAndRetried() throws {
        var disk = Disk<Chat>()
        var (driver, log) = withUnloadedPages(&disk)
        driver.say("A")
        driver.serve(from: &disk)
        let sent = try #require(driver.saidIDs.last)
        driver.hear(.replyFailed(.question(sent), reason: "busy"))
        driver.serve(from: &disk)
        log.append(Device.echo("s_a", "A", at: 10))
        driver.loseAndReconnect(replaying: log, isCursorRefused: true)
        driver.serve(from: &disk)
        driver.scrollUp(8, on: &disk)
        driver.ask("B", as: "s_b", at: 12, on: &disk)
        try driver.retry(on: &disk)
        #expect(driver.saidIDs.last == sent)
        // The server answers in the order of acceptance.
        driver.hear(.message(Device.reply("r_a", "re A", at: 13)))
        driver.acknowledge()
        driver.hear(.replyFailed(.reply("r_b"), reason: "busy"))
        #expect(driver.shows.suffix(3) == ["me: A", "me: B ! [retry]", "coach: re A"])
    }

    @Test("C12: an empty reply that is told with the late echo of an accepted message is missing from it")
    func emptyToldLate() {
        var disk = Disk<Chat>()
        var (driver, log) = withUnloadedPages(&disk)
        driver.say("A")
        driver.serve(from: &disk)
        driver.acknowledge()
        driver.serve(from: &disk)
        log += [Device.echo("s_a", "A", at: 10), Device.reply("r_a", "", at: 11)]
        driver.loseAndReconnect(replaying: log, isCursorRefused: true)
        driver.serve(from: &disk)
        #expect(driver.shows.last == "me: A ! [retry]" && !driver.isWaiting)
    }

    @Test("C10, L6: a message whose echo is in doubt and that is refused when it is sent again is one row")
    func refusedInDoubt() throws {
        var disk = Disk<Chat>()
        var driver = withEchoInDoubt(&disk)
        let key = try #require(driver.saidIDs.last)
        driver.hear(.rejected(key, reason: "known"))
        driver.serve(from: &disk)
        #expect(driver.shows.suffix(2) == ["coach: n7", "me: A ! [retry]"] && !driver.isWaiting)
    }

    @Test("C8, C12: a failure that names a question with an echo in doubt and a reply holds nothing back")
    func failedAndAnswered() throws {
        var disk = Disk<Chat>()
        var (driver, log) = withUnloadedPages(&disk)
        driver.say("A")
        driver.serve(from: &disk)
        log += [Device.echo("s_a", "A", at: 10), Device.reply("r_a", "re A", at: 11)]
        driver.loseAndReconnect(replaying: log, isCursorRefused: true)
        driver.serve(from: &disk)
        let key = try #require(driver.saidIDs.last)
        driver.hear(.replyFailed(.question(key), reason: "busy"))
        driver.serve(from: &disk)
        #expect(driver.shows.suffix(2) == ["me: A", "coach: re A"] && driver.queued.isEmpty)
        driver.say("B")
        driver.serve(from: &disk)
        #expect(driver.said.last == "B")
    }

    @Test("C10, L6: echoes with one server time are matched, also when they are told late")
    func sameTime() {
        var disk = Disk<Chat>()
        var (driver, log) = withUnloadedPages(&disk)
        for text in ["A", "B"] as [ExactText] {
            driver.say(text)
            driver.serve(from: &disk)
            driver.acknowledge()
        }
        log += [Device.echo("s_a", "A", at: 10), Device.echo("s_b", "B", at: 10)]
        driver.loseAndReconnect(replaying: log, isCursorRefused: true)
        driver.serve(from: &disk)
        #expect(driver.texts.suffix(3) == ["n7", "A", "B"])
    }
}
