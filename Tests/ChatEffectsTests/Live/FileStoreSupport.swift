// What the tests of the store on disk share: starting again on one directory, looking at the files in it and
// planting others, and short spellings of the operations.

import ChatDomain
@testable import ChatEffects
import Foundation

extension FileStoreTests {
    /// A new store on the directory, once the last one is gone.
    func reopened(
        _ store: consuming FileStore?, fault: @escaping (FileStep) -> Int32? = { _ in nil }
    ) throws -> FileStore {
        store = nil
        return try FileStore(directory: directory, fault: fault)
    }

    /// All that is below the directory, sorted.
    func files() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: directory.path).sorted()
    }

    /// Puts a file below the directory, by its own name.
    func plant(_ bytes: [UInt8], _ name: String) throws {
        let file = directory.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
    }
}

extension FileStore {
    func load(_ path: RecordPath) -> Outcome? {
        carryOut(.load(FileStoreTests.ticket, path))
    }

    func save(_ bytes: [UInt8], _ path: RecordPath) -> Outcome? {
        carryOut(.save(FileStoreTests.ticket, path, .bytes(bytes)))
    }

    func save(_ secret: Secret, _ path: RecordPath) -> Outcome? {
        carryOut(.save(FileStoreTests.ticket, path, .secret(secret)))
    }

    func erase(_ path: RecordPath) -> Outcome? {
        carryOut(.erase(FileStoreTests.ticket, path))
    }
}
