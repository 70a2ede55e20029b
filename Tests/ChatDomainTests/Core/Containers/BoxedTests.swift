// A box is a value: nobody who holds an earlier one sees a change. And it is changed in place while nobody does.

import ChatDomain
import Foundation
import Testing

@Suite("Boxed")
struct BoxedTests {
    struct Holder: Hashable, Sendable, Codable {
        @Boxed var numbers: [Int] = []
        @Boxed var text: ExactText? = nil
    }

    final class Content {}

    struct ContentHolder {
        @Boxed var content = Content()
    }

    @Test("a box that is held keeps its value when another is changed")
    func held() {
        var holder = Holder()
        var earlier: [Holder] = []
        for number in 0..<10 {
            earlier.append(holder)
            holder.numbers.append(number)
        }
        for (count, holder) in earlier.enumerated() { #expect(holder.numbers == Array(0..<count)) }
        #expect(holder.numbers == Array(0..<10))
    }

    @Test("cost: a box is changed where it lies while no earlier one is held")
    func inPlace() {
        var holder = ContentHolder()
        #expect(isKnownUniquelyReferenced(&holder.content))
        let earlier = holder
        #expect(!isKnownUniquelyReferenced(&holder.content))
        #expect(earlier.content === holder.content)
    }

    @Test("R4: a box comes back from its encoding, which is that of its value")
    func encoding() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        for holder in [Holder(), Holder(numbers: [1, 2], text: "é")] {
            let data = try encoder.encode(holder)
            #expect(try JSONDecoder().decode(Holder.self, from: data) == holder)
        }
        let data = try encoder.encode(Holder(numbers: [1], text: "a"))
        #expect(String(decoding: data, as: UTF8.self) == #"{"numbers":[1],"text":"a"}"#)
    }
}
