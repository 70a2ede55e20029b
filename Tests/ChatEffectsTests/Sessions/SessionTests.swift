// Random sessions over the whole app. `CHAT_SEEDS` and `CHAT_STEPS` make more and longer ones, and `CHAT_FIRST`
// is the first seed; with one seed a session that failed is run again:
//
//     CHAT_SEEDS=300 CHAT_STEPS=2000 swift test --filter ChatEffectsTests.SessionTests/laws

@testable import ChatDomain
@testable import ChatEffects
import Foundation
import Testing

@Suite("Whole sessions of the app, drawn from a seed")
struct SessionTests {
    /// How many seeds, and how many steps each: by default as many as take two to three seconds.
    private static let seeds = number("CHAT_SEEDS") ?? 24
    private static let first = number("CHAT_FIRST") ?? 1
    private static let steps = number("CHAT_STEPS") ?? 100

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    @Test("L1, L3, L4, L5, L6, L8, L10: whatever people and the world do, the laws hold", arguments: 0..<2)
    func laws(part: Int) {
        for seed in stride(from: Self.first + part, to: Self.first + Self.seeds, by: 2) {
            var session = Session(seed: UInt64(seed))
            session.run(steps: Self.steps)
            guard session.complaint != nil else { continue }
            var again = Session(seed: UInt64(seed), isTold: true)
            again.run(steps: Self.steps)
            let trail = again.trail.joined(separator: "\n")
            Issue.record("seed \(seed), \(again.complaint ?? "gone the second time")\n\(trail)")
        }
    }

    @Test("L2: the same seed twice ends in equal machines, servers and disks")
    func deterministic() {
        for seed in UInt64(1)...2 {
            var (one, other) = (Session(seed: seed), Session(seed: seed))
            one.run(steps: 60)
            other.run(steps: 60)
            #expect(one.loop == other.loop, "seed \(seed)")
        }
    }

    @Test(
        "L9: how a reply is told, and in which batches it is shown, changes nothing of what is there in the end"
    )
    func chunking() {
        for seed in UInt64(1)...2 {
            let ends = [LocalServer.Dialect.cumulative, .deltas, .chunks].flatMap { dialect in
                [50, 100].map { batch in Session.quietDay(seed, dialect, batch: .milliseconds(batch)) }
            }
            #expect(ends.allSatisfy { $0 == ends[0] } && !ends[0].isEmpty, "seed \(seed)")
        }
    }
}

extension Session {
    /// A session in which nothing depends on what is shown, and all that it shows in the end.
    fileprivate static func quietDay(
        _ seed: UInt64, _ dialect: LocalServer.Dialect, batch: Interval
    ) -> [String] {
        var dice = Entropy.seeded(seed)
        var app = Session(seed: seed).app
        app.chat.configuration = Chat.Configuration()
        app.chat.configuration.batchInterval = batch
        var behaviour = LocalServer.Behaviour()
        behaviour.dialect = dialect
        let machine = Machine(
            app, state: ChatApp.State(app), backend: ClawlineBackend(), moment: Stage.moment(0),
            entropy: .seeded(seed))
        var loop = AppLoop(machine, store: MemoryStore(), server: LocalServer(behaviour))
        loop.send(.launched)
        loop.pair()
        loop.advance(by: .seconds(3))
        loop.send(.chat(.shown))
        for number in 0..<40 {
            switch dice.below(6) {
            case 0: loop.server.dropConnections()
            case 1: loop.send(dice.below(2) == 0 ? .backgrounded : .foregrounded)
            case 2 where number < 8: loop.send(.chat(.conversationCreated(title: "")))
            case 3:
                let entries = loop.state.chat.list.entries
                loop.send(.chat(.conversationSwitched(to: entries[dice.below(entries.count)].id)))
            default: loop.say(ExactText("number \(number) of a quiet day"))
            }
            loop.advance(by: .milliseconds(Int64(dice.below(3_000))))
        }
        loop.send(.foregrounded)
        loop.advance(by: .minutes(5))
        return loop.state.screens.flatMap { $0.rows.map { "\($0.role) \($0.text.string)" } }
    }
}
