import ChatDomain
import Testing

private typealias Device = Driver<Chat>

@Suite("Chat: several conversations")
struct ChatConversationTests {
    @Test("C19: a conversation is created, listed, switched to and closed")
    func life() {
        var driver = Device.connected()
        #expect(driver.titles == ["Chat"])
        let work = driver.create("  Work\u{202E} ")
        #expect(driver.titles == ["Chat", "Work"] && driver.state.conversation.id == work)
        driver.send(.conversationSwitched(to: .main))
        #expect(driver.listed.map { $0.isCurrent } == [true, false])
        driver.send(.conversationClosed(work))
        #expect(driver.titles == ["Chat"])
        driver.send(.conversationSwitched(to: work))
        #expect(driver.titles == ["Chat", "Work"] && driver.state.conversation.id == work)
        driver.send(.conversationClosed(work))
        #expect(driver.state.conversation.id == .main)
    }

    @Test("C19: the one that there always is is not closed, and what is unknown or open is not opened")
    func nonsense() {
        var driver = Device.connected()
        let before = driver.state
        driver.send(.conversationClosed(.main))
        driver.send(.conversationClosed("nobody"))
        driver.send(.conversationSwitched(to: "nobody"))
        driver.send(.conversationSwitched(to: .main))
        #expect(driver.state == before)
        var nobody = Device.fresh()
        nobody.send(.conversationCreated(title: "x"))
        #expect(nobody.titles == ["Chat"])
    }

    @Test(
        "C19: the server names conversations, also new ones; none that was named here, and opens none again")
    func named() {
        var driver = Device.connected { $0.conversationLimit = 4 }
        let own = driver.create("Mine")
        driver.hear(.named("work", title: "  Work\u{202E} "))
        driver.hear(.named(own, title: "Theirs"))
        driver.hear(.named(.main, title: "Personal"))
        #expect(driver.titles == ["Chat", "Mine", "Work"] && driver.state.conversation.id == own)
        driver.hear(.named("work", title: "Works"))
        var disk = Disk<Chat>()
        driver.serve(from: &disk)
        driver.send(.conversationClosed("work"))
        driver.hear(.named("work", title: "Work"))
        #expect(driver.titles == ["Chat", "Mine"])
        driver.hear(.message(Device.reply("s1", "x", in: "work")))
        #expect(driver.titles == ["Chat", "Mine", "Work"])
        driver.hear(.named("3", title: "3"))
        driver.hear(.named("4", title: "4"))
        #expect(driver.titles == ["Chat", "Mine", "Work", "3"] && driver.state.conversation.banner == nil)
    }

    @Test("C19, C20, S3: text of a reply that has ended in a conversation begins none in another")
    func endedElsewhere() {
        var driver = Device.connected()
        let work = driver.create("Work")
        driver.hear(.began("s1", in: work))
        driver.hear(.delta("s1", "enough"))
        driver.send(.replyStopped(.received("s1")))
        driver.hear(.delta("s1", " more"))
        driver.hear(.began("s1", in: nil))
        driver.hear(.chunk("s1", index: 0, "more", isFinal: false))
        #expect(driver.texts == ["enough"] && driver.state.others.allSatisfy { $0.growing.isEmpty })
        driver.send(.deleted(.received("s1")))
        driver.send(.conversationClosed(work))
        driver.hear(.began("s1", in: nil))
        driver.hear(.chunk("s1", index: 0, "more", isFinal: true))
        #expect(driver.texts == [] && driver.titles == ["Chat"])
    }

    @Test("C19, L8: text of a reply for which there is no room in its conversation is shown in no other")
    func noRoom() {
        let growing = IncomingMessage(
            id: "s2", conversation: "v_2", role: .assistant, text: "t", time: Device.epoch, isGrowing: true)
        var busy = Device.connected { $0.growingLimit = 1 }
        busy.hear(.began("s0", in: "v_2"))
        for event: Chat.Event in [
            .began("s1", in: "v_2"), .began("s1", in: nil), .chunk("s1", index: 0, "text", isFinal: false),
            .message(growing), .delta("s2", "text"),
        ] {
            busy.hear(event)
        }
        #expect(busy.texts == [] && busy.state.conversation.growing.isEmpty)
    }

    @Test("C19: drafts, queues, replies and errors stay where they are")
    func apart() {
        var driver = Device.connected()
        driver.send(.draftEdited("for main"))
        let work = driver.create("Work")
        #expect(driver.draft == "" && driver.texts == [])
        driver.sayDurably("to work")
        driver.hear(.rejected(driver.saidIDs[0], reason: "no"))
        driver.send(.draftEdited("for work"))
        driver.send(.conversationSwitched(to: .main))
        #expect(driver.draft == "for main" && driver.texts == [])
        driver.send(.conversationSwitched(to: work))
        #expect(driver.draft == "for work" && driver.texts == ["to work"])
        #expect(driver.statuses == [.failed(.rejected("no"))])
    }

    @Test("C19: a message for one conversation is shown in it alone, and counted as unread")
    func arrivals() {
        var driver = Device.connected()
        let work = driver.create("Work")
        driver.sayDurably("to work")
        driver.send(.conversationSwitched(to: .main))
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.hear(.typing(isActive: true, at: nil, in: work))
        #expect(!Chat.isTyping(driver.state) && driver.listed[1].isTyping)
        driver.hear(.began("r1", in: work))
        driver.hear(.delta("r1", "Hel"))
        driver.hear(.delta("r1", "lo"))
        driver.advance(by: .milliseconds(75))
        driver.hear(.message(Device.reply("r2", "here", at: 2)))
        #expect(driver.texts == ["here"] && driver.listed.map { $0.unread } == [0, 1])
        driver.send(.conversationSwitched(to: work))
        #expect(driver.texts == ["to work", "Hello"] && driver.statuses[0] == .delivered)
        #expect(driver.listed.map { $0.unread } == [0, 0] && Chat.scroll(driver.state) == .toEnd)
    }

    @Test("C22: a view scrolled away before another conversation was opened comes back there")
    func scrolled() {
        var driver = Device.connected()
        driver.send(.scrolled(isAtEnd: false))
        driver.create("Work")
        driver.hear(.message(Device.reply("r1", "one", at: 1)))
        driver.send(.conversationSwitched(to: .main))
        #expect(Chat.scroll(driver.state) == .stay(unread: 1))
    }

    @Test("C8: one is under way in each conversation, and five a second in all, the oldest first")
    func sending() {
        var driver = Device.connected { $0.sending = Throttle.Configuration(limit: 2, window: .seconds(1)) }
        driver.sayDurably("a1")
        driver.sayDurably("a2")
        driver.create("B")
        driver.save()
        driver.sayDurably("b1")
        #expect(driver.said == ["a1", "b1"])
        driver.create("C")
        driver.save()
        driver.sayDurably("c1")
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.save()
        #expect(driver.said == ["a1", "b1"])
        driver.advance(by: .seconds(1))
        driver.save()
        #expect(driver.said == ["a1", "b1", "a2", "c1"])
    }

    @Test("C14: a file whose upload ends after a switch is sent where it was written")
    func upload() {
        var driver = Device.connected()
        let work = driver.create("Work")
        driver.save()
        let file = PickedFile(kind: .document, mimeType: "text/plain", name: "n", bytes: [1, 2, 3])
        driver.send(.attachmentPicked(file))
        driver.save()
        driver.sayDurably("with a file")
        driver.send(.conversationSwitched(to: .main))
        driver.send(.received(.uploaded("a1"), on: driver.uploads[0]))
        driver.save()
        #expect(driver.said == ["with a file"] && driver.texts == [])
        guard case .say(_, let home, _, let files) = driver.sent.last?.frame else {
            return #expect(Bool(false))
        }
        #expect(home == work && files.map { $0.source } == [.asset("a1")])
    }

    @Test("C18: the person is said to type in one conversation at a time")
    func typing() {
        var driver = Device.connected()
        driver.send(.draftEdited("h"))
        let work = driver.create("Work")
        driver.send(.draftEdited("w"))
        #expect(
            driver.signals == [
                .typing(true, in: .main), .typing(false, in: .main), .typing(true, in: work),
            ])
    }

    @Test("C5: each conversation has its own cursor, and all are dropped when one is refused")
    func cursors() {
        var driver = Device.connected()
        driver.create("Work")
        let work = driver.state.conversation.id
        driver.hear(.message(Device.reply("m1", "one", at: 1)))
        driver.hear(.message(Device.reply("w1", "two", at: 2, in: work)))
        driver.save()
        driver.lose()
        driver.advance(by: .seconds(3))
        #expect(
            driver.askedCursors == [
                Chat.Cursor(conversation: .main, last: "m1"), Chat.Cursor(conversation: work, last: "w1"),
            ])
        driver.hear(.opened)
        driver.hear(.cursorRefused)
        #expect(driver.askedCursors == [])
    }

    @Test("C19: a conversation that the server begins is learnt, and one that was closed is listed again")
    func learnt() {
        var driver = Device.connected()
        driver.hear(.message(Device.reply("w1", "from elsewhere", at: 1, in: "other")))
        #expect(driver.titles == ["Chat", "New conversation"] && driver.listed[1].unread == 1)
        var disk = Disk<Chat>()
        driver.serve(from: &disk)
        driver.send(.conversationClosed("other"))
        driver.hear(.typing(isActive: true, at: nil, in: "other"))
        #expect(driver.titles == ["Chat"])
        driver.hear(.message(Device.reply("w2", "again", at: 2, in: "other")))
        #expect(driver.titles == ["Chat", "New conversation"])
        driver.send(.conversationSwitched(to: "other"))
        #expect(driver.texts == ["from elsewhere", "again"])
    }

    @Test(
        "L5: a conversation with something unsent in it, also a file alone, is not closed",
        arguments: [false, true])
    func notClosed(isFile: Bool) {
        var driver = Device.connected()
        let work = driver.create("Work")
        if isFile { driver.pick("f", "image/png", count: 1) } else { driver.send(.draftEdited("half")) }
        driver.send(.conversationClosed(work))
        #expect(driver.titles == ["Chat", "Work"])
        #expect(driver.state.conversation.banner == .conversationHasUnsent)
        driver.send(.draftEdited(""))
        for file in Chat.composer(driver.state).attachments { driver.send(.attachmentRemoved(file.id)) }
        driver.send(.conversationClosed(work))
        #expect(driver.titles == ["Chat"])
    }

    @Test("C13, C19: a message deleted in flight is not unsent, and its conversation can be closed")
    func closedAfterDeletion() {
        var driver = Device.connected()
        let work = driver.create("Work")
        driver.save()
        driver.sayDurably("b")
        #expect(driver.said == ["b"] && driver.listed.map { $0.hasUnsent } == [false, true])
        driver.send(.deleted(.written(driver.saidIDs[0])))
        #expect(driver.listed.map { $0.hasUnsent } == [false, false])
        driver.send(.conversationClosed(work))
        #expect(driver.titles == ["Chat"] && driver.state.conversation.banner == nil)
    }

    @Test("L8: there are so many conversations and no more; a closed one makes room")
    func limit() {
        var driver = Device.connected { $0.conversationLimit = 3 }
        let first = driver.create("1")
        driver.create("2")
        driver.send(.conversationCreated(title: "3"))
        #expect(driver.titles == ["Chat", "1", "2"])
        #expect(driver.state.conversation.banner == .tooManyConversations)
        driver.hear(.message(Device.reply("x", "x", in: "unknown")))
        #expect(driver.state.others.count == 2)
        driver.send(.conversationClosed(first))
        driver.create("3")
        #expect(driver.titles == ["Chat", "2", "3"] && driver.state.others.count == 2)
        driver.create("4")
        #expect(driver.titles == ["Chat", "2", "3"])
    }

    @Test("L4: a reply grows in one conversation only, whatever a server says")
    func oneHome() {
        var driver = Device.connected()
        driver.hear(.began("r", in: .main))
        driver.hear(.began("r", in: "other"))
        driver.hear(.delta("r", "text"))
        driver.advance(by: .seconds(1))
        #expect(driver.texts == ["text"] && driver.stuckSpinner == nil)
        driver.advance(by: .seconds(31))
        #expect(driver.stuckSpinner == nil)
    }

    @Test("C4, C20: a lost connection breaks off the replies of every conversation")
    func lost() {
        var driver = Device.connected()
        let work = driver.create("Work")
        driver.hear(.began("w", in: work))
        driver.hear(.delta("w", "half"))
        driver.send(.conversationSwitched(to: .main))
        driver.lose()
        #expect(driver.stuckSpinner == nil)
        driver.send(.conversationSwitched(to: work))
        #expect(driver.texts == ["half"] && driver.rows[0].note == Wording.neutral.lostWithoutRetry)
    }

    @Test("C19, L1: a title that the server tells again changes nothing, and is not saved again")
    func namedAgain() {
        var driver = Device.connected()
        driver.hear(.named("work", title: "Work"))
        driver.save()
        let before = driver.state
        #expect(driver.hear(.named("work", title: " Work")).isEmpty && driver.state == before)
    }

    @Test("C19, L5: a new title from the server is there after a relaunch")
    func renamedByServer() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        for title in ["Work", "Works"] as [ExactText] {
            driver.hear(.named("work", title: title))
            driver.serve(from: &disk)
        }
        #expect(Device.restored(&disk, seed: 2).titles == ["Chat", "Works"])
    }

    @Test("C8: of the messages that wait in two conversations the older goes first, wherever it was written")
    func olderFirst() {
        var driver = Device.connected { $0.sending = Throttle.Configuration(limit: 2, window: .seconds(1)) }
        driver.create("B")
        driver.save()
        driver.sayDurably("b1")
        driver.sayDurably("b2")
        driver.advance(by: .milliseconds(10))
        driver.send(.conversationSwitched(to: .main))
        driver.sayDurably("a1")
        driver.sayDurably("a2")
        for key in driver.saidIDs { driver.hear(.acknowledged(key)) }
        driver.save()
        #expect(driver.said == ["b1", "a1"])
        driver.advance(by: .seconds(1))
        driver.save()
        #expect(driver.said == ["b1", "a1", "b2", "a2"])
    }
}
