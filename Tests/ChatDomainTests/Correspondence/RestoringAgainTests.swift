// What a launch, an older page or a replayed history makes of questions that the disk holds: none is lost, sent twice or
// waited for in vain, and none takes the reply to another.

import Testing

@testable import ChatDomain

@Suite("Questions, restored")
struct RestoringAgainTests {
    private typealias Device = Driver<Chat>

    /// “Hello”, written here under the key c_1, or sent again under later ones.
    private static func hello(
        _ id: MessageID?, _ status: Chat.SendStatus, key: ClientID = "c_1", former: [Message.Former] = []
    ) -> Message {
        Message(
            id: id, author: .here(Message.Written(client: "c_1", key: key, status: status, former: former)),
            body: .text(LongText("Hello")), time: Device.epoch + .seconds(1), isPlaced: id != nil)
    }

    private static func told(
        _ id: MessageID, _ text: String, by author: Message.Author = .assistant(to: "c_1")
    ) -> Message {
        Message(
            id: id, author: author, body: .text(LongText(text)), time: Device.epoch + .seconds(2),
            isPlaced: true)
    }

    private static func entry(
        _ key: ClientID, of client: ClientID? = nil, _ text: ExactText, wasSent: Bool = false
    ) -> OutboxEntry {
        OutboxEntry(key: key, client: client, text: text, written: Device.epoch, wasSent: wasSent)
    }

    /// A disk with these pages of a conversation, and an outbox.
    private static func disk(
        _ pages: [[Message]], _ outbox: [OutboxEntry] = [], in conversation: ConversationID = .main
    ) -> Disk<Chat> {
        var disk = Disk<Chat>()
        let newest = Int64(pages.count) - 1
        disk[.contents("kay", conversation)] = .contents(Contents(oldestPage: 0, newestPage: newest))
        for (number, messages) in pages.enumerated() {
            let page = Page(messages: messages, cursor: messages.last?.id)
            disk[.page("kay", conversation, Int64(number))] = .page(page)
        }
        if !outbox.isEmpty { disk[.outbox("kay", conversation)] = .outbox(outbox) }
        return disk
    }

    // MARK: The outbox

    @Test("L5, L6: a message whose page says that its fate is unknown goes again, if the outbox has it")
    func unknownGoesAgain() {
        let unknown = Chat.SendStatus.failed(.unanswered(.unknown))
        var disk = Self.disk([[Self.hello(nil, unknown)]], [Self.entry("c_1", "Hello", wasSent: true)])
        var driver = Device.relaunched(&disk)
        #expect(driver.saidIDs == ["c_1"] && driver.shows == ["me: Hello"])
        driver.acknowledge()
        driver.hear(.message(Device.reply("s_2", "Hi", at: 2)))
        #expect(driver.shows == ["me: Hello", "coach: Hi"] && !driver.isWaiting)
    }

    @Test("C13, L5: a full outbox keeps an edit from before its message was known to be taken")
    func editInFullOutbox() {
        let others = (2...50).map { Self.entry(ClientID(ExactText("c_\($0)")), ExactText("\($0)")) }
        var disk = Self.disk(
            [[Self.hello("s_1", .delivered)]], [Self.entry("c_1", "Edited")] + others)
        let driver = Device.restored(&disk)
        #expect(driver.queued.count == 50 && driver.texts.first == "Hello" && driver.texts.last == "Edited")
        #expect(Device.restored(&disk, seed: 2).texts.last == "Edited")
    }

    @Test("C12: after a relaunch a late reply is to the question whose retry was not sent")
    func lateBeforeRetry() {
        let older = Message(
            id: "s_0", author: .here(Message.Written(client: "c_0", status: .failed(.noReply))),
            body: .text(LongText("Older")), time: Device.epoch, isPlaced: true)
        var disk = Self.disk(
            [[older, Self.hello("s_1", .accepted)]], [Self.entry("c_2", of: "c_1", "Hello")])
        let driver = Device.relaunched(&disk, replaying: [Device.reply("s_2", "Late", at: 2)])
        #expect(driver.shows == ["me: Older ! [retry]", "me: Hello", "coach: Late"])
        #expect(driver.said.isEmpty && driver.queued.isEmpty)
    }

    @Test("L4, C19: no deadline runs for the copy before a retry that the disk of a late conversation holds")
    func lateConversation() {
        var disk = Self.disk(
            [[Self.hello("s_1", .accepted)]], [Self.entry("c_2", of: "c_1", "Hello")], in: "work")
        var driver = Device.connected(&disk)
        driver.hear(.message(Device.reply("s_9", "News", at: 9, in: "work")))
        driver.serve(from: &disk)
        #expect(driver.said == ["Hello"])
        #expect(!driver.isRunning(.replyLimit(.written("c_1"), in: "work")))
        driver.hear(.acknowledged(driver.saidIDs[0]))
        #expect(driver.isRunning(.replyLimit(.written("c_2"), in: "work")))
    }

    @Test(
        "S10, C12: a stopped question mutes no reply from 120 s on, by a clock that went on or back",
        arguments: [(-120, false), (-119, true), (119, true), (120, false)] as [(Int64, Bool)])
    func mutedToTheSecond(seconds: Int64, isMuted: Bool) {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        let asked = driver.context.wall + .seconds(seconds)
        driver.say("One")
        driver.serve(from: &disk)
        driver.hear(
            .message(IncomingMessage(id: "s_1", role: .user, text: "One", time: asked, isGrowing: false)))
        driver.send(.waitingStopped)
        driver.serve(from: &disk)
        driver = .relaunched(&disk)
        driver.ask("Two", as: "s_3", at: 10, on: &disk)
        driver.hear(.message(Device.reply("s_4", "next", at: 11)))
        #expect(driver.texts.contains("next") == !isMuted)
    }

    // MARK: Older pages and replayed histories

    @Test("L6, C12: the echo of any key of a message that is stored stands once")
    func echoOfSecondKey() {
        let former = [Message.Former(key: "c_1", echo: "s_1"), Message.Former(key: "c_2")]
        let message = Self.hello("s_1", .delivered, key: "c_3", former: former)
        var disk = Self.disk([[message, Self.told("s_2", "Hi")]])
        var driver = Device.relaunched(&disk)
        driver.hear(.message(Device.echo("s_5", "Hello", client: "c_2", at: 5)))
        #expect(driver.shows == ["me: Hello", "coach: Hi"] && !driver.isWaiting)
    }

    @Test("C12, C21: a question that is told anew before its page is read awaits no reply of the page")
    func toldBeforeItsPage() {
        var disk = Self.disk([
            [Self.hello("s_1", .delivered), Self.told("s_2", "Hi")], [Self.told("s_3", "News", by: .system)],
        ])
        var driver = Device.restored(&disk)
        driver.send(.shown)
        driver.hear(.opened)
        driver.hear(.cursorRefused)
        driver.hear(.opened)
        driver.hear(.authenticated(replayCount: 2, isTruncated: false, isReset: false))
        driver.hear(.message(Device.echo("s_1", "Hello", at: 1)))
        driver.scrollUp(1, on: &disk)
        driver.hear(.message(Device.reply("s_2", "Hi", at: 2)))
        driver.serve(from: &disk)
        #expect(driver.shows == ["me: Hello", "coach: Hi", "coach: News"])
        #expect(!driver.state.conversation.awaitsReply)
        driver.ask("More", as: "s_4", at: 10, on: &disk)
        driver.hear(.message(Device.reply("s_5", "Yes", at: 11)))
        #expect(!driver.isWaiting && driver.isDelivered("More"))
    }

    @Test("C5, C12: after a reset, a question whose reply alone was in memory waits for no other")
    func replyAlone() {
        var disk = Self.disk([[Self.hello("s_1", .delivered)], [Self.told("s_2", "Hi")]])
        let log = [
            Device.echo("s_1", "Hello", client: "c_1", at: 1), Device.reply("s_2", "Hi", at: 2),
        ]
        var driver = Device.restored(&disk)
        #expect(driver.texts == ["Hi"])
        driver.send(.shown)
        driver.replay(log, isReset: true)
        #expect(driver.shows == ["me: Hello", "coach: Hi"] && !driver.isWaiting)
        driver.serve(from: &disk)
        driver.advance(by: .minutes(3))
        #expect(driver.shows == ["me: Hello", "coach: Hi"])
    }

    @Test("C10, C12: after a reset, the reply to one question of the other device ends no wait for another")
    func twoElsewhere() {
        let log = [
            Device.echo("s_1", "T", at: 1, from: "device-2"),
            Device.echo("s_2", "U", at: 2, from: "device-2"), Device.reply("s_3", "for T", at: 3),
        ]
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        for message in log { driver.hear(.message(message)) }
        driver.serve(from: &disk)
        driver = .relaunched(&disk, replaying: log, isReset: true)
        driver.ask("M", as: "s_4", at: 4, on: &disk)
        driver.hear(.message(Device.reply("s_5", "for U", at: 5)))
        #expect(driver.isWaiting)
        driver.hear(.message(Device.reply("s_6", "for M", at: 6)))
        #expect(!driver.isWaiting)
    }
}
