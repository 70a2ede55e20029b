@testable import ChatDomain
import Testing

@Suite("Chat carried by streams: a question and its reply")
struct ChatAskingTests {
    typealias ChatDriver = Driver<Chat>

    @Test("C7: a message appears at once, and is asked when the outbox is saved, or cannot be")
    func durable() {
        var driver = ChatDriver.asking()
        driver.say("Hi")
        #expect(driver.screen == ["user: Hi"] && driver.draft.isEmpty && driver.questions.isEmpty)
        driver.answerOutbox(with: .saved)
        #expect(driver.questions.map { $0.text } == ["Hi"] && driver.statuses == [.sending])
        #expect(driver.isTyping && Chat.isSending(driver.state) && driver.stuckSpinner == nil)

        driver = .asking()
        driver.say("Hi")
        driver.answerOutbox(with: .failed(.full))
        #expect(driver.questions.count == 1 && Chat.banner(driver.state, .neutral) != nil)
    }

    @Test("C7: without network what could not be saved goes back to the composer")
    func givenBack() {
        var driver = ChatDriver.asking()
        driver.send(.networkChanged(isUp: false))
        driver.say("Hi")
        driver.answerOutbox(with: .failed(.full))
        #expect(driver.draft == "Hi" && driver.rows.isEmpty)
    }

    @Test("L5: the record of the outbox has the message until the transcript is stored")
    func handedOver() {
        var driver = ChatDriver.asking()
        var disk = Disk<Chat>()
        driver.say("Hi")
        driver.serve(from: &disk)
        driver.reply(.began(nil))
        driver.reply(.token("Hello"))
        driver.reply(.done("m1", nil))
        driver.serve(from: &disk) { disk, _ in
            var next = ChatDriver.freshAsking()
            var copy = disk
            next.send(.signedIn(ChatDriver.account))
            next.serve(from: &copy)
            #expect(next.texts.filter { $0 == "Hi" }.count == 1)
        }
        #expect(disk[ChatDriver.outboxKey] == .outbox([]))
    }

    @Test("S1, S2, C15: typing until text is in view, sending until it comes, growing until the end")
    func indicators() {
        var driver = ChatDriver.accepted()
        #expect(driver.statuses == [.accepted] && driver.isTyping && Chat.isSending(driver.state))
        driver.reply(.token("Hel"))
        #expect(driver.isTyping && !Chat.isSending(driver.state) && driver.rows.count == 1)
        driver.advance(by: .milliseconds(75))
        #expect(!driver.isTyping && driver.screen == ["user: Hi", "coach: Hel…"])
        #expect(driver.statuses == [.delivered, nil] && driver.rows[1].offer == .stop)
        driver.reply(.done("m1", nil))
        #expect(driver.screen == ["user: Hi", "coach: Hel"] && driver.rows[1].offer == .nothing)
        #expect(driver.stuckSpinner == nil)
    }

    @Test("S1, S4: a reply of white space alone has no row while it grows, and none when it ends")
    func whiteSpace() {
        var driver = ChatDriver.accepted()
        driver.reply(.token("\n\n"))
        driver.advance(by: .milliseconds(75))
        #expect(driver.screen == ["user: Hi"] && driver.statuses == [.accepted] && driver.isTyping)
        driver.reply(.failed("Oh."))
        #expect(driver.screen == ["user: Hi"] && driver.notes == ["Oh."])
        #expect(driver.rows.map { $0.offer } == [.retry] && driver.stuckSpinner == nil)
    }

    @Test("S3, C16: done names the reply and tells its cost; its row stays the same, and an id is taken once")
    func done() {
        var driver = ChatDriver.replying()
        let row = driver.rows[1].id
        driver.reply(.done("m1", Usage(prompt: 1, completion: 2, total: 3)))
        #expect(driver.texts == ["Hi", "Hello"] && driver.rows[1].id == row)
        #expect(driver.state.conversation.transcript.ordinal(of: MessageID("m1")) == 1)
        #expect(Chat.usage(driver.state)?.total == 3)
        driver.sayDurably("Again")
        driver.answer("Yes", id: "m1")
        #expect(driver.texts == ["Hi", "Hello", "Again", "Yes"])
        #expect(Set(driver.rows.map { $0.id }).count == 4)
    }

    @Test(
        "C16, L5: replies that a server names alike are each that to its question, also from a page loaded later",
        arguments: [false, true])
    func namedAlike(isDeleted: Bool) {
        var disk = Disk<Chat>()
        var driver = ChatDriver.asking(&disk) { $0.pageLength = 2 }
        func ask(_ text: ExactText, _ id: MessageID) {
            driver.say(text)
            driver.serve(from: &disk)
            driver.reply(.token(ExactText("to \(text.string)")))
            driver.reply(.done(id, nil))
            driver.serve(from: &disk)
        }
        ask("One", "x")
        ask("Two", "y")
        if isDeleted {
            driver.send(.deleted(driver.rows[1].id))
            driver.serve(from: &disk)
        }
        let texts = ["One"] + (isDeleted ? [] : ["to One"]) + ["Two", "to Two", "Three", "to Three"]
        for seed in [2, 3] as [UInt64] {
            driver = .asking(&disk, seed: seed) { $0.pageLength = 2 }
            if seed == 2 { ask("Three", "x") }
            driver.scrollUp(2, on: &disk)
            #expect(driver.texts == texts && driver.rows[0].offer != .retry)
        }
    }

    @Test("C13, C16: a reply is not hidden by a deleted one of the same name that is loaded later")
    func namedLikeDeleted() {
        var transcript = ChatTranscript(seed: 1, pageLength: 50)
        let reply = Message(
            id: "x", author: .assistant(to: "c"), body: .text(LongText("Yes")), time: ChatDriver.epoch)
        transcript.insert(reply)
        transcript.pages.restored(Contents(oldestPage: 0, newestPage: 0, hidden: ["x"]))
        transcript.hideDeleted()
        #expect(transcript.reply(to: "c") == reply)
    }

    @Test(
        "S4, S5: a broken reply keeps its text, with note and retry; one without text says so at the question"
    )
    func brokenOff() {
        var driver = ChatDriver.replying()
        driver.breakOff(.completed)
        #expect(driver.texts == ["Hi", "Hello"] && driver.notes == [nil, Wording.neutral.lostAfterText])
        #expect(driver.rows[1].offer == .retry && driver.statuses[0] == .delivered)

        driver = .replying()
        driver.reply(.failed("A pause."))
        #expect(driver.texts == ["Hi", "Hello"] && driver.notes == [nil, "A pause."])

        driver = .accepted()
        driver.breakOff(.completed)
        #expect(driver.texts == ["Hi"] && driver.notes == [Wording.neutral.lostBeforeText])
        #expect(driver.rows[0].offer == .retry && !driver.isTyping && driver.queued.isEmpty)

        driver = .asking()
        driver.sayDurably("Hi")
        driver.breakOff(.refused(status: 400, retryAfter: nil, message: ""))
        #expect(driver.notes == [Wording.neutral.replyFailed] && driver.rows[0].offer == .retry)
    }

    @Test("S6: a retry makes no second bubble, and the old partial stays until text replaces it")
    func retry() {
        var driver = ChatDriver.replying()
        driver.breakOff(.completed)
        let ids = driver.rows.map { $0.id }
        driver.send(.retried(driver.rows[1].id))
        driver.save()
        #expect(driver.screen == ["user: Hi", "coach: Hello…"] && driver.isTyping)
        #expect(driver.rows.map { $0.id } == ids && driver.questions.map { $0.key } == [question(ids[0])])
        driver.send(.retried(driver.rows[1].id))
        #expect(driver.questions.count == 1 && driver.queued.count == 1)
        driver.reply(.began(nil))
        driver.reply(.token("Good day"))
        #expect(driver.screen == ["user: Hi", "coach: Hello…"])
        driver.advance(by: .milliseconds(75))
        #expect(driver.screen == ["user: Hi", "coach: Good day…"] && !driver.isTyping)
        #expect(driver.statuses[0] == .delivered)
        driver.reply(.done("m1", nil))
        #expect(driver.texts == ["Hi", "Good day"] && driver.rows.map { $0.id } == ids)
    }

    @Test("S6: the old partial stays for good if the retry brings nothing")
    func retryBroken() {
        var driver = ChatDriver.replying()
        driver.breakOff(.completed)
        driver.send(.retried(driver.rows[1].id))
        driver.save()
        driver.breakOff(.refused(status: 503, retryAfter: nil, message: ""))
        #expect(driver.texts == ["Hi", "Hello"] && driver.notes == [nil, Wording.neutral.replyFailed])
        #expect(driver.statuses == [.delivered, nil] && driver.rows[1].offer == .retry)
        #expect(driver.stuckSpinner == nil)
    }

    @Test(
        "S6: a question that the server took goes under a new id, one that it did not under the old"
    )
    func retryID() {
        var driver = ChatDriver.accepted()
        let old = driver.questions[0].key
        driver.reply(.failed("Oh."))
        driver.save()
        driver.send(.retried(.written(old)))
        driver.save()
        #expect(driver.questions.count == 1 && driver.questions[0].key != old && driver.rows.count == 1)

        driver = .replying()
        driver.reply(.failed("Oh."))
        driver.send(.retried(driver.rows[1].id))
        driver.save()
        #expect(driver.questions[0].key != old && driver.screen == ["user: Hi", "coach: Hello…"])

        driver = .asking()
        driver.sayDurably("Hi")
        let first = driver.questions[0].key
        driver.breakOff(.refused(status: 503, retryAfter: nil, message: ""))
        driver.send(.retried(driver.rows[0].id))
        driver.save()
        #expect(driver.questions.map { $0.key } == [first])
    }

    @Test("S6: a retry of an older question asks that one, and its reply answers it")
    func retryOlder() {
        var driver = ChatDriver.replying()
        driver.breakOff(.completed)
        driver.sayDurably("Other")
        driver.answer("Fine")
        driver.send(.retried(driver.rows[1].id))
        driver.save()
        #expect(driver.questions.map { $0.text } == ["Hi"])
        driver.answer("Good day")
        #expect(driver.texts == ["Hi", "Good day", "Other", "Fine"])
    }

    @Test(
        "S6, S13: asked for the whole under another id it is the same message, and never goes under the old again"
    )
    func fallback() {
        var driver = ChatDriver.replying(Streaming.Configuration(hasFallback: true))
        let ids = driver.rows.map { $0.id }
        driver.reply(.failed("Oh."))
        #expect(ids[0] != .written(driver.questions[0].key) && driver.rows.map { $0.id } == ids)
        #expect(driver.screen == ["user: Hi", "coach: Hello…"])
        var other = driver
        let whole = driver.questions[0].key
        driver.reply(.whole("Good day", "m1", nil))
        #expect(driver.texts == ["Hi", "Good day"] && driver.rows.map { $0.id } == ids)
        #expect(driver.statuses[0] == .delivered && driver.stuckSpinner == nil)

        other.breakOff(.refused(status: 503, retryAfter: nil, message: ""))
        #expect(other.texts == ["Hi", "Hello"] && other.notes == [nil, Wording.neutral.replyFailed])
        other.send(.retried(other.rows[1].id))
        other.save()
        #expect(other.questions.map { $0.key } == [whole] && other.rows.count == 2)
    }

    @Test("S8: lost before the first text it is asked once more, as the same message")
    func lost() {
        var driver = ChatDriver.asking()
        driver.sayDurably("Hi")
        let client = driver.questions[0].key
        driver.breakOff()
        #expect(driver.statuses == [.sending] && driver.questions.isEmpty && driver.stuckSpinner == nil)
        driver.advance(by: .milliseconds(400))
        #expect(driver.questions.map { $0.key } == [client])
        driver.breakOff()
        #expect(driver.questions.isEmpty && driver.rows[0].offer == .retry)
        #expect(driver.notes == [Wording.neutral.lostBeforeText])
    }

    @Test("S10, L7: stop before any text is silent, at once and for good, as where a socket carries chat")
    func stopBeforeText() {
        for isAccepted in [false, true] {
            var disk = Disk<Chat>()
            var driver = ChatDriver.asking(&disk)
            driver.say("Hi")
            driver.say("Two")
            driver.serve(from: &disk)
            if isAccepted { driver.reply(.began(nil)) }
            driver.stop()
            #expect(driver.statuses[0] == .delivered && driver.rows[0].offer != .retry)
            #expect(driver.notes == [nil, nil])
            driver.serve(from: &disk)
            #expect(driver.questions.map { $0.text } == ["Two"], "those behind it go on")
            driver.reply(.token("2"))
            driver.reply(.done(nil, nil))
            driver.serve(from: &disk)
            driver = .asking(&disk)
            #expect(driver.texts == ["Hi", "Two", "2"] && driver.rows[0].offer != .retry)
            #expect(driver.notes == [nil, nil, nil] && driver.stuckSpinner == nil)
        }
    }

    @Test("S6, L7: a retry that is stopped before any text leaves the partial with its reason and its retry")
    func stopRetry() {
        var driver = ChatDriver.replying()
        driver.reply(.failed("Oh."))
        driver.send(.retried(driver.rows[1].id))
        driver.save()
        #expect(driver.questions.count == 1)
        driver.stop()
        #expect(driver.screen == ["user: Hi", "coach: Hello"] && driver.notes == [nil, "Oh."])
        #expect(driver.rows[1].offer == .retry && driver.statuses[0] == .delivered)
    }

    @Test("S5, S6: a reply that breaks off keeps its marks, and a retry without text leaves them")
    func marks() {
        for hasFallback in [false, true] {
            let unavailable = CallEnd.refused(status: 503, retryAfter: nil, message: "")
            var driver = ChatDriver.replying(Streaming.Configuration(hasFallback: hasFallback))
            driver.reply(.flagged(["care"]))
            driver.breakOff(.completed)
            driver.breakOff(unavailable)
            #expect(driver.texts == ["Hi", "Hello"] && driver.rows.map { $0.flags } == [[], ["care"]])
            driver.send(.retried(driver.rows[1].id))
            driver.save()
            driver.reply(.flagged(["goal"]))
            for _ in 0..<2 { driver.breakOff(unavailable) }
            #expect(driver.texts == ["Hi", "Hello"] && driver.rows.map { $0.flags } == [[], ["care"]])
            driver.send(.retried(driver.rows[1].id))
            driver.save()
            driver.reply(.token("Good"))
            for _ in 0..<2 { driver.breakOff(unavailable) }
            #expect(driver.texts == ["Hi", "Good"] && driver.rows.map { $0.flags } == [[], []])
        }
    }

    @Test("S10, L7: stop is silent and at once, and keeps what has come")
    func stop() {
        var driver = ChatDriver.replying()
        driver.send(.waitingStopped)
        #expect(driver.rows[1].isGrowing)
        driver.stop()
        let stopped = driver.state
        driver.stop()
        #expect(driver.state == stopped)
        #expect(driver.texts == ["Hi", "Hello"] && driver.notes == [nil, nil] && driver.stream() == nil)
        driver.sayDurably("Next")
        driver.answer("Yes")
        #expect(driver.texts == ["Hi", "Hello", "Next", "Yes"])
    }

    @Test("S16: the parts of a reply's time are measured, and a late first text can be told")
    func measures() {
        var driver = ChatDriver.asking()
        #expect(Chat.measures(driver.state) == nil)
        driver.sayDurably("Hi")
        driver.advance(by: .milliseconds(600))
        #expect(driver.feature.missedFirstTokenTarget(driver.state, at: driver.context.now) == true)
        driver.reply(.token("Hello"))
        driver.reply(.done(nil, nil))
        #expect(Chat.measures(driver.state)?.timeToFirstToken == .milliseconds(600))
        #expect(Chat.measures(driver.state)?.visibleUpdates == 1)
    }

    @Test("S17: a screen reader hears that a reply is coming, no token, and the reply when it is finished")
    func spoken() {
        var driver = ChatDriver.accepted()
        #expect(Chat.announcement(driver.state, .coach)?.string == "Coach is typing")
        driver.reply(.token("Hel"))
        driver.advance(by: .milliseconds(75))
        #expect(Chat.announcement(driver.state, .coach) == nil && driver.rows[1].label.string == "Hel")
        driver.reply(.token("lo"))
        driver.reply(.done(nil, nil))
        #expect(Chat.announcement(driver.state, .coach)?.string == "Hello")

        driver = .accepted()
        driver.breakOff(.completed)
        let row = Chat.rows(driver.state, newest: 1, .coach)[0]
        #expect(row.retryButton(.coach)?.label == "Retry sending message")
        #expect(Chat.announcement(driver.state, .coach)?.string == Wording.coach.lostBeforeText.string)
    }

    @Test("C13: deleting a question ends what runs for it, and nothing of it comes back")
    func delete() {
        for isGrowing in [false, true] {
            var driver = isGrowing ? ChatDriver.replying() : .accepted()
            driver.send(.deleted(driver.rows[0].id))
            #expect(driver.stream() == nil && driver.texts == (isGrowing ? ["Hello"] : []))
            driver.save()
            driver.sayDurably("Next")
            #expect(driver.questions.map { $0.text } == ["Next"])
        }
        var driver = ChatDriver.replying()
        driver.send(.deleted(driver.rows[1].id))
        #expect(driver.texts == ["Hi"] && driver.stream() == nil && driver.notes == [nil])
    }

    private func question(_ row: Chat.Row.ID) -> ClientID {
        if case .written(let client) = row { client } else { "" }
    }
}
