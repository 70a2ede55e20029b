// The descriptions of values in a failed test or a log: a time in common units, a name as its text, a long text as its
// beginning and its length. Descriptions are for reading; nothing is parsed from them or decided by them.

extension Interval: CustomStringConvertible {
    /// The length in the greatest unit that it reaches: `1.5 s`, `20 ms`, `-3 ns`.
    public var description: String {
        let units: [(name: String, size: UInt64)] = [("s", 1_000_000_000), ("ms", 1_000_000), ("µs", 1_000)]
        let sign = nanoseconds < 0 ? "-" : ""
        for unit in units where nanoseconds.magnitude >= unit.size {
            let whole = nanoseconds.magnitude / unit.size
            return sign + "\(whole)" + Interval.decimals(nanoseconds.magnitude % unit.size, of: unit.size)
                + " " + unit.name
        }
        return nanoseconds == 0 ? "0 s" : "\(nanoseconds) ns"
    }

    /// The digits after the point, without zeros at the end; empty for a whole number.
    private static func decimals(_ rest: UInt64, of unit: UInt64) -> String {
        guard rest > 0 else { return "" }
        var (digits, size, rest) = (".", unit, rest)
        while rest > 0 {
            size /= 10
            digits += "\(rest / size)"
            rest %= size
        }
        return digits
    }
}

extension Instant: CustomStringConvertible {
    /// The time since the origin of the clock.
    public var description: String { "origin + \(self - .origin)" }
}

extension WallTime: CustomStringConvertible {
    /// The time since 1970 (UTC).
    public var description: String { "1970 + \(self - WallTime(nanosecondsSince1970: 0))" }
}

extension Identifier: CustomStringConvertible {
    /// The name.
    public var description: String { text.string }
}

extension Attempt: CustomStringConvertible {
    /// The number of the attempt.
    public var description: String { "attempt \(number)" }
}

extension LongText: CustomStringConvertible {
    /// The first 40 bytes, cut between characters, and the length of a longer text.
    public var description: String {
        let beginning = firstPiece.cut(toByteCount: 40)
        guard beginning.byteCount < byteCount else { return beginning.string }
        return "\(beginning.string)… (\(byteCount) bytes)"
    }
}
