@testable import ChatDomain
import Testing

@Suite("Chat: storage")
struct ChatStorageTests {
    private typealias Device = Driver<Chat>

    @Test("L5: a draft is saved 1 s after the last key, and comes back")
    func draft() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.send(.draftEdited("hel"))
        driver.advance(by: .milliseconds(900))
        driver.send(.draftEdited("hello"))
        driver.advance(by: .milliseconds(1_000))
        driver.serve(from: &disk)
        #expect(Device.draft(on: disk) == "hello")
        #expect(Device.restored(&disk).draft == "hello")
    }

    @Test(
        "L5: a disk that does not say for 5 s whether it has the draft is told, and asked again at the next key"
    )
    func silentDraftSave() {
        var driver = Device.connected()
        driver.send(.draftEdited("hello"))
        driver.advance(by: .milliseconds(5_999))
        #expect(driver.state.conversation.banner == nil && driver.draftsToBeSaved == ["hello"])
        driver.advance(by: .milliseconds(1))
        #expect(driver.state.conversation.banner == .notSaved(.unavailable))
        driver.send(.draftEdited("hello, you"))
        driver.advance(by: .seconds(1))
        driver.save()
        driver.send(.bannerDismissed)
        driver.advance(by: .seconds(5))
        #expect(driver.state.conversation.banner == nil && !driver.state.conversation.draft.isDirty)
    }

    @Test("L5: text that a full disk has refused is saved on each later occasion, and told once")
    func draftSavedAgain() {
        for occasion in [.backgrounded, .left, .memoryWarned] as [Chat.Action] {
            var disk = Disk<Chat>()
            var driver = Device.connected(&disk)
            driver.send(.draftEdited("half"))
            driver.advance(by: .seconds(1))
            for next in [Chat.Action.bannerDismissed, .memoryWarned] {
                driver.serve(from: &disk, failing: { $0 == Device.draftKey }, with: .full)
                driver.send(next)
            }
            driver.serve(from: &disk, failing: { $0 == Device.draftKey }, with: .full)
            #expect(driver.state.conversation.banner == nil && driver.storage.isEmpty)
            driver.send(occasion)
            driver.serve(from: &disk)
            #expect(Device.draft(on: disk) == "half")
        }
    }

    @Test("L5: every record that a full disk has refused is saved when the app comes back")
    func allSavedAgain() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.hearReplies(1...1)
        driver.say("mine")
        driver.send(.draftEdited("half"))
        driver.advance(by: .seconds(1))
        driver.serve(from: &disk, failing: { _ in true }, with: .full)
        driver.send(.backgrounded)
        driver.serve(from: &disk, failing: { _ in true }, with: .full)
        #expect(disk.records.isEmpty)
        driver.send(.foregrounded)
        driver.serve(from: &disk)
        #expect(driver.outbox(on: disk).map { $0.text } == ["mine"] && Device.draft(on: disk) == "half")
        #expect(disk[Device.pageKey(0)] != nil && disk[Device.contentsKey] != nil)
    }

    @Test("L5, C5: contents that a full disk has refused are saved in the background, with their page")
    func contentsSavedAgain() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.hearReplies(1...1)
        driver.serve(from: &disk, failing: { $0 == Device.contentsKey }, with: .full)
        #expect(disk[Device.contentsKey] == nil)
        driver.send(.backgrounded)
        driver.serve(from: &disk)
        #expect(disk[Device.contentsKey] == .contents(Contents(oldestPage: 0, newestPage: 0)))
    }

    @Test("L5: the record of a draft is cleared only after the outbox has the message")
    func draftAfterOutbox() {
        var driver = Device.connected()
        driver.say("hello")
        driver.advance(by: .seconds(2))
        driver.send(.backgrounded)
        #expect(!driver.storage.contains { $0.key == Device.draftKey })
        driver.answerOutbox(with: .saved)
        #expect(driver.draftsToBeSaved == [""])
    }

    @Test("L5: when the outbox cannot be saved, the record of the draft keeps the message")
    func draftKeepsUnsaved() {
        var driver = Device.connected()
        driver.say("hello")
        driver.send(.draftEdited("next"))
        driver.answerOutbox(with: .failed(.full))
        #expect(driver.draftsToBeSaved == ["hello\nnext"])
    }

    @Test("L6: a draft that the outbox has as a message is not offered again")
    func draftWasSent() {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk)
        driver.send(.draftEdited("hel"))
        driver.advance(by: .seconds(1))
        driver.serve(from: &disk)
        driver.send(.draftEdited("hello"))
        driver.send(.sent)
        for operation in driver.storage where operation.key == Device.outboxKey {
            _ = disk.carryOut(operation)
        }
        let again = Device.restored(&disk)
        #expect(again.draft == "" && again.texts == ["hello"])
    }

    @Test("L5: a draft that says the same as a message that waits is another text, and comes back")
    func sameTextAgain() {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk)
        driver.say("hello")
        driver.serve(from: &disk)
        driver.send(.draftEdited("hello"))
        driver.advance(by: .seconds(1))
        driver.serve(from: &disk)
        let again = Device.restored(&disk)
        #expect(again.draft == "hello" && again.texts == ["hello"])
    }

    @Test("L5: a restored message that was changed since is not taken for the sent one")
    func givenBack() {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk)
        driver.send(.draftEdited("hello"))
        driver.advance(by: .seconds(1))
        driver.serve(from: &disk)
        driver.send(.sent)
        // The save reaches the disk, and the device does not hear of it.
        for operation in driver.storage where operation.key == Device.outboxKey {
            _ = disk.carryOut(operation)
        }
        driver.answerOutbox(with: .failed(.unavailable))
        driver.send(.draftEdited("hello, and more"))
        driver.advance(by: .seconds(1))
        driver.serve(from: &disk, but: { $0 != Device.draftKey })
        #expect(Device.restored(&disk).draft == "hello, and more")
    }

    @Test("C6: text typed before the draft is loaded stays, behind the stored draft")
    func typedBeforeLoad() {
        var disk = Disk<Chat>()
        disk[Device.draftKey] = .draft("old")
        var driver = Device.fresh()
        driver.send(.signedIn(Device.account))
        driver.send(.draftEdited("new"))
        driver.serve(from: &disk)
        #expect(driver.draft == "old\nnew")
    }

    @Test("L5, L6: the device may die after any save of a message's way", arguments: 0..<12)
    func relaunch(step: Int) {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.send(.draftEdited("hello"))
        driver.advance(by: .seconds(1))
        driver.serve(from: &disk)
        driver.send(.sent)
        var saves = 0
        var isWithServer = false
        while saves < step, let operation = driver.storage.first {
            driver.answer(operation.key, with: disk.carryOut(operation))
            saves += 1
            if let client = driver.saidIDs.last, !isWithServer {
                isWithServer = true
                driver.hear(.acknowledged(client))
            }
        }
        isWithServer = isWithServer || !driver.said.isEmpty
        var again = Device.restored(&disk)
        again.send(.shown)
        again.finishConnecting(replaying: isWithServer ? [Device.echo("m1", "hello")] : [])
        again.serve(from: &disk)
        #expect(again.texts + (again.draft == "" ? [] : [again.draft.string]) == ["hello"])
        #expect(again.said.count == (isWithServer || again.draft == "hello" ? 0 : 1))
    }

    @Test("C21: older pages come back one by one, in order, and nothing twice")
    func pages() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        for number in 0..<120 {
            driver.hear(
                .message(Device.reply(MessageID("s\(number)"), ExactText("\(number)"), at: Int64(number))))
            if number % 7 == 0 { driver.serve(from: &disk) }
        }
        driver.serve(from: &disk)
        var again = Device.restored(&disk)
        #expect(again.texts == (100..<120).map { "\($0)" })
        #expect(again.state.conversation.cursor == "s119")
        again.send(.olderRequested)
        again.serve(from: &disk)
        again.send(.olderRequested)
        again.serve(from: &disk)
        again.send(.olderRequested)
        again.serve(from: &disk)
        #expect(again.texts == (0..<120).map { "\($0)" })
    }

    @Test("C21, L8: memory keeps the newest messages and forgets whole stored pages")
    func trim() {
        var disk = Disk<Chat>()
        var driver = Driver<Chat>.fresh { $0.transcriptLimit = 1_000 }
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk)
        driver.send(.shown)
        driver.finishConnecting()
        for number in 0..<1_200 {
            driver.hear(
                .message(Device.reply(MessageID("s\(number)"), ExactText("\(number)"), at: Int64(number))))
            while let operation = driver.storage.first { driver.answer(operation.key, with: .saved) }
        }
        #expect(driver.rows.count <= 1_050 && driver.rows.count >= 950)
        #expect(driver.texts.last == "1199")
    }

    @Test("C5: a stored cursor runs ahead of no reply that still grows")
    func storedCursor() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.hear(.message(Device.reply("s1", "one", at: 1)))
        driver.hear(.delta("s2", "tw"))
        for number in 3..<80 {
            driver.hear(.message(Device.reply(MessageID("s\(number)"), "x", at: Int64(number))))
        }
        driver.serve(from: &disk)
        #expect(Device.restored(&disk).state.conversation.cursor == "s1")
    }

    @Test("R5: a page that cannot be read is not written over")
    func unreadablePage() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.hear(.message(Device.reply("s1", "one", at: 1)))
        driver.serve(from: &disk)
        var again = Device.fresh()
        again.send(.signedIn(Device.account))
        again.answer(Device.listKey, with: .missing)
        again.answer(Device.pacingKey, with: .missing)
        again.answer(Device.outboxKey, with: .missing)
        again.answer(Device.contentsKey, with: .loaded(.contents(Contents(oldestPage: 0, newestPage: 0))))
        again.answer(Device.pageKey(0), with: .failed(.newer(version: 9)))
        again.send(.shown)
        again.finishConnecting(replaying: [Device.reply("s2", "two", at: 2)])
        again.serve(from: &disk)
        #expect(disk[Device.pageKey(1)] != nil)
        guard case .page(let page) = disk[Device.pageKey(0)] else { return #expect(Bool(false)) }
        #expect(page.messages.map { $0.id } == ["s1"])
    }

    @Test("C7: a page that cannot be saved is tried again when something changes, not at once")
    func failedPage() {
        var driver = Device.connected()
        driver.hear(.message(Device.reply("s1", "one", at: 1)))
        driver.answer(Device.pageKey(0), with: .failed(.full))
        #expect(driver.storage.allSatisfy { $0.key != Device.pageKey(0) })
        driver.hear(.message(Device.reply("s2", "two", at: 2)))
        #expect(driver.storage.contains { $0.key == Device.pageKey(0) })
    }

    @Test("P10: nothing of one person is seen by another, and all of it comes back to the first")
    func users() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("secret")
        driver.serve(from: &disk)
        driver.hear(.message(Device.reply("s1", "answer", at: 1)))
        driver.send(.draftEdited("half"))
        driver.send(.signedIn(Account(user: "bo", secret: SecretHandle("other"), device: "device-1")))
        #expect(driver.rows.isEmpty && driver.draft == "" && driver.calls.isEmpty)
        driver.serve(from: &disk)
        #expect(driver.rows.isEmpty && driver.draft == "" && driver.state.conversation.cursor == nil)
        driver.send(.signedOut)
        #expect(driver.timers.isEmpty)
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk)
        #expect(driver.texts == ["secret", "answer"] && driver.draft == "half")
    }

    @Test("L3, C6: silent storage delays the connection by 5 s, and what it brings later is used")
    func silentLoad() {
        var disk = Disk<Chat>()
        disk[Device.outboxKey] = .outbox([
            OutboxEntry(key: "c_1", text: "hello", written: Device.epoch, wasSent: false)
        ])
        var driver = Device.fresh()
        driver.send(.shown)
        driver.send(.signedIn(Device.account))
        driver.advance(by: .seconds(5))
        driver.finishConnecting()
        driver.serve(from: &disk)
        #expect(driver.said == ["hello"])
    }

    @Test("C9: an outbox that is loaded late puts nothing on the wire that is on it already")
    func loadedWhileInFlight() {
        var driver = Device.fresh()
        driver.send(.shown)
        driver.send(.signedIn(Device.account))
        driver.advance(by: .seconds(5))
        driver.finishConnecting()
        driver.say("new")
        driver.advance(by: .seconds(5))
        #expect(driver.said == ["new"])
        let old = OutboxEntry(key: "c_1", text: "old", written: Device.epoch, wasSent: false)
        driver.answer(Device.outboxKey, with: .loaded(.outbox([old])))
        driver.save()
        #expect(driver.said == ["new"] && driver.statuses == [.sending, .queued])
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.save()
        #expect(driver.said == ["new", "old"])
    }

    @Test("C9, C21: a message on the wire stays so when an older page is loaded")
    func olderWhileInFlight() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        for number in 0..<60 {
            driver.hear(.message(Device.reply(MessageID("s\(number)"), "x", at: Int64(number))))
        }
        driver.serve(from: &disk)
        var again = Device.connected(&disk)
        again.say("hello")
        again.serve(from: &disk)
        again.send(.olderRequested)
        again.serve(from: &disk)
        #expect(again.rows.count == 61 && again.statuses.last == .sending)
    }

    @Test("R5: a draft that cannot be read is not written over, one that was damaged is")
    func unreadableDraft() {
        for (failure, isWritten) in [
            (.unreadable, false), (.unavailable, false), (.newer(version: 9), false), (.damaged, true),
        ] as [(StorageFailure, Bool)] {
            var driver = Device.fresh()
            driver.send(.signedIn(Device.account))
            driver.answer(Device.outboxKey, with: .missing)
            driver.answer(Device.draftKey, with: .failed(failure))
            #expect(driver.state.conversation.banner == .notRestored(failure))
            driver.send(.draftEdited("new"))
            driver.advance(by: .seconds(1))
            #expect(driver.draftsToBeSaved == (isWritten ? ["new"] : []))
        }
    }

    @Test("R5: contents that were damaged are reported")
    func damagedContents() {
        var driver = Device.fresh()
        driver.send(.signedIn(Device.account))
        driver.answer(Device.contentsKey, with: .failed(.damaged))
        #expect(driver.state.conversation.banner == .notRestored(.damaged))
    }

    @Test(
        "C21: an older page that is asked for while another is saved comes after the save, once",
        arguments: [false, true])
    func olderDuringSave(isRefused: Bool) {
        var disk = Disk<Chat>()
        var driver = Device.onPagesOfTwo(&disk)
        driver.send(.shown)
        driver.finishConnecting()
        driver.hear(.message(Device.numbered(6)))
        driver.send(.olderRequested)
        driver.send(.olderRequested)
        if isRefused { driver.answer(Device.pageKey(2), with: .failed(.full)) }
        driver.serve(from: &disk)
        #expect(driver.texts == ["3", "4", "5", "6"])
    }

    @Test("C21: an older page that is asked for before a reset of the history does not come after it")
    func olderBeforeReset() {
        var disk = Disk<Chat>()
        var driver = Device.onPagesOfTwo(&disk)
        driver.send(.shown)
        driver.finishConnecting()
        driver.hear(.message(Device.numbered(6)))
        driver.send(.olderRequested)
        driver.loseAndReconnect(replaying: [Device.reply("n", "new", at: 90)], isReset: true)
        driver.serve(from: &disk)
        #expect(driver.texts == ["new"])
    }

    @Test("R5, C21: pages whose contents were damaged are found again, and not written over")
    func pagesWithoutContents() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        for number in 0..<120 {
            driver.hear(.message(Device.reply(MessageID("s\(number)"), "x", at: Int64(number))))
        }
        driver.serve(from: &disk)
        disk[Device.contentsKey] = nil

        var again = Device.fresh()
        again.send(.signedIn(Device.account))
        again.answer(Device.contentsKey, with: .failed(.damaged))
        again.serve(from: &disk)
        #expect(again.state.conversation.cursor == "s119")
        again.send(.shown)
        again.finishConnecting()
        again.hear(.message(Device.reply("s120", "x", at: 120)))
        again.serve(from: &disk)
        for _ in 0..<2 {
            again.send(.olderRequested)
            again.serve(from: &disk)
        }
        #expect(again.rows.count == 121)
    }

    @Test("C12, L3: an echoed message without reply still waits for it after a relaunch")
    func unansweredAfterRelaunch() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("a")
        driver.serve(from: &disk)
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.hear(.message(Device.echo("m1", "a", at: 1, from: "device-1")))
        driver.serve(from: &disk)
        var again = Device.connected(&disk)
        #expect(again.statuses == [.delivered])
        again.advance(by: .seconds(119))
        #expect(again.statuses == [.delivered])
        again.advance(by: .seconds(1))
        #expect(again.statuses == [.failed(.noReply)])
    }
}
