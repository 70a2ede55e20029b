@testable import ChatDomain
import Testing

/// What is asked again: where its reply stands, under which id it goes, also after a relaunch, and when.
@Suite("Chat carried by streams: asking again")
struct ChatAskingAgainTests {
    typealias ChatDriver = Driver<Chat>

    /// A server that also answers whole.
    private let both = Streaming.Configuration(hasFallback: true)

    // MARK: Where the reply stands

    @Test("S6, C16: the reply to an older question that had none stands behind that question")
    func place() {
        var disk = Disk<Chat>()
        var driver = ChatDriver.asking(&disk) { $0.pageLength = 2 }
        driver.say("Hi")
        driver.serve(from: &disk)
        driver.breakOff(.completed)
        for text: ExactText in ["Two", "Three"] {
            driver.say(text)
            driver.serve(from: &disk)
            driver.reply(.token(ExactText("to \(text.string)")))
            driver.reply(.done(nil, nil))
            driver.serve(from: &disk)
        }
        let ids = driver.rows.map { $0.id }
        driver.send(.retried(ids[0]))
        driver.serve(from: &disk)
        driver.reply(.token("Good day"))
        driver.advance(by: .milliseconds(75))
        let answered = ["user: Hi", "coach: Good day…"]
        let others = ["user: Two", "coach: to Two", "user: Three", "coach: to Three"]
        #expect(driver.screen == answered + others && driver.rows[1].offer == .stop)
        driver.reply(.done("m1", nil))
        #expect(driver.rows.map { $0.id }.filter { ids.contains($0) } == ids)
        #expect(Chat.announcement(driver.state, .coach)?.string == "Good day")
        driver.serve(from: &disk)
        driver = .asking(&disk) { $0.pageLength = 2 }
        driver.scrollUp(3, on: &disk)
        #expect(driver.screen == ["user: Hi", "coach: Good day"] + others)
    }

    @Test(
        "C12, C21: a question of an older page is unanswered, unless a reply behind it may be of any question",
        arguments: [false, true])
    func olderPage(isFollowed: Bool) {
        var disk = Disk<Chat>()
        disk[ChatDriver.contentsKey] = .contents(Contents(oldestPage: 0, newestPage: 2))
        // A reply from a socket names no question.
        let others: [(Message.Author, ExactText)] = [
            (.here(.init(client: "c_1", status: .accepted)), "One"),
            (isFollowed ? .assistant(to: nil) : .elsewhere(nil), "Two"), (.elsewhere(nil), "Three"),
        ]
        for (page, (author, text)) in others.enumerated() {
            let message = Message(
                id: MessageID(text), author: author, body: .text(LongText(text)), time: ChatDriver.epoch,
                isPlaced: true)
            disk[ChatDriver.pageKey(Int64(page))] = .page(Page(messages: [message], cursor: nil))
        }
        var driver = ChatDriver.asking(&disk) { $0.pageLength = 1 }
        driver.scrollUp(3, on: &disk)
        #expect(driver.texts == ["One", "Two", "Three"])
        let unanswered = Chat.SendStatus.failed(
            .unanswered(ReplyEnding(.endedEarly, needsNewKey: false)))
        #expect(driver.rows[0].status == (isFollowed ? .accepted : unanswered))
        #expect(driver.rows[1].status == nil && driver.rows[2].status == nil)
    }

    @Test("C13, L6: a deleted question that a stored outbox still holds is not unsent after a relaunch")
    func deletedInOutbox() {
        var disk = Disk<Chat>()
        let deleted = Message(
            author: .here(.init(client: "c_1", status: .queued)), body: .text(LongText("Hi")),
            time: ChatDriver.epoch, isHidden: true)
        disk[ChatDriver.contentsKey] = .contents(Contents(oldestPage: 0, newestPage: 0))
        disk[ChatDriver.pageKey(0)] = .page(Page(messages: [deleted], cursor: nil))
        disk[ChatDriver.outboxKey] = .outbox([
            OutboxEntry(key: "c_1", text: "Hi", written: ChatDriver.epoch, wasSent: false)
        ])
        // Nobody looks at the chat, so nothing is asked yet.
        var driver = ChatDriver.freshAsking()
        driver.send(.signedIn(ChatDriver.account))
        driver.serve(from: &disk)
        #expect(driver.queued.isEmpty && driver.rows.isEmpty)
        #expect(!driver.listed.contains { $0.hasUnsent })
    }

    @Test("L5: wherever the process ends while a reply is put between older messages, none of them is gone")
    func placeDurably() {
        var disk = Disk<Chat>()
        var driver = ChatDriver.asking(&disk) { $0.pageLength = 2 }
        driver.say("Hi")
        driver.serve(from: &disk)
        driver.breakOff(.completed)
        for text: ExactText in ["Two", "Three", "Four"] {
            driver.say(text)
            driver.serve(from: &disk)
            driver.reply(.token("Yes"))
            driver.reply(.done(nil, nil))
            driver.serve(from: &disk)
        }
        driver.send(.retried(driver.rows[0].id))
        driver.serve(from: &disk)
        driver.reply(.token("Good day"))
        driver.reply(.done(nil, nil))
        let leaving = { (driver: ChatDriver) in
            var driver = driver
            driver.send(.signedOut)
            return driver
        }
        for var driver in [driver, leaving(driver)] {
            var disk = disk
            driver.serve(from: &disk) { disk, _ in
                var copy = disk
                var next = ChatDriver.asking(&copy) { $0.pageLength = 2 }
                for _ in 0..<5 {
                    next.send(.olderRequested)
                    next.serve(from: &copy)
                }
                // Before its page is loaded, what was asked again stands at the end.
                let texts = next.texts.filter { $0 != "Good day" && $0 != "Hi" }
                #expect(texts == ["Two", "Yes", "Three", "Yes", "Four", "Yes"])
                #expect(next.texts.filter { $0 == "Hi" }.count == 1)
                #expect(next.stuckSpinner == nil)
            }
        }
    }

    @Test("C16: a message is put behind another over at most 1,000 rows; beyond it stands at the end")
    func reach() {
        var transcript = ChatTranscript(seed: 1, pageLength: 50)
        func message(_ number: Int) -> Message {
            Message(
                id: MessageID(ExactText("m\(number)")), author: .elsewhere(nil), body: .text(LongText()),
                time: ChatDriver.epoch)
        }
        for number in 0..<1_001 { transcript.insert(message(number)) }
        #expect(transcript.insert(message(1_001), behind: 1) == 2)
        #expect(transcript.ordinal(of: MessageID("m2")) == 3)
        #expect(transcript.insert(message(1_002), behind: 1) == 1_002)
    }

    // MARK: Whether it is offered

    @Test("S4: a partial reply offers no retry when its question is deleted")
    func deleted() {
        var driver = ChatDriver.replying()
        driver.breakOff(.completed)
        #expect(driver.rows[1].offer == .retry)
        driver.send(.deleted(driver.rows[0].id))
        #expect(driver.texts == ["Hello"] && driver.rows[0].offer == .nothing)
    }

    @Test(
        "S4: a reply that broke off has its retry also where a stored page ends between it and its question")
    func pageBorder() {
        var disk = Disk<Chat>()
        var driver = ChatDriver.asking(&disk) { $0.pageLength = 1 }
        driver.say("Hi")
        driver.serve(from: &disk)
        driver.reply(.token("Hel"))
        driver.breakOff(.completed)
        driver.serve(from: &disk)
        driver = .asking(&disk) { $0.pageLength = 1 }
        #expect(driver.texts == ["Hi", "Hel"] && driver.rows[1].offer == .retry)
        driver.send(.retried(driver.rows[1].id))
        driver.serve(from: &disk)
        #expect(driver.questions.map { $0.text } == ["Hi"])
    }

    @Test("S6, C13: a partial that is deleted while its retry waits does not hide the reply that comes then")
    func deletedPartial() {
        var disk = Disk<Chat>()
        var driver = ChatDriver.asking(&disk)
        driver.say("Hi")
        driver.serve(from: &disk)
        driver.reply(.token("Hel"))
        driver.breakOff(.completed)
        driver.say("Two")
        driver.serve(from: &disk)
        driver.send(.retried(driver.rows[1].id))
        driver.send(.deleted(driver.rows[1].id))
        #expect(driver.texts == ["Hi", "Two"])
        driver.reply(.token("Yes"))
        driver.reply(.done(nil, nil))
        driver.serve(from: &disk)
        driver.reply(.token("Hello"))
        #expect(driver.statuses[0] == .accepted && driver.isTyping)
        driver.advance(by: .milliseconds(75))
        #expect(driver.texts == ["Hi", "Hello", "Two", "Yes"] && driver.statuses[0] == .delivered)
        driver.reply(.done(nil, nil))
        driver.serve(from: &disk)
        driver = .asking(&disk)
        #expect(driver.texts == ["Hi", "Hello", "Two", "Yes"] && driver.statuses[0] == .delivered)
    }

    // MARK: Under which id

    @Test("S6, L6: a question under a new id keeps that id when the process ends")
    func secondID() {
        for hasPartial in [false, true] {
            var disk = Disk<Chat>()
            var driver = ChatDriver.asking(&disk)
            driver.say("Hi")
            driver.serve(from: &disk)
            let first = driver.questions[0].key
            driver.reply(hasPartial ? .token("Hel") : .began(nil))
            driver.reply(.failed("Oh."))
            driver.serve(from: &disk)
            driver.send(.retried(driver.rows[0].id))
            driver.send(.retried(driver.rows[driver.rows.count - 1].id))
            driver.serve(from: &disk)
            let second = driver.questions[0].key
            #expect(first != second)
            driver = .asking(&disk, seed: 2)
            driver.send(.retried(driver.rows[driver.rows.count - 1].id))
            driver.serve(from: &disk)
            #expect(driver.questions.map { $0.key } == [second])
        }
    }

    @Test(
        "S13, L6: a whole answer asked for under another id is asked for again under that id, also by a relaunch"
    )
    func fallbackID() {
        for hasPartial in [false, true] {
            var disk = Disk<Chat>()
            var driver = ChatDriver.asking(&disk, both)
            driver.say("Hi")
            driver.serve(from: &disk)
            driver.reply(hasPartial ? .token("Hel") : .began(nil))
            driver.serve(from: &disk)
            driver.reply(.failed("Oh."))
            let whole = driver.questions[0].key
            driver.serve(from: &disk) { disk, _ in
                var copy = disk
                var next = ChatDriver.asking(&copy, seed: 2)
                #expect(next.texts.filter { $0 == "Hi" }.count == 1 && next.stuckSpinner == nil)
                next.serve(from: &copy)
                #expect(next.questions.isEmpty, "it may have arrived, so the person decides")
            }
            var copy = disk
            var next = ChatDriver.asking(&copy, seed: 2)
            next.send(.retried(next.rows[next.rows.count - 1].id))
            next.serve(from: &copy)
            #expect(next.questions.map { $0.key } == [whole])

            driver.breakOff(.failed(.lost))
            driver.serve(from: &disk)
            #expect(disk[ChatDriver.outboxKey] == .outbox([]))
            driver.send(.retried(driver.rows[driver.rows.count - 1].id))
            driver.serve(from: &disk)
            #expect(driver.questions.map { $0.key } == [whole] && driver.stuckSpinner == nil)
        }
    }

    @Test("S13, L6: an answer that came whole is there once after a relaunch at any save")
    func fallbackAnswered() {
        var disk = Disk<Chat>()
        var driver = ChatDriver.asking(&disk, both)
        driver.say("Hi")
        driver.serve(from: &disk)
        driver.reply(.token("Hel"))
        driver.reply(.failed("Oh."))
        driver.serve(from: &disk)
        driver.reply(.whole("Hello", nil, nil))
        driver.serve(from: &disk) { disk, _ in
            var copy = disk
            let next = ChatDriver.asking(&copy, seed: 2)
            #expect(next.texts == ["Hi", "Hello"] || next.texts == ["Hi"] || next.texts == ["Hi", "Hel"])
        }
        driver = .asking(&disk, seed: 2)
        #expect(driver.texts == ["Hi", "Hello"] && driver.statuses == [.delivered, nil])
    }

    @Test("S13, L6: a question under another id does not return as a draft that the disk did not clear")
    func fallbackDraft() {
        var disk = Disk<Chat>()
        var driver = ChatDriver.asking(&disk, both)
        driver.send(.draftEdited("Hi"))
        driver.advance(by: .seconds(1))
        driver.serve(from: &disk)
        driver.send(.sent)
        driver.serve(from: &disk, failing: { $0 == ChatDriver.draftKey }, with: .full)
        driver.reply(.began(nil))
        driver.serve(from: &disk)
        driver.reply(.failed("Oh."))
        driver.serve(from: &disk)
        #expect(ChatDriver.draft(on: disk) == "Hi")
        let next = ChatDriver.asking(&disk, seed: 2)
        #expect(next.texts.contains("Hi") && next.draft.isEmpty)
    }

    // MARK: When

    @Test("S9, C8, L5: what a told wait holds back was never asked, and goes in its turn after a relaunch")
    func heldBackOverRelaunch() {
        var disk = Disk<Chat>()
        var driver = ChatDriver.asking(&disk)
        driver.say("Hi")
        driver.serve(from: &disk)
        driver.breakOff(.refused(status: 429, retryAfter: .minutes(10), message: ""))
        for text in ["Two", "Three"] as [ExactText] {
            driver.say(text)
            driver.serve(from: &disk)
        }
        #expect(driver.questions.isEmpty)
        driver = .asking(&disk)
        driver.serve(from: &disk)
        #expect(driver.texts == ["Hi", "Two", "Three"])
        driver.advance(by: .minutes(10))
        driver.serve(from: &disk)
        #expect(driver.questions.map { $0.text } == ["Two"])
        driver.answer("2")
        driver.serve(from: &disk)
        #expect(driver.questions.map { $0.text } == ["Three"])
    }

    @Test(
        "S9: a told wait outlasts the refused question and the launch",
        arguments: [false, true], [false, true])
    func waitOfQuestionThatIsGone(isDeleted: Bool, isSignedOut: Bool) throws {
        var disk = Disk<Chat>()
        var driver = ChatDriver.asking(&disk)
        for text in ["Hi", "Two"] as [ExactText] {
            driver.say(text)
            driver.serve(from: &disk)
        }
        driver.breakOff(.refused(status: 429, retryAfter: .minutes(10), message: ""))
        driver.serve(from: &disk)
        let row = driver.rows[0].id
        driver.send(isDeleted ? .deleted(row) : .retried(row))
        driver.serve(from: &disk)
        if isSignedOut {
            let account = try #require(driver.state.account)
            driver.send(.signedOut)
            driver.serve(from: &disk)
            driver.send(.signedIn(account))
        } else {
            driver = .asking(&disk)
        }
        driver.serve(from: &disk)
        driver.advance(by: .minutes(10) - .milliseconds(1))
        driver.serve(from: &disk)
        #expect(driver.questions.isEmpty && driver.stuckSpinner == nil)
        driver.advance(by: .milliseconds(1))
        driver.serve(from: &disk)
        #expect(driver.questions.map { $0.text } == ["Two"])
    }

    @Test("S9, L3: a told wait that a slow disk brings after the launch ends by its timer")
    func lateWait() {
        var driver = ChatDriver.freshAsking()
        let wall = driver.context.wall
        var disk = Disk<Chat>()
        disk[.pacing(ChatDriver.account.user)] = .pacing(
            Pacing(asked: [], notBefore: wall + .minutes(10), written: wall), uploadsNotBefore: nil)
        driver.send(.signedIn(ChatDriver.account))
        driver.send(.shown)
        driver.advance(by: .seconds(5))  // the launch goes on without the disk
        driver.serve(from: &disk)
        #expect(Chat.connectionLine(driver.state, .neutral) == Wording.neutral.serverAskedToWait)
        driver.advance(by: .minutes(10))
        #expect(Chat.connectionLine(driver.state, .neutral) == nil)
        driver.say("Hi")
        driver.serve(from: &disk)
        #expect(driver.questions.map { $0.text } == ["Hi"])
    }

    @Test("S9: a wait that the server told is kept over a relaunch, for a day at most")
    func wait() {
        for (told, kept) in [(Interval.seconds(40), Interval.seconds(40)), (.hours(2_400), .hours(24))] {
            var disk = Disk<Chat>()
            var driver = ChatDriver.asking(&disk)
            driver.say("Hi")
            driver.serve(from: &disk)
            driver.breakOff(.refused(status: 429, retryAfter: told, message: ""))
            driver.serve(from: &disk)
            driver = .asking(&disk)
            driver.serve(from: &disk)
            #expect(driver.rows[0].waitUntil == driver.context.wall + kept)
            #expect(Chat.connectionLine(driver.state, .neutral) == Wording.neutral.serverAskedToWait)
            driver.advance(by: kept - .seconds(1))
            driver.say("Two")
            driver.serve(from: &disk)
            #expect(driver.questions.isEmpty && driver.stuckSpinner == nil)
            driver.advance(by: .seconds(1))
            driver.serve(from: &disk)
            #expect(driver.questions.map { $0.text } == ["Two"])
            #expect(Chat.connectionLine(driver.state, .neutral) == nil)
        }
    }

    @Test("S9: a wait that was clamped goes on over launches, and no launch begins a day of its own")
    func clampedWait() {
        for hasPartial in [false, true] {
            var disk = Disk<Chat>()
            var driver = ChatDriver.asking(&disk)
            driver.say("Hi")
            driver.serve(from: &disk)
            if hasPartial {
                driver.reply(.token("Hel"))
                driver.reply(.limited(until: WallTime(millisecondsSince1970: .max)))
            } else {
                driver.breakOff(.refused(status: 429, retryAfter: .hours(2_400), message: ""))
            }
            driver.serve(from: &disk)
            driver = .asking(&disk)
            driver.serve(from: &disk)
            let until = driver.context.wall + .hours(24)
            let later = driver.context.moment + .hours(23)
            driver = .freshAsking()
            driver.context.moment = later
            driver.send(.signedIn(ChatDriver.account))
            driver.serve(from: &disk)
            driver.send(.shown)
            driver.say("Two")
            driver.serve(from: &disk)
            #expect(driver.rows[hasPartial ? 1 : 0].waitUntil == until && driver.questions.isEmpty)
            driver.advance(by: .hours(1))
            driver.serve(from: &disk)
            #expect(driver.questions.map { $0.text } == ["Two"])
        }
    }

    @Test("C2, C8: a question that finds no network waits with those behind it, and all go in order")
    func offline() {
        for way in 0..<5 {
            var driver = ChatDriver.asking()
            for text: ExactText in ["One", "Two", "Three"] { driver.sayDurably(text) }
            driver.breakOff(.failed(.offline))
            driver.advance(by: .milliseconds(400))
            driver.breakOff(.failed(.offline))
            driver.save()
            #expect(driver.questions.isEmpty && driver.notes == [nil, nil, nil])
            #expect(driver.statuses[0] == .queued && driver.rows[0].offer != .retry)
            #expect(Chat.connectionLine(driver.state, .neutral) == Wording.neutral.offline)
            #expect(driver.stuckSpinner == nil)
            switch way {
            case 0: driver.send(.networkChanged(isUp: true))
            case 1: driver.sayDurably("Four")
            case 2: driver.send(.reconnectRequested)
            case 3:
                driver.send(.left)
                driver.send(.shown)
            default: driver.advance(by: .seconds(30))
            }
            driver.save()
            #expect(driver.questions.map { $0.text } == ["One"] && driver.stuckSpinner == nil)
            #expect(Chat.connectionLine(driver.state, .neutral) == nil)
            for text in ["1", "2", "3"] as [ExactText] { driver.answer(text) }
            #expect(driver.texts.prefix(6) == ["One", "1", "Two", "2", "Three", "3"])
        }
    }

    @Test("C2, L6: a retry that finds no network keeps the partial, and goes under the same key")
    func offlineRetry() {
        var driver = ChatDriver.replying()
        driver.breakOff(.completed)
        driver.send(.retried(driver.rows[1].id))
        driver.save()
        let key = driver.questions[0].key
        for _ in 0..<2 {
            driver.breakOff(.failed(.offline))
            driver.advance(by: .milliseconds(400))
        }
        #expect(driver.screen == ["user: Hi", "coach: Hello"] && driver.statuses[0] == .queued)
        driver.send(.networkChanged(isUp: true))
        driver.save()
        #expect(driver.questions.map { $0.key } == [key])
        driver.answer("Good day")
        #expect(driver.texts == ["Hi", "Good day"] && driver.stuckSpinner == nil)
    }

    @Test("C8: those behind a question that timed out wait for the person: asked again it goes before them")
    func order() {
        for way in 0..<4 {
            var driver = ChatDriver.asking()
            for text: ExactText in ["One", "Two", "Three"] { driver.sayDurably(text) }
            driver.reply(.began(nil))
            driver.advance(by: .seconds(30))
            driver.save()
            driver.advance(by: .minutes(10))
            driver.send(.networkChanged(isUp: true))
            #expect(driver.questions.isEmpty && driver.notes == [Wording.neutral.noReply, nil, nil])
            #expect(driver.rows[0].offer == .retry && driver.stuckSpinner == nil)
            switch way {
            case 0: driver.send(.retried(driver.rows[0].id))
            case 1: driver.send(.deleted(driver.rows[0].id))
            case 2: driver.sayDurably("Four")
            default:
                driver.sayDurably("Four")
                driver.send(.retried(driver.rows[0].id))
            }
            driver.save()
            #expect(driver.questions.map { $0.text } == [way == 0 ? "One" : "Two"])
            while !driver.questions.isEmpty { driver.answer("yes") }
            #expect(driver.queued.isEmpty && driver.stuckSpinner == nil)
        }
    }

    @Test("C8: a failure that only the question explains lets the messages behind it pass")
    func ownFailure() {
        for end in [CallEnd.refused(status: 400, retryAfter: nil, message: ""), .failed(.malformed)] {
            var driver = ChatDriver.asking()
            for text: ExactText in ["One", "Two"] { driver.sayDurably(text) }
            driver.breakOff(end)
            driver.save()
            #expect(driver.questions.map { $0.text } == ["Two"] && driver.rows[0].offer == .retry)
        }
    }

    @Test("R5: a question whose conversation cannot be read does not say that it is the first")
    func first() {
        var disk = Disk<Chat>()
        var driver = ChatDriver.freshAsking()
        driver.send(.signedIn(ChatDriver.account))
        driver.answer(ChatDriver.contentsKey, with: .failed(.newer(version: 9)))
        driver.serve(from: &disk)
        driver.send(.shown)
        driver.say("Hi")
        driver.serve(from: &disk)
        #expect(driver.questions.map { $0.purpose } == [.message(isFirst: false)])
    }

    @Test("S4, S6: the retry of a first question that was answered in part does not say that it is the first")
    func firstAnsweredInPart() throws {
        var driver = ChatDriver.asking()
        driver.sayDurably("Hi")
        #expect(driver.questions.map { $0.purpose } == [.message(isFirst: true)])
        driver.reply(.token("Part"))
        driver.breakOff()
        driver.save()
        let row = try #require(driver.rows.first { $0.offer == .retry })
        driver.send(.retried(row.id))
        driver.save()
        #expect(driver.questions.map { $0.purpose } == [.message(isFirst: false)])
    }

    @Test("C12: on streams, a reply without text is asked for again under a new key")
    func emptyReplyAgain() {
        var driver = Driver<Chat>.accepted()
        let first = driver.questions.first?.key
        driver.reply(.done("m1", nil))
        driver.save()
        if let row = driver.rows.first(where: { $0.offer == .retry }) { driver.send(.retried(row.id)) }
        driver.save()
        #expect(driver.questions.count == 1 && driver.questions.first?.key != first)
    }

    @Test(
        "C8: a refusal that time may undo, a 408 too, holds up the messages behind it until the person asks",
        arguments: [408, 500, 503].map { CallEnd.refused(status: $0, retryAfter: nil, message: "") }
            + [
                .refused(status: 503, retryAfter: .zero, message: ""),
                .refused(status: 503, retryAfter: .seconds(-9), message: ""), .failed(.timedOut),
                .failed(.lost),
            ])
    func passingRefusal(end: CallEnd) {
        var driver = ChatDriver.asking()
        for text: ExactText in ["One", "Two"] { driver.sayDurably(text) }
        driver.breakOff(end)
        // A lost connection is tried once more (S8).
        driver.advance(by: .milliseconds(400))
        driver.breakOff(end)
        driver.save()
        #expect(driver.questions.isEmpty)
        driver.advance(by: .minutes(1))
        #expect(driver.questions.isEmpty && driver.rows[0].offer == .retry && driver.stuckSpinner == nil)
        driver.send(.retried(driver.rows[0].id))
        driver.save()
        #expect(driver.questions.map { $0.text } == ["One"])
    }

    @Test("S3, C12: after a question that the server has not taken, the next one is the first")
    func firstAfterRefused() {
        var driver = ChatDriver.asking()
        for text: ExactText in ["One", "Two"] { driver.sayDurably(text) }
        driver.breakOff(.refused(status: 400, retryAfter: nil, message: ""))
        driver.save()
        #expect(driver.questions.map { $0.purpose } == [.message(isFirst: true)])
        driver.answer("2")
        driver.sayDurably("Three")
        #expect(driver.questions.map { $0.purpose } == [.message(isFirst: false)])
    }

    @Test(
        "S3, S10, C13: after a question that was stopped before any text or deleted, the next one is the first",
        arguments: [false, true])
    func firstAfterStopped(isDeleted: Bool) {
        var disk = Disk<Chat>()
        var driver = ChatDriver.asking(&disk)
        driver.say("One")
        driver.serve(from: &disk)
        if isDeleted { driver.send(.deleted(driver.rows[0].id)) } else { driver.stop() }
        driver.serve(from: &disk)
        for var driver in [driver, .asking(&disk, seed: 2)] {
            driver.sayDurably("Two")
            #expect(driver.questions.map { $0.purpose } == [.message(isFirst: true)])
            driver.answer("2")
            driver.sayDurably("Three")
            #expect(driver.questions.map { $0.purpose } == [.message(isFirst: false)])
        }
    }

    @Test("S3, S10: after an answer, a question that is stopped before any text makes no later one the first")
    func notFirstAfterStopped() {
        var driver = ChatDriver.asking()
        driver.sayDurably("One")
        driver.answer("1")
        driver.sayDurably("Two")
        driver.stop()
        driver.save()
        driver.sayDurably("Three")
        #expect(driver.questions.map { $0.purpose } == [.message(isFirst: false)])
    }

    @Test(
        "S9: after the clock was set back, a told wait is no longer than it was",
        arguments: [false, true])
    func clockSetBack(hasPartial: Bool) {
        var disk = Disk<Chat>()
        var driver = ChatDriver.asking(&disk)
        driver.say("Hi")
        driver.serve(from: &disk)
        if hasPartial {
            driver.reply(.token("Hel"))
            driver.reply(.limited(until: driver.context.wall + .seconds(40)))
        } else {
            driver.breakOff(.refused(status: 429, retryAfter: .seconds(40), message: ""))
        }
        driver.serve(from: &disk)
        let earlier = Moment(now: driver.context.now, wall: driver.context.wall + .hours(-24))
        driver = .freshAsking(seed: 2)
        driver.context.moment = earlier
        driver.send(.signedIn(ChatDriver.account))
        driver.serve(from: &disk)
        driver.send(.shown)
        driver.advance(by: .milliseconds(39_999))
        driver.say("Two")
        driver.serve(from: &disk)
        #expect(driver.questions.isEmpty && driver.stuckSpinner == nil)
        driver.advance(by: .milliseconds(1))
        driver.serve(from: &disk)
        #expect(driver.questions.map { $0.text } == ["Two"])
    }
}
