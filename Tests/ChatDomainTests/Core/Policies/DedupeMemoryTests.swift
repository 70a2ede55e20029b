import ChatDomain
import Testing

@Suite("Dedupe memory")
struct DedupeMemoryTests {
    @Test("a key is new once")
    func newOnce() {
        var memory = DedupeMemory<MessageID>()
        #expect(memory.insert("m1") == true)
        #expect(memory.insert("m1") == false)
        #expect(memory.contains("m1"))
        #expect(!memory.contains("m2"))
    }

    @Test("keys that a server tells apart are told apart")
    func bytes() {
        var memory = DedupeMemory<MessageID>()
        #expect(memory.insert("\u{E9}") == true)
        #expect(memory.insert("e\u{301}") == true)
    }

    @Test("a full memory forgets the oldest, also when the oldest was seen again")
    func forgetsOldest() {
        var memory = DedupeMemory<Int>(limit: 3)
        for key in [1, 2, 3, 1, 4] { _ = memory.insert(key) }
        #expect(memory.keys == [2, 3, 4])
        #expect(!memory.contains(1))
        #expect(memory.insert(1) == true)
        #expect(memory.keys == [3, 4, 1])
    }

    @Test("section 8: a thousand keys are remembered")
    func thousand() {
        var memory = DedupeMemory<Int>()
        for key in 0..<1_500 { _ = memory.insert(key) }
        #expect(memory.count == 1_000)
        #expect(!memory.contains(499))
        #expect(memory.contains(500))
    }

    @Test("it agrees with a plain list of the last keys", arguments: [0, 1, 2, 7, 30] as [Int])
    func model(limit: Int) {
        for seed in 0..<10 as Range<UInt64> {
            var entropy = Entropy.seeded(seed)
            var memory = DedupeMemory<Int>(limit: Int64(limit))
            var list: [Int] = []
            for _ in 0..<150 {
                let key = entropy.below(40)
                #expect(memory.insert(key) == !list.contains(key))
                if !list.contains(key) { list = (list + [key]).suffix(limit) }
                #expect(memory.keys == list)
                #expect((0..<40).allSatisfy { memory.contains($0) == list.contains($0) })
            }
        }
    }

    @Test("equal memories: the same keys in the same order, whatever was forgotten before")
    func equality() throws {
        var long = DedupeMemory<Int>(limit: 3)
        for key in 0..<11 { _ = long.insert(key) }
        var short = DedupeMemory<Int>(limit: 3)
        for key in 8..<11 { _ = short.insert(key) }
        #expect(long == short)
        #expect(long.hashValue == short.hashValue)
        #expect(try throughJSON(long) == long)

        var other = DedupeMemory<Int>(limit: 3)
        for key in [9, 8, 10] { _ = other.insert(key) }
        #expect(other != short)
        #expect(DedupeMemory<Int>(limit: 3) != DedupeMemory<Int>(limit: 4))

        // Being equal they must also go on alike.
        #expect(long.insert(20) == short.insert(20))
        #expect(long == short)
    }

    @Test("a copy goes its own way")
    func valueSemantics() {
        var memory = DedupeMemory<Int>(limit: 2)
        _ = memory.insert(1)
        let before = memory
        _ = memory.insert(2)
        _ = memory.insert(3)
        #expect(before.keys == [1])
        #expect(before.contains(1))
        #expect(!memory.contains(1))
    }

    @Test("bad input: without room every key is new; a limit without end costs nothing beforehand")
    func extremes() {
        var none = DedupeMemory<Int>(limit: .min)
        #expect(none.insert(1) == true)
        #expect(none.insert(1) == true)
        #expect(none == DedupeMemory(limit: 0))
        var endless = DedupeMemory<Int>(limit: .max)
        #expect(endless.insert(1) == true)
        #expect(endless.count == 1)
    }
}
