// Random sessions over the whole app. `CHAT_SEEDS` and `CHAT_STEPS` make more and longer ones:
//
//     CHAT_SEEDS=300 CHAT_STEPS=2000 swift test --filter SessionTests

import ChatDomain
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
}
