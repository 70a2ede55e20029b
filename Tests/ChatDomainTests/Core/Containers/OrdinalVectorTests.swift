// `OrdinalVector` against a sorted array of rows: lasting addresses, tombstones, order, and bounded memory.

@testable import ChatDomain
import Foundation
import Testing

@Suite("Ordinal vector")
struct OrdinalVectorTests {
    /// The same rows, in the plainest way.
    private struct Model: Equatable {
        var rows: [Int64: String] = [:]
        var next: Int64 = 0
        var oldest: Int64 = 0

        var ordered: [Int64] { rows.keys.sorted() }
    }

    private static func step(
        _ vector: inout OrdinalVector<String>, _ model: inout Model, _ entropy: inout Entropy, _ step: Int
    ) {
        let span = UInt64(model.next - model.oldest) + 2
        let ordinal = model.oldest - 1 + Int64(entropy.next() % span)
        switch entropy.next() % 10 {
        case 0, 1, 2:
            #expect(vector.append("new \(step)") == model.next)
            model.rows[model.next] = "new \(step)"
            model.next += 1
        case 3, 4:
            #expect(vector.prepend("old \(step)") == model.oldest - 1)
            model.oldest -= 1
            model.rows[model.oldest] = "old \(step)"
        case 5, 6, 7:
            #expect(vector.remove(ordinal) == model.rows.removeValue(forKey: ordinal))
        case 8:
            vector.update(ordinal) { $0 += "." }
            model.rows[ordinal]? += "."
        default:
            let dropped = model.ordered.prefix(step % 20)
            let removed = vector.removeOldest(Int64(step % 20))
            #expect(removed.map { row in row.ordinal } == Array(dropped))
            #expect(removed.allSatisfy { row in model.rows[row.ordinal] == row.value })
            for ordinal in dropped { model.rows[ordinal] = nil }
        }
    }

    private static func expectSame(_ vector: OrdinalVector<String>, _ model: Model) {
        let ordered = model.ordered
        #expect(vector.count == Int64(model.rows.count))
        #expect(vector.isEmpty == model.rows.isEmpty)
        #expect(vector.ordinals == model.oldest..<model.next)
        #expect(vector.map { row in row.ordinal } == ordered)
        #expect(vector.newestFirst.map { row in row.ordinal } == ordered.reversed())
        #expect(vector.allSatisfy { row in model.rows[row.ordinal] == row.value })
        #expect(
            (model.oldest - 1...model.next).allSatisfy { ordinal in vector[ordinal] == model.rows[ordinal] })
        for start in [model.oldest, -9, 0, 7, model.next] {
            #expect(vector.rows(from: start).map { row in row.ordinal } == ordered.filter { $0 >= start })
        }
    }

    @Test("cost: a random history gives what the model gives, and held values never change")
    func model() {
        var entropy = Entropy.seeded(17)
        var vector = OrdinalVector<String>()
        var model = Model()
        var held: [(OrdinalVector<String>, Model)] = []
        for step in 0..<2_500 {
            OrdinalVectorTests.step(&vector, &model, &entropy, step)
            if step % 125 == 0 { held.append((vector, model)) }
        }
        held.append((vector, model))
        for (vector, model) in held { OrdinalVectorTests.expectSame(vector, model) }
    }

    @Test("vectors with the same rows are equal, whatever was done to them in between")
    func history() throws {
        var entropy = Entropy.seeded(23)
        for round in 0..<12 {
            var vector = OrdinalVector<String>()
            var model = Model()
            for step in 0..<(round * 60) { OrdinalVectorTests.step(&vector, &model, &entropy, step) }
            // Every row first, then the removals, newest first.
            var again = OrdinalVector<String>()
            for ordinal in 0..<model.next { again.append(model.rows[ordinal] ?? "gone") }
            for ordinal in stride(from: -1, through: model.oldest, by: -1) {
                again.prepend(model.rows[ordinal] ?? "gone")
            }
            for ordinal in (model.oldest..<model.next).reversed() where model.rows[ordinal] == nil {
                again.remove(ordinal)
            }
            #expect(again == vector)
            #expect(again.hashValue == vector.hashValue)
            let data = try JSONEncoder().encode(vector)
            let decoded = try JSONDecoder().decode(OrdinalVector<String>.self, from: data)
            #expect(decoded == vector)
            again.append("more")
            #expect(again != vector)
        }
    }

    @Test("rows that are removed before or after they enter the tree leave the same", arguments: 1...9)
    func removedEarly(count: Int64) {
        var early = OrdinalVector<Int>()
        for number in 0..<count { early.append(Int(number)) }
        for ordinal in 0..<count { early.remove(ordinal) }
        for number in 0..<5 { early.append(number) }
        var late = OrdinalVector<Int>()
        for number in 0..<count { late.append(Int(number)) }
        for number in 0..<5 { late.append(number) }
        for ordinal in 0..<count { late.remove(ordinal) }
        #expect(early == late)
    }

    @Test("an ordinal is never given twice, not even after everything was removed")
    func neverReused() {
        var vector = OrdinalVector<Int>()
        for number in 0..<20 { vector.append(number) }
        for number in 0..<20 { vector.prepend(number) }
        vector.removeOldest(.max)
        #expect(vector.isEmpty)
        #expect(vector.first { _ in true } == nil)
        #expect(vector.append(1) == 20)
        #expect(vector.prepend(2) == -21)
        #expect(vector.map { row in row.value } == [2, 1])
        #expect(vector.removeOldest(-1).isEmpty)
    }

    @Test("cost: a row is changed in place unless an earlier value is held")
    func inPlace() {
        var vector = OrdinalVector<Box>()
        for _ in 0..<300 { vector.append(Box()) }
        for _ in 0..<300 { vector.prepend(Box()) }
        for ordinal in -300..<300 as Range<Int64> {
            #expect(vector.update(ordinal) { isKnownUniquelyReferenced(&$0.content) } == true)
        }
        let held = vector
        #expect(vector.update(-200) { isKnownUniquelyReferenced(&$0.content) } == false)
        #expect(held.count == vector.count)
    }

    @Test("memory: a row that was dropped is freed at once, and a window that moves on stays small")
    func window() {
        var vector = OrdinalVector<Tracked>()
        weak var first: Tracked?
        do {
            let row = Tracked()
            first = row
            vector.append(row)
        }
        #expect(first != nil)
        for _ in 0..<5_000 {
            vector.append(Tracked())
            if vector.count > 50 { vector.removeOldest(1) }
        }
        #expect(first == nil)
        #expect(vector.count == 50)
        #expect(vector.map { row in row.ordinal } == Array(4_951...5_000))
    }

    @Test("bad input: ordinals at the ends of the range are answered")
    func outside() {
        var vector = OrdinalVector<Int>()
        vector.append(1)
        vector.prepend(2)
        for ordinal in [.min, -2, 1, .max] as [Int64] {
            #expect(vector[ordinal] == nil)
            #expect(vector.remove(ordinal) == nil)
            #expect(vector.update(ordinal) { $0 = 3 } == nil)
        }
        #expect(vector.rows(from: .min).map { row in row.value } == [2, 1])
        #expect(vector.rows(from: .max).map { row in row.value } == [])
    }

    @Test("bad input: a record with far ordinals costs what its rows cost, and a wrong one is refused")
    func records() throws {
        let far = #"{"next":100000000000,"oldest":-5,"ordinals":[-4,99999999990],"values":["a","b"]}"#
        var vector = try JSONDecoder().decode(OrdinalVector<String>.self, from: Data(far.utf8))
        #expect(vector.map { row in row.value } == ["a", "b"])
        #expect(vector.newestFirst.map { row in row.value } == ["b", "a"])
        #expect(vector.append("c") == 100_000_000_000)
        #expect(vector.prepend("d") == -6)
        for wrong in [
            #"{"next":2,"oldest":0,"ordinals":[1,0],"values":["a","b"]}"#,
            #"{"next":2,"oldest":0,"ordinals":[0,0],"values":["a","b"]}"#,
            #"{"next":2,"oldest":0,"ordinals":[2],"values":["a"]}"#,
            #"{"next":2,"oldest":0,"ordinals":[-1],"values":["a"]}"#,
            #"{"next":2,"oldest":0,"ordinals":[0],"values":[]}"#,
            #"{"next":-1,"oldest":0,"ordinals":[],"values":[]}"#,
            #"{"next":0,"oldest":1,"ordinals":[],"values":[]}"#,
            #"{"next":9223372036854775807,"oldest":0,"ordinals":[],"values":[]}"#,
        ] {
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(OrdinalVector<String>.self, from: Data(wrong.utf8))
            }
        }
    }

    @Test("C5: the newest row is the one with the highest ordinal given, and after its removal there is none")
    func newest() {
        var vector = OrdinalVector<Int64>()
        #expect(!vector.newest { _ in true })
        vector.prepend(-1)
        #expect(vector.newest { $0 == -1 })
        for number in 0..<10 as Range<Int64> {
            vector.append(number)
            #expect(vector.newest { $0 == number })
        }
        vector.remove(9)
        #expect(!vector.newest { _ in true })
    }
}

/// A row whose release can be seen.
private final class Tracked: Sendable {}

/// A value that shows whether it is shared.
private struct Box {
    var content = Tracked()
}
