// Records as items of a key chain: the names of items, and the meaning of statuses. `KeychainStore` makes the system's
// calls; the rest is here, is the same on every system, and is tested with a key chain in memory.
//
// Guarantee (P1): a record counts as missing only if the key chain is open. A locked one (before the device is first
// unlocked) mostly reports that it is locked, but on systems that start an app ahead of its use it was seen to find
// nothing. So a reader that finds nothing writes a witness, an item under the same protection: a locked key chain
// refuses that.

import ChatDomain

/// A status of a key chain that is not success (OSStatus).
struct KeychainStatus: Error, Hashable {
    let code: Int32

    /// errSecItemNotFound
    static let itemNotFound = KeychainStatus(code: -25_300)
    /// errSecParam
    static let wrongParameter = KeychainStatus(code: -50)
    /// errSecDecode
    static let undecodable = KeychainStatus(code: -26_275)

    /// Whether an item was found, by the status of a call. Throws for a status that says neither.
    static func isFound(_ code: Int32) throws(KeychainStatus) -> Bool {
        switch code {
        case 0: true
        case itemNotFound.code: false
        default: throw KeychainStatus(code: code)
        }
    }
}

extension KeychainStatus: StorageProblem {
    /// A record may exist, whatever else a status says, so it must not count as missing or be replaced.
    var failure: StorageFailure { .unreadable }
}

/// The items of a key chain by their names, all under one protection.
protocol KeychainItems {
    /// The content of an item; nil if none is found.
    func read(_ name: String) throws(KeychainStatus) -> [UInt8]?
    /// Creates an item, or replaces its content.
    func write(_ bytes: [UInt8], to name: String) throws(KeychainStatus)
    /// Removes an item, if there is one.
    func remove(_ name: String) throws(KeychainStatus)
    /// The names of all items.
    func names() throws(KeychainStatus) -> [String]
}

/// Records as items of a key chain.
///
/// An item has the name that the record's file would have: `secrets/h.secret`, `device.record`.
struct KeychainRecords<Items: KeychainItems>: RecordMedium {
    /// No record has this name, because it lacks an ending.
    static var witness: String { "witness" }

    let items: Items

    func read(_ path: RecordPath) throws(KeychainStatus) -> [UInt8]? {
        let name = try Self.name(path)
        if let bytes = try items.read(name) { return bytes }
        try items.write([1], to: Self.witness)
        return try items.read(name)
    }

    func write(_ bytes: [UInt8], to path: RecordPath) throws(KeychainStatus) {
        try items.write(bytes, to: Self.name(path))
    }

    func erase(_ path: RecordPath) throws(KeychainStatus) {
        var names = try items.names()
        if names.isEmpty {
            try items.write([1], to: Self.witness)
            names = try items.names()
        }
        let stem = Self.stem(path.components[...])
        for name in names
        where stem.isEmpty || name.hasPrefix(stem + ".") || name.hasPrefix(stem + "/") {
            try items.remove(name)
        }
    }

    /// One copy is kept, the newest: an item is small, and repeated damage looks alike.
    func setAside(_ path: RecordPath) throws(KeychainStatus) {
        let name = try Self.name(path)
        guard let bytes = try items.read(name) else { return }
        try items.write(bytes, to: FileName.setAside(name, number: 1))
        try items.remove(name)
    }

    private static func name(_ path: RecordPath) throws(KeychainStatus) -> String {
        guard let last = path.components.last else { throw .wrongParameter }
        let above = stem(path.components.dropLast())
        return (above.isEmpty ? "" : above + "/") + FileName(last).record(path.protection)
    }

    private static func stem(_ components: ArraySlice<ExactText>) -> String {
        components.map { FileName($0).stem }.joined(separator: "/")
    }
}
