// Several conversations: who names them, what a switch keeps, and where a reply begins that names none. Then what a
// kept row, a removed message, a second reset and a late page leave behind.

@testable import ChatDomain
import Testing

private typealias Device = Driver<Chat>

@Suite("Chat: switching, and what is left behind")
struct ChatSwitchingTests {
    @Test(
        "C19: a server names any conversation but those whose ids were minted here",
        arguments: [
            ("v_2", true), ("v_", true), ("v", true),
            ("w_00000000-0000-4000-8000-000000000000", true),
            ("v-00000000-0000-4000-8000-000000000000", true),
            ("v_00000000-0000-4000-8000-000000000000", false),
        ] as [(ConversationID, Bool)])
    func namedByServer(id: ConversationID, isNamed: Bool) {
        var driver = Device.connected()
        driver.hear(.named(id, title: "Work"))
        #expect(driver.titles == (isNamed ? ["Chat", "Work"] : ["Chat"]))
    }

    @Test("C19, L5: a switch saves the draft of the conversation that is left at once")
    func draftSaved() {
        var driver = Device.connected()
        let work = driver.create("Work")
        driver.send(.conversationSwitched(to: .main))
        driver.save()
        driver.send(.draftEdited("for main"))
        #expect(driver.draftsToBeSaved.isEmpty && driver.isRunning(.draftSave(.main)))
        driver.send(.conversationSwitched(to: work))
        #expect(driver.draftsToBeSaved == ["for main"] && !driver.isRunning(.draftSave(.main)))
    }

    @Test("C22, C19: a conversation that the server began is entered at its end, and all in it is read")
    func enteredAtEnd() {
        var driver = Device.connected()
        for number in 1...2 as ClosedRange<Int64> {
            let id = MessageID(ExactText("s\(number)"))
            driver.hear(.message(Device.reply(id, "x", at: number, in: "work")))
            driver.save()
            #expect(driver.listed[1].unread == (number == 1 ? 1 : 0))
            driver.send(.conversationSwitched(to: "work"))
            #expect(driver.listed[1].unread == 0)
        }
    }

    @Test("C19, C12: of two questions of one instant, that of the older conversation gets the unnamed reply")
    func oneInstant() {
        var driver = Device.connected()
        driver.sayDurably("first")
        let work = driver.create("Work")
        driver.sayDurably("second")
        driver.advance(by: .seconds(1))
        for key in driver.saidIDs { driver.hear(.acknowledged(key)) }
        #expect(driver.saidIDs.count == 2)
        driver.hear(.began("r", in: nil))
        driver.hear(.chunk("r", index: 0, "one", isFinal: true))
        #expect(driver.texts == ["second"] && driver.state.conversation.id == work)
        driver.send(.conversationSwitched(to: .main))
        #expect(driver.texts == ["first", "one"])
    }

    @Test("R3, C17: a reply whose text shrinks to nothing leaves the rows that are kept, and comes back")
    func shrinks() {
        var driver = Device.connected()
        var rows = Chat.Rows()
        #expect(Chat.announcement(driver.state, .neutral) == nil)
        driver.hear(.message(Device.reply("s0", "first")))
        for text in ["Hel", "", "Hello"] as [ExactText] {
            driver.hear(.message(Device.reply("s1", text, at: 1, isGrowing: true)))
            driver.advance(by: .milliseconds(100))
            rows.update(driver.state, newest: 10, .neutral)
            #expect(rows.map { $0.text.string } == (text.isEmpty ? ["first"] : ["first", text.string]))
        }
    }

    // MARK: The transcript

    private let time = Device.epoch

    private func transcript() -> ChatTranscript { ChatTranscript(seed: 1, pageLength: 10) }

    private func mine(_ client: ClientID) -> Message {
        Message(
            author: .here(Message.Written(client: client, status: .delivered)),
            body: .text(LongText("Hello")), time: time)
    }

    @Test("L6: a message that is removed is found under none of its keys, nor under the id of any copy")
    func removed() {
        var transcript = transcript()
        let row = transcript.insert(mine("c_1"))
        transcript.resolve(row, id: "s_1", time: time, key: "c_1")
        transcript.rekey(row, "c_2")
        transcript.resolve(row, id: "s_2", time: time, key: "c_2")
        for id in ["s_1", "s_2"] as [MessageID] { #expect(transcript.ordinal(of: id) == row) }
        transcript.remove(row)
        for id in ["s_1", "s_2"] as [MessageID] { #expect(transcript.ordinal(of: id) == nil) }
        for key in ["c_1", "c_2"] as [ClientID] { #expect(transcript.ordinal(of: key) == nil) }
    }

    @Test("C5, L6: after a second reset, what the server has named since the first is known too")
    func secondReset() {
        var (first, second) = (transcript(), transcript())
        var retelling = first.withdraw()
        second.resolve(second.insert(mine("c_1")), id: "s_1", time: time)
        second.resolve(second.insert(mine("c_2")), id: "s_2", time: time)
        retelling.learn(from: second.withdraw())
        for (id, client) in [("s_1", "c_1"), ("s_2", "c_2"), ("s_3", nil)] as [(MessageID, ClientID?)] {
            #expect(retelling.message(id)?.client == client)
        }
    }

    @Test("C12, C10: an echo that turns out to be of an answered question leaves no turn behind")
    func answeredEcho() {
        var turns = Turns()
        turns.sent("c_1", isWanted: true)
        _ = turns.taken(elsewhere: "s_1", .stopped(left: .seconds(9)))
        _ = turns.began("r_1", to: "c_1", isWanted: true)
        #expect(turns.claim("s_1", for: "c_1") == nil)
        #expect(turns.turns.map { $0.question } == [.written("c_1")] && turns.reply(to: "c_1") == "r_1")
    }

    // MARK: Pages

    @Test("S6, C16: the reply to a question whose page comes late stands below it when it is retried")
    func retriedBeforeLoad() throws {
        var disk = Disk<Chat>()
        var driver = Device.asking(&disk)
        driver.say("Hi")
        driver.serve(from: &disk)
        driver.reply(.token("Part"))
        driver.breakOff()
        driver.serve(from: &disk)
        try driver.retry(on: &disk)
        driver = .freshAsking(seed: 2)
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk) { if case .page = $0 { true } else { false } }
        driver.send(.shown)
        driver.advance(by: .seconds(5))
        #expect(driver.screen == ["user: Hi"])
        driver.serve(from: &disk)
        #expect(driver.screen.sorted() == ["coach: Part", "user: Hi"])
        try driver.retry(on: &disk)
        driver.answer("Whole")
        #expect(driver.screen == ["user: Hi", "coach: Whole"])
    }

    @Test("R5, L8: a search for pages ends, whatever a disk says, and nothing is written over one of them")
    func endlessPages() {
        var driver = Device.fresh()
        driver.send(.signedIn(Device.account))
        driver.answer(Device.contentsKey, with: .failed(.damaged))
        var disk = Disk<Chat>()
        driver.serve(from: &disk) { if case .page = $0 { true } else { false } }
        var asked: Int64 = 0
        while let key = driver.storage.first?.key, asked < 20_000 {
            driver.answer(key, with: .failed(.damaged))
            asked += 1
        }
        #expect(asked == PageTable.searchLimit + 1)
        driver.send(.shown)
        driver.finishConnecting(replaying: [Device.reply("s1", "x")])
        #expect(!driver.storage.contains { if case .page = $0.key { true } else { false } })
        driver.sayDurably("Hi")
        #expect(driver.texts == ["x", "Hi"] && driver.said == ["Hi"])
    }
}
