// Questions that the person has stopped, or that another device has asked: they keep their own turn, and take no
// reply from the questions beside them.

import Testing

@testable import ChatDomain

@Suite("Questions, stopped or of another device")
struct StoppedQuestionTests {
    private typealias Device = Driver<Chat>

    /// “Hello”, written here under the key c_1.
    private static func hello(
        _ id: MessageID, _ status: Chat.SendStatus, isReplyUnwanted: Bool = false
    ) -> Message {
        let written = Message.Written(client: "c_1", status: status, isReplyUnwanted: isReplyUnwanted)
        return told(id, "Hello", by: .here(written), at: 1)
    }

    private static func told(
        _ id: MessageID, _ text: String, by author: Message.Author, at second: Int64
    ) -> Message {
        Message(
            id: id, author: author, body: .text(LongText(text)), time: Device.epoch + .seconds(second),
            isPlaced: true)
    }

    /// A disk with these pages of the conversation.
    private static func disk(_ pages: [[Message]]) -> Disk<Chat> {
        var disk = Disk<Chat>()
        disk[Device.contentsKey] = .contents(Contents(oldestPage: 0, newestPage: Int64(pages.count) - 1))
        for (number, messages) in pages.enumerated() {
            let page = Page(messages: messages, cursor: messages.last?.id)
            disk[Device.pageKey(Int64(number))] = .page(page)
        }
        return disk
    }

    @Test("C12, S10: the muted reply to a stopped question does not count for a later question without one")
    func mutedStays() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("One", as: "s_1", at: 1, on: &disk)
        driver.send(.waitingStopped)
        driver.ask("Two", as: "s_2", at: 2, on: &disk)
        driver.hear(.message(Device.reply("s_3", "one", at: 3)))
        driver.advance(by: .seconds(120))
        #expect(driver.shows == ["me: One", "me: Two ! [retry]"] && !driver.isWaiting)
    }

    @Test("C12, S10, C21: a stopped question on an older page does not say that its answer is missing")
    func stoppedOnOlderPage() {
        for isStopped in [false, true] {
            var disk = Self.disk([
                [Self.hello("s_1", .accepted, isReplyUnwanted: isStopped)],
                [Self.told("s_2", "News", by: .system, at: 2)],
            ])
            var driver = Device.relaunched(&disk)
            driver.scrollUp(1, on: &disk)
            #expect(driver.shows == ["me: Hello" + (isStopped ? "" : " ! [retry]"), "coach: News"])
        }
    }

    @Test("C12, S10: the reply to a retry of a stopped question is shown, if the outbox alone has the retry")
    func retryIsWanted() {
        var disk = Self.disk([[Self.hello("s_1", .failed(.noReply), isReplyUnwanted: true)]])
        disk[Device.outboxKey] = .outbox([
            OutboxEntry(key: "c_2", client: "c_1", text: "Hello", written: Device.epoch, wasSent: false)
        ])
        var driver = Device.relaunched(&disk)
        #expect(driver.saidIDs == ["c_2"])
        driver.acknowledge()
        driver.hear(.message(Device.reply("s_2", "Hi", at: 2)))
        #expect(driver.shows == ["me: Hello", "coach: Hi"])
    }

    @Test("C5, C10, C12: after a reset, a reply that is told again ends no wait for that to another device")
    func ownReplyToldAgain() {
        var disk = Self.disk([
            [Self.told("s_0", "T", by: .elsewhere("device-2"), at: 0)],
            [Self.hello("s_1", .delivered), Self.told("s_2", "Hi", by: .assistant(to: "c_1"), at: 2)],
        ])
        let log = [
            Device.echo("s_0", "T", at: 0, from: "device-2"),
            Device.echo("s_1", "Hello", client: "c_1", at: 1), Device.reply("s_2", "Hi", at: 2),
        ]
        var driver = Device.relaunched(&disk, replaying: log, isReset: true)
        driver.ask("More", as: "s_3", at: 3, on: &disk)
        driver.hear(.message(Device.reply("s_4", "for T", at: 4)))
        #expect(driver.isWaiting)
        driver.hear(.message(Device.reply("s_5", "for More", at: 5)))
        #expect(!driver.isWaiting)
    }
}
