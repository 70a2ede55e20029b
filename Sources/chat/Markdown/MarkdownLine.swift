// One line of Markdown: its kind (CommonMark's blocks, as far as models write them), and its cells.
//
// Blocks are lines here: a line's kind depends on it and on the fence around it, never on a later line.

/// A line of Markdown, ready to be wrapped.
struct MarkdownLine: Equatable {
    /// The layout of a line.
    enum Kind: Equatable {
        /// Text of a paragraph, which may follow the speaker in one row.
        case text
        /// A heading, an item of a list, a quotation, or a rule: it has rows of its own.
        case block
        /// A line of code, with a background.
        case code
        /// An empty line: it separates.
        case blank
        /// The mark of a fence, which is not shown.
        case mark
    }

    var kind: Kind
    var cells: [Cell] = []
    /// The number of cells that stay together at the beginning.
    var fixed = 0
    /// The beginning of the rows after the first.
    var margin: [Cell] = []
}

/// Reads lines of Markdown; knows whether they are within a fence.
struct MarkdownReader: Equatable {
    /// A fence: its character, and the number of them.
    struct Fence: Equatable {
        let character: Character
        let count: Int
    }

    /// The deepest kept indentation: a narrow terminal has no room for more.
    private static let deepest = 12

    private(set) var fence: Fence?

    /// Reads a complete line.
    mutating func read(_ line: [Character]) -> MarkdownLine {
        let indent = line.prefix { $0 == " " }.count
        let content = Array(line[indent...])
        if let fence {
            guard content.allSatisfy({ $0 == fence.character || $0 == " " }),
                content.prefix(while: { $0 == fence.character }).count >= fence.count,
                !content.contains(" ")
                    || content.drop(while: { $0 == fence.character }).allSatisfy({ $0 == " " })
            else { return MarkdownLine(kind: .code, cells: line.map { Cell(character: $0, style: []) }) }
            self.fence = nil
            return MarkdownLine(kind: .mark)
        }
        if content.isEmpty { return MarkdownLine(kind: .blank) }
        if let fence = Self.fence(content) {
            self.fence = fence
            return MarkdownLine(kind: .mark)
        }
        return Self.block(content, indent, isWhole: true) ?? MarkdownLine(kind: .blank)
    }

    /// Reads the part of a line that may grow; nil as long as its kind is open. Its cells are the first of those
    /// that the complete line will have.
    func peek(_ line: [Character]) -> MarkdownLine? {
        let indent = line.prefix { $0 == " " }.count
        let content = Array(line[indent...])
        guard !content.isEmpty else { return nil }
        if let fence {
            guard !content.allSatisfy({ $0 == fence.character || $0 == " " }) else { return nil }
            return MarkdownLine(kind: .code, cells: line.map { Cell(character: $0, style: []) })
        }
        return Self.block(content, indent, isWhole: false)
    }

    /// The fence that a line opens. A line with another backtick after the first ones is code within text.
    private static func fence(_ content: [Character]) -> Fence? {
        guard let first = content.first, first == "`" || first == "~" else { return nil }
        let count = content.prefix { $0 == first }.count
        guard count >= 3, first == "~" || !content.dropFirst(count).contains("`") else { return nil }
        return Fence(character: first, count: count)
    }

    private static func block(_ content: [Character], _ indent: Int, isWhole: Bool) -> MarkdownLine? {
        guard isWhole || isKindKnown(content) else { return nil }
        let blanks = [Cell](String(repeating: " ", count: min(indent, deepest)))
        let first = content.first
        func rest(behind count: Int) -> [Character] { Array(content.dropFirst(count)) }
        func line(_ mark: [Cell], _ content: [Character], _ style: Style = [], margin: [Cell]) -> MarkdownLine
        {
            let inline = MarkdownInline.cells(content, isWhole: isWhole, style: style)
            return MarkdownLine(
                kind: .block, cells: blanks + mark + inline, fixed: blanks.count + mark.count,
                margin: blanks + margin)
        }
        let hashes = content.prefix { $0 == "#" }.count
        if (1...6).contains(hashes), content.count == hashes || content[hashes] == " " {
            let title = rest(behind: hashes).drop { $0 == " " }
            return line([], Array(title), [.bold, .underlined], margin: [])
        }
        if isRule(content) {
            return MarkdownLine(kind: .block, cells: [Cell](String(repeating: "─", count: 20), .faint))
        }
        if first == ">" {
            let quoted = content.dropFirst(content.dropFirst().first == " " ? 2 : 1)
            let bar = [Cell]("│ ", .faint)
            return line(bar, Array(quoted), .italic, margin: bar)
        }
        if first == "-" || first == "*" || first == "+", content.dropFirst().first == " " {
            return line([Cell]("• "), rest(behind: 2), margin: [Cell]("  "))
        }
        let digits = content.prefix { $0.isASCII && $0.isNumber }.count
        if (1...9).contains(digits), content.count > digits + 1, content[digits + 1] == " ",
            content[digits] == "." || content[digits] == ")"
        {
            let mark = [Cell](String(content[...(digits + 1)]))
            return line(
                mark, rest(behind: digits + 2), margin: [Cell](String(repeating: " ", count: mark.count)))
        }
        var text = line([], content, margin: [])
        if indent == 0 { text.kind = .text }
        return text
    }

    /// Whether the line has three or more of a mark, with blanks between.
    private static func isRule(_ content: [Character]) -> Bool {
        guard let mark = content.first, mark == "-" || mark == "*" || mark == "_" else { return false }
        return content.allSatisfy { $0 == mark || $0 == " " } && content.count { $0 == mark } >= 3
    }

    /// Whether more of a line cannot change its kind.
    private static func isKindKnown(_ content: [Character]) -> Bool {
        guard let first = content.first else { return false }
        switch first {
        case "#": return content.contains { $0 != "#" }
        case ">": return content.count > 1
        // Code within text has no third backtick at its beginning, or another one after them.
        case "`", "~":
            let count = content.prefix { $0 == first }.count
            guard count < content.count else { return false }
            return count < 3 || first == "`" && content.dropFirst(count).contains("`")
        case "-", "*", "_", "+": return content.contains { $0 != first && $0 != " " }
        default:
            guard first.isASCII, first.isNumber else { return true }
            let digits = content.prefix { $0.isASCII && $0.isNumber }.count
            return content.count > digits + 1
                || content.count == digits + 1 && content[digits] != "."
                    && content[digits] != ")"
        }
    }
}
