// A line editor for a terminal without echo: bytes in, edits and finished lines out, with the usual keys of readline
// (emacs mode). It is a value, so tests need no terminal. Words.swift has the movements.

/// The line being typed; it may hold line ends.
struct LineEditor: Equatable {
    /// The effect of a key.
    enum Event: Equatable {
        case edited
        /// A finished line, and the text that was typed before a walk through the history led to it. That text is in
        /// the line again.
        case submitted(String, beside: String = "")
        /// A request to quit: ^D on an empty line.
        case quit
        /// A request to end at once: ^C.
        case interrupted
        /// A request to suspend the program: ^Z.
        case suspend
        /// A request to complete the name of a command: the tab key.
        case complete
        /// A request to draw everything again: ^L.
        case redraw
    }

    /// The most bytes, more than a message may have (limits): longer input is cut here and refused later (L8).
    static let limit = LineSplitter.limit

    /// The typed characters.
    private(set) var characters: [Character] = []
    /// The index for the next character.
    private(set) var cursor = 0
    /// The number of bytes of the typed characters, kept up to date: a paste may be long, and each key checks it.
    private var byteCount = 0
    /// The earlier submitted lines.
    var history = History() {
        didSet {
            // A walk through the history ends with the line that was typed before it.
            if walk.isUnchanged(text, oldValue), let typed = walk.typed { show(typed) }
            if let search { show(search.former) }
            (walk, search) = (HistoryWalk(), nil)
        }
    }
    /// Whether ^R begins a search, which needs a screen.
    var canSearch = true
    /// The search that is under way; nil otherwise.
    private(set) var search: HistorySearch?
    private var walk = HistoryWalk()
    /// The last killed text, for ^Y. Kills in a row are one text.
    private var killed: [Character] = []
    private var isKilling = false
    private var parser = KeyParser()

    /// The typed text.
    var text: String { String(characters) }

    /// The text without what a search has found.
    private var line: String { search.map { String($0.former.characters) } ?? text }

    /// The text to keep: the line, or, for an unchanged line of the history, the line that was typed before it.
    var draft: String { walk.isUnchanged(line, history) ? walk.typed ?? "" : line }

    /// The text that would be lost with the line: the line typed before a walk through the history, and a changed line.
    var unsubmitted: String {
        let changed = walk.isUnchanged(line, history) ? "" : line
        return [walk.typed ?? "", changed].filter { !$0.isEmpty }.joined(separator: "\n")
    }

    /// Whether the last bytes may be the beginning of a key.
    var isUndecided: Bool { parser.isUndecided }

    /// Replaces the whole text and moves the cursor to its end.
    mutating func replace(with text: String) {
        (walk, search) = (HistoryWalk(), nil)
        show(text)
    }

    /// Brings submitted lines back before the text that was typed after them.
    mutating func bringBack(_ lines: [String], before text: String) {
        replace(with: (lines + [text]).filter { !$0.isEmpty }.joined(separator: "\n"))
    }

    private mutating func show(_ text: String) {
        let line = Array(text)
        show((line, line.count))
    }

    private mutating func show(_ line: (characters: [Character], cursor: Int)) {
        (characters, cursor) = line
        byteCount = Self.byteCount(characters[...])
    }

    private static func byteCount(_ characters: ArraySlice<Character>) -> Int {
        characters.reduce(0) { $0 + $1.utf8.count }
    }

    /// Handles bytes of the terminal, in any split, and returns their events.
    mutating func take(_ bytes: [UInt8]) -> [Event] { handle(parser.take(bytes)) }

    /// Handles a pause after the last bytes.
    mutating func afterPause() -> [Event] { handle(parser.afterPause()) }

    private mutating func handle(_ keys: [Key]) -> [Event] { keys.compactMap { handle($0) } }

    /// Handles one key. Returns nil if it has no meaning.
    mutating func handle(_ key: Key) -> Event? {
        if search != nil, let event = searching(key) { return event }
        let wasKilling = isKilling
        isKilling = false
        switch key {
        case .text(let text), .pasted(let text): insert(text)
        case .named(let name, let modifiers): return handle(name, modifiers, wasKilling: wasKilling)
        case .letter(let letter, .control): return handle(control: letter, wasKilling: wasKilling)
        case .letter(let letter, .alt): return handle(alt: letter, wasKilling: wasKilling)
        case .letter: return nil
        }
        return .edited
    }

    // MARK: Keys

    private mutating func handle(_ name: Key.Name, _ modifiers: Key.Modifiers, wasKilling: Bool) -> Event? {
        let isByWord = !modifiers.isDisjoint(with: [.control, .alt])
        switch name {
        case .enter where modifiers.isEmpty:
            let (line, beside) = (text, walk.typed ?? "")
            replace(with: beside)
            return .submitted(line, beside: beside)
        case .enter: insert("\n")
        case .left: cursor = isByWord ? wordStart(before: cursor) : max(0, cursor - 1)
        case .right: cursor = isByWord ? wordEnd(after: cursor) : min(characters.count, cursor + 1)
        case .home: cursor = isByWord ? 0 : lineStart
        case .end: cursor = isByWord ? characters.count : lineEnd
        case .up: return goUp()
        case .down: return goDown()
        case .pageUp: return walk(by: -1)
        case .pageDown: return walk(by: 1)
        case .delete where isByWord: kill(cursor..<wordEnd(after: cursor), wasKilling)
        case .delete: remove(cursor..<min(cursor + 1, characters.count))
        case .backspace where isByWord: kill(wordStart(before: cursor)..<cursor, wasKilling)
        case .backspace: remove(max(cursor - 1, 0)..<cursor)
        case .tab where modifiers.isEmpty:
            if characters.first == "/", !characters.contains(" ") { return .complete }
            insert(" ")
        case .tab, .insert, .escape: return nil
        }
        return .edited
    }

    private mutating func handle(control letter: Character, wasKilling: Bool) -> Event? {
        switch letter {
        case "a": cursor = lineStart
        case "b": cursor = max(0, cursor - 1)
        case "c": return .interrupted
        case "d":
            if characters.isEmpty { return .quit }
            remove(cursor..<min(cursor + 1, characters.count))
        case "e": cursor = lineEnd
        case "f": cursor = min(characters.count, cursor + 1)
        case "h": return handle(.backspace, [], wasKilling: wasKilling)
        case "i": return handle(.tab, [], wasKilling: wasKilling)
        case "j": insert("\n")
        case "k": kill(cursor..<max(lineEnd, min(cursor + 1, characters.count)), wasKilling)
        case "l": return .redraw
        case "m": return handle(.enter, [], wasKilling: wasKilling)
        case "n": return goDown()
        case "p": return goUp()
        case "r":
            guard canSearch, !history.lines.isEmpty else { return nil }
            search = HistorySearch(history, former: (characters, cursor))
        case "t": exchange()
        case "u": kill(lineStart..<cursor, wasKilling)
        case "w": kill(blankStart(before: cursor)..<cursor, wasKilling)
        case "y": insert(String(killed))
        case "z": return .suspend
        default: return nil
        }
        return .edited
    }

    private mutating func handle(alt letter: Character, wasKilling: Bool) -> Event? {
        switch letter {
        case "b", "B": cursor = wordStart(before: cursor)
        case "f", "F": cursor = wordEnd(after: cursor)
        case "d", "D": kill(cursor..<wordEnd(after: cursor), wasKilling)
        case "<": cursor = 0
        case ">": cursor = characters.count
        // An escape may have been pressed by itself before a character.
        default: insert(String(letter))
        }
        return .edited
    }

    // MARK: Changes

    /// Joins the text with the character before the cursor, because a scalar may extend that character.
    private mutating func insert(_ text: String) {
        let start = max(cursor - 1, 0)
        byteCount -= Self.byteCount(characters[start..<cursor])
        var joined = Array(String(characters[start..<cursor]) + text)
        byteCount += Self.byteCount(joined[...])
        while byteCount > Self.limit, let last = joined.popLast() { byteCount -= last.utf8.count }
        characters.replaceSubrange(start..<cursor, with: joined)
        cursor = start + joined.count
    }

    private mutating func remove(_ range: Range<Int>) {
        byteCount -= Self.byteCount(characters[range])
        characters.removeSubrange(range)
        cursor = range.lowerBound
    }

    private mutating func kill(_ range: Range<Int>, _ wasKilling: Bool) {
        isKilling = true
        guard !range.isEmpty else { return isKilling = wasKilling }
        let text = characters[range]
        if !wasKilling {
            killed = Array(text)
        } else if range.lowerBound < cursor {
            killed = text + killed
        } else {
            killed += text
        }
        remove(range)
    }

    /// Exchanges the characters around the cursor; at the end, the last two.
    private mutating func exchange() {
        guard characters.count > 1, cursor > 0 else { return }
        if cursor == characters.count { cursor -= 1 }
        characters.swapAt(cursor - 1, cursor)
        cursor += 1
    }

    // MARK: History

    private mutating func goUp() -> Event? {
        guard let place = cursorOnLineAbove else { return walk(by: -1) }
        cursor = place
        return .edited
    }

    private mutating func goDown() -> Event? {
        guard let place = cursorOnLineBelow else { return walk(by: 1) }
        cursor = place
        return .edited
    }

    private mutating func walk(by step: Int) -> Event? {
        guard let text = walk.move(by: step, from: text, history) else { return nil }
        show(text)
        return .edited
    }

    /// Handles a key during a search. Returns nil for a key that ends the search and then has its own effect.
    private mutating func searching(_ key: Key) -> Event? {
        switch key {
        case .text(let more), .pasted(let more): search?.extend(by: more, history)
        case .letter("r", .control): search?.goOn(history)
        case .named(.backspace, []), .letter("h", .control): search?.shorten(history)
        case .named(.escape, _), .letter("g", .control), .letter("c", .control):
            if let former = search?.former { show(former) }
            search = nil
            return .edited
        case .named(.enter, []), .letter("j", .control):
            endSearch()
            return .edited
        case .named, .letter:
            endSearch()
            return nil
        }
        if let search {
            let isFound = history.lines.indices.contains(search.place)
            isFound ? show(history.lines[search.place]) : show(search.former)
        }
        return .edited
    }

    /// Puts the found line in place of the typed one, as if Up had led to it.
    private mutating func endSearch() {
        guard let search else { return }
        self.search = nil
        guard history.lines.indices.contains(search.place) else {
            return show(search.former)
        }
        show(walk.go(to: search.place, from: String(search.former.characters), history))
    }
}
