@testable import ChatDomain
import Testing

@Suite("Chat: typing and gaps")
struct ChatTypingTests {
    private typealias Device = Driver<Chat>

    @Test("C18: typing is shown until it ends, for 10 s at most")
    func incoming() {
        var driver = Device.connected()
        driver.hear(.typing(isActive: true, at: nil))
        driver.advance(by: .milliseconds(9_999))
        driver.hear(.typing(isActive: true, at: nil))
        driver.advance(by: .milliseconds(9_999))
        #expect(Chat.isTyping(driver.state))
        driver.advance(by: .milliseconds(1))
        #expect(!Chat.isTyping(driver.state))
        driver.hear(.typing(isActive: true, at: nil))
        driver.hear(.typing(isActive: false, at: nil))
        #expect(!Chat.isTyping(driver.state) && !driver.isRunning(.typing(.main)))
    }

    @Test("C18: a message, a stop, a disconnection and a reset of the history end it", arguments: 0..<7)
    func ended(how: Int) {
        var driver = Device.connected { if how == 6 { $0.growingLimit = 0 } }
        if how == 3 {
            driver = Device.connecting()
            driver.hear(.authenticated(replayCount: 1, isTruncated: false, isReset: false))
        }
        if how == 4 || how == 5 { driver.hear(.chunk("s1", index: 0, "x", isFinal: false)) }
        driver.hear(.typing(isActive: true, at: nil))
        #expect(driver.state.conversation.typing.isIncoming)
        switch how {
        case 0: driver.hear(.message(Device.reply("s1", "x")))
        case 1:
            driver.hear(.delta("s1", "x"))
            driver.advance(by: .milliseconds(75))
        case 2: driver.lose()
        case 4: driver.hear(.chunk("s1", index: 1, "y", isFinal: true))
        case 5: driver.send(.replyStopped(.received("s1")))
        case 6: driver.hear(.chunk("s1", index: 0, "x", isFinal: true))
        default: driver.send(.left)
        }
        #expect(!Chat.isTyping(driver.state) && !driver.isRunning(.typing(.main)))
    }

    @Test("C18: a typing notice older than the message shows nothing")
    func older() {
        var driver = Device.connected()
        driver.hear(.message(Device.reply("s1", "x", at: 5)))
        driver.hear(.typing(isActive: true, at: Device.epoch + .seconds(5)))
        #expect(!Chat.isTyping(driver.state))
        driver.hear(.typing(isActive: true, at: Device.epoch + .seconds(6)))
        #expect(Chat.isTyping(driver.state))
    }

    @Test("C18: a start in 3 s at the most while keys come, and one stop after 3 s without a key")
    func outgoing() {
        var driver = Device.connected()
        for number in 0..<20 {
            driver.send(.draftEdited(ExactText(String(repeating: "x", count: number + 1))))
            driver.advance(by: .milliseconds(500))
        }
        let starts = Array(repeating: Chat.Frame.typing(true), count: 4)
        #expect(driver.signals == starts)
        driver.advance(by: .milliseconds(2_499))
        #expect(driver.signals == starts)
        driver.advance(by: .milliseconds(1))
        #expect(driver.signals == starts + [.typing(false)])
        driver.advance(by: .seconds(10))
        #expect(driver.signals.count == 5)
    }

    @Test("C18: sending, clearing, leaving and the background stop it once", arguments: 0..<4)
    func stopped(how: Int) {
        var driver = Device.connected()
        driver.send(.draftEdited("x"))
        switch how {
        case 0: driver.send(.sent)
        case 1: driver.send(.draftEdited(""))
        case 2: driver.send(.left)
        default: driver.send(.backgrounded)
        }
        #expect(
            driver.signals == [.typing(true), .typing(false)] && !driver.isRunning(.typingStopped(.main)))
        driver.advance(by: .milliseconds(1_000))
        driver.send(.draftEdited("y"))
        #expect(driver.signals.count == 2)
        guard how < 2 else { return }
        driver.advance(by: .milliseconds(2_000))
        driver.send(.draftEdited("yz"))
        #expect(driver.signals == [.typing(true), .typing(false), .typing(true)])
    }

    @Test("C18: without a connection nothing is said, and a new one starts afresh")
    func disconnected() {
        var driver = Device.connected()
        driver.send(.draftEdited("x"))
        driver.lose()
        driver.send(.draftEdited("xy"))
        #expect(driver.signals == [.typing(true)] && !driver.isRunning(.typingStopped(.main)))
        driver.advance(by: .seconds(3))
        driver.reconnect()
        driver.send(.draftEdited(""))
        #expect(driver.signals == [.typing(true)])
        driver.send(.draftEdited("xyz"))
        #expect(driver.signals == [.typing(true), .typing(true)])
    }

    @Test("C5: a gap asks once until that is answered")
    func gap() {
        var driver = Device.connected()
        driver.hear(.message(Device.reply("s1", "x", at: 1)))
        driver.hear(.gap)
        driver.hear(.gap)
        #expect(driver.signals == [.refetch(cursors: [Chat.Cursor(conversation: .main, last: "s1")])])
        driver.hear(.message(Device.reply("s2", "y", at: 2)))
        driver.hear(.refetched)
        #expect(!driver.isRunning(.refetch))
        driver.hear(.gap)
        #expect(
            driver.signals == [
                .refetch(cursors: [Chat.Cursor(conversation: .main, last: "s1")]),
                .refetch(cursors: [Chat.Cursor(conversation: .main, last: "s2")]),
            ])
    }

    @Test("C5, L3: a refetch that nobody answers is forgotten after 30 s, and with its connection")
    func unansweredGap() {
        var driver = Device.connected()
        driver.hear(.gap)
        driver.advance(by: .milliseconds(29_999))
        driver.hear(.gap)
        #expect(driver.signals.count == 1)
        driver.advance(by: .milliseconds(1))
        driver.hear(.gap)
        #expect(driver.signals.count == 2)
        driver.lose()
        #expect(!driver.isRunning(.refetch))
        driver.reconnect()
        driver.hear(.gap)
        #expect(driver.signals.count == 3)
    }

    @Test("C5: a stored partial that the replay does not contain is dropped, one that it does is completed")
    func storedPartials() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.hear(.message(Device.reply("s1", "one", at: 1)))
        driver.hear(.delta("s2", "tw"))
        driver.hear(.delta("s3", "th"))
        driver.lose()
        driver.serve(from: &disk)
        #expect(driver.texts == ["one", "tw", "th"])
        var again = Device.restored(&disk)
        #expect(again.texts == ["one", "tw", "th"])
        again.send(.shown)
        again.finishConnecting(replaying: [Device.reply("s3", "three", at: 3)])
        again.serve(from: &disk)
        #expect(again.texts == ["one", "three"])
        #expect(Device.restored(&disk).texts == ["one", "three"])
    }

    @Test("S1, C18: typing shows until the first text of a reply also while another one grows")
    func besideGrowingReply() {
        var driver = Device.connected()
        driver.grow("r_1", to: "One", at: 1)
        #expect(!Chat.isTyping(driver.state))
        driver.hear(.message(Device.reply("r_2", "", at: 2, isGrowing: true)))
        #expect(Chat.isTyping(driver.state))
        driver.grow("r_2", to: "Two", at: 2)
        #expect(!Chat.isTyping(driver.state) && driver.texts == ["One", "Two"])
    }

    @Test("C18, L5: a text that is as it was is no key, and is not saved again")
    func sameText() {
        var driver = Device.connected()
        driver.send(.draftEdited("Hi"))
        driver.advance(by: .seconds(3))
        driver.save()
        let before = driver.state
        let effects = driver.send(.draftEdited("Hi"))
        #expect(effects.isEmpty && driver.state == before)
    }

    @Test("C18: a known reply that is told with another text ends typing, too")
    func endedByKnownReply() {
        var driver = Device.connected()
        driver.hear(.message(Device.reply("s1", "x", at: 1)))
        driver.hear(.typing(isActive: true, at: nil))
        driver.hear(.message(Device.reply("s1", "y", at: 1)))
        #expect(driver.texts == ["y"])
        #expect(!Chat.isTyping(driver.state) && !driver.isRunning(.typing(.main)))
    }

    @Test("C18: a message that is sent after the stop sends no other stop")
    func stoppedBefore() {
        var driver = Device.connected()
        driver.send(.draftEdited("x"))
        driver.advance(by: .seconds(3))
        #expect(driver.signals == [.typing(true), .typing(false)])
        driver.send(.sent)
        #expect(driver.signals == [.typing(true), .typing(false)])
    }
}
