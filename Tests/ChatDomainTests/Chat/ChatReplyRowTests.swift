// The rows of replies that fail, are told again, or are asked for once more, also after a relaunch.

import Testing

@testable import ChatDomain

@Suite("Chat: rows of replies, once more")
struct ChatReplyRowTests {
    private typealias Device = Driver<Chat>

    @Test("C12: a reply that is lost before its text and ends without any leaves one row that offers a retry")
    func lostAndEmpty() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("Hello", as: "s_1", at: 1, on: &disk)
        driver.grow("s_9", to: "")
        driver.loseAndReconnect(replaying: [Device.reply("s_9", "", at: 9)])
        #expect(driver.shows == ["me: Hello ! [retry]"] && !driver.isWaiting)
    }

    @Test("C18: a revised reply moves the time from which typing counts only forwards", arguments: [5, 9])
    func typingAfterRevision(second: Int64) {
        var driver = Device.connected()
        driver.hear(.message(Device.reply("s_1", "Hi", at: 14 - second)))
        driver.hear(.message(Device.reply("s_1", "Hi!", at: second)))
        driver.hear(.typing(isActive: true, at: Device.epoch + .seconds(7)))
        #expect(driver.texts == ["Hi!"] && !Chat.isTyping(driver.state))
        driver.hear(.typing(isActive: true, at: Device.epoch + .seconds(10)))
        #expect(Chat.isTyping(driver.state))
    }

    // MARK: On streams

    @Test(
        "S6, L6: a retry under a new id that only the outbox kept goes on under that id after a relaunch",
        arguments: [nil, "Part"] as [ExactText?])
    func newKeyKept(partial: ExactText?) {
        var disk = Disk<Chat>()
        var driver = Device.asking(&disk)
        driver.say("Hi")
        driver.serve(from: &disk)
        driver.reply(.began(nil))
        if let partial {
            driver.reply(.token(partial))
            driver.advance(by: .milliseconds(75))
        }
        driver.reply(.failed("busy"))
        driver.serve(from: &disk)
        driver.send(.retried(driver.rows[0].id))
        driver.serve(from: &disk) { if case .page = $0 { true } else { false } }
        let key = driver.questions.last?.key
        #expect(key != nil && driver.outbox(on: disk).map { $0.key } == [key])
        driver = .asking(&disk, seed: 2)
        #expect(driver.screen == ["user: Hi"] + (partial == nil ? [] : ["coach: Part"]))
        #expect(driver.rows.last?.offer == .retry)
        driver.send(.retried(driver.rows[0].id))
        driver.serve(from: &disk)
        #expect(driver.questions.map { $0.key } == [key])
    }

    @Test("S6: the old part of a reply is stored until the new reply ends, however much of that is in view")
    func oldPartStored() {
        var disk = Disk<Chat>()
        var driver = Device.asking(&disk)
        driver.say("Hi")
        driver.serve(from: &disk)
        driver.reply(.token("Part"))
        driver.advance(by: .milliseconds(75))
        driver.breakOff()
        driver.serve(from: &disk)
        driver.send(.retried(driver.rows[0].id))
        driver.serve(from: &disk)
        driver.reply(.token("New"))
        driver.advance(by: .milliseconds(75))
        driver.serve(from: &disk)
        #expect(driver.screen == ["user: Hi", "coach: New…"])
        driver = .asking(&disk, seed: 2)
        #expect(driver.screen == ["user: Hi", "coach: Part"] && driver.rows[1].offer == .retry)
    }

    @Test("S6, C15: a greeting that the server sent unasked does not make the first question a later one")
    func greeted() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.hear(.message(Device.reply("s_1", "Welcome", at: 1)))
        driver.serve(from: &disk)
        driver = .asking(&disk, seed: 2)
        driver.say("Hi")
        driver.serve(from: &disk)
        #expect(driver.screen == ["coach: Welcome", "user: Hi"])
        #expect(driver.questions.map { $0.purpose } == [.message(isFirst: true)])
    }

    @Test("S9: a question that is written at the very end of the server's wait is asked at once")
    func endOfWait() {
        var driver = Device.asking()
        driver.sayDurably("one")
        driver.breakOff(.refused(status: 429, retryAfter: .seconds(40), message: ""))
        driver.advance(by: .seconds(40) - .milliseconds(1))
        driver.sayDurably("two")
        #expect(driver.questions.isEmpty)
        driver.context.moment = driver.context.moment + .milliseconds(1)
        driver.sayDurably("three")
        #expect(driver.questions.map { $0.text } == ["two"])
    }

    @Test("C16: a reply that gets another id gives its former one back")
    func renamed() {
        var transcript = ChatTranscript(seed: 1, pageLength: 50)
        let rows = (["c_1", "c_2"] as [ClientID]).map { client in
            transcript.insert(
                Message(author: .assistant(to: client), body: .text(LongText("x")), time: Device.epoch))
        }
        transcript.name(rows[0], "m_1")
        transcript.name(rows[0], "m_2")
        transcript.name(rows[1], "m_1")
        #expect(transcript.ordinal(of: "m_2" as MessageID) == rows[0] && transcript[rows[1]]?.id == "m_1")
        #expect(transcript.answer(to: "c_1") == rows[0])
    }
}
