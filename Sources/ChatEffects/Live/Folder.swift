// Open directories, and the system calls that work in one. Everything is addressed relative to an open
// directory and never through a symbolic link, so that no path is too long and nothing leads out of the
// tree. What is created can be read by the owner alone from the first moment on.

import Foundation

/// The number of a failed system call (errno).
struct SystemError: Error, Hashable {
    /// The number.
    let code: Int32

    /// Whether something of another kind stands where a file or a directory was expected.
    var meansWrongKind: Bool { code == ENOTDIR || code == EISDIR || code == ELOOP }
}

/// Runs a system call until no signal interrupts it.
private func retrying<Result: SignedInteger>(_ call: () -> Result) throws(SystemError) -> Result {
    while true {
        let result = call()
        let code = errno
        if result >= 0 { return result }
        if code != EINTR { throw SystemError(code: code) }
    }
}

/// An open file or directory, closed at the end of its life.
struct Descriptor: ~Copyable {
    /// The system's number for it.
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

    /// Reads to the end.
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

    /// Makes what was written, or what was done in a directory, survive a loss of power.
    func flush() throws(SystemError) {
        #if canImport(Darwin)
            // There fsync leaves the drive's own cache alone.
            if fcntl(number, F_FULLFSYNC) == 0 { return }
        #endif
        do throws(SystemError) {
            _ = try retrying { fsync(number) }
        } catch {
            // A file system that cannot flush a directory has nothing to flush there.
            if error.code != EINVAL && error.code != ENOTSUP { throw error }
        }
    }

    /// Locks the file for this process until the descriptor is closed; `EWOULDBLOCK` when another has it.
    func lock() throws(SystemError) {
        _ = try retrying { flock(number, LOCK_EX | LOCK_NB) }
    }
}

/// An open directory. Names are single names in it, not paths.
struct Folder: ~Copyable {
    private let descriptor: Descriptor

    /// Opens a directory by its path, through symbolic links.
    init(path: UnsafePointer<CChar>) throws(SystemError) {
        descriptor = try Descriptor { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    }

    /// Opens a directory in another; "." is the other once more.
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

    /// Creates a file that must not be there yet, for writing.
    func create(_ name: UnsafePointer<CChar>) throws(SystemError) -> Descriptor {
        let number = descriptor.number
        return try Descriptor {
            openat(number, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        }
    }

    /// Opens a file for locking, and creates it if need be.
    func openLock(_ name: UnsafePointer<CChar>) throws(SystemError) -> Descriptor {
        let number = descriptor.number
        return try Descriptor { openat(number, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600) }
    }

    /// Reads a regular file.
    func read(_ name: UnsafePointer<CChar>) throws(SystemError) -> [UInt8] {
        let number = descriptor.number
        // Without O_NONBLOCK a pipe in the place of a record would hang the process.
        let file = try Descriptor { openat(number, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) }
        var status = stat()
        _ = try retrying { fstat(file.number, &status) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw SystemError(code: EISDIR) }
        return try file.read()
    }

    /// Whether there is anything of that name.
    func contains(_ name: UnsafePointer<CChar>) -> Bool {
        var status = stat()
        return fstatat(descriptor.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0
    }

    /// Creates a directory, durably; does nothing where something of that name is.
    func makeFolder(_ name: UnsafePointer<CChar>) throws(SystemError) {
        if mkdirat(descriptor.number, name, 0o700) == 0 { return try flush() }
        let code = errno
        if code != EEXIST { throw SystemError(code: code) }
    }

    /// Renames; what has the new name already is replaced.
    func rename(_ old: UnsafePointer<CChar>, to new: UnsafePointer<CChar>) throws(SystemError) {
        _ = try retrying { renameat(descriptor.number, old, descriptor.number, new) }
    }

    /// Removes a file, or a directory with all that is in it; nothing is no failure.
    ///
    /// - Parameter levels: how many levels of directories it may have; a bound on open descriptors.
    func remove(_ name: UnsafePointer<CChar>, levels: Int) throws(SystemError) {
        if unlinkat(descriptor.number, name, 0) == 0 || errno == ENOENT { return }
        let code = errno
        // Directories are not unlinked; Linux says EISDIR, POSIX EPERM.
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

    /// The names of what is in the directory, as they are on disk, ended by a zero byte. In no order.
    func entries() throws(SystemError) -> [[CChar]] {
        // The stream takes a descriptor of its own, and with it a position of its own.
        let number = try retrying { openat(descriptor.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard let stream = fdopendir(number) else {
            let code = errno
            close(number)
            throw SystemError(code: code)
        }
        defer { closedir(stream) }
        var names: [[CChar]] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                bytes.prefix { $0 != 0 }.map { CChar(bitPattern: $0) } + [0]
            }
            if name != Folder.itself && name != Folder.parent { names.append(name) }
        }
        return names
    }

    private static let itself = [CChar(bitPattern: UInt8(ascii: ".")), 0]
    private static let parent = [
        CChar(bitPattern: UInt8(ascii: ".")), CChar(bitPattern: UInt8(ascii: ".")), 0,
    ]
}
