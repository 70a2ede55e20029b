// What is loaded or saved late, refused, or under way when the person leaves, asks for more, or comes back.

import Testing

@testable import ChatDomain

@Suite("Chat: storage that is late or refused, once more")
struct ChatStorageAgainTests {
    private typealias Device = Driver<Chat>

    private static let limit = Chat.Configuration().storageLimit

    @Test("C21, L5: asking for older messages during a save ends no save, neither that one nor a later one")
    func olderDuringSave() {
        var disk = Disk<Chat>()
        var driver = Device.onPagesOfTwo(&disk)
        driver.send(.shown)
        driver.finishConnecting()
        driver.hear(.message(Device.numbered(6)))
        driver.send(.olderRequested)
        driver.serve(from: &disk)
        driver.hear(.message(Device.numbered(7)))
        driver.serve(from: &disk)
        #expect(driver.texts == (3...7).map { "\($0)" })
        #expect(Device.restored(&disk, seed: 3).texts == ["7"])
    }

    @Test("L8, C21: at least a thousand messages stay in memory, because repeated ones are known by them")
    func fewestKept() {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk) {
            $0.transcriptLimit = 2
            $0.pageLength = 2
        }
        driver.send(.shown)
        driver.finishConnecting()
        driver.hearReplies(1...9)
        driver.serve(from: &disk)
        driver.hearReplies(10...10)
        #expect(driver.heldRows == 10)
    }

    @Test("L3, C19: a list that is being saved at the sign-out has its time limit after the next sign-in")
    func listAtSignOut() {
        var driver = Device.connected()
        driver.create("Work")
        driver.send(.signedOut)
        #expect(driver.timers.isEmpty)
        driver.send(.signedIn(Device.account))
        #expect(driver.remaining(.listLimit) == Self.limit)
        driver.advance(by: Self.limit)
        #expect(driver.state.conversation.banner == .notSaved(.unavailable))
    }

    @Test("C2, L5: a refused save of the times of connecting is tried again in the background")
    func pacingAgain() {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk)
        driver.send(.shown)
        driver.answer(Device.pacingKey, with: .failed(.full))
        driver.finishConnecting()
        driver.serve(from: &disk)
        #expect(disk[Device.pacingKey] == nil)
        driver.send(.backgrounded)
        driver.serve(from: &disk)
        #expect(disk[Device.pacingKey] != nil)
    }

    @Test("L4, C6: an old timer from before the sign-in ends no wait for the records")
    func oldTimer() {
        var driver = Device.fresh()
        driver.send(.timerFired(.restoring))
        driver.send(.signedIn(Device.account))
        driver.send(.shown)
        #expect(driver.socket == nil)
        driver.save()
        #expect(driver.socket != nil)
    }

    // MARK: Conversations that a late list names

    /// Connected although the disk did not say which conversations there are; then it names some.
    private static func lateList(
        _ disk: inout Disk<Chat>, naming ids: [ConversationID] = ["main", "a", "b"]
    ) -> Device {
        var driver = Device.fresh()
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk) { $0 == Device.listKey }
        driver.send(.shown)
        driver.advance(by: limit)
        driver.finishConnecting()
        let entries = ids.map { ConversationEntry(id: $0) }
        driver.answer(Device.listKey, with: .loaded(.conversations(entries, current: .main)))
        return driver
    }

    @Test("C6, C5: a cursor that is stored does not replace the newer one of a message that came before it")
    func newerCursor() {
        var disk = Disk<Chat>()
        let stored = Message(
            id: "s_1", author: .assistant(to: nil), body: .text(LongText("old")), time: Device.epoch,
            isPlaced: true)
        disk[.contents("kay", "a")] = .contents(Contents(oldestPage: 0, newestPage: 0))
        disk[.page("kay", "a", 0)] = .page(Page(messages: [stored], cursor: "s_1"))
        var driver = Self.lateList(&disk)
        driver.hear(.message(Device.reply("s_9", "new", at: 9, in: "a")))
        driver.serve(from: &disk)
        driver.lose()
        while driver.calls.isEmpty, let next = driver.remaining(.reconnect) { driver.advance(by: next) }
        #expect(driver.askedCursors == [Chat.Cursor(conversation: "a", last: "s_9")])
    }

    @Test("L3, C19: a late conversation that is loaded ends the time limit of no other one")
    func limitOfOther() {
        var disk = Disk<Chat>()
        var driver = Self.lateList(&disk)
        driver.serve(from: &disk) { $0 == .contents("kay", "b") }
        #expect(driver.isRunning(.restoring))
        driver.advance(by: Self.limit)
        #expect(driver.state.conversations.allSatisfy { $0.isRestored })
        driver.answer(.contents("kay", "b"), with: .missing)
    }

    @Test("C13, C10: a message that is deleted before its page is read is not shown as one of another device")
    func deletedAfterEcho() {
        var disk = Disk<Chat>()
        disk[.outbox("kay", "a")] = .outbox([
            OutboxEntry(key: "c_1", text: "Hi", written: Device.epoch, wasSent: true)
        ])
        var driver = Self.lateList(&disk, naming: ["main", "a"])
        driver.serve(from: &disk) { $0 == .contents("kay", "a") }
        driver.send(.conversationSwitched(to: "a"))
        driver.hear(
            .message(
                IncomingMessage(
                    id: "s_1", conversation: "a", role: .user, text: "Hi", time: Device.epoch + .seconds(1),
                    isGrowing: false)))
        driver.send(.deleted(.written("c_1")))
        driver.serve(from: &disk)
        #expect(driver.texts.isEmpty && driver.said.isEmpty)
    }
}
