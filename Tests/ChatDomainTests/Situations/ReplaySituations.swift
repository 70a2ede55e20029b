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

    @Test("L5, R5: a withdrawn page that is missing hides no message on an earlier one", arguments: 1...2)
    func unsentBehindMissingPage(missing: Int64) {
        var disk = Disk<Chat>()
        var driver = withdrawn(&disk)
        disk[Device.pageKey(missing)] = nil
        driver.serve(from: &disk)
        #expect(driver.shows == ["coach: New", "me: Mine ! [retry]"])
    }

    @Test("C10, L5: a search of withdrawn pages that finds nothing resolves no message by a doubtful echo")
    func doubtAfterSearch() {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk) { $0.pageLength = 2 }
        driver.send(.shown)
        driver.finishConnecting()
        driver.hearReplies(1...7)
        driver.serve(from: &disk)
        driver = Device.restored(&disk, seed: 2) { $0.pageLength = 2 }
        driver.send(.shown)
        driver.finishConnecting()
        driver.say("ok")
        driver.serve(from: &disk)
        driver.loseAndReconnect(replaying: [Device.echo("s_40", "ok", at: 40)], isReset: true)
        driver.serve(from: &disk)
        #expect(driver.said == ["ok", "ok"] && driver.queued.count == 1 && driver.texts == ["ok", "ok"])
        driver.acknowledge()
        #expect(driver.queued.isEmpty && driver.texts == ["ok"])
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

    @Test("C13: a message that was deleted in flight stays deleted, also when a full replay brings its echo")
    func deletedInFlight() throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("secret")
        driver.serve(from: &disk)
        try driver.delete("secret")
        driver.acknowledge()
        let echo = Device.echo("s_1", "secret", client: driver.saidIDs[0], at: 1)
        driver.hear(.message(echo))
        driver.hearReplies(2...150)
        driver.serve(from: &disk)
        var again = Device.relaunched(&disk)
        again.loseAndReconnect(
            replaying: [Device.echo("s_1", "secret", at: 1), Device.reply("s_150", "r", at: 150)],
            isCursorRefused: true)
        again.serve(from: &disk)
        #expect(!again.texts.contains("secret"))
    }

    @Test("L7, C20: a reply that was stopped before any text is not missed after a reset")
    func stoppedIsNotMissed() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("Hello", as: "s_1", at: 1, on: &disk)
        driver.send(.waitingStopped)
        driver.hear(.message(Device.reply("s_2", "late", at: 2)))
        driver.serve(from: &disk)
        #expect(driver.shows == ["me: Hello"])
        driver.loseAndReconnect(replaying: [Device.echo("s_1", "Hello", at: 1)], isReset: true)
        driver.serve(from: &disk)
        driver.advance(by: .seconds(130))
        #expect(driver.shows == ["me: Hello"])
    }

    @Test("C13: what was deleted stays deleted, though the contents are read late", arguments: [false, true])
    func deletedBesideSlowContents(isDeletedEarlier: Bool) {
        var disk = Disk<Chat>()
        let secret = Device.reply("s_1", "secret", at: 1)
        if isDeletedEarlier {
            var first = Device.connected(&disk)
            first.hear(.message(secret))
            first.serve(from: &disk)
            first.send(.deleted(first.rows[0].id))
            first.hearReplies(2...150)
            first.serve(from: &disk)
        }
        var driver = Device.fresh(seed: 2)
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk) { $0 == Device.contentsKey }
        driver.advance(by: .seconds(5))
        driver.send(.shown)
        driver.serve(from: &disk) { $0 == Device.contentsKey }
        driver.finishConnecting(replaying: [secret])
        if !isDeletedEarlier { driver.send(.deleted(driver.rows[0].id)) }
        driver.serve(from: &disk)
        #expect(!driver.texts.contains("secret"))
        driver.hearReplies(2...150)
        driver.serve(from: &disk)
        disk[Device.pacingKey] = nil  // so many connections in no time are held back
        var again = Device.relaunched(&disk, seed: 3)
        again.loseAndReconnect(
            replaying: [secret, Device.reply("s_150", "r", at: 150)], isCursorRefused: true)
        again.serve(from: &disk)
        #expect(!again.texts.contains("secret"))
    }

    @Test("C13, C22: a deleted reply that comes again in pieces beside one that grows is not unread")
    func deletedInPieces() {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk) { $0.pageLength = 2 }
        driver.send(.shown)
        driver.finishConnecting()
        driver.hearReplies(1...1)
        driver.send(.deleted(driver.rows[0].id))
        driver.hearReplies(2...9)
        driver.serve(from: &disk)
        var again = Device.restored(&disk, seed: 2) { ($0.pageLength, $0.growingLimit) = (2, 1) }
        again.send(.shown)
        again.finishConnecting()
        again.grow("t_1", to: "Part", at: 20)
        again.send(.scrolled(isAtEnd: false))
        for (index, piece) in ["x", "y"].enumerated() {
            again.hear(.chunk("s_1", index: Int64(index), ExactText(piece), isFinal: index == 1))
        }
        #expect(Chat.scroll(again.state) == .stay(unread: 0) && again.texts.last == "Part")
    }

    @Test("L3, C5: a message on a withdrawn page whose fate the outbox has lost does not turn for ever")
    func unknownOnWithdrawnPage() {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk) { $0.pageLength = 2 }
        driver.send(.shown)
        driver.finishConnecting()
        driver.say("lost")
        driver.serve(from: &disk)
        driver.hearReplies(1...9)
        driver.serve(from: &disk)
        disk[Device.outboxKey] = .outbox([])
        var again = Device.restored(&disk, seed: 2) { $0.pageLength = 2 }
        again.send(.shown)
        again.replay([Device.reply("t_1", "anew", at: 20)], isReset: true)
        again.serve(from: &disk)
        again.advance(by: .seconds(130))
        again.serve(from: &disk)
        #expect(again.texts.contains("lost") && !again.isWaiting)
        #expect(again.note("lost") != nil && !again.statuses.contains(.sending))
    }

    @Test("C13, L6: a deleted message stays deleted when a full replay brings an earlier copy of it")
    func earlierCopyOfDeleted() throws {
        var disk = Disk<Chat>()
        var driver = Device.broken(&disk)
        try driver.retry(on: &disk)
        driver.acknowledge()
        driver.hear(.message(Device.echo("s_10", "Hello", at: 10)))
        driver.hear(.message(Device.reply("s_12", "Whole", at: 12)))
        try driver.delete("Hello")
        driver.hearReplies(13...150)
        driver.serve(from: &disk)
        driver = .relaunched(&disk)
        driver.loseAndReconnect(
            replaying: [Device.echo("s_1", "Hello", at: 1), Device.reply("s_150", "r", at: 150)],
            isCursorRefused: true)
        driver.serve(from: &disk)
        #expect(driver.isConnected && !driver.texts.contains("Hello"))
    }

    @Test("C12: a question is not unanswered when a replayed history holds its reply under another id")
    func replyUnderAnotherID() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("Hello", as: "s_1", at: 1, on: &disk)
        driver.hear(.message(Device.reply("r_1", "Hi", at: 2)))
        driver.serve(from: &disk)
        driver.loseAndReconnect(
            replaying: [Device.echo("s_1", "Hello", at: 1), Device.reply("r_2", "Hi", at: 2)], isReset: true)
        driver.serve(from: &disk)
        #expect(driver.shows == ["me: Hello", "coach: Hi"] && driver.isDelivered("Hello"))
    }

    @Test("C16: an accepted question keeps its place above a replayed reply, on a server without echoes")
    func acceptedKeepsPlace() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("Hello")
        driver.serve(from: &disk)
        driver.acknowledge()
        driver.loseAndReconnect(replaying: [Device.reply("r_1", "Hi", at: 2)], isReset: true)
        driver.serve(from: &disk)
        #expect(driver.shows == ["me: Hello", "coach: Hi"] && driver.said == ["Hello"])
    }

    @Test("C13, C22: a deleted reply that is replayed does not count as unread")
    func deletedIsNotUnread() {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk) { $0.pageLength = 2 }
        driver.send(.shown)
        driver.finishConnecting()
        for message in log.prefix(5) { driver.hear(.message(message)) }
        driver.send(.deleted(.received("s_1")))
        driver.serve(from: &disk)
        driver = Device.restored(&disk, seed: 2) { $0.pageLength = 2 }
        #expect(driver.texts == ["5"])
        driver.send(.scrolled(isAtEnd: false))
        driver.send(.shown)
        driver.hear(.opened)
        driver.hear(.cursorRefused)
        driver.replay([log[0], log[4]], isReset: false)
        #expect(driver.isConnected && driver.texts == ["5"])
        #expect(Chat.scroll(driver.state) == .stay(unread: 0))
    }
}
