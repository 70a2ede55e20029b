// Binary search.

extension Array {
    /// The first index from which on `isBehind` holds: it holds for no element before that, and for all from there. O(log n).
    @inlinable package func partitioningIndex(where isBehind: (Element) -> Bool) -> Int {
        var range = indices
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = isBehind(self[middle]) ? range.lowerBound..<middle : middle + 1..<range.upperBound
        }
        return range.lowerBound
    }
}
