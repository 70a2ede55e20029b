// Storage on disk, for platforms that have one. `MediumStore` carries out the operations; `RecordFiles` documents the
// effect of a crash on a record.
//
// Guarantees: every failure of the system becomes an answer, none a trap. A secret is a file that only the owner can
// read.

import ChatDomain
import Foundation

/// The reason why a directory cannot be a store.
public struct FileStoreError: Error, Hashable, CustomStringConvertible {
    /// The kind of problem.
    public enum Reason: Hashable, Sendable {
        /// The path, or a part of it, is not a directory; or the URL is no file path.
        case notADirectory
        /// Another process, or another store of this one, has locked it.
        case inUse
        /// Read or write permission is missing.
        case denied
        /// No space is left to create it.
        case full
        /// Any other error of the system, with its number (errno).
        case unavailable(code: Int32)
    }

    /// The kind of problem.
    public let reason: Reason
    /// The directory's path.
    public let path: String

    /// A sentence for the person who chose the directory.
    public var description: String {
        switch reason {
        case .notADirectory: "The state directory \(path) is not a directory."
        case .inUse: "The state directory \(path) is in use by another process."
        case .denied: "The state directory \(path) cannot be written to."
        case .full: "There is no room left for the state directory \(path)."
        case .unavailable(let code):
            "The state directory \(path) cannot be used: \(String(cString: strerror(code)))."
        }
    }
}

/// A store in a directory.
///
/// Calls block until they are done. A store has one owner, which chooses the thread.
public final class FileStore: RecordStore {
    private var store: MediumStore<RecordFiles>

    /// Opens the store in a directory; a missing directory is created for the owner alone.
    ///
    /// The store locks the directory for its lifetime. A store on a full disk can be opened and read. Throws if the
    /// directory cannot be a store.
    public convenience init(directory: URL) throws(FileStoreError) {
        try self.init(directory: directory) { _ in nil }
    }

    /// Opens a store whose writes fail at each step for which `fault` returns an error (errno).
    package init(
        directory: URL, fault: @escaping (FileStep) -> Int32?
    ) throws(FileStoreError) {
        let path = directory.path
        guard directory.isFileURL, !path.isEmpty, !path.utf8.contains(0) else {
            throw FileStoreError(reason: .notADirectory, path: path)
        }
        do throws(SystemError) {
            try FileStore.makeDirectory(path)
            store = MediumStore(try RecordFiles(path: path, fault: fault))
        } catch {
            throw FileStoreError(reason: FileStoreError.Reason(error), path: path)
        }
    }

    /// The secret that this process has saved at a path or loaded from it, for the driver that sends it; nil if there
    /// is none.
    public func secret(at path: RecordPath) -> Secret? { store.secret(at: path) }

    /// The plain record at a path, for a payload that carries it; nil if there is none. Throws if it cannot be read now.
    public func bytes(at path: RecordPath) throws(StorageFailure) -> [UInt8]? { try store.bytes(at: path) }

    /// Carries out a storage operation, durably.
    ///
    /// The answer is `nil` for an operation of another kind and for one that expects none.
    public func carryOut(_ operation: DriverOperation) -> Outcome? { store.carryOut(operation) }

    /// Creates a directory and its missing parents, for the owner alone, durably.
    private static func makeDirectory(_ path: String) throws(SystemError) {
        if mkdir(path, 0o700) != 0 {
            let code = errno
            if code == EEXIST { return }
            let parent = (path as NSString).deletingLastPathComponent
            guard code == ENOENT, !parent.isEmpty, parent != path else { throw SystemError(code: code) }
            try makeDirectory(parent)
            guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw SystemError(code: errno) }
        }
        let parent = (path as NSString).deletingLastPathComponent
        // If the parent cannot be opened, the system's own guarantees must be enough.
        try? Folder(path: parent.isEmpty ? "." : parent).flush()
    }
}

extension FileStoreError.Reason {
    fileprivate init(_ error: SystemError) {
        switch error.code {
        case EWOULDBLOCK: self = .inUse
        case EACCES, EPERM, EROFS: self = .denied
        case ENOSPC, EDQUOT: self = .full
        case let code: self = error.meansWrongKind ? .notADirectory : .unavailable(code: code)
        }
    }
}

extension RecordFiles: RecordMedium {}

extension SystemError: StorageProblem {
    /// The failure of an operation whose system call failed.
    var failure: StorageFailure {
        switch code {
        case ENOSPC, EDQUOT: .full
        // With EIO too the record may exist, so it must not count as missing or be replaced.
        case EACCES, EPERM, EIO: .unreadable
        // A file or directory of the wrong kind has already been set aside.
        default: meansWrongKind ? .damaged : .unavailable
        }
    }
}
