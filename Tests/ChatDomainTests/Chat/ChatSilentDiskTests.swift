@testable import ChatDomain
import Testing

/// A disk that does not answer: what is waited for, and how long, and what the person is told.
@Suite("Chat: pages on a disk that is silent")
struct ChatSilentDiskTests {
    private typealias Device = Driver<Chat>

    private static let limit = Chat.Configuration().storageLimit

    @Test(
        "L3: an older page that the disk does not bring is waited for 5 s, told, and can be asked for again")
    func load() {
        var disk = Disk<Chat>()
        var driver = Device.onPagesOfTwo(&disk)
        driver.send(.olderRequested)
        let late = driver.storage
        driver.advance(by: Self.limit - .milliseconds(1))
        #expect(driver.state.conversation.banner == nil)
        driver.send(.olderRequested)
        #expect(driver.storage == late)
        driver.advance(by: .milliseconds(1))
        #expect(driver.state.conversation.banner == .notRestored(.unavailable))
        #expect(driver.state.conversation.transcript.pages.work == .none)
        driver.send(.olderRequested)
        // The disk still owes the first answer, and is not asked beside it (L8).
        #expect(driver.storage.count == 1 && driver.storage != late)
        driver.serve(from: &disk)
        driver.send(.bannerDismissed)
        driver.advance(by: Self.limit)
        #expect(driver.texts == ["3", "4", "5"] && driver.state.conversation.banner == nil)
    }

    @Test("L5: a page that the disk does not take is told after 5 s, once, and stays with the disk")
    func save() {
        var disk = Disk<Chat>()
        var driver = Device.onPagesOfTwo(&disk)
        driver.send(.shown)
        driver.finishConnecting()
        driver.answer(Device.pacingKey, with: .saved)
        driver.hear(.message(Device.reply("s6", "6", at: 6)))
        driver.hear(.message(Device.reply("s7", "7", at: 7)))
        driver.advance(by: Self.limit - .milliseconds(1))
        #expect(driver.state.conversation.banner == nil && driver.storage.count == 1)
        driver.advance(by: .milliseconds(1))
        #expect(driver.state.conversation.banner == .notSaved(.unavailable))
        driver.send(.bannerDismissed)
        for number in 8...20 {
            driver.hear(.message(Device.reply(MessageID("s\(number)"), "x", at: Int64(number))))
            driver.advance(by: Self.limit)
        }
        #expect(driver.state.conversation.banner == nil && driver.storage.count == 1)
        driver.serve(from: &disk)
        driver.advance(by: Self.limit)
        #expect(driver.state.conversation.banner == nil)
        #expect(Device.restored(&disk, seed: 3) { $0.pageLength = 2 }.state.conversation.cursor == "s20")
    }

    @Test("L3: a record that the disk takes in time leaves no deadline behind")
    func savedInTime() {
        var driver = Device.connected()
        driver.say("a")
        #expect(driver.remaining(.outboxLimit(.main)) == Self.limit)
        driver.save()
        #expect(driver.said == ["a"] && !driver.isRunning(.outboxLimit(.main)))
    }

    @Test("L4: nothing of it goes on after a sign-out")
    func signOut() {
        var disk = Disk<Chat>()
        var driver = Device.onPagesOfTwo(&disk)
        driver.send(.olderRequested)
        driver.send(.signedOut)
        #expect(driver.timers.isEmpty)
    }

    // MARK: What is loaded late

    @Test("C21: of the pages that come after the limit of a launch, only the newest is loaded unasked")
    func lateLaunch() {
        var disk = Disk<Chat>()
        _ = Device.onPagesOfTwo(&disk)
        var driver = Device.fresh(seed: 3) { $0.pageLength = 2 }
        driver.send(.signedIn(Device.account))
        driver.advance(by: Self.limit)
        driver.serve(from: &disk)
        #expect(driver.texts == ["5"] && Chat.hasOlder(driver.state))
    }

    /// “a” may be with the server. The disk brings nothing before the server is there, whose replay has an echo.
    private func late(_ entry: OutboxEntry) -> Device {
        var driver = Device.fresh()
        driver.send(.signedIn(Device.account))
        driver.send(.shown)
        driver.advance(by: Self.limit)
        driver.finishConnecting(replaying: [Device.echo("m1", "a", at: 1)])
        driver.answer(Device.outboxKey, with: .loaded(.outbox([entry])))
        return driver
    }

    private let entry = OutboxEntry(key: "c_2", text: "a", written: Device.epoch, wasSent: true)

    @Test(
        "C10, L5: an echo that may be of a message on a page that is not loaded yet takes none out of the outbox"
    )
    func otherMessage() {
        var driver = late(entry)
        let other = Message(
            author: .here(.init(client: "c_1", status: .accepted)), body: .text(LongText("a")),
            time: Device.epoch)
        #expect(driver.queued == ["c_2"])
        var disk = Disk<Chat>()
        disk[Device.contentsKey] = .contents(Contents(oldestPage: 0, newestPage: 0))
        disk[Device.pageKey(0)] = .page(Page(messages: [other], cursor: nil))
        driver.serve(from: &disk)
        #expect(driver.saidIDs == ["c_2"] && driver.texts == ["a", "a"])
        driver.hear(.acknowledged("c_2"))
        driver.hear(.message(Device.echo("m2", "a", at: 2)))
        driver.serve(from: &disk)
        #expect(driver.texts == ["a", "a"] && driver.queued.isEmpty)
    }

    @Test(
        "C10, L6: an echo of what was in the outbox is one bubble with it, before and after the pages are there"
    )
    func ownMessage() {
        for pagesFirst in [false, true] {
            var driver = late(entry)
            var disk = Disk<Chat>()
            if pagesFirst {
                driver.answer(Device.contentsKey, with: .missing)
                driver.answer(Device.pageKey(0), with: .missing)
                #expect(driver.texts == ["a"] && driver.queued.isEmpty)
            } else {
                #expect(driver.saidIDs == ["c_2"])
                driver.hear(.acknowledged("c_2"))
            }
            driver.serve(from: &disk)
            #expect(driver.texts == ["a"] && driver.queued.isEmpty && driver.stuckSpinner == nil)
        }
    }

    @Test(
        "C5, P10: pages that a silent disk did not take at sign-out are replayed at the next sign-in"
    )
    func leaving() {
        var disk = Disk<Chat>()
        var driver = Device.onPagesOfTwo(&disk)
        driver.send(.shown)
        driver.finishConnecting()
        let news = (6...8).map {
            Device.reply(MessageID("s\($0)"), ExactText("\($0)"), at: Int64($0))
        }
        for message in news { driver.hear(.message(message)) }
        driver.advance(by: Self.limit)
        driver.send(.signedOut)
        for operation in driver.storage where operation.key != Device.pageKey(2) {
            _ = disk.carryOut(operation)
        }
        driver = Device.restored(&disk, seed: 3) { $0.pageLength = 2 }
        driver.send(.shown)
        #expect(driver.askedCursor == "s5")
        driver.finishConnecting(replaying: news)
        #expect(driver.texts.suffix(4) == ["5", "6", "7", "8"])
    }

    @Test("C5, P10: rows that have moved to a page that a silent disk never took are on their old page still")
    func leavingMoved() {
        var disk = Disk<Chat>()
        var driver = Device.onPagesOfTwo(&disk)
        driver.send(.olderRequested)
        driver.serve(from: &disk)
        driver.send(.shown)
        driver.finishConnecting()
        let late = Device.reply("x", "x", at: 3)
        driver.hear(.message(late))
        driver.advance(by: Self.limit)
        driver.send(.signedOut)
        for operation in driver.storage where operation.key != Device.pageKey(2) {
            _ = disk.carryOut(operation)
        }
        driver = Device.restored(&disk, seed: 3) { $0.pageLength = 2 }
        driver.send(.shown)
        #expect(driver.askedCursor == "s5")
        driver.finishConnecting(replaying: [late])
        for _ in 0..<3 {
            driver.serve(from: &disk)
            driver.send(.olderRequested)
        }
        #expect(driver.texts.sorted() == ["1", "2", "3", "4", "5", "x"])
    }
}
