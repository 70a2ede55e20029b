// What the record of the outbox holds after a message was deleted, dropped or asked under another key, and what a
// refused list means for the records that wait for it.

import Testing

@testable import ChatDomain

@Suite("Chat: what the record of the outbox holds")
struct ChatOutboxRecordTests {
    private typealias Device = Driver<Chat>

    private static func isPage(_ key: Chat.Key) -> Bool {
        if case .page = key { true } else { false }
    }

    @Test("C13: the first save of the outbox after a deletion is without the deleted message")
    func deleted() throws {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk)
        driver.say("Hello")
        driver.serve(from: &disk)
        #expect(driver.outbox(on: disk).count == 1)
        try driver.delete("Hello")
        let save = try #require(driver.storage.first { $0.key == Device.outboxKey })
        _ = disk.carryOut(save)
        #expect(Device.restored(&disk, seed: 2).texts.isEmpty)
    }

    @Test("C12, L6: a deferred retry that the reply has overtaken is not sent by a relaunch")
    func overtaken() throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("Hello", as: "s_1", at: 1, on: &disk)
        driver.advance(by: .seconds(120))
        driver.serve(from: &disk)
        try driver.retry(on: &disk)
        #expect(driver.saidIDs.count == 2)
        driver.hear(.deferred(driver.saidIDs[1], after: .zero))
        driver.serve(from: &disk)
        let reply = IncomingMessage(
            id: "s_2", role: .assistant, text: "Hi", time: Device.epoch + .seconds(2), isGrowing: false,
            question: driver.saidIDs[0])
        driver.loseAndReconnect(replaying: [reply])
        driver.serve(from: &disk) { $0 != Device.outboxKey }
        #expect(driver.queued.isEmpty && driver.outbox(on: disk).isEmpty)
        let next = Device.relaunched(&disk, replaying: [reply])
        #expect(next.said.isEmpty && next.shows == ["me: Hello", "coach: Hi"])
    }

    @Test("C13, S13: a deleted question does not come back under the key that a whole answer has replaced")
    func formerKey() throws {
        var disk = Disk<Chat>()
        var driver = Device.asking(&disk, Streaming.Configuration(hasFallback: true))
        driver.say("Hi")
        driver.serve(from: &disk, but: Self.isPage)
        driver.reply(.began(nil))
        driver.reply(.failed("Busy."))
        driver.serve(from: &disk, but: Self.isPage)
        #expect(driver.wholeRequests == 1 && driver.outbox(on: disk).count == 1)
        #expect(driver.outbox(on: disk).map { $0.key } == driver.questions.map { $0.key })
        try driver.delete("Hi")
        driver.serve(from: &disk, but: Self.isPage)
        #expect(driver.outbox(on: disk).isEmpty && Device.asking(&disk, seed: 2).texts.isEmpty)
    }

    @Test("C7, C19: the draft of a conversation that cannot be listed is told to be unsaved once")
    func unlisted() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        let work = driver.create("Work")
        driver.send(.draftEdited("Hello"))
        driver.advance(by: .seconds(1))
        #expect(driver.isRunning(.draftLimit(work)))
        driver.serve(from: &disk, failing: { $0 == Device.listKey }, with: .full)
        #expect(driver.state.conversation.banner == .notSaved(.full) && !driver.isRunning(.draftLimit(work)))
        driver.send(.bannerDismissed)
        driver.advance(by: .minutes(1))
        #expect(driver.state.conversation.banner == nil && driver.draft == "Hello")
    }

    @Test("L5, C11: a deferred message that a new connection refuses is not lost before its row is stored")
    func refusedAfterDeferral() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("Hello")
        driver.serve(from: &disk, but: Self.isPage)
        driver.hear(.deferred(driver.saidIDs[0], after: .zero))
        driver.lose()
        while driver.calls.isEmpty, let next = driver.remaining(.reconnect) { driver.advance(by: next) }
        driver.hear(.opened)
        driver.hear(.authenticated(replayCount: 1, isTruncated: false, isReset: false))
        driver.hear(.rejected(driver.saidIDs[0], reason: "No."))
        driver.serve(from: &disk, but: Self.isPage)
        #expect(Device.restored(&disk, seed: 2).texts == ["Hello"])
    }
}
