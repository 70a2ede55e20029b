// Small things on a socket: typing, what is not sent, limits that are told, numbered pieces, sessions, told waits.

import ChatDomain
import Testing

@Suite("Situations: small things")
struct SmallChatSituations {
    private typealias Device = Driver<Chat>

    // MARK: Typing

    @Test(
        "C18: steady typing sends a start within every 10 s, and once in 3 s at most",
        arguments: [100, 500, 2_900] as [Int64])
    func steadyTyping(milliseconds: Int64) {
        var driver = Device.connected()
        var (last, starts, longest) = (driver.context.now, 0, Interval.zero)
        for key in 1...Int(60_000 / milliseconds) {
            driver.send(.draftEdited(ExactText("\(key)")))
            if driver.typingStarts > starts {
                if starts > 0 {
                    longest = max(longest, driver.context.now - last)
                    #expect(driver.context.now - last >= .seconds(3))
                }
                (starts, last) = (driver.typingStarts, driver.context.now)
            }
            longest = max(longest, driver.context.now - last)
            driver.advance(by: .milliseconds(milliseconds))
        }
        #expect(starts > 5 && longest <= .seconds(10), "\(starts) starts")
        #expect(!driver.signals.contains(.typing(false)))
        driver.advance(by: .seconds(3))
        #expect(driver.signals.last == .typing(false))
    }

    @Test("C16, C18: a message from the far future does not mute typing")
    func farFuture() {
        var driver = Device.connected()
        driver.hear(.message(Device.reply("s_1", "x", at: 9_000_000_000)))
        driver.hear(.typing(isActive: true, at: Device.epoch + .seconds(10)))
        #expect(Chat.isTyping(driver.state))
        driver.hear(.message(Device.reply("s_2", "y", at: 11)))
        driver.hear(.typing(isActive: true, at: Device.epoch + .seconds(12)))
        #expect(Chat.isTyping(driver.state))
    }

    // MARK: What is not sent

    @Test(
        "C7: text of invisible characters alone is empty",
        arguments: [
            "\u{200B}", "\u{200B}\u{200D}\u{2060}\u{FEFF}", " \u{200C}\n\u{00AD}\t", "\u{2800}\u{3164}",
            "\u{E0001}\u{FE0F}",
        ])
    func invisible(text: String) {
        var driver = Device.connected()
        driver.sayDurably(ExactText(text))
        #expect(driver.said.isEmpty && driver.rows.isEmpty && !Chat.composer(driver.state).canSend)
        driver.sayDurably(ExactText(text + "a"))
        #expect(driver.said.count == 1 && driver.rows.count == 1)
    }

    @Test("a draft has a limit of 1 MiB, and a longer one is told")
    func longDraft() {
        var driver = Device.connected()
        let most = String(repeating: "x", count: 1_048_576)
        driver.send(.draftEdited(ExactText(most)))
        #expect(driver.draft.utf8.count == 1_048_576 && Chat.banner(driver.state, .neutral) == nil)
        driver.send(.draftEdited(ExactText(most + "y")))
        #expect(driver.draft.utf8.count == 1_048_576)
        #expect(Chat.banner(driver.state, .neutral) == Wording.neutral.longMessage)
        driver.send(.bannerDismissed)
        driver.send(.draftEdited("short"))
        #expect(driver.draft == "short" && Chat.banner(driver.state, .neutral) == nil)
    }

    // MARK: What has no place

    @Test("L8: a message for one conversation too many is told")
    func noPlace() {
        var driver = Device.connected { $0.conversationLimit = 3 }
        for id: ConversationID in ["one", "two"] {
            driver.hear(.message(Device.reply(MessageID(id.text), "x", at: 1, in: id)))
        }
        #expect(driver.listed.count == 3 && Chat.banner(driver.state, .neutral) == nil)
        driver.hear(.message(Device.reply("s_3", "x", at: 2, in: "three")))
        #expect(driver.listed.count == 3)
        #expect(Chat.banner(driver.state, .neutral) == Wording.neutral.tooManyConversations)
    }

    @Test("C16, L8: a conversation that was turned away is told from its beginning once there is room")
    func placeAgain() {
        var driver = Device.connected { $0.conversationLimit = 3 }
        for id: ConversationID in ["one", "two", "three"] {
            driver.hear(.message(Device.reply(MessageID(id.text), "x", at: 1, in: id)))
            driver.save()
        }
        driver.send(.conversationClosed("one"))
        driver.hear(.message(Device.reply("s_4", "y", at: 4, in: "three")))
        #expect(driver.isReconnecting && driver.stuckSpinner == nil)
        driver.reconnect(replaying: [
            Device.reply("three", "x", at: 1, in: "three"), Device.reply("s_4", "y", at: 4, in: "three"),
        ])
        driver.save()
        #expect(driver.isConnected && driver.listed.map { $0.id } == [.main, "two", "three"])
        driver.send(.conversationSwitched(to: "three"))
        #expect(driver.texts == ["x", "y"])
    }

    @Test(
        "S15, L8: the 17th numbered reply is shown when all of its pieces are there",
        arguments: [[0, 1, 2], [2, 1, 0], [1, 0, 2]], [false, true])
    func seventeenth(order: [Int], isBesideAnother: Bool) {
        var driver = Device.connected()
        if isBesideAnother { driver.hear(.named("two", title: "Two")) }
        for number in 1...17 {
            let id = MessageID(ExactText("s_\(number)"))
            if isBesideAnother { driver.hear(.began(id, in: .main)) }
            if number < 17 { driver.hear(.chunk(id, index: 0, "x", isFinal: false)) }
        }
        driver.advance(by: .milliseconds(100))
        let pieces: [ExactText] = ["one ", "two ", "three"]
        for index in order {
            driver.hear(.chunk("s_17", index: Int64(index), pieces[index], isFinal: index == 2))
            driver.advance(by: .milliseconds(100))
        }
        #expect(driver.texts.last == "one two three" && driver.rows.last?.note == nil)
        #expect(driver.rows.count == 17 && driver.rows.count { $0.isGrowing } == 16)
    }

    @Test("C19, L3: a reply that was beyond the limit in one conversation grows in another")
    func crowdedOutElsewhere() {
        var driver = Device.connected()
        driver.hear(.named("two", title: "Two"))
        for number in 1...17 { driver.hear(.began(MessageID(ExactText("s_\(number)")), in: .main)) }
        driver.loseAndReconnect()
        driver.hear(.began("s_17", in: "two"))
        driver.hear(.delta("s_17", "hello"))
        driver.advance(by: .milliseconds(100))
        driver.send(.conversationSwitched(to: "two"))
        #expect(driver.texts == ["hello"] && driver.rows.last?.isGrowing == true)
        driver.advance(by: .minutes(6))
        #expect(driver.rows.last?.isGrowing == false && driver.stuckSpinner == nil)
    }

    @Test("C5: a growing reply between replayed messages is not counted as one of them")
    func liveBetweenReplayed() {
        var driver = Device.connecting()
        driver.hear(.opened)
        driver.hear(.authenticated(replayCount: 2, isTruncated: false, isReset: false))
        driver.hear(.message(Device.reply("s_1", "one", at: 1)))
        driver.hear(.message(Device.reply("s_9", "li", isGrowing: true)))
        driver.hear(.typing(isActive: true, at: nil))
        #expect(!driver.isConnected)
        driver.hear(.message(Device.reply("s_2", "two", at: 2)))
        #expect(driver.isConnected)
    }

    // MARK: Sessions and waits

    @Test("C3: leaving and coming back does not take a session that another connection has taken")
    func replacedSession() {
        var driver = Device.connected()
        driver.hear(.sessionReplaced)
        for action: Chat.Action in [
            .left, .shown, .backgrounded, .foregrounded, .networkChanged(isUp: false),
            .networkChanged(isUp: true),
        ] {
            driver.send(action)
            driver.advance(by: .seconds(90))
            #expect(driver.socket == nil, "after \(action)")
        }
        #expect(Chat.connectionLine(driver.state, .neutral) == Wording.neutral.sessionReplaced)
        driver.send(.reconnectRequested)
        driver.save()
        #expect(driver.socket != nil)
    }

    @Test(
        "C3: a told wait does not grow when the clock is set back between two launches",
        arguments: [1, 60, 100_000] as [Int64])
    func clockSetBack(minutes: Int64) {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk)
        driver.send(.shown)
        driver.serve(from: &disk)
        driver.lose(.refused(status: 429, retryAfter: .seconds(600), message: ""))
        driver.serve(from: &disk)
        var again = Device.fresh(seed: 2)
        again.context.moment = Moment(now: .origin, wall: driver.context.wall - .minutes(minutes))
        again.send(.signedIn(Device.account))
        again.serve(from: &disk)
        again.send(.shown)
        again.serve(from: &disk)
        #expect(again.socket == nil, "the wait goes on")
        again.advance(by: .seconds(600))
        again.send(.reconnectRequested)
        again.serve(from: &disk)
        #expect(again.socket != nil, "the wait is over")
    }

    @Test(
        "S9: the same for a wait that a stream was told", arguments: [1, 60, 1_200, 100_000] as [Int64])
    func clockSetBackOnStreams(minutes: Int64) {
        var disk = Disk<Chat>()
        var driver = Device.asking(&disk)
        driver.say("a")
        driver.serve(from: &disk)
        driver.breakOff(.refused(status: 429, retryAfter: .seconds(40), message: ""))
        driver.advance(by: .seconds(3))
        driver.serve(from: &disk)
        var again = Device.freshAsking(seed: 2)
        again.context.moment = Moment(now: .origin, wall: driver.context.wall - .minutes(minutes))
        again.send(.signedIn(Device.account))
        again.serve(from: &disk)
        again.send(.shown)
        again.say("b")
        again.serve(from: &disk)
        #expect(again.questions.isEmpty, "the wait goes on")
        again.advance(by: .seconds(5))
        again.serve(from: &disk)
        let wall = again.context.wall
        again = Device.freshAsking(seed: 3)
        again.context.moment = Moment(now: .origin, wall: wall)
        again.send(.signedIn(Device.account))
        again.serve(from: &disk)
        again.send(.shown)
        again.say("c")
        again.advance(by: .seconds(30))
        again.serve(from: &disk)
        #expect(again.questions.isEmpty, "the wait goes on after another launch")
        again.advance(by: .seconds(11))
        again.serve(from: &disk)
        #expect(again.questions.count == 1, "the wait is over")
    }

    @Test(
        "C12: numbered pieces without text that found no place are no answer",
        arguments: ["", "\n"] as [ExactText])
    func crowdedOutAndEmpty(text: ExactText) throws {
        var disk = Disk<Chat>()
        var driver = Driver<Chat>.connected(&disk)
        driver.ask("Hello", as: "s_1", at: 1, on: &disk)
        for number in 0..<16 {
            driver.hear(
                .message(
                    IncomingMessage(
                        id: MessageID(ExactText("n_\(number)")), role: .system, text: "Notice",
                        time: Driver<Chat>.epoch + .seconds(2), isGrowing: true)))
        }
        driver.hear(.chunk("s_2", index: 0, text, isFinal: true))
        #expect(driver.shows.first == "me: Hello ! [retry]" && !Chat.isSending(driver.state))
    }

    // MARK: Later than it seems

    @Test("C18: what was typed before the newest message is over, also when an older message comes after it")
    func typedBefore() {
        var driver = Device.connected()
        driver.hear(.message(Device.reply("s_2", "new", at: 20)))
        driver.hear(.message(Device.reply("s_1", "old", at: 10)))
        driver.hear(.typing(isActive: true, at: Device.epoch + .seconds(15)))
        #expect(!Chat.isTyping(driver.state))
        driver.hear(.typing(isActive: true, at: Device.epoch + .seconds(21)))
        #expect(Chat.isTyping(driver.state))
    }

    @Test("C18: what was typed before a reply began is over")
    func typedBeforeReply() {
        var driver = Device.connected()
        driver.grow("s_9", to: "Part", at: 20)
        driver.hear(.typing(isActive: true, at: Device.epoch + .seconds(15)))
        #expect(!Chat.isTyping(driver.state))
    }

    @Test("S17, C13: a deleted reply is not read out; the row before it is")
    func deletedIsSilent() {
        var driver = Device.connected()
        driver.hear(.message(Device.reply("s_1", "first", at: 1)))
        driver.hear(.message(Device.reply("s_2", "second", at: 2)))
        #expect(Chat.announcement(driver.state, .neutral)?.string == "second")
        driver.send(.deleted(driver.rows[1].id))
        #expect(Chat.announcement(driver.state, .neutral)?.string == "first")
    }
}
