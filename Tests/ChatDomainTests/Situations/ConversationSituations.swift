// Two conversations or more at once: what happens in one changes no other.

import ChatDomain
import Testing

@Suite("Situations: beside other conversations")
struct ConversationSituations {
    private typealias Device = Driver<Chat>

    @Test("C9: an answer that is due in one conversation excuses a missing acknowledgement in another")
    func excused() {
        var driver = Device.connected()
        driver.sayDurably("a")
        driver.acknowledge()
        driver.advance(by: .seconds(1))
        driver.create("B")
        driver.save()
        driver.sayDurably("b")
        driver.advance(by: .seconds(34))
        driver.hear(.message(Device.reply("s_1", "answer", at: 35)))
        driver.advance(by: .seconds(3))
        #expect(driver.said == ["a", "b"] && driver.isConnected)
        driver.advance(by: .seconds(35))
        #expect(!driver.isConnected)
    }

    @Test("C11, C19: where two conversations wait, the failure of an unknown reply belongs to neither")
    func unknownFailure() {
        var driver = Device.connected()
        driver.sayDurably("a")
        driver.acknowledge()
        driver.create("B")
        driver.save()
        driver.sayDurably("b")
        driver.acknowledge()
        driver.hear(.replyFailed(.reply("s_9"), reason: "busy"))
        #expect(driver.notes == [nil] && driver.said == ["a", "b"])
        driver.send(.conversationSwitched(to: .main))
        #expect(driver.notes == [nil])
    }

    @Test("C19, L8: a closed conversation that leaves the memory leaves the person where they are")
    func makesRoom() {
        for isLast in [false, true] {
            var driver = Device.connected { $0.conversationLimit = 4 }
            let first = driver.create("first")
            let second = driver.create("second")
            driver.create("third")
            driver.save()
            if !isLast { driver.send(.conversationSwitched(to: second)) }
            let here = driver.state.conversation.id
            driver.send(.conversationClosed(first))
            driver.save()
            driver.hear(.message(Device.reply("s_1", "x", at: 1, in: "new")))
            driver.save()
            #expect(driver.state.conversation.id == here && driver.rows.isEmpty)
            driver.sayDurably("still here")
            #expect(driver.texts == ["still here"])
            driver.send(.conversationSwitched(to: "new"))
            #expect(driver.texts == ["x"])
        }
    }

    @Test("P10, L5: texts in two conversations that no disk takes are there after the next sign-in")
    func twoUnsavedDrafts() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        let first = driver.create("first")
        let second = driver.create("second")
        driver.serve(from: &disk)
        for (id, text) in [(first, "one"), (second, "two")] as [(ConversationID, ExactText)] {
            driver.send(.conversationSwitched(to: id))
            driver.send(.draftEdited(text))
            driver.advance(by: .seconds(1))
            driver.serve(from: &disk, failing: { _ in true }, with: .full)
        }
        driver.send(.signedOut)
        driver.serve(from: &disk, failing: { _ in true }, with: .full)
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk)
        for (id, text) in [(first, "one"), (second, "two")] as [(ConversationID, ExactText)] {
            driver.send(.conversationSwitched(to: id))
            #expect(driver.draft == text)
        }
    }

    @Test(
        "C6, C19: a list that is read late takes nobody away from what they write", arguments: [false, true])
    func lateList(hasTyped: Bool) {
        var disk = Disk<Chat>()
        var first = Device.connected(&disk)
        let other = first.create("other")
        first.serve(from: &disk)
        first.advance(by: .seconds(1))
        first.serve(from: &disk)
        var driver = Device.fresh(seed: 2)
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk) { $0 == Device.listKey }
        driver.advance(by: .seconds(5))
        driver.serve(from: &disk) { $0 == Device.listKey }
        if hasTyped { driver.send(.draftEdited("typed")) }
        driver.serve(from: &disk)
        #expect(driver.state.conversation.id == (hasTyped ? .main : other))
        #expect(driver.draft == (hasTyped ? "typed" : "") && driver.titles.contains("other"))
    }

    @Test("L5, C14: a conversation whose only message waits for the person is not closed, and counts")
    func onlyParked() {
        var driver = Device.connected { $0.outboxLimit = 1 }
        let other = driver.create("other")
        driver.save()
        driver.pick("a", "text/plain", count: 1)
        driver.save()
        driver.sayDurably("look")
        driver.end(driver.uploads[0], .refused(status: 413, retryAfter: nil, message: "too large"))
        driver.save()
        #expect(driver.shows == ["me: look ! [retry]"])
        driver.say("next")
        #expect(driver.draft == "next" && driver.texts == ["look"])
        driver.send(.draftEdited(""))
        driver.send(.conversationClosed(other))
        #expect(driver.state.conversation.id == other && driver.texts == ["look"])
    }

    @Test("C9: an answer that becomes due while a message is slow excuses the server all the same")
    func excusedLater() {
        var driver = Device.connected()
        driver.sayDurably("a")
        driver.advance(by: .seconds(6))
        driver.create("B")
        driver.save()
        driver.sayDurably("b")
        driver.acknowledge()
        driver.advance(by: .seconds(31))
        #expect(driver.said == ["a", "b"] && driver.isConnected)
        driver.hear(.message(Device.reply("s_1", "answer", at: 40, in: driver.state.conversation.id)))
        driver.advance(by: .seconds(40))
        #expect(!driver.isConnected)
    }

    /// How a reply ends here while the server goes on with it.
    enum Mute: CaseIterable { case stopped, stoppedEarly, deleted, tooLong }

    /// “a” has a reply that is muted while the server goes on with it; “b” is on the wire without an acknowledgement.
    private func muted(_ how: Mute = .stopped) -> Device {
        var driver = Device.connected { if how == .tooLong { $0.replyTextLimit = 3 } }
        driver.sayDurably("a")
        driver.acknowledge()
        if how == .stoppedEarly { driver.send(.waitingStopped) }
        driver.grow("s_1", to: "Once")
        if how == .stopped { driver.send(.replyStopped(.received("s_1"))) }
        if how == .deleted { driver.send(.deleted(.received("s_1"))) }
        driver.sayDurably("b")
        return driver
    }

    @Test(
        "C9, C20: a muted reply that the server goes on with excuses a missing acknowledgement",
        arguments: Mute.allCases)
    func excusedByMuted(how: Mute) {
        var driver = muted(how)
        for second in 1...8 as ClosedRange<Int64> {
            driver.advance(by: .seconds(5))
            driver.hear(.message(Device.reply("s_1", "Once upon", at: second, isGrowing: true)))
        }
        #expect(driver.said == ["a", "b"] && driver.isConnected)
        driver.hear(.message(Device.reply("s_1", "Once upon a time", at: 9)))
        driver.advance(by: .seconds(36))
        #expect(!driver.isConnected)
    }

    /// How the server ends a muted reply.
    enum End: CaseIterable { case whole, lastChunk, failed, questionFailed }

    @Test("C9, C20: the end of a muted reply ends the excuse, however it is told", arguments: End.allCases)
    func mutedEnds(end: End) {
        var driver = muted()
        switch end {
        case .whole: driver.hear(.message(Device.reply("s_1", "Once upon a time", at: 9)))
        case .lastChunk: driver.hear(.chunk("s_1", index: 9, "time", isFinal: true))
        case .failed: driver.hear(.replyFailed(.reply("s_1"), reason: "busy"))
        case .questionFailed: driver.hear(.replyFailed(.question(driver.saidIDs[0]), reason: "busy"))
        }
        driver.advance(by: .seconds(36))
        #expect(driver.said == ["a", "b"] && !driver.isConnected)
    }

    @Test("C9, L3: a muted reply of which nothing more comes excuses no longer than a reply may grow")
    func mutedSilent() {
        var driver = muted()
        driver.advance(by: .seconds(300))
        #expect(driver.isConnected)
        driver.advance(by: .seconds(31))
        #expect(!driver.isConnected)
    }

    @Test("C9, C20: the server goes on with a muted reply on the next connection, which is excused as well")
    func mutedOverConnections() {
        var driver = muted()
        driver.lose()
        driver.reconnect()
        for second in 1...8 as ClosedRange<Int64> {
            driver.hear(.message(Device.reply("s_1", "Once upon", at: second, isGrowing: true)))
            driver.advance(by: .seconds(5))
        }
        #expect(driver.said == ["a", "b", "b"] && driver.isConnected)
    }

    @Test("P10, L5: what one person has unsaved stays when the data of another is erased")
    func twoDeparted() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        let ben = Account(user: "ben", secret: SecretHandle("other"), device: "device-1")
        for (account, text) in [(Device.account, "mine"), (ben, "his")] as [(Account, ExactText)] {
            driver.send(.signedIn(account))
            driver.serve(from: &disk)
            driver.send(.draftEdited(text))
            driver.send(.signedOut)
            driver.serve(from: &disk, failing: { _ in true }, with: .full)
        }
        driver.send(.dataErased("ben"))
        driver.serve(from: &disk)
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk)
        #expect(driver.draft == "mine")
    }

    @Test("L5, C19: a conversation whose draft is still being read is not closed")
    func closedBesideSlowDraft() {
        var disk = Disk<Chat>()
        var first = Device.connected(&disk)
        let other = first.create("other")
        first.send(.draftEdited("unsent"))
        first.advance(by: .seconds(1))
        first.serve(from: &disk)
        var driver = Device.fresh(seed: 2)
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk) { $0 == .draft("kay", other) }
        driver.send(.conversationClosed(other))
        driver.serve(from: &disk)
        #expect(driver.listed.contains { $0.id == other })
        driver.send(.conversationSwitched(to: other))
        #expect(driver.draft == "unsent")
    }

    @Test("C5, C19: a closed conversation keeps its cursor, so that its history is not told again")
    func closedCursor() {
        var driver = Device.connected()
        driver.hear(.message(Device.reply("s_1", "x", at: 1, in: "other")))
        driver.save()
        driver.send(.conversationClosed("other"))
        driver.save()
        driver.lose()
        while driver.calls.isEmpty, let next = driver.remaining(.reconnect) { driver.advance(by: next) }
        #expect(!driver.listed.contains { $0.id == "other" })
        #expect(driver.askedCursors == [Chat.Cursor(conversation: "other", last: "s_1")])
    }

    @Test("C19, L4: a reply that grows in one conversation begins in no other, and makes none")
    func growsInOne() {
        var driver = Device.connected()
        driver.grow("r", to: "Part")
        driver.hear(
            .message(
                IncomingMessage(
                    id: "r", conversation: "other", role: .assistant, text: "Else", time: Device.epoch,
                    isGrowing: true)))
        driver.save()
        driver.advance(by: .milliseconds(100))
        #expect(driver.titles == ["Chat"] && driver.shows == ["coach: Part…"])
    }

    @Test("C9, C20: a muted reply of a lost connection excuses nothing on the next one")
    func mutedAndLost() {
        var driver = Device.connected()
        driver.sayDurably("a")
        driver.acknowledge()
        driver.grow("s_1", to: "Once")
        driver.send(.replyStopped(.received("s_1")))
        driver.sayDurably("b")
        driver.lose()
        driver.reconnect()
        driver.advance(by: .seconds(36))
        #expect(driver.said == ["a", "b", "b"] && !driver.isConnected)
    }

    @Test("C9, S15: a reply whose last piece makes it too long is over, and excuses nothing")
    func tooLongAtItsEnd() {
        var driver = Device.connected { $0.replyTextLimit = 3 }
        driver.sayDurably("a")
        driver.acknowledge()
        driver.hear(.chunk("s_1", index: 0, "Once", isFinal: true))
        #expect(driver.notes.contains(Wording.neutral.replyTooLong))
        driver.sayDurably("b")
        driver.advance(by: .seconds(36))
        #expect(driver.said == ["a", "b"] && !driver.isConnected)
    }
}
