import ChatDomain
import Testing

/// A server says what it says in any order, and some of it only once.
@Suite("Chat: replies that come early, fail unseen, or are muted")
struct ChatOddAnswerTests {
    private typealias Device = Driver<Chat>

    @Test("L8, C5: a message that is too long is told, counts as replayed, and ends no connection")
    func oversized() {
        var driver = Device.connecting()
        driver.hear(.opened)
        driver.hear(.authenticated(replayCount: 2, isTruncated: false, isReset: false))
        driver.hear(.oversizedMessage)
        driver.hear(.message(Device.reply("s2", "after")))
        guard case .connected = driver.state.connection else {
            Issue.record("the replay has not ended")
            return
        }
        #expect(driver.texts == ["after"])
        #expect(Chat.banner(driver.state, .neutral) == Wording.neutral.messageTooLong)
    }

    @Test(
        "C10, C12: a reply that came before the word that its question arrived is its reply over a lost connection"
    )
    func earlyAndLost() {
        for isWhole in [false, true] {
            var driver = Device.connected()
            driver.sayDurably("q")
            driver.hear(.message(Device.reply("r", "one", at: 1, isGrowing: !isWhole)))
            #expect(!Chat.isSending(driver.state))
            driver.lose()
            if isWhole {
                driver.reconnect()
                #expect(driver.said == ["q", "q"])
                driver.hear(.acknowledged(driver.saidIDs[1]))
            } else {
                driver.reconnect(replaying: [
                    Device.echo("m", "q", at: 0), Device.reply("r", "one", at: 1),
                ])
            }
            #expect(!Chat.isTyping(driver.state) && driver.statuses[0] == .delivered)
            driver.advance(by: .seconds(121))
            #expect(driver.texts == ["q", "one"] && driver.statuses[0] == .delivered)
        }
    }

    @Test("C12, C11: a reply that fails before anything of it was seen is that to the oldest question, once")
    func failedUnseen() {
        var driver = Device.connected()
        for number in 0..<2 {
            driver.sayDurably(ExactText("q\(number + 1)"))
            driver.hear(.acknowledged(driver.saidIDs[number]))
        }
        for _ in 0..<2 { driver.hear(.replyFailed(.reply("r1"), reason: "busy")) }
        #expect(driver.statuses == [.failed(.replyFailed("busy")), .accepted])
        driver.hear(.message(Device.reply("r2", "two", at: 9)))
        #expect(driver.texts == ["q1", "q2", "two"] && !Chat.isTyping(driver.state))
        driver.create("other")
        driver.sayDurably("q3")
        driver.hear(.acknowledged(driver.saidIDs[2]))
        driver.hear(.replyFailed(.reply("r1"), reason: "busy"))
        #expect(driver.statuses == [.accepted])
        driver.hear(.replyFailed(.reply("r3"), reason: "busy"))
        #expect(driver.statuses == [.failed(.replyFailed("busy"))])
    }

    @Test("C11, C12: a message that the server takes and then refuses has failed at once, with its reason")
    func refusedAfterAll() {
        for isFile in [false, true] {
            var driver = Device.connected()
            driver.sayDurably("q")
            driver.hear(.acknowledged(driver.saidIDs[0]))
            driver.hear(
                isFile
                    ? .assetMissing(driver.saidIDs[0], nil, reason: "no")
                    : .rejected(driver.saidIDs[0], reason: "no"))
            #expect(driver.statuses == [.failed(.replyFailed("no"))] && driver.rows[0].offer == .retry)
            let limit = Chat.Timer.replyLimit(.written(driver.saidIDs[0]), in: .main)
            #expect(!Chat.isTyping(driver.state) && driver.timers.allSatisfy { $0.timer != limit })
        }
    }

    @Test("S10, C15: a question sent again in a moment is in flight, and can be stopped")
    func deferredAndStopped() {
        var driver = Device.connected()
        driver.sayDurably("q")
        driver.hear(.deferred(driver.saidIDs[0]))
        #expect(Chat.isSending(driver.state))
        driver.send(.waitingStopped)
        driver.advance(by: .seconds(1))
        #expect(driver.said == ["q", "q"] && !Chat.isTyping(driver.state))
        driver.hear(.acknowledged(driver.saidIDs[1]))
        driver.hear(.message(Device.reply("r", "unwanted", at: 9)))
        #expect(driver.texts == ["q"] && !Chat.isTyping(driver.state))
    }

    @Test("C22, S10: a reply that is muted is no unread message")
    func mutedUnread() {
        for isGrowing in [false, true] {
            var driver = Device.connected()
            driver.sayDurably("q")
            driver.hear(.acknowledged(driver.saidIDs[0]))
            driver.send(.waitingStopped)
            driver.send(.scrolled(isAtEnd: false))
            driver.hear(.message(Device.reply("r", "unwanted", at: 9, isGrowing: isGrowing)))
            #expect(Chat.scroll(driver.state) == .stay(unread: 0))
            driver.hear(.message(Device.reply("s", "news", at: 10, isGrowing: isGrowing)))
            driver.advance(by: .milliseconds(75))
            #expect(Chat.scroll(driver.state) == .stay(unread: 1))
        }
    }

    @Test("C22, C12: a reply is an unread message once it has text, and none if it fails before")
    func textlessUnread() {
        var driver = Device.connected()
        driver.sayDurably("q")
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.send(.scrolled(isAtEnd: false))
        driver.hear(.began("r", in: .main))
        driver.hear(.replyFailed(.reply("r"), reason: "busy"))
        #expect(driver.texts == ["q"] && Chat.scroll(driver.state) == .stay(unread: 0))
        driver.hear(.began("s", in: .main))
        #expect(Chat.scroll(driver.state) == .stay(unread: 0))
        driver.hear(.message(Device.reply("s", "news", at: 10)))
        #expect(Chat.scroll(driver.state) == .stay(unread: 1))
        driver.grow("t", to: "more", at: 11)
        driver.hear(.message(Device.reply("t", "more news", at: 11)))
        #expect(Chat.scroll(driver.state) == .stay(unread: 2))
    }

    @Test("C22, C17: white space before the text of a reply, or after a shorter one, counts nothing more")
    func blankUnread() {
        var driver = Device.connected()
        driver.sayDurably("q")
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.send(.scrolled(isAtEnd: false))
        driver.hear(.began("r", in: .main))
        driver.hear(.delta("r", "\n"))
        driver.advance(by: .milliseconds(75))
        #expect(Chat.scroll(driver.state) == .stay(unread: 0))
        var failed = driver
        failed.hear(.replyFailed(.reply("r"), reason: "busy"))
        #expect(failed.texts == ["q"] && Chat.scroll(failed.state) == .stay(unread: 0))
        driver.hear(.delta("r", "Hi"))
        driver.advance(by: .milliseconds(75))
        #expect(Chat.scroll(driver.state) == .stay(unread: 1))
        for text in ["", "Yo"] as [ExactText] {
            driver.grow("r", to: text)
            driver.advance(by: .milliseconds(75))
        }
        driver.hear(.message(Device.reply("r", "Yo", at: 10)))
        #expect(driver.texts == ["q", "Yo"] && Chat.scroll(driver.state) == .stay(unread: 1))
    }
}
