// A check that only their owner can use the files of a store.

import ChatEffects
import Foundation

extension StoreDuties {
    /// The files and directories at and below a directory that others than their owner may read or change.
    public static func sharedFiles(below directory: URL) -> [String] {
        let manager = FileManager.default
        let names = [""] + (manager.enumerator(atPath: directory.path)?.compactMap { $0 as? String } ?? [])
        return names.filter { name in
            let path = directory.appendingPathComponent(name).path
            let rights = (try? manager.attributesOfItem(atPath: path))?[.posixPermissions] as? NSNumber
            return rights.map { $0.intValue & 0o077 != 0 } ?? false
        }
    }
}
