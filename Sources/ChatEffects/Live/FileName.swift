// Names of files for the components of a path. Components are any text, some chosen by servers: "..", "/",
// NUL, 1,000 emoji, two that differ only by case or by Unicode normalisation. Each gets a name that
//
// - holds only a-z, 0-9, "-", "_", "%" and "~", so no file system gives it a meaning, folds its case or
//   normalises it, and a "." can only begin one of the endings below;
// - is at most 200 bytes, so that it and its ending fit into 255, the limit of the usual file systems;
// - no other component gets, unless SHA-256 collides.

import ChatDomain

/// The names of the files that belong to one component of a path.
struct FileName {
    /// What every file of a write that was not finished ends with.
    static let unfinishedEnding = ".writing"
    /// What every directory of an erase that was not finished ends with.
    static let erasedEnding = ".erased"
    /// What every directory of records ends with.
    static let directoryEnding = ".below"
    /// The file that a process locks; not the name of any component, for want of an ending.
    static let lock = "lock"

    /// The longest name without an ending, in bytes.
    static let limit = 200

    /// The component's name without an ending.
    let stem: String

    /// Encodes a component. O(n).
    init(_ component: ExactText) {
        if component.isEmpty {
            stem = "%"  // no escape is just that
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
            // "~" stands in no name that is written out in full.
            bytes = bytes.prefix(FileName.limit - 1 - 2 * digest.count) + [UInt8(ascii: "~")]
            for byte in digest { FileName.append(byte, to: &bytes) }
        }
        stem = String(decoding: bytes, as: UTF8.self)
    }

    /// The file that holds a record.
    func record(_ protection: RecordPath.Protection) -> String {
        switch protection {
        case .plain: stem + ".record"
        case .secret: stem + ".secret"
        }
    }

    /// The directory of the records below.
    var directory: String { stem + FileName.directoryEnding }

    /// What the directory of the records below is called while it is being erased.
    var erased: String { stem + FileName.erasedEnding }

    /// What a file is called when it has been set aside.
    static func setAside(_ name: String, number: Int) -> String { "\(name).damaged-\(number)" }

    private static func append(_ byte: UInt8, to bytes: inout [UInt8]) {
        for nibble in [byte >> 4, byte & 0xF] {
            bytes.append(nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10)
        }
    }
}
