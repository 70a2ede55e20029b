// File names for the components of a path. A component is any text, some chosen by servers: "..", "/",
// NUL, 1,000 emoji, two that differ only by case or by Unicode normalisation. Each gets a name that
//
// - holds only a-z, 0-9, "-", "_", "%" and "~", so no file system gives it a meaning, folds its case or
//   normalises it, and a "." can only begin one of the endings below;
// - is at most 200 bytes, so that it and its ending fit into 255, the limit of the usual file systems;
// - is unique to its component, unless SHA-256 collides.

import ChatDomain

/// The file names for one component of a path.
package struct FileName {
    /// The ending of the file of an unfinished write.
    static let unfinishedEnding = ".writing"
    /// The ending of the directory of an unfinished erase.
    static let erasedEnding = ".erased"
    /// The ending of a directory of records.
    static let directoryEnding = ".below"
    /// The lock file of a process; no component has this name, since it lacks an ending.
    static let lock = "lock"

    /// The greatest length of a name without its ending, in bytes.
    static let limit = 200

    /// The component's name without an ending.
    package let stem: String

    /// Encodes a component. O(n).
    package init(_ component: ExactText) {
        if component.isEmpty {
            stem = "%"  // no escape equals it
            return
        }
        var bytes: [UInt8] = []
        for byte in component.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "_"):
                bytes.append(byte)
            default:
                bytes.append(UInt8(ascii: "%"))
                FileName.append(byte, to: &bytes)
            }
        }
        if bytes.count > FileName.limit {
            let digest = SHA256(Array(component.utf8)).digest
            // "~" is in no name that is written in full.
            bytes = bytes.prefix(FileName.limit - 1 - 2 * digest.count) + [UInt8(ascii: "~")]
            for byte in digest { FileName.append(byte, to: &bytes) }
        }
        stem = String(decoding: bytes, as: UTF8.self)
    }

    /// The name of a record's file.
    func record(_ protection: RecordPath.Protection) -> String {
        switch protection {
        case .plain: stem + ".record"
        case .secret: stem + ".secret"
        }
    }

    /// The name of the directory for the records below.
    var directory: String { stem + FileName.directoryEnding }

    /// The name of that directory during an erase.
    var erased: String { stem + FileName.erasedEnding }

    /// The name of a file that was set aside.
    static func setAside(_ name: String, number: Int) -> String { "\(name).damaged-\(number)" }

    private static func append(_ byte: UInt8, to bytes: inout [UInt8]) {
        for nibble in [byte >> 4, byte & 0xF] {
            bytes.append(nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10)
        }
    }
}
