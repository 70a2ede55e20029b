// The text form of file sizes.

/// Formats file sizes.
enum FileSize {
    /// The size in the largest unit that does not exceed it, with one decimal below ten.
    static func text(_ byteCount: Int64) -> String {
        // 1,000 and not 1,024: these are the units of file managers.
        let units: [(String, Int64)] = [("GB", 1_000_000_000), ("MB", 1_000_000), ("KB", 1_000)]
        for (unit, size) in units where byteCount >= size {
            let tenths = byteCount / (size / 10)
            return tenths < 100 ? "\(tenths / 10).\(tenths % 10) \(unit)" : "\(tenths / 10) \(unit)"
        }
        return "\(byteCount) bytes"
    }
}
