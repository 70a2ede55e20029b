// The walk through the history from the typed line: back by Up, forth by Down, or to the line that contains a text. The
// typed line is kept at its place, and so is a change to a line of the history.

/// A place in the history.
struct HistoryWalk: Equatable {
    /// The place; the count of the lines is the place of the typed line.
    private var place: Int?
    /// The texts at the changed places, and at that of the typed line.
    private var changed: [Int: String] = [:]

    /// The line that was typed before the walk began; nil without one.
    private(set) var typed: String?

    /// Moves by a number of lines from a text. Returns the text there; nil if there is none.
    mutating func move(by step: Int, from text: String, _ history: History) -> String? {
        let count = history.lines.count
        let target = (place ?? count) + step
        guard (0...count).contains(target) else { return nil }
        return go(to: target, from: text, history)
    }

    /// Moves to a place from a text, and returns the text there.
    mutating func go(to target: Int, from text: String, _ history: History) -> String {
        let count = history.lines.count
        let current = place ?? count
        if current == count { typed = text }
        if current == count || history.lines[current] != text { changed[current] = text }
        place = target
        guard target < count else {
            defer { self = HistoryWalk() }
            return typed ?? ""
        }
        return changed[target] ?? history.lines[target]
    }

    /// Whether a text is an unchanged line of the history.
    func isUnchanged(_ text: String, _ history: History) -> Bool {
        guard let place, history.lines.indices.contains(place) else { return false }
        return history.lines[place] == text
    }
}

/// A search through the history, by a text that grows.
struct HistorySearch: Equatable {
    /// The text to find.
    private(set) var text = ""
    /// The place of the found line; the count of the lines before one is found.
    private(set) var place: Int
    /// Whether no older line contains the text.
    private(set) var hasFailed = false
    /// The line and the cursor before the search.
    let former: (characters: [Character], cursor: Int)

    static func == (left: HistorySearch, right: HistorySearch) -> Bool {
        left.text == right.text && left.place == right.place && left.hasFailed == right.hasFailed
            && left.former.characters == right.former.characters && left.former.cursor == right.former.cursor
    }

    init(_ history: History, former: (characters: [Character], cursor: Int)) {
        place = history.lines.count
        self.former = former
    }

    /// Searches for a longer text, from the found line on.
    mutating func extend(by more: String, _ history: History) {
        text += more
        find(before: place + 1, history)
    }

    /// Searches for a text without its last character, from the newest line on.
    mutating func shorten(_ history: History) {
        guard text.popLast() != nil else { return }
        place = history.lines.count
        find(before: place, history)
    }

    /// Searches for the next older line.
    mutating func goOn(_ history: History) { find(before: place, history) }

    private mutating func find(before end: Int, _ history: History) {
        guard !text.isEmpty else { return hasFailed = false }
        let found = history.index(of: text, before: min(end, history.lines.count))
        hasFailed = found == nil
        if let found { place = found }
    }

    /// The prompt before the found line.
    var prompt: String { (hasFailed ? "no “" : "search “") + text.replacing("\n", with: " ") + "”: " }
}
