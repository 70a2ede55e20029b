// `RadixVector` against `Array`: same answers after any writes, and no copy ever changes behind its holder.

@testable import ChatDomain
import Testing

@Suite("Radix vector")
struct RadixVectorTests {
    @Test("cost: every size around a leaf, a branch and a level reads back what was appended")
    func sizes() {
        var vector = RadixVector<Int>()
        var array: [Int] = []
        let checked: Set = [0, 1, 7, 8, 9, 127, 128, 129, 135, 136, 137, 2047, 2048, 2049, 2056, 2057]
        for size in 0...2060 {
            #expect(vector.count == array.count)
            if checked.contains(size) {
                #expect(Array(vector) == array)
                #expect(vector.reversed() == array.reversed())
                #expect(array.indices.allSatisfy { vector[$0] == array[$0] })
                #expect(vector == RadixVector(array))
            }
            vector.append(size * 3)
            array.append(size * 3)
        }
    }

    @Test("cost: a random history gives what an array gives, and held values never change")
    func model() {
        var entropy = Entropy.seeded(7)
        var vector = RadixVector<String>()
        var array: [String] = []
        var held: [(RadixVector<String>, [String])] = []
        for step in 0..<3_000 {
            let index = array.isEmpty ? 0 : Int(entropy.next() % UInt64(array.count))
            switch entropy.next() % 4 {
            case 0, 1:
                vector.append("row \(step)")
                array.append("row \(step)")
            case 2 where !array.isEmpty:
                let length = vector.update(at: index) { text in
                    text += "."
                    return text.utf8.count
                }
                array[index] += "."
                #expect(length == array[index].utf8.count)
            case 3 where !array.isEmpty:
                vector.set("new \(step)", at: index)
                array[index] = "new \(step)"
            default: break
            }
            if step % 100 == 0 { held.append((vector, array)) }
        }
        held.append((vector, array))
        for (vector, array) in held {
            #expect(Array(vector) == array)
            #expect(vector == RadixVector(array))
            #expect(vector.hashValue == RadixVector(array).hashValue)
        }
    }

    @Test("bad input: an index outside the vector is answered, not trapped on")
    func outside() {
        var vector = RadixVector(1...9)
        for index in [-1, 9, .max, .min] {
            #expect(vector.element(at: index) == nil)
            #expect(vector.update(at: index) { $0 += 1 } == nil)
        }
        #expect(vector == RadixVector(1...9))
    }

    @Test("one differing element anywhere makes two vectors differ")
    func differs() {
        let vector = RadixVector(0..<300)
        for index in 0..<300 {
            var other = vector
            other.set(-1, at: index)
            #expect(other != vector)
            other.set(index, at: index)
            #expect(other == vector)
        }
        #expect(RadixVector(0..<299) != vector)
    }

    @Test("cost: `==` does not look at what two vectors share")
    func sharing() {
        let vector = RadixVector((0..<1_000).map { NeverEqual(number: $0) })
        var changed = vector
        #expect(vector == changed)
        changed.set(NeverEqual(number: 500), at: 500)
        #expect(vector != changed)
    }

    @Test("cost: an element is changed in place unless an earlier value is held")
    func inPlace() {
        var vector = RadixVector((0..<2_500).map { _ in Box() })
        for index in vector.indices {
            #expect(vector.update(at: index) { isKnownUniquelyReferenced(&$0.content) } == true)
        }
        let held = vector
        #expect(vector.update(at: 1_000) { isKnownUniquelyReferenced(&$0.content) } == false)
        #expect(held.count == vector.count)
    }
}

extension RadixVector {
    fileprivate init(_ elements: some Sequence<Element>) {
        self.init()
        for element in elements { append(element) }
    }

    fileprivate mutating func update<Result>(at index: Int, _ body: (inout Element) -> Result) -> Result? {
        update(at: index, with: ()) { element, _ in body(&element) }
    }

    fileprivate mutating func set(_ element: Element, at index: Int) { update(at: index) { $0 = element } }
}

/// Unequal even to itself, so that only what is not compared counts as equal.
private struct NeverEqual: Equatable {
    let number: Int
    static func == (left: NeverEqual, right: NeverEqual) -> Bool { false }
}

/// A value that shows whether it is shared.
private struct Box {
    final class Content: Sendable {}
    var content = Content()
}
