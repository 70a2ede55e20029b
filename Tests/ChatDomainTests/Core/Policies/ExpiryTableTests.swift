@testable import ChatDomain
import Testing

@Suite("Expiry table")
struct ExpiryTableTests {
    private typealias Table = ExpiryTable<String, Int>

    private func at(_ seconds: Int64) -> Moment {
        Moment(now: .origin + .seconds(seconds), wall: WallTime(millisecondsSince1970: 1_000 * seconds))
    }

    @Test("P9: one row a key, with the latest value at its first place")
    func oneRow() {
        var table = Table()
        table.insert(1, for: "a", at: at(0))
        table.insert(2, for: "b", at: at(1))
        table.insert(3, for: "a", at: at(200))
        #expect(table.rows.map(\.key) == ["a", "b"])
        #expect(table["a"] == 3)
        #expect(table["c"] == nil)
        #expect(table.rows.first?.firstSeen == at(0))
    }

    @Test("P9: a row expires 300 s after it was first seen, however often it is seen again")
    func expires() {
        var table = Table()
        table.insert(1, for: "a", at: at(0))
        table.insert(2, for: "b", at: at(10))
        table.insert(3, for: "a", at: at(299))
        #expect(table.nextDeadline == at(300).now)
        #expect(table.expire(at: at(300).now - Interval(nanoseconds: 1)).isEmpty)
        #expect(table.expire(at: at(300).now).map(\.value) == [3])
        #expect(table.rows.map(\.key) == ["b"])
        #expect(table.nextDeadline == at(310).now)
        #expect(table.expire(at: at(9_999).now).map(\.key) == ["b"])
        #expect(table.nextDeadline == nil)
    }

    @Test("P9: a row that was taken out and is seen again begins anew")
    func again() {
        var table = Table()
        table.insert(1, for: "a", at: at(0))
        #expect(table.remove("a")?.value == 1)
        #expect(table.remove("a") == nil)
        table.insert(2, for: "a", at: at(100))
        #expect(table.nextDeadline == at(400).now)
    }

    @Test("L8: a full table refuses the newest, counts it, and still updates the rows it has")
    func limit() {
        var table = Table()
        for index in 0..<100 {
            table.insert(index, for: "k\(index)", at: at(0))
        }
        table.insert(0, for: "more", at: at(1))
        table.insert(7, for: "k0", at: at(1))
        #expect(table.refusals == Counter(1) && table["more"] == nil && table["k0"] == 7)
        #expect(table.remove("k99") != nil)
        table.insert(0, for: "more", at: at(1))
        #expect(table.rows.count == 100 && table["more"] == 0)
    }

    @Test("P9: it agrees with a plain list under random steps")
    func model() throws {
        for seed in 0..<60 as Range<UInt64> {
            var entropy = Entropy.seeded(seed)
            var table = Table(lifetime: .seconds(20), limit: 6)
            var list: [(key: String, value: Int, first: Int64)] = []
            var refusals: UInt64 = 0
            for time in 0..<100 as Range<Int64> {
                let expired = table.expire(at: at(time).now).map(\.key)
                #expect(expired == list.filter { $0.first + 20 <= time }.map(\.key))
                list.removeAll { $0.first + 20 <= time }
                let key = "k\(entropy.below(12))"
                let index = list.firstIndex { $0.key == key }
                if entropy.below(4) == 0 {
                    #expect(table.remove(key)?.value == index.map { list[$0].value })
                    if let index { list.remove(at: index) }
                } else {
                    table.insert(Int(time), for: key, at: at(time))
                    if let index {
                        list[index].value = Int(time)
                    } else if list.count < 6 {
                        list.append((key, Int(time), time))
                    } else {
                        refusals += 1
                    }
                }
                #expect(table.rows.map(\.key) == list.map(\.key))
                #expect(table.rows.map(\.value) == list.map(\.value))
                #expect(table.nextDeadline == list.first.map { at($0.first + 20).now })
                #expect(table.refusals.value == refusals)
            }
            #expect(try throughJSON(table) == table)
        }
    }

    @Test("bad input: times out of order, lifetimes and limits at their extremes")
    func extremes() {
        var disordered = Table()
        disordered.insert(1, for: "late", at: at(100))
        disordered.insert(2, for: "early", at: at(0))
        #expect(disordered.nextDeadline == at(300).now)
        #expect(disordered.expire(at: at(300).now).map(\.key) == ["early"])

        var brief = Table(lifetime: Interval(nanoseconds: .min))
        brief.insert(1, for: "a", at: at(5))
        #expect(brief.expire(at: at(5).now).count == 1)

        var endless = Table(lifetime: .max, limit: .max)
        endless.insert(1, for: "a", at: at(5))
        #expect(endless.nextDeadline == .never)
        var none = Table(limit: .min)
        none.insert(1, for: "a", at: at(0))
        #expect(none.rows.isEmpty && none.refusals == Counter(1))
    }
}
