// The input bytes of a command: a file, or standard input, in pieces of a chosen size. The size has no influence on the
// result; `--chunk` exists to show that.

import Foundation

/// The arguments that these commands share, and their input.
struct InputBytes: Equatable {
    /// The usual size of a read; a greater one is no faster.
    private static let usual = 65_536

    private var file: String?
    private var chunk: Int?

    /// The input of a command without these arguments.
    init(file: String? = nil) { self.file = file }

    /// Takes an argument that is common to the commands; throws a sentence for any other.
    mutating func take(_ argument: String, _ rest: inout ArraySlice<String>) throws(UsageError) {
        switch argument {
        case "--chunk":
            let value = try UsageError.value(of: argument, in: &rest)
            guard let number = Int(value), number > 0 else {
                throw UsageError("--chunk needs a number of bytes, at least 1, not “\(value)”")
            }
            chunk = number
        case _ where argument.hasPrefix("-") && argument != "-":
            throw UsageError("unknown option “\(argument)”")
        default:
            guard file == nil else { throw UsageError("it looks into one file at a time") }
            file = argument
        }
    }

    /// The bytes in pieces, read on demand. Throws when the file cannot be read.
    func pieces() throws(UsageError) -> AnyIterator<[UInt8]> {
        let descriptor = try descriptor()
        return AnyIterator { [chunk] in
            let wanted = chunk ?? Self.usual
            var piece: [UInt8] = []
            repeat {
                let count = min(wanted - piece.count, Self.usual)
                let part = StandardInput.read(atMost: count, from: descriptor)
                guard !part.isEmpty else { break }
                piece += part
            } while chunk != nil && piece.count < wanted
            return piece.isEmpty ? nil : piece
        }
    }

    /// The bytes in one piece.
    func all() throws(UsageError) -> [UInt8] { try pieces().reduce(into: []) { $0 += $1 } }

    private func descriptor() throws(UsageError) -> Int32 {
        guard let file, file != "-" else { return STDIN_FILENO }
        var status = stat()
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw UsageError("“\(file)” cannot be read: \(String(cString: strerror(errno)))")
        }
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
            throw UsageError("“\(file)” is a folder")
        }
        return descriptor
    }
}
