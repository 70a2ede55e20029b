// Standard input by lines and standard output without a buffer. Both bypass the C library, whose buffers would delay
// output while a thread waits for input, and would hide that a disk is full.

import ChatDomain
import Foundation

/// Splits bytes into lines. It is a value, so tests need no stream.
struct LineSplitter: Equatable {
    /// More bytes than a message may have: longer lines are cut here and refused later, so that endless input does not
    /// take endless memory (L8).
    static let limit = 1_048_576

    /// Some editors of text begin a file with it (Unicode 23.8). It is no character of the first line.
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private var line: [UInt8] = []
    private var isFirst = true

    /// Consumes bytes and returns the lines that they complete.
    mutating func take(_ bytes: [UInt8]) -> [String] {
        var lines: [String] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                lines.append(finish())
            } else if line.count < Self.limit {
                line.append(byte)
                if isFirst, line == Self.byteOrderMark { (line, isFirst) = ([], false) }
            }
        }
        return lines
    }

    /// The last line, if it has no line end; otherwise nil.
    mutating func end() -> String? { line.isEmpty ? nil : finish() }

    private mutating func finish() -> String {
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        defer { (line, isFirst) = ([], false) }
        return String(decoding: line, as: UTF8.self)
    }
}

enum StandardInput {
    /// The available bytes, at most `count`; empty at the end. Blocks until there are some.
    static func read(atMost count: Int, from descriptor: Int32 = STDIN_FILENO) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: count)
        while true {
            let got = Foundation.read(descriptor, &buffer, count)
            if got < 0, errno == EINTR { continue }
            if got < 0, errno == EAGAIN {
                descriptor.wait(for: POLLIN)
                continue
            }
            return Array(buffer.prefix(max(got, 0)))
        }
    }

    /// The lines, each read on demand.
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

enum StandardOutput {
    /// Writes the whole text; on an error, ends the program with a message.
    static func write(_ text: String) {
        guard let problem = tryToWrite(text, to: STDOUT_FILENO) else { return }
        if problem == EPIPE {
            // The reader has enough (chat … | head): the program ends without a word, as shells expect.
            signal(SIGPIPE, SIG_DFL)
            raise(SIGPIPE)
        }
        Program.complain("chat: cannot write: \(String(cString: strerror(problem)))")
        exit(1)
    }

    /// Writes lines without colour.
    static func write(_ lines: [Line]) {
        guard !lines.isEmpty else { return }
        write(lines.map { $0.text + "\n" }.joined())
    }

    /// Writes the whole text; returns the number of the error, or nil.
    static func tryToWrite(_ text: String, to stream: Int32 = STDOUT_FILENO) -> Int32? {
        var text = text
        return text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = Foundation.write(stream, rest.baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                if count < 0, errno == EAGAIN {
                    stream.wait(for: POLLOUT)
                    continue
                }
                guard count >= 0 else { return errno }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
            return nil
        }
    }
}

extension Int32 {
    /// Waits until a descriptor can be read or written: a program that began this one may have made it non-blocking.
    fileprivate func wait(for events: Int32) {
        var wanted = pollfd(fd: self, events: Int16(truncatingIfNeeded: events), revents: 0)
        _ = poll(&wanted, 1, -1)
    }
}
