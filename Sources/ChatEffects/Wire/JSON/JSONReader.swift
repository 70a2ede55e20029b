// Decodes a whole JSON text into a value, or reports the offset of its error. It follows RFC 8259 exactly, within the
// limits of a policy. `JSONFieldScanner` is the fast path for a few fields of a small object.

import ChatDomain

/// Decodes JSON texts into values.
public struct JSONReader: DomainValue {
    /// The limits, and the handling of malformed text.
    let policy: JSONPolicy

    /// Creates a reader.
    public init(_ policy: JSONPolicy = JSONPolicy()) {
        self.policy = policy
    }

    /// The value of a text. Throws for the first unacceptable byte.
    ///
    /// Of duplicate names, the last value counts, at the position of the first. O(n log n) for the largest object of n
    /// members, otherwise O(n).
    public func value(of bytes: [UInt8]) throws(JSONError) -> JSONValue {
        try bytes.withUnsafeBufferPointer { (bytes) throws(JSONError) in try value(of: bytes) }
    }

    /// The value of a text. Throws for the first unacceptable byte.
    public func value(of bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) -> JSONValue {
        var tree = JSONTree(bytes)
        try JSONGrammar.walk(bytes, policy, &tree)
        return tree.root
    }
}

/// A visitor that builds the value.
private struct JSONTree: JSONVisitor {
    /// An open container; only one of the lists is in use.
    private struct Level {
        var elements: [JSONValue] = []
        var members: [JSONObject.Member] = []
        var name: ExactText?
    }

    let bytes: UnsafeBufferPointer<UInt8>
    /// The value of the walk; the outermost level has one element at the end.
    var root: JSONValue { level.elements.first ?? .null }
    private var level = Level()
    private var outer: [Level] = []

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    @inline(__always)
    private mutating func add(_ value: JSONValue) {
        if let name = level.name {
            if level.members.isEmpty { level.members.reserveCapacity(4) }  // most objects have a few members
            level.members.append(JSONObject.Member(name, value))
        } else {
            level.elements.append(value)
        }
    }

    mutating func name(_ token: JSONStringToken) { level.name = token.text(in: bytes) }
    mutating func string(_ token: JSONStringToken) { add(.string(token.text(in: bytes))) }
    mutating func bool(_ value: Bool, _ range: Range<Int>) { add(.bool(value)) }
    mutating func null(_ range: Range<Int>) { add(.null) }

    mutating func number(_ range: Range<Int>) {
        add(.number(JSONNumber(literal: UnsafeBufferPointer(rebasing: bytes[range]))))
    }

    mutating func begin(_ container: JSONContainer, at start: Int) {
        outer.append(level)
        level = Level()
    }

    mutating func end(_ container: JSONContainer, at end: Int) {
        let value: JSONValue
        switch container {
        case .array: value = .array(level.elements)
        case .object: value = .object(JSONObject(level.members))
        }
        level = outer.popLast() ?? Level()
        add(value)
    }
}
