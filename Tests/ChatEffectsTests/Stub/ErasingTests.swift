@testable import ChatDomain
@testable import ChatEffects
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
        loop.advance(by: .minutes(1))  // so that nobody has to remember how often was asked (P6)
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
        loop.advance(by: .minutes(1))
        loop.store.faults = [.unreadable(["users"])]
        loop.send(.dataErased)
        loop.advance(by: .seconds(1))
        #expect(Pairing.notice(loop.state.pairing, .neutral) == Wording.neutral.dataNotErased)
        let before = loop.state
        loop.send(.dataErased)
        loop.advance(by: .seconds(1))
        #expect(loop.state == before)
        // It can be tried again, and the next launch tries by itself.
        var next = loop
        next.store.faults = []
        next = next.relaunched()
        next.advance(by: .seconds(1))
        #expect(paths(next) == ["device"])
        loop.store.faults = []
        loop.send(.dataErased)
        loop.advance(by: .seconds(1))
        #expect(paths(loop) == ["device"] && Pairing.notice(loop.state.pairing, .neutral) == nil)
        let after = loop.state
        loop.send(.dataErased)
        #expect(loop.state == after)
    }

    @Test(
        "P10: the next launch completes “erase my data” when the process ends before it; a return keeps all"
    )
    func unfinished() {
        var loop = AppLoop.connected()
        loop.say("Hello")
        loop.advance(by: .minutes(1))
        loop.store.faults = [.silent(["users"])]
        loop.send(.dataErased)
        loop.store.faults = []
        loop.store = loop.store.restarted()
        var back = loop
        loop = loop.relaunched()
        loop.advance(by: .seconds(10))
        #expect(!loop.isPaired && paths(loop) == ["device"])
        back.pair()
        back.advance(by: .seconds(5))
        back = back.relaunched()
        back.advance(by: .seconds(5))
        #expect(back.isPaired && paths(back).contains { $0.hasPrefix("users/kaywood/") })
    }

    @Test(
        "P10, L5: a return after a failed erase keeps the texts written since",
        arguments: [false, true])
    func cameBack(isRemembered: Bool) {
        var loop = AppLoop.connected()
        loop.say("Hello")
        loop.advance(by: .minutes(1))
        loop.store.faults = [.unreadable(["users"])]
        loop.send(.dataErased)
        loop.advance(by: .seconds(1))
        loop.store.faults = isRemembered ? [.unreadable(["request"])] : [.unreadable(["credentials"])]
        loop.server = LocalServer()
        loop.pair()
        loop.advance(by: .seconds(10))
        #expect(loop.isPaired && loop.state.pairing.session?.isRemembered == isRemembered)
        loop.store.faults = []
        loop.send(.networkChanged(isUp: false))
        loop.say("Unsent words")
        loop.advance(by: .minutes(1))
        loop.store = loop.store.restarted()
        loop = loop.relaunched()
        loop.advance(by: .seconds(10))
        let written = loop.store.paths.compactMap { loop.store.storedBytes(at: $0) }.map {
            String(decoding: $0, as: UTF8.self)
        }
        #expect(written.contains { $0.contains("Unsent words") })
    }

    @Test(
        "P10: a person whose erase failed at sign-out is seen by nobody after",
        arguments: [false, true])
    func leftBehind(isSilent: Bool) {
        var loop = AppLoop.connected()
        loop.say("Mine")
        loop.advance(by: .seconds(5))
        loop.store.faults =
            isSilent
            ? [.silent(["credentials"]), .silent(["secrets"])]
            : [.unreadable(["credentials"]), .unreadable(["secrets"])]
        loop.send(.pairing(.signedOut))
        loop.advance(by: .seconds(6))
        #expect(Pairing.notice(loop.state.pairing, .neutral) == Wording.neutral.notErased)
        loop.send(.pairing(.nameEdited("Ada")))
        loop.send(.pairing(.submitted))
        loop.advance(by: .seconds(30))
        loop.store.faults = []
        loop.advance(by: .minutes(5))
        loop.store = loop.store.restarted()
        loop = loop.relaunched()
        loop.advance(by: .minutes(1))
        #expect(loop.state.chat.account?.user != "kaywood" && loop.transcript.isEmpty)
    }
}
