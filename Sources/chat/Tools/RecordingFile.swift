// The file of a recording: written while the chat runs, and read by the commands. Only its owner can read it, because
// it contains the person's texts.

import ChatDomain
import ChatTesting
import Foundation

/// A recording on disk.
final class RecordingFile {
    private enum Phase {
        case opened, writing, failed
    }

    private let descriptor: Int32
    private let path: String
    /// Whether it is a file on a disk, not a pipe or a device.
    private let isRegular: Bool
    private var phase = Phase.opened

    /// Creates the file, or opens one that is there and keeps its content until the first write. Throws a sentence when
    /// that fails, or when another chat writes to it.
    init(_ path: String) throws(UsageError) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw UsageError("“\(path)” cannot be written: \(String(cString: strerror(errno)))")
        }
        var status = stat()
        isRegular = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        // Not every file system has locks.
        guard !isRegular || flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
            throw UsageError("another chat is recorded in “\(path)”")
        }
    }

    deinit { close(descriptor) }

    /// Appends bytes. A failure is reported once; the chat continues without a recording.
    func write(_ bytes: [UInt8]) {
        if phase == .opened {
            phase = .writing
            // Not before: of a chat that does not start, an earlier recording stays.
            if isRegular {
                fchmod(descriptor, 0o600)  // a file system may have no owners
                if ftruncate(descriptor, 0) != 0 { fail() }
            }
        }
        guard phase == .writing else { return }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return fail() }
            rest = rest.dropFirst(count)
        }
    }

    private func fail() {
        phase = .failed
        Program.complain("chat: the recording “\(path)” ends here: \(String(cString: strerror(errno)))")
    }

    /// Reads a recording, with its bytes; “-” is standard input. Throws a sentence if it is not readable.
    static func read(_ path: String) throws(UsageError) -> (recording: Recording, bytes: [UInt8]) {
        let bytes = try InputBytes(file: path).all()
        do throws(RecordingProblem) {
            return (try Recording(bytes), bytes)
        } catch {
            throw UsageError("“\(path)”, \(error.description)")
        }
    }
}
