@testable import ChatDomain
import Testing

@Suite("Chat: sending")
struct ChatSendingTests {
    private typealias Device = Driver<Chat>

    @Test("C7: a message is trimmed, shown at once, and saved before it goes on the wire")
    func saveBeforeWire() {
        var driver = Device.connected()
        driver.say("  hello \n")
        #expect(driver.texts == ["hello"] && driver.draft == "" && driver.said.isEmpty)
        driver.answerOutbox(with: .saved)
        #expect(driver.said == ["hello"])
    }

    @Test("C7: nothing but white space sends nothing")
    func empty() {
        var driver = Device.connected()
        driver.send(.draftEdited(" \n\t "))
        #expect(driver.send(.sent).isEmpty && driver.rows.isEmpty)
    }

    @Test("C7: on a full disk a message goes all the same when connected, and says so")
    func fullDiskConnected() {
        var driver = Device.connected()
        driver.say("hello")
        driver.answerOutbox(with: .failed(.full))
        #expect(driver.said == ["hello"] && driver.texts == ["hello"] && driver.draft == "")
        #expect(driver.state.conversation.banner == .notSaved(.full))
    }

    @Test("C7, C8: what cannot be saved goes back to the composer in the order written")
    func backInOrder() {
        var driver = Device.connected()
        driver.lose()
        driver.say("A")
        driver.say("B")
        driver.answerOutbox(with: .failed(.full))
        driver.answerOutbox(with: .failed(.full))
        #expect(driver.draft == "A\nB" && driver.rows.isEmpty)
        driver.reconnect()
        driver.save()
        #expect(driver.said.isEmpty && driver.draft == "A\nB")
    }

    @Test("C7: on a full disk a message goes back to the composer when not connected")
    func fullDiskDisconnected() {
        var driver = Device.connecting()
        driver.say("hello")
        driver.send(.draftEdited("more"))
        driver.answerOutbox(with: .failed(.full))
        #expect(driver.draft == "hello\nmore" && driver.rows.isEmpty)
    }

    @Test("C7: an outbox that cannot be read gives the text back at once")
    func unreadableOutbox() {
        var driver = Device.fresh()
        driver.send(.signedIn(Device.account))
        driver.answerOutbox(with: .failed(.newer(version: 9)))
        driver.save()
        driver.say("hello")
        #expect(driver.draft == "hello")
        #expect(!driver.storage.contains { $0.key == Device.outboxKey })
    }

    @Test("C7, L3: silent storage holds a message up for 5 s and no longer")
    func silentStorage() {
        var driver = Device.connected()
        driver.say("hello")
        driver.advance(by: .milliseconds(4_999))
        #expect(driver.said.isEmpty)
        driver.advance(by: .milliseconds(1))
        #expect(driver.said == ["hello"])
    }

    @Test("C8: first in, first out, one unacknowledged, and no more than 5 a second")
    func order() throws {
        var driver = Device.connected()
        for number in 0..<8 { driver.sayDurably(ExactText("\(number)")) }
        #expect(driver.said == ["0"])
        for _ in 0..<8 {
            driver.hear(.acknowledged(try #require(driver.saidIDs.last)))
            driver.save()
        }
        #expect(driver.said.count == 5)
        driver.advance(by: .milliseconds(999))
        #expect(driver.said.count == 5)
        driver.advance(by: .milliseconds(1))
        #expect(driver.said == ["0", "1", "2", "3", "4", "5"])
    }

    @Test("C8: a message that the server will never take is parked, and the rest goes")
    func rejected() {
        var driver = Device.connected()
        driver.sayDurably("bad")
        driver.sayDurably("good")
        driver.hear(.rejected(driver.saidIDs[0], reason: "too large"))
        driver.save()
        #expect(driver.said == ["bad", "good"])
        #expect(driver.statuses.first == .failed(.rejected("too large")))
        driver.lose()
        driver.reconnect()
        #expect(driver.said == ["bad", "good", "good"])
    }

    @Test("L5: a message that left stays in the outbox's record until the transcript has it")
    func leftIsStored() {
        for isRefused in [true, false] {
            var disk = Disk<Chat>()
            var driver = Device.connected(&disk)
            driver.say("ok")
            // The row is not stored before the answer.
            driver.serve(from: &disk, but: { $0 == Device.contentsKey || $0 == Device.pageKey(0) })
            let key = driver.saidIDs[0]
            driver.hear(isRefused ? .rejected(key, reason: "no") : .acknowledged(key))
            driver.serve(from: &disk) { disk, _ in
                var left = disk
                #expect(Device.restored(&left).texts == ["ok"])
            }
            #expect(disk[Device.outboxKey] == .outbox([]))
        }
    }

    @Test("L5: a refusal of what was never sent changes nothing")
    func refusedUnsent() throws {
        var driver = Device.connected()
        driver.say("hello")
        let client = try #require(driver.state.conversation.outbox.entries.first?.key)
        driver.hear(.rejected(client, reason: "no"))
        driver.save()
        #expect(driver.said == ["hello"])
    }

    @Test("C9: after the replay what was not acknowledged is sent again, under its id, once")
    func resend() {
        var driver = Device.connected()
        driver.sayDurably("hello")
        driver.lose()
        #expect(driver.statuses == [.queued])
        while driver.calls.isEmpty { driver.advance(by: .milliseconds(500)) }
        driver.hear(.opened)
        driver.hear(.authenticated(replayCount: 1, isTruncated: false, isReset: false))
        #expect(driver.said == ["hello"])
        driver.hear(.message(Device.reply("s1", "x")))
        #expect(driver.said == ["hello", "hello"] && driver.saidIDs[0] == driver.saidIDs[1])
    }

    @Test("C9: an echo in the replay spares the second copy")
    func echoInReplay() {
        var driver = Device.connected()
        driver.sayDurably("hello")
        driver.lose()
        driver.reconnect(replaying: [Device.echo("m1", "hello")])
        #expect(driver.said == ["hello"] && driver.texts == ["hello"] && driver.statuses == [.delivered])
    }

    @Test("C10: a live echo is that of the message in flight, also if the time of the server has run back")
    func timeRunsBack() {
        var driver = Device.connected()
        driver.hear(.message(Device.reply("s1", "one", at: 20)))
        driver.sayDurably("a")
        driver.hear(.message(Device.echo("m1", "a", at: 10)))
        #expect(driver.texts == ["a", "one"] && driver.statuses == [.delivered, nil])
    }

    @Test("C9: without acknowledgement a message is slow after 5 s and the connection lost after 35 s")
    func slow() {
        var driver = Device.connected()
        driver.sayDurably("hello")
        driver.advance(by: .milliseconds(4_999))
        #expect(driver.statuses == [.sending])
        driver.advance(by: .milliseconds(1))
        #expect(driver.statuses == [.slow])
        driver.advance(by: .milliseconds(29_999))
        #expect(driver.isConnected)
        driver.advance(by: .milliseconds(1))
        #expect(driver.isReconnecting && driver.said == ["hello"])
    }

    @Test("C9: a missing acknowledgement is no lost connection while an earlier question is unanswered")
    func oneAtATime() {
        var driver = Device.connected { $0.replyLimit = .seconds(300) }
        driver.sayDurably("one")
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.sayDurably("two")
        driver.advance(by: .seconds(5))
        #expect(driver.statuses == [.accepted, .slow])
        driver.advance(by: .seconds(290))
        #expect(driver.isConnected && driver.statuses == [.accepted, .slow])
        driver.hear(.message(Device.reply("m1", "half", isGrowing: true)))
        driver.advance(by: .seconds(20))
        driver.hear(.message(Device.reply("m1", "half an", isGrowing: true)))
        #expect(driver.isConnected)
        driver.hear(.message(Device.reply("m1", "half an answer")))
        driver.advance(by: .seconds(30))
        #expect(driver.isConnected && driver.said == ["one", "two"])
        driver.advance(by: .seconds(4))
        #expect(driver.isConnected, "the whole time begins anew")
        driver.advance(by: .seconds(1))
        #expect(driver.isReconnecting)
    }

    @Test("C9, L3: a server that never answers is given up when the question's own time is over")
    func neverAnswered() {
        var driver = Device.connected()
        driver.sayDurably("one")
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.sayDurably("two")
        driver.advance(by: .seconds(119))
        #expect(driver.isConnected)
        driver.advance(by: .seconds(6 + 30))
        #expect(!driver.isConnected)
    }

    @Test("C10: acknowledgement, echo and reply may come in any order, twice or never", arguments: 0..<27)
    func threeFacts(number: Int) {
        var driver = Device.connected()
        driver.sayDurably("hello")
        let client = driver.saidIDs[0]
        let facts: [Chat.Event] = [
            .acknowledged(client), .message(Device.echo("m1", "hello", at: 1)),
            .message(Device.reply("s1", "hi", at: 2)),
        ]
        let order = [number / 9, number / 3 % 3, number % 3]
        for index in order { driver.hear(facts[index]) }
        driver.save()
        #expect(driver.rows.filter { $0.role == .user }.count == 1)
        driver.advance(by: .seconds(200))
        let (isAcknowledged, isAnswered) = (Set(order) != [2], order.contains(2))
        if isAcknowledged, isAnswered {
            #expect(driver.rows.first?.status == .delivered)
        } else if isAcknowledged {
            #expect(driver.rows.first?.status == .failed(.noReply))
        }
        if order.contains(1), isAnswered { #expect(driver.texts == ["hello", "hi"]) }
    }

    @Test("C10: two messages with the same text stay two, and echoes find the oldest first")
    func sameText() {
        var driver = Device.connected()
        for _ in 0..<2 {
            driver.sayDurably("hi")
            driver.hear(.acknowledged(driver.saidIDs[driver.saidIDs.count - 1]))
        }
        let ids = driver.rows.map { $0.id }
        driver.hear(.message(Device.echo("m1", "hi", at: 1)))
        driver.hear(.message(Device.echo("m1", "hi", at: 1)))
        #expect(driver.awaitedEchoes == [driver.saidIDs[1]])
        driver.hear(.message(Device.echo("m2", "hi", at: 2)))
        #expect(driver.rows.map { $0.id } == ids)
    }

    @Test("C10: the same text from another device is another message")
    func otherDevice() {
        var driver = Device.connected()
        driver.sayDurably("hi")
        driver.hear(.message(Device.echo("m1", "hi", from: "device-2")))
        #expect(driver.texts == ["hi", "hi"] && driver.awaitedEchoes.count == 1)
    }

    @Test("C10, L6: an echo that comes before what it echoes is loaded is the same message")
    func echoBeforeLoad() {
        var disk = Disk<Chat>()
        var first = Device.connected(&disk)
        first.say("hello")
        first.serve(from: &disk)
        var driver = Device.fresh()
        driver.send(.shown)
        driver.send(.signedIn(Device.account))
        driver.advance(by: .seconds(5))
        driver.finishConnecting(replaying: [Device.echo("m1", "hello")])
        driver.serve(from: &disk)
        // Before the pages were there it could not be known, and it has gone again under its id.
        #expect(driver.texts == ["hello"] && driver.saidIDs == first.saidIDs && driver.queued.isEmpty)
    }

    @Test(
        "C10, L6: an echo of what is not loaded is not taken for that of a message that was never on a wire")
    func echoOfUnloaded() {
        var disk = Disk<Chat>()
        var first = Device.restored(&disk) { $0.pageLength = 2 }
        first.send(.shown)
        first.finishConnecting()
        first.say("hello")
        first.serve(from: &disk)
        first.hear(.message(Device.echo("m1", "hello", at: 1)))
        for number in 2..<5 {
            first.hear(.message(Device.reply(MessageID("m\(number)"), "x", at: Int64(number))))
        }
        first.lose()
        first.say("hello")
        first.serve(from: &disk)

        var again = Device.restored(&disk) { $0.pageLength = 2 }
        again.send(.shown)
        again.finishConnecting(replaying: [Device.echo("m1", "hello", at: 1)])
        again.serve(from: &disk)
        #expect(again.said == ["hello"])
        again.hear(.message(Device.echo("m5", "hello", at: 5)))
        while Chat.hasOlder(again.state) {
            again.send(.olderRequested)
            again.serve(from: &disk)
        }
        #expect(again.texts.filter { $0 == "hello" }.count == 2 && again.texts.count == 5)
    }

    @Test("C11: an error that names a message touches that alone, one that names none touches no message")
    func errors() {
        var driver = Device.connected()
        driver.sayDurably("a")
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.sayDurably("b")
        driver.hear(.failed("something"))
        #expect(driver.statuses == [.accepted, .sending] && driver.isConnected)
        #expect(driver.state.conversation.banner == .serverError("something"))
        #expect(driver.hear(.rejected("c_unknown", reason: "x")).isEmpty)
        driver.hear(.rejected(driver.saidIDs[1], reason: "x"))
        #expect(driver.statuses == [.accepted, .failed(.rejected("x"))] && driver.isConnected)
        driver.send(.bannerDismissed)
        #expect(driver.state.conversation.banner == nil)
    }

    @Test("C11: a deferred message is sent again within 200 to 500 ms")
    func deferred() {
        var driver = Device.connected()
        driver.sayDurably("a")
        driver.hear(.deferred(driver.saidIDs[0]))
        driver.sayDurably("b")
        driver.advance(by: .milliseconds(199))
        #expect(driver.said == ["a"])
        driver.advance(by: .milliseconds(301))
        #expect(driver.said == ["a", "a"] && driver.saidIDs[0] == driver.saidIDs[1])
    }

    @Test("C11, C3: a deferred message waits as long as the server demands, 30 s at most")
    func deferredByWait() {
        for (told, wait) in [(Interval.seconds(2), Interval.seconds(2)), (.hours(1), .seconds(30))] {
            var driver = Device.connected()
            driver.sayDurably("a")
            driver.hear(.deferred(driver.saidIDs[0], after: told))
            driver.advance(by: wait - Interval(nanoseconds: 1))
            #expect(driver.said == ["a"])
            driver.advance(by: Interval(nanoseconds: 1))
            #expect(driver.said == ["a", "a"])
        }
    }

    @Test("C12: accepted, and no reply in 120 s, is shown as such")
    func noReply() {
        var driver = Device.connected()
        driver.sayDurably("a")
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.advance(by: .milliseconds(119_999))
        #expect(driver.statuses == [.accepted])
        driver.advance(by: .milliseconds(1))
        #expect(driver.statuses == [.failed(.noReply)])
    }

    @Test("C12: a failed reply is shown with its message")
    func failedReply() {
        var driver = Device.connected()
        driver.sayDurably("a")
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.hear(.replyFailed(.question(driver.saidIDs[0]), reason: "busy"))
        #expect(driver.statuses == [.failed(.replyFailed("busy"))])
        #expect(!driver.isRunning(.replyLimit(.written(driver.saidIDs[0]), in: .main)))
    }

    @Test("C15, S1: sending ends when the reply starts, and when the connection ends")
    func isSending() {
        var driver = Device.connected()
        driver.sayDurably("a")
        driver.hear(.acknowledged(driver.saidIDs[0]))
        #expect(Chat.isSending(driver.state) && Chat.isTyping(driver.state))
        var lost = driver
        lost.lose()
        #expect(!Chat.isSending(lost.state) && !Chat.isTyping(lost.state))
        driver.hear(.delta("s1", "x"))
        #expect(!Chat.isSending(driver.state) && Chat.isTyping(driver.state))
        driver.advance(by: .milliseconds(75))
        #expect(!Chat.isTyping(driver.state))
    }

    @Test("L8: the 51st waiting message and one that is too long are refused, and their text stays")
    func limits() {
        var driver = Device.connecting()
        for number in 0..<50 { driver.say(ExactText("\(number)")) }
        driver.say("one more")
        #expect(
            driver.draft == "one more" && driver.state.conversation.banner == .outboxFull
                && driver.rows.count == 50)

        var other = Device.connected()
        let long = ExactText(String(repeating: "x", count: 65_537))
        other.say(long)
        #expect(other.draft == long && other.state.conversation.banner == .textTooLong)
        other.say(ExactText(String(repeating: "x", count: 65_536)))
        #expect(other.draft == "")
    }

    @Test("L8: a server that never echoes fills no memory")
    func neverEchoes() throws {
        var driver = Device.connected { $0.sending = .unlimited }
        for number in 0..<1_010 {
            driver.sayDurably(ExactText("\(number)"))
            driver.hear(.acknowledged(try #require(driver.newestSaidID)))
            driver.save()
        }
        #expect(driver.saidIDs.count == 1_010 && driver.awaitedEchoes.count == 1_000)
    }

    @Test("L5, C7: a draft over the limit, of messages that came back, can be shortened")
    func shortened() {
        var driver = Device.connected()
        let long = ExactText(String(repeating: "x", count: 1_100_000))
        driver.state.conversation.draft.edit(long)
        driver.send(.draftEdited(ExactText(long.string + "y")))
        #expect(driver.draft == long)
        driver.send(.draftEdited(long.cut(toByteCount: 1_090_000)))
        #expect(driver.draft.byteCount == 1_090_000)
    }

    @Test("C10, L6: what the server says it has is not sent, also when no send of it is known here")
    func acknowledgedWhileQueued() {
        var driver = Device.connected()
        driver.sayDurably("a")
        driver.sayDurably("b")
        driver.hear(.acknowledged(driver.queued[1]))
        driver.hear(.acknowledged(driver.queued[0]))
        driver.save()
        #expect(driver.said == ["a"] && driver.queued.isEmpty)
    }

    @Test("C10, L8: a second acknowledgement writes nothing")
    func acknowledgedTwice() {
        var driver = Device.connected()
        driver.sayDurably("a")
        driver.acknowledge()
        driver.save()
        driver.acknowledge()
        #expect(driver.statuses == [.accepted] && driver.storage.isEmpty)
    }

    @Test("C11, C13: a deferred message goes again although one behind it is deleted")
    func deferredBeforeDeleted() {
        var driver = Device.connected()
        driver.sayDurably("a")
        driver.hear(.deferred(driver.saidIDs[0]))
        driver.sayDurably("b")
        driver.send(.deleted(driver.rows[1].id))
        driver.save()
        #expect(driver.texts == ["a"])
        driver.advance(by: .milliseconds(500))
        #expect(driver.said == ["a", "a"])
    }
}
