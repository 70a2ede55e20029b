// The grammar of RFC 8259, once, for every reader of this folder. The walk is not recursive, so a hundred thousand open
// brackets need no stack. It reports each token to a visitor.

import ChatDomain

/// A receiver for the tokens of a text, in order.
///
/// After an error, the visitor has received the valid start of the text.
protocol JSONVisitor {
    mutating func name(_ token: JSONStringToken)
    mutating func string(_ token: JSONStringToken)
    mutating func number(_ range: Range<Int>)
    mutating func bool(_ value: Bool, _ range: Range<Int>)
    mutating func null(_ range: Range<Int>)
    mutating func begin(_ container: JSONContainer, at start: Int)
    mutating func end(_ container: JSONContainer, at end: Int)
}

enum JSONContainer {
    case array
    case object
}

/// The kinds of the open containers: one bit each, 1 for an object, the innermost lowest.
private struct JSONNesting {
    private var inner: UInt64 = 0
    private var outer: [UInt64] = []  // allocates beyond 64 levels only
    private(set) var depth: Int64 = 0

    /// Whether the innermost open container is an object.
    @inline(__always)
    var isObject: Bool { inner & 1 == 1 }

    @inline(__always)
    mutating func push(_ container: JSONContainer) {
        if depth > 0, depth & 63 == 0 {
            outer.append(inner)
            inner = 0
        }
        inner = inner << 1 | (container == .object ? 1 : 0)
        depth += 1
    }

    @inline(__always)
    mutating func pop() {
        inner >>= 1
        depth -= 1
        if depth > 0, depth & 63 == 0 { inner = outer.popLast() ?? 0 }
    }
}

enum JSONGrammar {
    /// Walks over the bytes, which are one JSON text.
    ///
    /// O(n) time; one bit of memory for each level.
    @inline(__always)
    static func walk<Visitor: JSONVisitor>(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ policy: JSONPolicy,
        _ visitor: inout Visitor
    ) throws(JSONError) {
        guard Int64(bytes.count) <= policy.size else { throw JSONError(.tooLong, at: policy.size) }
        if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF {
            throw JSONError(.byteOrderMark, at: 0)
        }
        var cursor = JSONCursor(bytes, malformedText: policy.malformedText)
        var nesting = JSONNesting()
        cursor.skipWhiteSpace()
        while true {
            if nesting.isObject { try name(&cursor, &visitor) }
            let isOpen = try value(&cursor, &nesting, policy.depth, &visitor)
            if isOpen { continue }
            if try !next(&cursor, &nesting, &visitor) { return }
        }
    }

    /// Consumes a scalar or an empty container and returns false, or consumes the start of any other container and
    /// returns true; then the cursor is on its first element or name.
    @inline(__always)
    private static func value<Visitor: JSONVisitor>(
        _ cursor: inout JSONCursor,
        _ nesting: inout JSONNesting,
        _ depthLimit: Int64,
        _ visitor: inout Visitor
    ) throws(JSONError) -> Bool {
        let start = cursor.position
        guard let byte = cursor.byte else { throw JSONError(.unexpectedEnd, at: start) }
        switch byte {
        case UInt8(ascii: "\""):
            visitor.string(try cursor.string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            visitor.number(try cursor.number())
        case UInt8(ascii: "t"):
            try cursor.word("true")
            visitor.bool(true, start..<cursor.position)
        case UInt8(ascii: "f"):
            try cursor.word("false")
            visitor.bool(false, start..<cursor.position)
        case UInt8(ascii: "n"):
            try cursor.word("null")
            visitor.null(start..<cursor.position)
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard nesting.depth < depthLimit else { throw JSONError(.tooDeep, at: start) }
            let container: JSONContainer = byte == UInt8(ascii: "{") ? .object : .array
            nesting.push(container)
            visitor.begin(container, at: start)
            cursor.position += 1
            cursor.skipWhiteSpace()
            if cursor.byte == byte + 2 {  // in ASCII a closing bracket is two above the opening one
                cursor.position += 1
                nesting.pop()
                visitor.end(container, at: cursor.position)
                return false
            }
            return true
        default:
            throw JSONError(.expectedValue, at: start)
        }
        return false
    }

    /// Consumes the bytes between a value and the next element or name. Returns false at the end of the text.
    @inline(__always)
    private static func next<Visitor: JSONVisitor>(
        _ cursor: inout JSONCursor,
        _ nesting: inout JSONNesting,
        _ visitor: inout Visitor
    ) throws(JSONError) -> Bool {
        while true {
            cursor.skipWhiteSpace()
            guard nesting.depth > 0 else {
                guard cursor.byte == nil else { throw JSONError(.trailingBytes, at: cursor.position) }
                return false
            }
            let container: JSONContainer = nesting.isObject ? .object : .array
            let closing = container == .object ? UInt8(ascii: "}") : UInt8(ascii: "]")
            if cursor.byte == UInt8(ascii: ",") {
                cursor.position += 1
                cursor.skipWhiteSpace()
                return true
            }
            guard cursor.byte == closing else { throw cursor.unexpected(.expectedCommaOrEnd) }
            cursor.position += 1
            nesting.pop()
            visitor.end(container, at: cursor.position)
        }
    }

    /// Consumes the name of a member and its colon.
    @inline(__always)
    private static func name<Visitor: JSONVisitor>(
        _ cursor: inout JSONCursor,
        _ visitor: inout Visitor
    ) throws(JSONError) {
        guard cursor.byte == UInt8(ascii: "\"") else { throw cursor.unexpected(.expectedName) }
        visitor.name(try cursor.string())
        cursor.skipWhiteSpace()
        guard cursor.byte == UInt8(ascii: ":") else { throw cursor.unexpected(.expectedColon) }
        cursor.position += 1
        cursor.skipWhiteSpace()
    }
}
