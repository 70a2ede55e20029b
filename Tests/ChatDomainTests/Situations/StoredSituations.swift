// What a disk holds when a process begins, and when it ends within a save: a page without its outbox, an outbox without
// its page, contents that are silent, and messages that no server has named. Each situation writes the disk, or ends the
// process after one save, and looks at what the next launch makes of it.

import Testing

@testable import ChatDomain

@Suite("Situations: what a disk holds")
struct StoredSituations {
    private typealias Device = Driver<Chat>

    /// A disk with one page of these messages.
    private static func disk(_ messages: [Message], cursor: MessageID? = nil) -> Disk<Chat> {
        var disk = Disk<Chat>()
        disk[Device.contentsKey] = .contents(Contents(oldestPage: 0, newestPage: 0))
        disk[Device.pageKey(0)] = .page(Page(messages: messages, cursor: cursor))
        return disk
    }

    /// “Hello”, written here under the key c_1.
    private static func hello(_ id: MessageID?, _ status: Chat.SendStatus) -> Message {
        Message(
            id: id, author: .here(Message.Written(client: "c_1", status: status)),
            body: .text(LongText("Hello")), time: Device.epoch + .seconds(1), isPlaced: id != nil)
    }

    private static func told(_ id: MessageID?, _ text: String, at second: Int64) -> Message {
        Message(
            id: id, author: .assistant(to: nil), body: .text(LongText(text)),
            time: Device.epoch + .seconds(second), isPlaced: id != nil)
    }

    /// The outbox of “Hello” under a key.
    private static func outbox(_ key: ClientID, wasSent: Bool) -> Chat.Record {
        .outbox([
            OutboxEntry(
                key: key, client: "c_1", text: "Hello", written: Device.epoch, wasSent: wasSent, draft: "d_1")
        ])
    }

    /// The disk takes the pending saves under a key before the process ends.
    private static func end(_ driver: Device, after key: Chat.Key, _ disk: inout Disk<Chat>) {
        for operation in driver.storage where operation.key == key { _ = disk.carryOut(operation) }
    }

    @Test("C12: after a relaunch a reply that names no question answers the echoed question above it")
    func answeredByUnlinked() {
        var disk = Self.disk([Self.hello("s_1", .delivered), Self.told("s_2", "Hi", at: 2)], cursor: "s_2")
        var driver = Device.relaunched(&disk)
        #expect(!driver.isWaiting)
        driver.advance(by: .seconds(121))
        #expect(driver.shows == ["me: Hello", "coach: Hi"])
    }

    @Test("L6, C12: after a retry that no save has kept, the next one has the key from before it")
    func keyOfLostRetry() throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("Hello")
        driver.serve(from: &disk)
        let key = driver.saidIDs[0]
        driver.loseAndReconnect()
        driver.hear(.rejected(key, reason: "no"))
        driver.serve(from: &disk)
        let row = try #require(driver.rows.first { $0.offer == .retry })
        driver.lose()
        driver.send(.retried(row.id))
        Self.end(driver, after: Device.pageKey(0), &disk)
        driver = .relaunched(&disk)
        try driver.retry(on: &disk)
        #expect(driver.saidIDs == [key])
    }

    @Test("C7, C10, L6: an echo is known of a message that went although the disk did not note that")
    func sentUnnoted() {
        var disk = Self.disk([Self.told("s_0", "Yes?", at: 0), Self.hello(nil, .sending)], cursor: "s_0")
        disk[Device.outboxKey] = Self.outbox("c_1", wasSent: false)
        let driver = Device.relaunched(&disk, replaying: [Device.echo("s_1", "Hello", at: 1)])
        #expect(driver.texts == ["Yes?", "Hello"] && driver.isDelivered("Hello"))
        #expect(driver.said.isEmpty && driver.queued.isEmpty)
    }

    @Test("C13: a deletion that the outbox did not keep is made up for before any connection")
    func deletionOfPageAlone() throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("Hello")
        driver.serve(from: &disk)
        driver.lose()
        driver.serve(from: &disk)
        try driver.delete("Hello")
        Self.end(driver, after: Device.pageKey(0), &disk)
        #expect(driver.outbox(on: disk).count == 1)
        driver = Device.restored(&disk, seed: 2)
        #expect(driver.rows.isEmpty && driver.queued.isEmpty && driver.outbox(on: disk).isEmpty)
    }

    @Test("C12: after a relaunch a reply is not of the copy before a retry that was sent")
    func replyBesideSentRetry() {
        var disk = Self.disk([Self.hello("s_1", .accepted)], cursor: "s_1")
        disk[Device.outboxKey] = Self.outbox("c_2", wasSent: true)
        var driver = Device.relaunched(&disk, replaying: [Device.reply("s_9", "News", at: 9)])
        #expect(driver.saidIDs == ["c_2"])
        driver.hear(.rejected("c_2", reason: "no"))
        #expect(driver.shows == ["me: Hello ! [retry]", "coach: News"])
    }

    @Test("C12, C15, L3: after a relaunch a question that was answered before its ack awaits no other")
    func answeredBeforeAcknowledged() {
        for isReported in [false, true] {
            var disk = Disk<Chat>()
            var driver = Device.connected(&disk)
            driver.say("Hello")
            driver.serve(from: &disk)
            if isReported {
                driver.grow("s_2", to: "Hi", at: 2)
                driver.hear(.replyFailed(.reply("s_2"), reason: "busy"))
            } else {
                driver.hear(.message(Device.reply("s_2", "Hi", at: 2)))
            }
            driver.serve(from: &disk)
            driver = .relaunched(&disk)
            driver.acknowledge()
            driver.serve(from: &disk)
            let answer = isReported ? "coach: Hi ! [retry]" : "coach: Hi"
            #expect(driver.said == ["Hello"] && !driver.isWaiting)
            #expect(driver.shows == ["me: Hello", answer])
            driver.ask("More", as: "s_3", at: 3, on: &disk)
            driver.grow("s_4", to: "Part", at: 4)
            driver.hear(.replyFailed(.reply("s_4"), reason: "busy"))
            #expect(driver.shows == ["me: Hello", answer, "me: More", "coach: Part ! [retry]"])
        }
    }

    @Test("C10, L6: the replayed echo of a sent retry goes to the row that has the first key on its page")
    func echoOfSentRetry() {
        let failed = Chat.SendStatus.failed(.unanswered(.missing))
        var disk = Self.disk([Self.hello("s_1", failed)], cursor: "s_1")
        disk[Device.outboxKey] = Self.outbox("c_2", wasSent: true)
        let driver = Device.relaunched(
            &disk, replaying: [Device.echo("s_2", "Hello", at: 2), Device.reply("s_3", "Hi", at: 3)])
        #expect(driver.shows == ["me: Hello", "coach: Hi"])
        #expect(driver.said.isEmpty && driver.queued.isEmpty && !driver.isWaiting)
    }

    @Test("C12, C21: a retry waits after a relaunch, also where its page still says that it failed")
    func retryAfterOldPage() {
        let failed = Chat.SendStatus.failed(.unanswered(.missing))
        var disk = Self.disk([Self.hello("s_1", failed)], cursor: "s_1")
        disk[Device.outboxKey] = Self.outbox("c_2", wasSent: false)
        let driver = Device.restored(&disk)
        #expect(driver.statuses == [.queued] && driver.queued == ["c_2"])
    }

    @Test("C10, C13: a message that is told again before its page is read can be deleted once that is read")
    func deletedLate() throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("Hello", as: "s_1", at: 1, on: &disk)
        driver.hear(.message(Device.reply("s_2", "fine", at: 2)))
        driver.serve(from: &disk)
        driver = Device.withSilentContents(&disk)
        driver.finishConnecting(replaying: [
            Device.echo("s_1", "Hello", at: 1), Device.reply("s_2", "fine", at: 2),
        ])
        driver.serve(from: &disk)
        try driver.delete("Hello")
        #expect(driver.texts == ["fine"])
    }

    @Test("C13: a message that was deleted in flight disappears as soon as its page is read")
    func deletedInFlight() throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("Hello")
        driver.serve(from: &disk)
        try driver.delete("Hello")
        driver.serve(from: &disk)
        #expect(driver.outbox(on: disk).count == 1)
        driver = Device.withSilentContents(&disk)
        #expect(driver.texts == ["Hello"])
        driver.serve(from: &disk)
        #expect(driver.texts.isEmpty && driver.queued.isEmpty)
    }

    @Test("C13, C5: what only the contents name as deleted is deleted on its page, and stored so")
    func deletionOfContentsAlone() {
        let messages = [Self.told("s_1", "secret", at: 1), Self.told("s_2", "Hi", at: 2)]
        var disk = Self.disk(messages, cursor: "s_2")
        disk[Device.contentsKey] = .contents(Contents(oldestPage: 0, newestPage: 0, hidden: ["s_1"]))
        #expect(Device.relaunched(&disk).texts == ["Hi"])
        disk[Device.contentsKey] = .contents(Contents(oldestPage: 0, newestPage: 0))
        #expect(Device.relaunched(&disk, seed: 3).texts == ["Hi"])
    }

    @Test("C5: a reset withdraws a stored reply also if the server has never named it")
    func unnamedReplyWithdrawn() {
        var disk = Self.disk([Self.told(nil, "Old", at: 0)])
        #expect(Device.restored(&disk).texts == ["Old"])
        #expect(Device.relaunched(&disk, isReset: true).texts.isEmpty)
    }

    @Test("C16, C5: an answered message without an echo stays above its reply in a replayed history")
    func answeredStaysAbove() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("Hello")
        driver.serve(from: &disk)
        driver.acknowledge()
        driver.hear(.message(Device.reply("s_2", "Hi", at: 2)))
        driver.serve(from: &disk)
        driver.loseAndReconnect(replaying: [Device.reply("s_2", "Hi", at: 2)], isReset: true)
        #expect(driver.shows == ["me: Hello", "coach: Hi"])
    }

    @Test("C5, C10: a reset during a full replay knows the messages of this device again")
    func resetOfFullReplay() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("Hello", as: "s_1", at: 1, on: &disk)
        driver.hear(.message(Device.reply("s_2", "Hi", at: 2)))
        driver.serve(from: &disk)
        driver.lose()
        driver.advance(by: .seconds(3))
        driver.hear(.opened)
        driver.hear(.cursorRefused)
        driver.hear(.opened)
        driver.hear(.authenticated(replayCount: 2, isTruncated: false, isReset: false))
        let history = [Device.echo("s_1", "Hello", at: 1), Device.reply("s_2", "Hi", at: 2)]
        driver.loseAndReconnect(replaying: history, isReset: true)
        #expect(driver.shows == ["me: Hello", "coach: Hi"] && driver.isDelivered("Hello"))
    }
}
