// The file of a recording: written while the chat runs, and read by the commands. Only its owner can read it, because
// it contains the person's texts.

import ChatDomain
import ChatTesting
import Foundation

/// A recording on disk.
final class RecordingFile {
    private let descriptor: Int32
    private let path: String
    private var hasFailed = false

    /// Creates or empties the file. Throws a sentence when that fails.
    init(_ path: String) throws(UsageError) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        self.path = path
        guard descriptor >= 0 else {
            throw UsageError("“\(path)” cannot be written: \(String(cString: strerror(errno)))")
        }
    }

    deinit { close(descriptor) }

    /// Appends bytes. A failure is reported once; the chat continues without a recording.
    func write(_ bytes: [UInt8]) {
        guard !hasFailed else { return }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                hasFailed = true
                return Program.complain(
                    "chat: the recording “\(path)” ends here: \(String(cString: strerror(errno)))")
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Reads a recording, with its bytes. Throws a sentence if it is not readable.
    static func read(_ path: String) throws(UsageError) -> (recording: Recording, bytes: [UInt8]) {
        let bytes: [UInt8]
        do {
            bytes = try Array(Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            let isMissing = access(path, F_OK) != 0
            throw UsageError(isMissing ? "there is no file “\(path)”" : "“\(path)” cannot be read")
        }
        do throws(RecordingProblem) {
            return (try Recording(bytes), bytes)
        } catch {
            throw UsageError("“\(path)”, \(error.description)")
        }
    }
}
