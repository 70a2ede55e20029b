// The visible terminal: permanent lines, and below them a few that are redrawn (changing lines and the typed line).

/// Draws on a terminal in raw mode.
struct Screen {
    /// The colours of the lines.
    let paint: Paint
    /// The number of redrawn rows above the cursor's row.
    private var rowsAboveCursor = 0

    init(_ paint: Paint) {
        self.paint = paint
    }

    /// The output that appends the permanent lines, and redraws the changing lines and the typed line below them.
    mutating func draw(
        staying: [Line], moving: [Line], prompt: String, editor: LineEditor, _ size: Terminal.Size
    ) -> String {
        var output = upAndClear()
        for row in staying.flatMap({ paint.rows($0, columns: size.columns) }) { output += row + "\r\n" }
        // Redrawn rows must fit on the screen, because the cursor cannot reach rows above it. Of the typed line, the
        // part around the cursor is visible; of the changing lines, the end, which changes.
        let columns = size.columns
        let (text, textBefore) = Self.aroundCursor(prompt, editor, size)
        let before = Layout.fold(textBefore, columns: columns)
        let whole = Layout.fold(text, columns: columns)
        let room = max(size.rows / 2, 1)
        let first = max(before.count - room, 0)
        let typed = whole[first..<max(min(whole.count, first + room), before.count)]
        // Ten rows are enough for reading; more would scroll the screen at every token.
        let moved = moving.flatMap { paint.rows($0, columns: columns) }.suffix(min(10, max(room - 1, 0)))
        for row in moved { output += row + "\r\n" }
        output += typed.joined(separator: "\r\n")
        let cursorRow = before.count - 1 - first
        let up = typed.count - 1 - cursorRow
        if up > 0 { output += "\u{1B}[\(up)A" }
        let column = Layout.width(before.last ?? "")
        output += "\r" + (column > 0 ? "\u{1B}[\(column)C" : "")
        rowsAboveCursor = moved.count + cursorRow
        return output
    }

    /// The visible part of the typed line, and its text before the cursor. The part begins at a multiple of the
    /// screen's capacity, so it does not move with each key; a pasted line may be as long as a book, and every key
    /// redraws it.
    private static func aroundCursor(
        _ prompt: String, _ editor: LineEditor, _ size: Terminal.Size
    ) -> (text: String, before: String) {
        let window = max(size.columns * size.rows, 1)
        let start = max(editor.cursor / window - 1, 0) * window
        let end = min(editor.cursor + window, editor.characters.count)
        let head = start == 0 ? prompt : ""
        return (
            head + String(editor.characters[start..<end]),
            head + String(editor.characters[start..<editor.cursor])
        )
    }

    /// The output that removes the redrawn rows.
    mutating func clear() -> String {
        defer { rowsAboveCursor = 0 }
        return upAndClear()
    }

    private func upAndClear() -> String {
        "\r" + (rowsAboveCursor > 0 ? "\u{1B}[\(rowsAboveCursor)A" : "") + "\u{1B}[J"
    }
}
