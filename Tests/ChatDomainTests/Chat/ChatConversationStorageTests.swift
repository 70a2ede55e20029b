import ChatDomain
import Testing

private typealias Device = Driver<Chat>

@Suite("Chat: several conversations, stored")
struct ChatConversationStorageTests {
    @Test("L5: a text in a new conversation is saved only once the list names the conversation")
    func order() {
        var driver = Device.connected()
        let work = driver.create("Work")
        driver.say("precious")
        #expect(driver.storage.map { $0.key } == [Device.listKey])
        driver.answer(Device.listKey, with: .saved)
        #expect(driver.storage.map { $0.key } == [.outbox("kay", work)])
        #expect(driver.said == [])
        driver.save()
        #expect(driver.said == ["precious"])
    }

    @Test("C7: a list that cannot be saved keeps no message from being sent, and is tried again")
    func unsavedList() {
        var driver = Device.connected()
        driver.create("Work")
        driver.say("one")
        driver.answer(Device.listKey, with: .failed(.full))
        #expect(driver.said == ["one"] && driver.state.conversation.banner == .notSaved(.full))
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.say("two")
        #expect(driver.storage.map { $0.key }.contains(Device.listKey))
        driver.answer(Device.listKey, with: .saved)
        driver.save()
        #expect(driver.said == ["one", "two"])
    }

    @Test("C7, L5: a message after a refused list asks for the list again, and has all of its time")
    func listRefusedAgain() {
        var driver = Device.connected()
        let work = driver.create("Work")
        driver.say("one")
        driver.advance(by: .seconds(4))
        for _ in 0..<5 { driver.answer(Device.listKey, with: .failed(.full)) }
        driver.say("two")
        #expect(driver.storage.contains { $0.key == Device.listKey })
        #expect(driver.remaining(.outboxLimit(work)) == .seconds(5))
    }

    @Test("L5: after a refused save of the list, a message waits for the one that follows at once")
    func listRefusedBeforeNext() {
        var driver = Device.connected()
        driver.create("Work")
        driver.say("one")
        driver.create("Play")
        driver.answer(Device.listKey, with: .failed(.full))
        #expect(driver.said == [])
        driver.answer(Device.listKey, with: .saved)
        driver.save()
        #expect(driver.said == ["one"])
    }

    @Test("C7, L5: a refused list is saved again in the background, and told no second time")
    func listRefusedInBackground() {
        var driver = Device.connected()
        driver.create("Work")
        driver.answer(Device.listKey, with: .failed(.full))
        driver.send(.bannerDismissed)
        driver.send(.backgrounded)
        #expect(driver.storage.contains { $0.key == Device.listKey })
        driver.answer(Device.listKey, with: .failed(.full))
        #expect(driver.state.conversation.banner == nil)
        #expect(!driver.storage.contains { $0.key == Device.listKey })
    }

    @Test("L3: a list whose save is never answered holds a message up for a while, not for good")
    func silentList() {
        var driver = Device.connected()
        driver.create("Work")
        driver.say("one")
        driver.advance(by: .seconds(5))
        #expect(driver.said == ["one"] && driver.stuckSpinner == nil)
    }

    @Test("L5, C19: conversations come back after a relaunch, with what was written in them")
    func relaunch() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        let work = driver.create("Work")
        driver.say("to work")
        driver.serve(from: &disk)
        driver.hear(.message(Device.reply("r1", "answer", at: 1, in: work)))
        driver.send(.draftEdited("half"))
        driver.advance(by: .seconds(1))
        driver.serve(from: &disk)
        var again = Device.restored(&disk)
        #expect(again.titles == ["Chat", "Work"] && again.state.conversation.id == work)
        #expect(again.texts == ["to work", "answer"] && again.draft == "half")
        again.send(.shown)
        #expect(again.askedCursors == [Chat.Cursor(conversation: work, last: "r1")])
    }

    @Test("C5: a reset history leaves every conversation its drafts and unsent messages")
    func reset() {
        var driver = Device.connected()
        driver.create("Work")
        let work = driver.state.conversation.id
        driver.hear(.message(Device.reply("m1", "old", at: 1)))
        driver.hear(.message(Device.reply("w1", "old", at: 1, in: work)))
        driver.send(.draftEdited("half"))
        driver.send(.conversationSwitched(to: .main))
        driver.lose()
        driver.say("unsent")
        driver.advance(by: .seconds(3))
        driver.hear(.opened)
        driver.hear(.authenticated(replayCount: 0, isTruncated: false, isReset: true))
        #expect(driver.texts == ["unsent"])
        driver.send(.conversationSwitched(to: work))
        #expect(driver.texts == [] && driver.draft == "half")
    }

    @Test("L5: a conversation is neither closed nor forgotten before it is known what in it is unsent")
    func notLoaded() {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk)
        let work = driver.create("Work")
        driver.say("precious")
        driver.serve(from: &disk)
        var next = Device.fresh(seed: 2) { $0.conversationLimit = 2 }
        next.send(.signedIn(Device.account))
        for operation in next.storage where operation.key == Device.listKey {
            next.answer(operation.key, with: disk.carryOut(operation))
        }
        next.send(.conversationClosed(work))
        next.send(.conversationCreated(title: "More"))
        next.serve(from: &disk)
        #expect(next.titles == ["Chat", "Work"])
        next.send(.conversationSwitched(to: work))
        #expect(next.texts == ["precious"])
    }

    @Test("P10: signing out keeps what was written in a conversation that is not stored yet")
    func signOut() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.create("Work")
        driver.say("precious")
        driver.send(.signedOut)
        driver.serve(from: &disk)
        #expect(driver.state.others.isEmpty && driver.texts == [])
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk)
        #expect(driver.titles == ["Chat", "Work"] && driver.texts == ["precious"])
    }

    @Test("R5: a list that is damaged is told, and one that is newer is not written over")
    func damaged() {
        for (failure, isSaved) in [(StorageFailure.damaged, true), (.newer(version: 9), false)] {
            var driver = Device.fresh()
            driver.send(.signedIn(Device.account))
            driver.answer(Device.listKey, with: .failed(failure))
            #expect(driver.state.conversation.banner == .notRestored(failure))
            driver.create("Work")
            #expect(driver.storage.contains { $0.key == Device.listKey } == isSaved)
            #expect(driver.state.conversation.banner == (isSaved ? nil : .notSaved(failure)))
        }
    }

    @Test("C6: a conversation created before the list is loaded follows the ones in the list")
    func lateList() {
        var driver = Device.fresh()
        driver.send(.signedIn(Device.account))
        driver.create("New")
        let old = ConversationEntry(id: "old", title: "Old")
        driver.answer(
            Device.listKey,
            with: .loaded(.conversations([ConversationEntry(id: .main), old], current: "old")))
        #expect(driver.titles == ["Chat", "Old", "New"] && driver.listed[2].isCurrent)
        driver.send(.conversationSwitched(to: .main))
        #expect(driver.listed.map { $0.isCurrent } == [true, false, false])
    }

    /// A device that connects before its list, in which “Work” is open, is read.
    private func connectedBeforeList(current: ConversationID) -> (Device, Disk<Chat>) {
        var disk = Disk<Chat>()
        let work = ConversationEntry(id: "work", title: "Work")
        disk[Device.listKey] = .conversations([ConversationEntry(id: .main), work], current: current)
        var driver = Device.fresh()
        driver.send(.signedIn(Device.account))
        driver.send(.shown)
        driver.serve(from: &disk) { $0 == Device.listKey }
        driver.advance(by: .seconds(5))
        driver.finishConnecting()
        return (driver, disk)
    }

    @Test("C6, C19: a conversation that was closed before the list was there stays closed")
    func closedEarly() {
        var (driver, disk) = connectedBeforeList(current: "work")
        driver.hear(.message(Device.reply("m", "x", in: "work")))
        driver.serve(from: &disk) { $0 == Device.listKey }
        #expect(driver.titles.count == 2)
        driver.send(.conversationClosed("work"))
        driver.serve(from: &disk)
        #expect(driver.titles == ["Chat"] && driver.state.conversation.id == .main)
        #expect(Device.restored(&disk, seed: 2).titles == ["Chat"])
    }

    @Test("C6, C19: a title that the server tells before the list is read stays, and is saved")
    func namedEarly() {
        var (driver, disk) = connectedBeforeList(current: .main)
        driver.hear(.named("work", title: "Works"))
        driver.serve(from: &disk)
        #expect(driver.titles == ["Chat", "Works"])
        #expect(Device.restored(&disk, seed: 2).titles == ["Chat", "Works"])
    }

    @Test("L5, L8: a closed conversation in which a message shows that it is not sent makes no room")
    func closedWithRefused() {
        var disk = Disk<Chat>()
        let entries = [ConversationEntry(id: .main), ConversationEntry(id: "old", isClosed: true)]
        disk[Device.listKey] = .conversations(entries, current: .main)
        let refused = Message.Written(client: "c_1", status: .failed(.rejected("no")))
        let message = Message(author: .here(refused), body: .text(LongText("look")), time: Device.epoch)
        disk[.contents("kay", "old")] = .contents(Contents(oldestPage: 0, newestPage: 0))
        disk[.page("kay", "old", 0)] = .page(Page(messages: [message], cursor: nil))
        var driver = Device.restored(&disk) { $0.conversationLimit = 2 }
        driver.create("More")
        #expect(driver.titles == ["Chat"] && driver.state.conversation.banner == .tooManyConversations)
        driver.send(.conversationSwitched(to: "old"))
        #expect(driver.texts == ["look"])
    }

    @Test(
        "C19, R5: the main conversation is open, also if a stored list says otherwise",
        arguments: [false, true])
    func mainIsOpen(isElsewhere: Bool) {
        var disk = Disk<Chat>()
        disk[Device.listKey] = .conversations(
            [ConversationEntry(id: .main, isClosed: true), ConversationEntry(id: "b")],
            current: isElsewhere ? "b" : .main)
        var driver = Device.restored(&disk) { $0.conversationLimit = 2 }
        #expect(driver.listed.map { $0.id } == [.main, "b"])
        driver.create("New")
        #expect(driver.state.conversation.banner == .tooManyConversations)
        driver.send(.conversationClosed("b"))
        #expect(driver.listed.map { $0.id } == [.main] && driver.state.conversation.id == .main)
    }
}
