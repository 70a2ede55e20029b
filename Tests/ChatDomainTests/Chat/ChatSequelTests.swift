// What comes after: the second of two, and the answer that comes while somebody else is at work. Seeded bugs
// (Docs/Mutants.md) and a timer that outlived its message, which no other test caught.

@testable import ChatDomain
import Testing

@Suite("Chat: the second of two, and what comes after")
struct ChatSequelTests {
    private typealias Device = Driver<Chat>

    /// Connected, with the newest of some pages in memory.
    private func halfInMemory(_ disk: inout Disk<Chat>) -> Device {
        let log = (1...7).map { number in
            Device.reply(MessageID(ExactText("s\(number)")), ExactText("\(number)"), at: Int64(number))
        }
        var first = Device.restored(&disk) { $0.pageLength = 2 }
        first.send(.shown)
        first.finishConnecting(replaying: log)
        first.serve(from: &disk)
        var driver = Device.restored(&disk, seed: 2) { $0.pageLength = 2 }
        driver.send(.shown)
        driver.finishConnecting()
        driver.serve(from: &disk)
        return driver
    }

    /// A reset whose replay breaks off after these messages.
    private func breakReplay(_ driver: inout Device, after messages: IncomingMessage...) {
        driver.lose()
        driver.advance(by: driver.remaining(.reconnect) ?? .zero)
        driver.hear(.opened)
        driver.hear(.authenticated(replayCount: 9, isTruncated: false, isReset: true))
        for message in messages { driver.hear(.message(message)) }
    }

    @Test("L4, C11: a message that was put off and is deleted leaves no timer to the next")
    func deferredAndDeleted() {
        var driver = Device.connected()
        driver.sayDurably("a")
        driver.hear(.deferred(driver.saidIDs[0]))
        #expect(driver.isRunning(.deferral(.main)))
        driver.send(.deleted(driver.rows[0].id))
        #expect(!driver.isRunning(.deferral(.main)) && driver.texts.isEmpty)
    }

    @Test("C13, C15, L3: a message that is deleted in flight and then put off leaves no wait for its reply")
    func deletedAndDeferred() {
        var driver = Device.connected()
        driver.sayDurably("a")
        driver.send(.deleted(driver.rows[0].id))
        driver.hear(.deferred(driver.saidIDs[0]))
        driver.advance(by: driver.remaining(.deferral(.main)) ?? .zero)
        #expect(driver.said == ["a"] && driver.texts.isEmpty)
        #expect(!Chat.isTyping(driver.state) && !Chat.isSending(driver.state))
    }

    /// An outbox of two messages, of which the second may have been sent: no save has to come before it.
    private func twoOnDisk(files: [Chat.Attachment] = []) -> Disk<Chat> {
        let written = Device.fresh().context.wall
        var disk = Disk<Chat>()
        disk[Device.outboxKey] = .outbox([
            OutboxEntry(
                key: "c_a", text: "a", written: written, wasSent: files.isEmpty, attachments: files),
            OutboxEntry(key: "c_b", text: "b", written: written, wasSent: true),
        ])
        return disk
    }

    @Test("C8: the second of two messages goes when the first is acknowledged, on a silent disk too")
    func secondOnSilentDisk() {
        var disk = twoOnDisk()
        var driver = Device.connected(&disk)
        #expect(driver.said == ["a"])
        driver.hear(.acknowledged("c_a"))
        #expect(driver.said == ["a", "b"])
    }

    @Test("C3: a wait that the server has told is waited out before the next attempt")
    func toldWait() {
        var driver = Device.connected()
        driver.lose(.refused(status: 503, retryAfter: .seconds(7), message: ""))
        #expect(driver.remaining(.reconnect) == .seconds(7))
    }

    @Test("C15, L5: the composer is saved at once when chat is left, or goes to the background")
    func composer() {
        for action in [.left, .backgrounded] as [Chat.Action] {
            var driver = Device.connected()
            driver.send(.draftEdited("half"))
            #expect(driver.draftsToBeSaved.isEmpty)
            driver.send(action)
            #expect(driver.draftsToBeSaved == ["half"])
        }
    }

    @Test("C11, C12: put off and then refused, a message was never taken, and keeps its id")
    func deferredAndRefused() {
        var driver = Device.connected()
        driver.sayDurably("a")
        driver.hear(.deferred(driver.saidIDs[0]))
        driver.advance(by: driver.remaining(.deferral(.main)) ?? .zero)
        driver.save()
        #expect(driver.said == ["a", "a"])
        driver.hear(.rejected(driver.saidIDs[1], reason: "no"))
        driver.save()
        driver.send(.retried(driver.rows[0].id))
        driver.save()
        #expect(driver.said.count == 3 && driver.saidIDs[2] == driver.saidIDs[0])
    }

    @Test("C12, L6: a second tap on the retry of a reply sends nothing more")
    func secondTap() {
        var driver = Device.connected()
        driver.sayDurably("a")
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.hear(.message(Device.echo("m1", "a", at: 1)))
        driver.hear(.message(Device.reply("s1", "half", at: 2, isGrowing: true)))
        driver.hear(.replyFailed(.reply("s1"), reason: "no"))
        driver.save()
        driver.lose()
        #expect(driver.rows.map { $0.offer } == [.edit, .retry])
        let row = driver.rows[1].id
        driver.send(.retried(row))
        let before = driver.state
        #expect(driver.queued.count == 1 && driver.send(.retried(row)).isEmpty && driver.state == before)
    }

    @Test("L6, C12: of two entries of one message a launch sends the latest, and no other")
    func latestEntry() {
        var disk = Disk<Chat>()
        let entries = ["c_old", "c_new"].map { key in
            OutboxEntry(
                key: ClientID(ExactText(key)), client: "c_old", text: "a",
                written: Device.fresh().context.wall, wasSent: true)
        }
        disk[Device.outboxKey] = .outbox(entries)
        var driver = Device.connected(&disk)
        driver.serve(from: &disk)
        #expect(driver.saidIDs == ["c_new"])
        driver.hear(.acknowledged("c_new"))
        driver.serve(from: &disk)
        #expect(driver.saidIDs == ["c_new"] && driver.texts == ["a"])
    }

    @Test("C14, C8: a message whose upload has failed holds nothing back, on a silent disk too")
    func behindUpload() {
        let file = Chat.Attachment(
            id: "f", owner: "kay", kind: .document, mimeType: "text/plain", name: "x", byteCount: 9,
            source: .file(.waiting))
        var disk = twoOnDisk(files: [file])
        var driver = Device.connected(&disk)
        #expect(driver.uploads.count == 1 && driver.said.isEmpty)
        driver.end(driver.uploads[0], .refused(status: 400, retryAfter: nil, message: "no"))
        #expect(driver.said == ["b"])
    }

    @Test("C5: after a reset the history is asked for from its beginning")
    func resetCursor() {
        var driver = Device.connected()
        driver.hear(.message(Device.reply("s1", "hello", at: 1)))
        breakReplay(&driver)
        driver.lose()
        driver.advance(by: driver.remaining(.reconnect) ?? .zero)
        #expect(driver.calls.count == 1 && driver.askedCursor == nil)
    }

    @Test("C16: of two messages with one time, the one that was there first stays first")
    func equalTimes() {
        var driver = Device.connected()
        driver.sayDurably("a")
        driver.hear(.message(Device.echo("m9", "from elsewhere", at: 5, from: "device-2")))
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.hear(.message(Device.echo("m1", "a", client: driver.saidIDs[0], at: 5)))
        #expect(driver.texts == ["a", "from elsewhere"])
    }

    @Test("C5, C21: a page that a reset withdraws while it is being loaded does not come back")
    func withdrawnPage() {
        var disk = Disk<Chat>()
        var driver = halfInMemory(&disk)
        driver.send(.olderRequested)
        #expect(driver.storage.count == 1 && driver.storage[0].work == .load)
        driver.loseAndReconnect(replaying: [Device.reply("n", "new", at: 90)], isReset: true)
        driver.serve(from: &disk)
        #expect(driver.texts == ["new"])
    }

    @Test("C2: a launch goes on when the record of past connections is read last")
    func pacingLast() {
        var disk = Disk<Chat>()
        var driver = Device.fresh()
        driver.send(.signedIn(Device.account))
        driver.send(.shown)
        driver.serve(from: &disk, but: { $0 == Device.pacingKey })
        #expect(driver.calls.isEmpty)
        driver.serve(from: &disk)
        #expect(driver.calls.count == 1)
    }

    @Test("C2: sign-out and sign-in do not add connections")
    func signsInAgain() {
        var driver = Device.connected {
            $0.authentications = Throttle.Configuration(limit: 1, window: .seconds(60))
        }
        driver.send(.signedOut)
        driver.save()
        driver.send(.signedIn(Device.account))
        driver.save()
        driver.send(.shown)
        #expect(driver.calls.isEmpty && driver.isRunning(.reconnect))
    }

    @Test("C2, L4: a network that is back is no longer looked for by a timer")
    func networkBack() {
        var driver = Device.asking()
        driver.sayDurably("Hi")
        driver.breakOff(.failed(.offline))
        driver.advance(by: .milliseconds(400))
        driver.breakOff(.failed(.offline))
        driver.save()
        #expect(driver.isRunning(.reconnect) && driver.questions.isEmpty)
        driver.send(.networkChanged(isUp: true))
        driver.save()
        #expect(!driver.isRunning(.reconnect) && driver.questions.count == 1)
    }

    @Test("S9, L3: the line that tells a wait goes when the wait is over, although nobody waits")
    func toldWaitIsOver() {
        var driver = Device.accepted()
        driver.breakOff(.refused(status: 429, retryAfter: .seconds(40), message: ""))
        driver.save()
        driver.advance(by: .milliseconds(39_999))
        #expect(Chat.connectionLine(driver.state, .neutral) == Wording.neutral.serverAskedToWait)
        driver.advance(by: .milliseconds(1))
        #expect(Chat.connectionLine(driver.state, .neutral) == nil)
    }

    @Test("C10: of two equal echoes an acknowledgement claims the latest, and none from before the message")
    func equalEchoes() {
        var copies = Copies()
        copies.remember("before", saying: LongText("a"), at: WallTime(millisecondsSince1970: 0))
        copies.sent("c1", of: "c1", saying: LongText("a"), since: nil)
        #expect(copies.knowsAll().isEmpty)
        for id in ["m1", "m2"] as [MessageID] {
            copies.remember(id, saying: LongText("a"), at: WallTime(millisecondsSince1970: 0))
        }
        #expect(copies.taken("c1") == "m2")
    }

    @Test("C12: a question that was accepted stands before one that was only sent")
    func acceptedFirst() {
        var turns = Turns()
        turns.sent("c1", isWanted: true)
        _ = turns.taken(elsewhere: "m1", .stopped(left: .seconds(9)))
        #expect(turns.turns.map { $0.question } == [.elsewhere("m1"), .written("c1")])
        // The one from elsewhere turns out to be that message.
        _ = turns.claim("m1", for: "c1")
        #expect(turns.turns.map { $0.question } == [.written("c1")])
    }

    @Test("C12: both of two questions wait on after the connection was lost")
    func bothWaitOn() {
        var driver = Device.connected()
        for text in ["a", "b"] as [ExactText] {
            driver.sayDurably(text)
            driver.hear(.acknowledged(driver.saidIDs[driver.saidIDs.count - 1]))
        }
        driver.save()
        let waits = driver.saidIDs.map { Chat.Timer.replyLimit(.written($0), in: .main) }
        #expect(waits.count == 2 && waits.allSatisfy { driver.isRunning($0) })
        driver.lose()
        #expect(!waits.contains { driver.isRunning($0) })
        driver.reconnect()
        #expect(waits.allSatisfy { driver.isRunning($0) })
    }

    @Test("C10, L6: an echo that a reset withdraws resolves nothing")
    func withdrawnEcho() {
        var disk = Disk<Chat>()
        var driver = halfInMemory(&disk)
        driver.say("Mine")
        driver.serve(from: &disk)
        // It may be of an older message, which is not in memory.
        breakReplay(&driver, after: Device.echo("m1", "Mine", at: 20))
        driver.loseAndReconnect(replaying: [Device.reply("s9", "New", at: 30)], isReset: true)
        driver.serve(from: &disk)
        driver.acknowledge()
        driver.hear(.message(Device.echo("m2", "Mine", at: 40)))
        #expect(driver.texts == ["New", "Mine"])
    }

    @Test("C10, C13: the deletion of one message does not change whose the echoes of others are")
    func otherDeleted() {
        var copies = Copies()
        for (key, text) in [("c1", "a"), ("c2", "a"), ("c3", "b")] as [(ClientID, ExactText)] {
            copies.sent(key, of: key, saying: LongText(text), since: nil)
        }
        copies.deleted("c3")
        let time = WallTime(millisecondsSince1970: 0)
        let echo = copies.echoed("m1", key: nil, saying: LongText("a"), at: time, .live)
        #expect(echo == .of(client: "c1", key: "c1"))
    }

    @Test("C12, L8: of the replies that have begun, the questions of the latest 64 are remembered")
    func answeredLimit() {
        var turns = Turns()
        for number in 0...Turns.answeredLimit {
            turns.recall(MessageID("m\(number)"), to: ClientID("c\(number)"))
        }
        #expect(turns.turns.count == 64)
        #expect(turns.question(of: "m0") == nil && turns.question(of: "m1") == .written("c1"))
    }

    @Test("C5: a second reset knows the history from before the first")
    func secondReset() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("Hello", as: "s1", at: 1, on: &disk)
        let row = driver.rows.map { $0.id }
        breakReplay(&driver)
        driver.loseAndReconnect(replaying: [Device.echo("s1", "Hello", at: 1)], isReset: true)
        #expect(row.count == 1 && driver.rows.map { $0.id } == row)
    }

    @Test("C13, L6: a deleted message stays deleted when a stored page shows that two rows are one")
    func deletedTwin() {
        let author = Message.Author.here(Message.Written(client: "c1", status: .delivered))
        func message(_ id: MessageID?, _ author: Message.Author) -> Message {
            Message(id: id, author: author, body: .text(LongText("a")), time: Device.epoch)
        }
        var transcript = ChatTranscript(seed: 1, pageLength: 2)
        transcript.hide(transcript.insert(message(nil, author)))
        _ = transcript.receive(message("m1", .elsewhere(nil)))
        #expect(transcript.rows.count == 2)
        transcript.load([message("m1", author)], page: 0)
        #expect(transcript.rows.map { $0.value.wrappedValue.isHidden } == [true])
    }

    @Test("L8: no more questions wait than the limit, however many another device asks")
    func mostTurns() {
        var turns = Turns()
        for number in 0...Turns.limit {
            #expect(turns.forgetExcess() == nil)
            _ = turns.taken(elsewhere: MessageID(ExactText("s_\(number)")), .stopped(left: .seconds(1)))
        }
        #expect(turns.forgetExcess() == .elsewhere("s_0"))
        #expect(turns.turns.count == Turns.limit && turns.turns.first?.question == .elsewhere("s_1"))
    }

    @Test(
        "L8, L3: with one question too many, the wait for the oldest of another device ends",
        arguments: [false, true])
    func excessTurn(isOwn: Bool) {
        var driver = Device.connected()
        for number in 0..<(isOwn ? Turns.limit : Turns.limit + 1) {
            let text = ExactText("x\(number)")
            let id = MessageID(ExactText("s_\(number)"))
            driver.hear(.message(Device.echo(id, text, at: Int64(number), from: "tablet")))
        }
        if isOwn {
            driver.sayDurably("q")
            driver.acknowledge()
        }
        #expect(driver.state.conversation.pushed.turns.turns.count == Turns.limit)
        #expect(!driver.isRunning(.replyLimit(.elsewhere("s_0"), in: .main)))
        #expect(driver.isRunning(.replyLimit(.elsewhere("s_1"), in: .main)))
    }
}
