// Reading an `OrdinalVector` in order: from the oldest row, from a given one, or backwards from the newest. Rows are
// read leaf by leaf on demand, and parts without rows are skipped whole.

extension OrdinalVector {
    /// A row with its address.
    package typealias Row = (ordinal: Int64, value: Value)

    /// The rows from an ordinal on, oldest first.
    func rows(from ordinal: Int64) -> IteratorSequence<Iterator> {
        IteratorSequence(Iterator(self, from: ordinal))
    }

    /// All rows, newest first.
    package var newestFirst: IteratorSequence<ReversedIterator> { newestFirst(before: ordinals.upperBound) }

    /// The rows before an ordinal, newest first.
    func newestFirst(before ordinal: Int64) -> IteratorSequence<ReversedIterator> {
        IteratorSequence(ReversedIterator(self, before: ordinal))
    }

    /// The slots around an assigned ordinal.
    func block(at ordinal: Int64) -> OrdinalBlock<Value> {
        guard ordinal < 0 else {
            let block = newer.block(at: Int(ordinal))
            let range = Int64(block.range.lowerBound)..<Int64(block.range.upperBound)
            return OrdinalBlock(slots: block.elements, range: range)
        }
        let block = older.block(at: Int(~ordinal))
        let range = -Int64(block.range.upperBound)..<(-Int64(block.range.lowerBound))
        return OrdinalBlock(slots: block.elements, range: range)
    }
}

/// Slots that are read together.
struct OrdinalBlock<Value> {
    /// A leaf's slots in the order of its vector; empty if none of them holds a row.
    let slots: [OrdinalSlot<Value>?]
    /// The ordinals of the block.
    let range: Range<Int64>

    subscript(ordinal: Int64) -> Value? { slots[offset(of: ordinal)]?.value }

    /// The slots of older rows are in the order of their vector, newest first.
    func offset(of ordinal: Int64) -> Int {
        Int(ordinal < 0 ? range.upperBound - 1 - ordinal : ordinal - range.lowerBound)
    }
}

extension OrdinalVector: Sequence {
    /// Reads rows, oldest first. O(1) amortised for each row or empty slot.
    package struct Iterator: IteratorProtocol {
        let rows: OrdinalVector
        var block: OrdinalBlock<Value>
        var ordinal: Int64

        init(_ rows: OrdinalVector, from start: Int64) {
            self.rows = rows
            ordinal = Swift.max(start, rows.ordinals.lowerBound)
            block = OrdinalBlock(slots: [], range: ordinal..<ordinal)
        }

        /// The next row, or `nil` after the newest.
        package mutating func next() -> Row? {
            while ordinal < rows.ordinals.upperBound {
                if ordinal >= block.range.upperBound { block = rows.block(at: ordinal) }
                guard !block.slots.isEmpty else {
                    ordinal = block.range.upperBound
                    continue
                }
                defer { ordinal += 1 }
                if let value = block[ordinal] { return (ordinal, value) }
            }
            return nil
        }
    }

    /// Reads rows, newest first. O(1) amortised for each row or empty slot.
    package struct ReversedIterator: IteratorProtocol {
        let rows: OrdinalVector
        var block: OrdinalBlock<Value>
        /// One above the next ordinal to read.
        var end: Int64

        init(_ rows: OrdinalVector, before start: Int64) {
            self.rows = rows
            end = Swift.min(start, rows.ordinals.upperBound)
            block = OrdinalBlock(slots: [], range: end..<end)
        }

        /// The next row, or `nil` after the oldest.
        package mutating func next() -> Row? {
            while end > rows.ordinals.lowerBound {
                if end <= block.range.lowerBound { block = rows.block(at: end - 1) }
                guard !block.slots.isEmpty else {
                    end = block.range.lowerBound
                    continue
                }
                end -= 1
                if let value = block[end] { return (end, value) }
            }
            return nil
        }
    }

    package func makeIterator() -> Iterator { Iterator(self, from: ordinals.lowerBound) }

    /// The exact count, because only existing rows are counted.
    package var underestimatedCount: Int { Int(clamping: count) }
}

extension OrdinalBlock: Sendable where Value: Sendable {}
extension OrdinalVector.Iterator: Sendable where Value: Sendable {}
extension OrdinalVector.ReversedIterator: Sendable where Value: Sendable {}

#if !hasFeature(Embedded)
    extension OrdinalVector: Codable where Value: Codable {
        private enum CodingKeys: String, CodingKey { case next, oldest, ordinals, values }

        /// Reads the rows under their ordinals. Takes time and memory for the rows, not for the ordinals.
        package init(from decoder: any Decoder) throws {
            self.init()
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let next = try container.decode(Int64.self, forKey: .next)
            let oldest = try container.decode(Int64.self, forKey: .oldest)
            let ordinals = try container.decode([Int64].self, forKey: .ordinals)
            let values = try container.decode([Value].self, forKey: .values)
            let rising = zip(ordinals, ordinals.dropFirst()).allSatisfy { $0 < $1 }
            let limit = Int64(Int.max / 16)  // what the tree's shifts allow, with room to grow
            guard (0...limit).contains(next), (-limit...0).contains(oldest), rising,
                ordinals.count == values.count, ordinals.first.map({ $0 >= oldest }) ?? true,
                ordinals.last.map({ $0 < next }) ?? true
            else {
                throw DecodingError.dataCorrupted(
                    .init(
                        codingPath: decoder.codingPath,
                        debugDescription: "Ordinals out of order or out of range"))
            }
            for (ordinal, value) in zip(ordinals, values) where ordinal >= 0 {
                newer.appendEmptySlots(until: Int(ordinal))
                append(value)
            }
            for (ordinal, value) in zip(ordinals, values).reversed() where ordinal < 0 {
                older.appendEmptySlots(until: Int(~ordinal))
                prepend(value)
            }
            newer.appendEmptySlots(until: Int(next))
            older.appendEmptySlots(until: Int(-oldest))
        }

        /// Writes the rows under their ordinals, oldest first.
        package func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(ordinals.upperBound, forKey: .next)
            try container.encode(ordinals.lowerBound, forKey: .oldest)
            try container.encode(map { row in row.ordinal }, forKey: .ordinals)
            try container.encode(map { row in row.value }, forKey: .values)
        }
    }
#endif
