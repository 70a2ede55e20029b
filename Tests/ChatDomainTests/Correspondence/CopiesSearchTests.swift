// Everything that can happen between copies and echoes, searched to closure (CopiesWorld.swift).

import Testing

@testable import ChatDomain

@Suite("Copies, searched to closure")
struct CopiesSearchTests {
    @Test(
        "C10, C13, L5, L6: each message is shown once, and none is lost",
        arguments: [
            (
                "lost connections, a retry", 5_000,
                CopiesWorld.Budget(
                    cuts: 2, deletions: 1, retries: 1, acknowledgementsAgain: 1, isWritten: true)
            ),
            (
                "echoes with a key", 5_000,
                .init(
                    cuts: 2, deletions: 1, retries: 1, acknowledgementsAgain: 1, isNamed: true,
                    isWritten: true)
            ),
            ("each message twice", 1_000, .init(retries: 3)),
            (
                "refused, deleted", 5_000,
                .init(deletions: 2, retries: 1, refusals: 1, hasEarlier: true)
            ),
            (
                "replayed", 5_000,
                .init(cuts: 2, retellings: 1, deletions: 1, hasEarlier: true, isWritten: true)
            ),
            (
                "replayed, refused", 5_000,
                .init(cuts: 2, retellings: 1, refusals: 1, hasEarlier: true, isWritten: true)
            ),
            (
                "replayed, asked again", 5_000,
                .init(cuts: 2, retellings: 1, retries: 1, hasEarlier: true, isWritten: true)
            ),
            (
                "a restart", 5_000,
                .init(cuts: 1, restarts: 1, deletions: 1, retries: 1, hasEarlier: true, isWritten: true)
            ),
            (
                "replayed, a restart", 5_000,
                .init(cuts: 2, retellings: 1, restarts: 1, hasEarlier: true, isWritten: true)
            ),
        ])
    fileprivate func closure(_ name: String, _ least: Int, _ budget: CopiesWorld.Budget) {
        ClosureSearch(CopiesWorld(budget)).expectLawful("Copies, \(name)", atLeast: least)
    }

    @Test("L8: a server that never echoes, or echoes what nobody knows, fills no memory")
    func bounded() {
        var copies = Copies()
        let time = WallTime(millisecondsSince1970: 0)
        for number in 0..<Copies.limit + 500 {
            copies.sent(
                ClientID("c\(number)"), of: ClientID("c\(number)"), saying: LongText("ok"), since: nil)
            copies.remember(MessageID("s\(number)"), saying: LongText("no"), at: time)
        }
        #expect(copies.open.count == Copies.limit && copies.unclaimed.count == Copies.limit)
        #expect(copies.open.first?.key == "c500")
        #expect(copies.unclaimed.min { $0.place < $1.place }?.id == "s500")
        let rest = copies
        copies.sent("old", of: "old", saying: LongText("ok"), since: nil, isOlder: true)
        copies.remember("old", saying: LongText("no"), at: time, isOlder: true)
        #expect(copies.open == rest.open && copies.unclaimed == rest.unclaimed)
    }
}
