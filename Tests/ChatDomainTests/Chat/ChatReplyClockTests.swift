// The time of a reply that begins with a piece is the server's as soon as that tells it, and a message that a
// replay tells anew stands where that replay has it.

import ChatDomain
import Testing

@Suite("Chat: the times of replies and of copies")
struct ChatReplyClockTests {
    private typealias Device = Driver<Chat>

    @Test("C18, C16: typing is shown after a reply in pieces, also if this device's clock is fast")
    func typingAfterPieces() {
        var driver = Device.connected()
        let server = driver.context.wall - .seconds(300)
        driver.hear(.delta("s_1", "Hi"))
        driver.hear(
            .message(
                IncomingMessage(id: "s_1", role: .assistant, text: "Hi", time: server, isGrowing: false)))
        driver.hear(.typing(isActive: true, at: server))
        #expect(!Chat.isTyping(driver.state))
        driver.hear(.typing(isActive: true, at: server + .seconds(1)))
        #expect(Chat.isTyping(driver.state))
    }

    @Test("C16: a reply in pieces has the time of its whole message, and its place in the server's order")
    func placedByWhole() {
        var driver = Device.connected()
        driver.hear(.delta("s_2", "Two"))
        driver.hear(.message(Device.reply("s_2", "Two", at: 2)))
        driver.hear(.message(Device.echo("s_1", "One", at: 1, from: "phone")))
        #expect(driver.texts == ["One", "Two"])
        #expect(driver.rows.map { $0.time } == [Device.epoch + .seconds(1), Device.epoch + .seconds(2)])
    }

    @Test("C5, C16: a retried message stands where a replay after a reset tells the copy that was not known")
    func unknownCopyFirst() throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("Hello", as: "s_1", at: 1, on: &disk)
        driver.hear(.replyFailed(.question(driver.saidIDs[0]), reason: "busy"))
        try driver.retry(on: &disk)
        driver.acknowledge()
        driver.loseAndReconnect(
            replaying: [
                Device.reply("s_5", "Other", at: 5), Device.echo("s_10", "Hello", at: 10),
                Device.reply("s_11", "Hi", at: 11),
            ], isReset: true)
        #expect(driver.shows == ["coach: Other", "me: Hello", "coach: Hi"] && driver.isDelivered("Hello"))
        #expect(driver.rows[1].time == Device.epoch + .seconds(10))
    }
}
