// Standard input by lines and standard output without a buffer. Both go past the C library, whose buffers would
// hold back what is to be shown while a thread waits for input, and would hide that a disk is full.

import ChatDomain
import Foundation

/// Cuts bytes into lines. A value, so that it can be tested without a stream.
struct LineSplitter: Equatable {
    /// More than any message may have: what is longer is cut here and refused with a sentence later, so that
    /// input without an end is no memory without an end (L8).
    static let limit = 1_048_576

    private var line: [UInt8] = []

    /// Takes bytes in, and gives the lines that they end.
    mutating func take(_ bytes: [UInt8]) -> [String] {
        var lines: [String] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                lines.append(finish())
            } else if line.count < Self.limit {
                line.append(byte)
            }
        }
        return lines
    }

    /// The last line, if the input did not end with a line's end.
    mutating func end() -> String? { line.isEmpty ? nil : finish() }

    private mutating func finish() -> String {
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        defer { line = [] }
        return String(decoding: line, as: UTF8.self)
    }
}

/// Standard input.
enum StandardInput {
    /// What has come, at most so many bytes of it; nothing at the end. Waits without taking time until then.
    static func read(atMost count: Int) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: count)
        while true {
            let got = Foundation.read(STDIN_FILENO, &buffer, count)
            if got < 0, errno == EINTR { continue }
            return Array(buffer.prefix(max(got, 0)))
        }
    }

    /// The lines, each when it is asked for.
    static func lines() -> AnyIterator<String> {
        var splitter = LineSplitter()
        var lines: [String] = []
        var next = 0
        var isOpen = true
        return AnyIterator {
            while next == lines.count {
                guard isOpen else { return nil }
                let bytes = read(atMost: 65_536)
                lines = bytes.isEmpty ? (splitter.end().map { [$0] } ?? []) : splitter.take(bytes)
                next = 0
                isOpen = !bytes.isEmpty
            }
            defer { next += 1 }
            return lines[next]
        }
    }
}

/// Standard output.
enum StandardOutput {
    /// Writes all of a text, or ends the program with a sentence that says why it cannot.
    static func write(_ text: String) {
        guard let problem = tryToWrite(text, to: STDOUT_FILENO) else { return }
        Program.complain("chat: cannot write: \(problem)")
        exit(1)
    }

    /// Writes lines as they are.
    static func write(_ lines: [Line]) {
        guard !lines.isEmpty else { return }
        write(lines.map { $0.text + "\n" }.joined())
    }

    /// Writes all of a text; what went wrong, if something did.
    static func tryToWrite(_ text: String, to stream: Int32 = STDOUT_FILENO) -> String? {
        var text = text
        return text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = Foundation.write(stream, rest.baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { return String(cString: strerror(errno)) }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
            return nil
        }
    }
}
