// A reply that broke off, and what becomes of its retry; and how a reply ends that fails, never comes, or is empty.

import ChatDomain
import Testing

@Suite("Situations: retries and endings")
struct RetrySituations {
    private typealias Device = Driver<Chat>

    @Test("C12, S6: a partial reply shows its reason and offers one retry")
    func brokenOff() {
        let driver = Device.broken()
        #expect(driver.shows == ["me: Hello", "coach: Part ! [retry]"] && driver.note("Part") == "busy")
    }

    @Test("S6: text that fills a batch takes the place of the partial at once, and no timer is waited for")
    func fullBatch() throws {
        var disk = Disk<Chat>()
        var driver = Device.broken(&disk)
        try driver.retry(on: &disk)
        driver.acknowledge()
        driver.hear(.began("s_10", in: .main))
        let piece = ExactText(String(repeating: "x", count: 40_000))
        for _ in 0..<2 { driver.hear(.delta("s_10", piece)) }
        #expect(driver.texts == ["Hello", piece.string])
        driver.advance(by: .milliseconds(75))
        #expect(driver.texts == ["Hello", piece.string + piece.string])
    }

    @Test("C12, L6: while a retry waits or goes no other is offered, and a tap sends nothing more")
    func noSecondOffer() throws {
        var disk = Disk<Chat>()
        var driver = Device.broken(&disk)
        let rows = driver.rows
        try driver.retry(on: &disk)
        for step in 0..<4 {
            #expect(driver.rows.allSatisfy { $0.offer != .retry }, "step \(step): \(driver.shows)")
            for row in rows + driver.rows { driver.send(.retried(row.id)) }
            driver.serve(from: &disk)
            #expect(driver.said == ["Hello", "Hello"])
            switch step {
            case 0: driver.acknowledge()
            case 1: driver.hear(.message(Device.echo("s_10", "Hello", at: 10)))
            default: driver.advance(by: .seconds(20))
            }
        }
        driver.hear(.message(Device.reply("s_12", "Whole", at: 12)))
        driver.serve(from: &disk)
        #expect(driver.shows == ["me: Hello", "coach: Whole"] && !driver.isWaiting)
    }

    /// How far the retry has come when the process ends.
    enum Moment: CaseIterable { case tapped, acknowledged, echoed, growing }

    @Test(
        "S6: the answer to a retry replaces the old partial also after a relaunch", arguments: Moment.allCases
    )
    func relaunched(after moment: Moment) throws {
        var disk = Disk<Chat>()
        var driver = Device.broken(&disk)
        try driver.retry(on: &disk)
        if moment != .tapped { driver.acknowledge() }
        if moment == .echoed || moment == .growing {
            driver.hear(.message(Device.echo("s_10", "Hello", at: 10)))
        }
        if moment == .growing { driver.grow("s_12", to: "Who") }
        driver.serve(from: &disk)
        driver = .relaunched(&disk)
        if !driver.said.isEmpty { driver.acknowledge() }
        driver.hear(.message(Device.reply("s_12", "Whole", at: 12)))
        driver.serve(from: &disk)
        #expect(driver.shows == ["me: Hello", "coach: Whole"] && !driver.isWaiting)
        driver = .relaunched(&disk, seed: 3)
        #expect(driver.shows == ["me: Hello", "coach: Whole"])
    }

    @Test(
        "C5, L6: a replayed history with both copies of a retried message shows one",
        arguments: [false, true]
    )
    func toldAnew(isReversed: Bool) throws {
        var disk = Disk<Chat>()
        var driver = Device.broken(&disk)
        try driver.retry(on: &disk)
        driver.acknowledge()
        driver.hear(.message(Device.echo("s_10", "Hello", at: 10)))
        driver.hear(.message(Device.reply("s_12", "Whole", at: 12)))
        driver.serve(from: &disk)
        let copies = [Device.echo("s_1", "Hello", at: 1), Device.echo("s_10", "Hello", at: 10)]
        let told = (isReversed ? copies.reversed() : copies) + [Device.reply("s_12", "Whole", at: 12)]
        driver.loseAndReconnect(replaying: told, isReset: true)
        driver.serve(from: &disk)
        #expect(driver.shows == ["me: Hello", "coach: Whole"] && !driver.isWaiting)
        driver = .relaunched(&disk, replaying: told, isReset: true)
        #expect(driver.shows == ["me: Hello", "coach: Whole"] && !driver.isWaiting)
    }

    /// How the reply to a retry ends that is no longer wanted.
    enum Unwanted: CaseIterable { case whole, grown, failed, empty, never }

    @Test(
        "S6, C20: a stop of a retry before its text keeps the partial and its retry",
        arguments: Unwanted.allCases,
        [false, true])
    func stoppedBeforeText(end: Unwanted, isAcknowledged: Bool) throws {
        var disk = Disk<Chat>()
        var driver = Device.broken(&disk)
        try driver.retry(on: &disk)
        if isAcknowledged {
            driver.acknowledge()
            driver.hear(.message(Device.echo("s_10", "Hello", at: 10)))
        }
        driver.send(.waitingStopped)
        driver.serve(from: &disk)
        if !isAcknowledged { driver.acknowledge() }
        let kept = ["me: Hello", "coach: Part ! [retry]"]
        #expect(driver.shows == kept)
        switch end {
        case .whole: driver.hear(.message(Device.reply("s_12", "Unwanted", at: 12)))
        case .grown:
            driver.grow("s_12", to: "Unw", at: 12)
            #expect(driver.shows == kept)
            driver.hear(.message(Device.reply("s_12", "Unwanted", at: 12)))
        case .failed:
            driver.grow("s_12", to: "Unw", at: 12)
            driver.hear(.replyFailed(.reply("s_12"), reason: "busy"))
        case .empty: driver.hear(.message(Device.reply("s_12", "", at: 12)))
        case .never: driver.advance(by: .seconds(121))
        }
        driver.serve(from: &disk)
        #expect(driver.shows == kept && !driver.isWaiting)
        driver = .relaunched(&disk)
        #expect(driver.shows == kept && !driver.isWaiting)
    }

    @Test("S6, C12: a retry that was stopped is offered again, also while another reply is awaited")
    func stoppedBeforeAnother() throws {
        var disk = Disk<Chat>()
        var driver = Device.broken(&disk)
        try driver.retry(on: &disk)
        driver.acknowledge()
        driver.hear(.message(Device.echo("s_10", "Hello", at: 10)))
        driver.send(.waitingStopped)
        driver.serve(from: &disk)
        driver.ask("Two", as: "s_20", at: 20, on: &disk)
        #expect(driver.shows == ["me: Hello", "coach: Part ! [retry]", "me: Two"] && driver.isWaiting)
    }

    @Test("S6, C12: the answer to a retry replaces the partial however late it comes")
    func late() throws {
        var disk = Disk<Chat>()
        var driver = Device.broken(&disk)
        try driver.retry(on: &disk)
        driver.acknowledge()
        driver.hear(.message(Device.echo("s_10", "Hello", at: 10)))
        driver.advance(by: .seconds(121))
        driver.serve(from: &disk)
        #expect(driver.shows == ["me: Hello ! [retry]", "coach: Part !"])
        driver.hear(.message(Device.reply("s_12", "Whole", at: 12)))
        driver.serve(from: &disk)
        #expect(driver.shows == ["me: Hello", "coach: Whole"] && !driver.isWaiting)
    }

    @Test("C12, L6: a retry that was never on a wire is dropped when a replay completes the reply")
    func completedByReplay() throws {
        var disk = Disk<Chat>()
        var driver = Device.broken(&disk)
        driver.lose()
        try driver.retry(on: &disk)
        driver.reconnect(replaying: [Device.reply("s_9", "Part and the rest", at: 9)])
        driver.serve(from: &disk)
        #expect(driver.said == ["Hello"])
        #expect(driver.shows == ["me: Hello", "coach: Part and the rest"] && !driver.isWaiting)
        driver = .relaunched(&disk)
        #expect(driver.said.isEmpty && driver.shows == ["me: Hello", "coach: Part and the rest"])
    }

    // MARK: Errors that name the question

    @Test(
        "C12: an error that names the question while its reply grows ends the partial with its reason, once")
    func questionNamedWhileGrowing() throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("Hello", as: "s_1", at: 1, on: &disk)
        driver.grow("s_9", to: "Part")
        driver.hear(.replyFailed(.question(driver.saidIDs[0]), reason: "busy"))
        for _ in 0..<5 {
            #expect(driver.shows == ["me: Hello", "coach: Part ! [retry]"] && driver.note("Part") == "busy")
            #expect(!driver.isWaiting)
            driver.advance(by: .seconds(10))
        }
        driver.serve(from: &disk)
        try driver.retry(on: &disk)
        driver.acknowledge()
        driver.hear(.message(Device.reply("s_12", "Whole", at: 12)))
        #expect(driver.shows == ["me: Hello", "coach: Whole"])
    }

    @Test(
        "C12: an error that names a question which has its answer changes nothing", arguments: [false, true])
    func questionNamedAfterwards(isEchoed: Bool) {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("Hello")
        driver.serve(from: &disk)
        driver.acknowledge()
        if isEchoed { driver.hear(.message(Device.echo("s_1", "Hello", at: 1))) }
        driver.hear(.message(Device.reply("s_9", "Hi", at: 9)))
        driver.serve(from: &disk)
        let before = driver.rows
        driver.hear(.replyFailed(.question(driver.saidIDs[0]), reason: "busy"))
        driver.serve(from: &disk)
        #expect(driver.rows == before && driver.shows == ["me: Hello", "coach: Hi"] && !driver.isWaiting)
    }

    // MARK: No answer, and an empty one

    @Test(
        "L5, C12: of two questions whose replies are lost with the process, each says that it has no answer")
    func bothUnanswered() {
        for isKnown in [false, true] {
            var disk = Disk<Chat>()
            var driver = Device.connected(&disk)
            driver.ask("q1", as: "s_1", at: 1, on: &disk)
            driver.ask("q2", as: "s_2", at: 2, on: &disk)
            driver.grow("r_1", to: "one")
            driver.grow("r_2", to: "two")
            driver.serve(from: &disk)
            driver.lose()
            driver.serve(from: &disk)
            let replay = isKnown ? [Device.echo("s_1", "q1", at: 1), Device.echo("s_2", "q2", at: 2)] : []
            driver = .relaunched(&disk, replaying: replay)
            driver.advance(by: .seconds(121))
            driver.serve(from: &disk)
            #expect(driver.shows == ["me: q1 ! [retry]", "me: q2 ! [retry]"] && !driver.isWaiting)
        }
    }

    /// How a finished reply comes.
    enum Arrival: CaseIterable { case whole, grown, numbered }

    @Test(
        "C12, S4: a finished reply without text is none: the question says so, with one retry",
        arguments: ["", "\n", " \u{200B}"] as [ExactText], Arrival.allCases)
    func emptyReply(text: ExactText, arrival: Arrival) throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("Hello", as: "s_1", at: 1, on: &disk)
        if arrival == .grown { driver.grow("s_9", to: text) }
        if arrival == .numbered {
            driver.hear(.chunk("s_9", index: 0, text, isFinal: true))
        } else {
            driver.hear(.message(Device.reply("s_9", text, at: 9)))
        }
        driver.serve(from: &disk)
        #expect(driver.shows == ["me: Hello ! [retry]"] && !driver.isWaiting)
        driver.advance(by: .seconds(121))
        #expect(driver.shows == ["me: Hello ! [retry]"])
        try driver.retry(on: &disk)
        driver.acknowledge()
        driver.hear(.message(Device.reply("s_12", "Whole", at: 12)))
        driver.serve(from: &disk)
        #expect(driver.shows == ["me: Hello", "coach: Whole"])
        driver = .relaunched(&disk)
        #expect(driver.shows == ["me: Hello", "coach: Whole"])
    }

    @Test("S6, S4: an empty reply does not take the place of a partial", arguments: [false, true])
    func emptyAfterPartial(isOwn: Bool) throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        if isOwn {
            driver.ask("Hello", as: "s_1", at: 1, on: &disk)
            driver.grow("s_9", to: "Part")
            driver.hear(.message(Device.reply("s_9", "", at: 9)))
        } else {
            driver = .broken(&disk)
            try driver.retry(on: &disk)
            driver.acknowledge()
            driver.hear(.message(Device.reply("s_12", "", at: 12)))
        }
        driver.serve(from: &disk)
        let shown =
            isOwn ? ["me: Hello", "coach: Part ! [retry]"] : ["me: Hello ! [retry]", "coach: Part !"]
        #expect(driver.shows == shown && !driver.isWaiting)
    }

    @Test("C12, L6: a retry that was never on a wire is dropped when a replayed history completes the reply")
    func completedByHistoryToldAnew() throws {
        var disk = Disk<Chat>()
        var driver = Device.broken(&disk)
        driver.lose()
        try driver.retry(on: &disk)
        driver.advance(by: .seconds(3))
        driver.replay(
            [Device.echo("s_1", "Hello", at: 1), Device.reply("s_9", "Whole", at: 2)], isReset: true)
        driver.serve(from: &disk)
        #expect(driver.said == ["Hello"] && driver.shows == ["me: Hello", "coach: Whole"])
        #expect(driver.isDelivered("Hello") && !driver.isWaiting)
    }

    @Test("C12: a partial that a replayed history holds without text stays, with its retry")
    func emptyInHistoryToldAnew() {
        var disk = Disk<Chat>()
        var driver = Device.broken(&disk)
        driver.loseAndReconnect(
            replaying: [Device.echo("s_1", "Hello", at: 1), Device.reply("s_9", "", at: 2)], isReset: true)
        driver.serve(from: &disk)
        #expect(driver.shows == ["me: Hello", "coach: Part ! [retry]"])
    }

    @Test("L6, L5: of what may be with the server or not, nothing else tells; it is sent again under its key")
    func unknown() throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("Mine")
        driver.serve(from: &disk)
        let key = driver.saidIDs[0]
        disk[Device.outboxKey] = nil  // damaged, and set aside
        driver = .relaunched(&disk)
        #expect(driver.shows == ["me: Mine ! [retry]"])
        driver.hear(.message(Device.reply("s_8", "Another's", at: 8)))
        #expect(driver.shows.contains("me: Mine ! [retry]"))
        try driver.retry(on: &disk)
        #expect(driver.saidIDs == [key])
    }

    @Test(
        "C11, L6: a message that fails before it is acknowledged is sent again under its key",
        arguments: [false, true])
    func failedInFlight(isWanted: Bool) throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("Mine")
        driver.serve(from: &disk)
        let key = driver.saidIDs[0]
        if !isWanted { driver.send(.waitingStopped) }
        driver.hear(.replyFailed(.question(key), reason: "busy"))
        driver.serve(from: &disk)
        driver = .relaunched(&disk)
        driver.hear(.message(Device.reply("s_8", "Another's", at: 8)))
        #expect(driver.shows == ["me: Mine ! [retry]", "coach: Another's"])
        try driver.retry(on: &disk)
        #expect(driver.saidIDs == [key])
    }

    @Test(
        "C12, C11: a retry that is refused does not fail a message whose reply is shown",
        arguments: [false, true])
    func retryRefused(isSentTwice: Bool) throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("M", as: "s_1", at: 1, on: &disk)
        driver.advance(by: .seconds(121))
        driver.serve(from: &disk)
        try driver.retry(on: &disk)
        if isSentTwice {
            driver.loseAndReconnect()
            driver.serve(from: &disk)
        }
        driver.hear(.message(Device.reply("r_1", "late", at: 130)))
        driver.hear(.rejected(driver.saidIDs[1], reason: "too large"))
        driver.serve(from: &disk)
        #expect(driver.shows == ["me: M", "coach: late"] && driver.isDelivered("M") && !driver.isWaiting)
        driver = .relaunched(&disk)
        #expect(driver.shows == ["me: M", "coach: late"] && driver.isDelivered("M") && !driver.isWaiting)
        driver.ask("M", as: "s_2", at: 140, on: &disk)
        driver.hear(.message(Device.reply("r_2", "again", at: 141)))
        driver.serve(from: &disk)
        #expect(driver.shows == ["me: M", "coach: late", "me: M", "coach: again"])
        driver = .relaunched(&disk, seed: 3)
        #expect(driver.shows == ["me: M", "coach: late", "me: M", "coach: again"])
    }

    /// The reply to “M” comes while its retry is in flight, and then the retry is refused.
    private func refusedAfterReply(_ disk: inout Disk<Chat>) throws -> Device {
        var driver = Device.connected(&disk)
        driver.ask("M", as: "s_1", at: 1, on: &disk)
        driver.advance(by: .seconds(121))
        driver.serve(from: &disk)
        try driver.retry(on: &disk)
        driver.hear(.message(Device.reply("r_1", "late", at: 130)))
        driver.hear(.rejected(driver.saidIDs[1], reason: "too large"))
        driver.serve(from: &disk)
        return driver
    }

    @Test("L6, C10: a refused retry takes no other message with its text for its echo, also after a relaunch")
    func refusedRetryForgotten() throws {
        var disk = Disk<Chat>()
        _ = try refusedAfterReply(&disk)
        var driver = Device.relaunched(&disk)
        driver.hear(.message(Device.echo("s_2", "M", at: 140)))
        #expect(driver.shows == ["me: M", "coach: late", "me: M"])
    }

    @Test("C12, C5: a reply that a refused retry leaves shown is missed when a reset withdraws it")
    func refusedRetryReset() throws {
        var disk = Disk<Chat>()
        var driver = try refusedAfterReply(&disk)
        #expect(driver.shows == ["me: M", "coach: late"])
        driver.loseAndReconnect(replaying: [Device.echo("s_1", "M", at: 1)], isReset: true)
        #expect(driver.shows == ["me: M ! [retry]"])
    }

    @Test("C13: an edit of a message whose retry is refused leaves the message that the server has")
    func refusedRetryEdited() throws {
        var disk = Disk<Chat>()
        var driver = Device.broken(&disk)
        try driver.retry(on: &disk)
        driver.hear(.rejected(driver.saidIDs[1], reason: "too large"))
        driver.serve(from: &disk)
        #expect(driver.shows == ["me: Hello ! [retry]", "coach: Part !"])
        driver.send(.messageEdited(driver.saidIDs[0], "Hello!"))
        driver.serve(from: &disk)
        #expect(driver.shows.first == "me: Hello ! [retry]" && driver.texts.last == "Hello!")
    }

    @Test("C13: an edit of a refused retry leaves the message that a server without echoes has")
    func refusedRetryEditedUnechoed() {
        var driver = Device.connected()
        driver.sayDurably("Hello")
        driver.acknowledge()
        driver.hear(.replyFailed(.question(driver.saidIDs[0]), reason: "busy"))
        driver.save()
        driver.send(.retried(driver.rows[0].id))
        driver.save()
        driver.hear(.rejected(driver.saidIDs[1], reason: "no"))
        driver.save()
        #expect(driver.statuses == [.failed(.rejected("no"))])
        driver.send(.messageEdited(driver.saidIDs[0], "Hello!"))
        driver.save()
        #expect(driver.texts == ["Hello", "Hello!"])
    }

    @Test("C8: a retry that has become too old while there was no network asks for consent")
    func oldRetry() throws {
        var disk = Disk<Chat>()
        var driver = Device.broken(&disk)
        driver.send(.networkChanged(isUp: false))
        driver.lose(.failed(.offline))
        try driver.retry(on: &disk)
        driver.advance(by: .hours(13))
        driver.send(.networkChanged(isUp: true))
        driver.reconnect()
        driver.serve(from: &disk)
        let row = try #require(driver.rows.first { $0.text.string == "Hello" })
        #expect(driver.said == ["Hello"] && row.offer == .consent)
        driver.send(.heldApproved(driver.queued[0]))
        driver.serve(from: &disk)
        #expect(driver.said == ["Hello", "Hello"])
    }

    @Test("L6, C10: a retry that was sent twice and then refused is shown once when its echo comes")
    func refusedRetryEchoed() throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("M", as: "s_1", at: 1, on: &disk)
        driver.advance(by: .seconds(121))
        driver.serve(from: &disk)
        try driver.retry(on: &disk)
        driver.loseAndReconnect()
        driver.serve(from: &disk)
        #expect(driver.said == ["M", "M", "M"])
        driver.hear(.message(Device.reply("r_1", "late", at: 130)))
        driver.hear(.rejected(driver.saidIDs[2], reason: "too large"))
        driver.serve(from: &disk)
        driver.loseAndReconnect(replaying: [Device.echo("s_2", "M", at: 131)])
        driver.serve(from: &disk)
        #expect(driver.shows == ["me: M", "coach: late"] && driver.isDelivered("M") && !driver.isWaiting)
    }
}
