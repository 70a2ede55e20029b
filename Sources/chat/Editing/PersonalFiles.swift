// The files of a person beside the records: the typed lines, and the name as it was typed. Both are conveniences: a
// file that is missing, damaged, of another kind or not writable changes nothing else.
//
// Guarantees: only its owner can read a file; a file that is not regular is neither opened nor written; at most
// `largest` bytes are read.

import ChatDomain
import ChatEffects
import Foundation

/// The files of one state directory.
struct PersonalFiles {
    /// More bytes than the lines of a full history usually take.
    private static let largest = 1_048_576

    private let folder: String

    /// The files below a state directory.
    init(state: String) {
        folder = state + "/terminal"
    }

    private func path(_ kind: String, of user: UserID) -> String {
        "\(folder)/\(FileName(user.text).stem).\(kind)"
    }

    // MARK: History

    /// The kept lines.
    func history(of user: UserID) -> History {
        let path = path("history", of: user)
        let bytes = read(path)
        let lines = History.decode(bytes)
        let history = History(lines)
        // Lines beyond the limit are dropped now and then, not with each new line.
        if lines.count > 2 * History.limit || bytes.count > Self.largest / 2 {
            write(history.lines.map(History.encode).joined(), to: path, isWhole: true)
        }
        return history
    }

    /// Keeps a line.
    func add(_ line: String, of user: UserID) {
        write(History.encode(line), to: path("history", of: user), isWhole: false)
    }

    // MARK: Name

    /// The name as it was typed; nil if it is unknown.
    func name(of user: UserID) -> String? {
        let name = Line.printable(String(decoding: read(path("name", of: user)), as: UTF8.self))
        return name.isEmpty || name.utf8.count > 256 ? nil : name
    }

    /// Keeps the name as it was typed.
    func keep(name: String, of user: UserID) {
        guard name != self.name(of: user) else { return }
        write(name, to: path("name", of: user), isWhole: true)
    }

    /// Erases the files of a person.
    func erase(_ user: UserID) {
        for kind in ["history", "name"] { unlink(path(kind, of: user)) }
    }

    // MARK: Files

    /// The last bytes of a file, from the beginning of a line on; empty if it cannot be read.
    private func read(_ path: String) -> [UInt8] {
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        guard let size = size(of: file) else { return [] }
        let start = max(size - Self.largest, 0)
        guard start == 0 || lseek(file, off_t(start), SEEK_SET) >= 0 else { return [] }
        var bytes: [UInt8] = []
        while bytes.count < Self.largest {
            let more = StandardInput.read(atMost: 65_536, from: file)
            guard !more.isEmpty else { break }
            bytes += more
        }
        return start == 0 ? bytes : Array(bytes.drop { $0 != 0x0A })
    }

    /// The size of a regular file of this user; nil for any other.
    private func size(of file: Int32) -> Int? {
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
            return nil
        }
        return Int(status.st_size)
    }

    /// Appends a text to a file, or replaces the file's content with it.
    private func write(_ text: String, to path: String, isWhole: Bool) {
        mkdir(folder, 0o700)
        let place = isWhole ? path + ".writing" : path
        if isWhole { unlink(place) }
        let mode = isWhole ? O_EXCL : O_APPEND
        let file = open(place, O_RDWR | O_CREAT | mode | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        defer { close(file) }
        guard let size = size(of: file), fchmod(file, 0o600) == 0 else { return }
        // A cut line ends before this one begins.
        var last: UInt8 = 0x0A
        if size > 0 { _ = pread(file, &last, 1, off_t(size - 1)) }
        let problem = StandardOutput.tryToWrite((last == 0x0A ? "" : "\n") + text, to: file)
        if isWhole { _ = problem == nil ? rename(place, path) : unlink(place) }
    }
}
