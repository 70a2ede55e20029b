// Answers that come second or late: a reply that names an answered question, one to an earlier copy,
// and that of a refresh that was stopped.

import Testing

@testable import ChatDomain

@Suite("Chat: second and late answers")
struct ChatSecondAnswerTests {
    private typealias Device = Driver<Chat>

    /// A reply, or the beginning of one, that names its question.
    private func reply(
        _ id: MessageID, _ text: ExactText, to question: ClientID?, at second: Int64, isGrowing: Bool = false
    ) -> Chat.Event {
        .message(
            IncomingMessage(
                id: id, role: .assistant, text: text, time: Device.epoch + .seconds(second),
                isGrowing: isGrowing, question: question))
    }

    @Test("C11, C12: of two growing replies that name one question, an error of the question ends the first")
    func twoNamed() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("Hello", as: "s_1", at: 1, on: &disk)
        driver.hear(reply("s_8", "One", to: driver.saidIDs[0], at: 8, isGrowing: true))
        driver.hear(reply("s_9", "Two", to: driver.saidIDs[0], at: 9, isGrowing: true))
        driver.advance(by: .milliseconds(100))
        driver.hear(.replyFailed(.question(driver.saidIDs[0]), reason: "busy"))
        #expect(driver.shows == ["me: Hello", "coach: One ! [retry]", "coach: Two…"])
    }

    @Test("C12, C13: a failed retry says that no reply came, once the reply to the copy before it is deleted")
    func deletedReply() throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("Hello", as: "s_1", at: 1, on: &disk)
        driver.hear(.replyFailed(.question(driver.saidIDs[0]), reason: "busy"))
        try driver.retry(on: &disk)
        driver.hear(reply("s_9", "Late", to: driver.saidIDs[0], at: 9))
        driver.hear(.replyFailed(.question(driver.saidIDs[1]), reason: "busy"))
        #expect(driver.shows == ["me: Hello", "coach: Late"] && driver.isDelivered("Hello"))
        driver.send(.deleted(driver.rows[1].id))
        #expect(driver.shows == ["me: Hello ! [retry]"] && !driver.isDelivered("Hello"))
    }

    @Test("S9, L4: the late answer of a refresh that was stopped does not replace newer credentials")
    func stoppedRefresh() throws {
        var driver = Device.asking(Streaming.Configuration(canRefresh: true))
        driver.sayDurably("One")
        driver.breakOff(.refused(status: 401, retryAfter: nil, message: ""))
        let refresh = try #require(driver.stream())
        driver.stop()
        let newer = Account(user: "kay", secret: SecretHandle("newer"), device: "device-1")
        driver.send(.signedIn(newer))
        let late = Streaming.Access(secret: SecretHandle("late"), expires: nil)
        #expect(driver.send(.received(.streamed(.refreshed(late)), on: refresh)).isEmpty)
        #expect(driver.state.account == newer)
        driver.sayDurably("Two")
        guard case .ask(.stream(let question, let secret)) = driver.calls.last?.request else {
            return #expect(Bool(false))
        }
        #expect(question.text == "Two" && secret == newer.secret)
    }
}
