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
}

extension Desk {
    fileprivate var texts: [String] {
        Chat.rows(state.chat, newest: 100, .neutral).map { $0.text.string }
    }
}
