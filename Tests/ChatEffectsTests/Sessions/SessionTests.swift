// Random sessions over the whole app. `CHAT_SEEDS` and `CHAT_STEPS` make more and longer ones:
//
//     CHAT_SEEDS=300 CHAT_STEPS=2000 swift test --filter SessionTests

@testable import ChatDomain
@testable import ChatEffects
import Foundation
import Testing

@Suite("Whole sessions of the app, drawn from a seed")
struct SessionTests {
    /// How many seeds, and how many steps each: by default as many as take about three seconds.
    private static let seeds = number("CHAT_SEEDS") ?? 40
    private static let steps = number("CHAT_STEPS") ?? 200

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    @Test("L1, L3, L4, L5, L6, L8, L10: whatever people and the world do, the laws hold", arguments: 0..<2)
    func laws(part: Int) {
        for seed in stride(from: part + 1, through: Self.seeds, by: 2) {
            var session = Session(seed: UInt64(seed))
            session.run(steps: Self.steps)
            guard session.complaint != nil else { continue }
            var again = Session(seed: UInt64(seed), isTold: true)
            again.run(steps: Self.steps)
            let trail = again.trail.joined(separator: "\n")
            Issue.record("seed \(seed), \(again.complaint ?? "gone the second time")\n\(trail)")
        }
    }

    @Test("DEBUG")
    func debug() {
        guard let seed = Self.number("CHAT_SEED") else { return }
        var session = Session(seed: UInt64(seed), isTold: true)
        let word = ProcessInfo.processInfo.environment["CHAT_WORD"] ?? ""
        print("world", session.world)
        var last = ""
        func look() {
            let now = session.loop.state.screens.flatMap { screen in screen.rows.filter { $0.text.string.utf8.elementsEqual(word.utf8) || $0.text.string.contains(word) }.map { "\($0.id) \($0.role) \($0.text.string) \(String(describing: $0.status)) \($0.offer)" } + (screen.draft.string.contains(word) ? ["draft \(screen.draft)"] : []) }.joined(separator: "\n    ")
            if now != last { print(session.trail.suffix(6).joined(separator: "\n")); print("    " + now + "\n    conn \(session.loop.state.chat.connection) \(session.loop.state.account?.user.text ?? "-") srv", session.loop.server.log(of: session.loop.state.account?.user ?? "").filter { $0.text.string.contains(word) }.map { "\($0.id) \($0.author)" }, "copies", session.ledger.texts.filter { "t\($0.key)." == word }.map { $0.value.copies }); last = now }
        }
        for _ in 0..<Self.steps { session.step(); look(); if session.complaint != nil { break } }
        print("now settle"); session.settle(); look()
        print(session.complaint ?? "fine")
        for conversation in session.loop.state.chat.conversations {
            for outgoing in conversation.outbox.all { for a in outgoing.entry.attachments { print(outgoing.entry.text, outgoing.entry.wasSent, a.id, a.source, session.loop.store.paths.filter { $0.components.contains(a.id.text) }) } }
        }
        print(session.loop.machine.openCalls.map { $0.call }, session.loop.server.behaviour.rules)
    }
}
