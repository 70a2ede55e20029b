// Emphasis, code and links within a line (CommonMark's inlines, as far as models write them).
//
// Guarantees, for any text: the cells of an incomplete line are the first cells of the complete one, so
// no visible cell changes when the line grows; the work for a character is bounded, so the whole is linear.

/// Turns a line's characters into cells.
struct MarkdownInline {
    /// The longest phrase between marks, in characters; the marks of a longer one are plain text.
    private static let longestPhrase = 400
    /// The longest address of a link: more than any browser shows.
    private static let longestAddress = 2_000
    /// The deepest nesting; deeper marks are shown as plain text.
    private static let deepest = 4

    /// The result of a search for the end of a phrase.
    private enum Found {
        /// The end is at this index.
        case end(Int)
        /// There is no end.
        case none
        /// More text decides.
        case open
    }

    private let text: ArraySlice<Character>
    /// Whether the line is complete.
    private let isWhole: Bool
    private let depth: Int
    private var cells: [Cell] = []

    /// The cells of a line, or of its part so far.
    static func cells(_ text: [Character], isWhole: Bool, style: Style = []) -> [Cell] {
        var inline = MarkdownInline(text[...], isWhole: isWhole, depth: 0)
        inline.run(style)
        return inline.cells
    }

    private init(_ text: ArraySlice<Character>, isWhole: Bool, depth: Int) {
        self.text = text
        self.isWhole = isWhole
        self.depth = depth
    }

    private mutating func run(_ style: Style) {
        var index = text.startIndex
        while index < text.endIndex {
            guard let next = step(at: index, style) else { return }
            index = next
        }
    }

    private subscript(index: Int) -> Character? { text.indices.contains(index) ? text[index] : nil }

    private func isEnd(_ index: Int) -> Bool { index >= text.endIndex && !isWhole }

    /// Adds the cells of the element at an index. Returns the index after it; nil if more text decides.
    private mutating func step(at index: Int, _ style: Style) -> Int? {
        let character = text[index]
        switch character {
        case "\\":
            if isEnd(index + 1) { return nil }
            guard let next = self[index + 1], next.isASCII, next.isPunctuation || next.isSymbol else { break }
            add([next], style)
            return index + 2
        case "`": return code(at: index, style)
        case "*", "_", "~": return emphasis(at: index, style)
        case "[": return link(at: index, from: index, style)
        case "!":
            if isEnd(index + 1) { return nil }
            if self[index + 1] == "[" { return link(at: index + 1, from: index, style) }
        case "<": return address(at: index, style)
        default: break
        }
        add([character], style)
        return index + 1
    }

    private mutating func add(_ characters: some Sequence<Character>, _ style: Style) {
        for character in characters { cells.append(Cell(character: character, style: style)) }
    }

    /// Adds the text between two indices, as Markdown.
    private mutating func add(_ range: Range<Int>, _ style: Style) {
        var inner = MarkdownInline(text[range], isWhole: true, depth: depth + 1)
        inner.run(style)
        cells += inner.cells
    }

    /// The index after a run of one character.
    private func runEnd(_ index: Int) -> Int {
        text[index...].firstIndex { $0 != text[index] } ?? text.endIndex
    }

    // MARK: Code

    private mutating func code(at index: Int, _ style: Style) -> Int? {
        let start = runEnd(index)
        switch codeEnd(at: index) {
        case .open: return nil
        case .none:
            add(text[index..<start], style)
            return start
        case .end(let end):
            var inside = text[start..<end]
            // A blank on both sides only separates backticks.
            if inside.count > 2, inside.first == " ", inside.last == " " {
                inside = inside.dropFirst().dropLast()
            }
            add(inside, style.union(.code))
            return end + (start - index)
        }
    }

    /// The beginning of the run of backticks that ends the code at an index.
    private func codeEnd(at index: Int) -> Found {
        let start = runEnd(index)
        if isEnd(start) { return .open }
        let count = start - index
        let limit = start + Self.longestPhrase
        var place = start
        while place < text.endIndex, place < limit {
            guard text[place] == "`" else {
                place += 1
                continue
            }
            let end = runEnd(place)
            if isEnd(end) { return .open }
            if end - place == count { return .end(place) }
            place = end
        }
        return place >= limit || isWhole ? .none : .open
    }

    // MARK: Emphasis

    private mutating func emphasis(at index: Int, _ style: Style) -> Int? {
        let start = runEnd(index)
        if isEnd(start) { return nil }
        let count = start - index
        func asItStands(_ inline: inout MarkdownInline) -> Int {
            inline.add(inline.text[index..<start], style)
            return start
        }
        guard depth < Self.deepest, let added = Self.style(text[index], count), let next = self[start],
            !next.isWhitespace, text[index] != "_" || !isOfWord(index - 1)
        else { return asItStands(&self) }
        switch emphasisEnd(text[index], count, from: start) {
        case .open: return nil
        case .none: return asItStands(&self)
        case .end(let end):
            add(start..<end, style.union(added))
            return end + count
        }
    }

    private static func style(_ mark: Character, _ count: Int) -> Style? {
        switch (mark, count) {
        case ("~", 2): .struck
        case ("~", _): nil
        case (_, 1): .italic
        case (_, 2): .bold
        case (_, 3): [.bold, .italic]
        default: nil
        }
    }

    private func isOfWord(_ index: Int) -> Bool { self[index].map { $0.isLetter || $0.isNumber } ?? false }

    private func emphasisEnd(_ mark: Character, _ count: Int, from start: Int) -> Found {
        let limit = start + Self.longestPhrase
        var place = start
        while place < text.endIndex, place < limit {
            switch text[place] {
            case "\\":
                if isEnd(place + 1) { return .open }
                place += 2
            case "`":
                switch codeEnd(at: place) {
                case .open: return .open
                case .none: place = runEnd(place)
                case .end(let end): place = end + (runEnd(place) - place)
                }
            case mark:
                let end = runEnd(place)
                if isEnd(end) { return .open }
                let ends = place > start && self[place - 1]?.isWhitespace == false && end - place == count
                if ends, mark != "_" || !isOfWord(end) { return .end(place) }
                place = end
            default: place += 1
            }
        }
        return place >= limit || isWhole ? .none : .open
    }

    // MARK: Links

    /// A link or, from an exclamation mark on, an image: its text, and its address if that differs.
    private mutating func link(at bracket: Int, from index: Int, _ style: Style) -> Int? {
        func asItStands(_ inline: inout MarkdownInline) -> Int {
            inline.add(inline.text[index...bracket], style)
            return bracket + 1
        }
        guard depth < Self.deepest else { return asItStands(&self) }
        let end: Int
        switch self.end(of: ("[", "]"), from: bracket + 1, within: Self.longestPhrase) {
        case .open: return nil
        case .none: return asItStands(&self)
        case .end(let found): end = found
        }
        if isEnd(end + 1) { return nil }
        guard end > bracket + 1, self[end + 1] == "(" else { return asItStands(&self) }
        switch self.end(of: ("(", ")"), from: end + 2, within: Self.longestAddress) {
        case .open: return nil
        case .none: return asItStands(&self)
        case .end(let close):
            let address = text[(end + 2)..<close].prefix { $0 != " " }
            add((bracket + 1)..<end, style.union(.underlined))
            if !address.isEmpty, !address.elementsEqual(text[(bracket + 1)..<end]) {
                add(" (", style.union(.faint))
                add(address, style.union(.faint))
                add(")", style.union(.faint))
            }
            return close + 1
        }
    }

    /// The bracket that closes one before `start`. Brackets nest, and a backslash removes the next character's meaning
    /// (CommonMark, link text and link destination).
    private func end(of pair: (open: Character, close: Character), from start: Int, within length: Int)
        -> Found
    {
        let limit = start + length
        var open = 1
        var place = start
        while place < text.endIndex, place < limit {
            switch text[place] {
            case "\\": place += 1
            case pair.open: open += 1
            case pair.close:
                open -= 1
                if open == 0 { return .end(place) }
            default: break
            }
            place += 1
        }
        return place >= limit || isWhole ? .none : .open
    }

    /// An address in angle brackets.
    private mutating func address(at index: Int, _ style: Style) -> Int? {
        let opening = Array("<http")
        let available = text[index...].prefix(opening.count)
        if opening.starts(with: available), available.count < opening.count, !isWhole { return nil }
        guard available.elementsEqual(opening) else {
            add("<", style)
            return index + 1
        }
        var place = index + opening.count
        let limit = index + Self.longestAddress
        while place < text.endIndex, place < limit, text[place] != ">", text[place] != " " { place += 1 }
        if place >= text.endIndex, place < limit, !isWhole { return nil }
        guard self[place] == ">" else {
            add("<", style)
            return index + 1
        }
        add(text[(index + 1)..<place], style.union(.underlined))
        return place + 1
    }
}
