// The screen with two of a kind: two held messages, two replies, two devices, two looks at one row.

import Testing

@testable import ChatDomain

@Suite("Chat: the screen, of two")
struct ChatScreenTests {
    private typealias Device = Driver<Chat>

    @Test("C10, C15: a question of the person's other device does not make this one show that it sends")
    func askedElsewhere() {
        var driver = Device.connected()
        driver.hear(.message(Device.echo("s_1", "Hi", at: 1, from: "desktop")))
        #expect(driver.state.conversation.awaitsReply && driver.texts == ["Hi"])
        #expect(!Chat.isSending(driver.state) && !Chat.isTyping(driver.state))
    }

    @Test("C8: of two old retries only the first asks for consent; the second waits for its turn")
    func twoOldRetries() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        for text in ["A", "B"] as [ExactText] { driver.sayRefused(text, &disk) }
        driver.send(.networkChanged(isUp: false))
        driver.lose(.failed(.offline))
        for row in driver.rows { driver.send(.retried(row.id)) }
        driver.serve(from: &disk)
        driver.advance(by: .hours(13))
        driver.send(.networkChanged(isUp: true))
        driver.reconnect()
        driver.serve(from: &disk)
        #expect(driver.texts == ["A", "B"] && driver.rows.map { $0.offer } == [.consent, .edit])
        #expect(driver.notes == [Wording.neutral.heldMessage, nil])
    }

    @Test("L1, C12, R3: kept rows take back the retry of a broken reply when its question is deleted")
    func keptOffer() throws {
        var driver = Device.broken()
        var kept = Chat.Rows()
        kept.update(driver.state, newest: 20, .neutral)
        #expect(kept.map { $0.offer } == [.edit, .retry])
        try driver.delete("Hello")
        kept.update(driver.state, newest: 20, .neutral)
        #expect(kept.map { $0.offer } == [.nothing] && driver.rows.map { $0.offer } == [.nothing])
        // A tap that comes late.
        let before = driver.state
        #expect(driver.send(.retried(driver.rows[0].id)).isEmpty && driver.state == before)
    }

    @Test("S17: while a second reply grows, a screen reader does not say the one before it again")
    func secondGrows() {
        var driver = Device.connected()
        driver.hear(.message(Device.reply("s_1", "One", at: 1)))
        #expect(Chat.announcement(driver.state, .neutral)?.string == "One")
        driver.grow("s_2", to: "Tw", at: 2)
        #expect(driver.shows == ["coach: One", "coach: Tw…"])
        #expect(Chat.announcement(driver.state, .neutral) == nil)
        driver.hear(.message(Device.reply("s_2", "Two", at: 2)))
        #expect(Chat.announcement(driver.state, .neutral)?.string == "Two")
    }

    @Test("R3, L5: rows that are kept over a reset show a retry whose row the reset has withdrawn")
    func keptRows() throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("Hello", as: "s_1", at: 1, on: &disk)
        driver.hear(.replyFailed(.question(driver.saidIDs[0]), reason: "busy"))
        driver.lose()
        try driver.retry(on: &disk)
        while driver.calls.isEmpty, let next = driver.remaining(.reconnect) { driver.advance(by: next) }
        driver.hear(.opened)
        var rows = Chat.Rows()
        rows.update(driver.state, newest: 100, .neutral)
        driver.hear(.authenticated(replayCount: 2, isTruncated: false, isReset: true))
        driver.hear(.message(Device.reply("x_1", "Other", at: 1)))
        rows.update(driver.state, newest: 100, .neutral)
        #expect(rows.map { $0.text.string } == ["Other", "Hello"])
    }
}
