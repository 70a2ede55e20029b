// Which pages of a transcript wait to be saved. Earlier states are held, so every change copies the set; a bit for
// each page keeps it at a few hundred bytes for 100,000 messages, where a list took thousands of numbers.

/// A set of page numbers in rising order.
struct PageSet: DomainValue {
    /// 64 pages, of which at least one is in the set.
    struct Word: DomainValue {
        /// The number of the first of them, divided by 64.
        let number: Int64
        /// Bit `n` stands for the page `n` after the first.
        var bits: UInt64
    }

    /// In rising order, without empty words: equal sets are equal, and a great page number takes no more room.
    private var words: [Word] = []

    init() {}

    /// Whether there is no page. O(1).
    var isEmpty: Bool { words.isEmpty }

    /// The lowest page. O(1).
    var first: Int64? { words.first.map { $0.number << 6 + Int64($0.bits.trailingZeroBitCount) } }

    /// The lowest page after one. O(n).
    func first(after page: Int64) -> Int64? {
        guard let last, last > page else { return nil }
        return numbers.first { $0 > page }
    }

    /// The highest page. O(1).
    var last: Int64? { words.last.map { $0.number << 6 + Int64(63 - $0.bits.leadingZeroBitCount) } }

    /// The pages in rising order. O(n).
    var numbers: [Int64] {
        var numbers: [Int64] = []
        for word in words {
            var bits = word.bits
            while bits != 0 {
                numbers.append(word.number << 6 + Int64(bits.trailingZeroBitCount))
                bits &= bits - 1  // takes the lowest bit away
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
        // Not written when it is there already: a write would copy the words that an earlier state holds.
        if words[index].bits & bit == 0 { words[index].bits |= bit }
    }

    mutating func remove(_ page: Int64) {
        let index = index(of: page >> 6)
        guard index < words.count, words[index].number == page >> 6 else { return }
        words[index].bits &= ~PageSet.bit(page)
        if words[index].bits == 0 { words.remove(at: index) }
    }

    private static func bit(_ page: Int64) -> UInt64 { 1 &<< UInt64(page & 63) }

    /// Where a word is, or would be. O(log n).
    private func index(of number: Int64) -> Int {
        var range = 0..<words.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = words[middle].number >= number ? range.lowerBound..<middle : middle + 1..<range.upperBound
        }
        return range.lowerBound
    }
}
