// Times as wires carry them: as ISO 8601 text, or as milliseconds since 1970.

import ChatDomain

extension JSONNumber {
    /// The time of so many milliseconds since 1970. A fraction of a millisecond is cut off.
    var time: WallTime? {
        if let integer { return WallTime(millisecondsSince1970: integer) }
        guard let double, double.magnitude < 0x1p53 else { return nil }  // no greater one has a fraction
        return WallTime(millisecondsSince1970: Int64(double))
    }
}

extension JSONValue {
    /// The time, when this is one.
    var time: WallTime? {
        if let string { return WallTime(iso8601: string) }
        return number?.time
    }
}

extension JSONFields {
    /// The field, when it is a time.
    func time(_ index: Int) -> WallTime? {
        if let text = string(index) { return WallTime(iso8601: text) }
        return number(index)?.time
    }
}
