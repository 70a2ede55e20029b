// Records as files: one file for each record, one directory for the records below a path. Start at `write`.
//
// Guarantees: a write fills a new file beside the record, flushes it, and renames it to the record; so after a crash or
// a loss of power, a record is its old or its new version, never a part. The leftovers of a crash have their own names
// and are removed at the next start. An erase renames the whole subtree in one step before it frees the space.
//
// A foreign entry, such as a directory in the place of a file, is set aside when it is found.

import ChatDomain
import Foundation

/// A step of a write, named so that a test can make it fail.
package enum FileStep: CaseIterable, Sendable {
    /// The creation of the file beside the record.
    case create
    /// The write into the file.
    case write
    /// The flush of the file.
    case flush
    /// The rename to the record's name.
    case rename
    /// The flush of the directory.
    case flushDirectory
}

/// The files of one store.
struct RecordFiles: ~Copyable {
    /// The most components of a path. Features use a handful; the bound keeps the number of open directories during the
    /// removal of a tree far below a process's limit (256 on macOS).
    static let depthLimit = 32

    private let root: Folder
    private let lock: Descriptor
    private let fault: (FileStep) -> Int32?

    /// Opens the files in an existing directory, locks them, and removes unfinished writes and erases.
    ///
    /// - Parameter fault: the error for a step, thrown before the step runs; nil for none.
    init(
        path: UnsafePointer<CChar>, fault: @escaping (FileStep) -> Int32?
    ) throws(SystemError) {
        let folder = try Folder(path: path)
        let file = try folder.openLock(FileName.lock)
        try file.lock()
        root = folder
        lock = file
        self.fault = fault
        RecordFiles.removeUnfinished(in: root, levels: RecordFiles.depthLimit)
    }

    /// Reads a record; `nil` if it does not exist.
    func read(_ path: RecordPath) throws(SystemError) -> [UInt8]? {
        guard let name = path.components.last.map(FileName.init) else { throw SystemError(code: EINVAL) }
        let record = name.record(path.protection)
        do throws(SystemError) {
            let folder = try folder(of: path, creating: false)
            do throws(SystemError) {
                return try folder.read(record)
            } catch {
                if error.meansWrongKind { try setAside(record, in: folder) }
                throw error
            }
        } catch {
            if error.code == ENOENT { return nil }
            throw error
        }
    }

    /// Saves a record, durably. After an error, the record is its old or its new version.
    func write(_ bytes: [UInt8], to path: RecordPath) throws(SystemError) {
        guard let name = path.components.last.map(FileName.init) else { throw SystemError(code: EINVAL) }
        guard path.components.count <= RecordFiles.depthLimit else { throw SystemError(code: ENAMETOOLONG) }
        let folder = try folder(of: path, creating: true)
        let record = name.record(path.protection)
        let unfinished = record + FileName.unfinishedEnding
        do throws(SystemError) {
            try folder.remove(unfinished, levels: RecordFiles.depthLimit)
            try fail(at: .create)
            let file = try folder.create(unfinished)
            try fail(at: .write)
            try file.write(bytes)
            try fail(at: .flush)
            try file.flush()
            try fail(at: .rename)
            do throws(SystemError) {
                try folder.rename(unfinished, to: record)
            } catch {
                guard error.meansWrongKind else { throw error }
                try setAside(record, in: folder)
                try folder.rename(unfinished, to: record)
            }
        } catch {
            // The next start would also remove it; on a full disk its space is needed now.
            try? folder.remove(unfinished, levels: 0)
            throw error
        }
        try fail(at: .flushDirectory)
        try folder.flush()
    }

    /// Removes the records at and below a path and the copies set aside there, durably.
    func erase(_ path: RecordPath) throws(SystemError) {
        guard let name = path.components.last.map(FileName.init) else { return try eraseAll() }
        do throws(SystemError) {
            let folder = try folder(of: path, creating: false)
            let records = [name.record(.plain), name.record(.secret)]
            for file in records + [name.directory] {
                for copy in RecordFiles.namesSetAside(file) {
                    try folder.remove(copy, levels: RecordFiles.depthLimit)
                }
            }
            for file in records {
                try folder.remove(file + FileName.unfinishedEnding, levels: RecordFiles.depthLimit)
                try folder.remove(file, levels: RecordFiles.depthLimit)
            }
            try folder.remove(name.erased, levels: RecordFiles.depthLimit)
            if folder.contains(name.directory) {
                try folder.rename(name.directory, to: name.erased)
                try folder.flush()
                try folder.remove(name.erased, levels: RecordFiles.depthLimit)
            }
            try fail(at: .flushDirectory)
            try folder.flush()
        } catch {
            if error.code != ENOENT { throw error }
        }
    }

    /// Moves a record aside, durably; a missing record is no failure.
    ///
    /// The newest four copies of one path are kept, numbered from the oldest; a fifth replaces the oldest.
    func setAside(_ path: RecordPath) throws(SystemError) {
        guard let name = path.components.last.map(FileName.init) else { return }
        do throws(SystemError) {
            try setAside(name.record(path.protection), in: try folder(of: path, creating: false))
        } catch {
            if error.code != ENOENT { throw error }
        }
    }

    private func setAside(_ name: String, in folder: borrowing Folder) throws(SystemError) {
        guard folder.contains(name) else { return }
        let names = RecordFiles.namesSetAside(name)
        var taken = names.filter { folder.contains($0) }
        if taken.count == names.count {
            try folder.remove(taken.removeFirst(), levels: RecordFiles.depthLimit)
        }
        for (copy, lower) in zip(taken, names) where copy != lower { try folder.rename(copy, to: lower) }
        try folder.rename(name, to: names[taken.count])
        try folder.flush()
    }

    private static func namesSetAside(_ name: String) -> [String] {
        (1...RecordPath.setAsideLimit).map { FileName.setAside(name, number: $0) }
    }

    private func eraseAll() throws(SystemError) {
        for entry in try root.entries() where RecordFiles.text(entry) != FileName.lock {
            try root.remove(entry, levels: RecordFiles.depthLimit)
        }
        try fail(at: .flushDirectory)
        try root.flush()
    }

    /// Opens the directory with the files of a path's last component.
    private func folder(of path: RecordPath, creating: Bool) throws(SystemError) -> Folder {
        var folder = try Folder(".", in: root)
        for component in path.components.dropLast() {
            let name = FileName(component).directory
            if creating { try folder.makeFolder(name) }
            let next: Folder
            do throws(SystemError) {
                next = try Folder(name, in: folder)
            } catch {
                guard error.meansWrongKind else { throw error }
                try setAside(name, in: folder)
                guard creating else { throw error }
                try folder.makeFolder(name)
                next = try Folder(name, in: folder)
            }
            folder = next
        }
        return folder
    }

    /// Removes the leftovers of crashes as far as possible; a remaining one does no harm.
    private static func removeUnfinished(in folder: borrowing Folder, levels: Int) {
        guard let entries = try? folder.entries() else { return }
        for entry in entries {
            let name = text(entry)
            if name.hasSuffix(FileName.unfinishedEnding) || name.hasSuffix(FileName.erasedEnding) {
                try? folder.remove(entry, levels: depthLimit)
            } else if levels > 0, name.hasSuffix(FileName.directoryEnding),
                let below = try? Folder(entry, in: folder)
            {
                removeUnfinished(in: below, levels: levels - 1)
            }
        }
    }

    private static func text(_ entry: [CChar]) -> String {
        String(decoding: entry.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private func fail(at step: FileStep) throws(SystemError) {
        if let code = fault(step) { throw SystemError(code: code) }
    }
}
