import ChatDomain
import Testing

@Suite("Chat on streams: whole sessions drawn from a seed")
struct ChatSessionTests {
    @Test(
        "L3, L5, L6: carried by streams, nothing is lost, doubled or stuck, and every question gets one reply"
    )
    func streams() {
        for seed in 0..<8 {
            var world = AskingWorld(seed: UInt64(400_000 + seed))
            for _ in 0..<200 { world.step() }
            world.finish()
            #expect(world.complaints.isEmpty, "seed \(400_000 + seed)")
        }
    }

    @Test("C7, L3: carried by streams, a disk that fails now and then leaves nothing stuck")
    func streamsOnBadDisk() {
        for seed in 0..<4 {
            var world = AskingWorld(seed: UInt64(500_000 + seed), hasBadDisk: true)
            for _ in 0..<200 { world.step() }
            #expect(world.complaints.isEmpty, "seed \(500_000 + seed)")
        }
    }
}
