// The error of a JSON reader: the offset of the first unacceptable byte, and a reason that helps a person to correct
// it. Every reader of this folder reports the same error for the same bytes.

import ChatDomain

/// An error in a JSON text.
public struct JSONError: Error, PlainValue {
    /// The kind of error.
    public enum Reason: PlainValue {
        /// The text ends too early.
        case unexpectedEnd
        /// The text starts with a byte order mark, which RFC 8259 forbids in a sender.
        case byteOrderMark
        /// A value is missing.
        case expectedValue
        /// The name of a member is missing.
        case expectedName
        /// The colon after a name is missing.
        case expectedColon
        /// A comma, or the end of the array or object, is missing.
        case expectedCommaOrEnd
        /// A word other than `true`, `false` and `null`.
        case invalidLiteral
        /// A number outside the grammar, such as `01`, `1.` or `-x`.
        case invalidNumber
        /// An unescaped control character in a string.
        case controlCharacter
        /// An escape outside the grammar, such as `\x` or `\u12`.
        case invalidEscape
        /// An escaped surrogate without its partner.
        case loneSurrogate
        /// Bytes in a string that are not UTF-8.
        case invalidUTF8
        /// Other bytes than white space after the value.
        case trailingBytes
        /// An array or object nested deeper than the limit.
        case tooDeep
        /// A text longer than the limit.
        case tooLong
    }

    /// The byte offset of the first unacceptable byte; the length when the text ends too early.
    public let offset: Int64

    /// The kind of error.
    public let reason: Reason

    /// Creates an error with a reason and an offset.
    init(_ reason: Reason, at offset: Int64) {
        self.offset = offset
        self.reason = reason
    }

    init(_ reason: Reason, at offset: Int) {
        self.init(reason, at: Int64(offset))
    }
}

extension JSONError.Reason: CustomStringConvertible {
    /// The reason as text, for display.
    public var description: String {
        switch self {
        case .unexpectedEnd: "the text ends too early"
        case .byteOrderMark: "a byte order mark is not allowed"
        case .expectedValue: "a value is expected"
        case .expectedName: "the name of a member in double quotes is expected"
        case .expectedColon: "a colon is expected after the name"
        case .expectedCommaOrEnd: "a comma or the end of the array or object is expected"
        case .invalidLiteral: "the only words are true, false and null"
        case .invalidNumber: "this is not a number in JSON"
        case .controlCharacter: "a control character in a string must be escaped"
        case .invalidEscape: "this escape does not exist in JSON"
        case .loneSurrogate: "half of a surrogate pair stands alone"
        case .invalidUTF8: "the string is not UTF-8"
        case .trailingBytes: "nothing may follow the value"
        case .tooDeep: "arrays and objects are nested too deeply"
        case .tooLong: "the text is too long"
        }
    }
}

extension JSONError: CustomStringConvertible {
    /// The offset and the reason as text.
    public var description: String { "byte \(offset): \(reason.description)" }
}
