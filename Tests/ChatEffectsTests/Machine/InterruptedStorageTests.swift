// Storage that something comes across: a jump of the clock, the end of the process, and a disk that is
// locked for a while.

@testable import ChatDomain
@testable import ChatEffects
import ChatTesting
import Foundation
import Testing

@Suite("Interrupted storage")
struct InterruptedStorageTests {
    private static let (first, second) = (Attempt(number: 1), Attempt(number: 2))
    private let note = Note(byte: 5)

    @Test(
        "guarantee 2: what a timer of a jump leads to at once is told at its time, before later timers",
        arguments: [
            (
                .save(Note(byte: 5), under: ["x"], second),
                .stored(.failed(.newer(version: 2)), under: ["x"], second)
            ),
            (.send(.a, .echo(1)), .received(.byte(1), on: .a)),
        ] as [(Script.Effect, Script.Action)])
    func jump(effect: Script.Effect, told: Script.Action) {
        var stage = Stage(rules: [.init(when: .timerFired(.a), effects: [effect])])
        stage.act(
            .load(["x"], Self.first), .open(.a, .socket), .start(.a, after: .milliseconds(10)),
            .start(.b, after: .milliseconds(20)))
        stage.receive(.loaded(StorageTicket(1), [2]))
        stage.advance(to: 30)
        let log = stage.machine.state.log.suffix(3)
        #expect(log.map(\.action) == [.timerFired(.a), told, .timerFired(.b)])
        #expect(log.map(\.moment) == [10, 10, 20].map(Stage.moment))
    }

    @Test(
        "R4, R5: a damaged record that a process found and did not move is moved by the next, before a save"
    )
    func damagedBeforeTheEnd() throws {
        let path = Place("x").path
        var store = MemoryStore()
        _ = store.save([], path)
        var stage = Stage()
        stage.act(.load(["x"], Self.first), .save(note, under: ["x"], Self.second))
        _ = stage.drain()
        stage.receive(.loaded(StorageTicket(1), []))
        let stored = try JSONEncoder().encode(stage.machine)
        let loop = Loop(
            resuming: try JSONDecoder().decode(ScriptMachine.self, from: stored), store: store,
            server: ScriptedServer(), wall: Stage.epoch + .seconds(1))
        #expect(loop.store.setAside(from: path) == [.bytes([])])
        #expect(loop.store.storedBytes(at: path) == [1, 5])
    }

    @Test(
        "C8, C14, P1: a file that cannot be read for a while fails no message, which goes when it can",
        arguments: [(.document, "text/plain"), (.image, "image/png")]
            as [(Chat.Attachment.Kind, ExactText)])
    func lockedFile(kind: Chat.Attachment.Kind, type: ExactText) throws {
        var loop = StoryLoop.connected(rules: [])
        let file = PickedFile(kind: kind, mimeType: type, name: "a", bytes: [UInt8](repeating: 7, count: 9))
        loop.send(.chat(.attachmentPicked(file)))
        loop.advance(by: .seconds(5))
        let stored = try #require(loop.store.paths.first { $0.components.contains("attachments") })
        loop.store.faults = [.unreadable(stored.components)]
        loop.send(.chat(.draftEdited("look")))
        loop.send(.chat(.sent))
        loop.advance(by: .seconds(20))
        #expect(Chat.rows(loop.state.chat, newest: 10, .neutral).map(\.note) == [nil])
        loop.store.faults = []
        loop.advance(by: .minutes(1))
        let rows = Chat.rows(loop.state.chat, newest: 10, .neutral)
        #expect(rows.map(\.text.string) == ["look", "You said: look"])
        #expect(rows.first?.status == .delivered)
        #expect(loop.server.log(of: "kaywood").first?.files.count == 1)
    }
}
