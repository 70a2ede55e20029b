import ChatDomain
import Testing

@Suite("Chat: whole sessions drawn from a seed")
struct ChatSessionTests {
    @Test("L3, L5, L6: whatever happens, nothing is lost, doubled or stuck", arguments: 0..<2)
    func goodDisk(part: Int) {
        for seed in 0..<16 {
            var world = ChatWorld(seed: UInt64(1 + part * 1_000 + seed))
            for _ in 0..<200 { world.step() }
            world.finish()
            #expect(world.complaints.isEmpty, "seed \(1 + part * 1_000 + seed)")
        }
    }

    @Test(
        "L3, L5, L6: carried by streams, nothing is lost, doubled or stuck, and every question gets one reply"
    )
    func streams() {
        for seed in 0..<8 {
            var world = AskingWorld(seed: UInt64(9_000 + seed))
            for _ in 0..<200 { world.step() }
            world.finish()
            #expect(world.complaints.isEmpty, "seed \(9_000 + seed)")
        }
    }

    @Test("C7, L3: carried by streams, a disk that fails now and then leaves nothing stuck")
    func streamsOnBadDisk() {
        for seed in 0..<4 {
            var world = AskingWorld(seed: UInt64(9_500 + seed), hasBadDisk: true)
            for _ in 0..<200 { world.step() }
            #expect(world.complaints.isEmpty, "seed \(9_500 + seed)")
        }
    }

    @Test("C7, L6: a disk that fails now and then doubles nothing and leaves nothing stuck")
    func badDisk() {
        for seed in 0..<16 {
            var world = ChatWorld(seed: UInt64(5_000 + seed), hasBadDisk: true)
            for _ in 0..<200 { world.step() }
            world.finish()
            #expect(world.complaints.filter { !$0.hasPrefix("L5") } == [], "seed \(5_000 + seed)")
        }
    }
}
