// A terminal's window, as far as the program uses one: what it shows, and what has scrolled up. It keeps a page when the
// window is erased from its first place on, as tmux does, and breaks rows that have become too wide, as most do,
// or cuts them, as xterm does.

@testable import chat

/// A window that output is written to.
final class Window {
    private(set) var columns: Int
    private(set) var rows: Int
    /// What has scrolled out at the top.
    private(set) var scrollback: [String] = []
    /// How often a sequence was not understood.
    private(set) var unknown: [String] = []
    /// The output that was not looked at yet.
    private(set) var output = ""
    private var grid: [[Character]]
    private(set) var row = 0
    private(set) var column = 0
    private var saved = (row: 0, column: 0)

    /// Whether rows that have become too wide are broken.
    private let rewraps: Bool

    init(columns: Int = 80, rows: Int = 24, rewraps: Bool = true) {
        (self.columns, self.rows, self.rewraps) = (columns, rows, rewraps)
        grid = Array(repeating: [], count: rows)
    }

    var size: Terminal.Size { Terminal.Size(columns: columns, rows: rows) }

    /// The rows that are seen, without those at the end that are empty.
    var lines: [String] {
        var lines = grid.map(Self.text)
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    var text: String { lines.joined(separator: "\n") }

    /// All that was ever shown and is not erased.
    var everything: [String] { scrollback + lines }

    private static func text(_ row: [Character]) -> String {
        // Behind a wide character stands an empty place.
        var text = String(row.filter { $0 != "\u{0}" })
        while text.last == " " { text.removeLast() }
        return text
    }

    /// Empties what was written, and returns it.
    func takeOutput() -> String {
        defer { output = "" }
        return output
    }

    func write(_ text: String) {
        output += text
        var scalars = Array(text.unicodeScalars)[...]
        while let first = scalars.popFirst() {
            switch first {
            case "\r": column = 0
            case "\n": feed()
            case "\u{8}": column = max(column - 1, 0)
            case "\u{1B}": escape(&scalars)
            default:
                var run = String.UnicodeScalarView([first])
                while let next = scalars.first, next.value >= 0x20 {
                    run.append(next)
                    scalars.removeFirst()
                }
                for character in String(run) { put(character) }
            }
        }
    }

    private func put(_ character: Character) {
        let width = Layout.width(character)
        if column + width > columns {
            column = 0
            feed()
        }
        while grid[row].count < column + max(width, 1) { grid[row].append(" ") }
        grid[row][column] = character
        if width == 2 { grid[row][column + 1] = "\u{0}" }
        column += width
    }

    private func feed() {
        guard row == rows - 1 else { return row += 1 }
        scrollback.append(Self.text(grid.removeFirst()))
        grid.append([])
    }

    private func escape(_ scalars: inout ArraySlice<Unicode.Scalar>) {
        guard let kind = scalars.popFirst() else { return }
        switch kind {
        case "7": saved = (row, column)
        case "8": (row, column) = saved
        case "[":
            var parameters = ""
            while let next = scalars.popFirst() {
                if next.value >= 0x40 { return control(parameters, next) }
                parameters.unicodeScalars.append(next)
            }
        default: unknown.append(String(kind))
        }
    }

    private func control(_ parameters: String, _ final: Unicode.Scalar) {
        let count = Int(parameters) ?? 1
        switch final {
        case "A": row = max(row - count, 0)
        case "B": row = min(row + count, rows - 1)
        case "C": column = min(column + count, columns - 1)
        case "H": (row, column) = (0, 0)
        case "K": grid[row].removeSubrange(min(column, grid[row].count)...)
        case "J":
            if parameters == "2" || (row, column) == (0, 0) {
                scrollback += lines
                grid = Array(repeating: [], count: rows)
            } else {
                grid[row].removeSubrange(min(column, grid[row].count)...)
                for below in (row + 1)..<max(rows, row + 1) { grid[below] = [] }
            }
        case "m", "h", "l": break
        default: unknown.append(parameters + String(final))
        }
    }

    /// Gives the window another size. Rows that are too wide break, or are cut.
    func resize(columns newColumns: Int, rows newRows: Int) {
        var broken: [[Character]] = []
        var place = (row: 0, column: 0)
        let used = max(grid.lastIndex { !$0.isEmpty } ?? 0, row)
        for (index, line) in grid[...used].enumerated() {
            var rest = line[...]
            if rewraps {
                if index == row { place = (broken.count + column / newColumns, column % newColumns) }
            } else {
                if index == row { place = (broken.count, min(column, newColumns - 1)) }
                rest = rest.prefix(newColumns)
            }
            repeat {
                broken.append(Array(rest.prefix(newColumns)))
                rest = rest.dropFirst(newColumns)
            } while !rest.isEmpty
        }
        while broken.count <= place.row { broken.append([]) }
        (columns, rows) = (newColumns, newRows)
        while broken.count > newRows, place.row > 0 || broken.count > 1 {
            scrollback.append(Self.text(broken.removeFirst()))
            place.row = max(place.row - 1, 0)
        }
        grid = broken + Array(repeating: [], count: max(newRows - broken.count, 0))
        (row, column) = place
    }
}
