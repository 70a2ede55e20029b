// Records as files: one file a record, one directory for what is below a path. Start at `write`.
//
// A write goes to a new file beside the record, is flushed, and takes the record's name in one step; so a
// record is what it was or what it should be, never a part of it, whenever the process or the power dies.
// What such a death leaves behind has names of its own and goes at the next start. An erase takes all that
// is below a path away in one step before it frees the room.
//
// Something that cannot be ours, such as a directory in the place of a file, is set aside where it is met.

import ChatDomain
import Foundation

/// A step of a write that can fail; named so that a test can make it fail.
package enum FileStep: CaseIterable, Sendable {
    /// Creating the file beside the record.
    case create
    /// Filling it.
    case write
    /// Flushing it.
    case flush
    /// Giving it the record's name.
    case rename
    /// Flushing the directory.
    case flushDirectory
}

/// The files of one store.
struct RecordFiles: ~Copyable {
    /// How many components a path may have. Features name a handful; the bound keeps the directories that
    /// are open at once while a tree is removed far below what a process may open (256 on macOS).
    static let depthLimit = 32

    private let root: Folder
    private let lock: Descriptor
    private let fault: (FileStep) -> Int32?

    /// Opens the files in a directory that exists, locks them, and removes what was not finished.
    ///
    /// - Parameter fault: the error with which a step fails, before it is tried.
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

    /// Reads a record; `nil` when there is none.
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

    /// Stores a record, durably. When this fails, the record is the old one or the new one.
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
            // It would go at the next start too; on a full disk its room is wanted now.
            try? folder.remove(unfinished, levels: 0)
            throw error
        }
        try fail(at: .flushDirectory)
        try folder.flush()
    }

    /// Removes what is at a path, what was set aside there, and all that is below, durably.
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

    /// Moves a record out of the way, durably; nothing is no failure.
    ///
    /// The newest four that were set aside from one path stay, numbered from the oldest; a fifth takes the
    /// place of the oldest.
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

    /// Opens the directory in which the files of a path's last component are.
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

    /// Removes what deaths of the process left behind, as far as it can: the rest is in nobody's way.
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
