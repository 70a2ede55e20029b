@testable import ChatDomain
import Testing

/// A message that is put between older ones moves a row of every page behind it to the next page. Wherever the
/// process ends between two saves, no row may be on no page.
@Suite("Chat: rows that move over the border of a page")
struct ChatPageBorderTests {
    private typealias Device = Driver<Chat>

    private static func device(_ disk: inout Disk<Chat>, seed: UInt64 = 1) -> Device {
        var driver = Device.restored(&disk, seed: seed) { $0.pageLength = 2 }
        driver.send(.shown)
        return driver
    }

    /// What the server has said, in its order.
    private var log = (1...7).map { number in
        Device.reply(MessageID(ExactText("s\(number)")), ExactText("\(number)"), at: Int64(number) * 10)
    }

    /// The device begins anew from a disk, connects, and looks at all that it has.
    private func relaunched(_ disk: Disk<Chat>, _ log: [IncomingMessage]) -> Device {
        var disk = disk
        var driver = Self.device(&disk, seed: 2)
        #expect(driver.askedCursor == nil || log.contains { $0.id == driver.askedCursor })
        let known = log.firstIndex { $0.id == driver.askedCursor }.map { $0 + 1 } ?? 0
        driver.finishConnecting(replaying: Array(log.dropFirst(known)))
        for _ in 0..<6 {
            driver.serve(from: &disk)
            driver.send(.olderRequested)
        }
        return driver
    }

    @Test(
        "L6, C5: a message that the server places between older ones is stored with them wherever the process ends",
        arguments: [5, 15, 25, 45, 65, 75] as [Int64], [false, true])
    func placed(at second: Int64, leaves: Bool) {
        var disk = Disk<Chat>()
        var driver = Self.device(&disk)
        driver.finishConnecting(replaying: log)
        driver.serve(from: &disk)
        var log = log
        for (id, time) in [("x", second), ("y", second + 1)] {
            log.append(Device.reply(MessageID(ExactText(id)), ExactText(id), at: time))
            driver.hear(.message(log[log.count - 1]))
        }
        if leaves { driver.send(.signedOut) }
        let texts = log.sorted { $0.time < $1.time }.map { $0.text.string }
        driver.serve(from: &disk) { disk, _ in
            // What is replayed before its page is loaded may stand elsewhere (C16).
            #expect(relaunched(disk, log).texts.sorted() == texts.sorted())
        }
        let after = relaunched(disk, log)
        // A sign-out leaves pages out, and the server tells their rows anew.
        #expect(leaves ? after.texts.sorted() == texts.sorted() : after.texts == texts)
        #expect(after.state.conversation.cursor == "y")
    }

    @Test(
        "C5, L6, P10: whichever page the disk refuses at sign-out, each row is there after the next sign-in",
        arguments: [5, 15, 25, 45, 65, 75] as [Int64], [0, 1, 2, 3, 4] as [Int64])
    func refused(at second: Int64, page: Int64) {
        var disk = Disk<Chat>()
        var driver = Self.device(&disk)
        driver.finishConnecting(replaying: log)
        driver.serve(from: &disk)
        let log = log + [Device.reply("x", "x", at: second), Device.reply("y", "y", at: second + 1)]
        for message in log.suffix(2) { driver.hear(.message(message)) }
        driver.send(.signedOut)
        driver.serve(from: &disk, failing: { $0 == Device.pageKey(page) }, with: .full)
        #expect(relaunched(disk, log).texts.sorted() == log.map { $0.text.string }.sorted())
    }

    @Test(
        "L5, L6: an own message that its echo moves is there wherever the process ends",
        arguments: [5, 15, 25, 45, 65, 85] as [Int64])
    func echoed(at second: Int64) {
        var disk = Disk<Chat>()
        var driver = Self.device(&disk)
        driver.finishConnecting(replaying: Array(log.prefix(4)))
        driver.say("mine")
        driver.serve(from: &disk)
        driver.hear(.acknowledged(driver.saidIDs[0]))
        for message in log.suffix(3) { driver.hear(.message(message)) }
        driver.serve(from: &disk)
        let log = log + [Device.echo("m", "mine", at: second)]
        driver.hear(.message(log[7]))
        let texts = log.sorted { $0.time < $1.time }.map { $0.text.string }
        #expect(driver.texts == texts)
        driver.serve(from: &disk) { disk, _ in
            #expect(relaunched(disk, log).texts.sorted() == texts.sorted())
        }
        #expect(relaunched(disk, log).texts == texts)
    }

    @Test("L6: a message answered on an older page is not sent again by an outbox of an earlier save")
    func answeredOnOlderPage() {
        var disk = Disk<Chat>()
        var driver = Self.device(&disk)
        driver.finishConnecting()
        driver.say("one")
        driver.serve(from: &disk)
        let outbox = disk[Device.outboxKey]
        for (number, text) in [(1, "one"), (2, "two")] as [(Int64, ExactText)] {
            if number > 1 { driver.say(text) }
            driver.serve(from: &disk)
            driver.hear(.acknowledged(driver.saidIDs[Int(number) - 1]))
            driver.hear(.message(Device.echo(MessageID(ExactText("e\(number)")), text, at: 10 * number)))
            driver.hear(
                .message(
                    Device.reply(
                        MessageID(ExactText("r\(number)")), ExactText("so \(text.string)"),
                        at: 10 * number + 1)))
        }
        driver.serve(from: &disk)
        // The process ends before the outbox is saved.
        disk[Device.outboxKey] = outbox
        var again = Self.device(&disk, seed: 2)
        again.finishConnecting()
        again.serve(from: &disk)
        #expect(again.said.isEmpty && again.queued.isEmpty)
        #expect(again.texts == ["one", "so one", "two", "so two"])
    }

    @Test("L6, C12: a message answered under its second id is not sent again by an outbox of an earlier save")
    func answeredUnderSecondID() throws {
        var disk = Disk<Chat>()
        var driver = Self.device(&disk)
        driver.finishConnecting()
        driver.say("one")
        driver.serve(from: &disk)
        let outbox = disk[Device.outboxKey]
        driver.acknowledge()
        driver.hear(.replyFailed(.question(driver.saidIDs[0]), reason: "busy"))
        driver.serve(from: &disk)
        try driver.retry(on: &disk)
        driver.acknowledge()
        driver.hear(.message(Device.reply("r1", "so one", at: 1)))
        driver.serve(from: &disk)
        // The disk has refused every later save of the outbox.
        disk[Device.outboxKey] = outbox
        var again = Self.device(&disk, seed: 2)
        again.finishConnecting()
        again.serve(from: &disk)
        #expect(again.said.isEmpty && again.queued.isEmpty && again.isDelivered("one"))
    }

    @Test("C5: when the server's clock goes back, the cursor is what it said last, also in a replay")
    func clock() {
        for isReplayed in [false, true] {
            var disk = Disk<Chat>()
            var driver = Self.device(&disk)
            driver.finishConnecting(replaying: log)
            driver.serve(from: &disk)
            let back = [Device.reply("x", "x", at: 35), Device.echo("y", "y", at: 36, from: "device-2")]
            if isReplayed {
                driver.lose()
                driver.reconnect(replaying: back)
            } else {
                for message in back { driver.hear(.message(message)) }
            }
            #expect(driver.state.conversation.cursor == "y")
            driver.serve(from: &disk)
            #expect(driver.state.conversation.transcript.pages.dirty.isEmpty)
            let again = Self.device(&disk, seed: 2)
            #expect(again.askedCursor == "y")
        }
    }

    @Test("C5: a replay that is cut goes on behind the last message that it has brought")
    func cut() {
        var disk = Disk<Chat>()
        var driver = Self.device(&disk)
        driver.hear(.opened)
        driver.hear(.authenticated(replayCount: 7, isTruncated: false, isReset: false))
        for message in log.prefix(3) { driver.hear(.message(message)) }
        driver.serve(from: &disk)
        driver.lose()
        driver.reconnect()
        #expect(driver.askedCursor == log[2].id && driver.state.conversation.cursor == log[2].id)
    }

    @Test("C5: the cursor is stored also when all of the replay was stored before its end")
    func storedBefore() {
        var disk = Disk<Chat>()
        var driver = Self.device(&disk)
        driver.hear(.opened)
        driver.hear(.authenticated(replayCount: 8, isTruncated: false, isReset: false))
        for message in log { driver.hear(.message(message)) }
        driver.serve(from: &disk)
        #expect(Self.device(&disk, seed: 2).askedCursor == "s7")
        driver.hear(.unreadableMessage)
        driver.serve(from: &disk)
        #expect(Self.device(&disk, seed: 2).askedCursor == "s7")
    }

    @Test("C5: once all is stored, the cursor is the newest again, and nothing is left to save")
    func cursor() {
        var disk = Disk<Chat>()
        var driver = Self.device(&disk)
        driver.finishConnecting(replaying: log)
        driver.serve(from: &disk)
        driver.hear(.message(Device.reply("x", "x", at: 15)))
        driver.hear(.message(Device.reply("s8", "8", at: 80)))
        driver.serve(from: &disk)
        #expect(driver.state.conversation.transcript.pages.dirty.isEmpty)
        #expect(Self.device(&disk, seed: 2).askedCursor == "s8")
    }

    @Test("C12, S6: a new reply replaces a partial one, and never a complete one")
    func olderReply() {
        func reply(_ id: MessageID, _ body: Message.Body) -> Message {
            Message(
                id: id, author: .assistant(to: "c_1"), body: body,
                time: WallTime(millisecondsSince1970: 0), isPlaced: true)
        }
        var transcript = ChatTranscript(seed: 1, pageLength: 2)
        transcript.insert(reply("s_3", .text(LongText("third"))))
        let partial = Message.Body.interrupted(
            LongText("fir"), ReplyEnding(.timedOut, needsNewKey: true))
        transcript.load([reply("s_1", partial), reply("s_2", .text(LongText("second")))], page: 0)
        #expect(transcript.rows.map { $0.value.wrappedValue.id } == ["s_2", "s_3"])
        #expect(transcript.answer(to: "c_1") == transcript.ordinal(of: MessageID("s_3")))
    }

    @Test("L5, C21: the count of unsent rows follows each change of a row, and pages into memory and out")
    func unsent() {
        func refused(_ client: ClientID) -> Message {
            let written = Message.Written(client: client, status: .failed(.rejected("no")))
            return Message(
                author: .here(written), body: .text(LongText("q")), time: WallTime(millisecondsSince1970: 0))
        }
        var transcript = ChatTranscript(seed: 1, pageLength: 1)
        transcript.pages.restored(Contents(oldestPage: 0, newestPage: 0))
        transcript.load([refused("c_1")], page: 0)
        let second = transcript.insert(refused("c_2"))
        let third = transcript.insert(refused("c_3"))
        #expect(transcript.unsent == 3)
        transcript.trim(to: 2)
        #expect(transcript.rows.count == 2 && transcript.unsent == 2)
        transcript.hide(second)
        #expect(transcript.unsent == 1)
        transcript.remove(third)
        #expect(transcript.unsent == 0)
    }

    @Test("C5, P10: sign-out saves a page once more whose save the disk has lost; the next one is told again")
    func lostSave() {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk) { $0.pageLength = 2 }
        driver.send(.shown)
        driver.finishConnecting()
        for message in log.prefix(3) { driver.hear(.message(message)) }
        driver.send(.signedOut)
        driver.answer(Device.pageKey(0), with: .failed(.unavailable))
        driver.serve(from: &disk)
        #expect(Device.restored(&disk, seed: 2).texts == ["1", "2"])
        #expect(relaunched(disk, log).texts == log.map { $0.text.string })
    }
}
