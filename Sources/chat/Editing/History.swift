// The submitted lines, oldest first, and their form in a file: one line each, so that a cut or damaged file loses no
// more than the damaged lines.

import ChatDomain

/// The submitted lines.
struct History: Equatable {
    /// More lines than a person walks back through with one key.
    static let limit = 1_000
    /// The longest kept line, in bytes: longer ones are pasted documents.
    static let longest = 8_192

    /// The lines, oldest first.
    private(set) var lines: [String] = []

    init(_ lines: [String] = []) {
        for line in lines { add(line) }
    }

    /// Adds a line. Returns whether it is new: not blank, not equal to the last one, not too long, and without a blank
    /// at its beginning, which marks a line that is not kept, as in a shell.
    @discardableResult
    mutating func add(_ line: String) -> Bool {
        guard let first = line.first, !first.isWhitespace, line != lines.last,
            line.utf8.count <= Self.longest
        else { return false }
        lines.append(line)
        if lines.count > Self.limit { lines.removeFirst() }
        return true
    }

    /// The newest line before an index that contains a text; nil if there is none.
    func index(of text: String, before end: Int) -> Int? {
        lines.indices.prefix(max(end, 0)).last { lines[$0].contains(text) }
    }

    // MARK: File

    /// The form of a line in a file: line ends and backslashes have a backslash before them.
    static func encode(_ line: String) -> String {
        line.replacing("\\", with: "\\\\").replacing("\n", with: "\\n") + "\n"
    }

    /// The lines of a file. Lines that are not text, or are too long, are left out.
    static func decode(_ bytes: [UInt8]) -> [String] {
        bytes.split(separator: 0x0A).compactMap { line in
            guard line.count <= 2 * longest, let text = String(validating: line, as: UTF8.self) else {
                return nil
            }
            var decoded = ""
            var isEscaped = false
            for character in text {
                if isEscaped {
                    decoded.append(character == "n" ? "\n" : character)
                    isEscaped = false
                } else if character == "\\" {
                    isEscaped = true
                } else {
                    decoded.append(character)
                }
            }
            return Line.clean(decoded)
        }
    }
}
