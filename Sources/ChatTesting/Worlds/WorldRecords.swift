// The decoded records. A search reaches the same bytes on many ways, and decoding a record takes twenty allocations.

import ChatDomain
import ChatEffects

/// The records by their bytes, shared by all worlds of an exploration. The order of the requests does not matter.
final class WorldRecords<Key: RecordKey, Record: StoredRecord>: Sendable where Record.Key == Key {
    private struct Written: Hashable {
        let key: Key
        let bytes: [UInt8]

        /// At once: an array would hash its bytes one by one.
        func hash(into hasher: inout Hasher) { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }
    }

    /// A megabyte or two. Neighbours in a search share their records: in `pairing-clock` one save in two hundred is
    /// decoded.
    private static var limit: Int { 4_096 }

    private let known = Locked<[Written: Record?]>([:])

    /// A content as a value; `nil` for a secret, which only drivers read, and for bytes that no reader understands.
    func record(of content: RecordContent, under key: Key) -> Record? {
        guard case .bytes(let bytes) = content else { return nil }
        let written = Written(key: key, bytes: bytes)
        if let known = known.withLock({ $0[written] }) { return known }
        var found: Record?
        if case .record(let record) = Record.read(bytes, under: key) { found = record }
        known.withLock { known in
            if known.count >= Self.limit { known.removeAll(keepingCapacity: true) }
            known[written] = .some(found)
        }
        return found
    }
}
