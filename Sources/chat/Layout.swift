// Text in columns: line breaks at spaces, and the widths of characters.

/// Lays out text in columns.
enum Layout {
    /// The least assumed width of a terminal: nothing is readable below it.
    private static let fewestColumns = 8

    /// Breaks a line at spaces so that no row is wider than `columns`; a longer word is broken inside. Continuation
    /// rows are indented by `hanging`, if there is room.
    static func wrap(_ line: String, columns: Int, hanging: Int = 0) -> [String] {
        let columns = max(columns, fewestColumns)
        let margin = String(repeating: " ", count: hanging * 2 <= columns ? max(hanging, 0) : 0)
        return line.split(separator: "\n", omittingEmptySubsequences: false).flatMap { part -> [String] in
            var rows: [String] = []
            var current: [Character] = []
            var width = 0
            for character in part {
                let next = Layout.width(character)
                if width + next > columns {
                    // A break within the margin is not allowed.
                    let first = rows.isEmpty ? 0 : margin.count
                    if let blank = current.lastIndex(of: " "), blank > first, character != " " {
                        rows.append(String(current[..<blank]))
                        current = Array(margin) + current[(blank + 1)...]
                        width = current.reduce(0) { $0 + Layout.width($1) }
                    } else {
                        rows.append(String(current))
                        current = Array(margin)
                        width = margin.count
                        if character == " " { continue }
                    }
                }
                current.append(character)
                width += next
            }
            return rows + [String(current)]
        }
    }

    /// Breaks a line at exactly the columns where a cursor wraps.
    static func fold(_ line: String, columns: Int) -> [String] {
        let columns = max(columns, fewestColumns)
        var rows = [""]
        var width = 0
        for character in line {
            if character == "\n" {
                rows.append("")
                width = 0
                continue
            }
            let next = Layout.width(character)
            if width + next > columns - 1 {
                rows.append("")
                width = 0
            }
            rows[rows.count - 1].append(character)
            width += next
        }
        return rows
    }

    /// The columns of a character: two for the wide ranges of Unicode Standard Annex 11 and for emoji presentation
    /// (Unicode Technical Standard 51), none for a combining character.
    static func width(_ character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        if scalar.properties.isEmojiPresentation { return 2 }
        // A symbol with text presentation is an emoji before variation selector 16.
        if scalar.properties.isEmoji, character.unicodeScalars.contains(where: { $0.value == 0xFE0F }) {
            return 2
        }
        // Marks have no width, but in some scripts later scalars of a character have one.
        return character.unicodeScalars.reduce(0) { $0 + width($1) }
    }

    private static func width(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        switch scalar.value {
        case 0x1160...0x11FF: return 0  // joined with the syllable before
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3,
            0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }

    /// The columns of a text.
    static func width(_ text: String) -> Int {
        text.reduce(0) { $0 + width($1) }
    }
}
