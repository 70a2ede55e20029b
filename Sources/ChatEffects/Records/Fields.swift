// A typed reader for the fields of stored records and of values that cross the border. A required field must be
// present, of its kind and in its range; otherwise reading throws an error that names the field. Unknown fields are
// ignored, so a later version may add some. An optional field may be absent or `null`.

import ChatDomain

/// An invalid field.
public struct FieldError: Error, PlainValue {
    /// The problem of an invalid field.
    public enum Problem: PlainValue {
        /// The field is absent.
        case missing
        /// The value has the wrong kind, or is not an object where one is needed.
        case wrongKind
        /// The number, time or byte encoding is out of range.
        case outOfRange
        /// The word is unknown.
        case unknownWord(ExactText)
        /// The field has no meaning here.
        case unexpected
    }

    /// The field's name, without the names of enclosing fields.
    public let field: ExactText
    /// The problem.
    public let problem: Problem

    /// Creates an error for a field.
    public init(_ field: ExactText, _ problem: Problem) {
        self.field = field
        self.problem = problem
    }
}

extension FieldError: CustomStringConvertible {
    /// The error as text.
    public var description: String {
        switch problem {
        case .missing: "“\(field.string)” is missing"
        case .wrongKind: "“\(field.string)” is of the wrong kind"
        case .outOfRange: "“\(field.string)” is out of range"
        case .unknownWord(let word): "“\(field.string)” cannot be “\(word.string)”"
        case .unexpected: "“\(field.string)” is not expected here"
        }
    }
}

/// The fields of one object.
public struct Fields {
    /// 2^53 - 1: every JSON reader reads integers exactly up to it, also one that has only doubles.
    static let greatestInteger: Int64 = (1 << 53) - 1
    /// The greatest wall time in milliseconds: the nanoseconds of a later one exceed 64 bits.
    static let latestMilliseconds = Int64.max / 1_000_000

    private let object: JSONObject

    /// The fields of a value that must be an object; an error uses the name.
    public init(_ value: JSONValue, in name: ExactText) throws(FieldError) {
        guard let object = value.object else { throw FieldError(name, .wrongKind) }
        self.object = object
    }

    /// The field; `nil` when it is absent or null.
    public func optional(_ name: ExactText) -> JSONValue? {
        guard let value = object[name], !value.isNull else { return nil }
        return value
    }

    /// The field; throws when it is absent.
    public func value(_ name: ExactText) throws(FieldError) -> JSONValue {
        guard let value = object[name] else { throw FieldError(name, .missing) }
        return value
    }

    // MARK: Required fields

    /// A text.
    public func text(_ name: ExactText) throws(FieldError) -> ExactText {
        try Fields.text(value(name), name)
    }

    /// A truth value.
    public func bool(_ name: ExactText) throws(FieldError) -> Bool {
        guard let bool = try value(name).bool else { throw FieldError(name, .wrongKind) }
        return bool
    }

    /// A whole number in a range.
    public func integer(_ name: ExactText, in range: ClosedRange<Int64> = .min ... .max) throws(FieldError)
        -> Int64
    {
        try Fields.integer(value(name), name, in: range)
    }

    /// A time in whole milliseconds since 1970.
    public func time(_ name: ExactText) throws(FieldError) -> WallTime {
        try Fields.time(value(name), name)
    }

    /// A list.
    public func array(_ name: ExactText) throws(FieldError) -> [JSONValue] {
        guard let array = try value(name).array else { throw FieldError(name, .wrongKind) }
        return array
    }

    /// The elements of a list of objects, in order. Throws when `read` does. O(n).
    public func objects<Element>(
        _ name: ExactText, _ read: (Fields) throws(FieldError) -> Element
    ) throws(FieldError) -> [Element] {
        var elements: [Element] = []
        for value in try array(name) { elements.append(try read(Fields(value, in: name))) }
        return elements
    }

    /// The fields of an object.
    public func fields(_ name: ExactText) throws(FieldError) -> Fields {
        try Fields(value(name), in: name)
    }

    /// An identifier.
    public func identifier<Kind>(_ name: ExactText) throws(FieldError) -> Identifier<Kind> {
        Identifier(try text(name))
    }

    // MARK: Optional fields

    /// A text; `nil` when it is absent or null.
    public func optionalText(_ name: ExactText) throws(FieldError) -> ExactText? {
        guard let value = optional(name) else { return nil }
        return try Fields.text(value, name)
    }

    /// A truth value; `nil` when it is absent or null.
    public func optionalBool(_ name: ExactText) throws(FieldError) -> Bool? {
        guard let value = optional(name) else { return nil }
        guard let bool = value.bool else { throw FieldError(name, .wrongKind) }
        return bool
    }

    /// An identifier; `nil` when it is absent or null.
    public func optionalIdentifier<Kind>(_ name: ExactText) throws(FieldError) -> Identifier<Kind>? {
        guard let text = try optionalText(name) else { return nil }
        return Identifier(text)
    }

    /// Identifiers in their order; none when the field is absent.
    public func optionalIdentifiers<Kind>(_ name: ExactText) throws(FieldError) -> [Identifier<Kind>] {
        try optionalTexts(name).map { Identifier($0) }
    }

    /// Texts in their order; none when the field is absent.
    public func optionalTexts(_ name: ExactText) throws(FieldError) -> [ExactText] {
        guard optional(name) != nil else { return [] }
        var texts: [ExactText] = []
        for value in try array(name) { texts.append(try Fields.text(value, name)) }
        return texts
    }

    /// A time; `nil` when it is absent or null.
    public func optionalTime(_ name: ExactText) throws(FieldError) -> WallTime? {
        guard let value = optional(name) else { return nil }
        return try Fields.time(value, name)
    }

    // MARK: Single values

    /// A value that must be a text; an error uses the name.
    public static func text(_ value: JSONValue, _ name: ExactText) throws(FieldError) -> ExactText {
        guard let text = value.string else { throw FieldError(name, .wrongKind) }
        return text
    }

    /// A value that must be a whole number in a range; an error uses the name.
    public static func integer(
        _ value: JSONValue, _ name: ExactText, in range: ClosedRange<Int64>
    ) throws(FieldError) -> Int64 {
        guard let number = value.number else { throw FieldError(name, .wrongKind) }
        guard let integer = number.integer, range.contains(integer) else {
            throw FieldError(name, .outOfRange)
        }
        return integer
    }

    /// A time in whole milliseconds since 1970, the form of records and of the border.
    public static func time(_ value: JSONValue, _ name: ExactText) throws(FieldError) -> WallTime {
        WallTime(
            millisecondsSince1970: try integer(
                value, name, in: -latestMilliseconds...latestMilliseconds))
    }
}
