@testable import ChatDomain
@testable import ChatEffects
import Foundation
import TestVolume
import Testing

extension AppLoop {
    /// The process ends, and another goes on with what this one has stored of itself.
    fileprivate mutating func dieAndResume(after passed: Interval = .seconds(1)) throws {
        let stored = try JSONEncoder().encode(machine)
        #expect(!String(decoding: stored, as: UTF8.self).contains("stub."), "L10: a token is in it")
        var world = server
        world.dropConnections()
        self = AppLoop(
            resuming: try JSONDecoder().decode(Machine<ClawlineBackend>.self, from: stored),
            store: store.restarted(), server: world, wall: moment.wall + passed)
    }
}

@Suite("A machine that goes on in another process")
struct ResumingTests {
    @Test(
        "R4: pairing, connecting, sending and replying go on wherever the process ended",
        arguments: Array(stride(from: 0, to: 70, by: thoroughly(1, otherwise: 4))) as [Int64])
    func anywhere(step: Int64) throws {
        var loop = AppLoop.fresh()
        loop.pair()
        loop.send(.chat(.shown))
        var isSaid = false
        for tick in 0..<70 {
            // A request that was lost is repeated from the present, so somebody may be in a little later.
            if tick >= 40, !isSaid, loop.isPaired {
                loop.say("Hello")
                isSaid = true
            }
            if tick == step { try loop.dieAndResume() }
            loop.advance(by: .milliseconds(100))
        }
        loop.advance(by: .minutes(6))
        #expect(isSaid && loop.isPaired && loop.isConnected)
        #expect(loop.transcript == ["user: Hello", "server: You said: Hello"])
        #expect(loop.server.log(of: "kaywood").count == 2)
    }

    @Test(
        "R4, P8: a token that was not stored when the process ended is asked for anew",
        arguments: [.seconds(1), .minutes(10)] as [Interval])
    func tokenLost(away: Interval) throws {
        var loop = AppLoop.fresh()
        loop.send(.chat(.shown))
        loop.store.faults = [.silent(["secrets"])]
        loop.pair()
        loop.advance(by: .seconds(3))
        loop.store.faults = []
        try loop.dieAndResume(after: away)
        loop.advance(by: .minutes(1))
        #expect(loop.isPaired && loop.isConnected)
    }

    @Test(
        "R4, L10: a secret that cannot be read when a machine goes on signs nobody out",
        arguments: [false, true])
    func unreadableToken(isSilent: Bool) throws {
        var loop = AppLoop.connected()
        loop.store.faults = isSilent ? [.silent(["secrets"])] : [.unreadable(["secrets"])]
        try loop.dieAndResume()
        loop.advance(by: .seconds(30))
        #expect(loop.isPaired && !loop.isConnected)
        loop.store.faults = []
        loop.advance(by: .minutes(1))
        #expect(loop.isPaired && loop.isConnected)
    }

    @Test("R4: deadlines that passed meanwhile fire in their order, and time goes on from there")
    func deadlines() throws {
        var loop = AppLoop.fresh(LocalServer.Behaviour(rules: [.init(.pairing, .silence)]))
        loop.pair()
        loop.advance(by: .seconds(10))
        try loop.dieAndResume(after: .minutes(6))
        guard case .failed(.timedOut) = loop.state.pairing.phase else { return #expect(Bool(false)) }
        #expect(loop.moment.wall == Stage.epoch + .seconds(10) + .minutes(6))
    }

    @Test("R4: a wall clock that was set back while the process was away takes no time away")
    func setBack() throws {
        var loop = AppLoop.connected()
        let before = loop.moment
        try loop.dieAndResume(after: .seconds(-500))
        #expect(loop.moment.now == before.now && loop.state.chat.connection.attempt == nil)
        loop.advance(by: .minutes(1))
        #expect(loop.isConnected)
    }

    @Test("R4: storage that was not answered is asked for again, in order, under the same tickets")
    func storage() {
        var stage = Stage()
        stage.act(
            .save(Note(byte: 1), under: Place("a"), Attempt(number: 1)),
            .save(Note(byte: 2), under: Place("a"), Attempt(number: 2)),
            .load(Place("b"), Attempt(number: 3)))
        let first = stage.drain()
        #expect(first.count == 2)
        stage.machine.resume(at: Stage.moment(0))
        #expect(stage.drain() == first)
        stage.receive(.saved(StorageTicket(1)))
        #expect(stage.drain().count == 1 && stage.told.count == 1)
    }

    @Test("R4, L10: a secret whose save was under way is not saved as what stands in its place")
    func secret() throws {
        var loop = AppLoop.fresh()
        loop.store.faults = [.silent(["secrets"])]
        loop.pair()
        loop.advance(by: .seconds(3))
        loop.store.faults = []
        try loop.dieAndResume()
        loop.advance(by: .minutes(1))
        let secrets = loop.store.paths.filter { $0.components.first == "secrets" }
        let token = loop.state.chat.account.map { LocalServer.token(of: $0.device, as: $0.user) }
        #expect(secrets.count == 1 && loop.store.content(at: secrets[0]) == token.map { .secret($0) })
    }
}

@Suite("A restart of the server that the client outlives")
struct ServerRestartTests {
    @Test("L6, C5: the ids of a server that forgot everything never meet those that a client has stored")
    func restart() {
        var loop = StoryLoop.paired()
        loop.send(.chat(.shown))
        loop.send(.chat(.draftEdited("Hello")))
        loop.send(.chat(.sent))
        loop.advance(by: .seconds(10))
        loop.send(.chat(.draftEdited("Are you there?")))
        loop.send(.chat(.sent))
        loop.advance(by: .milliseconds(600))  // acknowledged and echoed, not answered
        var again = loop
        again.server = LocalServer()
        again = again.relaunched()
        again.advance(by: .seconds(200))
        #expect(again.marks.allSatisfy { $0 != .accepted }, "\(again.chat)")
        again.send(.chat(.draftEdited("And now?")))
        again.send(.chat(.sent))
        again.advance(by: .seconds(10))
        #expect(again.chat.suffix(2) == ["me: And now?", "server: You said: And now?"], "\(again.chat)")
        #expect(Set(again.chat).count == again.chat.count)
        #expect(again.chat.filter { $0.hasPrefix("me: Are you there?") }.count == 1)
    }
}
