@testable import ChatDomain
import Testing

/// What a disk that answers nothing, refuses everything or tells nonsense can do to a chat (L5, L8).
@Suite("Chat: storage at its limits")
struct ChatStorageLimitTests {
    private typealias Device = Driver<Chat>

    /// How many operations the disk has not answered, of the record of which there are most.
    private func mostUnderWay(_ driver: Device) -> Int {
        driver.storage.map { operation in driver.storage.count { $0.key == operation.key } }.max() ?? 0
    }

    @Test("L8: on a disk that answers nothing, one operation a record is under way")
    func silent() {
        var driver = Device.connected()
        driver.create("Work")
        for number in 0..<200 {
            driver.send(.draftEdited(ExactText("\(number)")))
            if number % 7 == 0 { driver.send(.sent) }
            // Nobody answers the socket that follows, so it is lost as well, or is still to be opened.
            if number % 11 == 0, driver.socket != nil { driver.lose() }
            if number % 13 == 0 { driver.send(.conversationSwitched(to: .main)) }
            driver.advance(by: .seconds(1))
            #expect(mostUnderWay(driver) <= 1 && driver.stuckSpinner == nil)
        }
        var disk = Disk<Chat>()
        driver.serve(from: &disk)
        driver.advance(by: .seconds(10))
        driver.serve(from: &disk)
        #expect(Device.restored(&disk, seed: 2).titles == ["Chat", "Work"])
    }

    @Test("L5: of what is typed without a pause at most the last 5 s are lost with the process")
    func typing() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        for number in 0..<1_000 {
            driver.send(.draftEdited(ExactText("\(number)")))
            driver.advance(by: .milliseconds(300))
            driver.serve(from: &disk)
            guard number > 20 else { continue }
            #expect(Device.draft(on: disk).flatMap { Int($0.string) } ?? 0 >= number - 16)
        }
    }

    @Test("L8: a draft over 1 MiB is refused, and the person is told")
    func draft() {
        var driver = Device.connected()
        let longest = ExactText(String(repeating: "x", count: 1_048_576))
        driver.send(.draftEdited(longest))
        #expect(driver.draft == longest && driver.state.conversation.banner == nil)
        driver.send(.draftEdited(ExactText(longest.string + "y")))
        #expect(driver.draft == longest && driver.state.conversation.banner == .textTooLong)
    }

    // MARK: Pages

    @Test(
        "C21: contents that no conversation can have, or that name what is not there, are told, and end at once"
    )
    func contents() {
        for (oldest, newest) in [
            (0, 9_007_199_254_740_991), (0, .max), (.min, .max), (.max, .max), (5, -3), (0, 100_000), (7, 9),
        ] as [(Int64, Int64)] {
            var disk = Disk<Chat>()
            disk[Device.contentsKey] = .contents(Contents(oldestPage: oldest, newestPage: newest))
            var driver = Device.fresh()
            driver.send(.signedIn(Device.account))
            var answers = 0
            while let operation = driver.storage.first, answers < 20 {
                driver.answer(operation.key, with: disk.carryOut(operation))
                answers += 1
            }
            #expect(answers < 20 && driver.state.conversation.isRestored)
            #expect(driver.state.conversation.banner == .notRestored(.damaged))
            driver.send(.shown)
            driver.finishConnecting()
            driver.hear(.message(Device.reply("s1", "one", at: 1)))
            driver.serve(from: &disk)
            #expect(Device.restored(&disk, seed: 2).texts == ["one"])
        }
    }

    @Test("L1, L8: a page that is longer than the limit of memory stays there on a silent disk")
    func longPage() {
        var driver = Device.connected {
            $0.pageLength = 2_000
            $0.transcriptLimit = 1_000
        }
        for number in 0...1_000 {
            driver.hear(.message(Device.reply(MessageID("s\(number)"), "x", at: Int64(number))))
        }
        #expect(driver.rows.count == 1_001)
    }

    @Test("C21, L8: a launch that finds no page with its cursor or its sent message loads 1,000 messages")
    func lostCursor() {
        var disk = Self.thirtyPages(cursor: "gone")
        for wasSent in [false, true] {
            disk[Device.outboxKey] = .outbox([
                OutboxEntry(key: "c_1", text: "mine", written: Device.epoch, wasSent: wasSent)
            ])
            var copy = disk
            let driver = Device.restored(&copy)
            #expect(driver.texts.count { $0 == "x" } == 1_000)
        }
    }

    @Test("C21: a person who scrolls up sees all that is stored, also beyond the limit of memory")
    func scrolledBeyondLimit() {
        var disk = Self.thirtyPages(cursor: "s1499")
        var driver = Device.restored(&disk) { $0.transcriptLimit = 1_000 }
        driver.scrollUp(30, on: &disk)
        #expect(driver.heldRows == 1_500 && !Chat.hasOlder(driver.state))
        driver.send(.deleted(.received("s1")))
        driver.serve(from: &disk)
        #expect(driver.heldRows == 1_500 && driver.rows.count == 1_499)
    }

    @Test("C21, C12: a page beyond the limit of memory stays although a question on it has lost its reply")
    func unansweredBeyondLimit() {
        var disk = Self.thirtyPages(cursor: "s1499")
        let mine = Message(
            author: .here(.init(client: "c_1", status: .accepted)), body: .text(LongText("mine")),
            time: Device.epoch)
        let other = Message(
            id: "other", author: .system, body: .text(LongText("other")), time: Device.epoch, isPlaced: true)
        disk[Device.pageKey(9)] = .page(Page(messages: [other, mine], cursor: "s499"))
        var driver = Device.restored(&disk) { $0.transcriptLimit = 1_000 }
        driver.scrollUp(20, on: &disk)
        #expect(driver.heldRows == 1_002 && driver.note("mine") != nil && driver.texts.first == "other")
    }

    /// A disk with 1,500 messages, s0 to s1499.
    private static func thirtyPages(cursor: MessageID) -> Disk<Chat> {
        var disk = Disk<Chat>()
        disk[Device.contentsKey] = .contents(Contents(oldestPage: 0, newestPage: 29))
        for page in 0..<30 as Range<Int64> {
            let messages = (page * 50..<page * 50 + 50).map { number in
                Message(
                    id: MessageID("s\(number)"), author: .assistant(to: nil), body: .text(LongText("x")),
                    time: Device.epoch + .seconds(number), isPlaced: true)
            }
            disk[Device.pageKey(page)] = .page(Page(messages: messages, cursor: cursor))
        }
        return disk
    }

    /// 2,500 messages with a limit of 1,000, on a disk that takes no page of them.
    private func flood(isFull: Bool, _ body: (inout Device) -> Void = { _ in }) -> (Device, Disk<Chat>) {
        var disk = Disk<Chat>()
        var driver = Device.fresh { $0.transcriptLimit = 1_000 }
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk)
        driver.send(.shown)
        driver.finishConnecting()
        driver.hear(.message(Device.reply("first", "first", at: 0)))
        driver.serve(from: &disk)
        body(&driver)
        for number in 1...2_500 {
            driver.hear(.message(Device.reply(MessageID("s\(number)"), "x", at: Int64(number))))
            if isFull { driver.serve(from: &disk, failing: { _ in true }, with: .full) }
            #expect(driver.state.conversation.transcript.rows.count <= 1_050)
        }
        return (driver, disk)
    }

    @Test(
        "L8: the limit of messages in memory holds on a disk that refuses everything or says nothing",
        arguments: [false, true])
    func memory(isFull: Bool) {
        var (driver, disk) = flood(isFull: isFull)
        #expect(driver.texts.count >= 900)
        // The disk recovers: what it is told last leads a later launch to what was forgotten.
        driver.hear(.message(Device.reply("s2501", "last", at: 2_501)))
        driver.serve(from: &disk)
        driver = Device.restored(&disk, seed: 2)
        driver.send(.shown)
        #expect(driver.texts.last == "last" && driver.askedCursor == "first")
        #expect(driver.state.conversation.banner == nil)
        driver.scrollUp(40, on: &disk)
        #expect(driver.state.conversation.banner == nil && driver.texts.first == "first")
    }

    @Test("L5, L8: a refused message stays in memory, however many follow, and is stored later")
    func unsent() {
        var (driver, disk) = flood(isFull: true) { driver in
            driver.say("mine")
            driver.answer(Device.outboxKey, with: .failed(.full))
            driver.hear(.rejected(driver.saidIDs[0], reason: "No."))
        }
        #expect(driver.texts.first == "mine" && driver.rows.count <= 1_050)
        #expect(driver.state.conversation.transcript.rows.count <= 1_050)
        driver.hear(.message(Device.reply("s2501", "last", at: 2_501)))
        driver.serve(from: &disk)
        driver = Device.restored(&disk, seed: 2)
        driver.scrollUp(40, on: &disk)
        #expect(driver.texts.contains("mine"))
    }

    @Test("C3: a clock that was set back makes a stored wait no longer than it was")
    func clock() {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk)
        driver.send(.shown)
        driver.lose(.refused(status: 429, retryAfter: .seconds(600), message: ""))
        driver.serve(from: &disk)
        for _ in 0..<2 {
            let wall = driver.context.wall
            driver = Device.fresh(seed: 2)
            driver.context.moment = Moment(now: .origin, wall: wall - .hours(10))
            driver.send(.signedIn(Device.account))
            driver.serve(from: &disk)
            driver.send(.shown)
            driver.advance(by: .seconds(600))
            driver.send(.reconnectRequested)
            #expect(driver.calls.count == 1)
        }
    }
}
