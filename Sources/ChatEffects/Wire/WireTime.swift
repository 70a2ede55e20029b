// Times on a wire: ISO 8601 text, or milliseconds since 1970. Waits on a wire: decimal numbers of a unit.

import ChatDomain

extension JSONNumber {
    /// The time that is this many milliseconds since 1970, truncated to milliseconds; nil when it is out of range.
    var time: WallTime? { truncated.map { WallTime(millisecondsSince1970: $0) } }
}

extension JSONValue {
    /// The value as a time; nil when it is none.
    var time: WallTime? {
        if let string { return WallTime(iso8601: string) }
        return number?.time
    }
}

extension Interval {
    /// A wait as digits, perhaps with a fraction; the unit is a power of ten of nanoseconds. Nil when it is none; one that
    /// is longer than there is counts as the longest.
    init?(decimal digits: ArraySlice<UInt8>, unit: StaticString) {
        let parts = digits.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy { 0x30...0x39 ~= $0 } })
        else { return nil }
        let literal = digits + UnsafeBufferPointer(start: unit.utf8Start, count: unit.utf8CodeUnitCount)
        self.init(
            nanoseconds: literal.withUnsafeBufferPointer { JSONNumber(literal: $0) }.truncated ?? .max)
    }
}

extension JSONFields {
    /// The field as a time; nil when it is none.
    func time(_ index: Int) -> WallTime? {
        if let text = string(index) { return WallTime(iso8601: text) }
        return number(index)?.time
    }
}
