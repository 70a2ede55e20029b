// The fast path: a few fields of an object, without a tree. The whole text is validated as strictly as by
// `JSONReader`, but only requested strings are created; nothing else allocates.
//
//     let scanner = JSONFieldScanner(["type", "content"])        // once
//     let token = try scanner.scan(bytes) { fields in            // for each event
//         fields.has("token", at: 0) ? fields.string(1) : nil
//     }

import ChatDomain

/// The path of a field: a member of the outermost object, or a member of an object that is such a member.
struct JSONPath: DomainValue, ExpressibleByStringLiteral {
    /// The member's name in the outermost object.
    let name: ExactText
    /// The name in the object of that member; nil for the member itself.
    let nested: ExactText?

    /// Creates a path to a member, or to a member of a member.
    init(_ name: ExactText, _ nested: ExactText? = nil) {
        self.name = name
        self.nested = nested
    }

    /// Creates a path to a member of the outermost object; no character is a separator.
    init(stringLiteral value: String) {
        self.init(ExactText(value))
    }
}

/// Finds fields in JSON texts.
///
/// The result equals that of a tree of the same text: of duplicates, the last value counts. A valid text that is no
/// object has no fields.
struct JSONFieldScanner: Sendable {
    /// The limits, and the handling of malformed text.
    let policy: JSONPolicy
    private let names: [JSONFieldName]
    private let letters: [UInt8]
    private let fieldCount: Int

    /// Creates a scanner for these fields. The index of a field is its position in the list.
    ///
    /// A scanner has 64 fields at most, one bit each; further fields are never found.
    init(_ paths: [JSONPath], _ policy: JSONPolicy = JSONPolicy()) {
        var letters: [UInt8] = []
        func append(_ text: ExactText) -> Range<Int> {
            let start = letters.count
            letters.append(contentsOf: text.utf8)
            return start..<letters.count
        }
        names = paths.prefix(64).map { path in
            JSONFieldName(name: append(path.name), nested: path.nested.map { append($0) })
        }
        self.letters = letters
        fieldCount = names.count
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
            fields.initialize(repeating: JSONField())
            try find(bytes, fields)
            return try body(JSONFields(bytes, UnsafeBufferPointer(fields), policy))
        }
    }

    /// Validates a text and records its fields. Not generic, so that clients specialise only the code around it.
    private func find(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ fields: UnsafeMutableBufferPointer<JSONField>
    ) throws(JSONError) {
        try names.withUnsafeBufferPointer { (names) throws(JSONError) in
            try letters.withUnsafeBufferPointer { (letters) throws(JSONError) in
                var search = JSONFieldSearch(bytes: bytes, names: names, letters: letters, fields: fields)
                try JSONGrammar.walk(bytes, policy, &search)
            }
        }
    }
}

/// The names of a path, as ranges of the shared `letters`.
private struct JSONFieldName: Sendable {
    var name: Range<Int>
    var nested: Range<Int>?
}

/// Records the ranges of the wanted values.
private struct JSONFieldSearch: JSONVisitor {
    let bytes: UnsafeBufferPointer<UInt8>
    let names: UnsafeBufferPointer<JSONFieldName>
    let letters: UnsafeBufferPointer<UInt8>
    let fields: UnsafeMutableBufferPointer<JSONField>

    /// The number of open containers; fields are members of the first, and of the second when both are objects.
    var depth = 0
    /// Bit n: the next value in the outermost object is field n.
    var wanted: UInt64 = 0
    /// Bit n: field n is a member of the next or the open value in the outermost object.
    var wantedInside: UInt64 = 0
    /// Bit n: the next value in the second object is field n.
    var wantedNested: UInt64 = 0
    var containerStart = 0
    var nestedStart = 0

    @inline(__always)
    mutating func name(_ token: JSONStringToken) {
        if depth == 1 {
            outerName(token)
        } else if depth == 2, wantedInside != 0 {
            nestedName(token)
        }
    }

    @inline(__always)
    private mutating func outerName(_ token: JSONStringToken) {
        wanted = 0
        wantedInside = 0
        for index in names.indices where isEqual(token, names[index].name) {
            fields[index] = JSONField()  // a duplicate replaces all results under this name
            if names[index].nested == nil {
                wanted |= 1 << UInt64(index)
            } else {
                wantedInside |= 1 << UInt64(index)
            }
        }
    }

    private mutating func nestedName(_ token: JSONStringToken) {
        wantedNested = 0
        for index in names.indices where wantedInside >> UInt64(index) & 1 == 1 {
            if let nested = names[index].nested, isEqual(token, nested) {
                wantedNested |= 1 << UInt64(index)
            }
        }
    }

    @inline(__always)
    private func isEqual(_ token: JSONStringToken, _ name: Range<Int>) -> Bool {
        guard token.isPlain else { return isEqualWhenResolved(token, name) }
        guard token.end - token.start == name.count else { return false }
        for offset in 0..<name.count where bytes[token.start + offset] != letters[name.lowerBound + offset] {
            return false
        }
        return true
    }

    @inline(never)
    private func isEqualWhenResolved(_ token: JSONStringToken, _ name: Range<Int>) -> Bool {
        token.text(in: bytes).utf8.elementsEqual(letters[name])
    }

    @inline(__always)
    private mutating func found(_ kind: JSONField.Kind, _ start: Int, _ end: Int, isPlain: Bool = true) {
        var rest: UInt64
        if depth == 1 {
            rest = wanted
        } else if depth == 2 {
            rest = wantedNested
        } else {
            return
        }
        while rest != 0 {
            fields[rest.trailingZeroBitCount] = JSONField(
                kind: kind, start: start, end: end, isPlain: isPlain)
            rest &= rest &- 1
        }
    }

    @inline(__always)
    mutating func string(_ token: JSONStringToken) {
        found(.string, token.start, token.end, isPlain: token.isPlain)
    }

    @inline(__always)
    mutating func number(_ range: Range<Int>) { found(.number, range.lowerBound, range.upperBound) }

    @inline(__always)
    mutating func bool(_ value: Bool, _ range: Range<Int>) {
        found(value ? .true : .false, range.lowerBound, range.upperBound)
    }

    @inline(__always)
    mutating func null(_ range: Range<Int>) { found(.null, range.lowerBound, range.upperBound) }

    mutating func begin(_ container: JSONContainer, at start: Int) {
        if depth == 1 {
            containerStart = start
            wantedNested = 0
            if container == .array { wantedInside = 0 }
        } else if depth == 2 {
            nestedStart = start
        }
        depth += 1
    }

    mutating func end(_ container: JSONContainer, at end: Int) {
        depth -= 1
        let kind: JSONField.Kind = container == .array ? .array : .object
        found(kind, depth == 1 ? containerStart : nestedStart, end)
    }
}
