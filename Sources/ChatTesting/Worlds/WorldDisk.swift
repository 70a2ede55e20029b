// The disk of a machine's world. It keeps a record as the bytes that the machine wrote, so that a load goes through the
// record's format, and as a value, so that a normal form can leave out what no reader depends on.

import ChatDomain
import ChatEffects

/// What a process has written and the next one finds.
struct WorldDisk<Key: RecordKey, Record: StoredRecord>: Sendable where Record.Key == Key {
    struct Entry: Sendable {
        let key: Key
        var content: RecordContent
        /// The record as a value; `nil` for a secret, which only drivers read.
        var record: Record?
    }

    private(set) var entries: [Entry] = []

    /// Carries out an operation and says what the machine is told.
    mutating func carryOut(_ operation: PendingStorage<Key>) -> Outcome {
        switch operation.work {
        case .load:
            guard let entry = entries.first(where: { $0.key == operation.key }) else {
                return .missing(operation.ticket)
            }
            if case .bytes(let bytes) = entry.content { return .loaded(operation.ticket, bytes) }
            return .loaded(operation.ticket, [])
        case .save(let content):
            write(content, under: operation.key)
            return .saved(operation.ticket)
        case .erase:
            let path = operation.path
            entries.removeAll { path.leads(to: $0.key.path) }
            return .erased(operation.ticket)
        }
    }

    private mutating func write(_ content: RecordContent, under key: Key) {
        var record: Record?
        if case .bytes(let bytes) = content, case .record(let value) = Record.read(bytes, under: key) {
            record = value
        }
        let entry = Entry(key: key, content: content, record: record)
        if let index = entries.firstIndex(where: { $0.key == key }) {
            entries[index] = entry
        } else {
            entries.append(entry)
        }
    }

    /// Removes a damaged record, which is set aside.
    mutating func setAside(_ path: RecordPath) {
        entries.removeAll { $0.key.path == path }
    }
}
