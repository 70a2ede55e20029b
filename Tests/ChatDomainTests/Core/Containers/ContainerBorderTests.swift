// What a container answers at its borders, and that its hash tells apart what `==` does: searches keep hashes.

import Testing

@testable import ChatDomain

@Suite("Containers at their borders")
struct ContainerBorderTests {
    @Test("the same values under other ordinals are other rows, also for a hash")
    func places() {
        let vectors = (0..<3 as Range<Int64>).map { removed in
            var vector = OrdinalVector<String>()
            for _ in 0..<3 { vector.append("row") }
            vector.remove(removed)
            return vector
        }
        #expect(vectors.allSatisfy { $0.ordinals == 0..<3 && $0.count == 2 })
        #expect(Set(vectors.map { $0.hashValue }).count == 3 && Set(vectors).count == 3)
    }

    #if os(macOS) || os(Linux)
        @Test("an index before the first element traps, also where the tree is one leaf")
        func before() async {
            await #expect(processExitsWith: .failure) {
                var vector = RadixVector<Int>()
                for number in 0..<5 { vector.append(number) }
                _ = vector[-1]
            }
        }
    #endif
}
