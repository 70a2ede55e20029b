// The rows of a message that may grow. A finished row is given once and never changes, so the terminal lets it scroll up
// at once. Only the last row is open.
//
// Guarantee (a law that MessageFlowTests checks for drawn texts): the finished rows of a growing message, in any pieces,
// are those of the complete one.

/// Lays out one message piece by piece.
struct MessageFlow {
    /// The columns before every row but the first.
    private static let indent = [Cell]("  ")

    /// The text at the last call.
    private var known = ""
    private var reader = MarkdownReader()
    /// The number of bytes of the lines whose rows are all given.
    private var givenBytes = 0
    /// The number of cells of the next line in rows that are given.
    private var givenCells = 0
    /// Whether any row is given or, for the first line, its text has begun.
    private var hasBegun = false
    /// Whether a row separates the next line from those before.
    private var isAfterBlank = false

    /// The rows of one call.
    struct Rows {
        /// New rows, which never change.
        var finished: [[Cell]] = []
        /// The row that still changes; nil if there is none.
        var open: [Cell]?
    }

    /// Whether any row was given.
    private(set) var hasGiven = false

    /// Whether a text continues the known one.
    func continues(with text: String) -> Bool {
        text.utf8.count >= known.utf8.count && text.utf8.starts(with: known.utf8)
    }

    /// The rows of a line that are new since the last call.
    mutating func take(_ line: Line, columns: Int, isWhole: Bool) -> Rows {
        known = line.body
        var rows = Rows()
        defer { if !rows.finished.isEmpty { hasGiven = true } }
        while true {
            let rest = known.utf8.dropFirst(givenBytes)
            let lineEnd = rest.firstIndex(of: UInt8(ascii: "\n"))
            let source = Array(String(Substring(rest[..<(lineEnd ?? rest.endIndex)])))
            if lineEnd == nil, !isWhole {
                peek(source, line, columns, &rows)
                return rows
            }
            finish(source, line, columns, &rows)
            givenBytes += source.isEmpty ? 0 : String(source).utf8.count
            guard lineEnd != nil else { return rows }
            givenBytes += 1
        }
    }

    /// Gives the rest of a complete line.
    private mutating func finish(_ source: [Character], _ line: Line, _ columns: Int, _ rows: inout Rows) {
        let laid = line.isMarkdown ? reader.read(source) : Self.plain(source)
        switch laid.kind {
        case .mark: break
        case .blank: isAfterBlank = hasBegun
        case .text, .block, .code:
            begin(laid, line, columns, &rows)
            rows.finished += wrap(placed(laid, line), columns, laid.kind).map { $0.cells }
            givenCells = 0
            hasBegun = true
        }
        // A message without text has only its head.
        if !hasBegun, isLast(source) { rows.finished += head(line, columns) }
    }

    private func isLast(_ source: [Character]) -> Bool {
        givenBytes + String(source).utf8.count == known.utf8.count
    }

    /// Gives the finished rows of a line that may grow.
    private mutating func peek(_ source: [Character], _ line: Line, _ columns: Int, _ rows: inout Rows) {
        // The next scalar may join the last character.
        let source = Array(source.dropLast())
        let peeked = line.isMarkdown ? reader.peek(source) : source.isEmpty ? nil : Self.plain(source)
        guard let laid = peeked else {
            if !hasBegun { rows.open = head(line, columns).first }
            return
        }
        var placed = placed(laid, line)
        if laid.kind != .code {
            let finished = Layout.finishedCount(
                placed.cells, from: givenCells, columns: columns, fixed: placed.fixed, margin: placed.margin)
            placed.cells.removeSubrange(finished...)
        }
        guard placed.cells.count > givenCells else { return }
        begin(laid, line, columns, &rows)
        var laidRows = wrap(placed, columns, laid.kind)
        guard let last = laidRows.popLast() else { return }
        rows.finished += laidRows.map { $0.cells }
        if let end = laidRows.last?.end { givenCells = end }
        // The cells include the head of the first line, so a later line has begun only when a row of it is given.
        rows.open = last.cells
    }

    /// Gives the rows before a line: the head, unless the line begins with it, and a blank row.
    private mutating func begin(_ laid: MarkdownLine, _ line: Line, _ columns: Int, _ rows: inout Rows) {
        guard givenCells == 0 else { return }
        if !hasBegun, laid.kind != .text {
            rows.finished += head(line, columns)
            hasBegun = true
        }
        if isAfterBlank { rows.finished.append([]) }
        isAfterBlank = false
    }

    /// The head by itself.
    private func head(_ line: Line, _ columns: Int) -> [[Cell]] {
        Layout.wrap([Cell](line.head, line.tone.styles.head), columns: columns, margin: Self.margin(line))
            .map { $0.cells }
    }

    /// A line in its place: after the head, or indented.
    private func placed(_ laid: MarkdownLine, _ line: Line) -> MarkdownLine {
        var placed = laid
        placed.cells = laid.cells.adding(laid.kind == .code ? .code : line.tone.styles.body)
        placed.margin = Self.margin(line) + laid.margin
        if !hasBegun, laid.kind == .text {
            placed.cells = [Cell](line.head, line.tone.styles.head) + placed.cells
        } else {
            placed.cells = Self.indent + placed.cells
            placed.fixed += Self.indent.count
        }
        return placed
    }

    private static func margin(_ line: Line) -> [Cell] {
        line.isMarkdown ? indent : [Cell](String(repeating: " ", count: max(line.hanging, 0)))
    }

    private func wrap(_ laid: MarkdownLine, _ columns: Int, _ kind: MarkdownLine.Kind) -> [Layout.Row] {
        guard kind == .code else {
            return Layout.wrap(
                laid.cells, from: givenCells, columns: columns, fixed: laid.fixed, margin: laid.margin)
        }
        return codeRows(laid.cells, columns)
    }

    /// Rows of code: broken only at the edge, and with their background up to it.
    private func codeRows(_ cells: [Cell], _ columns: Int) -> [Layout.Row] {
        let width = max(columns - Self.indent.width, 2)
        var rows: [Layout.Row] = []
        var used = max(givenCells, Self.indent.count)
        repeat {
            var row: [Cell] = []
            var taken = 0
            while used < cells.count, taken + cells[used].width <= width || row.isEmpty {
                row.append(cells[used])
                taken += cells[used].width
                used += 1
            }
            row += [Cell](String(repeating: " ", count: max(width - taken, 0)), .code)
            rows.append(Layout.Row(cells: Self.indent + row, end: used))
        } while used < cells.count
        return rows
    }

    /// A line without Markdown.
    private static func plain(_ source: [Character]) -> MarkdownLine {
        MarkdownLine(kind: .text, cells: source.map { Cell(character: $0, style: []) })
    }
}
