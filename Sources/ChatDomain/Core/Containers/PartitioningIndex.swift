// Binary search.

extension Array {
    /// The first index whose element satisfies the predicate; the count if none does. All elements that satisfy it must
    /// stand behind those that do not. O(log n).
    @inlinable package func partitioningIndex(where isBehind: (Element) -> Bool) -> Int {
        var range = indices
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = isBehind(self[middle]) ? range.lowerBound..<middle : middle + 1..<range.upperBound
        }
        return range.lowerBound
    }
}
