// Copies of one message, further: the copy before a retry, echoes in doubt of a message that is accepted, and what a
// relaunch makes of both. The words are those of DoubtSituations.

import Testing

@testable import ChatDomain

extension DoubtSituations {
    @Test("C12: a retry still waits for its reply when the late echo of the copy before it has none")
    func formerUnanswered() throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.hear(.message(Device.reply("r_1", "old", at: 1)))
        driver.serve(from: &disk)
        // Without the page nothing tells when the message was sent.
        driver = .fresh(seed: 2)
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk, failing: { $0 == Device.pageKey(0) })
        driver.send(.shown)
        driver.finishConnecting()
        driver.say("A")
        driver.serve(from: &disk)
        driver.acknowledge()
        driver.advance(by: .seconds(121))
        try driver.retry(on: &disk)
        driver.acknowledge()
        driver.serve(from: &disk)
        driver.loseAndReconnect(
            replaying: [Device.echo("s_a", "A", at: 10), Device.reply("r_a", "", at: 11)])
        #expect(driver.said == ["A", "A"] && driver.shows == ["me: A"] && driver.isWaiting)
    }

    /// The first copy of “A” has no echo, and its reply breaks off; the second is echoed and answered.
    private static func retryWithoutFirstEcho(_ driver: inout Device, _ disk: inout Disk<Chat>) throws {
        driver.say("A")
        driver.serve(from: &disk)
        driver.acknowledge()
        driver.grow("r_a", to: "Part", at: 11)
        driver.hear(.replyFailed(.reply("r_a"), reason: "busy"))
        driver.serve(from: &disk)
        try driver.retry(on: &disk)
        driver.acknowledge()
        driver.hear(.message(Device.echo("s_b", "A", at: 12)))
        driver.hear(.message(Device.reply("r_b", "re A", at: 13)))
        driver.serve(from: &disk)
    }

    private static let bothCopies = [
        Device.echo("s_a", "A", at: 10), Device.echo("s_b", "A", at: 12), Device.reply("r_b", "re A", at: 13),
    ]

    @Test(
        "C10, C16, L6: a message whose first copy got no echo is one row when a reset tells both copies",
        arguments: [false, true])
    func firstWithoutEcho(isRelaunched: Bool) throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        try Self.retryWithoutFirstEcho(&driver, &disk)
        if isRelaunched { driver = .restored(&disk, seed: 2) }
        if isRelaunched { driver.send(.shown) } else { driver.lose() }
        while driver.calls.isEmpty, let next = driver.remaining(.reconnect) { driver.advance(by: next) }
        driver.replay(Self.bothCopies, isReset: true)
        driver.serve(from: &disk)
        #expect(driver.shows == ["me: A", "coach: re A"] && driver.isDelivered("A") && !driver.isWaiting)
        // Another message with that text is its own.
        driver.hear(.message(Device.echo("s_c", "A", at: 14)))
        #expect(driver.shows == ["me: A", "coach: re A", "me: A"])
    }

    @Test(
        "C10, L6: a message whose first copy got no echo is one row, also where older pages are not loaded",
        arguments: [false, true])
    func firstWithoutEchoInDoubt(isReset: Bool) throws {
        var disk = Disk<Chat>()
        var (driver, log) = withUnloadedPages(&disk)
        try Self.retryWithoutFirstEcho(&driver, &disk)
        log += Self.bothCopies
        driver.loseAndReconnect(replaying: log, isReset: isReset, isCursorRefused: !isReset)
        driver.serve(from: &disk)
        #expect(driver.shows.suffix(2) == ["me: A", "coach: re A"] && driver.isDelivered("A"))
        #expect(driver.texts.filter { $0 == "A" }.count == 1 && !driver.isWaiting)
    }

    @Test(
        "C12: a message that joins an echo without a reply takes no later reply, because it no longer waits")
    func joinsUnanswered() {
        var disk = Disk<Chat>()
        var driver = withEchoInDoubt(&disk)
        driver.advance(by: .seconds(120))
        driver.acknowledge()
        driver.serve(from: &disk)
        #expect(driver.shows.last == "me: A ! [retry]")
        driver.hear(.message(Device.reply("r_x", "News", at: 200)))
        #expect(driver.shows.suffix(2) == ["me: A ! [retry]", "coach: News"])
    }

    @Test("C10: of two echoes in doubt an accepted message takes the first from after it was sent")
    func firstOfTwo() throws {
        var disk = Disk<Chat>()
        var (driver, log) = withUnloadedPages(&disk)
        driver.say("A")
        driver.serve(from: &disk)
        let key = try #require(driver.saidIDs.last)
        log += [Device.echo("s_a", "A", at: 10), Device.echo("s_b", "A", at: 12)]
        driver.loseAndReconnect(replaying: log, isCursorRefused: true)
        driver.serve(from: &disk)
        driver.acknowledge()
        driver.serve(from: &disk)
        #expect(driver.rows.suffix(2).map { $0.id } == [.written(key), .received("s_b")])
    }

    @Test("C5, C10, L6: an echo that a replay after the cursor tells is in no doubt, whatever is not loaded")
    func afterCursor() {
        var disk = Disk<Chat>()
        var driver = withUnloadedPages(&disk).driver
        driver.say("A")
        driver.serve(from: &disk)
        driver.loseAndReconnect(replaying: [Device.echo("s_a", "A", at: 10)])
        driver.serve(from: &disk)
        #expect(driver.said == ["A"] && driver.texts.suffix(2) == ["n7", "A"] && driver.isDelivered("A"))
    }

    @Test("C10: an echo in doubt is found on its page, and is remembered once, also before another one")
    func foundBeforeAnother() {
        let (time, text) = (WallTime(millisecondsSince1970: 0), LongText("a"))
        var copies = Copies()
        copies.sent("c_1", of: "c_1", saying: text, since: nil)
        for id in ["s_1", "s_2", "s_1"] as [MessageID] { copies.remember(id, saying: text, at: time) }
        #expect(copies.unclaimed.map { $0.id } == ["s_1", "s_2"])
        copies.found("s_1", of: "c_1")
        #expect(copies.unclaimed.map { $0.id } == ["s_2"] && copies.open.isEmpty)
    }

    @Test("C5, C12: a reset that withdraws a partial reply leaves its retried question waiting for the next")
    func withdrawnPartial() throws {
        var disk = Disk<Chat>()
        var driver = Device.broken(&disk)
        try driver.retry(on: &disk)
        driver.acknowledge()
        let echoes = [Device.echo("s_1", "Hello", at: 1), Device.echo("s_2", "Hello", at: 20)]
        driver.hear(.message(echoes[1]))
        driver.serve(from: &disk)
        driver.loseAndReconnect(replaying: echoes, isReset: true)
        driver.serve(from: &disk)
        #expect(driver.shows == ["me: Hello"] && driver.isWaiting)
        driver.hear(.message(Device.reply("r_2", "Hi", at: 21)))
        #expect(driver.shows == ["me: Hello", "coach: Hi"] && !driver.isWaiting)
    }

    @Test("C10, C12: after a relaunch an accepted message and its stored echo wait for one reply")
    func storedWithEcho() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("A")
        driver.serve(from: &disk)
        driver.acknowledge()
        driver.serve(from: &disk)
        // The process ended within the replay that told the echo in doubt.
        let echo = Message(
            id: "s_a", author: .elsewhere(nil), body: .text(LongText("A")), time: Device.epoch,
            isPlaced: true)
        var messages: [Message] = []
        if case .page(let page) = disk[Device.pageKey(0)] { messages = page.messages }
        #expect(messages.count == 1)
        disk[Device.pageKey(0)] = .page(Page(messages: messages + [echo], cursor: "s_a"))
        driver = .relaunched(&disk)
        #expect(driver.shows == ["me: A"] && driver.isDelivered("A") && driver.isWaiting)
        #expect(!driver.isRunning(.replyLimit(.elsewhere("s_a"), in: .main)))
        driver.hear(.message(Device.reply("r_a", "re A", at: 1)))
        #expect(driver.shows == ["me: A", "coach: re A"] && !driver.isWaiting)
    }

    @Test("C12: after a relaunch another device's question is answered although an older one here is not")
    func answeredPastOwn() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("From here", as: "s_1", at: 1, on: &disk)
        driver.advance(by: .seconds(121))
        driver.hear(.message(Device.echo("s_2", "From there", at: 100, from: "tablet")))
        driver.hear(.message(Device.reply("r_2", "Back there", at: 101)))
        driver.serve(from: &disk)
        driver = .relaunched(&disk)
        #expect(driver.shows == ["me: From here ! [retry]", "me: From there", "coach: Back there"])
        #expect(!driver.isWaiting && !driver.isRunning(.replyLimit(.elsewhere("s_2"), in: .main)))
    }

    @Test(
        "L6, C12: a message with two copies is one message after a reset that its page was not in memory for",
        arguments: [false, true])
    func copiesOnWithdrawnPage(isNamed: Bool) throws {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk) { $0.pageLength = 2 }
        driver.send(.shown)
        driver.finishConnecting()
        driver.ask("Hello", as: "s_1", at: 1, on: &disk)
        driver.hear(.replyFailed(.reply("s_9"), reason: "busy"))
        driver.serve(from: &disk)
        try driver.retry(on: &disk)
        driver.acknowledge()
        driver.hear(.message(Device.echo("s_10", "Hello", at: 10)))
        driver.hear(.message(Device.reply("s_11", "Hi", at: 11)))
        driver.hearReplies(12...14)
        driver.serve(from: &disk)
        let shown = ["me: Hello", "coach: Hi", "coach: r", "coach: r", "coach: r"]
        #expect(driver.shows == shown && driver.saidIDs.count == 2)
        let keys = driver.saidIDs.map { isNamed ? $0 : nil }
        var told = zip(["s_1", "s_10"] as [MessageID], zip(keys, [1, 10] as [Int64])).map {
            Device.echo($0, "Hello", client: $1.0, at: $1.1)
        }
        told.append(Device.reply("s_11", "Hi", at: 11))
        for number in 12...14 as ClosedRange<Int64> {
            told.append(Device.reply(MessageID(ExactText("s_\(number)")), "r", at: number))
        }
        for seed in 2...3 as ClosedRange<UInt64> {
            disk[Device.pacingKey] = nil
            driver = Device.restored(&disk, seed: seed) { $0.pageLength = 2 }
            driver.send(.shown)
            #expect(!driver.texts.contains("Hello"))
            driver.replay(told, isReset: true)
            driver.serve(from: &disk)
            #expect(driver.shows == shown)
            driver.advance(by: .seconds(121))
            driver.serve(from: &disk)
            #expect(driver.shows == shown && !driver.isWaiting)
        }
    }
}
