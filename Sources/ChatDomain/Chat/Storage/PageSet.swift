// A set of page numbers as bits. It holds the pages that wait for a save. Earlier states share its storage, so a change
// copies it: one bit a page keeps 100,000 messages at a few hundred bytes. Start with `insert`.

/// A set of page numbers, iterated in rising order.
struct PageSet: DomainValue {
    /// 64 pages, at least one of them in the set.
    struct Word: DomainValue {
        /// The number of the first page, divided by 64.
        let number: Int64
        /// Bit `n` is the page `n` after the first.
        var bits: UInt64
    }

    /// In rising order, without empty words, so equal sets are equal and a great number takes no more room.
    private var words: [Word] = []

    /// Whether the set has no page. O(1).
    var isEmpty: Bool { words.isEmpty }

    /// The lowest page; `nil` if the set is empty. O(1).
    var first: Int64? { words.first.map { $0.number << 6 + Int64($0.bits.trailingZeroBitCount) } }

    /// The lowest page after `page`. O(n).
    func first(after page: Int64) -> Int64? {
        guard let last, last > page else { return nil }
        return numbers.first { $0 > page }
    }

    /// The highest page; `nil` if the set is empty. O(1).
    var last: Int64? { words.last.map { $0.number << 6 + Int64(63 - $0.bits.leadingZeroBitCount) } }

    /// The pages in rising order. O(n).
    var numbers: [Int64] {
        var numbers: [Int64] = []
        for word in words {
            var bits = word.bits
            while bits != 0 {
                numbers.append(word.number << 6 + Int64(bits.trailingZeroBitCount))
                bits &= bits - 1  // clears the lowest bit
            }
        }
        return numbers
    }

    mutating func insert(_ page: Int64) {
        let bit = PageSet.bit(page)
        let index = index(of: page >> 6)
        guard index < words.count, words[index].number == page >> 6 else {
            words.insert(Word(number: page >> 6, bits: bit), at: index)
            return
        }
        // Without a change there is no write: a write would copy the words that an earlier state shares.
        if words[index].bits & bit == 0 { words[index].bits |= bit }
    }

    mutating func remove(_ page: Int64) {
        let index = index(of: page >> 6)
        guard index < words.count, words[index].number == page >> 6 else { return }
        words[index].bits &= ~PageSet.bit(page)
        if words[index].bits == 0 { words.remove(at: index) }
    }

    private static func bit(_ page: Int64) -> UInt64 { 1 &<< UInt64(page & 63) }

    /// The index of a word, or of its place. O(log n).
    private func index(of number: Int64) -> Int {
        // Fast path: without gaps, the number tells the index.
        if let first = words.first {
            let likely = Int(clamping: number &- first.number)
            if words.indices.contains(likely), words[likely].number == number { return likely }
        }
        return words.partitioningIndex { $0.number >= number }
    }
}
