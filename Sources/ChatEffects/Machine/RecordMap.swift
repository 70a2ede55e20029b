// An ordered map from paths to values: what the store in memory keeps, and where every store keeps the
// secrets that it holds in memory. Sorted by path, so that equal maps are equal arrays, and that what lies
// below a path is one stretch.

import ChatDomain

/// A map from paths to values, sorted by path.
struct RecordMap<Value: PlainValue>: PlainValue {
    /// A path and its value.
    struct Entry: PlainValue {
        /// Where the value is stored.
        let path: RecordPath
        /// What is stored there.
        var value: Value
    }

    /// The entries, sorted by path.
    private(set) var entries: [Entry] = []

    /// The value at a path. Reading is O(log n), writing O(n).
    subscript(path: RecordPath) -> Value? {
        get {
            let index = firstIndex(notBefore: path)
            return index < entries.count && entries[index].path == path ? entries[index].value : nil
        }
        set {
            let index = firstIndex(notBefore: path)
            let isPresent = index < entries.count && entries[index].path == path
            switch (newValue, isPresent) {
            case (let value?, true): entries[index].value = value
            case (let value?, false): entries.insert(Entry(path: path, value: value), at: index)
            case (nil, true): entries.remove(at: index)
            case (nil, false): break
            }
        }
    }

    /// Removes what is at a path and below it, whether plain or secret. O(n).
    mutating func removeAll(from path: RecordPath) {
        let first = firstIndex(notBefore: RecordPath(path.components, protection: .plain))
        let end = entries[first...].firstIndex { !path.leads(to: $0.path) } ?? entries.count
        entries.removeSubrange(first..<end)
    }

    private func firstIndex(notBefore path: RecordPath) -> Int {
        var lower = 0
        var upper = entries.count
        while lower < upper {
            let middle = lower + (upper - lower) / 2
            if entries[middle].path.precedes(path) { lower = middle + 1 } else { upper = middle }
        }
        return lower
    }
}

extension RecordPath {
    /// How many damaged records are kept for one path: enough to find out what keeps going wrong, few
    /// enough that a record that is damaged at each start does not fill the disk.
    static let setAsideLimit = 4

    /// Whether this path is sorted before the other: by components, then plain before secret.
    func precedes(_ other: RecordPath) -> Bool {
        for (own, others) in zip(components, other.components) where own != others { return own < others }
        if components.count != other.components.count { return components.count < other.components.count }
        return protection == .plain && other.protection == .secret
    }
}
