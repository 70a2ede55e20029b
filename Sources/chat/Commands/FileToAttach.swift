// Reads a file for a message: its path, its type by name, and its bytes. Every possible error is one clear line.

import ChatDomain
import Foundation

/// A file that a person attaches.
enum FileToAttach {
    /// The path for a typed text. A shell's quotes, backslashes and ~ are resolved, because terminals insert them when
    /// a file is dropped.
    static func path(_ typed: String, home: String) -> String {
        var path = typed
        if let quote = path.first, quote == "\"" || quote == "'", path.count > 1, path.last == quote {
            path = String(path.dropFirst().dropLast())
        } else {
            var plain = ""
            var isEscaped = false
            for character in path {
                if character == "\\", !isEscaped {
                    isEscaped = true
                } else {
                    plain.append(character)
                    isEscaped = false
                }
            }
            path = plain
        }
        if path == "~" { return home }
        return path.hasPrefix("~/") ? home + path.dropFirst() : path
    }

    /// Reads a regular file. Throws a sentence if it is not regular, is unreadable, or exceeds `limit` in bytes.
    static func read(_ path: String, limit: Int64) throws(UsageError) -> PickedFile {
        let name = (path as NSString).lastPathComponent
        // The check comes first: opening a pipe would block, and reading a device may never end.
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw UsageError(
                errno == ENOENT || errno == ENOTDIR
                    ? "There is no file “\(path)”." : "“\(path)” cannot be read: \(reason())")
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw UsageError("“\(path)” is a folder.")
        default: throw UsageError("“\(path)” is not a regular file.")
        }
        guard Int64(status.st_size) <= limit else { throw tooLarge(path, Int64(status.st_size), limit) }
        let bytes: Data
        do {
            bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw UsageError("“\(path)” cannot be read: \(reason(of: error))")
        }
        // The file may have grown since the check.
        guard Int64(bytes.count) <= limit else { throw tooLarge(path, Int64(bytes.count), limit) }
        let type = mimeType(name)
        return PickedFile(
            kind: type.hasPrefix("image/") ? .image : .document, mimeType: ExactText(type),
            name: ExactText(name), bytes: Array(bytes))
    }

    private static func tooLarge(_ path: String, _ size: Int64, _ limit: Int64) -> UsageError {
        UsageError(
            "“\(path)” is too large: \(FileSize.text(size)), and at most \(FileSize.text(limit)) are taken.")
    }

    private static func reason() -> String { String(cString: strerror(errno)) }

    private static func reason(of error: any Error) -> String {
        let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
        guard let cause, cause.domain == NSPOSIXErrorDomain else { return error.localizedDescription }
        return String(cString: strerror(Int32(truncatingIfNeeded: cause.code)))
    }

    /// The media type for the extension of a name (RFC 2046; the types that IANA has registered).
    static func mimeType(_ name: String) -> String {
        switch (name as NSString).pathExtension.lowercased() {
        case "png": "image/png"
        case "jpg", "jpeg": "image/jpeg"
        case "gif": "image/gif"
        case "webp": "image/webp"
        case "heic": "image/heic"
        case "svg": "image/svg+xml"
        case "txt", "log": "text/plain"
        case "md": "text/markdown"
        case "csv": "text/csv"
        case "html", "htm": "text/html"
        case "json": "application/json"
        case "xml": "application/xml"
        case "pdf": "application/pdf"
        case "zip": "application/zip"
        case "gz": "application/gzip"
        case "doc": "application/msword"
        case "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
        case "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
        case "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation"
        case "mp3": "audio/mpeg"
        case "m4a": "audio/mp4"
        case "wav": "audio/wav"
        case "mp4": "video/mp4"
        case "mov": "video/quicktime"
        default: "application/octet-stream"  // the default of RFC 2046 for unknown content
        }
    }
}
