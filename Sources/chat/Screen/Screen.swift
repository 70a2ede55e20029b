// The visible terminal: rows that stay and scroll up, and below them a few that change (the moving lines and the typed
// line). It is a value that turns lines into output.
//
// Guarantees: an unchanged row is not written again; no erasure begins at the first row of the window, because
// terminals with a history would keep the erased page; after a change of the width no changing row is left over.

import ChatDomain

/// Draws on a terminal in raw mode.
struct Screen {
    /// The most moving rows: more would scroll the screen at every token.
    private static let mostMoving = 10

    /// The colours of the lines.
    let paint: Paint
    /// Whether the terminal breaks a row that has become too wide (`Terminal.rewraps`).
    private let rewraps: Bool
    /// The changing rows as they were drawn.
    private var drawn: [[Cell]] = []
    /// The cursor's place in those rows.
    private var cursor = (row: 0, column: 0)
    /// The width of the window at that time.
    private var columns = 0
    /// The growing messages, as far as they are written.
    private var flows: [(message: Line, flow: MessageFlow)] = []
    /// The message of the last row that stays, if it continues.
    private var lastMessage: Chat.Row.ID?

    init(_ paint: Paint, rewraps: Bool = true) {
        self.paint = paint
        self.rewraps = rewraps
    }

    /// The output that appends the rows of the staying lines, with the moving lines and the typed line below them.
    mutating func draw(
        staying: [Line], moving: [Line], prompt: String, editor: LineEditor, _ size: Terminal.Size
    ) -> String {
        // The last column stays free: terminals handle a full row differently.
        let columns = max(size.columns - 1, 1)
        let typed = Self.typed(prompt, editor, size)
        // Without styles, only the marks of Markdown show emphasis and code.
        var rows = stay(paint.isOn ? staying : staying.map { $0.asWritten }, columns)
        let (finished, open) = grow(paint.isOn ? moving : moving.map { $0.asWritten }, columns)
        rows += finished
        // Redrawn rows must fit on the screen, because the cursor cannot reach rows above it.
        let room = max(size.rows / 2, 1)
        let moved = open.suffix(min(Self.mostMoving, max(room - 1, 0)))
        let place = (row: moved.count + typed.cursor.row, column: typed.cursor.column)
        return put(rows, below: moved + typed.rows, cursor: place, size)
    }

    /// The output that removes the changing rows.
    mutating func clear() -> String {
        defer { forget() }
        return "\r" + Self.up(cursor.row) + erase()
    }

    /// The output that empties the window; the staying rows are above it.
    mutating func empty() -> String {
        forget()
        return "\u{1B}[H\u{1B}[2J"
    }

    private mutating func forget() { (drawn, cursor, columns) = ([], (0, 0), 0) }

    // MARK: Lines

    /// The rows of staying lines. Of a message that has grown here, the missing rows.
    private mutating func stay(_ lines: [Line], _ columns: Int) -> [[Cell]] {
        var rows: [[Cell]] = []
        for line in lines {
            let index = flows.firstIndex { $0.message.message == line.message && line.message != nil }
            if let index, flows[index].flow.continues(with: line.body) {
                rows += goingOn(line)
                rows += flows[index].flow.take(line, columns: columns, isWhole: true).finished
            } else {
                rows += Self.rows(line, columns: columns)
            }
            if let index { flows.remove(at: index) }
            lastMessage = nil
        }
        return rows
    }

    /// The rows of a line by itself.
    static func rows(_ line: Line, columns: Int) -> [[Cell]] {
        var flow = MessageFlow()
        return flow.take(line, columns: columns, isWhole: true).finished
    }

    /// The new final rows of the first growing message, and the changing rows of all lines.
    private mutating func grow(_ lines: [Line], _ columns: Int) -> (finished: [[Cell]], open: [[Cell]]) {
        flows.removeAll { flow in !lines.contains { $0.message == flow.message.message } }
        var finished: [[Cell]] = []
        var open: [[Cell]] = []
        for line in lines {
            guard line.message != nil, flows.isEmpty || flows[0].message.message == line.message else {
                // Two replies side by side would mix their rows; of the second, the end is shown.
                let rows = Self.rows(line, columns: columns)
                open += line.message == nil ? rows : rows.suffix(1)
                continue
            }
            if flows.isEmpty || !flows[0].flow.continues(with: line.body) {
                flows = [(line, MessageFlow())]
            }
            let mark = goingOn(line)
            let rows = flows[0].flow.take(line, columns: columns, isWhole: false)
            if rows.finished.isEmpty {
                open += mark
            } else {
                finished += mark + rows.finished
                lastMessage = line.message
            }
            if let row = rows.open { open.append(row) }
        }
        return (finished, open)
    }

    /// A row that names the continued message, if other rows are between.
    private func goingOn(_ line: Line) -> [[Cell]] {
        guard let flow = flows.first, flow.message.message == line.message, flow.flow.hasGiven,
            lastMessage != line.message
        else { return [] }
        return [[Cell](line.head + "…", line.tone.styles.head)]
    }

    // MARK: The typed line

    /// The rows of the typed line around the cursor, and its place in them. A pasted line may be as long as a book, and
    /// every key redraws it, so only a part is laid out. It begins at a multiple of the window's size, so it does not
    /// move with each key.
    private static func typed(
        _ prompt: String, _ editor: LineEditor, _ size: Terminal.Size
    ) -> (rows: [[Cell]], cursor: (row: Int, column: Int)) {
        let window = max(size.columns * size.rows, 1)
        let start = max(editor.cursor / window - 1, 0) * window
        let end = min(editor.cursor + window, editor.characters.count)
        func cells(_ range: Range<Int>) -> [Cell] {
            (start == 0 ? [Cell](prompt, .bold) : [])
                + editor.characters[range].map { Cell(character: $0, style: []) }
        }
        let before = Layout.fold(cells(start..<editor.cursor), columns: size.columns)
        let whole = Layout.fold(cells(start..<end), columns: size.columns)
        let room = max(size.rows / 2, 1)
        let first = max(before.count - room, 0)
        let rows = whole[min(first, whole.count)..<max(min(whole.count, first + room), before.count)]
        return (Array(rows), (before.count - 1 - first, before.last?.width ?? 0))
    }

    // MARK: Output

    /// The output that puts rows above the changing ones, in place of the drawn ones.
    private mutating func put(
        _ staying: [[Cell]], below changing: [[Cell]], cursor place: (row: Int, column: Int),
        _ size: Terminal.Size
    ) -> String {
        var output = ""
        var row = cursor.row
        if columns != size.columns, !drawn.isEmpty {
            output += "\r" + Self.up(rowsAboveCursor(at: size.columns)) + erase()
            (drawn, row) = ([], 0)
        }
        let target = staying + changing
        for (index, cells) in target.enumerated() where index >= drawn.count || drawn[index] != cells {
            // A row below the drawn ones is reached by a line feed, which scrolls.
            let reached = min(index, max(drawn.count, 1) - 1)
            if row < index, row >= reached {
                output += "\r" + String(repeating: "\n", count: index - row)
            } else if row != index {
                output +=
                    Self.move(from: row, to: reached) + "\r" + String(repeating: "\n", count: index - reached)
            } else {
                output += "\r"
            }
            output += paint.painted(cells) + "\u{1B}[K"
            row = index
        }
        if target.count < drawn.count {
            output += Self.move(from: row, to: target.count) + "\r\u{1B}[J"
            row = target.count
        }
        let goal = staying.count + place.row
        if output.isEmpty, goal == row, place.column == cursor.column { return "" }
        output += Self.move(from: row, to: goal) + "\r"
        if place.column > 0 { output += "\u{1B}[\(place.column)C" }
        (drawn, cursor, columns) = (changing, place, size.columns)
        return output
    }

    /// The rows above the cursor after a change of the window's width. Terminals that rewrap break a row that is now
    /// too wide; none joins rows that ended with a line feed.
    private func rowsAboveCursor(at columns: Int) -> Int {
        guard rewraps else { return cursor.row }
        let columns = max(columns, 1)
        let above = drawn.prefix(cursor.row).reduce(0) { $0 + max(($1.width + columns - 1) / columns, 1) }
        return above + cursor.column / columns
    }

    /// The output that erases everything from the cursor on. The first row is erased by itself: a terminal with a
    /// history keeps text that is erased from the window's first place on.
    private func erase() -> String { "\u{1B}[K\u{1B}7\u{1B}[B\u{1B}[J\u{1B}8" }

    private static func move(from row: Int, to goal: Int) -> String {
        row < goal ? "\u{1B}[\(goal - row)B" : up(row - goal)
    }

    private static func up(_ count: Int) -> String { count > 0 ? "\u{1B}[\(count)A" : "" }
}
