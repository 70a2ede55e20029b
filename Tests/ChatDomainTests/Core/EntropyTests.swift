import ChatDomain
import Testing

@Suite("Entropy")
struct EntropyTests {
    @Test("L2: a drawn number is below its bound, and without chance the least or the greatest there is")
    func below() {
        var entropy = Entropy.seeded(1)
        let drawn = Set((0..<200).map { _ in entropy.below(3) })
        #expect(drawn == [0, 1, 2])
        for count: UInt64 in [0, 1, 3, .max] {
            var (seeded, least, greatest) = (Entropy.seeded(2), Entropy.least(7), Entropy.greatest(7))
            let numbers = [seeded.below(count), least.below(count), greatest.below(count)]
            #expect(numbers[0] < max(count, 1) && numbers[1] == 0)
            #expect(numbers[2] == (count == 0 ? 0 : count - 1))
        }
    }
}
