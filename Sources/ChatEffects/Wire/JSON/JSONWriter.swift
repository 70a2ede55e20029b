// The canonical encoding. Equal values have equal bytes on every platform and in every process: members in
// the order of writing, no white space, the fewest escapes, integers as their digits, and any other number as its
// digits and a power of ten.
//
//     JSONWriter.object(into: &bytes) {
//         $0.member("type", "auth")
//         $0.array("scopes") { $0.element("chat") }
//     }
//
// Brackets and commas are correct by construction: a value is always written whole.

import ChatDomain

/// The entry points for encoding.
public enum JSONWriter {
    /// Appends an object with the members that the closure writes. The buffer keeps its capacity.
    public static func object(into bytes: inout [UInt8], _ body: (inout JSONObjectWriter) -> Void) {
        var output = JSONOutput(taking: &bytes)
        output.object(body)
        bytes = output.bytes
    }

    /// Appends an array with the elements that the closure writes. The buffer keeps its capacity.
    public static func array(into bytes: inout [UInt8], _ body: (inout JSONArrayWriter) -> Void) {
        var output = JSONOutput(taking: &bytes)
        output.array(body)
        bytes = output.bytes
    }

    /// Appends a value. The stack use grows with the value's depth.
    public static func value(_ value: JSONValue, into bytes: inout [UInt8]) {
        var output = JSONOutput(taking: &bytes)
        output.value(value)
        bytes = output.bytes
    }
}

extension JSONValue {
    /// The canonical encoding. The stack use grows with the value's depth.
    public var encoded: [UInt8] {
        var bytes: [UInt8] = []
        JSONWriter.value(self, into: &bytes)
        return bytes
    }
}

/// Writes the members of one object.
///
/// Names are not checked: a duplicate name is an error of the caller.
public struct JSONObjectWriter: ~Copyable {
    var output: JSONOutput
    private var isEmpty = true

    init(_ output: consuming JSONOutput) {
        self.output = output
    }

    private mutating func name(_ name: ExactText) {
        if !isEmpty { output.byte(UInt8(ascii: ",")) }
        isEmpty = false
        output.text(name)
        output.byte(UInt8(ascii: ":"))
    }

    /// Writes a member.
    public mutating func member(_ name: ExactText, _ value: ExactText) {
        self.name(name)
        output.text(value)
    }

    /// Writes a member.
    public mutating func member(_ name: ExactText, _ value: String) { member(name, ExactText(value)) }

    /// Writes a member.
    public mutating func member(_ name: ExactText, _ value: Bool) {
        self.name(name)
        output.bool(value)
    }

    /// Writes a member.
    public mutating func member(_ name: ExactText, _ value: Int64) {
        self.name(name)
        output.integer(value)
    }

    /// Writes a member.
    public mutating func member(_ name: ExactText, _ value: Int) { member(name, Int64(value)) }

    /// Writes a member.
    public mutating func member(_ name: ExactText, _ value: JSONValue) {
        self.name(name)
        output.value(value)
    }

    /// Writes a member that is null.
    public mutating func null(_ name: ExactText) {
        self.name(name)
        output.null()
    }

    /// Writes a member that is an object.
    public mutating func object(_ name: ExactText, _ body: (inout JSONObjectWriter) -> Void) {
        self.name(name)
        output.object(body)
    }

    /// Writes a member that is an array.
    public mutating func array(_ name: ExactText, _ body: (inout JSONArrayWriter) -> Void) {
        self.name(name)
        output.array(body)
    }

    /// Writes a member that is an array with one object for each element.
    public mutating func objects<Element>(
        _ name: ExactText, _ elements: [Element], _ body: (Element, inout JSONObjectWriter) -> Void
    ) {
        array(name) { array in
            for element in elements { array.object { body(element, &$0) } }
        }
    }
}

/// Writes the elements of one array.
public struct JSONArrayWriter: ~Copyable {
    var output: JSONOutput
    private var isEmpty = true

    init(_ output: consuming JSONOutput) {
        self.output = output
    }

    private mutating func separate() {
        if !isEmpty { output.byte(UInt8(ascii: ",")) }
        isEmpty = false
    }

    /// Writes an element.
    public mutating func element(_ value: ExactText) {
        separate()
        output.text(value)
    }

    /// Writes an element.
    public mutating func element(_ value: String) { element(ExactText(value)) }

    /// Writes an element.
    public mutating func element(_ value: Bool) {
        separate()
        output.bool(value)
    }

    /// Writes an element.
    public mutating func element(_ value: Int64) {
        separate()
        output.integer(value)
    }

    /// Writes an element.
    public mutating func element(_ value: Int) { element(Int64(value)) }

    /// Writes an element.
    public mutating func element(_ value: JSONValue) {
        separate()
        output.value(value)
    }

    /// Writes an element that is null.
    public mutating func null() {
        separate()
        output.null()
    }

    /// Writes an element that is an object.
    public mutating func object(_ body: (inout JSONObjectWriter) -> Void) {
        separate()
        output.object(body)
    }

    /// Writes an element that is an array.
    public mutating func array(_ body: (inout JSONArrayWriter) -> Void) {
        separate()
        output.array(body)
    }
}
