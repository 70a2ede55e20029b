// The position of a reader in its stream, and the meaning of a line. A line within one piece is parsed in place; of a
// line across pieces, only the needed part is kept.

import ChatDomain

/// The known fields; a line with another name is ignored.
enum SSEField: DomainValue {
    case data, event, id, retry

    /// The length of the longest name, `event` or `retry`: a longer one is unknown before it ends.
    static let longestName = 5

    /// The field of that name; nil if it is unknown. Names are compared byte by byte, with case.
    @inline(__always)
    init?(_ name: UnsafeBufferPointer<UInt8>) {
        let field: SSEField
        let sought: StaticString
        switch name.first {
        case UInt8(ascii: "d"): (field, sought) = (.data, "data")
        case UInt8(ascii: "e"): (field, sought) = (.event, "event")
        case UInt8(ascii: "i"): (field, sought) = (.id, "id")
        case UInt8(ascii: "r"): (field, sought) = (.retry, "retry")
        default: return nil
        }
        guard name.count == sought.utf8CodeUnitCount else { return nil }
        for index in 0..<name.count where name[index] != sought.utf8Start[index] { return nil }
        self = field
    }
}

/// The start of a name of up to five letters, without an allocation.
struct SSEName: DomainValue {
    /// The letters in the lowest bytes, above them a 1 that distinguishes a leading NUL from nothing.
    private var letters: UInt64 = 1

    /// Whether the name has the length of the longest name.
    var isComplete: Bool { letters >> UInt64(8 * SSEField.longestName) != 0 }

    /// Whether the name is `error`, which is no field of the standard.
    var isError: Bool { letters == 0x01_65_72_72_6F_72 }

    /// The field of that name; nil if it is unknown.
    var field: SSEField? {
        switch letters {
        case 0x01_64_61_74_61: .data
        case 0x01_65_76_65_6E_74: .event
        case 0x01_69_64: .id
        case 0x01_72_65_74_72_79: .retry
        default: nil
        }
    }

    mutating func append(_ byte: UInt8) { letters = letters &<< 8 | UInt64(byte) }
}

/// The state of the line in which a piece ended.
enum SSELine: DomainValue {
    /// The start of the stream, perhaps with a part of its byte-order mark.
    case byteOrderMark(SSEByteOrderMark)
    /// The start of a line.
    case start
    /// The start of a line after CR: an LF that comes next belongs to the line before.
    case afterReturn
    /// In the name.
    case name(SSEName)
    /// After the colon of a known field: a space that comes next is dropped.
    case beforeValue(SSEField)
    /// In the value, whose part so far is in `held` or, for data, in `data`.
    case value(SSEField)
    /// In a comment.
    case comment
    /// In a line with an unknown name.
    case ignored
    /// Terminal: a limit was exceeded.
    case failed(SSEError)
}

/// The progress of a byte-order mark at the start of a stream.
enum SSEByteOrderMark: DomainValue {
    case none, firstByte, secondByte

    /// The bytes of the mark so far.
    var bytes: [UInt8] {
        switch self {
        case .none: []
        case .firstByte: [0xEF]
        case .secondByte: [0xEF, 0xBB]
        }
    }

    /// The next byte of the mark.
    var next: UInt8 {
        switch self {
        case .none: 0xEF
        case .firstByte: 0xBB
        case .secondByte: 0xBF
        }
    }

    /// The progress after that byte; nil when the mark is complete.
    var following: SSEByteOrderMark? {
        switch self {
        case .none: .firstByte
        case .firstByte: .secondByte
        case .secondByte: nil
        }
    }
}

/// Parsers for the values of lines, and the search for line ends.
enum SSEBytes {
    /// The identifier of an `id` line; nil when it contains NUL, which the standard ignores.
    static func identifier(_ value: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        value.contains(0) ? nil : [UInt8](value)
    }

    /// The interval of a `retry` line, in milliseconds of digits only, saturated; nil when it is malformed.
    static func retry(_ value: UnsafeBufferPointer<UInt8>) -> Interval? {
        guard !value.isEmpty else { return nil }
        var milliseconds: Int64 = 0
        for byte in value {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            milliseconds = saturatingSum(
                saturatingProduct(milliseconds, 10), Int64(byte - UInt8(ascii: "0")))
        }
        return .milliseconds(milliseconds)
    }

    /// The position of the first CR or LF from `start` on; nil if there is none. O(n), eight bytes at a time.
    @inline(__always)
    static func lineEnd(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        guard let base = bytes.baseAddress else { return nil }
        let raw = UnsafeRawPointer(base)
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highBits: UInt64 = 0x8080_8080_8080_8080
        var index = start
        while bytes.count - index >= 8 {
            let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            // A byte of `lf` or `cr` is zero where `word` has that line end. Subtracting one from each byte sets the
            // high bit of the first zero byte; only later bytes may be marked in error.
            let lf = word ^ (ones &* 0x0A)
            let cr = word ^ (ones &* 0x0D)
            let found = ((lf &- ones) & ~lf | (cr &- ones) & ~cr) & highBits
            if found != 0 { return index + found.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < bytes.count {
            if isLineEnd(bytes[index]) { return index }
            index += 1
        }
        return nil
    }

    @inline(__always)
    static func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }
}
