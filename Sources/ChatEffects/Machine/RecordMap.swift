// An ordered map from paths to values: the content of the store in memory, and the secrets that any store holds in
// memory. It is sorted by path, so equal maps are equal arrays, and all paths below a path are one range.

import ChatDomain

/// A map from paths to values, sorted by path.
struct RecordMap<Value: PlainValue>: PlainValue {
    struct Entry: PlainValue {
        let path: RecordPath
        var value: Value
    }

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

    /// Removes the entries at and below a path, plain and secret. O(n).
    mutating func removeAll(from path: RecordPath) {
        let first = firstIndex(notBefore: RecordPath(path.components, protection: .plain))
        let end = entries[first...].firstIndex { !path.leads(to: $0.path) } ?? entries.count
        entries.removeSubrange(first..<end)
    }

    private func firstIndex(notBefore path: RecordPath) -> Int {
        entries.partitioningIndex { !$0.path.precedes(path) }
    }
}

extension RecordPath {
    /// The most damaged records kept for one path: enough to diagnose a repeated failure, and few enough that a record
    /// damaged at each launch does not fill the disk.
    static let setAsideLimit = 4

    /// Whether this path is sorted before the other: by components, then plain before secret.
    func precedes(_ other: RecordPath) -> Bool {
        for (own, others) in zip(components, other.components) where own != others { return own < others }
        if components.count != other.components.count { return components.count < other.components.count }
        return protection == .plain && other.protection == .secret
    }
}
