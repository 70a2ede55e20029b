// The terminal as it is seen: lines that stay, and below them a few that are drawn anew (what is moving, and
// the line being typed). In plain mode nothing is ever drawn anew.

import Foundation

/// Lays text out in columns.
enum Layout {
    /// Breaks a line at blanks so that none is wider than a number of columns; a word that is wider is broken
    /// where it must be.
    static func wrap(_ line: String, columns: Int) -> [String] {
        let columns = max(columns, 8)
        return line.split(separator: "\n", omittingEmptySubsequences: false).flatMap { part -> [String] in
            var lines: [String] = []
            var current: [Character] = []
            var width = 0
            for character in part {
                let next = Layout.width(character)
                if width + next > columns {
                    if let blank = current.lastIndex(of: " "), blank > 0, character != " " {
                        lines.append(String(current[..<blank]))
                        current = Array(current[(blank + 1)...])
                        width = current.reduce(0) { $0 + Layout.width($1) }
                    } else {
                        lines.append(String(current))
                        current = []
                        width = 0
                        if character == " " { continue }
                    }
                }
                current.append(character)
                width += next
            }
            return lines + [String(current)]
        }
    }

    /// The columns that a character takes: two for the wide ranges of Unicode Standard Annex 11 and for
    /// emoji, none for what only changes the one before it.
    static func width(_ character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        switch scalar.value {
        case 0x0300...0x036F, 0x200B...0x200D, 0xFE00...0xFE0F: return 0
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }

    /// The columns that a text takes.
    static func width(_ text: String) -> Int {
        text.reduce(0) { $0 + width($1) }
    }
}

/// Draws on a terminal that is in raw mode.
struct Screen {
    /// How many of the lines at the bottom were drawn to be drawn anew, above the cursor's line.
    private var linesAboveCursor = 0

    /// What to write so that lines stay, and below them the moving ones and the line being typed appear.
    mutating func draw(
        staying: [String], moving: [String], prompt: String, editor: LineEditor, columns: Int
    ) -> String {
        var output = "\r"
        if linesAboveCursor > 0 { output += "\u{1B}[\(linesAboveCursor)A" }
        output += "\u{1B}[J"
        for line in staying.flatMap({ Layout.wrap($0, columns: columns) }) { output += line + "\r\n" }
        // The tail is what changes; more would scroll the screen at every token.
        let shown = moving.flatMap { Layout.wrap($0, columns: columns) }.suffix(10)
        for line in shown { output += line + "\r\n" }
        let before = prompt + String(editor.characters[..<editor.cursor])
        let whole = Layout.fold(prompt + editor.text, columns: columns)
        let cursorLines = Layout.fold(before, columns: columns)
        output += whole.joined(separator: "\r\n")
        let up = whole.count - cursorLines.count
        if up > 0 { output += "\u{1B}[\(up)A" }
        let column = Layout.width(cursorLines.last ?? "")
        output += "\r" + (column > 0 ? "\u{1B}[\(column)C" : "")
        linesAboveCursor = shown.count + cursorLines.count - 1
        return output
    }

    /// What to write so that the lines below the staying ones are gone.
    mutating func clear() -> String {
        defer { linesAboveCursor = 0 }
        return "\r" + (linesAboveCursor > 0 ? "\u{1B}[\(linesAboveCursor)A" : "") + "\u{1B}[J"
    }
}

extension Layout {
    /// Breaks a line exactly at a number of columns, as a cursor moves through it.
    static func fold(_ line: String, columns: Int) -> [String] {
        let columns = max(columns, 8)
        var lines = [""]
        var width = 0
        for character in line {
            let next = Layout.width(character)
            if width + next > columns - 1 {
                lines.append("")
                width = 0
            }
            lines[lines.count - 1].append(character)
            width += next
        }
        return lines
    }
}
