// Which question a reply answers, among those of the other devices and those that never get one.

import ChatDomain
import Testing

@Suite("Situations: turns")
struct TurnSituations {
    private typealias Device = Driver<Chat>

    /// The person's tablet has asked T, and M was asked here.
    private func asked(_ disk: inout Disk<Chat>) -> Device {
        var driver = Device.connected(&disk)
        driver.hear(.message(Device.echo("s_t", "T", at: 1, from: "device-2")))
        driver.ask("M", as: "s_m", at: 2, on: &disk)
        return driver
    }

    @Test("C10, C20: stop ends the wait here; the reply to the other device is shown all the same")
    func stopped() {
        var disk = Disk<Chat>()
        var driver = asked(&disk)
        driver.send(.waitingStopped)
        driver.hear(.message(Device.reply("r_t", "for T", at: 3)))
        #expect(driver.texts.contains("for T"))
        driver.hear(.message(Device.reply("r_m", "for M", at: 4)))
        driver.serve(from: &disk)
        #expect(driver.texts.filter { $0.hasPrefix("for") } == ["for T"] && !driver.isWaiting)
    }

    @Test(
        "C10, C12: a reply that overtakes the question of the other device is its answer",
        arguments: [false, true])
    func overtaken(_ isGrowing: Bool) {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        if isGrowing { driver.grow("r_t", to: "for", at: 2) }
        driver.hear(.message(Device.reply("r_t", "for T", at: 2)))
        driver.hear(.message(Device.echo("s_t", "T", at: 1, from: "device-2")))
        driver.ask("M", as: "s_m", at: 3, on: &disk)
        driver.hear(.message(Device.reply("r_m", "for M", at: 4)))
        driver.serve(from: &disk)
        #expect(!driver.isWaiting)
        driver.advance(by: Chat.Configuration().replyLimit)
        #expect(driver.shows.suffix(2) == ["me: M", "coach: for M"] && driver.isDelivered("M"))
    }

    @Test("C12: a question of the other device that the server has lost with its history takes no reply")
    func forgotten() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.hear(.message(Device.echo("s_t", "T", at: 1, from: "device-2")))
        driver.serve(from: &disk)
        driver.loseAndReconnect(isReset: true)
        driver.ask("M", as: "s_m", at: 2, on: &disk)
        driver.hear(.message(Device.reply("r_m", "for M", at: 3)))
        driver.advance(by: Chat.Configuration().replyLimit)
        #expect(driver.shows == ["me: M", "coach: for M"] && driver.statuses.first == .delivered)
    }

    @Test("C12, L8: a question without a reply is said to be, however many the other device asks meanwhile")
    func crowd() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("M", as: "s_m", at: 1, on: &disk)
        for number in 0..<1_000 {
            driver.hear(
                .message(Device.echo(MessageID(ExactText("s_\(number)")), "T", at: 2, from: "device-2")))
        }
        driver.ask("N", as: "s_n", at: 3, on: &disk)
        let waits = driver.timers.count { if case .replyLimit = $0.timer { true } else { false } }
        #expect(waits == 1_000)
        driver.advance(by: .seconds(120))
        #expect(driver.note("M") != nil && driver.note("N") != nil && !driver.isWaiting)
    }

    @Test("C11, L6: an acknowledgement is stronger than a refusal that came before it")
    func acknowledgedAfterRefusal() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("One")
        driver.serve(from: &disk)
        driver.hear(.rejected(driver.saidIDs[0], reason: "of something else"))
        driver.serve(from: &disk)
        driver.acknowledge()
        #expect(driver.statuses == [.accepted] && driver.isWaiting)
        driver.hear(.message(Device.echo("s_1", "One", at: 1)))
        driver.hear(.message(Device.reply("s_2", "for One", at: 2)))
        driver.serve(from: &disk)
        #expect(driver.shows == ["me: One", "coach: for One"] && driver.rows[0].offer == .edit)
        driver = .relaunched(&disk)
        #expect(driver.shows == ["me: One", "coach: for One"] && driver.queued.isEmpty)
    }

    @Test("S10, C12: a muted reply answers its question for good, wherever its time puts it")
    func mutedForGood() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("One", as: "s_1", at: 5, on: &disk)
        driver.send(.waitingStopped)
        driver.hear(.message(Device.reply("s_2", "for One", at: 1)))
        driver.serve(from: &disk)
        driver = .relaunched(&disk)
        driver.ask("Two", as: "s_3", at: 10, on: &disk)
        driver.hear(.message(Device.reply("s_4", "for Two", at: 11)))
        driver.serve(from: &disk)
        #expect(driver.shows == ["me: One", "me: Two", "coach: for Two"] && !driver.isWaiting)
    }

    @Test(
        "S10, C12: after a relaunch a question mutes the next reply only as long as its own may come",
        arguments: [(-1_000, false), (-10, true), (10, true), (1_000, false)] as [(Int64, Bool)])
    func mutedLongAgo(seconds: Int64, isMuted: Bool) {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        let asked = driver.context.wall + .seconds(seconds)
        driver.say("One")
        driver.serve(from: &disk)
        driver.acknowledge()
        driver.hear(
            .message(IncomingMessage(id: "s_1", role: .user, text: "One", time: asked, isGrowing: false)))
        driver.send(.waitingStopped)
        driver.serve(from: &disk)
        driver = .relaunched(&disk)
        driver.ask("Two", as: "s_3", at: 10, on: &disk)
        driver.hear(.message(Device.reply("s_4", "next", at: 11)))
        driver.serve(from: &disk)
        #expect(driver.texts.contains("next") == !isMuted)
    }

    @Test(
        "C12: a question of another device that is replayed after 120 s or later waits for no reply",
        arguments: [(119, true), (120, false)] as [(Int64, Bool)])
    func replayedLate(age: Int64, isAwaited: Bool) {
        var driver = Device.connecting()
        let question = IncomingMessage(
            id: "s_1", role: .user, text: "One", time: driver.context.wall + .seconds(-age),
            device: "device-2", isGrowing: false)
        driver.finishConnecting(replaying: [question])
        #expect(driver.shows == ["me: One"] && driver.state.conversation.awaitsReply == isAwaited)
    }

    @Test("C12: a reply is waited for through 120 s of connection, however long there is none between them")
    func timeOfConnection() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("One", as: "s_1", at: 1, on: &disk)
        driver.advance(by: .seconds(60))
        driver.send(.networkChanged(isUp: false))
        driver.lose()
        driver.advance(by: .seconds(300))
        #expect(driver.shows == ["me: One"] && !driver.isWaiting)
        driver.send(.networkChanged(isUp: true))
        driver.replay([], isReset: false)
        driver.advance(by: .seconds(59))
        #expect(driver.shows == ["me: One"] && driver.isWaiting)
        driver.advance(by: .seconds(2))
        #expect(driver.shows == ["me: One ! [retry]"] && !driver.isWaiting)
    }

    @Test(
        "L5: a message that the server is not known to have is sent again, whatever fails behind it",
        arguments: [false, true], [false, true])
    func failedBeforeArrival(isWanted: Bool, isEmpty: Bool) {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("One")
        driver.serve(from: &disk)
        if !isWanted { driver.send(.waitingStopped) }
        if isEmpty {
            driver.hear(.message(Device.reply("s_9", "", at: 9)))
        } else {
            driver.hear(.replyFailed(.reply("s_9"), reason: "busy"))
        }
        #expect(driver.shows == ["me: One"])
        driver.loseAndReconnect()
        driver.serve(from: &disk)
        #expect(driver.said == ["One", "One"] && Set(driver.saidIDs).count == 1)
    }

    @Test("C12, C19: messages of another device that bear one name are waited for each in its conversation")
    func oneNameTwice() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.create("Other")
        let other = driver.state.conversation.id
        driver.send(.conversationSwitched(to: .main))
        driver.serve(from: &disk)
        for home in [ConversationID.main, other] {
            driver.hear(
                .message(
                    IncomingMessage(
                        id: "f_1", conversation: home, role: .user, text: "T", time: Device.epoch,
                        device: "tablet", isGrowing: false)))
        }
        driver.hear(
            .message(
                IncomingMessage(
                    id: "r_1", conversation: other, role: .assistant, text: "for T", time: Device.epoch,
                    isGrowing: false)))
        driver.advance(by: .seconds(121))
        driver.ask("Mine", as: "s_2", at: 200, on: &disk)
        driver.hear(.message(Device.reply("r_2", "for Mine", at: 201)))
        driver.advance(by: .seconds(121))
        #expect(driver.shows == ["me: T", "me: Mine", "coach: for Mine"])
    }

    @Test(
        "C10, C12: an error that names the reply to the other device fails nothing here",
        arguments: [false, true])
    func failedElsewhere(hasText: Bool) {
        var disk = Disk<Chat>()
        var driver = asked(&disk)
        if hasText {
            driver.grow("r_t", to: "for", at: 3)
        } else {
            driver.hear(.message(Device.reply("r_t", "", isGrowing: true)))
        }
        driver.hear(.replyFailed(.reply("r_t"), reason: "busy"))
        #expect(driver.note("M") == nil && driver.rows.allSatisfy { $0.offer != .retry })
        #expect(driver.isWaiting, "the answer to M may still come")
        driver.hear(.message(Device.reply("r_m", "for M", at: 4)))
        driver.serve(from: &disk)
        #expect(driver.texts.suffix(1) == ["for M"] && driver.note("M") == nil && driver.isDelivered("M"))
        #expect(!driver.isWaiting)
    }

    @Test(
        "C10, C12: an error that names the other device's question leaves the next reply to the question here",
        arguments: [false, true])
    func questionFailedElsewhere(hasText: Bool) {
        var disk = Disk<Chat>()
        var driver = asked(&disk)
        if hasText { driver.grow("r_t", to: "for", at: 3) }
        driver.hear(.replyFailed(.reply("s_t"), reason: "busy"))
        driver.hear(.replyFailed(.reply("s_t"), reason: "busy"))
        #expect(!driver.isRunning(.replyLimit(.elsewhere("s_t"), in: .main)))
        #expect(driver.rows.allSatisfy { !$0.isGrowing })
        #expect(driver.isWaiting, "the answer to M may still come")
        driver.hear(.message(Device.reply("r_m", "for M", at: 4)))
        driver.serve(from: &disk)
        #expect(!driver.isWaiting && driver.isDelivered("M"))
        driver.advance(by: .seconds(121))
        #expect(driver.texts.suffix(1) == ["for M"] && driver.note("M") == nil)
        #expect(driver.rows.allSatisfy { $0.offer != .retry })
    }

    @Test("C10, C12: the reply to the other device does not count as the answer to the question here")
    func unansweredHere() throws {
        var disk = Disk<Chat>()
        var driver = asked(&disk)
        driver.hear(.message(Device.reply("r_t", "for T", at: 3)))
        #expect(driver.isWaiting)
        driver.advance(by: .seconds(121))
        driver.serve(from: &disk)
        #expect(driver.note("M") != nil && !driver.isWaiting)
        try driver.retry(on: &disk)
        #expect(driver.said == ["M", "M"])
    }

    @Test("C10: the question of the other device may come between two of this one")
    func between() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("M1", as: "s_1", at: 1, on: &disk)
        driver.hear(.message(Device.echo("s_t", "T", at: 2, from: "device-2")))
        driver.ask("M2", as: "s_2", at: 3, on: &disk)
        driver.hear(.message(Device.reply("r_1", "for M1", at: 4)))
        driver.hear(.message(Device.reply("r_t", "for T", at: 5)))
        #expect(driver.isWaiting && driver.isDelivered("M1"))
        driver.advance(by: .seconds(121))
        #expect(driver.note("M1") == nil && driver.note("M2") != nil && !driver.isWaiting)
    }

    @Test("C12: no row says that an answer is missing which is shown; what has none says so after its time")
    func overtaken() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("Hello", as: "s_1", at: 1, on: &disk)
        driver.advance(by: .seconds(30))
        driver.ask("Still there?", as: "s_2", at: 30, on: &disk)
        driver.advance(by: .milliseconds(1_500))
        driver.hear(.message(Device.reply("s_3", "Yes", at: 32)))
        driver.serve(from: &disk)
        for second in 0..<150 {
            driver.advance(by: .seconds(1))
            #expect(driver.note("Still there?") == nil, "after \(second) s")
        }
        driver.serve(from: &disk)
        #expect(driver.shows == ["me: Hello ! [retry]", "me: Still there?", "coach: Yes"])
        #expect(driver.note("Hello") == Wording.neutral.noReply.string && !driver.isWaiting)
        driver = .relaunched(&disk)
        #expect(driver.shows == ["me: Hello ! [retry]", "me: Still there?", "coach: Yes"])
    }

    @Test("C12: the same over a relaunch while the time still runs", arguments: [1, 2, 3])
    func overtakenBeforeRelaunch(questions: Int) {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        for number in 0...questions {
            driver.ask(
                ExactText("q\(number)"), as: MessageID(ExactText("s_\(number)")), at: Int64(number), on: &disk
            )
        }
        for number in 0..<questions {
            driver.hear(
                .message(
                    Device.reply(
                        MessageID(ExactText("r_\(number)")), ExactText("a\(number)"), at: 30 + Int64(number)))
            )
        }
        driver.serve(from: &disk)
        driver = .relaunched(&disk)
        driver.advance(by: .seconds(150))
        let asked = (0...questions).map { "me: q\($0)" + ($0 == 0 ? " ! [retry]" : "") }
        #expect(driver.shows == asked + (0..<questions).map { "coach: a\($0)" } && !driver.isWaiting)
        driver.serve(from: &disk)
        #expect(Device.relaunched(&disk, seed: 3).shows == driver.shows)
    }

    @Test("C12: a reply before a question was taken is none to that, over a relaunch too")
    func answeredBeforeTaken() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("One", as: "s_1", at: 1, on: &disk)
        driver.say("Two")
        driver.serve(from: &disk)
        driver.hear(.message(Device.reply("r_1", "for One", at: 2)))
        driver.serve(from: &disk)
        driver = .relaunched(&disk)
        driver.acknowledge()
        driver.hear(.message(Device.echo("s_2", "Two", at: 3)))
        driver.serve(from: &disk)
        driver.advance(by: .seconds(121))
        #expect(driver.shows == ["me: One", "coach: for One", "me: Two ! [retry]"] && !driver.isWaiting)
    }

    @Test("C5, C12: a reply that goes on in a replayed history is that to its own question")
    func goesOnAfterReset() throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("One", as: "s_1", at: 1, on: &disk)
        driver.grow("r_1", to: "Part", at: 2)
        driver.ask("Two", as: "s_2", at: 3, on: &disk)
        driver.lose()
        driver.serve(from: &disk)
        driver = .restored(&disk, seed: 2)
        driver.send(.shown)
        driver.hear(.opened)
        driver.hear(.authenticated(replayCount: 2, isTruncated: false, isReset: true))
        driver.hear(.message(Device.echo("s_1", "One", at: 1)))
        driver.grow("r_1", to: "Part of", at: 2)
        driver.hear(.message(Device.echo("s_2", "Two", at: 3)))
        driver.hear(.replyFailed(.reply("r_1"), reason: "busy"))
        driver.hear(.message(Device.reply("r_2", "for Two", at: 4)))
        driver.serve(from: &disk)
        #expect(driver.shows == ["me: One", "coach: Part of ! [retry]", "me: Two", "coach: for Two"])
        try driver.retry(on: &disk)
        #expect(driver.said == ["One"])
    }

    @Test("C10, C16: the same when the clock of this device is an hour ahead")
    func failedElsewhereByWrongClock() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.context.moment = Moment(now: driver.context.now, wall: Device.epoch + .hours(1))
        driver.hear(.message(Device.echo("s_t", "T", at: 1, from: "device-2")))
        driver.ask("M", as: "s_m", at: 2, on: &disk)
        expectFailureElsewhere(&driver, on: &disk)
    }

    @Test("C10: the same over a relaunch")
    func failedElsewhereAfterRelaunch() {
        var disk = Disk<Chat>()
        _ = asked(&disk)
        var driver = Device.relaunched(&disk)
        expectFailureElsewhere(&driver, on: &disk)
    }

    /// The reply to T fails, and that to M comes.
    private func expectFailureElsewhere(_ driver: inout Device, on disk: inout Disk<Chat>) {
        driver.hear(.replyFailed(.reply("r_t"), reason: "busy"))
        #expect(driver.shows == ["me: T", "me: M"] && driver.isWaiting)
        driver.hear(.message(Device.reply("r_m", "for M", at: 4)))
        driver.serve(from: &disk)
        #expect(driver.shows == ["me: T", "me: M", "coach: for M"] && !driver.isWaiting)
        driver.advance(by: .minutes(5))
        #expect(driver.shows == ["me: T", "me: M", "coach: for M"])
    }

    @Test(
        "C5, C12: a question whose reply is not in the replayed history says so, with a retry",
        arguments: [false, true])
    func replyIsNotToldAgain(isRelaunched: Bool) throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("One", as: "s_1", at: 1, on: &disk)
        driver.grow("r_1", to: "Part", at: 2)
        let history = [Device.echo("s_1", "One", at: 1)]
        if isRelaunched {
            driver.lose()
            driver.serve(from: &disk)
            driver = .relaunched(&disk, replaying: history, isReset: true)
        } else {
            driver.loseAndReconnect(replaying: history, isReset: true)
            driver.serve(from: &disk)
        }
        #expect(driver.shows == ["me: One ! [retry]"] && !driver.isWaiting)
        try driver.retry(on: &disk)
        driver.acknowledge()
        driver.hear(.message(Device.reply("r_3", "Whole", at: 3)))
        #expect(driver.shows == ["me: One", "coach: Whole"])
    }

    // MARK: What order alone says

    @Test("L5, C10: a reply that only order gives to a message in flight is no acknowledgement")
    func orderIsNoAcknowledgement() {
        var driver = Device.connected()
        driver.sayDurably("Mine")
        driver.hear(.message(Device.reply("s_9", "To another device", at: 9)))
        #expect(driver.statuses.first == .sending)
        driver.acknowledge()
        #expect(driver.isDelivered("Mine"))
    }

    @Test("L5: a refused message is unsent, also below a reply that was matched by order", arguments: 1...2)
    func refusedAndAnswered(sends: Int) {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("Mine")
        driver.serve(from: &disk)
        driver.hear(.message(Device.reply("s_9", "To another device", at: 9)))
        if sends == 2 {
            driver.loseAndReconnect()
            driver.serve(from: &disk)
        }
        #expect(driver.said.count == sends)
        driver.hear(.rejected(driver.saidIDs[0], reason: "too large"))
        driver.serve(from: &disk)
        #expect(driver.shows.contains("me: Mine ! [retry]") && !driver.isDelivered("Mine"))
        driver = .relaunched(&disk)
        #expect(driver.shows.contains("me: Mine ! [retry]") && !driver.isDelivered("Mine"))
    }

    @Test("C12: a question that a replayed history names by its text alone has the reply that follows it")
    func answeredInFullReplay() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("Hello")
        driver.serve(from: &disk)
        driver.acknowledge()
        driver.loseAndReconnect(replaying: [
            Device.echo("s_1", "Hello", at: 1), Device.reply("s_2", "Hi", at: 2),
        ])
        driver.serve(from: &disk)
        driver.advance(by: .minutes(5))
        #expect(driver.shows == ["me: Hello", "coach: Hi"] && !driver.isWaiting)
    }

    @Test("S10, C20: a stop mutes each of two replies that have begun without text")
    func twoBegunStopped() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("One", as: "s_1", at: 1, on: &disk)
        driver.ask("Two", as: "s_2", at: 2, on: &disk)
        driver.hear(.message(Device.reply("r_1", "", at: 3, isGrowing: true)))
        driver.hear(.message(Device.reply("r_2", "", at: 4, isGrowing: true)))
        driver.send(.waitingStopped)
        #expect(!driver.isWaiting)
        driver.grow("r_1", to: "for One", at: 3)
        driver.grow("r_2", to: "for Two", at: 4)
        driver.hear(.message(Device.reply("r_2", "for Two", at: 4)))
        driver.serve(from: &disk)
        #expect(driver.shows == ["me: One", "me: Two"] && !driver.isWaiting)
    }

    @Test("C10: a question of another device that is told late, above a reply, has a reply of its own")
    func toldLate() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("One", as: "s_1", at: 1, on: &disk)
        driver.hear(.message(Device.reply("r_1", "for One", at: 3)))
        driver.hear(.message(Device.echo("s_2", "Theirs", at: 2, from: "device-2")))
        driver.ask("Two", as: "s_4", at: 4, on: &disk)
        driver.hear(.message(Device.reply("r_2", "for Theirs", at: 5)))
        #expect(driver.shows.prefix(3) == ["me: One", "me: Theirs", "coach: for One"] && driver.isWaiting)
        driver.hear(.message(Device.reply("r_4", "for Two", at: 6)))
        #expect(driver.texts.last == "for Two" && !driver.isWaiting)
    }
}
