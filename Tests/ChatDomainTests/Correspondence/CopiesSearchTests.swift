// Everything that can happen between copies and echoes, searched to closure (CopiesWorld.swift).

import TestVolume
import Testing

@testable import ChatDomain

@Suite("Copies, searched to closure")
struct CopiesSearchTests {
    private typealias Case = (name: String, states: Int, budget: CopiesWorld.Budget)

    private static let short: [Case] = [
        ("each message twice", 1_000, .init(retries: 3)),
        (
            "a restart", 5_000,
            .init(cuts: 1, restarts: 1, deletions: 1, retries: 1, hasEarlier: true, isWritten: true)
        ),
    ]

    private static let long: [Case] = [
        (
            "lost connections, a retry", 5_000,
            .init(
                cuts: 2, deletions: 1, retries: 1, acknowledgementsAgain: 1, isWritten: true)
        ),
        (
            "echoes with a key", 5_000,
            .init(
                cuts: 2, deletions: 1, retries: 1, acknowledgementsAgain: 1, isNamed: true,
                isWritten: true)
        ),
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
            "replayed, a restart", 5_000,
            .init(cuts: 2, retellings: 1, restarts: 1, hasEarlier: true, isWritten: true)
        ),
    ]

    @Test(
        "C10, C13, L5, L6: each message is shown once, and none is lost",
        arguments: thoroughly(short + long, otherwise: short))
    fileprivate func closure(_ name: String, _ least: Int, _ budget: CopiesWorld.Budget) {
        ClosureSearch(CopiesWorld(budget)).expectLawful("Copies, \(name)", atLeast: least)
    }

    @Test("C10: an echo in doubt is of an accepted message only if it is newer than all that was known then")
    func sameMoment() {
        let (time, text) = (WallTime(millisecondsSince1970: 0), LongText("ok"))
        var copies = Copies()
        copies.sent("c_1", of: "c_1", saying: text, since: time)
        let claimed = copies.taken("c_1")
        let old = copies.echoed("s_1", key: nil, saying: text, at: time, .inDoubt(isNews: false))
        let later = time + .seconds(1)
        let new = copies.echoed("s_2", key: nil, saying: text, at: later, .inDoubt(isNews: false))
        #expect(claimed == nil && old == .unclaimed && new == .of(client: "c_1", key: "c_1"))
    }

    @Test("C13: an echo in doubt is of a deleted message if it is news and no visible message has its text")
    func deletedInDoubt() {
        let (time, text) = (WallTime(millisecondsSince1970: 0), LongText("ok"))
        var copies = Copies()
        copies.sent("c_1", of: "c_1", saying: text, since: time)
        copies.deleted("c_1")
        var withVisible = copies
        withVisible.sent("c_2", of: "c_2", saying: text, since: time)
        let later = time + .seconds(1)
        let old = copies.echoed("s_1", key: nil, saying: text, at: later, .inDoubt(isNews: false))
        let new = copies.echoed("s_2", key: nil, saying: text, at: later, .inDoubt(isNews: true))
        let either = withVisible.echoed("s_2", key: nil, saying: text, at: later, .inDoubt(isNews: true))
        #expect(old == .unclaimed && new == .of(client: "c_1", key: "c_1") && either == .unclaimed)
    }

    @Test("C10: each of several echoes in doubt is remembered, and one that is told twice is one")
    func remembered() {
        let (time, texts) = (WallTime(millisecondsSince1970: 0), [LongText("a"), LongText("b")])
        var copies = Copies()
        for (key, text) in [("c_1", 0), ("c_2", 1), ("c_3", 1)] as [(ClientID, Int)] {
            copies.sent(key, of: key, saying: texts[text], since: nil)
        }
        for (id, text) in [("s_1", 0), ("s_2", 1), ("s_2", 1)] as [(MessageID, Int)] {
            copies.remember(id, saying: texts[text], at: time)
        }
        var claimed: [MessageID?] = []
        for key in ["c_1", "c_2", "c_3"] as [ClientID] { claimed.append(copies.taken(key)) }
        #expect(claimed == ["s_1", "s_2", nil])
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
