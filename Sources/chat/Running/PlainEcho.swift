// The echo of the typed line on a terminal where nothing is redrawn: for people who listen to it. The kernel's own echo
// would be in the middle of the program's output.

/// Writes the typed line only by appending.
struct PlainEcho {
    /// The prompt and the text of the row that is being typed.
    private var prompt = ""
    private var shown = ""

    /// Whether the row that is being typed has any text.
    private var isOpen: Bool { !prompt.isEmpty || !shown.isEmpty }

    /// Shows an edit. A change at the end is shown in its place; after any other edit the whole line is shown again
    /// below.
    mutating func edit(_ text: String, columns: Int) -> String {
        let former = shown
        shown = text
        if text == former { return "" }
        if text.hasPrefix(former) { return Self.raw(text.dropFirst(former.count)) }
        let deleted = former.dropFirst(text.count)
        let isOnOneRow = Layout.width(prompt + former) < columns && !former.contains("\n")
        if former.hasPrefix(text), isOnOneRow {
            return String(repeating: "\u{8} \u{8}", count: Layout.width(String(deleted)))
        }
        return "\r\n" + prompt + Self.raw(text[...])
    }

    /// Shows the line again, because other output has followed it.
    func again() -> String { prompt + Self.raw(shown[...]) }

    /// Ends the row that was typed.
    mutating func submit() -> String {
        (prompt, shown) = ("", "")
        return "\r\n"
    }

    /// Prints lines above; the line that is being typed is shown again below.
    mutating func say(_ lines: [Line]) -> String {
        guard !lines.isEmpty else { return "" }
        let said = lines.map { Self.raw($0.text[...]) + "\r\n" }.joined()
        return isOpen ? "\r\n" + said + again() : said
    }

    /// Shows a prompt before the line that is being typed.
    mutating func ask(_ prompt: String) -> String {
        guard prompt != self.prompt else { return "" }
        defer { self.prompt = prompt }
        return (isOpen ? "\r\n" : "") + prompt + Self.raw(shown[...])
    }

    private static func raw(_ text: Substring) -> String {
        String(text.replacing("\n", with: "\r\n"))
    }
}
