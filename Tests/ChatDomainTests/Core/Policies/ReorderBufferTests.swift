@testable import ChatDomain
import Testing

@Suite("Reorder buffer")
struct ReorderBufferTests {
    private typealias Buffer = ReorderBuffer<Int>

    private func permutations(_ items: [Int]) -> [[Int]] {
        guard !items.isEmpty else { return [[]] }
        return items.flatMap { first in permutations(items.filter { $0 != first }).map { [first] + $0 } }
    }

    @Test("S15, L9: every order of up to six chunks, with duplicates, gives the same text once")
    func everyOrder() {
        for count in 1...6 {
            for order in permutations(Array(0..<count)) {
                var buffer = Buffer()
                var text: [Int] = []
                var completions = 0
                for (position, index) in order.enumerated() {
                    // Each chunk comes twice, and the first one of all once more.
                    for again in [index, index, order[0]] {
                        let isLast = again == count - 1
                        let outcome = buffer.accept(again, at: Int64(again), byteCount: 1, isFinal: isLast)
                        if case .ready(let run, let completes) = outcome {
                            text += run
                            completions += completes ? 1 : 0
                        }
                    }
                    let missing = (0..<count).first { !order[...position].contains($0) }
                    #expect(text == Array(0..<(missing ?? count)))
                    #expect(completions == (missing == nil ? 1 : 0))
                    #expect(buffer.awaitedIndex == missing.map { Int64($0) })
                    #expect(
                        buffer.hasGap
                            == (missing.map { gap in order[...position].contains { $0 > gap } } ?? false))
                }
            }
        }
    }

    @Test("S15: a duplicate is ignored whether it waits or was handed out, and the first one counts")
    func duplicates() {
        var buffer = Buffer()
        #expect(buffer.accept(10, at: 0, byteCount: 1, isFinal: false) == .ready([10], completes: false))
        #expect(buffer.accept(99, at: 0, byteCount: 1, isFinal: true) == .duplicate)
        #expect(buffer.accept(12, at: 2, byteCount: 1, isFinal: false) == .waiting)
        #expect(buffer.accept(99, at: 2, byteCount: 1, isFinal: true) == .duplicate)
        #expect(buffer.accept(11, at: 1, byteCount: 1, isFinal: false) == .ready([11, 12], completes: false))
        #expect(buffer.awaitedIndex == 3)
    }

    @Test("S15: nothing counts after the end, or beyond the final index, or below zero")
    func ignored() {
        var buffer = Buffer()
        #expect(buffer.accept(0, at: -1, byteCount: 1, isFinal: true) == .ignored)
        #expect(buffer.accept(0, at: .min, byteCount: 1, isFinal: false) == .ignored)
        #expect(buffer.accept(2, at: 2, byteCount: 1, isFinal: true) == .waiting)
        #expect(buffer.accept(3, at: 3, byteCount: 1, isFinal: false) == .ignored)
        #expect(buffer.accept(0, at: 0, byteCount: 1, isFinal: false) == .ready([0], completes: false))
        #expect(buffer.accept(1, at: 1, byteCount: 1, isFinal: false) == .ready([1, 2], completes: true))
        #expect(buffer.accept(3, at: 3, byteCount: 1, isFinal: false) == .ignored)
        #expect(buffer.accept(0, at: 0, byteCount: 1, isFinal: false) == .ignored)
    }

    @Test("S15: of two final chunks the first is believed")
    func twoFinals() {
        var lower = Buffer()
        #expect(lower.accept(2, at: 2, byteCount: 1, isFinal: true) == .waiting)
        #expect(lower.accept(3, at: 3, byteCount: 1, isFinal: true) == .ignored)
        #expect(lower.accept(1, at: 1, byteCount: 1, isFinal: true) == .waiting)
        #expect(lower.accept(0, at: 0, byteCount: 1, isFinal: true) == .ready([0, 1, 2], completes: true))
    }

    @Test("S15: a final chunk between waiting ones is ordinary if a later final one came before it")
    func finalBetween() {
        var buffer = Buffer()
        #expect(buffer.accept(1, at: 1, byteCount: 1, isFinal: false) == .waiting)
        #expect(buffer.accept(3, at: 3, byteCount: 1, isFinal: true) == .waiting)
        #expect(buffer.accept(2, at: 2, byteCount: 1, isFinal: true) == .waiting)
        let outcome = buffer.accept(0, at: 0, byteCount: 1, isFinal: false)
        #expect(outcome == .ready([0, 1, 2, 3], completes: true))
    }

    @Test("L9: chunks beyond the final index count as little before it as after it")
    func beyondFinal() {
        var waits = Buffer()
        #expect(waits.accept(7, at: 7, byteCount: 1, isFinal: false) == .waiting)
        #expect(waits.accept(1, at: 1, byteCount: 1, isFinal: true) == .waiting)
        #expect(waits.accept(0, at: 0, byteCount: 1, isFinal: false) == .ready([0, 1], completes: true))
        var next = Buffer()
        #expect(next.accept(7, at: 7, byteCount: 1, isFinal: false) == .waiting)
        #expect(next.accept(0, at: 0, byteCount: 1, isFinal: true) == .ready([0], completes: true))
        #expect(!next.hasGap && next.accept(1, at: 1, byteCount: 1, isFinal: false) == .ignored)
    }

    @Test("L8: at 256 chunks or 1 MiB that wait the buffer ends; what needs not wait has no limit")
    func overflow() {
        var chunks = Buffer()
        for index in 1...256 as ClosedRange<Int64> {
            #expect(chunks.accept(0, at: index, byteCount: 0, isFinal: false) == .waiting)
        }
        var filled = chunks
        #expect(chunks.accept(0, at: 257, byteCount: 0, isFinal: false) == .overflow)
        #expect(chunks.accept(0, at: 0, byteCount: 0, isFinal: false) == .ignored)
        #expect(!chunks.hasGap)
        let run = filled.accept(0, at: 0, byteCount: .max, isFinal: false)
        #expect(run == .ready(Array(repeating: 0, count: 257), completes: false))

        var bytes = Buffer()
        #expect(bytes.accept(1, at: 1, byteCount: 1_048_575, isFinal: false) == .waiting)
        #expect(bytes.accept(3, at: 3, byteCount: 1, isFinal: false) == .waiting)
        #expect(bytes.accept(5, at: 5, byteCount: 1, isFinal: false) == .overflow)
    }

    @Test("L8: actions that were handed out make room")
    func room() {
        var buffer = Buffer(chunkLimit: 2, byteLimit: 10)
        for base in stride(from: 0, to: 300, by: 3) as StrideTo<Int64> {
            #expect(buffer.accept(1, at: base + 2, byteCount: 5, isFinal: false) == .waiting)
            #expect(buffer.accept(1, at: base + 1, byteCount: 5, isFinal: false) == .waiting)
            #expect(
                buffer.accept(1, at: base, byteCount: 9, isFinal: false)
                    == .ready([1, 1, 1], completes: false))
        }
    }

    @Test("bad input: indices and sizes at their extremes do not trap")
    func extremes() {
        var buffer = Buffer(chunkLimit: 3)
        #expect(buffer.accept(1, at: .max, byteCount: .min, isFinal: true) == .waiting)
        #expect(buffer.accept(1, at: .max - 1, byteCount: -5, isFinal: false) == .waiting)
        #expect(buffer.accept(1, at: 5, byteCount: 1_048_576, isFinal: false) == .waiting)
        var second = Buffer()
        #expect(second.accept(1, at: 1, byteCount: .max, isFinal: false) == .overflow)
        var none = Buffer(chunkLimit: .min, byteLimit: .min)
        #expect(none.accept(1, at: 0, byteCount: 1, isFinal: false) == .ready([1], completes: false))
        #expect(none.accept(1, at: 2, byteCount: 1, isFinal: false) == .overflow)
    }

    @Test("S15: under random chunks, also beyond both ends, the text is the longest run that came")
    func model() {
        for seed in 0..<150 as Range<UInt64> {
            var entropy = Entropy.seeded(seed)
            let final = entropy.below(25)
            var buffer = Buffer()
            var seen: Set<Int> = []
            var text: [Int] = []
            var completed = false
            for _ in 0..<60 {
                let index = entropy.below(30) - 2
                let outcome = buffer.accept(index, at: Int64(index), byteCount: 3, isFinal: index == final)
                if (0...final).contains(index) { seen.insert(index) }
                if case .ready(let run, let completes) = outcome {
                    #expect(!completed)
                    text += run
                    completed = completes
                }
                let run = (0...final).prefix { seen.contains($0) }
                // Before the final one has come, those beyond it can be handed out only if all below came,
                // and that includes the final one.
                #expect(text == Array(run))
                #expect(completed == (run.count == final + 1))
            }
        }
    }

    @Test("L8: chunks beyond the final one take no room, whether they came before it or come after it")
    func roomBeyondFinal() {
        var buffer = Buffer(chunkLimit: 2, byteLimit: 10)
        #expect(buffer.accept(7, at: 7, byteCount: 5, isFinal: false) == .waiting)
        #expect(buffer.accept(8, at: 8, byteCount: 5, isFinal: false) == .waiting)
        #expect(buffer.accept(1, at: 1, byteCount: 1, isFinal: true) == .waiting)
        #expect(buffer.accept(9, at: 9, byteCount: 10, isFinal: false) == .ignored)
        #expect(buffer.accept(0, at: 0, byteCount: 1, isFinal: false) == .ready([0, 1], completes: true))
    }
}
