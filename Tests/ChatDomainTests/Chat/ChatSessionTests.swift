import ChatDomain
import Testing

@Suite("Chat: whole sessions drawn from a seed")
struct ChatSessionTests {
    @Test("L3, L5, L6: whatever happens, nothing is lost, doubled or stuck", arguments: 0..<2)
    func goodDisk(part: Int) {
        for seed in 0..<30 {
            var world = ChatWorld(seed: UInt64(1 + part * 1_000 + seed))
            for _ in 0..<200 { world.step() }
            world.finish()
            #expect(world.complaints.isEmpty, "seed \(1 + part * 1_000 + seed)")
        }
    }

    @Test("C7, L6: a disk that fails now and then doubles nothing and leaves nothing stuck")
    func badDisk() {
        for seed in 0..<40 {
            var world = ChatWorld(seed: UInt64(5_000 + seed), hasBadDisk: true)
            for _ in 0..<200 { world.step() }
            world.finish()
            #expect(world.complaints.filter { !$0.hasPrefix("L5") } == [], "seed \(5_000 + seed)")
        }
    }
}
