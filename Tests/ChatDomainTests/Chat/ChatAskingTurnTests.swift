@testable import ChatDomain
import Testing

@Suite("Chat carried by streams: turns, networks, conversations, launches")
struct ChatAskingTurnTests {
    typealias ChatDriver = Driver<Chat>

    @Test(
        "C15, C8: messages of the time of a reply are sent after its end, whatever that end, first in, first out"
    )
    func queue() {
        for end in 0..<4 {
            var driver = ChatDriver.replying()
            driver.sayDurably("Two")
            driver.sayDurably("Three")
            #expect(driver.questions.map { $0.text } == ["Hi"])
            #expect(driver.screen == ["user: Hi", "coach: Hel…", "user: Two", "user: Three"])
            switch end {
            case 0: driver.reply(.done(nil, nil))
            case 1: driver.breakOff()
            case 2: driver.reply(.failed("Oh."))
            default: driver.stop()
            }
            driver.save()
            #expect(driver.questions.map { $0.text } == ["Two"])
            driver.answer("2")
            driver.answer("3")
            #expect(driver.texts == ["Hi", "Hello", "Two", "2", "Three", "3"] && driver.queued.isEmpty)
        }
    }

    @Test("C2: without a network a message waits, the line says so, and it goes when there is one")
    func offline() {
        var driver = ChatDriver.asking()
        #expect(Chat.connectionLine(driver.state, .neutral) == nil)
        driver.send(.networkChanged(isUp: false))
        #expect(Chat.connectionLine(driver.state, .coach) == Wording.coach.offline)
        driver.sayDurably("Hi")
        #expect(driver.questions.isEmpty && driver.statuses == [.queued])
        driver.send(.networkChanged(isUp: true))
        driver.save()
        #expect(driver.questions.count == 1 && Chat.connectionLine(driver.state, .neutral) == nil)
    }

    @Test("S9: a wait that the server tells is shown, and kept by what is asked behind")
    func limited() {
        var driver = ChatDriver.accepted()
        driver.sayDurably("Two")
        driver.breakOff(.refused(status: 429, retryAfter: .seconds(40), message: ""))
        driver.save()
        #expect(driver.rows[0].waitUntil == driver.context.wall + .seconds(40) && driver.questions.isEmpty)
        #expect(Chat.connectionLine(driver.state, .neutral) == Wording.neutral.serverAskedToWait)
        driver.send(.left)
        driver.advance(by: .seconds(10))
        driver.send(.shown)
        #expect(driver.questions.isEmpty && driver.stuckSpinner == nil)
        driver.advance(by: .seconds(30))
        driver.save()
        #expect(driver.questions.map { $0.text } == ["Two"])
        #expect(Chat.connectionLine(driver.state, .neutral) == nil)
    }

    @Test("S9: a wait that the server tells counts and shows a day at most, in either way to tell it")
    func limitedForLong() {
        for hasPartial in [false, true] {
            var driver = ChatDriver.accepted()
            if hasPartial {
                driver.reply(.token("Hel"))
                driver.reply(.limited(until: driver.context.wall + .hours(8_760)))
            } else {
                driver.breakOff(.refused(status: 429, retryAfter: .hours(8_760), message: ""))
            }
            driver.save()
            #expect(driver.rows[hasPartial ? 1 : 0].waitUntil == driver.context.wall + .hours(24))
            driver.advance(by: .hours(24) - .seconds(1))
            driver.sayDurably("Two")
            #expect(driver.questions.isEmpty && driver.stuckSpinner == nil)
            driver.advance(by: .seconds(1))
            driver.save()
            #expect(driver.questions.map { $0.text } == ["Two"])
        }
    }

    @Test("S9, L3: of two waits that the server tells the longer one counts, and the line says so to its end")
    func limitedTwice() {
        var driver = ChatDriver.accepted()
        let other = driver.create("b")
        driver.save()
        driver.sayDurably("Other")
        let waits: [(ConversationID, Interval)] = [(.main, .seconds(40)), (other, .seconds(10))]
        for (conversation, wait) in waits {
            guard let call = driver.stream(in: conversation) else { return #expect(Bool(false)) }
            driver.end(call, .refused(status: 429, retryAfter: wait, message: ""))
        }
        driver.save()
        driver.advance(by: .seconds(39))
        #expect(Chat.connectionLine(driver.state, .neutral) == Wording.neutral.serverAskedToWait)
        driver.advance(by: .seconds(1))
        #expect(Chat.connectionLine(driver.state, .neutral) == nil)
    }

    @Test("S9: one refresh serves all waits; a new token reaches the next stream, not the one under way")
    func refresh() {
        let soon = Account(
            user: "kay", secret: SecretHandle("first"), device: "device-1",
            expires: WallTime(millisecondsSince1970: 1_000_010_000))
        var driver = ChatDriver.asking(Streaming.Configuration(canRefresh: true))
        driver.send(.signedIn(soon))
        driver.sayDurably("One")
        driver.send(.conversationCreated(title: "b"))
        driver.save()
        driver.sayDurably("Two")
        #expect(driver.questions.isEmpty && driver.calls.count == 2 && driver.stuckSpinner == nil)
        let renewed = Streaming.Access(
            secret: SecretHandle("second"), expires: driver.context.wall + .hours(1))
        driver.reply(.refreshed(renewed), in: driver.state.conversation.id)
        #expect(driver.questions.count == 2 && driver.state.account?.access == renewed)

        let third = Account(
            user: "kay", secret: SecretHandle("third"), device: "device-1",
            expires: driver.context.wall + .hours(2))
        driver.send(.signedIn(third))
        #expect(driver.questions.count == 2)
        driver.answer("2", in: driver.state.conversation.id)
        driver.sayDurably("Three")
        guard case .ask(.stream(_, let secret)) = driver.calls.last?.request else {
            return #expect(Bool(false))
        }
        #expect(secret == SecretHandle("third"))
    }

    @Test("S9, L5: new credentials accept no question that is in flight, and take back no retry that waits")
    func renewedMeanwhile() {
        let renewed = Account(user: "kay", secret: SecretHandle("new"), device: "device-1")
        var driver = ChatDriver.asking()
        driver.sayDurably("Hi")
        driver.send(.signedIn(renewed))
        #expect(driver.statuses == [.sending])

        driver = .accepted()
        driver.reply(.failed("Oh."))
        driver.save()
        driver.send(.retried(driver.rows[0].id))
        driver.send(.signedIn(renewed))
        #expect(driver.statuses == [.queued])
        driver.save()
        #expect(driver.questions.map { $0.text } == ["Hi"])
    }

    @Test("S6, S9: the partial of an earlier asking does not make a question in flight delivered")
    func renewedBelowPartial() {
        var driver = ChatDriver.replying()
        driver.breakOff(.completed)
        driver.save()
        driver.send(.retried(driver.rows[1].id))
        driver.save()
        driver.send(.signedIn(Account(user: "kay", secret: SecretHandle("new"), device: "device-1")))
        #expect(driver.texts == ["Hi", "Hello"] && driver.statuses == [.sending, nil])
    }

    @Test("S9: the server that wants a new sign-in says so at the question; nobody is signed out")
    func signInAgain() {
        var driver = ChatDriver.asking()
        driver.sayDurably("Hi")
        driver.breakOff(.refused(status: 401, retryAfter: nil, message: ""))
        #expect(driver.notes == [Wording.neutral.signInAgain] && driver.state.account != nil)
    }

    @Test("S11: leaving and the background cancel what runs in every conversation; what waits goes on later")
    func leaving() {
        for (away, back) in [(Chat.Action.left, Chat.Action.shown), (.backgrounded, .foregrounded)] {
            var driver = ChatDriver.replying()
            driver.sayDurably("Two")
            driver.send(.conversationCreated(title: "b"))
            driver.save()
            driver.sayDurably("Other")
            driver.send(away)
            driver.save()
            #expect(driver.calls.isEmpty && driver.notes == [nil] && driver.rows[0].offer == .retry)
            driver.send(.conversationSwitched(to: .main))
            #expect(driver.screen == ["user: Hi", "coach: Hello", "user: Two"])
            #expect(driver.notes == [nil, nil, nil] && driver.rows[1].offer == .retry)
            driver.send(back)
            driver.save()
            #expect(driver.questions.map { $0.text } == ["Two"] && driver.stuckSpinner == nil)
        }
    }

    @Test("S11, C19: switching cancels nothing, and each reply stays in its conversation")
    func conversations() {
        var driver = ChatDriver.accepted()
        driver.send(.conversationCreated(title: "b"))
        driver.save()
        let other = driver.state.conversation.id
        #expect(!driver.isTyping && Chat.conversations(driver.state, .neutral)[0].isTyping)
        driver.sayDurably("Other")
        #expect(driver.questions.map { $0.conversation } == [.main, other])
        driver.answer("to Hi", in: .main)
        driver.answer("to Other", in: other)
        #expect(driver.texts == ["Other", "to Other"])
        #expect(Chat.conversations(driver.state, .neutral)[0].unread == 1)
        driver.send(.conversationSwitched(to: .main))
        #expect(driver.texts == ["Hi", "to Hi"])
    }

    @Test("C19, S11: closing a conversation ends what runs in it")
    func closing() {
        var driver = ChatDriver.asking()
        driver.send(.conversationCreated(title: "b"))
        driver.save()
        let id = driver.state.conversation.id
        driver.sayDurably("Hi")
        driver.reply(.began(nil), in: id)
        driver.save()
        driver.send(.conversationClosed(id))
        #expect(driver.calls.isEmpty && driver.state.conversation.id == .main)
    }

    @Test(
        "P10, L4: sign-out ends the wait for a server or a network",
        arguments: [.refused(status: 429, retryAfter: .hours(1), message: ""), .failed(.offline)] as [CallEnd]
    )
    func signOutWhileHeldBack(end: CallEnd) {
        var driver = ChatDriver.asking()
        driver.sayDurably("Hi")
        driver.breakOff(end)
        driver.advance(by: .milliseconds(400))
        driver.breakOff(end)  // an absent network is found twice (S8)
        driver.save()
        driver.send(.signedOut)
        #expect(driver.calls.isEmpty && driver.timers.isEmpty)
    }

    @Test("P10: sign-out cancels; the next sign-in finds the partial and the queue")
    func signOut() {
        var disk = Disk<Chat>()
        var driver = ChatDriver.asking(&disk)
        driver.say("Hi")
        driver.serve(from: &disk)
        driver.reply(.token("Hel"))
        driver.say("Two")
        driver.serve(from: &disk)
        driver.send(.signedOut)
        #expect(driver.calls.isEmpty && driver.timers.isEmpty && driver.rows.isEmpty)
        driver.serve(from: &disk)
        driver.send(.signedIn(ChatDriver.account))
        driver.serve(from: &disk)
        #expect(driver.screen == ["user: Hi", "coach: Hel", "user: Two"] && driver.rows[1].offer == .retry)
        #expect(driver.questions.map { $0.text } == ["Two"])
    }

    @Test("L5: after a relaunch what was never asked goes by itself")
    func relaunchUnsent() {
        var disk = Disk<Chat>()
        var driver = ChatDriver.asking(&disk)
        driver.send(.networkChanged(isUp: false))
        driver.say("Hi")
        driver.serve(from: &disk)
        driver = .asking(&disk)
        driver.serve(from: &disk)
        #expect(driver.questions.map { $0.text } == ["Hi"])
    }

    @Test(
        "L6: after a relaunch what may have been asked is shown as unsent and goes when the person wants it")
    func relaunchUnknown() {
        for isAccepted in [false, true] {
            var disk = Disk<Chat>()
            var driver = ChatDriver.asking(&disk)
            driver.say("Hi")
            driver.serve(from: &disk)
            if isAccepted { driver.reply(.began(nil)) }
            driver.serve(from: &disk)
            let client = driver.questions[0].key
            driver = .asking(&disk)
            driver.serve(from: &disk)
            #expect(driver.questions.isEmpty && driver.texts == ["Hi"] && driver.rows[0].offer == .retry)
            #expect(driver.notes == [Wording.neutral.lostBeforeText] && driver.stuckSpinner == nil)
            driver.send(.retried(driver.rows[0].id))
            driver.serve(from: &disk)
            #expect(driver.questions.map { $0.key } == [client])
            #expect(disk[ChatDriver.outboxKey] != .outbox([]))
        }
    }

    @Test("L6, S6: after a relaunch a partial is still there, and its retry answers the same question")
    func relaunchPartial() {
        var disk = Disk<Chat>()
        var driver = ChatDriver.asking(&disk)
        driver.say("Hi")
        driver.serve(from: &disk)
        driver.reply(.token("Hel"))
        driver.reply(.failed("Oh."))
        driver.serve(from: &disk)
        driver = .asking(&disk)
        driver.serve(from: &disk)
        #expect(driver.screen == ["user: Hi", "coach: Hel"] && driver.notes == [nil, "Oh."])
        driver.send(.retried(driver.rows[1].id))
        driver.serve(from: &disk)
        driver.answer("Hello")
        #expect(driver.screen == ["user: Hi", "coach: Hello"])
    }

    @Test("L6: a relaunch after any save of a retry shows the message once")
    func relaunchRetry() {
        var disk = Disk<Chat>()
        var driver = ChatDriver.asking(&disk)
        driver.say("Hi")
        driver.serve(from: &disk)
        driver.reply(.began(nil))
        driver.reply(.failed("Oh."))
        driver.serve(from: &disk)
        driver.send(.retried(driver.rows[0].id))
        driver.serve(from: &disk) { disk, _ in
            var copy = disk
            let next = ChatDriver.asking(&copy)
            #expect(next.texts == ["Hi"] && next.stuckSpinner == nil)
        }
    }

    @Test("L6: a relaunch after a retry that was not stored leaves the partial, with its retry")
    func relaunchHalfRetried() {
        var disk = Disk<Chat>()
        var driver = ChatDriver.asking(&disk)
        driver.say("Hi")
        driver.serve(from: &disk)
        driver.reply(.token("Hel"))
        driver.breakOff(.completed)
        driver.serve(from: &disk)
        driver.send(.retried(driver.rows[1].id))
        while let page = driver.storage.first(where: { $0.key != ChatDriver.outboxKey }) {
            let answer = disk.carryOut(page)
            driver.answer(page.key, with: answer)
        }
        driver = .asking(&disk)
        driver.serve(from: &disk)
        #expect(driver.screen == ["user: Hi", "coach: Hel"] && driver.questions.isEmpty)
        #expect(driver.statuses == [.delivered, nil] && driver.rows[1].offer == .retry)
    }

    @Test("L6: a message that is sent again under another id before its old page is loaded is shown once")
    func relaunchRenamed() {
        var disk = Disk<Chat>()
        var driver = ChatDriver.asking(&disk) { $0.pageLength = 1 }
        driver.say("Hi")
        driver.serve(from: &disk)
        driver.reply(.began(nil))
        driver.reply(.failed("Oh."))
        driver.say("Two")
        driver.serve(from: &disk)
        driver.reply(.token("2"))
        driver.reply(.done(nil, nil))
        driver.serve(from: &disk)
        driver.send(.retried(driver.rows[0].id))
        for operation in driver.storage where operation.key == ChatDriver.outboxKey {
            _ = disk.carryOut(operation)
        }
        driver = .asking(&disk, seed: 2) { $0.pageLength = 1 }
        driver.serve(from: &disk)
        #expect(driver.questions.map { $0.text } == ["Hi"] && driver.texts == ["Two", "2", "Hi"])
        driver.scrollUp(3, on: &disk)
        #expect(driver.texts == ["Two", "2", "Hi"] && driver.stuckSpinner == nil)
    }

    @Test(
        "C8: a question takes along what was said before it, as far as there is room, and says if it is the first"
    )
    func earlier() {
        var driver = ChatDriver.asking {
            $0.earlierMessageLimit = 3
            $0.earlierByteLimit = 10
        }
        driver.sayDurably("One")
        #expect(driver.questions[0].purpose == .message(isFirst: true) && driver.questions[0].earlier.isEmpty)
        #expect(driver.questions[0].person == "kay")
        driver.answer("1")
        driver.sayDurably("Two")
        #expect(driver.questions[0].purpose == .message(isFirst: false))
        #expect(driver.questions[0].earlier.map { $0.text } == ["One", "1"])
        driver.breakOff(.completed)
        driver.sayDurably("Three")
        #expect(driver.questions[0].earlier.map { $0.text } == ["One", "1"])
        driver.answer("3")
        driver.sayDurably("Four")
        #expect(driver.questions[0].earlier.map { $0.text } == ["Three", "3"])
        driver.answer("a reply that leaves no room")
        driver.sayDurably("Five")
        #expect(driver.questions[0].earlier.isEmpty)
    }

    @Test("C8: what is said before a question shares one limit of bytes")
    func earlierTogether() {
        var driver = ChatDriver.asking { $0.earlierByteLimit = 9 }
        for (question, reply) in [("One", "1"), ("Three", "3")] as [(ExactText, ExactText)] {
            driver.sayDurably(question)
            driver.answer(reply)
        }
        driver.sayDurably("Four")
        #expect(driver.questions[0].earlier.map { $0.text } == ["Three", "3"])
    }

    @Test("L4: nothing of a stream that is over reaches the question after it")
    func ghosts() throws {
        var driver = ChatDriver.replying()
        let old = try #require(driver.stream())
        driver.stop()
        driver.sayDurably("Next")
        let before = driver.state
        for event in [Streaming.Event.token("ghost"), .done("m", nil), .failed("no"), .whole("w", nil, nil)] {
            #expect(driver.send(.received(.streamed(event), on: old)).isEmpty)
        }
        #expect(driver.send(.ended(old, .failed(.lost))).isEmpty && driver.state == before)
    }

    @Test("C13: a question takes along nothing that was deleted")
    func earlierDeleted() {
        for (row, left) in [(0, []), (1, ["One"])] as [(Int, [ExactText])] {
            var driver = ChatDriver.asking()
            driver.sayDurably("One")
            driver.answer("1")
            driver.send(.deleted(driver.rows[row].id))
            driver.save()
            driver.sayDurably("Two")
            #expect(driver.questions.map { $0.earlier.map { $0.text } } == [left])
        }
    }

    @Test("C13, R5: a question that a deletion lets go at once takes along nothing of what is deleted")
    func earlierDeletedInFlight() {
        var driver = ChatDriver.freshAsking()
        driver.send(.signedIn(ChatDriver.account))
        driver.answer(ChatDriver.outboxKey, with: .failed(.newer(version: 9)))
        driver.save()
        driver.send(.shown)
        driver.sayDurably("One")
        driver.reply(.began(nil))
        driver.sayDurably("Two")
        #expect(driver.questions.map { $0.text } == ["One"])
        driver.send(.deleted(driver.rows[0].id))
        #expect(driver.questions.map { $0.text } == ["Two"] && driver.questions[0].earlier.isEmpty)
        #expect(driver.texts == ["Two"])
    }

    @Test("C8: what was said before a question and just fills the room is taken along")
    func earlierExactly() {
        for (room, taken) in [(4, ["One", "1"]), (3, [])] as [(Int64, [ExactText])] {
            var driver = ChatDriver.asking { $0.earlierByteLimit = room }
            driver.sayDurably("One")
            driver.answer("1")
            driver.sayDurably("Two")
            #expect(driver.questions.map { $0.earlier.map { $0.text } } == [taken])
        }
    }
}
