// A retry that was never on a wire, and the first reply that goes on after all; and a partial whose retry waits.

import Testing

@testable import ChatDomain

@Suite("Situations: a reply that goes on")
struct ContinuedSituations {
    private typealias Device = Driver<Chat>

    /// How the next connection comes about.
    enum Next: CaseIterable { case reconnected, relaunched, reset }

    private let notice = IncomingMessage(
        id: "n_1", role: .system, text: "Notice", time: Device.epoch + .seconds(10), isGrowing: false)

    /// “Hello” is with the server; its reply has grown so far, and the connection is lost.
    private func lost(at partial: ExactText, _ disk: inout Disk<Chat>) -> Device {
        var driver = Device.connected(&disk)
        driver.ask("Hello", as: "s_1", at: 1, on: &disk)
        driver.grow("s_9", to: partial)
        driver.lose()
        driver.serve(from: &disk)
        return driver
    }

    /// A notice stands last in what is replayed, so what still grows comes before the replay ends.
    private func goOn(
        _ driver: inout Device, _ next: Next, with reply: IncomingMessage, on disk: inout Disk<Chat>
    ) {
        if next == .relaunched {
            driver = .restored(&disk, seed: 2)
            driver.send(.shown)
        }
        while driver.calls.isEmpty, let wait = driver.remaining(.reconnect) { driver.advance(by: wait) }
        let before = next == .reset ? [Device.echo("s_1", "Hello", at: 1)] : []
        let count = Int64(before.count) + (reply.isGrowing ? 1 : 2)
        driver.hear(.opened)
        driver.hear(.authenticated(replayCount: count, isTruncated: false, isReset: next == .reset))
        for message in before + [reply] { driver.hear(.message(message)) }
        driver.hear(.message(notice))
        #expect(driver.isConnected)
        driver.serve(from: &disk)
    }

    @Test(
        "C12: a retry that was never on a wire is dropped when a replay shows that the first reply still grows",
        arguments: Next.allCases, ["", "Part"] as [ExactText])
    func growsOn(next: Next, partial: ExactText) throws {
        var disk = Disk<Chat>()
        var driver = lost(at: partial, &disk)
        try driver.retry(on: &disk)
        let before = driver.said.count
        goOn(&driver, next, with: Device.reply("s_9", "Part and", at: 9, isGrowing: true), on: &disk)
        driver.advance(by: .milliseconds(100))
        let said = next == .relaunched ? 0 : before
        #expect(
            driver.shows == ["me: Hello", "coach: Part and…", "coach: Notice"] && driver.said.count == said)
        driver.hear(.message(Device.reply("s_9", "Part and the rest", at: 9)))
        driver.advance(by: .seconds(130))
        driver.serve(from: &disk)
        let whole = ["me: Hello", "coach: Part and the rest", "coach: Notice"]
        #expect(driver.shows == whole && driver.said.count == said && !driver.isWaiting)
        driver = .relaunched(&disk, seed: 3)
        #expect(driver.shows == whole && driver.said.isEmpty && !driver.isWaiting)
    }

    /// How the reply that went on breaks.
    enum Break: CaseIterable { case named, questionNamed, empty, silent, lost }

    @Test(
        "C12: a reply that goes on and breaks offers a retry again", arguments: Next.allCases, Break.allCases)
    func breaksAgain(next: Next, end: Break) throws {
        for (partial, further) in [("Part", "Part and"), ("", "Part and"), ("", "")]
            as [(ExactText, ExactText)]
        {
            var disk = Disk<Chat>()
            var driver = lost(at: partial, &disk)
            let first = driver.saidIDs[0]
            try driver.retry(on: &disk)
            goOn(&driver, next, with: Device.reply("s_9", further, at: 9, isGrowing: true), on: &disk)
            driver.advance(by: .milliseconds(100))
            let said = driver.said.count
            #expect(driver.rows.allSatisfy { $0.offer != .retry })
            switch end {
            case .named: driver.hear(.replyFailed(.reply("s_9"), reason: "busy"))
            case .questionNamed: driver.hear(.replyFailed(.question(first), reason: "busy"))
            case .empty: driver.hear(.message(Device.reply("s_9", "", at: 9)))
            case .silent: break
            case .lost: driver.lose()
            }
            driver.advance(by: .seconds(31))
            driver.serve(from: &disk)
            #expect(driver.said.count == said)
            try driver.retry(on: &disk)
            if end == .lost { driver.reconnect() }
            driver.serve(from: &disk)
            #expect(driver.said.count == said + 1, "\(partial) \(further)")
            driver.acknowledge()
            driver.hear(.message(Device.reply("s_12", "Whole", at: 12)))
            driver.serve(from: &disk)
            #expect(driver.shows.contains("coach: Whole") && driver.rows.count == 3, "\(driver.shows)")
            #expect(driver.shows.first == "me: Hello" && !driver.isWaiting)
        }
    }

    @Test("C10, L6: a retry that was dropped takes no echo of a later message", arguments: Next.allCases)
    func echoAfterwards(next: Next) throws {
        var disk = Disk<Chat>()
        var driver = lost(at: "Part", &disk)
        try driver.retry(on: &disk)
        goOn(&driver, next, with: Device.reply("s_9", "Whole", at: 9), on: &disk)
        driver = .relaunched(&disk, seed: 3)
        driver.ask("Hello", as: "s_20", at: 20, on: &disk)
        driver.hear(.message(Device.reply("s_21", "Again", at: 21)))
        driver.serve(from: &disk)
        let shows = ["me: Hello", "coach: Whole", "coach: Notice", "me: Hello", "coach: Again"]
        #expect(driver.shows == shows)
        driver.loseAndReconnect(
            replaying: [
                Device.echo("s_1", "Hello", at: 1), Device.reply("s_9", "Whole", at: 9),
                notice, Device.echo("s_20", "Hello", at: 20), Device.reply("s_21", "Again", at: 21),
            ], isReset: true)
        driver.serve(from: &disk)
        #expect(driver.shows == shows && driver.said.count == 1)
    }

    /// What the screen shows before the retry.
    enum Before: CaseIterable { case nothing, noText, partial }

    @Test(
        "C12: wherever the process ends while a retry gives way to the first reply, no answer is missed that is shown",
        arguments: Before.allCases, [false, true])
    func anyWrite(before: Before, growsFirst: Bool) throws {
        var disk = Disk<Chat>()
        var driver: Device
        if before == .nothing {
            driver = .connected(&disk)
            driver.ask("Hello", as: "s_1", at: 1, on: &disk)
            driver.advance(by: .seconds(121))
            driver.lose()
            driver.serve(from: &disk)
        } else {
            driver = lost(at: before == .partial ? "Part" : "", &disk)
        }
        try driver.retry(on: &disk)
        var ends = 0
        func end(_ disk: Disk<Chat>, _ driver: Device) {
            ends += 1
            var disk = disk
            var next = Device.restored(&disk, seed: 5)
            next.send(.shown)
            next.replay(next.cursor == "s_9" ? [] : [Device.reply("s_9", "Whole", at: 9)], isReset: false)
            next.serve(from: &disk)
            next.advance(by: .seconds(125))
            next.serve(from: &disk)
            #expect(next.shows == ["me: Hello", "coach: Whole"], "write \(ends)")
            #expect(next.said.isEmpty && !next.isWaiting)
        }
        while driver.calls.isEmpty, let wait = driver.remaining(.reconnect) { driver.advance(by: wait) }
        driver.hear(.opened)
        driver.hear(.authenticated(replayCount: 1, isTruncated: false, isReset: false))
        if growsFirst {
            driver.hear(.message(Device.reply("s_9", "Who", at: 9, isGrowing: true)))
            driver.serve(from: &disk, afterWrite: end)
        }
        driver.hear(.message(Device.reply("s_9", "Whole", at: 9)))
        driver.serve(from: &disk, afterWrite: end)
        #expect(ends > 1)
    }

    @Test("C12, L6: a partial offers no second retry while the reply to its retry grows without text")
    func growsWithoutText() throws {
        var disk = Disk<Chat>()
        var driver = Device.broken(&disk)
        try driver.retry(on: &disk)
        driver.acknowledge()
        driver.hear(.message(Device.reply("s_12", "", at: 12, isGrowing: true)))
        #expect(driver.shows.contains("coach: Part !"))
        for row in driver.rows { driver.send(.retried(row.id)) }
        driver.serve(from: &disk)
        #expect(driver.said == ["Hello", "Hello"])
        driver.hear(.message(Device.reply("s_12", "Whole", at: 12)))
        #expect(driver.shows == ["me: Hello", "coach: Whole"] && !driver.isWaiting)
    }

    @Test(
        "C12: the failure of an earlier copy, told again after a relaunch, says nothing about the waiting retry"
    )
    func failureToldAgain() throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("Hello", as: "s_1", at: 1, on: &disk)
        driver.hear(.message(Device.reply("s_9", "", at: 9)))
        driver.lose()
        try driver.retry(on: &disk)
        driver = .restored(&disk, seed: 2)
        driver.send(.shown)
        driver.hear(.opened)
        driver.hear(.authenticated(replayCount: 2, isTruncated: false, isReset: false))
        driver.hear(.message(Device.reply("s_9", "", at: 9)))
        #expect(driver.shows == ["me: Hello"])
        driver.hear(.message(notice))
        driver.serve(from: &disk)
        #expect(driver.said == ["Hello"] && driver.shows.first == "me: Hello")
    }

    /// “Hello” is with the server, and its reply grows; it is tapped again after a lost connection. Of what is saved
    /// then, only the outbox reaches the disk.
    private func retriedInOutbox(_ disk: inout Disk<Chat>) throws -> Device {
        var driver = lost(at: "Part", &disk)
        driver.send(.retried(try #require(driver.rows.first { $0.offer == .retry }).id))
        for operation in driver.storage where operation.key == Device.outboxKey {
            _ = disk.carryOut(operation)
        }
        return .restored(&disk, seed: 2)
    }

    @Test("C12: a launch that finds an unsent retry beside the old page still expects the first reply")
    func oldPage() throws {
        var disk = Disk<Chat>()
        var driver = try retriedInOutbox(&disk)
        driver.send(.shown)
        driver.replay([Device.reply("s_9", "Whole", at: 9)], isReset: false)
        driver.serve(from: &disk)
        #expect(driver.said.isEmpty && driver.shows == ["me: Hello", "coach: Whole"] && !driver.isWaiting)
    }

    @Test("C10, L6: a retry that was never sent takes no echo of an equal message in a later launch")
    func unsentTakesNoEcho() throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("ok", as: "s_1", at: 1, on: &disk)
        driver.hear(.replyFailed(.question(driver.saidIDs[0]), reason: "busy"))
        driver.say("ok")
        driver.serve(from: &disk)
        driver.lose()
        try driver.retry(on: &disk)
        driver = .restored(&disk, seed: 2)
        driver.send(.shown)
        driver.replay([Device.echo("s_2", "ok", at: 2)], isReset: false)
        driver.serve(from: &disk)
        #expect(driver.said == ["ok"])
        driver.acknowledge()
        driver.hear(.message(Device.reply("s_3", "second", at: 3)))
        driver.hear(.message(Device.reply("s_4", "first", at: 4)))
        driver.serve(from: &disk)
        #expect(driver.rows.filter { $0.role == .user }.count == 2 && !driver.isWaiting)
        #expect(driver.rows.allSatisfy { $0.offer != .retry && $0.note == nil })
    }

    /// How far the retry has come when the process ends.
    enum Moment: CaseIterable { case tapped, sent, acknowledged, echoed }

    @Test(
        "S6, C5: a partial that the replay lacks stays until the reply to its retry has text",
        arguments: Moment.allCases, [false, true])
    func retryWaits(moment: Moment, isAnswered: Bool) throws {
        var disk = Disk<Chat>()
        var driver = lost(at: "Part", &disk)
        if moment == .tapped {
            try driver.retry(on: &disk)
        } else {
            driver.reconnect()
            driver.serve(from: &disk)
            try driver.retry(on: &disk)
            if moment != .sent { driver.acknowledge() }
            if moment == .echoed { driver.hear(.message(Device.echo("s_10", "Hello", at: 10))) }
        }
        driver.serve(from: &disk)
        driver = .relaunched(&disk)
        #expect(driver.texts == ["Hello", "Part"], "\(driver.shows)")
        if moment == .tapped || moment == .sent {
            #expect(driver.said == ["Hello"] && driver.rows.allSatisfy { $0.offer != .retry })
            driver.acknowledge()
        }
        driver.serve(from: &disk)
        #expect(driver.texts == ["Hello", "Part"], "\(driver.shows)")
        if isAnswered {
            driver.hear(.message(Device.reply("s_12", "Whole", at: 12)))
            driver.serve(from: &disk)
            #expect(driver.shows == ["me: Hello", "coach: Whole"] && !driver.isWaiting)
        } else {
            driver.advance(by: .seconds(121))
            driver.serve(from: &disk)
            #expect(driver.texts == ["Hello", "Part"] && !driver.isWaiting)
            #expect(driver.rows.filter { $0.offer == .retry }.count == 1, "\(driver.shows)")
        }
    }
}
