import ChatDomain
import Testing

/// What the next launch finds when the process ends after any write, and what a slow disk brings in another order.
@Suite("Chat: storage, step by step")
struct ChatStorageStepTests {
    private typealias Device = Driver<Chat>

    private static let limit = Chat.Configuration().storageLimit

    @Test("C5, L5: a refused message outlives a reset of the history wherever the process ends")
    func reset() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        let texts = (1...3).map { "\($0)" }
        for text in texts {
            driver.sayRefused(ExactText(text), &disk)
        }
        driver = Device.restored(&disk, seed: 2) { $0.pageLength = 2 }
        driver.send(.shown)
        driver.hear(.opened)
        driver.hear(.authenticated(replayCount: 0, isTruncated: false, isReset: true))
        driver.serve(from: &disk) { disk, _ in
            var disk = disk
            var next = Device.restored(&disk, seed: 3) { $0.pageLength = 2 }
            next.send(.olderRequested)
            next.serve(from: &disk)
            #expect(next.texts == texts)
        }
        #expect(disk[Device.contentsKey] == .contents(Contents(oldestPage: 1, newestPage: 2)))
    }

    @Test("C5, L5: a reset empties no stored page that waits for a save, wherever the process ends")
    func resetBeforeSave() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.sayRefused("mine", &disk)
        driver.hearReplies(1...2)  // the page is being saved with the first, and waits with the second
        driver.loseAndReconnect(isReset: true)
        driver.serve(from: &disk) { disk, _ in
            var disk = disk
            #expect(Device.restored(&disk, seed: 2).texts.contains("mine"))
        }
        #expect(disk[Device.contentsKey] == .contents(Contents(oldestPage: 1, newestPage: 1)))
    }

    @Test("C5, L5, P10: a sign-out after a reset empties no stored page, wherever the process ends")
    func signOutAfterReset() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.sayRefused("mine", &disk)
        driver.hearReplies(1...1)  // the page is being saved
        driver.loseAndReconnect(isReset: true)
        driver.send(.signedOut)
        driver.serve(from: &disk) { disk, _ in
            var disk = disk
            #expect(Device.restored(&disk, seed: 2).texts.contains("mine"))
        }
    }

    @Test("C5, C21, L5: what comes after a reset is stored although the disk refuses a withdrawn page")
    func resetDuringRefusedSave() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.hearReplies(1...2)  // the page is being saved for the first time
        driver.loseAndReconnect(isReset: true)
        driver.hearReplies(3...3)
        driver.answer(Device.pageKey(0), with: .failed(.full))
        driver.sayRefused("mine", &disk)
        #expect(Device.restored(&disk, seed: 2).texts == ["r", "mine"])
    }

    @Test("C13, L5: an edit of a refused message leaves its old or its new text wherever the process ends")
    func editRefused() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("x")
        driver.serve(from: &disk)
        driver.send(.draftEdited("d"))  // until this is saved, the outbox keeps the message
        driver.hear(.rejected(driver.saidIDs[0], reason: "No."))
        driver.serve(from: &disk)
        #expect(driver.outbox(on: disk).map { $0.text } == ["x"])
        driver.send(.messageEdited(driver.saidIDs[0], "y"))
        driver.serve(from: &disk) { disk, _ in
            var disk = disk
            let texts = Device.restored(&disk, seed: 2).texts
            #expect(texts.contains("x") || texts.contains("y"))
        }
        #expect(driver.texts == ["y"] && driver.said == ["x", "y"])
    }

    @Test("C5: a history that is withdrawn while its first page is saved does not come back")
    func resetDuringFirstSave() {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk) { $0.pageLength = 2 }
        driver.send(.shown)
        driver.finishConnecting()
        driver.hearReplies(1...5)
        driver.loseAndReconnect(isReset: true)
        driver.serve(from: &disk)
        driver = Device.restored(&disk, seed: 2) { $0.pageLength = 2 }
        #expect(driver.texts.isEmpty && driver.state.conversation.banner == nil)
    }

    /// The text is said and accepted. The disk does not take its acceptance, and loses the outbox; then the process
    /// ends, and another begins.
    private static func endWithoutOutbox(
        _ text: ExactText, _ driver: inout Device, _ disk: inout Disk<Chat>
    ) {
        driver.say(text)
        driver.serve(from: &disk)
        driver.acknowledge()
        disk[Device.outboxKey] = nil
        driver = Device.restored(&disk, seed: 2)
        driver.send(.shown)
    }

    @Test("C12: an echo proves a message whose acceptance the disk did not keep, and its reply is awaited")
    func provenByEcho() {
        for isAnswered in [true, false] {
            var disk = Disk<Chat>()
            var driver = Device.connected(&disk)
            Self.endWithoutOutbox("a", &driver, &disk)
            #expect(driver.rows.map(\.offer) == [.retry])
            driver.replay([Device.echo("s_1", "a")], isReset: false)
            #expect(driver.statuses == [.delivered] && driver.rows.map(\.offer) == [.edit])
            if isAnswered { driver.hear(.message(Device.reply("s_2", "re: a", at: 2))) }
            driver.advance(by: Chat.Configuration().replyLimit)
            #expect(driver.rows.first?.offer == (isAnswered ? .edit : .retry))
        }
    }

    @Test("C12: no reply is missing above its text where a replay tells two of them in another order")
    func repliesInAnotherOrder() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("a", as: "s_1", at: 1, on: &disk)
        Self.endWithoutOutbox("b", &driver, &disk)
        driver.replay(
            [
                Device.echo("s_2", "b", at: 2), Device.reply("s_4", "re: b", at: 4),
                Device.reply("s_3", "re: a", at: 3),
            ], isReset: false)
        #expect(driver.statuses.compactMap(\.self) == [.delivered, .delivered])
    }

    @Test("L6, C16: a question at the end of a page stands before its reply wherever the process ends")
    func border() {
        for length: Int64 in 1...3 {
            var disk = Disk<Chat>()
            var driver = Device.asking(&disk) { $0.pageLength = length }
            for number in 1...3 {
                driver.say(ExactText("\(number)"))
                driver.serve(from: &disk)
                driver.reply(.began(nil))
                driver.reply(.token(ExactText("re: \(number)")))
                driver.reply(.done(nil, nil))
                var answered = 0
                driver.serve(from: &disk) { disk, _ in
                    var disk = disk
                    let next = Device.asking(&disk, seed: 2) { $0.pageLength = length }
                    guard let reply = next.screen.firstIndex(of: "coach: re: \(number)") else { return }
                    answered += 1
                    #expect(next.screen.prefix(reply).last == "user: \(number)")
                    #expect(next.statuses.prefix(reply).last == .delivered)
                }
                #expect(answered > 0 && driver.screen.last == "coach: re: \(number)")
            }
        }
    }

    @Test("L6: a message sent again under another id is one row, also while a launch still loads pages")
    func renamed() {
        var disk = Disk<Chat>()
        var driver = Device.asking(&disk) { $0.pageLength = 1 }
        for text: ExactText in ["1", "2"] {
            driver.say(text)
            driver.serve(from: &disk)
            driver.reply(.began(nil))
            driver.reply(.failed("Oh."))
            driver.serve(from: &disk)
        }
        driver.send(.retried(driver.rows[1].id))
        for operation in driver.storage where operation.key == Device.outboxKey {
            _ = disk.carryOut(operation)
        }
        driver = .freshAsking(seed: 2) { $0.pageLength = 1 }
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk) { $0 == Device.pageKey(0) }
        #expect(driver.texts == ["2"])
        driver.serve(from: &disk)
        #expect(driver.texts == ["1", "2"] && driver.statuses.last == .queued)
    }

    @Test("L5: a draft that the disk does not bring is told after 5 s, because nothing typed is saved before")
    func silentDraft() {
        var disk = Disk<Chat>()
        disk[Device.draftKey] = .draft("old")
        var driver = Device.fresh()
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk) { $0 == Device.draftKey }
        driver.send(.draftEdited("new"))
        driver.advance(by: Self.limit - .milliseconds(1))
        #expect(driver.state.conversation.banner == nil)
        driver.advance(by: .milliseconds(1))
        #expect(driver.state.conversation.banner == .notRestored(.unavailable))
        driver.send(.bannerDismissed)
        driver.serve(from: &disk)
        driver.advance(by: .seconds(1))
        driver.serve(from: &disk)
        #expect(driver.draft == "old\nnew" && Device.draft(on: disk) == "old\nnew")
        driver.advance(by: Self.limit)
        #expect(driver.state.conversation.banner == nil)
    }

    @Test("L6, L5: a draft that comes before the outbox which has it leaves the composer, if unchanged")
    func lateOutbox() {
        for (isChanged, isSaved) in [(false, false), (true, false), (true, true)] {
            var disk = Disk<Chat>()
            disk[Device.draftKey] = .draft("hello", id: "d_1")
            disk[Device.outboxKey] = .outbox([
                OutboxEntry(key: "c_1", text: "hello", written: Device.epoch, wasSent: false, draft: "d_1")
            ])
            var driver = Device.fresh()
            driver.send(.signedIn(Device.account))
            driver.serve(from: &disk) { $0 == Device.outboxKey }
            driver.advance(by: Self.limit)
            driver.serve(from: &disk) { $0 == Device.outboxKey }
            #expect(driver.draft == "hello")
            if isChanged { driver.send(.draftEdited("hello, you")) }
            if isSaved {
                driver.advance(by: .seconds(1))
                driver.serve(from: &disk) { $0 == Device.outboxKey }
                #expect(Device.draft(on: disk) == "hello, you")
            }
            driver.serve(from: &disk)
            #expect(driver.texts == ["hello"] && driver.draft == (isChanged ? "hello, you" : ""))
            driver.advance(by: .seconds(1))
            driver.serve(from: &disk)
            #expect(Device.draft(on: disk) == driver.draft)
            #expect(Device.restored(&disk).draft == driver.draft)
        }
    }

    @Test(
        "L6: a draft that was sent is not offered again, although the disk clears it later than the server answers",
        arguments: [false, true])
    func lateClearing(isFull: Bool) {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.send(.draftEdited("hello"))
        driver.advance(by: .seconds(1))
        driver.serve(from: &disk)
        driver.send(.sent)
        if isFull {
            driver.serve(from: &disk, failing: { $0 == Device.draftKey }, with: .full)
        } else {
            driver.serve(from: &disk) { $0 == Device.draftKey }
        }
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.hear(.message(Device.echo("m1", "hello", client: driver.saidIDs[0], at: 1)))
        driver.hear(.message(Device.reply("r1", "re", at: 2)))
        driver.serve(from: &disk) { $0 == Device.draftKey }
        #expect(Device.draft(on: disk) == "hello")
        for outboxFirst in [false, true] {
            var copy = disk
            var next = Device.fresh(seed: 2)
            next.send(.signedIn(Device.account))
            if outboxFirst { next.serve(from: &copy) { $0 != Device.outboxKey } }
            next.serve(from: &copy) { $0 == Device.outboxKey }
            next.serve(from: &copy)
            #expect(next.texts == ["hello", "re"] && next.draft == "" && next.queued.isEmpty)
            #expect(Device.draft(on: copy) == "" && copy[Device.outboxKey] == .outbox([]))
        }
        driver.send(.draftEdited("and"))
        driver.advance(by: .seconds(1))
        driver.serve(from: &disk)
        #expect(disk[Device.outboxKey] == .outbox([]) && Device.draft(on: disk) == "and")
    }

    /// How a message leaves the outbox whose draft the disk has not cleared.
    enum Departure: CaseIterable {
        case deletedInQueue, deletedWhenAnswered, editedInQueue, editedWhenRefused, retryDropped
    }

    @Test(
        "C13, L6: a text that is over is not in the composer after a relaunch, although the disk did not clear it",
        arguments: Departure.allCases)
    func notCleared(departure: Departure) {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk)
        driver.send(.shown)
        if departure != .deletedInQueue && departure != .editedInQueue { driver.finishConnecting() }
        driver.send(.draftEdited("hello"))
        driver.advance(by: .seconds(1))
        driver.serve(from: &disk)
        driver.send(.sent)
        driver.serve(from: &disk, failing: { $0 == Device.draftKey }, with: .full)
        switch departure {
        case .deletedInQueue: driver.send(.deleted(.written(driver.queued[0])))
        case .deletedWhenAnswered:
            driver.acknowledge()
            driver.hear(.message(Device.echo("m1", "hello", client: driver.saidIDs[0], at: 1)))
            driver.serve(from: &disk)
            driver.send(.deleted(driver.rows[0].id))
        case .editedInQueue: driver.send(.messageEdited(driver.queued[0], "other"))
        case .editedWhenRefused:
            driver.hear(.rejected(driver.saidIDs[0], reason: "no"))
            driver.serve(from: &disk)
            driver.send(.messageEdited(driver.saidIDs[0], "other"))
        case .retryDropped:
            driver.acknowledge()
            driver.hear(.message(Device.echo("m1", "hello", client: driver.saidIDs[0], at: 1)))
            driver.grow("m2", to: "Answ")
            driver.hear(.replyFailed(.reply("m2"), reason: "busy"))
            driver.serve(from: &disk)
            driver.lose()
            driver.send(.retried(driver.rows[0].id))
            driver.serve(from: &disk)
            driver.advance(by: .seconds(3))
            driver.finishConnecting(replaying: [Device.reply("m2", "Answer", at: 2)])
        }
        #expect(Device.draft(on: disk) == "hello" && driver.outbox(on: disk).count == 1)
        driver.serve(from: &disk) { disk, _ in
            var copy = disk
            #expect(Device.restored(&copy, seed: 2).draft.isEmpty)
        }
        let texts =
            switch departure {
            case .deletedInQueue, .deletedWhenAnswered: [String]()
            case .editedInQueue, .editedWhenRefused: ["other"]
            case .retryDropped: ["hello", "Answer"]
            }
        #expect(Device.restored(&disk, seed: 2).texts == texts)
    }

    @Test(
        "C13, L6: a text that is deleted or edited while the disk takes it down is not in the composer after a relaunch",
        arguments: [false, true])
    func changedWhileSaved(isEdited: Bool) {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk)
        driver.send(.shown)
        driver.send(.draftEdited("hello"))
        driver.advance(by: .seconds(1))
        driver.serve(from: &disk)
        driver.send(.sent)
        let client = driver.queued[0]
        driver.send(isEdited ? .messageEdited(client, "other") : .deleted(.written(client)))
        driver.serve(from: &disk) { disk, _ in
            var copy = disk
            #expect(Device.restored(&copy, seed: 2).draft.isEmpty)
        }
        #expect(Device.restored(&disk, seed: 2).texts == (isEdited ? ["other"] : []))
    }

    @Test("L5, C13: other words for what an unloaded page says is delivered are another message")
    func rewrittenDelivered() {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk) { $0.pageLength = 2 }
        driver.send(.shown)
        driver.finishConnecting()
        for number in 1...3 {
            driver.say(ExactText("\(number)"))
            driver.serve(from: &disk)
            driver.hear(.acknowledged(driver.saidIDs.last ?? ""))
            driver.hear(
                .message(Device.echo(MessageID("s_\(number)"), ExactText("\(number)"), at: Int64(number))))
            driver.serve(from: &disk)
        }
        // A disk that failed has not taken down that the first was sent.
        let client = driver.saidIDs[0]
        disk[Device.outboxKey] = .outbox([
            OutboxEntry(key: client, text: "1", written: driver.context.wall, wasSent: false)
        ])
        var next = Device.restored(&disk, seed: 2) { $0.pageLength = 2 }
        next.send(.messageEdited(client, "other"))
        next.serve(from: &disk)
        next.send(.olderRequested)
        next.serve(from: &disk)
        #expect(next.texts == ["1", "2", "3", "other"])
        #expect(next.statuses.first == .delivered && next.statuses.last == .queued)
        #expect(next.queued.count == 1 && next.queued != [client])
        next = Device.restored(&disk, seed: 3) { $0.pageLength = 2 }
        next.send(.olderRequested)
        next.serve(from: &disk)
        #expect(next.texts == ["1", "2", "3", "other"])
    }

    @Test("L5, C13: other words for what a replay says is delivered are another message")
    func rewrittenReplayed() {
        var disk = Disk<Chat>()
        disk[Device.outboxKey] = .outbox([
            OutboxEntry(key: "c_1", text: "1", written: Device.epoch, wasSent: false)
        ])
        var driver = Device.restored(&disk)
        driver.send(.messageEdited("c_1", "other"))
        driver.serve(from: &disk)
        driver.send(.shown)
        driver.hear(.opened)
        driver.hear(.authenticated(replayCount: 1, isTruncated: false, isReset: false))
        driver.hear(.message(Device.echo("s_1", "1", client: "c_1", at: 1)))
        driver.serve(from: &disk)
        #expect(driver.texts == ["1", "other"])
        #expect(driver.said == ["other"] && driver.saidIDs != ["c_1"])
    }

    @Test("L5: a draft that the disk was silent about and then refuses is told once")
    func draftToldOnce() {
        var driver = Device.connected()
        driver.send(.draftEdited("a"))
        driver.advance(by: .seconds(1))
        #expect(driver.draftsToBeSaved == ["a"])
        driver.advance(by: Chat.Configuration().storageLimit)
        #expect(driver.state.conversation.banner == .notSaved(.unavailable))
        driver.send(.bannerDismissed)
        driver.answer(Device.draftKey, with: .failed(.full))
        #expect(driver.state.conversation.banner == nil && driver.draft == "a")
    }

    @Test("L5, L6, C14: a file that is being copied when a late outbox has the draft stays in the composer")
    func lateOutboxWhileCopying() {
        var disk = Disk<Chat>()
        disk[Device.draftKey] = .draft("Hi", id: "d_1")
        disk[Device.outboxKey] = .outbox([
            OutboxEntry(key: "c_1", text: "Hi", written: Device.epoch, wasSent: false, draft: "d_1")
        ])
        var driver = Device.fresh()
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk) { $0 == Device.outboxKey }
        driver.advance(by: Chat.Configuration().storageLimit)
        driver.serve(from: &disk) { $0 == Device.outboxKey }
        #expect(driver.draft == "Hi")
        driver.pick("a", "text/plain", count: 1)
        driver.answerOutbox(with: .loaded(disk[Device.outboxKey] ?? .outbox([])))
        driver.serve(from: &disk)
        #expect(driver.texts == ["Hi"])
        #expect(Chat.composer(driver.state).attachments.map { $0.name } == ["a"])
    }
}
