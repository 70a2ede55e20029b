// The disk of a machine's world. It keeps a record as the bytes that the machine wrote, so that a load uses the
// record's format, and as a value, so that a normal form can leave out the parts on which no reader depends.

import ChatDomain
import ChatEffects

/// The records that a process has written and the next one finds.
struct WorldDisk<Key: RecordKey, Record: StoredRecord>: Equatable, Sendable where Record.Key == Key {
    struct Entry: Equatable, Sendable {
        let key: Key
        var content: RecordContent
        /// The record as a value; `nil` for a secret, which only drivers read.
        var record: Record?
    }

    /// In the order of their paths: no reader depends on the order of writing, so no normal form may either.
    private(set) var entries: [Entry] = []

    /// Carries out an operation and returns the outcome for the machine.
    mutating func carryOut(
        _ operation: PendingStorage<Key>, _ records: WorldRecords<Key, Record>
    ) -> Outcome {
        switch operation.work {
        case .load:
            guard let entry = entries.first(where: { $0.key == operation.key }) else {
                return .missing(operation.ticket)
            }
            if case .bytes(let bytes) = entry.content { return .loaded(operation.ticket, bytes) }
            return .loaded(operation.ticket, [])
        case .save(let content):
            let record = records.record(of: content, under: operation.key)
            write(Entry(key: operation.key, content: content, record: record))
            return .saved(operation.ticket)
        case .erase:
            let path = operation.path
            entries.removeAll { path.leads(to: $0.key.path) }
            return .erased(operation.ticket)
        }
    }

    private mutating func write(_ entry: Entry) {
        if let index = entries.firstIndex(where: { $0.key == entry.key }) {
            entries[index] = entry
        } else {
            let place = entries.firstIndex { entry.key.path.isBefore($0.key.path) } ?? entries.endIndex
            entries.insert(entry, at: place)
        }
    }

    /// Removes a damaged record, which is set aside.
    mutating func setAside(_ path: RecordPath) {
        entries.removeAll { $0.key.path == path }
    }
}

extension RecordPath {
    fileprivate func isBefore(_ other: RecordPath) -> Bool {
        components.lexicographicallyPrecedes(other.components) { $0.string < $1.string }
    }
}
