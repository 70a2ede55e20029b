// The results of a scanner, still in the original bytes: each accessor converts its field, and returns nil for an
// absent field or one of another kind.

import ChatDomain

/// The kind and range of a field.
struct JSONField {
    enum Kind {
        case absent, null, `true`, `false`, number, string, array, object
    }

    var kind = Kind.absent
    /// The range of the value; for a string, without its quotes.
    var start = 0
    var end = 0
    var isPlain = true

    init() {}

    init(kind: Kind, start: Int, end: Int, isPlain: Bool) {
        self.kind = kind
        self.start = start
        self.end = end
        self.isPlain = isPlain
    }
}

/// The fields of one text, indexed by the scanner's list.
///
/// The value cannot escape, since the bytes have another owner.
struct JSONFields: ~Copyable {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let fields: UnsafeBufferPointer<JSONField>
    /// Bit n: field n was found; the memory of another is not initialised.
    private let found: UInt64
    private let policy: JSONPolicy

    init(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ fields: UnsafeBufferPointer<JSONField>,
        found: UInt64,
        _ policy: JSONPolicy
    ) {
        self.bytes = bytes
        self.fields = fields
        self.found = found
        self.policy = policy
    }

    private func field(_ index: Int) -> JSONField {
        isFound(index) ? fields[index] : JSONField()
    }

    /// Whether a field was found; an index of no field, such as -1, has none.
    @inline(__always)
    private func isFound(_ index: Int) -> Bool { found >> UInt64(truncatingIfNeeded: index) & 1 == 1 }

    /// Whether the field has a value other than `null`.
    func isGiven(_ index: Int) -> Bool {
        switch field(index).kind {
        case .absent, .null: false
        default: true
        }
    }

    /// Whether the field is present, perhaps as `null`.
    func isPresent(_ index: Int) -> Bool { field(index).kind != .absent }

    /// The field as a Boolean; nil for any other kind.
    func bool(_ index: Int) -> Bool? {
        guard isFound(index) else { return nil }
        return switch fields[index].kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    /// The field as a number; nil for any other kind.
    func number(_ index: Int) -> JSONNumber? {
        let field = field(index)
        guard field.kind == .number else { return nil }
        return JSONNumber(literal: UnsafeBufferPointer(rebasing: bytes[field.start..<field.end]))
    }

    /// The field as a signed integer; nil when it is not an integer or does not fit.
    func integer(_ index: Int) -> Int64? { number(index)?.integer }

    /// The field as a string; nil for any other kind.
    func string(_ index: Int) -> ExactText? {
        let field = field(index)
        guard field.kind == .string else { return nil }
        return token(field).text(in: bytes)
    }

    /// Whether the field equals this string; does not allocate for a plain string.
    func has(_ text: StaticString, at index: Int) -> Bool {
        let field = field(index)
        guard field.kind == .string else { return false }
        let expected = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        guard field.isPlain else { return token(field).text(in: bytes).utf8.elementsEqual(expected) }
        guard field.end - field.start == expected.count else { return false }
        for offset in 0..<expected.count where bytes[field.start + offset] != expected[offset] {
            return false
        }
        return true
    }

    /// Whether the field is a string that begins so. One with escapes is compared as written: no wire name has any.
    func hasPrefix(_ text: StaticString, at index: Int) -> Bool {
        let field = field(index)
        guard field.kind == .string, field.end - field.start >= text.utf8CodeUnitCount else { return false }
        for offset in 0..<text.utf8CodeUnitCount where bytes[field.start + offset] != text.utf8Start[offset] {
            return false
        }
        return true
    }

    /// The field as a value of any kind; nil when it is absent.
    func value(_ index: Int) -> JSONValue? {
        let field = field(index)
        switch field.kind {
        case .absent: return nil
        case .null: return .null
        case .true: return .bool(true)
        case .false: return .bool(false)
        case .string: return string(index).map { .string($0) }
        case .number: return number(index).map { .number($0) }
        case .array, .object:
            let range = UnsafeBufferPointer(rebasing: bytes[field.start..<field.end])
            return try? JSONReader(policy).value(of: range)  // already validated: cannot fail
        }
    }

    private func token(_ field: JSONField) -> JSONStringToken {
        JSONStringToken(start: field.start, end: field.end, isPlain: field.isPlain)
    }
}
