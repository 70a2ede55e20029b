import TestVolume
import Testing

@Suite("Chat on a socket: whole sessions drawn from a seed")
struct ChatSocketTests {
    private typealias Trouble = SocketWorld.Trouble
    private typealias Law = SocketWorld.Law

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
        for seed in stride(from: 0, to: UInt64(pairs.count), by: thoroughly(1, otherwise: 3)) {
            check(
                [.atRest, .messageShown, .replyShown], of: 600_000 + seed, pairs[Int(seed) % pairs.count])
        }
    }

    @Test("C12: carried by a socket, each reply is that of its question, and a failure offers a retry")
    func answers() {
        let others: [Trouble] = [.reset, .refusedCursor, .elsewhere, .stop, .delete, .refusals]
        for seed in 0..<thoroughly(24, otherwise: 12) as Range<UInt64> {
            check(Law.allCases, of: 700_000 + seed, [.failures, others[Int(seed) % others.count]])
        }
    }

    @Test("C6, C12: carried by a socket, a relaunch leaves no answered message without its answer")
    func relaunches() {
        let others: [Trouble] = [.relaunch, .reset, .refusedCursor, .elsewhere, .stop, .delete]
        for seed in 0..<thoroughly(24, otherwise: 12) as Range<UInt64> {
            check(
                [.noFalseNote, .retryOffered], of: 800_000 + seed,
                [.relaunch, others[Int(seed) % others.count]])
        }
    }
}
