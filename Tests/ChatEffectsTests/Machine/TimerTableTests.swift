// Timers against a model that cannot be wrong: an array that is searched from end to end.

import ChatDomain
@testable import ChatEffects
import Foundation
import Testing

@Suite("Timer table")
struct TimerTableTests {
    enum Name: DomainValue {
        case retry
        case row(UInt64)
    }

    typealias Table = TimerTable<Name>

    static func at(_ nanoseconds: Int64) -> Instant { Instant(nanoseconds: nanoseconds) }

    /// Starts rows at one deadline, in the order of the numbers.
    static func rows(_ numbers: [UInt64], at deadline: Instant) -> Table {
        var table = Table()
        for number in numbers { table.start(.row(number), at: deadline) }
        return table
    }

    static func fire(_ table: inout Table, by limit: Instant) -> [Name] {
        var fired: [Name] = []
        while let (timer, _) = table.popFirst(dueBy: limit) { fired.append(timer) }
        return fired
    }

    // MARK: What can go wrong

    @Test(
        "L4: a cancelled timer does not fire, also when it was started in the same batch",
        arguments: [2, 100])
    func cancelled(size: UInt64) {
        var table = Self.rows(Array(0..<size), at: Self.at(5))
        table.cancel(.row(0))
        table.start(.retry, at: Self.at(1))
        table.cancel(.retry)
        #expect(table.nextDeadline == Self.at(5))
        #expect(!table.isRunning(.retry) && !table.isRunning(.row(0)))
        #expect(Self.fire(&table, by: .never) == (1..<size).map(Name.row))
        #expect(table.count == 0 && table.nextDeadline == nil)
    }

    @Test("cancelling what does not run changes nothing", arguments: [0, 3, 100])
    func cancelNothing(size: UInt64) {
        var table = Self.rows(Array(0..<size), at: Self.at(5))
        let before = table
        table.cancel(.retry)
        #expect(table == before)
    }

    @Test("L4: of a timer that was started twice only the last start fires", arguments: [2, 100])
    func replaced(size: UInt64) {
        for (first, second) in [(1, 9), (9, 1)] as [(Int64, Int64)] {
            var table = Self.rows(Array(0..<size), at: Self.at(5))
            table.start(.retry, at: Self.at(first))
            table.start(.retry, at: Self.at(second))
            #expect(table.count == Int64(size) + 1)
            #expect(table.deadline(of: .retry) == Self.at(second))
            #expect(table.nextDeadline == Self.at(min(second, 5)))
            let fired = Self.fire(&table, by: .never)
            #expect(fired.count == Int(size) + 1)
            #expect((second < 5 ? fired.first : fired.last) == .retry)
        }
    }

    @Test("a timer that is restarted moves behind all of the same deadline", arguments: [3, 8, 9, 100])
    func restarted(size: UInt64) {
        var table = Self.rows(Array(0..<size), at: Self.at(5))
        table.start(.row(1), at: Self.at(5))
        #expect(Self.fire(&table, by: Self.at(5)) == (([0] + (2..<size)) + [1]).map(Name.row))
    }

    @Test("equal deadlines fire in the order of starting", arguments: [8, 9, 1000])
    func ties(size: UInt64) {
        var table = Self.rows((0..<size).reversed(), at: Self.at(5))
        table.start(.retry, at: Self.at(4))
        #expect(Self.fire(&table, by: Self.at(5)) == [.retry] + (0..<size).reversed().map(Name.row))
    }

    @Test("a deadline that never comes runs, but is never due", arguments: [0, 100])
    func never(size: UInt64) {
        var table = Self.rows(Array(0..<size), at: .never)
        table.start(.retry, at: .never)
        #expect(table.isRunning(.retry))
        #expect(table.deadline(of: .retry) == .never)
        #expect(table.nextDeadline == nil)
        #expect(table.popFirst(dueBy: .never) == nil)
        table.start(.row(0), at: Self.at(.max - 1))
        #expect(table.nextDeadline == Self.at(.max - 1))
        #expect(Self.fire(&table, by: .never) == [.row(0)])
        #expect(table.count == max(Int64(size), 1))
    }

    @Test("bad input: the ends of time order like any other deadline", arguments: [0, 100])
    func extremes(size: UInt64) {
        var table = Self.rows((0..<size).map { $0 + 10 }, at: .origin)
        table.start(.row(0), at: Self.at(.max - 1))
        table.start(.row(1), at: Self.at(.min))
        table.start(.row(2), at: Self.at(.min + 1))
        #expect(table.nextDeadline == Self.at(.min))
        #expect(Self.fire(&table, by: Self.at(.min)) == [.row(1)])
        #expect(table.running.first?.timer == .row(2))
        #expect(table.running.last?.timer == .row(0))
    }

    @Test("a timer fires at its deadline, not before")
    func exact() {
        var table = Self.rows([1], at: Self.at(5))
        #expect(table.popFirst(dueBy: Self.at(4)) == nil)
        let fired = table.popFirst(dueBy: Self.at(5))
        #expect(fired?.timer == .row(1) && fired?.deadline == Self.at(5))
    }

    @Test("starts that were cancelled at once leave nothing behind")
    func churn() {
        var table = Self.rows(Array(0..<20), at: Self.at(1_000_000))
        let before = table
        for round in 0..<2_000 as Range<UInt64> {
            table.start(.retry, at: Self.at(Int64(round)))
            table.start(.row(round + 20), at: Self.at(2_000_000))
            table.cancel(.retry)
            table.cancel(.row(round + 20))
        }
        #expect(table == before)
        #expect(table.nextDeadline == Self.at(1_000_000))
    }

    @Test("starts that no longer count do not pile up, also while an earlier timer keeps them from surfacing")
    func memory() throws {
        var table = Self.rows(Array(0..<100), at: Self.at(1))
        for round in 0..<10_000 as Range<Int64> { table.start(.retry, at: Self.at(round + 2)) }
        // Nothing that the table answers shows what it keeps, so the test looks inside.
        let heap = try #require(Mirror(reflecting: table).descendant("many", "heap") as? [Any])
        #expect(heap.count < 300)
        #expect(table.count == 101)
    }

    // MARK: Normal form

    @Test(
        "R4: equal timers in equal order are equal, whatever happened before", arguments: [0, 5, 8, 9, 100])
    func histories(size: UInt64) {
        let straight = Self.rows(Array(0..<size), at: Self.at(5))
        var winding = Self.rows((0..<300).reversed(), at: Self.at(7))
        for number in (0..<300 as Range<UInt64>).reversed() { winding.cancel(.row(number)) }
        for number in 0..<size { winding.start(.row(number), at: Self.at(5)) }
        for number in 300..<400 as Range<UInt64> { winding.start(.row(number), at: Self.at(1)) }
        _ = Self.fire(&winding, by: Self.at(1))
        #expect(winding == straight)
        #expect(winding.hashValue == straight.hashValue)
        #expect(winding.running == straight.running)
    }

    @Test("R4: tables that would fire otherwise are not equal", arguments: [3, 100])
    func differences(size: UInt64) {
        let table = Self.rows(Array(0..<size), at: Self.at(5))
        var other = table
        other.start(.row(0), at: Self.at(5))
        #expect(other != table)
        other = table
        other.start(.row(size - 1), at: Self.at(6))
        #expect(other != table)
        other = table
        other.cancel(.row(size - 1))
        #expect(other != table)
        other.start(.retry, at: Self.at(5))
        #expect(other != table)
    }

    @Test("R4: a table comes back from its encoding, ties and all", arguments: [0, 8, 9, 200])
    func encoding(size: UInt64) throws {
        var table = Table()
        for number in 0..<size { table.start(.row(number), at: Self.at(Int64(number % 3))) }
        table.start(.retry, at: .never)
        let data = try JSONEncoder().encode(table)
        var decoded = try JSONDecoder().decode(Table.self, from: data)
        #expect(decoded == table)
        #expect(decoded.running == table.running)
        #expect(Self.fire(&decoded, by: .never) == Self.fire(&table, by: .never))
    }

    @Test("R4: tables that are equal encode to the same bytes")
    func sameEncoding() throws {
        var winding = Self.rows([4, 1, 2, 3], at: Self.at(5))
        winding.start(.row(4), at: Self.at(5))
        let straight = Self.rows([1, 2, 3, 4], at: Self.at(5))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(try encoder.encode(winding) == encoder.encode(straight))
    }

    @Test("bad input: a list that is out of order, or names a timer twice, decodes to a valid table")
    func badEncoding() throws {
        let list = [(Name.row(1), 9), (.retry, 5), (.row(2), 5), (.retry, 7)].map {
            "{\"timer\":\(Self.json($0.0)),\"deadline\":{\"nanoseconds\":\($0.1)}}"
        }
        let data = Data("[\(list.joined(separator: ","))]".utf8)
        var table = try JSONDecoder().decode(Table.self, from: data)
        #expect(table.count == 3)
        #expect(Self.fire(&table, by: .never) == [.row(2), .retry, .row(1)])
    }

    static func json(_ name: Name) -> String {
        switch name {
        case .retry: #"{"retry":{}}"#
        case .row(let number): #"{"row":{"_0":\#(number)}}"#
        }
    }
}
