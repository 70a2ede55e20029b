// What is known already and comes again: a message under an earlier id, an edited reply, a key of an earlier copy, a
// deleted message; and stored rows that cannot be read, or that no question may take along.

import Testing

@testable import ChatDomain

@Suite("Chat: what is known and comes again")
struct ChatKnownAgainTests {
    private typealias Device = Driver<Chat>

    @Test("C5: an older reply that the server edits does not take the cursor back")
    func editedReply() {
        var driver = Device.connected()
        driver.hear(.message(Device.reply("s_1", "one", at: 1)))
        driver.hear(.message(Device.reply("s_2", "two", at: 2)))
        driver.hear(
            .message(
                IncomingMessage(
                    id: "s_1", role: .assistant, text: "One", time: Device.epoch + .seconds(1),
                    isGrowing: false, flags: ["kept"])))
        #expect(driver.texts == ["One", "two"])
        driver.loseAndReconnect()
        #expect(driver.cursor == "s_2")
    }

    @Test("C5, C10: an earlier copy of the newest message, told again, does not take the cursor back")
    func earlierCopy() throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("Hello", as: "s_1", at: 1, on: &disk)
        driver.advance(by: .seconds(120))
        try driver.retry(on: &disk)
        driver.acknowledge()
        driver.hear(.message(Device.echo("s_5", "Hello", at: 200)))
        driver.say("Next")
        driver.serve(from: &disk)
        #expect(driver.said == ["Hello", "Hello", "Next"])
        driver.hear(.message(Device.echo("s_1", "Hello", at: 1)))
        driver.loseAndReconnect()
        #expect(driver.cursor == "s_5" && driver.texts == ["Hello", "Next"])
    }

    @Test("C12, C13: a deleted message that the server has after all takes no reply of the next")
    func deletedInFlight() throws {
        var driver = Device.connected()
        driver.sayDurably("Hello")
        let key = driver.saidIDs[0]
        driver.hear(.message(Device.reply("s_9", "A reply to something else", at: 9)))
        try driver.delete("Hello")
        driver.lose()
        driver.reconnect()
        #expect(driver.queued.isEmpty && driver.said == ["Hello"])
        driver.hear(.message(Device.echo("s_10", "Hello", client: key, at: 10)))
        #expect(driver.awaitedReplies == [key] && driver.texts == ["A reply to something else"])
        driver.sayDurably("Next")
        driver.hear(.acknowledged(driver.saidIDs[1]))
        driver.hear(.message(Device.reply("s_11", "To the deleted one", at: 11)))
        #expect(driver.awaitedReplies == [driver.saidIDs[1]])
    }

    @Test("C21, R5: an older page that cannot be read is told, and is read when it is asked for again")
    func unreadablePage() {
        var disk = Disk<Chat>()
        var driver = Device.onPagesOfTwo(&disk)
        driver.send(.olderRequested)
        driver.serve(from: &disk, failing: { _ in true })
        #expect(driver.state.conversation.banner == .notRestored(.unreadable) && driver.texts == ["5"])
        driver.send(.olderRequested)
        driver.serve(from: &disk)
        #expect(driver.texts == ["3", "4", "5"])
    }

    // MARK: On streams

    /// A disk with these rows on one page.
    private static func disk(_ messages: [Message]) -> Disk<Chat> {
        var disk = Disk<Chat>()
        disk[Device.contentsKey] = .contents(Contents(oldestPage: 0, newestPage: 0))
        disk[Device.pageKey(0)] = .page(Page(messages: messages, cursor: nil))
        return disk
    }

    private static func question(
        _ text: String, key: ClientID? = nil, _ status: Chat.SendStatus, former: [Message.Former] = []
    ) -> Message {
        let written = Message.Written(client: "c_1", key: key, status: status, former: former)
        return Message(author: .here(written), body: .text(LongText(ExactText(text))), time: Device.epoch)
    }

    @Test("S6, L6: an outbox older than the transcript does not give a question its former key back")
    func formerKey() throws {
        let ending = ReplyEnding(.endedEarly, needsNewKey: false)
        var disk = Self.disk([
            Self.question(
                "Hi", key: "c_2", .failed(.unanswered(ending)), former: [Message.Former(key: "c_1")])
        ])
        disk[Device.outboxKey] = .outbox([
            OutboxEntry(key: "c_1", text: "Hi", written: Device.epoch, wasSent: true)
        ])
        var driver = Device.asking(&disk)
        try driver.retry(on: &disk)
        #expect(driver.questions.map { $0.key } == ["c_2"] && driver.texts == ["Hi"])
    }

    @Test("C8: a question takes along what was said before it, and no notice of the server")
    func noNotice() {
        var disk = Self.disk([
            Self.question("Hi", .delivered),
            Message(author: .assistant(to: "c_1"), body: .text(LongText("Hello")), time: Device.epoch),
            Message(author: .system, body: .text(LongText("A notice")), time: Device.epoch),
        ])
        var driver = Device.asking(&disk)
        #expect(driver.texts == ["Hi", "Hello", "A notice"])
        driver.say("Next")
        driver.serve(from: &disk)
        #expect(driver.questions.first?.earlier.map { $0.text } == ["Hi", "Hello"])
    }
}
