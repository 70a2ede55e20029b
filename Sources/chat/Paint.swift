// Optional colour: the tone of a line decides, and without colour the words are the same.

/// Colours the rows of a line for a terminal (ECMA-48, select graphic rendition).
struct Paint: Equatable {
    let isOn: Bool

    /// Whether a terminal gets colour: not if the person opts out (no-color.org), nor if the terminal is incapable.
    init(environment: [String: String]) {
        let isUnwanted = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        isOn = !isUnwanted && Paint.isCapable(environment: environment)
    }

    /// Whether a terminal supports more than plain lines.
    static func isCapable(environment: [String: String]) -> Bool {
        environment["TERM"].map { !$0.isEmpty && $0 != "dumb" } ?? false
    }

    /// The rows of a line with their colour codes.
    func rows(_ line: Line, columns: Int) -> [String] {
        let rows = Layout.wrap(line.text, columns: columns, hanging: line.hanging)
        guard isOn else { return rows }
        let (head, body) = codes(line.tone)
        return rows.enumerated().map { index, row in
            guard index == 0, !line.head.isEmpty, row.hasPrefix(line.head) else { return painted(row, body) }
            return painted(line.head, head) + painted(String(row.dropFirst(line.head.count)), body)
        }
    }

    private func painted(_ text: String, _ code: String?) -> String {
        guard let code, !text.isEmpty else { return text }
        return "\u{1B}[\(code)m\(text)\u{1B}[0m"
    }

    /// The codes of head and body: 1 is bold, 2 faint, 31 to 36 are colours that every theme can change.
    private func codes(_ tone: Line.Tone) -> (head: String?, body: String?) {
        switch tone {
        case .mine: ("1;32", nil)
        case .theirs: ("1;36", nil)
        case .assistant: ("1;35", nil)
        case .news, .passing: ("2", "2")
        case .warning: ("33", "33")
        case .program: ("36", nil)
        case .title: ("1", "1")
        }
    }
}
