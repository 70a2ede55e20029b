@testable import ChatDomain
import Testing

/// What a person has written and the disk does not have yet when they leave (L5, P10).
@Suite("Chat: leaving a disk that is slow, full or cannot be read")
struct ChatLeavingTests {
    private typealias Device = Driver<Chat>

    private static let other = Account(user: "bo", secret: SecretHandle("other"), device: "device-1")

    /// When the disk answers what was asked before the sign-out.
    private enum Answer: CaseIterable {
        case beforeReturn, afterReturn, withRelaunch, withAnother
    }

    /// A disk on which a draft and a message are stored.
    private static var disk: Disk<Chat> {
        var disk = Disk<Chat>()
        disk[Device.draftKey] = .draft("old", id: "d_1")
        disk[Device.outboxKey] = .outbox([
            OutboxEntry(key: "c_1", text: "first", written: Device.epoch, wasSent: false)
        ])
        return disk
    }

    /// Somebody signs in, does something, and signs out before the disk has said anything but what it says of some
    /// keys; then they are back, and the disk has said everything.
    private static func come(
        back answer: Answer, _ disk: inout Disk<Chat>, but isSilent: (Chat.Key) -> Bool = { _ in true },
        _ change: (inout Driver<Chat>, inout Disk<Chat>) -> Void
    ) -> Driver<Chat> {
        var driver = Device.fresh()
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk, but: isSilent)
        change(&driver, &disk)
        driver.send(.signedOut)
        #expect(driver.timers.isEmpty && driver.rows.isEmpty && driver.draft == "")
        switch answer {
        case .afterReturn: break
        case .beforeReturn, .withRelaunch: driver.serve(from: &disk)
        case .withAnother:
            driver.send(.signedIn(other))
            driver.serve(from: &disk)
            #expect(driver.rows.isEmpty && driver.draft == "" && driver.state.conversation.banner == nil)
            driver.send(.signedOut)
        }
        if case .withRelaunch = answer { driver = .fresh(seed: 2) }
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk)
        #expect(driver.stuckSpinner == nil)
        driver.advance(by: .seconds(10))
        driver.serve(from: &disk)
        #expect(driver.state.departed.isEmpty && driver.stuckSpinner == nil)
        #expect(!disk.records.contains { $0.key == .outbox("bo", .main) || $0.key == .draft("bo", .main) })
        return driver
    }

    @Test(
        "L5, P10: text typed before the disk had answered for the draft is there after the next sign-in, once",
        arguments: Answer.allCases)
    private func typed(answer: Answer) {
        var empty = Disk<Chat>()
        var driver = Self.come(back: answer, &empty) { driver, _ in driver.send(.draftEdited("half")) }
        #expect(driver.draft == "half" && Device.draft(on: empty) == "half")

        var disk = Self.disk
        driver = Self.come(back: answer, &disk) { driver, _ in driver.send(.draftEdited("half")) }
        #expect(driver.draft == "old\nhalf" && driver.texts == ["first"])
        #expect(Device.draft(on: disk) == "old\nhalf")
    }

    @Test(
        "L5, L6, P10: a message sent before the outbox is loaded is there once, behind the loaded ones",
        arguments: Answer.allCases)
    private func sent(answer: Answer) {
        var disk = Self.disk
        var driver = Self.come(back: answer, &disk) { driver, _ in
            driver.say("second")
            driver.send(.draftEdited("half"))
        }
        #expect(driver.texts == ["first", "second"] && driver.draft == "old\nhalf")
        driver = Device.restored(&disk, seed: 3)
        #expect(driver.texts == ["first", "second"] && driver.draft == "old\nhalf")
        driver.send(.shown)
        driver.finishConnecting()
        driver.serve(from: &disk)
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.serve(from: &disk)
        #expect(driver.said == ["first", "second"])
    }

    @Test(
        "L5, P10: text given back after 5 s of a silent disk is there after the next sign-in, once",
        arguments: Answer.allCases)
    private func givenBack(answer: Answer) {
        var disk = Self.disk
        let driver = Self.come(back: answer, &disk) { driver, _ in
            driver.say("second")
            driver.advance(by: .seconds(5))
            #expect(driver.draft == "second")
        }
        #expect(driver.texts == ["first"] && driver.draft == "old\nsecond")
    }

    @Test("L5, P10: text typed before the draft alone was loaded is there too", arguments: Answer.allCases)
    private func lateDraft(answer: Answer) {
        var disk = Self.disk
        let driver = Self.come(back: answer, &disk, but: { $0 == Device.draftKey }) { driver, disk in
            driver.say("second")
            driver.serve(from: &disk, but: { $0 == Device.draftKey })
            driver.send(.draftEdited("half"))
        }
        #expect(driver.texts == ["first", "second"] && driver.draft == "old\nhalf")
    }

    @Test(
        "C19, L5, P10: a conversation that was begun before the disk had brought the list is named in it",
        arguments: Answer.allCases)
    private func unlisted(answer: Answer) throws {
        var disk = Self.disk
        disk[Device.listKey] = .conversations(
            [ConversationEntry(id: .main), ConversationEntry(id: "v_1", title: "Work")], current: .main)
        var driver = Self.come(back: answer, &disk) { driver, _ in
            driver.create("Play")
            driver.say("second")
            driver.send(.draftEdited("half"))
        }
        #expect(driver.titles == ["Chat", "Work", "Play"])
        let play = try #require(driver.listed.last?.id)
        driver.send(.conversationSwitched(to: .main))
        #expect(driver.texts == ["first"] && driver.draft == "old")
        driver.send(.conversationSwitched(to: play))
        #expect(driver.texts == ["second"] && driver.draft == "half")
    }

    @Test(
        "L5, L6: a message on a wire before the outbox is loaded is sent again under its id, as one message",
        arguments: Answer.allCases)
    private func onWire(answer: Answer) {
        var disk = Self.disk
        var client: [ClientID] = []
        var driver = Self.come(back: answer, &disk) { driver, _ in
            driver.send(.shown)
            driver.advance(by: .seconds(5))
            driver.finishConnecting()
            driver.say("second")
            driver.advance(by: .seconds(5))
            client = driver.saidIDs
            driver.send(.left)
        }
        #expect(client.count == 1 && driver.draft == "old")
        driver.send(.shown)
        driver.finishConnecting(replaying: [Device.echo("s_1", "second", client: client[0], at: 1)])
        driver.serve(from: &disk)
        #expect(driver.texts.sorted() == ["first", "second"] && !driver.said.dropFirst().contains("second"))
    }

    @Test("C7, L5: a message that a disk refuses at sign-out is kept in the draft")
    func refused() {
        for isRelaunched in [false, true] {
            var disk = Disk<Chat>()
            var driver = Device.connected(&disk)
            driver.say("first")
            driver.serve(from: &disk)
            driver.say("second")
            driver.serve(from: &disk, failing: { $0 == Device.outboxKey }, with: .full)
            driver.send(.draftEdited("half"))
            driver.send(.signedOut)
            driver.serve(from: &disk, failing: { $0 == Device.outboxKey }, with: .full)
            #expect(Device.draft(on: disk) == "second\nhalf")
            if isRelaunched { driver = .fresh(seed: 2) }
            driver.send(.signedIn(Device.account))
            driver.serve(from: &disk)
            #expect(driver.texts == ["first"] && driver.draft == "second\nhalf")
            #expect(driver.stuckSpinner == nil)
        }
    }

    @Test(
        "L5, R5: text that a disk takes in no form is there after the next sign-in, told, and tried again before"
    )
    func full() {
        for isTriedAgain in [false, true] {
            var disk = Disk<Chat>()
            var driver = Device.restored(&disk)
            driver.send(.draftEdited("half"))
            driver.send(.signedOut)
            driver.serve(from: &disk, failing: { _ in true }, with: .full)
            if isTriedAgain {
                driver.send(.backgrounded)
                driver.serve(from: &disk)
                #expect(Device.draft(on: disk) == "half" && driver.state.departed.isEmpty)
            }
            driver.send(.foregrounded)
            driver.send(.signedIn(Device.account))
            #expect(driver.state.conversation.banner == (isTriedAgain ? nil : .notSaved(.full)))
            driver.serve(from: &disk)
            driver.advance(by: .seconds(1))
            driver.serve(from: &disk)
            #expect(driver.draft == "half" && Device.draft(on: disk) == "half")
        }
    }

    @Test(
        "L5, R5: an unreadable record is read again at the next sign-in, and joined with the typed text"
    )
    func unreadable() {
        var disk = Self.disk
        var driver = Device.fresh()
        driver.send(.signedIn(Device.account))
        driver.say("second")
        driver.send(.draftEdited("half"))
        driver.send(.signedOut)
        driver.serve(from: &disk, failing: { $0 == Device.outboxKey || $0 == Device.draftKey })
        #expect(Device.draft(on: disk) == "old")
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk)
        driver.advance(by: .seconds(1))
        driver.serve(from: &disk)
        #expect(driver.texts == ["first"] && driver.draft == "old\nsecond\nhalf")
        #expect(Device.draft(on: disk) == "old\nsecond\nhalf" && driver.state.departed.isEmpty)
    }

    @Test("L3, R5: on a disk that cannot be read, a return does not wait for a draft")
    func unreadableAgain() {
        var disk = Self.disk
        let isFailing = { (key: Chat.Key) in key == Device.outboxKey || key == Device.draftKey }
        var driver = Device.fresh()
        for number in 1...3 {
            driver.send(.signedIn(Device.account))
            driver.serve(from: &disk, failing: isFailing)
            #expect(driver.stuckSpinner == nil)
            driver.send(.draftEdited(ExactText("\(number)")))
            driver.send(.signedOut)
        }
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk)
        #expect(driver.texts == ["first"])
        #expect(driver.draft == "old\n3")  // each was typed over what had come back of the last
    }

    @Test(
        "P10: a disk that has all of what was written when the person leaves leaves nothing of them in memory"
    )
    func clean() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("first")
        driver.serve(from: &disk)
        driver.send(.signedOut)
        #expect(driver.state.departed.isEmpty)
    }

    @Test("P10, L8: of many sign-outs that a silent disk did not take, the latest 8 are remembered")
    func many() {
        var driver = Device.fresh()
        for number in 1...10 {
            let user = UserID(ExactText("u\(number)"))
            driver.send(.signedIn(Account(user: user, secret: SecretHandle("s"), device: "device-1")))
            driver.send(.draftEdited("half"))
        }
        driver.send(.signedOut)
        let remembered = driver.state.departed.map { $0.account.user }
        #expect(remembered == (3...10).map { UserID(ExactText("u\($0)")) })
    }

    @Test("L4: a late answer of the disk tells nothing to a person who has left")
    func unknownAnswer() {
        var driver = Device.fresh()
        driver.send(.signedIn(Device.account))
        driver.send(.draftEdited("a"))
        driver.send(.signedOut)
        let left = driver.state
        #expect(!left.departed.isEmpty)
        for key in [Device.outboxKey, Device.draftKey] {
            driver.send(.stored(.failed(.unavailable), under: key, Attempt(number: 9_999)))
            #expect(driver.state == left)
        }
    }

    @Test("P10: data of a person to be erased is not saved after the erase")
    func erased() {
        var disk = Disk<Chat>()
        var driver = Device.fresh()
        driver.send(.signedIn(Device.account))
        driver.say("second")
        driver.send(.draftEdited("half"))
        driver.send(.signedOut)
        driver.send(.dataErased(Device.account.user))
        driver.serve(from: &disk)
        #expect(driver.state.departed.isEmpty && disk.records.isEmpty)
    }

    @Test(
        "L5, L6, P10: in any order of sign-ins and disk answers, each text is there for its author",
        arguments: [false, true])
    func comingAndGoing(isFull: Bool) {
        for seed in UInt64(1)...120 {
            var dice = Entropy.seeded(seed)
            var (driver, disk) = (Device.fresh(seed: seed), Disk<Chat>())
            var written: [UserID: [String]] = [:]
            for number in 0..<60 {
                switch dice.next() % 12 {
                case 0: driver.send(.signedIn(Device.account))
                case 1: driver.send(.signedIn(Self.other))
                case 2: driver.send(.signedOut)
                case 3: driver.advance(by: .seconds(Int64(dice.next() % 7)))
                case 4: driver.send(dice.next() % 2 == 0 ? .backgrounded : .foregrounded)
                case 5, 6: driver.send(.sent)
                case 7, 8:
                    guard let user = driver.state.account?.user else { continue }
                    let draft = driver.draft.string.lines + ["t\(number)"]
                    driver.send(.draftEdited(ExactText(draft.joined(separator: "\n"))))
                    written[user, default: []].append("t\(number)")
                default:
                    guard !driver.storage.isEmpty else { continue }
                    let key = driver.storage[Int(dice.next() % UInt64(driver.storage.count))].key
                    guard let next = driver.storage.first(where: { $0.key == key }) else { continue }
                    let isRefused = isFull && next.work != .load && dice.next() % 3 == 0
                    driver.answer(key, with: isRefused ? .failed(.full) : disk.carryOut(next))
                }
                #expect(driver.stuckSpinner == nil)
            }
            for account in [Device.account, Self.other] {
                driver.send(.signedIn(account))
                for _ in 0..<3 {
                    driver.serve(from: &disk)
                    driver.advance(by: .seconds(5))
                }
                let found = (driver.texts + [driver.draft.string]).flatMap { $0.lines }
                #expect(found.sorted() == written[account.user, default: []].sorted(), "seed \(seed)")
            }
            #expect(driver.state.departed.isEmpty)
        }
    }

    @Test("C19, P10: a list of conversations that the disk has not taken at sign-out is saved afterwards")
    func listBehind() {
        for isRefused in [false, true] {
            var disk = Disk<Chat>()
            var driver = Device.connected(&disk)
            driver.create("Work")
            if isRefused {
                driver.answer(Device.listKey, with: .failed(.full))
            } else {
                driver.create("Play")  // waits for the save that lists the other
            }
            let titles = driver.titles
            driver.send(.signedOut)
            driver.serve(from: &disk)
            #expect(driver.state.departed.isEmpty)
            #expect(titles.count == (isRefused ? 2 : 3))
            #expect(Device.restored(&disk, seed: 2).titles == titles)
        }
    }

    /// The disk does all that is asked but save the list of conversations.
    private static func serveUnlisted(_ driver: inout Driver<Chat>, _ disk: inout Disk<Chat>) {
        while let operation = driver.storage.first {
            let isRefused = operation.key == Device.listKey && operation.work != .load
            driver.answer(operation.key, with: isRefused ? .failed(.full) : disk.carryOut(operation))
        }
    }

    @Test("C19, P10: a conversation that the stored list lacks takes its messages after the next sign-in")
    func unlisted() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.hear(.message(Device.reply("r1", "one", at: 1, in: "new")))
        Self.serveUnlisted(&driver, &disk)
        driver.send(.left)
        driver.send(.signedOut)
        Self.serveUnlisted(&driver, &disk)
        driver.send(.signedIn(Device.account))
        Self.serveUnlisted(&driver, &disk)
        driver.send(.shown)
        driver.finishConnecting()
        driver.hear(.message(Device.reply("r2", "two", at: 2, in: "new")))
        #expect(driver.listed.map { $0.unread } == [0, 1])
        driver.send(.conversationSwitched(to: "new"))
        #expect(driver.texts == ["one", "two"])
    }

    @Test("C7, P10: a list that the disk refused at sign-out is saved after the next sign-in")
    func listedAfterReturn() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.create("Work")
        Self.serveUnlisted(&driver, &disk)
        driver.send(.signedOut)
        Self.serveUnlisted(&driver, &disk)
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk)
        #expect(Device.restored(&disk, seed: 2).titles == ["Chat", "Work"])
    }

    @Test("C7, C19, P10: a conversation whose closing the disk refused is closed after the next sign-in")
    func closedAfterReturn() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        let work = driver.create("Work")
        driver.serve(from: &disk)
        driver.send(.conversationClosed(work))
        #expect(driver.titles == ["Chat"])
        Self.serveUnlisted(&driver, &disk)
        driver.send(.signedOut)
        Self.serveUnlisted(&driver, &disk)
        #expect(Device.restored(&disk, seed: 2).titles == ["Chat", "Work"])
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk)
        #expect(driver.titles == ["Chat"] && driver.state.conversation.id == .main)
        #expect(Device.restored(&disk, seed: 2).titles == ["Chat"])
    }

    @Test("L5, P10: a text in a conversation that the stored list lacks waits for the list after a return")
    func unlistedDraft() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        let work = driver.create("Work")
        Self.serveUnlisted(&driver, &disk)
        driver.send(.signedOut)
        Self.serveUnlisted(&driver, &disk)
        driver.send(.signedIn(Device.account))
        Self.serveUnlisted(&driver, &disk)
        driver.send(.conversationSwitched(to: work))
        Self.serveUnlisted(&driver, &disk)
        driver.send(.draftEdited("half"))
        driver.advance(by: .seconds(1))
        #expect(driver.storage.map { $0.key } == [Device.listKey])
        driver.serve(from: &disk)
        let again = Device.restored(&disk, seed: 2)
        #expect(again.state.conversation.id == work && again.draft == "half")
    }

    @Test("C19, P10: on a silent disk each conversation takes its messages after the next sign-in")
    func silentReturn() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.hear(.message(Device.reply("r1", "one", at: 1, in: "new")))
        driver.serve(from: &disk)
        driver.send(.draftEdited("half"))  // nothing else is unsaved
        driver.send(.left)
        driver.send(.signedOut)
        driver.send(.signedIn(Device.account))
        driver.send(.shown)
        driver.advance(by: Chat.Configuration().storageLimit)
        driver.finishConnecting()
        driver.hear(.message(Device.reply("r2", "two", at: 2, in: "new")))
        driver.serve(from: &disk)
        driver.send(.conversationSwitched(to: "new"))
        #expect(driver.texts == ["one", "two"])
    }

    @Test("L6, P10: a draft that was sent stays sent when the outbox is loaded only after the sign-out")
    func sentBefore() {
        var disk = Disk<Chat>()
        disk[Device.draftKey] = .draft("hello", id: "d_1")
        disk[Device.outboxKey] = .outbox([
            OutboxEntry(key: "c_1", text: "hello", written: Device.epoch, wasSent: false, draft: "d_1")
        ])
        var driver = Device.fresh()
        driver.send(.signedIn(Device.account))
        driver.send(.draftEdited("half"))
        driver.send(.signedOut)
        driver.serve(from: &disk) { $0 == Device.outboxKey }
        driver.serve(from: &disk)
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk)
        #expect(driver.texts == ["hello"] && driver.draft == "half")
    }

    @Test("C22, P10: what comes for another conversation with unsaved text is unread after the next sign-in")
    func unread() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        let work = driver.create("Work")
        driver.serve(from: &disk)
        driver.send(.draftEdited("half"))
        driver.send(.conversationSwitched(to: .main))
        driver.serve(from: &disk, failing: { $0 == .draft("kay", work) }, with: .full)
        driver.send(.left)
        driver.send(.signedOut)
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk)
        driver.send(.shown)
        driver.finishConnecting()
        driver.hear(.message(Device.reply("r1", "answer", at: 1, in: work)))
        #expect(driver.listed.map { $0.unread } == [0, 1])
    }

    @Test("C5, P10: what came during the save of the newest page is stored at sign-out, also after a refusal")
    func newestPageInDoubt() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.hear(.message(Device.reply("s_1", "one", at: 1)))
        driver.answer(Device.pageKey(0), with: .failed(.full))
        driver.hear(.message(Device.reply("s_2", "two", at: 2)))
        driver.hear(.message(Device.reply("s_3", "three", at: 3)))
        driver.send(.signedOut)
        driver.serve(from: &disk)
        #expect(Device.restored(&disk, seed: 2).texts == ["one", "two", "three"])
    }

    /// Somebody with pages of two messages, of which the disk has some, hears more, signs out while the first of these is
    /// being saved, and signs in again; the disk refuses a page.
    private static func comeBack(
        stored: ClosedRange<Int64>, heard: ClosedRange<Int64>, refusing page: Int64
    ) -> (driver: Driver<Chat>, disk: Disk<Chat>) {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk) { $0.pageLength = 2 }
        driver.send(.shown)
        driver.finishConnecting()
        driver.hearReplies(stored)
        driver.serve(from: &disk)
        driver.hearReplies(heard)
        driver.send(.signedOut)
        driver.serve(from: &disk, failing: { $0 == Device.pageKey(page) }, with: .full)
        driver = Device.restored(&disk, seed: 2) { $0.pageLength = 2 }
        driver.send(.shown)
        return (driver, disk)
    }

    @Test("C5, P10: what a page lacks that the disk refuses at sign-out is told again")
    func refusedPage() {
        let (driver, _) = Self.comeBack(stored: 1...1, heard: 2...3, refusing: 0)
        #expect(driver.askedCursors == [Chat.Cursor(conversation: .main, last: "s_1")])
    }

    @Test("C5, C21, P10: a new page that the disk refuses at sign-out hides none of the earlier ones")
    func refusedNewPage() {
        var (driver, disk) = Self.comeBack(stored: 1...2, heard: 3...6, refusing: 1)
        #expect(driver.askedCursor == "s_2" && driver.rows.count == 2)
        driver.finishConnecting()
        driver.hearReplies(3...6)
        driver.serve(from: &disk)
        driver = Device.restored(&disk, seed: 3) { $0.pageLength = 2 }
        for _ in 1...2 {
            driver.send(.olderRequested)
            driver.serve(from: &disk)
        }
        #expect(driver.rows.count == 6 && !Chat.hasOlder(driver.state))
    }

    @Test(
        "C14, P10: a file that is being copied at sign-out leaves no bytes, and one that was copied stays",
        arguments: [false, true])
    func copying(isDraftStored: Bool) {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk)
        driver.pick("a", "text/plain", count: 1)
        driver.serve(from: &disk)
        driver.pick("b", "text/plain", count: 2)
        let isFile = { (key: Chat.Key) -> Bool in if case .attachment = key { true } else { false } }
        if isDraftStored { driver.serve(from: &disk, but: isFile) }
        driver.send(.signedOut)
        driver.serve(from: &disk)
        #expect(disk.records.count { isFile($0.key) } == 1)
        driver = Device.restored(&disk, seed: 2)
        #expect(Chat.composer(driver.state).attachments.map { $0.name } == ["a"])
    }

    @Test("L5, P10: a refused message that no page has is in the outbox after the next sign-in")
    func refusedWithoutPage() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        let isFailing = { (key: Chat.Key) in key == Device.pageKey(0) || key == Device.contentsKey }
        driver.say("mine")
        driver.serve(from: &disk, failing: isFailing, with: .full)
        driver.hear(.rejected(driver.saidIDs[0], reason: "No."))
        // The outbox is being saved with the first of these, and has to be saved again for the second.
        driver.say("next")
        driver.say("last")
        driver.send(.signedOut)
        driver.serve(from: &disk, failing: isFailing, with: .full)
        #expect(driver.state.departed.isEmpty)
        #expect(Device.restored(&disk, seed: 2).texts == ["mine", "next", "last"])
    }

    /// The person signs out, the disk does what was asked of it, and the person signs in again.
    private static func comeBack(_ driver: inout Driver<Chat>, _ disk: inout Disk<Chat>) {
        driver.send(.left)
        driver.send(.signedOut)
        driver.serve(from: &disk)
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk)
        #expect(driver.state.departed.isEmpty)
    }

    @Test("C13, P10: what was deleted before the contents are loaded stays deleted after the next sign-in")
    func deletedBeforeContents() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.serve(from: &disk)
        let told = [
            Device.reply("r1", "one", at: 1, in: "far"), Device.reply("r2", "two", at: 2, in: "far"),
        ]
        for message in told { driver.hear(.message(message)) }
        driver.send(.conversationSwitched(to: "far"))
        driver.send(.deleted(.received("r1")))
        Self.comeBack(&driver, &disk)
        driver.send(.shown)
        driver.finishConnecting(replaying: told)
        driver.serve(from: &disk)
        driver.send(.conversationSwitched(to: "far"))
        driver.serve(from: &disk)
        #expect(driver.texts == ["two"])
        #expect(Device.restored(&disk, seed: 2).texts == ["two"])
    }

    @Test("C5, C13, P10: what was deleted after a reset stays deleted, though the former pages come back")
    func deletedAfterReset() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.hearReplies(1...2)
        driver.serve(from: &disk)
        let told = [Device.reply("s_1", "r", at: 1), Device.reply("s_2", "r", at: 2)]
        driver.loseAndReconnect(replaying: told, isReset: true)
        driver.send(.deleted(.received("s_1")))
        Self.comeBack(&driver, &disk)
        #expect(driver.rows.map { $0.id } == [.received("s_2")])
        #expect(Device.restored(&disk, seed: 2).rows.map { $0.id } == [.received("s_2")])
    }

    @Test("C5, C13, P10: a message that the server lost and the person deleted is in no former page either")
    func deletedAfterLoss() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("mine")
        driver.serve(from: &disk)
        driver.loseAndReconnect(isReset: true)
        driver.lose()
        driver.send(.deleted(driver.rows[0].id))
        Self.comeBack(&driver, &disk)
        #expect(driver.rows.isEmpty)
        #expect(Device.restored(&disk, seed: 2).rows.isEmpty)
    }
}
