import ChatDomain
import ChatEffects
import Testing

@Suite("Erasing what is stored of a person")
struct ErasingTests {
    private func paths(_ loop: AppLoop) -> [String] {
        loop.store.paths.map { $0.components.map(\.string).joined(separator: "/") }
    }

    @Test("P10: “erase my data” removes outbox, drafts, transcript and files; the device id stays")
    func erased() {
        var loop = AppLoop.connected()
        loop.say("Hello")
        loop.advance(by: .seconds(5))
        loop.send(.chat(.conversationCreated(title: "Work")))
        loop.send(
            .chat(.attachmentPicked(PickedFile(kind: .image, mimeType: "image/png", name: "n", bytes: [1]))))
        loop.send(.chat(.draftEdited("half a secret")))
        loop.send(.dataErased)
        loop.advance(by: .minutes(1))
        #expect(!loop.isPaired && paths(loop) == ["device"])
        #expect(loop.state.chat.account == nil && loop.machine.pendingStorage.isEmpty)
    }

    @Test("P10: another person's data stays")
    func others() {
        var loop = AppLoop.connected()
        loop.say("Hello")
        loop.advance(by: .seconds(5))
        let mine = paths(loop).filter { $0.hasPrefix("users/kaywood/") }
        loop.send(.pairing(.signedOut))
        loop.advance(by: .seconds(1))
        loop.server = LocalServer()
        loop.send(.pairing(.nameEdited("Ada")))
        loop.send(.pairing(.submitted))
        loop.advance(by: .seconds(3))
        loop.send(.dataErased)
        loop.advance(by: .seconds(1))
        #expect(!mine.isEmpty && paths(loop).filter { $0.hasPrefix("users/") }.sorted() == mine.sorted())
    }

    @Test("P10: data that cannot be erased is told; with nobody signed in nothing is erased")
    func failing() {
        var loop = AppLoop.connected()
        loop.store.faults = [.unreadable(["users"])]
        loop.send(.dataErased)
        loop.advance(by: .seconds(1))
        #expect(Pairing.notice(loop.state.pairing, .neutral) == Copy.neutral.dataNotErased)
        let before = loop.state
        loop.send(.dataErased)
        #expect(loop.state == before)
    }
}
