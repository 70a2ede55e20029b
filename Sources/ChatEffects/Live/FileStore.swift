// Storage on disk, for platforms that have one. Start at `carryOut`; `RecordFiles` documents the effect of a crash on a
// record.
//
// Guarantees: every failure of the system becomes an answer, none a trap. A secret is a file that only the owner can
// read; in the process it is in the store's memory and in no outcome.

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
    private let files: RecordFiles
    /// The secrets that this process has saved or loaded. A secret whose save failed stays usable (P4).
    private var vault = RecordMap<Secret>()

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
            files = try RecordFiles(path: path, fault: fault)
        } catch {
            throw FileStoreError(reason: FileStoreError.Reason(error), path: path)
        }
    }

    /// The secret that this process has saved at a path or loaded from it, for the driver that sends it; nil if there
    /// is none.
    public func secret(at path: RecordPath) -> Secret? { vault[path] }

    /// The plain record at a path, for a payload that carries it; nil if there is none.
    public func bytes(at path: RecordPath) -> [UInt8]? {
        guard path.protection == .plain,
            case .loaded(_, let bytes) = carryOut(.load(StorageTicket(0), path))
        else { return nil }
        return bytes
    }

    /// Carries out a storage operation, durably.
    ///
    /// The answer is `nil` for an operation of another kind and for one that expects none.
    public func carryOut(_ operation: DriverOperation) -> Outcome? {
        switch operation {
        case .load(let ticket, let path): load(path, ticket)
        case .save(let ticket, let path, let content): save(content, path, ticket)
        case .erase(let ticket, let path): erase(path, ticket)
        case .setAside(let path): setAside(path)
        case .open, .send, .close, .haptic: nil
        }
    }

    private func load(_ path: RecordPath, _ ticket: StorageTicket) -> Outcome {
        do throws(SystemError) {
            guard let bytes = try files.read(path) else { return .missing(ticket) }
            if path.protection == .plain { return .loaded(ticket, bytes) }
            let text = String(decoding: bytes, as: UTF8.self)
            guard text.utf8.elementsEqual(bytes) else {
                try files.setAside(path)
                return .failed(ticket, .damaged)
            }
            // A secret in memory is newer than the one on disk.
            if vault[path] == nil { vault[path] = Secret(ExactText(text)) }
            return .loaded(ticket, [])
        } catch {
            return .failed(ticket, StorageFailure(error))
        }
    }

    private func save(_ content: RecordContent, _ path: RecordPath, _ ticket: StorageTicket) -> Outcome {
        guard path.fits(content) else { return .failed(ticket, .unavailable) }
        do throws(SystemError) {
            switch content {
            case .bytes(let bytes): try files.write(bytes, to: path)
            case .secret(let secret):
                vault[path] = secret
                try files.write(Array(secret.reveal().utf8), to: path)
            }
            return .saved(ticket)
        } catch {
            return .failed(ticket, StorageFailure(error))
        }
    }

    private func erase(_ path: RecordPath, _ ticket: StorageTicket) -> Outcome {
        vault.removeAll(from: path)
        do throws(SystemError) {
            try files.erase(path)
            return .erased(ticket)
        } catch {
            return .failed(ticket, StorageFailure(error))
        }
    }

    private func setAside(_ path: RecordPath) -> Outcome? {
        // No caller waits for the result; a damaged record that stays is reported again at the next load.
        try? files.setAside(path)
        return nil
    }

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
        // If the parent cannot be opened, the system's own guarantees must do.
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

extension StorageFailure {
    /// The storage failure for a failed system call.
    init(_ error: SystemError) {
        switch error.code {
        case ENOSPC, EDQUOT: self = .full
        // With EIO too the record may exist, so it must not count as missing or be replaced.
        case EACCES, EPERM, EIO: self = .unreadable
        // A file or directory of the wrong kind has already been set aside.
        default: self = error.meansWrongKind ? .damaged : .unavailable
        }
    }
}
