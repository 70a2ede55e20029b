// The process ends between two saves, and the next one goes on with what is on the disk: equal texts, questions of the
// person's other device, retries, and a history that was being told anew.

import Testing

@testable import ChatDomain

@Suite("Situations: relaunches")
struct RelaunchSituations {
    private typealias Device = Driver<Chat>

    /// The disk takes the pending saves under a key before the process ends.
    private static func end(_ driver: Device, after key: Chat.Key, _ disk: inout Disk<Chat>) {
        for operation in driver.storage where operation.key == key { _ = disk.carryOut(operation) }
    }

    private static func tablet(_ id: MessageID, _ text: ExactText, at second: Int64) -> IncomingMessage {
        Device.echo(id, text, at: second, from: "tablet")
    }

    /// A reply begins and fails.
    private static func breakReply(_ id: MessageID, at second: Int64, on driver: inout Device) {
        driver.grow(id, to: "Part", at: second)
        driver.hear(.replyFailed(.reply(id), reason: "busy"))
    }

    // MARK: Equal texts

    @Test("C10, L6: after a relaunch equal texts take their echoes in the order of sending")
    func equalTexts() throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("ok")
        driver.say("ok")
        driver.serve(from: &disk)
        let second = try #require(driver.queued.last)
        driver.acknowledge()
        // The second is marked as sent, and the process ends before it is.
        Self.end(driver, after: Device.outboxKey, &disk)
        driver = .relaunched(
            &disk, replaying: [Device.echo("s_1", "ok", at: 1), Device.reply("r_1", "one", at: 2)])
        #expect(driver.saidIDs == [second])
        #expect(driver.statuses == [.delivered, .sending, nil])
    }

    @Test("C10, L5: a refused message that waits for its retry takes no echo of an equal text")
    func refusedWaits() throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.sayDurably("ok")
        driver.sayDurably("ok")
        driver.serve(from: &disk)
        let (refused, second) = (driver.saidIDs[0], try #require(driver.queued.last))
        driver.hear(.rejected(refused, reason: "no"))
        driver.serve(from: &disk)
        #expect(driver.saidIDs == [refused, second])
        try driver.retry(on: &disk)
        driver = .relaunched(&disk, replaying: [Device.echo("s_1", "ok", at: 1)])
        driver.serve(from: &disk)
        #expect(driver.saidIDs == [refused])
    }

    // MARK: The person's other device

    @Test(
        "C12: after a relaunch a reply to another device's question, even a late one, takes no turn here",
        arguments: [3, 200])
    func answeredElsewhere(at second: Int64) throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.hear(.message(Self.tablet("s_1", "From there", at: 1)))
        driver.ask("From here", as: "s_2", at: 2, on: &disk)
        driver.hear(.message(Device.reply("r_1", "Back there", at: second)))
        driver.serve(from: &disk)
        driver = .relaunched(&disk)
        Self.breakReply("r_2", at: second + 1, on: &driver)
        try driver.retry(on: &disk)
        #expect(driver.said == ["From here"])
    }

    @Test("C12: after a relaunch a reply that failed to another device's question is not awaited")
    func failedElsewhere() throws {
        for isEmpty in [true, false] {
            var disk = Disk<Chat>()
            var driver = Device.connected(&disk)
            driver.hear(.message(Self.tablet("s_1", "From there", at: 1)))
            if isEmpty {
                driver.hear(.message(Device.reply("r_1", "", at: 2)))
            } else {
                driver.hear(.replyFailed(.reply("r_1"), reason: "busy"))
            }
            driver.ask("From here", as: "s_2", at: 3, on: &disk)
            driver = .relaunched(&disk)
            Self.breakReply("r_2", at: 4, on: &driver)
            try driver.retry(on: &disk)
            #expect(driver.said == ["From here"])
        }
    }

    @Test("C12: after a relaunch an old question of another device takes no reply to a newer one")
    func oldElsewhere() throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.hear(.message(Self.tablet("s_1", "Lost", at: 1)))
        driver.advance(by: .seconds(121))
        driver.hear(.message(Self.tablet("s_2", "From there", at: 122)))
        driver.hear(.message(Device.reply("r_2", "Back there", at: 123)))
        driver.serve(from: &disk)
        driver = .relaunched(&disk)
        driver.ask("From here", as: "s_3", at: 124, on: &disk)
        Self.breakReply("r_3", at: 125, on: &driver)
        try driver.retry(on: &disk)
        #expect(driver.said == ["From here", "From here"])
    }

    @Test("C12: after a relaunch a message without an echo is asked after those that the server has told")
    func notEchoed() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("From here")
        driver.serve(from: &disk)
        driver.hear(.message(Self.tablet("s_1", "From there", at: 1)))
        driver.acknowledge()
        driver.serve(from: &disk)
        driver = .relaunched(&disk, replaying: [Device.echo("s_2", "From here", at: 2)])
        Self.breakReply("r_1", at: 3, on: &driver)
        #expect(driver.rows.allSatisfy { $0.offer != .retry } && driver.isWaiting)
        driver.hear(.message(Device.reply("r_2", "Answer", at: 4)))
        #expect(!driver.isWaiting)
    }

    // MARK: Retries

    @Test("S6, C12: a retry that no save has kept leaves the partial and its offer")
    func lostRetry() throws {
        var disk = Disk<Chat>()
        var driver = Device.broken(&disk)
        let row = try #require(driver.rows.first { $0.offer == .retry })
        driver.lose()
        driver.send(.retried(row.id))
        Self.end(driver, after: Device.pageKey(0), &disk)
        driver = .relaunched(&disk)
        #expect(driver.shows == ["me: Hello", "coach: Part ! [retry]"])
        #expect(driver.said.isEmpty && driver.isDelivered("Hello"))
    }

    @Test("S6, C12: a lost retry is offered again although the outbox still holds the message before it")
    func lostRetryBesideLeft() throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("Hello")
        driver.serve(from: &disk)
        let left = try #require(disk[Device.outboxKey])
        driver.acknowledge()
        driver.hear(.message(Device.echo("s_1", "Hello", at: 1)))
        driver.hear(.replyFailed(.reply("s_2"), reason: "busy"))
        driver.serve(from: &disk)
        let row = try #require(driver.rows.first { $0.offer == .retry })
        driver.lose()
        driver.send(.retried(row.id))
        Self.end(driver, after: Device.pageKey(0), &disk)
        disk[Device.outboxKey] = left
        driver = .relaunched(&disk)
        #expect(driver.shows == ["me: Hello ! [retry]"] && driver.queued.isEmpty)
    }

    @Test("L5, C12: a retry that no save has kept leaves a message undelivered that the server may lack")
    func lostRetryOfRefused() throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("Hello")
        driver.serve(from: &disk)
        driver.loseAndReconnect()
        driver.hear(.rejected(driver.saidIDs[0], reason: "no"))
        driver.serve(from: &disk)
        let row = try #require(driver.rows.first { $0.offer == .retry })
        driver.lose()
        driver.send(.retried(row.id))
        Self.end(driver, after: Device.pageKey(0), &disk)
        driver = .relaunched(&disk)
        driver.hear(.message(Device.reply("s_1", "News", at: 1)))
        #expect(driver.shows == ["me: Hello ! [retry]", "coach: News"] && driver.said.isEmpty)
    }

    @Test("L5, C12: after a relaunch a refused message takes no reply, because no turn waits for one")
    func refusedTakesNoReply() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("Hello")
        driver.serve(from: &disk)
        driver.loseAndReconnect()
        driver.hear(.rejected(driver.saidIDs[0], reason: "no"))
        driver.serve(from: &disk)
        driver = .relaunched(&disk)
        driver.hear(.message(Device.reply("s_1", "News", at: 1)))
        #expect(driver.shows == ["me: Hello ! [retry]", "coach: News"])
    }

    @Test("S6, C20: a retry after a stop asks again, because the server answers an accepted key once")
    func stoppedAndRetried() throws {
        var disk = Disk<Chat>()
        var driver = Device.broken(&disk)
        try driver.retry(on: &disk)
        driver.acknowledge()
        driver.send(.waitingStopped)
        try driver.retry(on: &disk)
        #expect(driver.said.count == 3 && Set(driver.saidIDs).count == 3)
        driver.acknowledge()
        driver.hear(.message(Device.reply("s_12", "Unwanted", at: 12)))
        driver.hear(.message(Device.reply("s_13", "Answer", at: 13)))
        #expect(driver.shows == ["me: Hello", "coach: Answer"] && !driver.isWaiting)
    }

    @Test("C12: a retry without an answer that no save has kept is offered again, also on an older page")
    func lostRetryOfUnanswered() throws {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk) { $0.pageLength = 2 }
        driver.send(.shown)
        driver.finishConnecting()
        driver.ask("Hello", as: "s_1", at: 1, on: &disk)
        driver.hear(.replyFailed(.reply("s_2"), reason: "busy"))
        for number: Int64 in 3...6 {
            driver.hear(.message(Device.reply(MessageID(ExactText("s_\(number)")), "News", at: number)))
        }
        driver.serve(from: &disk)
        let row = try #require(driver.rows.first { $0.offer == .retry })
        driver.lose()
        driver.send(.retried(row.id))
        Self.end(driver, after: Device.pageKey(0), &disk)
        driver = Device.restored(&disk) { $0.pageLength = 2 }
        while Chat.hasOlder(driver.state) {
            driver.send(.olderRequested)
            driver.serve(from: &disk)
        }
        #expect(driver.shows.first == "me: Hello ! [retry]")
    }

    // MARK: A bad disk

    @Test("C7, L6: what the disk refused at first does not come back in the composer once the server has it")
    func refusedOnce() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("Hello")
        driver.serve(from: &disk, failing: { $0 == Device.outboxKey }, with: .full)
        #expect(driver.said == ["Hello"])
        driver.acknowledge()
        driver.serve(from: &disk)
        driver.advance(by: .seconds(6))
        driver.serve(from: &disk)
        driver = Device.restored(&disk)
        #expect(driver.draft.isEmpty && driver.shows == ["me: Hello"])
    }

    @Test("L5: what the server refuses is on the disk at every moment, also where the outbox is never stored")
    func refusedWithoutOutbox() {
        var disk = Disk<Chat>()
        var driver = Device.fresh()
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk, failing: { $0 == Device.outboxKey })
        driver.send(.shown)
        driver.finishConnecting()
        driver.say("Hello")
        driver.serve(from: &disk, failing: { $0 == Device.outboxKey })
        driver.hear(.rejected(driver.saidIDs[0], reason: "no"))
        while let operation = driver.storage.first {
            driver.answer(
                operation.key,
                with: operation.key == Device.outboxKey ? .failed(.unreadable) : disk.carryOut(operation))
            var left = disk
            let next = Device.restored(&left)
            #expect(next.draft == "Hello" || next.texts == ["Hello"])
        }
    }

    @Test("L5, L8: where the transcript is never stored, a refused message outlives accepted ones")
    func transcriptNeverStored() {
        var disk = Disk<Chat>()
        var driver = Device.fresh()
        driver.send(.signedIn(Device.account))
        let isPage: (Chat.Key) -> Bool = { if case .page = $0 { true } else { $0 == Device.contentsKey } }
        driver.serve(from: &disk, failing: isPage)
        driver.send(.shown)
        driver.finishConnecting()
        driver.say("No")
        driver.serve(from: &disk, failing: isPage)
        driver.hear(.rejected(driver.saidIDs[0], reason: "no"))
        for number in 1...60 {
            driver.say(ExactText("Yes \(number)"))
            driver.serve(from: &disk, failing: isPage)
            driver.send(.draftEdited("typing"))
            driver.acknowledge()
            driver.send(.draftEdited(""))
            driver.advance(by: .seconds(1))
            driver.serve(from: &disk, failing: isPage)
        }
        guard case .outbox(let entries) = disk[Device.outboxKey] else {
            Issue.record("nothing is stored")
            return
        }
        #expect(entries.map { $0.text } == ["No"])
    }

    // MARK: A history told anew

    @Test("C5, L5: until a history is told anew, the disk keeps the former one")
    func toldInPart() {
        for count in 0...3 {
            var disk = Disk<Chat>()
            var driver = Device.connected(&disk)
            driver.ask("Hello", as: "s_1", at: 1, on: &disk)
            driver.hear(.message(Device.reply("s_2", "Hi", at: 2)))
            driver.ask("More", as: "s_3", at: 3, on: &disk)
            let log = [
                Device.echo("s_1", "Hello", at: 1), Device.reply("s_2", "Hi", at: 2),
                Device.echo("s_3", "More", at: 3),
            ]
            driver.lose()
            driver.advance(by: .seconds(5))
            driver.hear(.opened)
            driver.hear(.authenticated(replayCount: 3, isTruncated: false, isReset: true))
            for message in log.prefix(count) { driver.hear(.message(message)) }
            driver.serve(from: &disk) { disk, _ in
                var left = disk
                #expect(Device.restored(&left).shows == ["me: Hello", "coach: Hi", "me: More"])
            }
        }
    }

    @Test("C10, C12: an old question of another device that is stored takes no reply from one's own")
    func storedForeignQuestion() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.hear(.message(Self.tablet("s_1", "old", at: 0)))
        driver.serve(from: &disk)
        driver = Device.fresh(seed: 2)
        driver.context.moment = Moment(now: .origin, wall: Device.epoch + .seconds(86_400))
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk)
        driver.send(.shown)
        driver.finishConnecting()
        driver.ask("mine", as: "s_2", at: 86_401, on: &disk)
        driver.hear(.message(Device.reply("s_3", "yours", at: 86_402)))
        driver.advance(by: .seconds(130))
        #expect(driver.shows == ["me: old", "me: mine", "coach: yours"])
        #expect(!driver.isWaiting)
    }

    @Test("C10, C11: after a relaunch a refused message takes no echo of a message with its text")
    func refusedTakesNoEcho() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("Hello")
        driver.serve(from: &disk)
        driver.hear(.rejected(driver.saidIDs[0], reason: "no"))
        driver.serve(from: &disk)
        driver = .relaunched(&disk)
        driver.hear(.message(Device.echo("s_1", "Hello", at: 1)))
        #expect(driver.texts == ["Hello", "Hello"])
    }

    @Test("L5, L6: an accepted message that the stored outbox holds as unsent is not sent once more")
    func acceptedAsUnsent() throws {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk)
        driver.say("Hello")
        driver.serve(from: &disk)
        let unsent = try #require(disk[Device.outboxKey])
        driver.send(.shown)
        driver.finishConnecting()
        driver.serve(from: &disk)
        driver.acknowledge()
        driver.serve(from: &disk)
        // The disk has refused every later save of the outbox.
        disk[Device.outboxKey] = unsent
        driver = .relaunched(&disk)
        #expect(driver.said.isEmpty && driver.texts == ["Hello"])
    }

    @Test("C10, C12: an old question of another device that is replayed takes no reply from one's own")
    func oldForeignQuestion() {
        var disk = Disk<Chat>()
        var driver = Device.fresh()
        driver.context.moment = Moment(now: .origin, wall: Device.epoch)
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk)
        driver.send(.shown)
        driver.finishConnecting(replaying: [Device.echo("s_1", "old", at: -86_400, from: "other")])
        driver.ask("mine", as: "s_2", at: 1, on: &disk)
        driver.hear(.message(Device.reply("s_3", "yours", at: 2)))
        driver.advance(by: .seconds(130))
        #expect(driver.shows == ["me: old", "me: mine", "coach: yours"])
        #expect(!driver.isWaiting)
    }
}
