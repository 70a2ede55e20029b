// Open directories, and the system calls relative to them. Addressing is always relative to an open directory and never
// through a symbolic link, so no path is too long and none leaves the tree. Only the owner can read what is created,
// from the first moment on.

import Foundation

/// A failed system call, by its number (errno).
struct SystemError: Error, Hashable {
    /// The number.
    let code: Int32

    /// Whether another kind of entry is in the place of a file or directory.
    var meansWrongKind: Bool { code == ENOTDIR || code == EISDIR || code == ELOOP }
}

/// Repeats a system call while signals interrupt it.
private func retrying<Result: SignedInteger>(_ call: () -> Result) throws(SystemError) -> Result {
    while true {
        let result = call()
        let code = errno
        if result >= 0 { return result }
        if code != EINTR { throw SystemError(code: code) }
    }
}

/// An open file or directory, closed at the end of its lifetime.
struct Descriptor: ~Copyable {
    /// The file descriptor.
    let number: Int32

    fileprivate init(_ open: () -> Int32) throws(SystemError) {
        number = try retrying(open)
    }

    deinit { close(number) }

    /// Writes all bytes.
    func write(_ bytes: [UInt8]) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = try retrying {
                rest.withUnsafeBytes { Foundation.write(number, $0.baseAddress, $0.count) }
            }
            rest.removeFirst(count)
        }
    }

    /// Reads from the current position to the end.
    func read() throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 * 1_024)  // few calls for a page of messages
        while true {
            let count = try retrying {
                chunk.withUnsafeMutableBytes { Foundation.read(number, $0.baseAddress, $0.count) }
            }
            if count == 0 { return bytes }
            bytes.append(contentsOf: chunk[..<count])
        }
    }

    /// Makes written bytes, or changes in a directory, durable against a loss of power.
    func flush() throws(SystemError) {
        #if canImport(Darwin)
            // On Darwin, fsync does not flush the drive's own cache.
            if fcntl(number, F_FULLFSYNC) == 0 { return }
        #endif
        do throws(SystemError) {
            _ = try retrying { fsync(number) }
        } catch {
            // A file system that cannot flush a directory has nothing to flush there.
            if error.code != EINVAL && error.code != ENOTSUP { throw error }
        }
    }

    /// Locks the file until the descriptor is closed; throws `EWOULDBLOCK` while another owner has the lock.
    func lock() throws(SystemError) {
        _ = try retrying { flock(number, LOCK_EX | LOCK_NB) }
    }
}

/// An open directory. Names are single components, not paths.
struct Folder: ~Copyable {
    private let descriptor: Descriptor

    /// Opens a directory by its path; follows symbolic links.
    init(path: UnsafePointer<CChar>) throws(SystemError) {
        descriptor = try Descriptor { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    }

    /// Opens a directory within another one; "." opens the parent again.
    init(_ name: UnsafePointer<CChar>, in parent: borrowing Folder) throws(SystemError) {
        let number = parent.descriptor.number
        descriptor = try Descriptor {
            openat(number, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        }
    }

    /// Makes creations, renames and removals in the directory durable.
    func flush() throws(SystemError) {
        try descriptor.flush()
    }

    /// Creates a file for writing; throws if it exists.
    func create(_ name: UnsafePointer<CChar>) throws(SystemError) -> Descriptor {
        let number = descriptor.number
        return try Descriptor {
            openat(number, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        }
    }

    /// Opens a file for locking; creates it if it is missing.
    func openLock(_ name: UnsafePointer<CChar>) throws(SystemError) -> Descriptor {
        let number = descriptor.number
        return try Descriptor { openat(number, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600) }
    }

    /// Reads a regular file.
    func read(_ name: UnsafePointer<CChar>) throws(SystemError) -> [UInt8] {
        let number = descriptor.number
        // Without O_NONBLOCK, a pipe in the place of a record would block the process.
        let file = try Descriptor { openat(number, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) }
        var status = stat()
        _ = try retrying { fstat(file.number, &status) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw SystemError(code: EISDIR) }
        return try file.read()
    }

    /// Whether an entry of that name exists.
    func contains(_ name: UnsafePointer<CChar>) -> Bool {
        var status = stat()
        return fstatat(descriptor.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0
    }

    /// Creates a directory, durably; does nothing if the name exists.
    func makeFolder(_ name: UnsafePointer<CChar>) throws(SystemError) {
        if mkdirat(descriptor.number, name, 0o700) == 0 { return try flush() }
        let code = errno
        if code != EEXIST { throw SystemError(code: code) }
    }

    /// Renames an entry and replaces any entry with the new name.
    func rename(_ old: UnsafePointer<CChar>, to new: UnsafePointer<CChar>) throws(SystemError) {
        _ = try retrying { renameat(descriptor.number, old, descriptor.number, new) }
    }

    /// Removes a file, or a directory with its content; a missing entry is no failure.
    ///
    /// - Parameter levels: the greatest depth of directories, which bounds the open descriptors.
    func remove(_ name: UnsafePointer<CChar>, levels: Int) throws(SystemError) {
        if unlinkat(descriptor.number, name, 0) == 0 || errno == ENOENT { return }
        let code = errno
        // A directory cannot be unlinked; Linux reports EISDIR, POSIX EPERM.
        guard code == EISDIR || code == EPERM else { throw SystemError(code: code) }
        guard levels > 0 else { throw SystemError(code: ENAMETOOLONG) }
        let folder: Folder
        do throws(SystemError) {
            folder = try Folder(name, in: self)
        } catch {
            throw error.meansWrongKind ? SystemError(code: code) : error
        }
        for entry in try folder.entries() { try folder.remove(entry, levels: levels - 1) }
        _ = try retrying { unlinkat(descriptor.number, name, AT_REMOVEDIR) }
    }

    /// The names of all entries as on disk, terminated by a zero byte, in no particular order.
    func entries() throws(SystemError) -> [[CChar]] {
        // The stream needs its own descriptor, and with it its own position.
        let number = try retrying { openat(descriptor.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard let stream = fdopendir(number) else {
            let code = errno
            close(number)
            throw SystemError(code: code)
        }
        defer { closedir(stream) }
        var names: [[CChar]] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                bytes.prefix { $0 != 0 }.map { CChar(bitPattern: $0) } + [0]
            }
            if name != Folder.itself && name != Folder.parent { names.append(name) }
        }
        // An end with an error is none: what is not listed would count as gone.
        guard errno == 0 else { throw SystemError(code: errno) }
        return names
    }

    private static let itself = [CChar(bitPattern: UInt8(ascii: ".")), 0]
    private static let parent = [
        CChar(bitPattern: UInt8(ascii: ".")), CChar(bitPattern: UInt8(ascii: ".")), 0,
    ]
}
