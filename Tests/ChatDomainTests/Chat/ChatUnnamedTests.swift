// What names no conversation (C19): the one that a reply, a message or typing of such a server belongs to.

import ChatDomain
import Testing

private typealias Device = Driver<Chat>

extension Device {
    /// A piece of a reply of a server that names no conversation; each piece comes with its beginning.
    fileprivate mutating func hearUnnamed(
        _ id: MessageID, _ text: ExactText, index: Int64 = 0, isFinal: Bool = true
    ) {
        hear(.began(id, in: nil))
        hear(.chunk(id, index: index, text, isFinal: isFinal))
    }
}

@Suite("Chat: what names no conversation")
struct ChatUnnamedTests {
    /// A device that looks at the main conversation, while a question waits in another.
    private func waitingInWork(_ text: ExactText = "Hi") -> (Device, work: ConversationID) {
        var driver = Device.connected()
        let work = driver.create("Work")
        driver.sayDurably(text)
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.send(.conversationSwitched(to: .main))
        return (driver, work)
    }

    /// The same with a later question in the main conversation.
    private func waitingInBoth() -> (Device, work: ConversationID) {
        var (driver, work) = waitingInWork("first")
        driver.advance(by: .seconds(1))
        driver.sayDurably("second")
        driver.hear(.acknowledged(driver.saidIDs[1]))
        return (driver, work)
    }

    @Test("C19, S15: a reply without a named conversation grows where one is awaited, else in the main one")
    func unnamed() {
        for home in 0..<3 {
            var driver = Device.connected()
            let ids = [.main, driver.create("Work"), .main]
            driver.send(.conversationSwitched(to: ids[home]))
            driver.sayDurably("Hi")
            if home < 2 { driver.hear(.acknowledged(driver.saidIDs[0])) }
            driver.send(.conversationSwitched(to: home == 0 ? ids[1] : .main))
            for (index, text) in ["Hel", "lo"].enumerated() {
                driver.hearUnnamed("m-9", ExactText(text), index: Int64(index), isFinal: index == 1)
            }
            #expect(driver.texts == (home == 2 ? ["Hi", "Hello"] : []))
            driver.send(.conversationSwitched(to: ids[home]))
            #expect(driver.texts == ["Hi", "Hello"] && driver.stuckSpinner == nil)
        }
    }

    @Test("C19, C12: a reply that names its question and no conversation is where that question is")
    func namedQuestion() {
        var (driver, work) = waitingInBoth()
        driver.hear(
            .message(
                IncomingMessage(
                    id: "m-1", conversation: nil, role: .assistant, text: "one",
                    time: Device.epoch + .seconds(2), isGrowing: false, question: driver.saidIDs[0])))
        #expect(driver.texts == ["second"])
        driver.send(.conversationSwitched(to: work))
        #expect(driver.texts == ["first", "one"])
    }

    @Test(
        "C19, C12: a reply without a named conversation begins where its question is overdue or not acknowledged",
        arguments: [false, true])
    func unnamedToLate(isOverdue: Bool) {
        var driver = Device.connected()
        let work = driver.create("Work")
        driver.sayDurably("Hi")
        if isOverdue {
            driver.hear(.acknowledged(driver.saidIDs[0]))
            driver.advance(by: .seconds(121))
        }
        driver.send(.conversationSwitched(to: .main))
        driver.hearUnnamed("m-9", "Hello")
        #expect(driver.texts == [])
        driver.send(.conversationSwitched(to: work))
        #expect(driver.texts == ["Hi", "Hello"])
    }

    @Test("C19, C12: a reply without a named conversation begins where it is awaited, also during a replay")
    func unnamedInReplay() {
        var driver = Device.connected()
        let work = driver.create("Work")
        driver.sayDurably("Hi")
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.hear(
            .message(
                IncomingMessage(
                    id: "m-1", conversation: work, client: driver.saidIDs[0], role: .user, text: "Hi",
                    time: Device.epoch, isGrowing: false)))
        driver.send(.conversationSwitched(to: .main))
        driver.save()
        driver.lose()
        while driver.calls.isEmpty, let next = driver.remaining(.reconnect) { driver.advance(by: next) }
        driver.hear(.opened)
        driver.hear(.authenticated(replayCount: 1, isTruncated: false, isReset: false))
        driver.hearUnnamed("m-9", "Hello")
        #expect(driver.texts == [])
        driver.send(.conversationSwitched(to: work))
        #expect(driver.texts.sorted() == ["Hello", "Hi"])
    }

    @Test(
        "C16, S15: a whole message without a named conversation is the reply where that began, however far it came",
        arguments: [("Hello", true), ("Hel", false), ("", false)] as [(ExactText, Bool)])
    func unnamedWhole(piece: ExactText, isFinal: Bool) {
        var (driver, work) = waitingInWork()
        driver.hearUnnamed("m-9", piece, isFinal: isFinal)
        driver.advance(by: .seconds(31))
        driver.hear(.message(Device.reply("m-9", "Hello", at: 1, in: nil)))
        driver.hear(.message(Device.reply("m-10", "Unasked", at: 2, in: nil)))
        #expect(driver.texts == ["Unasked"])
        driver.send(.conversationSwitched(to: work))
        #expect(driver.texts == ["Hi", "Hello"])
    }

    @Test("C10, C19: an echo without a named conversation is of the message in whatever conversation")
    func unnamedEcho() {
        var driver = Device.connected()
        let work = driver.create("Work")
        driver.sayDurably("Hi")
        driver.send(.conversationSwitched(to: .main))
        let id = driver.saidIDs[0]
        driver.hear(
            .message(
                IncomingMessage(
                    id: MessageID(id.text), conversation: nil, client: id, role: .user, text: "Hi",
                    time: Device.epoch, isGrowing: false)))
        #expect(driver.texts == [])
        driver.send(.conversationSwitched(to: work))
        #expect(driver.texts == ["Hi"] && driver.statuses == [.delivered])
    }

    @Test(
        "C18, C19: typing in no named conversation shows where a reply grows or is awaited, else in the main one"
    )
    func unnamedTyping() {
        var driver = Device.connected()
        let typing = Chat.Event.typing(isActive: true, at: nil, in: nil)
        driver.hear(typing)
        #expect(Chat.isTyping(driver.state))
        driver.create("Work")
        driver.hear(.typing(isActive: false, at: nil, in: nil))
        driver.sayDurably("Hi")
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.send(.conversationSwitched(to: .main))
        driver.hear(typing)
        #expect(driver.listed.map { $0.isTyping } == [false, true])
        driver.hearUnnamed("m-9", "Hel", isFinal: false)
        driver.advance(by: .milliseconds(75))
        #expect(driver.listed.map { $0.isTyping } == [false, false])
        driver.hear(typing)
        #expect(driver.listed.map { $0.isTyping } == [false, true])
        driver.hear(.typing(isActive: false, at: nil, in: nil))
        #expect(driver.listed.map { $0.isTyping } == [false, false])
        driver.hear(.message(Device.reply("m-9", "Hello", at: 2, in: nil)))
        driver.hear(.typing(isActive: true, at: Device.epoch + .seconds(1), in: nil))
        #expect(driver.listed.map { $0.isTyping } == [false, false])
    }

    @Test("C18, C19: the end of typing in no named conversation ends it wherever it is shown")
    func unnamedTypingEnds() {
        var driver = Device.connected()
        driver.hear(.typing(isActive: true, at: nil, in: nil))
        driver.create("Work")
        driver.sayDurably("Hi")
        driver.hear(.acknowledged(driver.saidIDs[0]))
        #expect(driver.listed.map { $0.isTyping }.first == true)
        driver.hear(.typing(isActive: false, at: nil, in: nil))
        #expect(driver.listed.map { $0.isTyping }.first == false)
    }

    @Test("C19: of two conversations that wait, a reply that names none is of that which has waited longer")
    func unnamedInOrder() {
        var (driver, work) = waitingInBoth()
        for (id, text) in [("m-8", "to the first"), ("m-9", "to the second")] as [(MessageID, ExactText)] {
            driver.hearUnnamed(id, text)
        }
        #expect(driver.texts == ["second", "to the second"])
        driver.send(.conversationSwitched(to: work))
        #expect(driver.texts == ["first", "to the first"])
    }

    @Test("C19, C12: during a replay too, a reply that names none is of that which has waited longer")
    func unnamedInOrderInReplay() {
        var (driver, work) = waitingInBoth()
        driver.lose()
        driver.advance(by: .seconds(2))
        driver.hear(.opened)
        driver.hear(.authenticated(replayCount: 3, isTruncated: false, isReset: false))
        let told = [("first", work), ("second", .main)] as [(ExactText, ConversationID)]
        for ((text, home), id) in zip(told, driver.saidIDs) {
            driver.hear(
                .message(
                    IncomingMessage(
                        id: MessageID(id.text), conversation: home, client: id, role: .user, text: text,
                        time: Device.epoch, isGrowing: false)))
        }
        driver.hearUnnamed("m-8", "to the first")
        #expect(driver.texts == ["second"])
        driver.send(.conversationSwitched(to: work))
        #expect(driver.texts == ["first", "to the first"])
    }

    @Test("C19, S15: later pieces of a reply whose beginning was missed fail no question elsewhere")
    func missedBeginning() {
        var (driver, work) = waitingInBoth()
        for index: Int64 in 3...4 {
            driver.hearUnnamed("m", "piece", index: index, isFinal: false)
            driver.advance(by: .seconds(5))
        }
        #expect(driver.shows == ["me: second"] && driver.isWaiting)
        driver.send(.conversationSwitched(to: work))
        #expect(driver.shows == ["me: first ! [retry]"] && !driver.isWaiting)
    }
}
