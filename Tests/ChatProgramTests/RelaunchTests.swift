@testable import ChatDomain
import ChatEffects
import Testing

@testable import chat

/// The program is run again where an earlier run has left its records, and its server begins anew.
@Suite("Program: another run")
struct RelaunchTests {
    @Test("C16: on virtual time what is said now stands behind what was said, however far that time had run")
    func timeGoesOn() async {
        var desk = Desk()
        await desk.type("Ada", "One", "/wait 13h", "Two")
        desk = Desk(store: desk.store, wall: Desk.noon + .minutes(5), seed: 1)
        await desk.type("Three", "/older")
        #expect(
            desk.texts == ["One", "You said: One", "Two", "You said: Two", "Three", "You said: Three"])
    }

    @Test("C16: rows are said when a launch has read its records, or its time is over; unsent ones last")
    func order() async {
        var desk = Desk()
        await desk.type("Ada", "One", "/offline", "Two")
        #expect(desk.chat.end(.complete) == 0)
        for isAnswered in [true, false] {
            let store = LatePages(store: desk.store)
            var loop = Setup.loop(store: store, wall: Desk.noon + .minutes(5), seed: 1)
            var narrator = Narrator(wording: .neutral)
            func rows() -> [String] {
                narrator.news(loop.state, at: loop.moment.wall).map { $0.text }
                    .filter { $0.first?.isNumber == true }.map { "\($0.prefix(2))\($0.suffix(3))" }
            }
            loop.send(.launched)
            loop.send(.chat(.shown))
            #expect(!loop.store.loads.isEmpty && rows().isEmpty)
            while isAnswered, let load = loop.store.loads.popLast() {
                loop.receive([loop.store.store.carryOut(load)].compactMap { $0 })
            }
            if !isAnswered { loop.advance(by: .seconds(5)) }
            #expect(rows() == (isAnswered ? ["1.One", "2.One", "3.Two"] : ["1.Two"]))
        }
    }

    @Test("C2, C5: a server that begins anew takes as read what it said before, in one authentication")
    func cursorFromBefore() async {
        var desk = Desk()
        await desk.type("Ada", "One")
        for launch in 1...4 {
            desk = Desk(
                store: desk.store, wall: Desk.noon + .minutes(5 * Int64(launch)), seed: UInt64(launch))
            await desk.type("More")
            guard case .socket(let connection) = desk.state.chat.shared.carrier else {
                Issue.record("chat goes over a socket")
                continue
            }
            #expect(connection.wrappedValue.authentications.admissions.count == 1)
            #expect(desk.texts.count == 2 + 2 * launch && desk.state.chat.conversation.banner == nil)
        }
    }

    @Test("L5: the end of a script saves what stands in the composer")
    func draft() async {
        var desk = Desk()
        await desk.type("Ada")
        desk.chat.handle(.chat(.draftEdited("half a thought")))
        #expect(desk.chat.end(.complete) == 0)
        desk = Desk(store: desk.store, wall: Desk.noon + .minutes(5))
        await desk.type("/files")
        #expect(desk.state.chat.conversation.draft.text == "half a thought")
    }

    @Test("S11: a model's reply that the end of the program has cut off says so, and what can be done")
    func cutOff() async throws {
        let model = ModelBackend(OpenAIChat(), ModelServer(path: "/v1", model: "m", key: .none))
        func loop(_ store: SignedInStore<MemoryStore>, _ wall: WallTime) -> Loop<
            RealSetup.Codec<ClawlinePairing, ChatCarriages<NoCarriage, NamedStreams>>,
            SignedInStore<MemoryStore>, LocalServer
        > {
            let machine = RealSetup(wall: wall).machine(.openAI(model))
            var loop = Loop(machine, store: store, server: LocalServer())
            loop.send(.launched)
            loop.send(.chat(.shown))
            return loop
        }
        var first = loop(SignedInStore(MemoryStore(), key: nil, wall: Desk.noon), Desk.noon)
        first.send(.chat(.draftEdited("one two three four")))
        first.send(.chat(.sent))
        let isGrowing = { (row: Chat.Row) in row.text.string.hasPrefix("You said: one") }
        while !Chat.rows(first.state.chat, newest: 2, .neutral).contains(where: isGrowing),
            first.runToNextDeadline()
        {}
        first.send(.backgrounded)
        let second = loop(first.store, Desk.noon + .seconds(20))
        for (state, text) in [(first.state, "You said: one"), (second.state, "You said: one")] {
            var narrator = Narrator(wording: .neutral)
            let lines = narrator.news(state, at: Desk.noon).map { $0.text }
            let place = try #require(lines.firstIndex { $0.hasPrefix("2. assistant: \(text)") })
            #expect(lines[place + 1] == "   (cut off; /retry 2 asks again)")
        }
    }
}

/// A store that reads pages later than everything else.
private struct LatePages: RecordStore {
    var store: MemoryStore
    /// The loads that are not answered yet.
    var loads: [DriverOperation] = []

    mutating func carryOut(_ operation: DriverOperation) -> Outcome? {
        guard case .load(_, let path) = operation, path.components.contains("pages") else {
            return store.carryOut(operation)
        }
        loads.append(operation)
        return nil
    }

    func secret(at path: RecordPath) -> Secret? { store.secret(at: path) }
    func bytes(at path: RecordPath) throws(StorageFailure) -> [UInt8]? { try store.bytes(at: path) }
}

extension Desk {
    fileprivate var texts: [String] {
        Chat.rows(state.chat, newest: 100, .neutral).map { $0.text.string }
    }
}
