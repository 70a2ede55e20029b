// The parsing of one line: of a line within one piece (`take`), and of a line across pieces (`resume`, `hold`,
// `endLine`). Both paths have the same effect, and report the same error at the same byte.

import ChatDomain

extension SSEReader {
    // MARK: Lines within one piece

    /// Applies a line; its length is within the limit, unless it is a comment.
    @inline(__always)
    mutating func take(
        _ line: UnsafeBufferPointer<UInt8>, _ single: inout UnsafeBufferPointer<UInt8>?
    ) throws(SSEError) {
        let colon = colon(in: line)
        let name = UnsafeBufferPointer(rebasing: line[..<(colon ?? line.count)])
        if let field = SSEField(name) ?? errorField(name.elementsEqual("error".utf8)) {
            var start = line.count
            if let colon {
                start = colon + 1
                if start < line.count, line[start] == UInt8(ascii: " ") { start += 1 }
            }
            try apply(field, UnsafeBufferPointer(rebasing: line[start...]), &single)
        } else if isBare(line.first) {
            try apply(.data, line, &single)
        }
    }

    /// Applies a field.
    @inline(__always)
    private mutating func apply(
        _ field: SSEField, _ value: UnsafeBufferPointer<UInt8>, _ single: inout UnsafeBufferPointer<UInt8>?
    ) throws(SSEError) {
        switch field {
        case .data:
            if single == nil, data.isEmpty {
                guard Int64(value.count) <= policy.eventLimit else { throw eventTooLong }
                single = value
            } else {
                if let first = single { append(first) }
                single = nil
                guard Int64(value.count) <= room else { throw eventTooLong }
                append(value)
            }
        case .event:
            type.removeAll(keepingCapacity: true)
            type.append(contentsOf: value)
        case .id: newID = SSEBytes.identifier(value) ?? newID
        case .retry: retry = SSEBytes.retry(value) ?? retry
        }
    }

    /// The field of a line whose name is `error`, if the policy reads it: data, whose event has that type.
    private mutating func errorField(_ isError: Bool) -> SSEField? {
        guard isError, policy.foreignLines == .errorField else { return nil }
        type = Array("error".utf8)
        return .data
    }

    /// Whether a line that begins with this byte is one of a bare object, if the policy reads these. No field of the
    /// standard begins so.
    private func isBare(_ first: UInt8?) -> Bool {
        guard policy.foreignLines == .bareObject, let first else { return false }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "}") || first == 0x20 || first == 0x09
    }

    /// The colon after a name that may be known, no further than the longest name; nil if there is none.
    @inline(__always)
    private func colon(in line: UnsafeBufferPointer<UInt8>) -> Int? {
        for index in 0..<min(line.count, SSEField.longestName + 1) where line[index] == UInt8(ascii: ":") {
            return index
        }
        return nil
    }

    /// Appends a line to the data.
    mutating func append(_ value: UnsafeBufferPointer<UInt8>) {
        data.append(contentsOf: value)
        data.append(0x0A)
    }

    /// The remaining bytes for the data.
    private var room: Int64 { saturatingDifference(policy.eventLimit, Int64(data.count)) }

    private var eventTooLong: SSEError { .eventTooLong(limit: policy.eventLimit) }

    /// Ends the line at `end` and returns the next position; after a final CR, records that an LF may follow.
    @inline(__always)
    mutating func passLineEnd(at end: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int {
        guard bytes[end] == 0x0D else { return end + 1 }
        guard end + 1 < bytes.count else {
            line = .afterReturn
            return end + 1
        }
        return bytes[end + 1] == 0x0A ? end + 2 : end + 1
    }

    /// Whether a line that begins with this byte is a comment, which is passed over whatever its length.
    @inline(__always)
    static func isComment(_ first: UInt8) -> Bool { first == UInt8(ascii: ":") }

    // MARK: Lines across pieces

    /// Continues the line in which the last piece ended. Returns the start of the first line that begins in this piece,
    /// or nil if there is none.
    mutating func resume(_ bytes: UnsafeBufferPointer<UInt8>) throws(SSEError) -> Int? {
        var position = 0
        if case .byteOrderMark(let mark) = line {
            guard let start = try passByteOrderMark(mark, bytes) else { return nil }
            position = start
        }
        guard position < bytes.count else { return position }
        if case .afterReturn = line {
            if bytes[position] == 0x0A { position += 1 }
            line = .start
        }
        if case .start = line { return position }
        let end = SSEBytes.lineEnd(in: bytes, from: position)
        try hold(UnsafeBufferPointer(rebasing: bytes[position..<(end ?? bytes.count)]))
        guard let end else { return nil }
        try endLine()
        return passLineEnd(at: end, in: bytes)
    }

    /// Consumes the byte-order mark, or begins a line with what is none. Returns nil if the piece ends before.
    private mutating func passByteOrderMark(
        _ begun: SSEByteOrderMark, _ bytes: UnsafeBufferPointer<UInt8>
    ) throws(SSEError) -> Int? {
        var mark = begun
        for (position, byte) in bytes.enumerated() {
            guard byte == mark.next else {
                line = .start
                try mark.bytes.withUnsafeBufferPointer { (bytes) throws(SSEError) in try hold(bytes) }
                return position
            }
            guard let following = mark.following else {
                line = .start
                return position + 1
            }
            mark = following
        }
        line = .byteOrderMark(mark)
        return nil
    }

    /// Parses a part of a line without its end.
    mutating func hold(_ part: UnsafeBufferPointer<UInt8>) throws(SSEError) {
        if case .start = line, let first = part.first, Self.isComment(first) { line = .comment }
        if case .comment = line { return }
        let allowed = Int(clamping: max(saturatingDifference(policy.lineLimit, lineLength), 0))
        // The part before the limit comes first, since it may exceed another limit.
        try keep(part.count <= allowed ? part : UnsafeBufferPointer(rebasing: part[..<allowed]))
        guard part.count <= allowed else { throw .lineTooLong(limit: policy.lineLimit) }
        lineLength = saturatingSum(lineLength, Int64(part.count))
    }

    private mutating func keep(_ part: UnsafeBufferPointer<UInt8>) throws(SSEError) {
        var position = 0
        while position < part.count {
            switch line {
            case .byteOrderMark, .start, .afterReturn:
                if isBare(part[position]) {
                    line = .value(.data)
                } else {
                    position = extend(SSEName(), part, from: position)
                }
            case .name(let name):
                position = extend(name, part, from: position)
            case .beforeValue(let field):
                if part[position] == UInt8(ascii: " ") { position += 1 }
                line = .value(field)
            case .value(.data):
                let value = UnsafeBufferPointer(rebasing: part[position...])
                guard Int64(value.count) <= room else { throw eventTooLong }
                data.append(contentsOf: value)
                return
            case .value:
                held.append(contentsOf: UnsafeBufferPointer(rebasing: part[position...]))
                return
            case .comment, .ignored, .failed:
                return
            }
        }
    }

    /// Continues a partial name. Returns the position after the consumed bytes.
    private mutating func extend(_ begun: SSEName, _ part: UnsafeBufferPointer<UInt8>, from start: Int) -> Int
    {
        var name = begun
        for position in start..<part.count {
            if part[position] == UInt8(ascii: ":") {
                let field = name.field ?? errorField(name.isError)
                line = field.map { .beforeValue($0) } ?? .ignored
                return position + 1
            }
            if name.isComplete {
                line = .ignored
                return part.count
            }
            name.append(part[position])
        }
        line = .name(name)
        return part.count
    }

    /// Applies the line after its last part.
    mutating func endLine() throws(SSEError) {
        switch line {
        case .name(let name):
            if let field = name.field ?? errorField(name.isError) { try end(field) }
        case .beforeValue(let field), .value(let field):
            try end(field)
        case .byteOrderMark, .start, .afterReturn, .comment, .ignored, .failed:
            break
        }
        line = .start
        lineLength = 0
    }

    /// Applies a field whose value is in `held` or in `data`.
    private mutating func end(_ field: SSEField) throws(SSEError) {
        switch field {
        case .data:
            guard room >= 0 else { throw eventTooLong }
            data.append(0x0A)
        case .event: swap(&type, &held)
        case .id: newID = held.withUnsafeBufferPointer { SSEBytes.identifier($0) } ?? newID
        case .retry: retry = held.withUnsafeBufferPointer { SSEBytes.retry($0) } ?? retry
        }
        if !held.isEmpty { Self.clear(&held) }
    }

    // MARK: The empty line

    /// Ends the event and dispatches it if it has data, from the piece or from the buffer.
    @inline(__always)
    mutating func dispatch(
        _ single: UnsafeBufferPointer<UInt8>?, _ body: (borrowing SSEEvent) -> Void
    ) {
        if let newID {
            id = newID
            self.newID = nil
        }
        if let single {
            hand(single, to: body)
        } else if !data.isEmpty {
            data.withUnsafeBufferPointer { hand(UnsafeBufferPointer(rebasing: $0.dropLast()), to: body) }
        }
        if !data.isEmpty { Self.clear(&data) }
        if !type.isEmpty { Self.clear(&type) }
    }

    private func hand(_ data: UnsafeBufferPointer<UInt8>, to body: (borrowing SSEEvent) -> Void) {
        type.withUnsafeBufferPointer { type in
            id.withUnsafeBufferPointer { id in body(SSEEvent(data: data, type: type, id: id)) }
        }
    }

    /// Empties a buffer for reuse.
    ///
    /// A capacity up to 16 KiB, the usual size of a read, is kept; a greater one is released, so that a single great
    /// event does not burden the rest of the stream, nor every copy of the reader.
    private static func clear(_ buffer: inout [UInt8]) {
        buffer.removeAll(keepingCapacity: buffer.capacity <= 16 * 1024)
    }
}
