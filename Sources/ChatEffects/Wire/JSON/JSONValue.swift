// A JSON text as a value: for everything that is not the hot path. Start at `JSONReader.value(of:)`; take apart
// with the accessors, which answer nil for whatever is not there or is of another kind.

import ChatDomain

/// Any JSON value.
///
/// Two values are equal when their canonical encodings are equal (and a number out of range equals only itself).
public enum JSONValue: PlainValue {
    /// The word `null`.
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

    /// The value, when this is `true` or `false`.
    public var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    /// The number, when this is one.
    public var number: JSONNumber? {
        guard case .number(let value) = self else { return nil }
        return value
    }

    /// The integer, when this is a number that is one and fits; `1.0` and `1e2` are integers.
    public var integer: Int64? { number?.integer }

    /// The integer, when this is a number that is one, is not negative, and fits.
    public var unsigned: UInt64? { number?.unsigned }

    /// The nearest double, when this is a number within its range.
    public var double: Double? { number?.double }

    /// The text, when this is a string.
    public var string: ExactText? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    /// The elements, when this is an array.
    public var array: [JSONValue]? {
        guard case .array(let value) = self else { return nil }
        return value
    }

    /// The members, when this is an object.
    public var object: JSONObject? {
        guard case .object(let value) = self else { return nil }
        return value
    }

    /// The value of a member, when this is an object that has it. O(number of members).
    public subscript(name: ExactText) -> JSONValue? { object?[name] }
}
