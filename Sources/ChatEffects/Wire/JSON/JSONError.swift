// Why bytes are not acceptable JSON, and where: the first byte that cannot be accepted, and a reason that a
// person can act on. Every reader of this folder finds the same error in the same bytes.

import ChatDomain

/// A refusal of a JSON text.
public struct JSONError: Error, PlainValue {
    /// What is wrong.
    public enum Reason: PlainValue {
        /// The text ends where more must follow.
        case unexpectedEnd
        /// The text starts with a byte order mark, which RFC 8259 does not let a sender write.
        case byteOrderMark
        /// Another byte stands where a value must start.
        case expectedValue
        /// Another byte stands where the name of a member must start.
        case expectedName
        /// Another byte stands where the colon after a name must be.
        case expectedColon
        /// Another byte stands where a comma or the end of the array or object must be.
        case expectedCommaOrEnd
        /// A word other than `true`, `false` and `null`.
        case invalidLiteral
        /// A number that the grammar does not have, such as `01`, `1.` or `-x`.
        case invalidNumber
        /// A control character that is not escaped inside a string.
        case controlCharacter
        /// An escape that the grammar does not have, such as `\x` or `\u12`.
        case invalidEscape
        /// An escaped half of a surrogate pair without the other half.
        case loneSurrogate
        /// Bytes in a string that are not UTF-8.
        case invalidUTF8
        /// Something other than white space after the value.
        case trailingBytes
        /// An array or object nested deeper than the limit.
        case tooDeep
        /// More bytes than the limit.
        case tooLong
    }

    /// The offset in bytes of the first byte that cannot be accepted; the length when the text ends too early.
    public var offset: Int64

    /// What is wrong there.
    public var reason: Reason

    /// Names a reason and its place.
    public init(_ reason: Reason, at offset: Int64) {
        self.offset = offset
        self.reason = reason
    }

    init(_ reason: Reason, at offset: Int) {
        self.init(reason, at: Int64(offset))
    }
}

extension JSONError.Reason: CustomStringConvertible {
    /// The reason in words, to be shown.
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
    /// The place and the reason, in words.
    public var description: String { "byte \(offset): \(reason.description)" }
}
