// Pages of the history that are not in memory: those above the newest, those that a disk refuses or has damaged, and those
// that are written before the contents are known. Nothing of them is lost, loaded without need, or told twice.

import Testing

@testable import ChatDomain

@Suite("Situations: pages that are not in memory")
struct UnloadedPageSituations {
    private typealias Device = Driver<Chat>

    private static let limit = Chat.Configuration().storageLimit

    private static func paged(_ disk: inout Disk<Chat>, seed: UInt64 = 1) -> Device {
        var driver = Device.restored(&disk, seed: seed) { $0.pageLength = 2 }
        driver.send(.shown)
        return driver
    }

    @Test("C5, L5: a reset drops no refused message on any of the pages that are not in memory")
    func resetOfUnloaded() {
        var disk = Disk<Chat>()
        var driver = Self.paged(&disk)
        driver.finishConnecting()
        driver.hearReplies(1...2)
        driver.say("mine")
        driver.serve(from: &disk)
        driver.hear(.rejected(driver.saidIDs.last ?? "", reason: "No."))
        driver.hearReplies(3...5)
        driver.serve(from: &disk)
        driver = Self.paged(&disk, seed: 2)
        #expect(driver.texts == ["r", "r"])
        driver.replay([], isReset: true)
        driver.serve(from: &disk)
        #expect(driver.texts == ["mine"])
        #expect(Device.restored(&disk, seed: 3).texts == ["mine"])
    }

    @Test("L5: a page that the disk refuses is told, and only once")
    func failedPageTold() {
        var driver = Device.connected()
        driver.hear(.message(Device.reply("s1", "one", at: 1)))
        var silent = driver
        driver.answer(Device.pageKey(0), with: .failed(.full))
        #expect(driver.state.conversation.banner == .notSaved(.full))
        silent.advance(by: .seconds(5))
        #expect(silent.state.conversation.banner == .notSaved(.unavailable))
        silent.send(.bannerDismissed)
        silent.answer(Device.pageKey(0), with: .failed(.full))
        #expect(silent.state.conversation.banner == nil)
    }

    @Test("C5: an older page that is loaded changes nothing of the cursor that is stored meanwhile")
    func cursorOfOlder() {
        var disk = Disk<Chat>()
        var driver = Device.onPagesOfTwo(&disk)
        driver.send(.olderRequested)
        driver.serve(from: &disk)
        driver.send(.shown)
        driver.finishConnecting()
        driver.hear(.message(Device.reply("x", "x", at: 3)))
        // The process ends after the first save, before the page that lost a row is saved.
        for operation in driver.storage where operation.key == Device.pageKey(2) {
            _ = disk.carryOut(operation)
        }
        driver = Self.paged(&disk, seed: 3)
        #expect(driver.askedCursor == "s5")
    }

    @Test(
        "C5, R5: behind a damaged page, an older one that was saved after it has no cursor",
        arguments: [false, true])
    func cursorBehindDamage(isLate: Bool) {
        var disk = Disk<Chat>()
        var driver = Self.paged(&disk)
        driver.finishConnecting()
        driver.hearReplies(1...4)
        driver.serve(from: &disk)
        driver.send(.deleted(driver.rows[0].id))
        driver.serve(from: &disk)
        driver = .fresh(seed: 2) { $0.pageLength = 2 }
        driver.send(.signedIn(Device.account))
        // Late, the launch goes on without the pages, and the older one is read when the person scrolls up.
        if isLate { driver.advance(by: Self.limit) }
        driver.serve(from: &disk) { $0 == Device.pageKey(1) }
        driver.answer(Device.pageKey(1), with: .failed(.damaged))
        if isLate { driver.send(.olderRequested) }
        driver.serve(from: &disk)
        driver.send(.shown)
        #expect(driver.texts == ["r"] && driver.socket != nil && driver.askedCursor == nil)
    }

    @Test("C5, L3: an accepted message that a reset finds on an old page offers a retry, and nothing waits")
    func resetFindsAccepted() {
        var disk = Disk<Chat>()
        let mine = Message(
            author: .here(.init(client: "c_1", status: .accepted)), body: .text(LongText("mine")),
            time: Device.epoch)
        let reply = Message(
            id: "s_1", author: .assistant(to: nil), body: .text(LongText("old")), time: Device.epoch,
            isPlaced: true)
        disk[Device.contentsKey] = .contents(Contents(oldestPage: 0, newestPage: 1))
        disk[Device.pageKey(0)] = .page(Page(messages: [mine], cursor: nil))
        disk[Device.pageKey(1)] = .page(Page(messages: [reply], cursor: "s_1"))
        var driver = Device.restored(&disk) { $0.pageLength = 1 }
        driver.send(.shown)
        #expect(driver.texts == ["old"])
        driver.replay([], isReset: true)
        driver.serve(from: &disk)
        #expect(driver.shows == ["me: mine ! [retry]"] && !driver.isWaiting)
    }

    @Test("L8, C21: a launch that finds a sent message on a page loads no older one for it")
    func sentIsFound() {
        var disk = Disk<Chat>()
        var driver = Self.paged(&disk)
        driver.finishConnecting()
        driver.hearReplies(1...5)
        driver.say("mine")
        driver.serve(from: &disk)
        #expect(driver.said == ["mine"] && driver.outbox(on: disk).map { $0.wasSent } == [true])
        driver = Self.paged(&disk, seed: 2)
        #expect(driver.texts == ["r", "mine"] && Chat.hasOlder(driver.state))
    }

    @Test("R5, C13: a stored page that has a deleted message twice is read like any other")
    func twiceOnPage() {
        var disk = Disk<Chat>()
        let messages = ["gone", "gone", "here", "new"].map { name in
            Message(
                id: MessageID(ExactText(name)), author: .assistant(to: nil), body: .text(LongText(name)),
                time: Device.epoch, isPlaced: true, isHidden: name == "gone")
        }
        disk[Device.contentsKey] = .contents(Contents(oldestPage: 0, newestPage: 1))
        disk[Device.pageKey(0)] = .page(Page(messages: Array(messages.prefix(3)), cursor: nil))
        disk[Device.pageKey(1)] = .page(Page(messages: Array(messages.suffix(1)), cursor: "new"))
        var driver = Device.restored(&disk)
        #expect(driver.texts == ["new"])
        driver.scrollUp(1, on: &disk)
        #expect(driver.texts == ["here", "new"] && driver.state.conversation.banner == nil)
    }

    @Test("C16, C21: an older page has the order of the server, also while the history is told anew")
    func loadedWhileTold() {
        let log = (1...5).map { Device.reply(MessageID(ExactText("s_\($0)")), ExactText("\($0)"), at: $0) }
        let texts = ["1", "2", "3", "4", "5"]
        var disk = Disk<Chat>()
        var driver = Self.paged(&disk)
        driver.finishConnecting()
        for message in log { driver.hear(.message(message)) }
        driver.serve(from: &disk)
        driver = Self.paged(&disk, seed: 2)
        #expect(driver.texts == ["5"])
        driver.hear(.opened)
        driver.hear(.cursorRefused)
        driver.replay([log[0], log[2]], isReset: false)
        for _ in 0..<2 {
            driver.send(.olderRequested)
            driver.serve(
                from: &disk,
                afterWrite: { left, _ in
                    var left = left
                    var next = Device.restored(&left, seed: 3) { $0.pageLength = 2 }
                    next.scrollUp(6, on: &left)
                    #expect(next.texts == texts)
                })
        }
        #expect(driver.texts == texts)
        for index in [1, 3, 4] { driver.hear(.message(log[index])) }
        driver.serve(from: &disk)
        #expect(driver.texts == texts)
        driver = Self.paged(&disk, seed: 4)
        driver.scrollUp(6, on: &disk)
        #expect(driver.texts == texts)
    }

    @Test("C16, R5: pages that are stored out of order are read in the order of the server, and stored so")
    func storedOutOfOrder() {
        func told(_ second: Int64) -> Message {
            Message(
                id: MessageID(ExactText("s_\(second)")), author: .assistant(to: nil),
                body: .text(LongText(ExactText("\(second)"))), time: Device.epoch + .seconds(second),
                isPlaced: true)
        }
        var disk = Disk<Chat>()
        disk[Device.contentsKey] = .contents(Contents(oldestPage: 0, newestPage: 4))
        for (page, seconds) in ([[2, 4], [6, 11], [2, 16], [6, 11], [16]] as [[Int64]]).enumerated() {
            disk[Device.pageKey(Int64(page))] = .page(Page(messages: seconds.map(told), cursor: "s_16"))
        }
        for seed in 1...2 as ClosedRange<UInt64> {
            var driver = Device.restored(&disk, seed: seed) { $0.pageLength = 2 }
            driver.scrollUp(6, on: &disk)
            #expect(driver.texts == ["2", "4", "6", "11", "16"])
        }
        let page: Page? = if case .page(let page)? = disk[Device.pageKey(2)] { page } else { nil }
        #expect(page?.messages.map { $0.id } == ["s_2", "s_4"])
    }

    @Test(
        "C12, C10: after a reset a question that was not in memory has its reply, and takes no later one",
        arguments: [nil, "tablet"] as [DeviceID?])
    func replyWithoutQuestion(asker: DeviceID?) {
        var disk = Disk<Chat>()
        var driver = Self.paged(&disk)
        driver.finishConnecting()
        driver.hear(.message(Device.reply("s_0", "Old", at: 0)))
        let question = Device.echo("s_1", "Hello", at: 1, from: asker)
        if asker == nil { driver.ask("Hello", as: "s_1", at: 1, on: &disk) }
        driver.hear(.message(question))
        driver.hear(.message(Device.reply("s_2", "Hi", at: 2)))
        driver.serve(from: &disk)
        driver = Self.paged(&disk, seed: 2)
        #expect(driver.texts == ["Hi"])
        driver.replay(
            [Device.reply("s_0", "Old", at: 0), question, Device.reply("s_2", "Hi", at: 2)], isReset: true)
        #expect(!driver.isRunning(.replyLimit(.elsewhere("s_1"), in: .main)))
        driver.ask("Next", as: "s_3", at: 3, on: &disk)
        driver.hear(.message(Device.reply("s_4", "To next", at: 4)))
        driver.advance(by: .seconds(121))
        driver.serve(from: &disk)
        #expect(driver.shows == ["coach: Old", "me: Hello", "coach: Hi", "me: Next", "coach: To next"])
        #expect(!driver.isWaiting)
    }

    /// “one” and “two” stay without an answer, on a page that the next launch has not in memory.
    private static func unanswered(_ disk: inout Disk<Chat>) -> Device {
        var driver = paged(&disk)
        driver.finishConnecting()
        for (second, text) in [(1, "one"), (130, "two")] as [(Int64, ExactText)] {
            driver.ask(text, as: MessageID(ExactText("s_\(second)")), at: second, on: &disk)
            driver.advance(by: .seconds(121))
            driver.serve(from: &disk)
        }
        for second in [300, 310] as [Int64] {
            driver.ask("more", as: MessageID(ExactText("s_\(second)")), at: second, on: &disk)
            driver.hearReplies(second + 1...second + 1)
            driver.serve(from: &disk)
        }
        return paged(&disk, seed: 2)
    }

    @Test("C12, C21: late replies are those to the latest questions, also after the person has scrolled up")
    func lateAfterScrolling() {
        var disk = Disk<Chat>()
        var driver = Self.unanswered(&disk)
        #expect(driver.texts == ["more", "r"])
        driver.finishConnecting()
        driver.ask("new", as: "s_400", at: 400, on: &disk)
        driver.advance(by: .seconds(121))
        driver.serve(from: &disk)
        driver.scrollUp(3, on: &disk)
        driver.hear(.message(Device.reply("s_401", "late", at: 401)))
        #expect(driver.note("new") == nil && driver.isDelivered("new"))
        #expect(driver.note("one") != nil && driver.note("two") != nil)
        driver.hear(.message(Device.reply("s_402", "later", at: 402)))
        #expect(driver.note("one") != nil && driver.note("two") == nil && driver.isDelivered("two"))
    }

    @Test("C12, C21: the same when the disk brings no page before the question is overdue")
    func lateOnSilentDisk() {
        var disk = Disk<Chat>()
        _ = Self.unanswered(&disk)
        var driver = Device.fresh(seed: 3) { $0.pageLength = 2 }
        let isPage: (Chat.Key) -> Bool = { if case .page = $0 { true } else { false } }
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk, but: isPage)
        driver.advance(by: Self.limit)
        driver.send(.shown)
        driver.serve(from: &disk, but: isPage)
        driver.finishConnecting()
        driver.say("new")
        driver.serve(from: &disk, but: isPage)
        driver.acknowledge()
        driver.advance(by: .seconds(121))
        #expect(driver.note("new") != nil)
        driver.serve(from: &disk)
        driver.scrollUp(3, on: &disk)
        #expect(driver.note("one") != nil && driver.note("two") != nil)
        driver.hear(.message(Device.reply("s_401", "late", at: 401)))
        #expect(driver.note("new") == nil && driver.isDelivered("new"))
    }

    @Test(
        "C22, C5: of a history that is told anew only what is newer than all that was known is unread",
        arguments: [false, true])
    func toldAnew(isReset: Bool) {
        var disk = Disk<Chat>()
        var driver = Device.onPagesOfTwo(&disk)
        driver.send(.scrolled(isAtEnd: false))
        driver.send(.shown)
        if !isReset {
            driver.hear(.opened)
            driver.hear(.cursorRefused)
        }
        let others = Device.echo("f_1", "theirs", at: 0, from: "tablet")
        driver.replay([others] + (1...6).map(Device.numbered), isReset: isReset)
        #expect(driver.isConnected && driver.texts == ["theirs"] + (1...6).map { "\($0)" })
        #expect(Chat.scroll(driver.state) == .stay(unread: 1))
    }

    @Test("C6, L5: pages that are begun before the contents are loaded take the place of no stored page")
    func begunBeforeLoaded() {
        var disk = Disk<Chat>()
        _ = Device.onPagesOfTwo(&disk)
        var driver = Device.fresh(seed: 3) { $0.pageLength = 2 }
        driver.send(.signedIn(Device.account))
        driver.send(.shown)
        driver.serve(from: &disk) { $0 == Device.contentsKey }
        driver.advance(by: Self.limit)
        driver.finishConnecting(
            replaying: (6...8).map(Device.numbered))
        driver.serve(from: &disk)
        driver = Device.restored(&disk, seed: 4) { $0.pageLength = 2 }
        driver.scrollUp(4, on: &disk)
        #expect(driver.texts == (1...8).map { "\($0)" })
    }

    @Test("C5, P10: pages that the disk has refused are replayed at the next sign-in")
    func leavingRefused() {
        var disk = Disk<Chat>()
        var driver = Device.onPagesOfTwo(&disk)
        driver.send(.shown)
        driver.finishConnecting()
        let news = (6...8).map(Device.numbered)
        for message in news { driver.hear(.message(message)) }
        let isPage: (Chat.Key) -> Bool = { if case .page = $0 { true } else { false } }
        driver.serve(from: &disk, failing: isPage, with: .full)
        driver.send(.signedOut)
        for operation in driver.storage where operation.key != Device.pageKey(2) {
            _ = disk.carryOut(operation)
        }
        driver = Self.paged(&disk, seed: 3)
        #expect(driver.askedCursor == "s5")
        driver.finishConnecting(replaying: news)
        #expect(driver.texts.suffix(4) == ["5", "6", "7", "8"])
    }

    @Test("C5, P10: sign-out saves the only page once more whose only save the disk has lost")
    func lostOnlySave() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.hear(.message(Device.reply("s1", "one", at: 1)))
        driver.send(.signedOut)
        driver.answer(Device.pageKey(0), with: .failed(.unavailable))
        driver.serve(from: &disk)
        #expect(Device.restored(&disk, seed: 2).texts == ["one"])
    }
}
