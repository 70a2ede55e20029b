// The small values below the features: what their normal forms leave apart and what they join, and comparisons that
// end early.

@testable import ChatDomain
import Testing

private struct Note: DomainValue, Identifiable {
    var id: Int
    var asked: Attempt
}

@Suite("Core: marks, normal forms and comparisons")
struct StoredMarksTests {
    private let attempts = (0..<3).map { Attempt(number: $0) }

    private func at(_ seconds: Int64) -> Moment {
        Moment(now: .origin + .seconds(seconds), wall: WallTime(millisecondsSince1970: 1_000 * seconds))
    }

    private func normal<Part: Normalizable>(_ part: Part) -> Part {
        var form = NormalForm(moment: at(100), horizon: .seconds(60))
        return form.normal(part)
    }

    private func open() -> KeptRecord {
        var record = KeptRecord()
        _ = record.loads(under: attempts[0])
        _ = record.loaded(attempts[0], nil)
        return record
    }

    @Test("C6: a record that may be saved is not loaded again, whether it is open or gated")
    func loadedOnce() {
        var list = open()
        for var record in [open(), KeptRecord(.gated(list.changed()))] {
            let before = record
            #expect(!record.loads(under: attempts[1]) && record == before)
        }
    }

    @Test("L3: a failed save is forgotten by the normal form once a later one is durable")
    func madeUp() {
        var record = open()
        for (attempt, succeeds) in zip(attempts[1...], [false, true]) {
            _ = record.changed()
            _ = record.saves(under: attempt)
            _ = record.ended(attempt, succeeded: succeeds)
        }
        #expect(record.isClean && !record.isInDoubt && record != open())
        #expect(normal(record) == normal(open()))
    }

    @Test("L3: the normal form reaches an element that is out, one that is blocked, and those behind")
    func queue() {
        var queue = SendQueue<Note>()
        for id in 0...1 { _ = queue.enqueue(Note(id: id, asked: Attempt(number: UInt64(7 + id)))) }
        _ = queue.next()
        for isBlocked in [false, true] {
            if isBlocked { _ = queue.failedTransiently(0) }
            var form = NormalForm(moment: at(100))
            var normal = queue
            normal.normalize(&form) { $0.asked.normalize(&$1) }
            #expect(normal.elements.map { $0.asked } == [attempts[0], attempts[1]])
        }
    }

    @Test("P9: two tables of rows are alike if all in them is as old, and the values are")
    func rows() {
        let tables = [Int64(0), 10].map { start in
            var table = ExpiryTable<String, Attempt>()
            table.insert(Attempt(number: UInt64(start)), for: "a", at: at(start))
            var form = NormalForm(moment: at(start + 5))
            table.normalize(&form) { $0.normalize(&$1) }
            return table
        }
        #expect(tables[0] == tables[1] && tables[0]["a"] == attempts[0])
    }

    @Test("C1: states are alike after one sign of life or many, and not before the first")
    func signs() {
        let states = [0, 1, 3].map { count in
            var driver = Driver<Chat>.connected()
            for _ in 0..<count { driver.hear(.alive) }
            return normal(driver.state)
        }
        #expect(states[0] != states[1] && states[1] == states[2])
    }

    @Test("cost: rows are compared although whole stretches of them were removed")
    func stretches() {
        let vectors = [Int64(0), 4].map { start in
            var vector = OrdinalVector<Int>()
            for value in 0..<13 { vector.append(value) }
            for ordinal in start..<start + 4 { vector.remove(ordinal) }
            return vector
        }
        #expect(vectors[0].count == vectors[1].count && vectors[0] != vectors[1])
    }

    @Test("L2: a text that has more pieces begins no longer text that has fewer")
    func pieces() {
        let (short, long) = (String(repeating: "€", count: 34_001), String(repeating: "a", count: 102_100))
        #expect(LongText(short).byteCount < LongText(long).byteCount)
        #expect(!LongText(long).hasPrefix(LongText(short)) && LongText(long).hasPrefix(LongText("aaa")))
        var (few, more) = (RadixVector<Int>(), RadixVector<Int>())
        few.append(1)
        for value in 1...2 { more.append(value) }
        #expect(more.starts(with: few) && !few.starts(with: more))
    }

    @Test("S9: a stored wait that was not ahead when it was written counts by its end, up to the longest")
    func waitNotAhead() {
        let context = Context(moment: at(0), entropy: .seeded(1))
        let (end, longest) = (context.wall + .seconds(3_600), Interval.seconds(300))
        for written in [end, end + .seconds(1), nil] {
            #expect(context.rest(of: end, since: written, atMost: longest) == longest)
        }
        #expect(context.rest(of: end, since: end + .seconds(-10), atMost: longest) == .seconds(10))
    }
}
