import Foundation
import Testing

@Suite("Chat on a socket: whole sessions drawn from a seed")
struct ChatSocketTests {
    private typealias Trouble = SocketWorld.Trouble
    private typealias Law = SocketWorld.Law

    /// How many times as many seeds as by default.
    private static let times =
        ProcessInfo.processInfo.environment["CHAT_TIMES"].flatMap { UInt64($0) } ?? 1

    private func check(
        _ laws: [Law], of seed: UInt64, _ troubles: Set<Trouble>,
        at location: SourceLocation = #_sourceLocation
    ) {
        var world = SocketWorld(seed: seed, troubles)
        for _ in 0..<150 { world.step() }
        let complaints = world.finish().filter { laws.contains($0.law) }.map { "\($0.law): \($0.text)" }
        guard !complaints.isEmpty else { return }
        let lines = ["seed \(seed), \(troubles)"] + complaints + world.story + world.driver.shows
        Issue.record("\(lines.joined(separator: "\n"))", sourceLocation: location)
    }

    @Test("L3, L5, L6: carried by a socket, nothing is lost, doubled or stuck, whatever two things go wrong")
    func nothingIsLost() {
        let pairs = Trouble.allCases.flatMap { one in Trouble.allCases.map { Set([one, $0]) } }
        for seed in 0..<UInt64(pairs.count) * Self.times {
            check(
                [.atRest, .messageShown, .replyShown], of: 600_000 + seed, pairs[Int(seed) % pairs.count])
        }
    }

    @Test("C12: carried by a socket, each reply is that of its question, and a failure offers a retry")
    func answers() {
        let others: [Trouble] = [.reset, .refusedCursor, .elsewhere, .stop, .delete, .refusals]
        for seed in 0..<24 * Self.times {
            check(Law.allCases, of: 700_000 + seed, [.failures, others[Int(seed) % others.count]])
        }
    }

    @Test("C6, C12: carried by a socket, a relaunch leaves no answered message without its answer")
    func relaunches() {
        let others: [Trouble] = [.relaunch, .reset, .refusedCursor, .elsewhere, .stop, .delete]
        for seed in 0..<24 * Self.times {
            check(
                [.noFalseNote, .retryOffered], of: 800_000 + seed,
                [.relaunch, others[Int(seed) % others.count]])
        }
    }
}
