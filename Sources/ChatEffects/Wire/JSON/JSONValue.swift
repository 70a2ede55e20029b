// A JSON text as a value, for all code outside the fast path. Start at `JSONReader.value(of:)`. The accessors return
// nil for an absent value or one of another kind.

import ChatDomain

/// Any JSON value.
///
/// Two values are equal when their canonical encodings are equal.
public enum JSONValue: PlainValue {
    /// The literal `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number.
    case number(JSONNumber)
    /// A string.
    case string(ExactText)
    /// An array.
    case array([JSONValue])
    /// An object.
    case object(JSONObject)
}

extension JSONValue {
    /// Whether this is `null`.
    public var isNull: Bool {
        guard case .null = self else { return false }
        return true
    }

    /// The Boolean; nil for any other kind.
    public var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    /// The number; nil for any other kind.
    public var number: JSONNumber? {
        guard case .number(let value) = self else { return nil }
        return value
    }

    /// The number as an integer, also from `1.0` and `1e2`; nil when it is not an integer or does not fit.
    public var integer: Int64? { number?.integer }

    /// The text of a string; nil for any other kind.
    public var string: ExactText? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    /// The elements of an array; nil for any other kind.
    public var array: [JSONValue]? {
        guard case .array(let value) = self else { return nil }
        return value
    }

    /// The members of an object; nil for any other kind.
    public var object: JSONObject? {
        guard case .object(let value) = self else { return nil }
        return value
    }

    /// The value of a member; nil when there is no such member. O(number of members).
    public subscript(name: ExactText) -> JSONValue? { object?[name] }
}
