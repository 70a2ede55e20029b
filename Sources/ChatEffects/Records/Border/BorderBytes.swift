// The shared encoding rules of operations and outcomes:
//
// - Bytes are text if they are UTF-8 (`{"text":"…"}`), otherwise base64 (`{"base64":"…"}`); decoding accepts
//   both for all bytes.
// - Identities of 64 bits are strings of decimal digits, because many JSON readers only have doubles.
// - Intervals are whole milliseconds.
// - A secret is the placeholder: this encoding is for recording and display (L10). It decodes as the
//   placeholder; a driver that must store a secret receives it another way.

import ChatDomain

extension JSONObjectWriter {
    /// Writes the bytes as one member: `text` if they are UTF-8, otherwise `base64`.
    mutating func bytes(_ bytes: [UInt8]) {
        if UTF8Sequence.isWellFormed(bytes) {
            member("text", ExactText(decoding: bytes))
        } else {
            member("base64", Base64.encode(bytes))
        }
    }

    mutating func identity(_ name: ExactText, _ value: UInt64) {
        member(name, ExactText("\(value)"))
    }

    mutating func path(_ name: ExactText, _ path: RecordPath) {
        object(name) { object in
            let protection: ExactText =
                switch path.protection {
                case .plain: "plain"
                case .secret: "secret"
                }
            object.array(protection) { array in
                for component in path.components { array.element(component) }
            }
        }
    }
}

extension Fields {
    /// The bytes of this object.
    func bytes() throws(FieldError) -> [UInt8] {
        if let text = try optionalText("text") { return text.utf8 }
        guard let bytes = Base64.decode(try text("base64")) else { throw FieldError("base64", .outOfRange) }
        return bytes
    }

    /// A 64-bit number in decimal digits without leading zeros.
    func identity(_ name: ExactText) throws(FieldError) -> UInt64 {
        let text = try text(name)
        var number: UInt64 = 0
        for letter in text.utf8 {
            guard letter >= UInt8(ascii: "0"), letter <= UInt8(ascii: "9") else {
                throw FieldError(name, .outOfRange)
            }
            let (product, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, isStillTooLarge) = product.addingReportingOverflow(UInt64(letter - UInt8(ascii: "0")))
            guard !isTooLarge, !isStillTooLarge else { throw FieldError(name, .outOfRange) }
            number = sum
        }
        guard ExactText("\(number)") == text else { throw FieldError(name, .outOfRange) }
        return number
    }

    func path(_ name: ExactText) throws(FieldError) -> RecordPath {
        let fields = try fields(name)
        let isPlain = fields.optional("plain") != nil
        let protection: RecordPath.Protection = isPlain ? .plain : .secret
        let field: ExactText = isPlain ? "plain" : "secret"
        var components: [ExactText] = []
        for value in try fields.array(field) { components.append(try Fields.text(value, field)) }
        return RecordPath(components, protection: protection)
    }
}

extension UTF8Sequence {
    /// Whether all bytes are well-formed UTF-8. O(n).
    static func isWellFormed(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBufferPointer { bytes in
            var index = 0
            while index < bytes.count {
                if bytes[index] < 0x80 {
                    index += 1
                } else {
                    let length = length(at: index, in: bytes)
                    guard length > 0 else { return false }
                    index += length
                }
            }
            return true
        }
    }
}
