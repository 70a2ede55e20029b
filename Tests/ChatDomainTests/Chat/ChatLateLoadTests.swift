import ChatDomain
import Testing

/// What is loaded late, because the disk was slow or one conversation was heard of after the others.
@Suite("Chat: what is stored and comes late")
struct ChatLateLoadTests {
    private typealias Device = Driver<Chat>

    private static let limit = Chat.Configuration().storageLimit

    /// A disk with a second conversation in which “Hi” waits, which was never on a wire.
    private static func disk(_ device: Device) -> (disk: Disk<Chat>, other: ConversationID) {
        var (driver, disk) = (device, Disk<Chat>())
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk)
        driver.send(.conversationCreated(title: "b"))
        driver.serve(from: &disk)
        driver.send(.draftEdited("Hi"))
        driver.send(.sent)
        driver.serve(from: &disk)
        return (disk, driver.state.conversation.id)
    }

    @Test("L3: a conversation that is heard of after the others is waited for 5 s; then its messages go")
    func learntLate() {
        for device in [Device.fresh(), Device.freshAsking()] {
            var (disk, other) = Self.disk(device)
            var driver = device
            driver.send(.signedIn(Device.account))
            driver.send(.shown)
            driver.serve(from: &disk, but: { $0 == .conversations("kay") })
            driver.advance(by: Self.limit)
            if driver.socket != nil { driver.finishConnecting() }
            let isSilent = { (key: Chat.Key) in key == .contents("kay", other) }
            driver.serve(from: &disk, but: isSilent)
            #expect(driver.stuckSpinner == nil && driver.said.isEmpty && driver.questions.isEmpty)
            driver.advance(by: Self.limit)
            driver.serve(from: &disk, but: isSilent)
            #expect(driver.stuckSpinner == nil)
            #expect(driver.said + driver.questions.map { $0.text } == ["Hi"])
        }
    }

    @Test("L3: once all conversations are there, the limit for them no longer runs")
    func learntInTime() {
        var (disk, _) = Self.disk(Device.fresh())
        var driver = Device.fresh()
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk, but: { $0 == .conversations("kay") })
        driver.advance(by: Self.limit)
        driver.serve(from: &disk)
        #expect(!driver.isRunning(.restoring) && driver.stuckSpinner == nil)
    }

    @Test("C13: a sent message that is deleted before its page is loaded does not come back with the page")
    func deletedBeforeLoaded() {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk)
        driver.send(.shown)
        driver.finishConnecting()
        driver.send(.draftEdited("Hi"))
        driver.send(.sent)
        driver.serve(from: &disk)
        #expect(driver.said == ["Hi"])
        driver = Device.fresh(seed: 2)
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk, but: { if case .contents = $0 { true } else { false } })
        guard let row = driver.rows.first else { return #expect(Bool(false)) }
        driver.send(.deleted(row.id))
        #expect(driver.rows.isEmpty)
        driver.serve(from: &disk)
        #expect(driver.rows.isEmpty && driver.queued.isEmpty)
        driver = Device.restored(&disk, seed: 3)
        #expect(driver.rows.isEmpty && driver.queued.isEmpty)
    }

    @Test("C7, L3: a message to be sent again keeps its turn, whatever a later page says")
    func turnBeforePage() {
        var disk = Disk<Chat>()
        var driver = Device.asking(&disk)
        driver.send(.networkChanged(isUp: false))
        driver.send(.draftEdited("Hi"))
        driver.send(.sent)
        driver.serve(from: &disk)
        driver.send(.networkChanged(isUp: true))
        // The record never tells that it was on a wire; the page does.
        driver.answerOutbox(with: .failed(.full))
        driver.serve(from: &disk)
        #expect(driver.questions.map { $0.text } == ["Hi"])
        driver = Device.freshAsking(seed: 2)
        driver.send(.signedIn(Device.account))
        driver.send(.shown)
        driver.serve(from: &disk, but: { $0 == Device.pageKey(0) })
        driver.advance(by: Self.limit)
        driver.serve(from: &disk, but: { $0 != Device.pageKey(0) })
        #expect(driver.statuses == [.queued])
        #expect(driver.stuckSpinner == nil && driver.questions.isEmpty)
        driver.serve(from: &disk)
        #expect(driver.questions.map { $0.text } == ["Hi"] && driver.screen == ["user: Hi"])
    }

    @Test("C21, C15: an older page that is loaded while a question is in flight says nothing of it")
    func pageWhileAsking() {
        var disk = Disk<Chat>()
        disk[Device.contentsKey] = .contents(Contents(oldestPage: 0, newestPage: 2))
        for page: Int64 in 0..<3 {
            let message = Message(
                id: MessageID(ExactText("m\(page)")), author: .elsewhere(nil), body: .text(LongText("old")),
                time: Device.epoch, isPlaced: true)
            disk[Device.pageKey(page)] = .page(Page(messages: [message], cursor: nil))
        }
        var driver = Device.asking(&disk) { $0.pageLength = 1 }
        driver.say("Hi")
        driver.serve(from: &disk)
        #expect(driver.questions.count == 1 && driver.rows.count == 3)
        driver.send(.olderRequested)
        driver.serve(from: &disk)
        #expect(driver.rows.count == 4 && driver.rows.last?.status == .sending)
    }

    @Test("C13, C8: a question that found no network and was deleted holds nothing up, whatever is read late")
    func deletedOffline() {
        var disk = Disk<Chat>()
        var driver = Device.freshAsking()
        let isSilent = { (key: Chat.Key) in key == Device.contentsKey }
        driver.send(.signedIn(Device.account))
        driver.send(.shown)
        driver.serve(from: &disk, but: isSilent)
        driver.advance(by: Self.limit)
        for text: ExactText in ["One", "Two"] {
            driver.say(text)
            driver.serve(from: &disk, but: isSilent)
        }
        for _ in 0..<2 {
            driver.breakOff(.failed(.offline))
            driver.advance(by: .milliseconds(400))
        }
        driver.send(.deleted(driver.rows[0].id))
        driver.serve(from: &disk)
        #expect(driver.texts == ["Two"] && driver.questions.isEmpty)
        driver.send(.networkChanged(isUp: true))
        driver.serve(from: &disk)
        #expect(driver.questions.map { $0.text } == ["Two"])
    }

    @Test("C5: a partial on an older page that no replay has told is dropped when the page is loaded")
    func olderPartial() {
        var disk = Disk<Chat>()
        disk[Device.contentsKey] = .contents(Contents(oldestPage: 0, newestPage: 1))
        let lost = ReplyEnding(.broken(.lost), needsNewKey: true)
        let bodies: [Message.Body] = [.interrupted(LongText("Part"), lost), .text(LongText("Whole"))]
        for (page, body) in bodies.enumerated() {
            let message = Message(
                id: MessageID(ExactText("s_\(page)")), author: .assistant(to: nil), body: body,
                time: Device.epoch + .seconds(Int64(page)), isPlaced: true)
            disk[Device.pageKey(Int64(page))] = .page(Page(messages: [message], cursor: "s_1"))
        }
        var driver = Device.restored(&disk) { $0.pageLength = 1 }
        driver.send(.shown)
        driver.finishConnecting()
        #expect(driver.texts == ["Whole"] && Chat.hasOlder(driver.state))
        driver.send(.olderRequested)
        driver.serve(from: &disk)
        #expect(driver.texts == ["Whole"] && !Chat.hasOlder(driver.state))
    }

    @Test(
        "C13: a sent message that is edited before its page is loaded stays; the new text follows it")
    func editedBeforeLoaded() {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk)
        driver.send(.shown)
        driver.finishConnecting()
        driver.send(.draftEdited("Hi"))
        driver.send(.sent)
        driver.serve(from: &disk)
        #expect(driver.said == ["Hi"])
        driver = Device.fresh(seed: 2)
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk, but: { if case .contents = $0 { true } else { false } })
        guard case .written(let client)? = driver.rows.first?.id else { return #expect(Bool(false)) }
        driver.send(.messageEdited(client, "Hello"))
        #expect(driver.texts == ["Hi", "Hello"])
        driver.serve(from: &disk)
        #expect(driver.texts == ["Hi", "Hello"])
        driver = Device.restored(&disk, seed: 3)
        #expect(driver.texts == ["Hi", "Hello"])
    }

    @Test(
        "C10, L6: an echo that comes before the page of its message is that message's, also after a relaunch",
        arguments: [0, 1, 2])
    func echoedBeforeLoaded(relaunches: Int) {
        let configure = { (configuration: inout Chat.Configuration) in configuration.pageLength = 2 }
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk, seed: 1, configure)
        driver.send(.shown)
        driver.finishConnecting()
        for (text, echo) in [("Hi", nil), ("Yo", Device.echo("m2", "Yo", at: 60))] {
            driver.say(ExactText(text))
            driver.serve(from: &disk)
            driver.hear(.acknowledged(driver.saidIDs[driver.saidIDs.count - 1]))
            if let echo { driver.hear(.message(echo)) }
            driver.serve(from: &disk)
        }
        let replies = (1...5).map {
            Device.reply(MessageID("s\($0)"), ExactText("\($0)"), at: 100 * Int64($0))
        }
        for reply in replies { driver.hear(.message(reply)) }
        driver.serve(from: &disk)
        for seed in 0...relaunches {
            driver = Device.restored(&disk, seed: UInt64(2 + seed), configure)
            driver.send(.shown)
            driver.finishConnecting(replaying: seed == 0 ? [Device.echo("m1", "Hi", at: 50)] : [])
            driver.serve(from: &disk)
        }
        driver.scrollUp(6, on: &disk)
        #expect(driver.texts.sorted() == ["1", "2", "3", "4", "5", "Hi", "Yo"])
    }

    @Test(
        "C13: a deleted message does not come back when a replay of all precedes its page",
        arguments: [0, 1, 2])
    func deletedBeforeTold(relaunches: Int) {
        let configure = { (configuration: inout Chat.Configuration) in configuration.pageLength = 2 }
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk, seed: 1, configure)
        driver.send(.shown)
        driver.finishConnecting()
        let history = (1...8).map { number in
            number == 2
                ? Device.echo("s2", "2", at: 2)
                : Device.reply(MessageID("s\(number)"), ExactText("\(number)"), at: Int64(number))
        }
        for message in history { driver.hear(.message(message)) }
        driver.serve(from: &disk)
        for row in driver.rows.prefix(2) { driver.send(.deleted(row.id)) }
        driver.serve(from: &disk)
        for seed in 0...relaunches {
            driver = Device.restored(&disk, seed: UInt64(2 + seed), configure)
            #expect(Chat.hasOlder(driver.state))
            driver.send(.scrolled(isAtEnd: false))
            driver.send(.shown)
            driver.finishConnecting(replaying: history)
            #expect(driver.texts.sorted() == (3...8).map { "\($0)" })
            driver.serve(from: &disk)
        }
        driver.scrollUp(8, on: &disk)
        #expect(driver.texts.sorted() == (3...8).map { "\($0)" })
    }

    @Test("C13, L3: a delete that arrived before its message is known removes the message as soon as it is")
    func toldBeforeKnown() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.hear(.message(Device.reply("s1", "gone", at: 1)))
        driver.hear(.message(Device.reply("s2", "here", at: 2)))
        driver.send(.deleted(driver.rows[0].id))
        driver.serve(from: &disk)
        driver = Device.fresh(seed: 2)
        driver.send(.signedIn(Device.account))
        driver.send(.shown)
        driver.serve(from: &disk, but: { $0 == Device.contentsKey })
        driver.advance(by: Self.limit)
        driver.finishConnecting(replaying: [
            Device.reply("s1", "gone", at: 1), Device.reply("s2", "here", at: 2),
        ])
        driver.serve(from: &disk) { $0 == Device.pageKey(0) }
        #expect(driver.texts == ["here"])
        driver.serve(from: &disk)
        #expect(driver.texts == ["here"])
    }

    @Test("C10, L6: a message that is told again before its page is read has its mark once that is read")
    func markLate() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("Hello", as: "s_1", at: 1, on: &disk)
        driver.hear(.message(Device.reply("s_2", "fine", at: 2)))
        driver.serve(from: &disk)
        driver = Device.withSilentContents(&disk)
        driver.finishConnecting(replaying: [
            Device.echo("s_1", "Hello", at: 1), Device.reply("s_2", "fine", at: 2),
        ])
        #expect(driver.texts == ["Hello", "fine"] && !driver.isDelivered("Hello"))
        driver.serve(from: &disk)
        #expect(driver.texts == ["Hello", "fine"] && driver.isDelivered("Hello"))
    }

    /// A reset comes before the contents on the disk are loaded.
    private static func reset(before disk: inout Disk<Chat>) -> Device {
        var driver = Device.withSilentContents(&disk)
        driver.replay([], isReset: true)
        return driver
    }

    @Test("C5, L5: a reset that comes before the pages are known drops no refused message on one of them")
    func resetBeforeLoaded() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.sayRefused("mine", &disk)
        driver = Self.reset(before: &disk)
        driver.serve(from: &disk)
        #expect(driver.texts == ["mine"])
        #expect(Device.restored(&disk, seed: 3).texts == ["mine"])
    }

    @Test("C5, L8: a reset does not look for each of the pages that contents name and that do not exist")
    func resetWithoutPages() {
        var disk = Disk<Chat>()
        disk[Device.contentsKey] = .contents(Contents(oldestPage: 0, newestPage: 100_000))
        var driver = Self.reset(before: &disk)
        let isDone = driver.serve(from: &disk, atMost: 20)
        #expect(isDone)
        #expect(disk[Device.contentsKey] == .contents(Contents(oldestPage: 100_001, newestPage: 100_000)))
    }

    @Test("L6, C10: an echo of a message on a page that is read late settles no later message with its text")
    func sameTextLate() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("ok", as: "s_1", at: 1, on: &disk)
        driver.hear(.message(Device.reply("s_2", "fine", at: 2)))
        driver.serve(from: &disk)
        driver.say("ok")
        driver.serve(from: &disk) { $0 != Device.outboxKey }
        driver = Device.withSilentContents(&disk)
        driver.finishConnecting(replaying: [
            Device.echo("s_1", "ok", at: 1), Device.reply("s_2", "fine", at: 2),
        ])
        driver.serve(from: &disk)
        #expect(driver.texts.sorted() == ["fine", "ok", "ok"])
        #expect(driver.said == ["ok"] && driver.queued == driver.saidIDs)
    }

    @Test("C12, C10: a question whose page is read after its echo and its reply were told again is answered")
    func answeredBeforeLoaded() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("Hello")
        driver.serve(from: &disk)
        driver.acknowledge()
        driver.serve(from: &disk)
        driver = Device.withSilentContents(&disk)
        driver.finishConnecting(replaying: [
            Device.echo("s_1", "Hello", at: 1), Device.reply("s_2", "fine", at: 2),
        ])
        driver.serve(from: &disk)
        #expect(driver.shows == ["me: Hello", "coach: fine"])
    }
}
