// The answer to a request of a client, read from bytes in any split (RFC 9112): interim answers, the head, and the body
// in each framing. It is strict where leniency lets one message pass for another, and does not decompress: an answer
// that is compressed although the request asks for none is malformed, so no body grows. Start with `read`.
//
// Laws:
// - Every split of the bytes gives the same head, the same body and the same end.
// - The head comes first and once, the end last and once; bytes behind the end are none of the answer.
// - Lines are limited: a head, a chunk's size and all trailers have 16 KiB each. Of a body nothing is kept.
// - Each end has a reason: `malformed`, `tooLarge` for lines over the limit, `lost` for an answer that is cut off.

import ChatDomain

/// Parses the answer to one request.
package struct HTTPAnswerReader: PlainValue {
    /// The greatest number of interim answers: an upload of 100 MiB may have one a second.
    package static let interimLimit = 100

    private enum Position: PlainValue {
        case head
        /// Within a body that has a length.
        case body(missing: Int64)
        /// Within a body that ends with the connection.
        case openBody
        case chunkSize
        case chunk(missing: Int64)
        /// Behind the bytes of a chunk.
        case chunkEnd
        case trailers
        case ended
    }

    /// What a piece of bytes brings.
    private struct Part: PlainValue {
        var head: Arrival?
        var body: [UInt8] = []
    }

    /// Whether the answer is to HEAD, so that it has no body whatever its head says (RFC 9112, section 6.3, item 1).
    private let isToHead: Bool
    private let limit: Int64
    private var position = Position.head
    private var head: HTTPHeadReader
    /// The lines that frame a body.
    private var lines: HTTPLineReader
    private var interimAnswers = 0

    /// Creates a reader of the answer to a request of this method; the limit is that of each head, in bytes.
    /// 16 KiB are the limit of common servers and proxies.
    package init(to method: ExactText, limit: Int64 = 16 * 1024) {
        isToHead = method == "HEAD"
        self.limit = limit
        head = HTTPHeadReader(limit: limit)
        lines = HTTPLineReader(limit: limit)
    }

    /// Creates a reader of the body behind a head that was read elsewhere.
    init(behind headers: [Header], _ status: Int64, _ minor: Int64) throws(HTTPHeadError) {
        self.init(to: "")
        position = try position(behind: headers, status, minor)
    }

    /// Whether the answer has ended.
    var isOver: Bool { position == .ended }

    /// Reads bytes in any split; returns what they bring: the head, a part of the body, and the end. O(n).
    package mutating func read(_ bytes: [UInt8]) -> [Arrival] {
        guard position != .ended else { return [] }
        var part = Part()
        var end = CallEnd.completed
        do throws(HTTPHeadError) {
            try bytes.withUnsafeBufferPointer { (bytes) throws(HTTPHeadError) in
                var index = 0
                while index < bytes.count, position != .ended { try advance(bytes, &index, &part) }
            }
        } catch {
            position = .ended
            end = .failed(error == .malformed ? .malformed : .tooLarge)
        }
        var arrivals: [Arrival] = []
        if let head = part.head { arrivals.append(head) }
        if !part.body.isEmpty { arrivals.append(.body(part.body)) }
        if position == .ended { arrivals.append(.ended(end)) }
        return arrivals
    }

    /// The end that the end of the connection brings; nil when the answer has ended before. Only a clean end completes
    /// a body that has no other (RFC 9112, section 8).
    package mutating func finish(isClean: Bool) -> CallEnd? {
        defer { position = .ended }
        switch position {
        case .ended: return nil
        case .openBody where isClean: return .completed
        default: return .failed(.lost)
        }
    }

    // MARK: Steps

    private mutating func advance(
        _ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int, _ part: inout Part
    ) throws(HTTPHeadError) {
        switch position {
        case .head:
            let isComplete = try head.read(bytes, from: &index) { HTTPBytes.status($0) != nil }
            guard isComplete, let (status, minor) = head.startLine.flatMap(HTTPBytes.status) else { return }
            try judge(status, minor, &part)
        case .body(let missing):
            let rest = missing - Self.take(missing, bytes, &index, &part)
            position = rest > 0 ? .body(missing: rest) : .ended
        case .openBody: _ = Self.take(.max, bytes, &index, &part)
        case .chunkSize:
            guard let line = try lines.read(bytes, from: &index) else { return }
            guard let size = Self.chunkSize(line) else { throw .malformed }
            lines = HTTPLineReader(limit: limit)
            position = size > 0 ? .chunk(missing: size) : .trailers
        case .chunk(let missing):
            let rest = missing - Self.take(missing, bytes, &index, &part)
            position = rest > 0 ? .chunk(missing: rest) : .chunkEnd
        case .chunkEnd:
            guard let line = try lines.read(bytes, from: &index) else { return }
            guard line.isEmpty else { throw .malformed }
            position = .chunkSize
        case .trailers:
            guard let line = try lines.read(bytes, from: &index) else { return }
            guard line.isEmpty || HTTPBytes.header(line) != nil else { throw .malformed }
            if line.isEmpty { position = .ended }
        case .ended: break
        }
    }

    /// Moves bytes to the body, at most so many; returns how many.
    private static func take(
        _ most: Int64, _ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int, _ part: inout Part
    ) -> Int64 {
        let taken = bytes[index...].prefix(Int(clamping: most))
        part.body += taken
        index += taken.count
        return Int64(taken.count)
    }

    /// Judges a complete head.
    private mutating func judge(_ status: Int64, _ minor: Int64, _ part: inout Part) throws(HTTPHeadError) {
        let headers = head.headers
        head = HTTPHeadReader(limit: limit)
        guard status >= 200 else {  // an interim answer (RFC 9110, section 15.2)
            interimAnswers += 1
            // Nothing was asked for that 101 could switch to.
            guard status != 101, interimAnswers <= Self.interimLimit else { throw .malformed }
            return
        }
        position = try position(behind: headers, status, minor)
        part.head = .head(status: status, headers: headers)
    }

    private func position(
        behind headers: [Header], _ status: Int64, _ minor: Int64
    ) throws(HTTPHeadError) -> Position {
        isToHead || status == 204 || status == 304 ? .ended : try Self.framing(headers, minor)
    }

    /// The position after a head whose answer may have a body (RFC 9112, section 6.3).
    private static func framing(_ headers: [Header], _ minor: Int64) throws(HTTPHeadError) -> Position {
        // `none` is no registered coding: servers of streams say it so that no proxy compresses them.
        let plain = ["", "identity", "none"].map { Array($0.utf8) }
        guard headers.elements("content-encoding").allSatisfy(plain.contains) else { throw .malformed }
        let codings = headers.elements("transfer-encoding"), lengths = headers.elements("content-length")
        if !codings.isEmpty {
            // Both framings are a sign of smuggling, and HTTP/1.0 has no chunks (RFC 9112, section 6.1).
            guard codings == [Array("chunked".utf8)], lengths.isEmpty, minor >= 1 else { throw .malformed }
            return .chunkSize
        }
        guard let first = lengths.first else { return .openBody }
        guard let length = HTTPBytes.number(first[...]),
            lengths.allSatisfy({ HTTPBytes.number($0[...]) == length })
        else { throw .malformed }
        return length > 0 ? .body(missing: length) : .ended
    }

    /// The size of a chunk, whose extensions are ignored (RFC 9112, section 7.1); nil if it is none, or too great.
    private static func chunkSize(_ line: [UInt8]) -> Int64? {
        let digits = HTTPBytes.trimmed(line.prefix { $0 != UInt8(ascii: ";") })
        // 15 digits have 60 bits.
        guard (1...15).contains(digits.count), digits.startIndex == 0 else { return nil }
        var size: Int64 = 0
        for digit in HTTPBytes.lowercased(digits) {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): size = size << 4 | Int64(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"):
                size = size << 4 | Int64(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return size
    }
}
