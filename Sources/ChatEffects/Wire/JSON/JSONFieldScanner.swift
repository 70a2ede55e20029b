// The fast path: a few fields of a text, without a tree. The whole text is validated as strictly as by `JSONReader`,
// but only requested strings are created; nothing else allocates.
//
//     let scanner = JSONFieldScanner(["type", "content"])        // once
//     let token = try scanner.scan(bytes) { fields in            // for each event
//         fields.has("token", at: 0) ? fields.string(1) : nil
//     }

import ChatDomain

/// Finds fields in JSON texts.
///
/// The result equals that of a tree of the same text: of duplicates, the last value counts. A valid text of another
/// shape than the paths has no fields.
struct JSONFieldScanner: Sendable {
    /// The limits, and the handling of malformed text.
    let policy: JSONPolicy
    private let tree: JSONPathTree
    private let fieldCount: Int

    /// Creates a scanner for these fields. The index of a field is its position in the list.
    ///
    /// A scanner has 64 fields at most, one bit each; further fields are never found.
    init(_ paths: [JSONPath], _ policy: JSONPolicy = JSONPolicy()) {
        tree = JSONPathTree(paths.prefix(64))
        fieldCount = min(paths.count, 64)
        self.policy = policy
    }

    /// Validates a text and passes its fields to a closure, which may use them only until it returns. O(n).
    func scan<Result>(
        _ bytes: [UInt8],
        _ body: (borrowing JSONFields) throws(JSONError) -> Result
    ) throws(JSONError) -> Result {
        try bytes.withUnsafeBufferPointer { (bytes) throws(JSONError) in try scan(bytes, body) }
    }

    /// Validates a text and passes its fields to a closure, which may use them only until it returns. O(n).
    func scan<Result>(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ body: (borrowing JSONFields) throws(JSONError) -> Result
    ) throws(JSONError) -> Result {
        try withUnsafeTemporaryAllocation(of: JSONField.self, capacity: fieldCount) {
            (fields) throws(JSONError) -> Result in
            let found = try find(bytes, fields)
            return try body(JSONFields(bytes, UnsafeBufferPointer(fields), found: found, policy))
        }
    }

    /// Validates a text and records its fields; bit n of the result: field n was found, and only then is it
    /// initialised. Not generic, so that clients specialise only the code around it.
    private func find(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ fields: UnsafeMutableBufferPointer<JSONField>
    ) throws(JSONError) -> UInt64 {
        try tree.nodes.withUnsafeBufferPointer { (nodes) throws(JSONError) in
            // The outermost value, and one more for each step.
            try withUnsafeTemporaryAllocation(of: JSONLevel.self, capacity: tree.depth + 1) {
                (levels) throws(JSONError) in
                var search = JSONFieldSearch(bytes: bytes, nodes: nodes, fields: fields, levels: levels)
                try JSONGrammar.walk(bytes, policy, &search)
                return search.found
            }
        }
    }
}

/// The state of the search before it entered a container, and the start of that container.
private struct JSONLevel {
    var node: Int
    var element: Int
    var start: Int
}

/// Records the ranges of the wanted values.
private struct JSONFieldSearch: JSONVisitor {
    let bytes: UnsafeBufferPointer<UInt8>
    let nodes: UnsafeBufferPointer<JSONPathNode>
    let fields: UnsafeMutableBufferPointer<JSONField>
    let levels: UnsafeMutableBufferPointer<JSONLevel>

    /// Bit n: field n was found.
    var found: UInt64 = 0
    /// The node of the innermost container on a path.
    var node = -1
    /// The index of its next element; -1 in an object.
    var element = -1
    /// The node of the next value in an object, or of the outermost value; -1 when it is on no path.
    var next = 0
    /// The number of open containers on a path.
    var depth = 0
    /// The number of open containers in a value that is on no path.
    var foreign = 0

    @inline(__always)
    mutating func name(_ token: JSONStringToken) {
        guard foreign == 0 else { return }
        let children = nodes[node].children
        next =
            token.isPlain
            ? Self.child(token, children, bytes, nodes)
            : Self.childWhenResolved(token, children, bytes, nodes)
        if next >= 0 { found &= ~nodes[next].below }  // a duplicate replaces all results under this name
    }

    /// The child with this name; -1 if there is none. Static, because a method copies the whole search.
    @inline(__always)
    private static func child(
        _ token: JSONStringToken, _ children: Range<Int>, _ bytes: UnsafeBufferPointer<UInt8>,
        _ nodes: UnsafeBufferPointer<JSONPathNode>
    ) -> Int {
        let key = JSONNameKey(bytes, token.start..<token.end)
        for child in children where nodes[child].key == key {
            if key.isWhole || nodes[child].name.elementsEqual(bytes[token.start..<token.end]) { return child }
        }
        return -1
    }

    @inline(never)
    private static func childWhenResolved(
        _ token: JSONStringToken, _ children: Range<Int>, _ bytes: UnsafeBufferPointer<UInt8>,
        _ nodes: UnsafeBufferPointer<JSONPathNode>
    ) -> Int {
        let name = token.text(in: bytes).utf8
        return children.first { nodes[$0].element < 0 && nodes[$0].name == name } ?? -1
    }

    /// The node of the value that begins here; -1 when it is on no path.
    @inline(__always)
    private mutating func target() -> Int {
        if foreign > 0 { return -1 }
        if element >= 0 {
            let wanted = element
            element += 1
            for child in nodes[node].children where nodes[child].element == wanted { return child }
            return -1
        }
        return next
    }

    @inline(__always)
    private mutating func record(
        _ node: Int, _ kind: JSONField.Kind, _ start: Int, _ end: Int, isPlain: Bool = true
    ) {
        guard node >= 0 else { return }
        var rest = nodes[node].fields
        found |= rest
        while rest != 0 {
            fields.initializeElement(
                at: rest.trailingZeroBitCount,
                to: JSONField(kind: kind, start: start, end: end, isPlain: isPlain))
            rest &= rest &- 1
        }
    }

    @inline(__always)
    mutating func string(_ token: JSONStringToken) {
        record(target(), .string, token.start, token.end, isPlain: token.isPlain)
    }

    @inline(__always)
    mutating func number(_ range: Range<Int>) {
        record(target(), .number, range.lowerBound, range.upperBound)
    }

    @inline(__always)
    mutating func bool(_ value: Bool, _ range: Range<Int>) {
        record(target(), value ? .true : .false, range.lowerBound, range.upperBound)
    }

    @inline(__always)
    mutating func null(_ range: Range<Int>) { record(target(), .null, range.lowerBound, range.upperBound) }

    @inline(__always)
    mutating func begin(_ container: JSONContainer, at start: Int) {
        let target = target()
        guard target >= 0 else {
            foreign += 1
            return
        }
        levels.initializeElement(at: depth, to: JSONLevel(node: node, element: element, start: start))
        depth += 1
        node = target
        element = container == .array ? 0 : -1
        next = -1
    }

    @inline(__always)
    mutating func end(_ container: JSONContainer, at end: Int) {
        guard foreign == 0 else {
            foreign -= 1
            return
        }
        depth -= 1
        record(node, container == .array ? .array : .object, levels[depth].start, end)
        (node, element) = (levels[depth].node, levels[depth].element)
    }
}
