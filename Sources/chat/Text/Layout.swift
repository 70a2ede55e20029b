// Text in columns: line breaks, and the widths of characters.
//
// Guarantee: appended text moves only the last word. A row is full when the next word does not fit, so every row before
// the last is final, and so is the last one up to the last place where it may break (`finishedCount`).

/// Lays out text in columns.
enum Layout {
    /// The least width of a terminal. A wide character does not fit there, and is alone in its row.
    private static let fewestColumns = 1

    /// A row, and the number of cells of the line that it and the earlier rows have used.
    struct Row: Equatable {
        var cells: [Cell]
        let end: Int
    }

    /// Breaks one line at blanks, and beside wide characters, so that no row is wider than `columns`; a longer word is
    /// broken inside. Rows after the first begin with `margin`, if there is room. The first `fixed` cells stay
    /// together. With `start`, the result is the rows from that cell on, as if the earlier ones were laid out.
    static func wrap(
        _ line: [Cell], from start: Int = 0, columns: Int, fixed: Int = 0, margin: [Cell] = []
    ) -> [Row] {
        let columns = max(columns, fewestColumns)
        let margin = margin.width * 2 <= columns ? margin : []
        var rows: [Row] = []
        var (current, prefix, unbroken) = start == 0 ? ([], 0, fixed) : (margin, margin.count, margin.count)
        var width = current.width
        var used = start
        while used < line.count {
            let cell = line[used]
            guard width + cell.width > columns, current.count > prefix else {
                current.append(cell)
                width += cell.width
                used += 1
                continue
            }
            if cell.character == " " {
                used += 1  // the row ends with it
            } else if let place = lastBreak(in: current + [cell], behind: unbroken) {
                used -= current.count - place
                current.removeSubrange(place...)
                if current.last?.character == " " { current.removeLast() }
            }
            rows.append(Row(cells: current, end: used))
            (current, prefix, unbroken) = (margin, margin.count, margin.count)
            width = margin.width
        }
        // A blank at the edge has ended the last row.
        let isOver = current.count == prefix && rows.last?.end == used
        return isOver ? rows : rows + [Row(cells: current, end: used)]
    }

    /// The last index after `first` at which a new row may begin; nil if there is none.
    private static func lastBreak(in cells: [Cell], behind first: Int) -> Int? {
        var index = cells.count - 1
        while index > first {
            if mayBreak(cells[index - 1], cells[index]) { return index }
            index -= 1
        }
        return nil
    }

    private static func mayBreak(_ left: Cell, _ right: Cell) -> Bool {
        left.character == " " || right.character != " " && (left.width == 2 || right.width == 2)
    }

    /// The number of cells of a growing line that never move: all but the last word of the last row. A word that begins
    /// a row cannot move either.
    static func finishedCount(
        _ line: [Cell], from start: Int = 0, columns: Int, fixed: Int = 0, margin: [Cell] = []
    ) -> Int {
        let rows = wrap(line, from: start, columns: columns, fixed: fixed, margin: margin)
        guard line.last?.character != " " else { return line.count }
        let begin = rows.count > 1 ? rows[rows.count - 2].end : start == 0 ? min(fixed, line.count) : start
        var index = line.count - 1
        while index > begin {
            if mayBreak(line[index - 1], line[index]) { return index }
            index -= 1
        }
        return line.count
    }

    /// Breaks a text at blanks so that no row is wider than `columns`; rows after the first are indented by `hanging`.
    static func wrap(_ text: String, columns: Int, hanging: Int = 0) -> [String] {
        let margin = [Cell](String(repeating: " ", count: max(hanging, 0)))
        return text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { part in
            wrap([Cell](part), columns: columns, margin: margin).map { $0.cells.text }
        }
    }

    /// Breaks a text at exactly the columns where a cursor wraps: the last column stays free for the cursor.
    static func fold(_ text: [Cell], columns: Int) -> [[Cell]] {
        let columns = max(columns, fewestColumns)
        var rows: [[Cell]] = [[]]
        var width = 0
        for cell in text {
            if cell.character == "\n" {
                rows.append([])
                width = 0
                continue
            }
            if width + cell.width > columns - 1, width > 0 {
                rows.append([])
                width = 0
            }
            rows[rows.count - 1].append(cell)
            width += cell.width
        }
        return rows
    }

    /// The columns of a character: two for the wide ranges of Unicode Standard Annex 11 and for emoji presentation
    /// (Unicode Technical Standard 51), none for a combining character.
    static func width(_ character: Character) -> Int {
        // Most text is ASCII, which needs no table.
        if let byte = character.asciiValue { return byte >= 0x20 && byte != 0x7F ? 1 : 0 }
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
