// The terminal as it is seen: lines that stay, and below them a few that are drawn anew (what is moving, and
// the line being typed).

/// Draws on a terminal that is in raw mode.
struct Screen {
    /// How the lines are painted.
    let paint: Paint
    /// How many rows stand above the cursor's that were drawn to be drawn anew.
    private var rowsAboveCursor = 0

    init(_ paint: Paint) {
        self.paint = paint
    }

    /// What to write so that lines stay, and below them the moving ones and the line being typed appear.
    mutating func draw(
        staying: [Line], moving: [Line], prompt: String, editor: LineEditor, _ size: Terminal.Size
    ) -> String {
        var output = upAndClear()
        for row in staying.flatMap({ paint.rows($0, columns: size.columns) }) { output += row + "\r\n" }
        // What is drawn anew must fit on the screen, or its upper part could not be reached again. Of the typed
        // line the part around the cursor is shown, of what moves the end, which is what changes.
        let columns = size.columns
        let (text, textBefore) = Self.aroundCursor(prompt, editor, size)
        let before = Layout.fold(textBefore, columns: columns)
        let whole = Layout.fold(text, columns: columns)
        let room = max(size.rows / 2, 1)
        let first = max(before.count - room, 0)
        let typed = whole[first..<max(min(whole.count, first + room), before.count)]
        // Ten rows are enough to read along; more would scroll the screen at every token.
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

    /// The part of the line that may be seen, and what of it stands before the cursor. It begins at a multiple of
    /// what the screen can hold, so that it does not move with each key; a line that was pasted may be as long as
    /// a book, and is drawn at each.
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

    /// What to write so that the rows below the staying ones are gone.
    mutating func clear() -> String {
        defer { rowsAboveCursor = 0 }
        return upAndClear()
    }

    private func upAndClear() -> String {
        "\r" + (rowsAboveCursor > 0 ? "\u{1B}[\(rowsAboveCursor)A" : "") + "\u{1B}[J"
    }
}
