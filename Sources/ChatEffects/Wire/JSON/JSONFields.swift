// What a scanner has found, still in the bytes: each field is converted when it is asked for, and a field that
// is not there, or is of another kind, is nil.

import ChatDomain

/// Where a field is and what it is.
@usableFromInline
struct JSONField {
    @usableFromInline
    enum Kind {
        case absent, null, `true`, `false`, number, string, array, object
    }

    @usableFromInline var kind = Kind.absent
    /// The range of the value; of a string, without its quotes.
    @usableFromInline var start = 0
    @usableFromInline var end = 0
    @usableFromInline var isPlain = true

    @inlinable
    init() {}

    init(kind: Kind, start: Int, end: Int, isPlain: Bool) {
        self.kind = kind
        self.start = start
        self.end = end
        self.isPlain = isPlain
    }
}

/// The fields of one text, by the positions that they have in the scanner's list.
///
/// It cannot be kept, since the bytes belong to someone else.
public struct JSONFields: ~Copyable {
    @usableFromInline let bytes: UnsafeBufferPointer<UInt8>
    @usableFromInline let fields: UnsafeBufferPointer<JSONField>
    @usableFromInline let policy: JSONPolicy

    @inlinable
    init(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ fields: UnsafeBufferPointer<JSONField>,
        _ policy: JSONPolicy
    ) {
        self.bytes = bytes
        self.fields = fields
        self.policy = policy
    }

    private func field(_ index: Int) -> JSONField {
        fields.indices.contains(index) ? fields[index] : JSONField()
    }

    /// Whether the text has the field, perhaps as `null`.
    public func isPresent(_ index: Int) -> Bool { field(index).kind != .absent }

    /// Whether the field is there and is `null`.
    public func isNull(_ index: Int) -> Bool { field(index).kind == .null }

    /// The field, when it is `true` or `false`.
    public func bool(_ index: Int) -> Bool? {
        switch field(index).kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    /// The field, when it is a number.
    public func number(_ index: Int) -> JSONNumber? {
        let field = field(index)
        guard field.kind == .number else { return nil }
        return JSONNumber(literal: UnsafeBufferPointer(rebasing: bytes[field.start..<field.end]))
    }

    /// The field, when it is a number that is an integer and fits.
    public func integer(_ index: Int) -> Int64? { number(index)?.integer }

    /// The field, when it is a number that is an integer, is not negative, and fits.
    public func unsigned(_ index: Int) -> UInt64? { number(index)?.unsigned }

    /// The field, when it is a number within the range of a double.
    public func double(_ index: Int) -> Double? { number(index)?.double }

    /// The field, when it is a string.
    public func string(_ index: Int) -> ExactText? {
        let field = field(index)
        guard field.kind == .string else { return nil }
        return token(field).text(in: bytes)
    }

    /// Whether the field is this string; makes none to find out.
    public func has(_ text: StaticString, at index: Int) -> Bool {
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

    /// The field as a value, of whatever kind; nil when it is absent.
    public func value(_ index: Int) -> JSONValue? {
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
            return try? JSONReader(policy).value(of: range)  // it was checked with the rest: it cannot fail
        }
    }

    private func token(_ field: JSONField) -> JSONStringToken {
        JSONStringToken(start: field.start, end: field.end, isPlain: field.isPlain)
    }
}
