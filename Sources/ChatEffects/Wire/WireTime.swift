// Times on a wire: ISO 8601 text, or milliseconds since 1970.

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

extension JSONFields {
    /// The field as a time; nil when it is none.
    func time(_ index: Int) -> WallTime? {
        if let text = string(index) { return WallTime(iso8601: text) }
        return number(index)?.time
    }
}
