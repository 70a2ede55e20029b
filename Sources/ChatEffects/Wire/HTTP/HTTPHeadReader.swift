// The head of an HTTP/1.1 message, read from bytes in any split (RFC 9112, sections 2 to 5). It is strict where
// leniency lets one message pass for another: no folded lines, no space before a colon, no control characters.

import ChatDomain

/// The reason why a head is not accepted.
public enum HTTPHeadError: Error, PlainValue {
    /// The bytes are not the head of an HTTP/1.1 message.
    case malformed
    /// The head has more bytes than the limit.
    case tooLong(limit: Int64)
}

extension HTTPHeadError: CustomStringConvertible {
    /// The reason as text, for display.
    public var description: String {
        switch self {
        case .malformed: "the bytes are not HTTP"
        case .tooLong(let limit): "the head is longer than \(limit) bytes"
        }
    }
}

/// Parses lines, of which all together have a limit.
struct HTTPLineReader: PlainValue {
    /// The greatest length of all lines together, in bytes.
    private let limit: Int64
    /// The number of consumed bytes.
    private var size: Int64 = 0
    /// The incomplete line.
    private var line: [UInt8] = []

    init(limit: Int64) {
        self.limit = max(limit, 0)
    }

    /// Reads up to the end of a line, and moves `position` past it. Returns the line without its end; nil while it is
    /// incomplete. O(n).
    mutating func read(
        _ bytes: UnsafeBufferPointer<UInt8>, from position: inout Int
    ) throws(HTTPHeadError) -> [UInt8]? {
        let rest = UnsafeBufferPointer(rebasing: bytes[position...])
        let end = rest.firstIndex(of: 0x0A)
        let count = end.map { $0 + 1 } ?? rest.count
        size = saturatingSum(size, Int64(count))
        guard size <= limit else { throw .tooLong(limit: limit) }
        line.append(contentsOf: rest[..<(end ?? count)])
        position += count
        guard end != nil else { return nil }
        // A bare LF ends a line, too (RFC 9112, section 2.2).
        if line.last == 0x0D { line.removeLast() }
        defer { line = [] }
        return line
    }
}

/// Parses a start line and headers; the owner of the reader judges the start line.
struct HTTPHeadReader: PlainValue {
    private var lines: HTTPLineReader
    /// The start line so far, without its end.
    private(set) var startLine: [UInt8]?
    /// The headers so far, with names in lower case.
    private(set) var headers: [Header] = []

    /// The limit is that of all heads together, in bytes.
    init(limit: Int64) {
        lines = HTTPLineReader(limit: limit)
    }

    /// Reads up to the end of the head, and moves `position` past it. Returns whether it is complete. O(n).
    ///
    /// - Throws: The error, at the end of the first wrong line.
    mutating func read(
        _ bytes: UnsafeBufferPointer<UInt8>, from position: inout Int, isStartLine: ([UInt8]) -> Bool
    ) throws(HTTPHeadError) -> Bool {
        while position < bytes.count {
            guard let line = try lines.read(bytes, from: &position) else { return false }
            if line.isEmpty, startLine != nil { return true }
            if startLine == nil {
                guard isStartLine(line) else { throw .malformed }
                startLine = line
            } else {
                guard let header = HTTPBytes.header(line) else { throw .malformed }
                headers.append(header)
            }
        }
        return false
    }

    /// Prepares for the next head within the same limit.
    mutating func startAgain() {
        startLine = nil
        headers = []
    }
}

/// Parsers for the lines of a head, and the characters that they may hold.
package enum HTTPBytes {
    /// The header of a line; nil if it is malformed.
    static func header(_ line: [UInt8]) -> Header? {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let name = line[..<colon]
        let value = trimmed(line[(colon + 1)...])
        guard isToken(name), isFieldValue(value) else { return nil }
        return Header(ExactText(decoding: lowercased(name)), ExactText(decoding: [UInt8](value)))
    }

    /// Whether the bytes are a name (RFC 9110, section 5.6.2).
    static func isToken(_ bytes: ArraySlice<UInt8>) -> Bool {
        !bytes.isEmpty
            && bytes.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "!"), UInt8(ascii: "#"),
                    UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"), UInt8(ascii: "'"),
                    UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
                    UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"),
                    UInt8(ascii: "~"):
                    true
                default: false
                }
            }
    }

    /// Whether the bytes may be in a header's value: no control character except the tab.
    static func isFieldValue(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }

    /// Whether the bytes are a path with an optional query: visible ASCII from a slash on, without a fragment.
    static func isPath(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.first == UInt8(ascii: "/")
            && bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }
    }

    /// The bytes without spaces and tabs at either end.
    static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var rest = bytes
        while let first = rest.first, first == 0x20 || first == 0x09 { rest.removeFirst() }
        while let last = rest.last, last == 0x20 || last == 0x09 { rest.removeLast() }
        return rest
    }

    static func lowercased(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        bytes.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 + 32 : $0 }
    }

    /// The number of decimal digits only; nil if it is none, or too great.
    package static func number(_ bytes: ArraySlice<UInt8>) -> Int64? {
        guard !bytes.isEmpty else { return nil }
        var number: Int64 = 0
        for byte in bytes {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            let (tenfold, overflow) = number.multipliedReportingOverflow(by: 10)
            let (sum, carry) = tenfold.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
            guard !overflow, !carry else { return nil }
            number = sum
        }
        return number
    }

    /// The status of a status line and the minor version (RFC 9112, section 4); nil if it is none.
    static func status(_ line: [UInt8]) -> (status: Int64, minor: Int64)? {
        let words = line.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count >= 2, let minor = minorVersion(words[0]), words[1].count == 3,
            let status = number(words[1]), status >= 100
        else { return nil }
        return (status, minor)
    }

    /// The minor version of `HTTP/1.x`; nil for anything else.
    static func minorVersion(_ bytes: ArraySlice<UInt8>) -> Int64? {
        guard bytes.count == 8, bytes.starts(with: "HTTP/1.".utf8) else { return nil }
        return number(bytes.suffix(1))
    }
}

extension [Header] {
    /// The values of all headers of that name.
    func values(_ name: ExactText) -> [ExactText] {
        compactMap { $0.name == name ? $0.value : nil }
    }

    /// The value of the only header of that name; nil if there is none, or more than one.
    func only(_ name: ExactText) -> ExactText? {
        let values = values(name)
        return values.count == 1 ? values.first : nil
    }

    /// The elements of all lists under that name, in lower case (RFC 9110, section 5.6.1).
    func elements(_ name: ExactText) -> [[UInt8]] {
        values(name).flatMap { value in
            value.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
                .map { HTTPBytes.lowercased(HTTPBytes.trimmed($0)) }
        }
    }

    /// Whether a header of that name lists the word, which is in lower case; the case of ASCII letters does not matter.
    func list(_ name: ExactText, has word: ExactText) -> Bool { elements(name).contains(word.utf8) }
}
